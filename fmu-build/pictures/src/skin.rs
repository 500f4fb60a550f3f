//! Control plane: solids of flexible bodies bend with them: each corner moves as the nodes around it.
//!
//! At a corner p the displacement of a mode is the constant a of the affine field a + B (x − p) that fits the displacements
//! of the nearest points best, weighted by (1 − d²/R²)²/(d²/R² + ε): moving least squares (Lancaster and Salkauskas 1981).
//! Motions of a rigid body are met exactly, and what is at a point moves nearly as the point. The points are the nodes, and
//! those between them on lines that bend. A node that turns also gives the field beside it, u + θ × δ: one beam tells how a
//! whole section moves.

use std::collections::BTreeMap;

use fixstep_kernel::math::rotation::matrix;
use fixstep_kernel::math::{Mat3, Vec3};

use crate::scene::{Mesh, Soft, Solid};

/// Points, and turning nodes, that a corner follows.
const NEAREST: [usize; 2] = [8, 4];
/// How far beside a node its rotation is read, in sizes of the body.
const BESIDE: f64 = 0.02;
/// Weight of directions in which no point tells how the field changes.
const LITTLE: f64 = 1e-9;
/// ε: how near a corner is to a point that it follows alone.
const NEAR: f64 = 1e-3;
/// Weight of what is beside a node: it tells how sections turn, and nearly nothing where the points tell more.
const TURNING: f64 = 1e-3;
/// The least weight of a point.
const LEAST: f64 = 1e-6;
/// Longest edge of a triangle, in sizes of the body: long faces must be able to bend.
const EDGE: f64 = 1.0 / 24.0;
/// Most triangles of a body's surface.
const TRIANGLES: usize = 20_000;

/// What moves a skin.
#[derive(Debug)]
pub struct Field<'a> {
    /// The diagonal of the box around the points \[m\].
    pub size: f64,
    /// Undeformed points \[m\].
    pub points: &'a [Vec3],
    /// By mode, then point: how it moves.
    pub shapes: &'a [Vec<Vec3>],
    /// The nodes that turn.
    pub turning: Vec<Turning>,
}

/// A node that turns.
#[derive(Debug)]
pub struct Turning {
    /// Undeformed \[m\].
    pub position: Vec3,
    /// Displacement and rotation by each mode.
    pub moves: Vec<[Vec3; 2]>,
}

/// Where the displacement of a sample comes from.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// A point, by its number.
    Point(usize),
    /// Beside a node.
    Beside(&'a Turning, Vec3),
}

/// A place whose displacements are known, and its weight.
#[derive(Clone, Copy)]
struct Sample<'a> {
    at: Vec3,
    source: Source<'a>,
    weight: f64,
}

/// The surface of these solids as one that bends with a body.
pub fn soft(field: &Field<'_>, solids: &[Solid]) -> Soft {
    let mesh = refined(joined(solids), EDGE * field.size);
    let mut modes = vec![Vec::with_capacity(mesh.points.len()); field.shapes.len()];
    let mut known: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    for (number, corner) in mesh.points.iter().enumerate() {
        // Corners of two faces in one place move alike.
        let twin = *known.entry(corner.map(f32::to_bits)).or_insert(number);
        if twin < number {
            for moves in &mut modes {
                let same: [f32; 3] = moves[twin];
                moves.push(same);
            }
            continue;
        }
        let shares = field.shares(&Vec3::from(corner.map(f64::from)));
        for (mode, moves) in modes.iter_mut().enumerate() {
            let sum: Vec3 = { shares.iter() }
                .map(|(source, share)| field.displacement(*source, mode) * *share)
                .sum();
            moves.push(single(&sum));
        }
    }
    Soft {
        mesh,
        lines: Vec::new(),
        modes,
        stresses: None,
    }
}

impl Field<'_> {
    fn displacement(&self, source: Source<'_>, mode: usize) -> Vec3 {
        match source {
            Source::Point(number) => self.shapes[mode][number],
            Source::Beside(node, arm) => {
                let [by, turn] = node.moves[mode];
                by + turn.cross(&arm)
            }
        }
    }

    /// The sources of the displacement of a place, with the part of each.
    fn shares(&self, place: &Vec3) -> Vec<(Source<'_>, f64)> {
        let (beside, points) = (BESIDE * self.size, self.points);
        let near = nearest(points.len(), NEAREST[0], |k| (points[k] - place).norm());
        let mut samples: Vec<Sample<'_>> = { near.iter() }
            .map(|(k, weight)| Sample {
                at: points[*k],
                source: Source::Point(*k),
                weight: *weight,
            })
            .collect();
        let turning = &self.turning;
        let far = |k: usize| (turning[k].position - place).norm();
        for (k, weight) in nearest(turning.len(), NEAREST[1], far) {
            for axis in 0..3 {
                let arm: Vec3 = Vec3::ith(axis, beside);
                samples.extend([arm, -arm].map(|arm| Sample {
                    at: turning[k].position + arm,
                    source: Source::Beside(&turning[k], arm),
                    weight: weight * TURNING,
                }));
            }
        }
        fitted(&samples, place, self.size)
    }
}

/// The nearest of some places, with weights that fall to nothing where the next place begins to count.
fn nearest(count: usize, most: usize, distance: impl Fn(usize) -> f64) -> Vec<(usize, f64)> {
    let mut near: Vec<(f64, usize)> = (0..count).map(|k| (distance(k), k)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let last = near.last().map_or(0.0, |(far, _)| *far);
    let reach = near.get(most).map_or(2.0 * last, |(far, _)| *far);
    near.truncate(most);
    let weight = |far: f64| {
        let part = if reach > 0.0 { far / reach } else { 0.0 };
        let weight = (1.0 - part * part).max(0.0);
        (weight * weight).max(LEAST) / (part * part + NEAR)
    };
    near.into_iter().map(|(far, k)| (k, weight(far))).collect()
}

/// Weights as parts in the constant of the affine field that fits best.
fn fitted<'a>(samples: &[Sample<'a>], place: &Vec3, size: f64) -> Vec<(Source<'a>, f64)> {
    let arm = |sample: &Sample<'_>| (sample.at - place) / size;
    let whole: f64 = samples.iter().map(|sample| sample.weight).sum();
    let mean: Vec3 = { samples.iter() }
        .map(|sample| arm(sample) * (sample.weight / whole))
        .sum();
    let mut spread = Mat3::identity() * (LITTLE * whole);
    for sample in samples {
        let r = arm(sample) - mean;
        spread += r * r.transpose() * sample.weight;
    }
    // The value at the mean, and from there along the slope to the place; the parts add up to one.
    let slope = spread
        .try_inverse()
        .map_or_else(Vec3::zeros, |inverse| inverse * mean);
    { samples.iter() }
        .map(|sample| {
            let share = sample.weight * (1.0 / whole - slope.dot(&(arm(sample) - mean)));
            (sample.source, share)
        })
        .collect()
}

/// All surfaces in the axes of the body.
fn joined(solids: &[Solid]) -> Mesh {
    let mut all = Mesh::default();
    for solid in solids {
        let first = all.points.len() as u32;
        let turn = matrix(&solid.place.rotation);
        for (point, normal) in solid.mesh.points.iter().zip(&solid.mesh.normals) {
            let scaled = Vec3::from_fn(|k, _| f64::from(point[k]) * solid.scale[k]);
            let across = Vec3::from_fn(|k, _| f64::from(normal[k]) / solid.scale[k]);
            let across = turn * across.try_normalize(0.0).unwrap_or_else(Vec3::z);
            all.points
                .push(single(&(solid.place.position + turn * scaled)));
            all.normals.push(single(&across));
        }
        let triangles = solid.mesh.triangles.iter();
        all.triangles
            .extend(triangles.map(|t| t.map(|k| k + first)));
    }
    all
}

fn single(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// The same surface with edges that are not longer than a length: a long edge is halved for the triangles on both sides.
fn refined(mut mesh: Mesh, longest: f64) -> Mesh {
    if longest <= 0.0 || longest.is_nan() {
        return mesh;
    }
    loop {
        let mut halves: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let mut triangles = Vec::with_capacity(mesh.triangles.len());
        for triangle in std::mem::take(&mut mesh.triangles) {
            let middles = [0, 1, 2].map(|k| {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                half(&mut mesh, &mut halves, [a.min(b), a.max(b)], longest)
            });
            split(triangle, middles, &mut triangles);
        }
        mesh.triangles = triangles;
        if halves.is_empty() || mesh.triangles.len() > TRIANGLES {
            return mesh;
        }
    }
}

/// The corner in the middle of an edge that is too long.
fn half(
    mesh: &mut Mesh,
    halves: &mut BTreeMap<[u32; 2], u32>,
    edge: [u32; 2],
    longest: f64,
) -> Option<u32> {
    let [a, b] = edge.map(|k| Vec3::from(mesh.points[k as usize].map(f64::from)));
    if (b - a).norm() <= longest {
        return None;
    }
    Some(*halves.entry(edge).or_insert_with(|| {
        let [n, m] = edge.map(|k| Vec3::from(mesh.normals[k as usize].map(f64::from)));
        mesh.points.push(single(&((a + b) * 0.5)));
        mesh.normals
            .push(single(&(n + m).try_normalize(1e-6).unwrap_or(n)));
        mesh.points.len() as u32 - 1
    }))
}

/// A triangle in up to four, by the middles of its edges from each corner to the next.
fn split([a, b, c]: [u32; 3], middles: [Option<u32>; 3], out: &mut Vec<[u32; 3]>) {
    match middles {
        [None, None, None] => out.push([a, b, c]),
        [Some(m), None, None] => out.extend([[a, m, c], [m, b, c]]),
        [None, Some(m), None] => out.extend([[b, m, a], [m, c, a]]),
        [None, None, Some(m)] => out.extend([[c, m, b], [m, a, b]]),
        [Some(m), Some(n), None] => out.extend([[m, b, n], [a, m, n], [a, n, c]]),
        [None, Some(m), Some(n)] => out.extend([[m, c, n], [b, m, n], [b, n, a]]),
        [Some(n), None, Some(m)] => out.extend([[m, a, n], [c, m, n], [c, n, b]]),
        [Some(m), Some(n), Some(o)] => {
            out.extend([[a, m, o], [m, b, n], [o, n, c], [m, n, o]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Place;
    use crate::solids;

    /// Samples of a field on a few places.
    fn at(places: &[[f64; 3]]) -> Vec<Sample<'static>> {
        let sample = |(k, at): (usize, &[f64; 3])| Sample {
            at: Vec3::from(*at),
            source: Source::Point(k),
            weight: 1.0 / (k + 1) as f64,
        };
        places.iter().enumerate().map(sample).collect()
    }

    #[test]
    fn an_affine_field_is_met_exactly() {
        let places = [
            [0.0, 0.0, 0.0],
            [1.0, 0.2, 0.0],
            [0.1, 1.0, 0.3],
            [0.2, 0.1, 0.9],
            [0.8, 0.7, 0.6],
        ];
        let field = |p: &Vec3| 3.0 + 2.0 * p.x - p.y + 0.5 * p.z;
        for place in [Vec3::new(0.3, 0.3, 0.3), Vec3::new(1.4, -0.2, 0.1)] {
            let samples = at(&places);
            let shares = fitted(&samples, &place, 1.0);
            let sum: f64 = samples
                .iter()
                .zip(&shares)
                .map(|(s, (_, share))| share * field(&s.at))
                .sum();
            assert!((sum - field(&place)).abs() < 1e-6, "{sum}");
        }
        // On a line nothing tells how the field changes across it: a constant stays one.
        let line = at(&[[0.0; 3], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        let shares = fitted(&line, &Vec3::new(0.2, 0.3, 0.0), 1.0);
        let sum: f64 = shares.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_refined_surface_is_the_same_surface() {
        let solid = solids::block([1.0, 0.1, 0.2]).at(Place {
            position: Vec3::zeros(),
            rotation: [1.0, 0.0, 0.0, 0.0],
        });
        let coarse = joined(&[solid]);
        let fine = refined(coarse.clone(), 0.09);
        let measures = |mesh: &Mesh| {
            let corner = |k: u32| Vec3::from(mesh.points[k as usize].map(f64::from));
            let (mut area, mut volume) = (0.0, 0.0);
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(corner);
                area += 0.5 * (b - a).cross(&(c - a)).norm();
                volume += a.dot(&b.cross(&c)) / 6.0;
                assert!(mesh.triangles.len() == 12 || (b - a).norm() < 0.09 + 1e-6);
            }
            [area, volume]
        };
        let [a, b] = [&coarse, &fine].map(measures);
        assert!(
            (a[0] - b[0]).abs() < 1e-6 && (a[1] - b[1]).abs() < 1e-6,
            "{a:?} {b:?}"
        );
        assert!((b[1] - 0.02).abs() < 1e-6 && fine.triangles.len() > 500);
        assert!(solids::is_closed(&fine));
    }
}

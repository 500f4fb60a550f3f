//! Control plane: volume, centre and inertia of what a closed mesh encloses.
//!
//! The integrals over the solid are sums over its triangles, each of which makes a tetrahedron with a fixed point, positive
//! where it is seen from outside (MAS-8). For polynomials they are exact, and the same as the surface integrals of Mirtich
//! (1996) and Eberly (2002).

use crate::limits::TRIANGLES;
use crate::meshes::Triangles;
use fixstep_kernel::math::solid::MassProperties;
use fixstep_kernel::math::{Mat3, Vec3};
use std::collections::BTreeMap;

/// Corners that are nearer than this part of the mesh's size may be one, if the mesh is not closed otherwise.
const SAME: f64 = 1e-6;
/// A volume below this part of that of the box around the mesh is none.
const NOTHING: f64 = 1e-12;

/// What a mesh encloses, in SI.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Summary {
    /// Volume, centre and inertia at a density of one.
    pub(super) whole: MassProperties,
    /// Its size along x, y, z.
    pub(super) size: Vec3,
    /// Area of its surface.
    pub(super) area: f64,
    /// Its triangles.
    pub(super) triangles: usize,
    /// Those without an area among them.
    pub(super) flat: usize,
    /// The volumes of its shells, which do not touch; below zero for a cavity.
    pub(super) shells: Vec<f64>,
}

/// Why a mesh encloses nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum MeshFault {
    #[error("has no triangles")]
    Empty,
    #[error("has {0} triangles; at most {TRIANGLES}")]
    Many(usize),
    #[error(
        "is not closed: {edges} edges belong to one triangle only, the first from ({:.6}, {:.6}, {:.6}) to ({:.6}, {:.6}, {:.6}) \
         in its own unit; close its holes, or give mass and inertia as numbers", .first[0][0], .first[0][1], .first[0][2],
        .first[1][0], .first[1][1], .first[1][2]
    )]
    Open { edges: usize, first: [[f64; 3]; 2] },
    #[error(
        "has triangles that are wound in opposite ways: {edges} edges run in one direction only, the first from \
         ({:.6}, {:.6}, {:.6}) to ({:.6}, {:.6}, {:.6}) in its own unit; let all be counter-clockwise as seen from outside",
        .first[0][0], .first[0][1], .first[0][2], .first[1][0], .first[1][1], .first[1][2]
    )]
    Wound { edges: usize, first: [[f64; 3]; 2] },
    #[error(
        "is turned inside out: its volume is {0:.6e} m³; its triangles must be counter-clockwise as seen from outside, so turn \
         them over in the program that wrote it (\"flip normals\")"
    )]
    Inward(f64),
    #[error("encloses no volume")]
    Hollow,
}

/// What a mesh encloses; `scale`: metres per unit of the mesh.
pub(super) fn summary(
    (vertices, triangles): &Triangles,
    scale: f64,
    mirrored: bool,
) -> Result<Summary, MeshFault> {
    if triangles.is_empty() {
        return Err(MeshFault::Empty);
    }
    if triangles.len() > TRIANGLES {
        return Err(MeshFault::Many(triangles.len()));
    }
    let names = exact(vertices);
    let names = match check(vertices, triangles, &names) {
        Ok(()) => names,
        Err(fault) => {
            let near = near(vertices);
            check(vertices, triangles, &near).map_err(|_| fault)?;
            near
        }
    };
    let side = if mirrored { -scale } else { scale };
    let place = |k: usize| {
        let [x, y, z] = vertices[k];
        Vec3::new(x * scale, y * side, z * scale)
    };
    let corners = triangles.iter().map(|t| {
        let [a, b, c] = t.map(place);
        if mirrored { [a, c, b] } else { [a, b, c] }
    });
    let corners: Vec<[Vec3; 3]> = corners.collect();
    let all = corners.as_flattened();
    let low = all.iter().fold(all[0], |m, x| m.inf(x));
    let high = all.iter().fold(all[0], |m, x| m.sup(x));
    let size = high - low;
    let about = (low + high) / 2.0;
    let shell_of = shells(triangles, &names);
    let mut shells = vec![0.0; shell_of.iter().max().map_or(0, |most| most + 1)];
    let (mut sums, mut area, mut flat) = (Sums::default(), 0.0, 0);
    for (k, t) in corners.iter().enumerate() {
        let own = (t[1] - t[0]).cross(&(t[2] - t[0])).norm() / 2.0;
        area += own;
        flat += usize::from(own <= 1e-14 * size.norm_squared());
        shells[shell_of[k]] += sums.add(t.map(|x| x - about));
    }
    let box_of = size.x * size.y * size.z;
    let volume = sums.volume;
    if volume.abs() <= NOTHING * box_of {
        return Err(MeshFault::Hollow);
    }
    if volume < 0.0 {
        return Err(MeshFault::Inward(volume));
    }
    Ok(Summary {
        whole: sums.whole(about),
        size,
        area,
        triangles: triangles.len(),
        flat,
        shells,
    })
}

/// Integrals over a solid of 1, x and x xᵀ.
#[derive(Default)]
struct Sums {
    volume: f64,
    first: Vec3,
    second: Mat3,
}

impl Sums {
    /// Adds the tetrahedron of the origin and a triangle (MAS-8); its volume.
    fn add(&mut self, [a, b, c]: [Vec3; 3]) -> f64 {
        let six = a.dot(&b.cross(&c));
        let sum = a + b + c;
        self.volume += six / 6.0;
        self.first += sum * (six / 24.0);
        let squares =
            sum * sum.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose();
        self.second += squares * (six / 120.0);
        six / 6.0
    }

    /// Mass properties at a density of one, where the origin is at `about`.
    fn whole(&self, about: Vec3) -> MassProperties {
        let center = self.first / self.volume;
        let second = self.second - center * center.transpose() * self.volume;
        MassProperties {
            mass: self.volume,
            center: about + center,
            inertia: Mat3::identity() * second.trace() - second,
        }
    }
}

/// The first of equal corners, for each.
fn exact(vertices: &[[f64; 3]]) -> Vec<usize> {
    let mut known: BTreeMap<[u64; 3], usize> = BTreeMap::new();
    // A negative zero is a zero.
    let name = |(k, x): (usize, &[f64; 3])| {
        let key = x.map(|x| (x + 0.0).to_bits());
        *known.entry(key).or_insert(k)
    };
    vertices.iter().enumerate().map(name).collect()
}

/// The first of corners that are near each other.
fn near(vertices: &[[f64; 3]]) -> Vec<usize> {
    let all = || vertices.iter().map(|x| Vec3::from(*x));
    let low = all().fold(Vec3::repeat(f64::INFINITY), |m, x| m.inf(&x));
    let high = all().fold(Vec3::repeat(f64::NEG_INFINITY), |m, x| m.sup(&x));
    let edge = (SAME * (high - low).norm()).max(f64::MIN_POSITIVE);
    let cell = |x: &Vec3| [0, 1, 2].map(|c: usize| ((x[c] - low[c]) / edge).floor() as i64);
    let mut known: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    let mut names = Vec::with_capacity(vertices.len());
    for (k, x) in all().enumerate() {
        let own = cell(&x);
        let around = (0..27).map(|n: i64| {
            [
                own[0] + n % 3 - 1,
                own[1] + n / 3 % 3 - 1,
                own[2] + n / 9 - 1,
            ]
        });
        let found = around.filter_map(|cell| known.get(&cell)).flatten();
        let is_near = |other: &&usize| (Vec3::from(vertices[**other]) - x).norm() <= edge;
        let found = found.copied().filter(|other| is_near(&other)).min();
        let name = found.unwrap_or(k);
        if name == k {
            known.entry(own).or_default().push(k);
        }
        names.push(name);
    }
    names
}

/// Does every edge run as often in one direction as in the other?
fn check(
    vertices: &[[f64; 3]],
    triangles: &[[usize; 3]],
    names: &[usize],
) -> Result<(), MeshFault> {
    // For each edge from the lower to the higher corner: how often it runs up and down.
    let mut edges: BTreeMap<[usize; 2], [usize; 2]> = BTreeMap::new();
    for t in triangles {
        for k in 0..3 {
            let (from, to) = (names[t[k]], names[t[(k + 1) % 3]]);
            if from != to {
                let key = [from.min(to), from.max(to)];
                edges.entry(key).or_default()[usize::from(from > to)] += 1;
            }
        }
    }
    let mut wrong = edges.iter().filter(|(_, [up, down])| up != down);
    let Some((first, _)) = wrong.clone().next() else {
        return Ok(());
    };
    let place = |key: &[usize; 2]| key.map(|k| vertices[k]);
    let alone = |(_, [up, down]): &(&[usize; 2], &[usize; 2])| up + down == 1;
    match wrong.find(alone) {
        Some((key, _)) => Err(MeshFault::Open {
            edges: edges.iter().filter(alone).count(),
            first: place(key),
        }),
        None => Err(MeshFault::Wound {
            edges: edges.values().filter(|[up, down]| up != down).count(),
            first: place(first),
        }),
    }
}

/// The shell of each triangle: those that are joined by corners.
fn shells(triangles: &[[usize; 3]], names: &[usize]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..names.len()).collect();
    for t in triangles {
        let first = root(&mut parent, names[t[0]]);
        for corner in &t[1..] {
            let other = root(&mut parent, names[*corner]);
            parent[other] = first;
        }
    }
    let mut numbers = BTreeMap::new();
    let number = |t: &[usize; 3]| {
        let own = root(&mut parent, names[t[0]]);
        let next = numbers.len();
        *numbers.entry(own).or_insert(next)
    };
    triangles.iter().map(number).collect()
}

/// The first corner of the shell of a corner, to which the way becomes shorter.
fn root(parent: &mut [usize], mut k: usize) -> usize {
    while parent[k] != k {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    k
}

#[cfg(test)]
mod tests;

//! Control plane: all triangles of a frame in one place, from bodies, links and arrows.

use fixstep_kernel::math::rotation::matrix;
use fixstep_kernel::math::{Mat3, Vec3};

use super::small::{Small, dot, linear, mix};
use super::{Look, Ranges, Tint, address};
use crate::motion::{self, axes, placed};
use crate::scene::{
    ArrowKind, Body, Color, Frame, Link, LinkKind, Mesh, Origin, Pose, Scene, Soft,
};
use crate::solids::{self, axes_along, between, turned_to};

/// What a triangle is made of.
pub(super) struct Material {
    /// In linear light.
    pub(super) color: Small,
    pub(super) opacity: f32,
    /// How much it mirrors the light.
    pub(super) gloss: f32,
    /// Does it throw a shadow? Glass does not.
    pub(super) casts: bool,
    /// Is its colour that of its corners' values?
    pub(super) mapped: bool,
    /// Is it closed, so that its inner sides are never seen?
    pub(super) closed: bool,
    /// Is it seen through everything, as arrows are?
    pub(super) over: bool,
}

/// A triangle.
pub(super) struct Triangle {
    pub(super) corners: [u32; 3],
    pub(super) material: u32,
}

/// Triangles of a frame, in metres from the middle of the view along the axes of ground.
#[derive(Default)]
pub(super) struct Geometry {
    pub(super) points: Vec<Small>,
    pub(super) normals: Vec<Small>,
    /// From 0 to 1, for the scale of colours.
    pub(super) values: Vec<f32>,
    pub(super) triangles: Vec<Triangle>,
    pub(super) materials: Vec<Material>,
    origin: Vec3,
}

/// Where a mesh stands: turned, moved and scaled along its own axes.
struct At {
    turn: Mat3,
    position: Vec3,
    scale: [f64; 3],
}

/// The colours of links.
pub(crate) struct LinkColors {
    pub(crate) spring: Color,
    pub(crate) tube: Color,
    pub(crate) rod: Color,
    pub(crate) rope: Color,
    pub(crate) line: Color,
}

/// The colours of links.
pub(crate) const LINK_COLORS: LinkColors = LinkColors {
    spring: [201, 138, 43],
    tube: [78, 88, 104],
    rod: [196, 202, 210],
    rope: [122, 104, 82],
    line: [126, 132, 142],
};
/// The longest arrow, in sizes of the mechanism.
const MOST_ARROW: f64 = 0.6;
pub(super) const FORCE: Color = [224, 138, 0];
pub(super) const REACTION: Color = [15, 147, 115];
pub(super) const TORQUE: Color = [122, 95, 196];

impl Geometry {
    /// What is seen of a scene, around a point.
    pub(super) fn of(
        scene: &Scene,
        frame: &Frame,
        look: &Look,
        ranges: &Ranges,
        origin: Vec3,
    ) -> Self {
        let mut all = Geometry {
            origin,
            ..Geometry::default()
        };
        for (number, body) in scene.bodies.iter().enumerate() {
            all.body(scene, frame, number, body, look, ranges);
        }
        if look.links {
            for (link, lengths) in scene.links.iter().zip(&ranges.lengths) {
                all.link(scene, frame, link, lengths, look.deformation);
            }
        }
        if look.arrows {
            all.arrows(scene, frame, look, ranges);
        }
        all
    }

    /// Leaves only what is above a height along a direction of length 1.
    pub(super) fn cut(&mut self, up: Small, height: f32) {
        for triangle in std::mem::take(&mut self.triangles) {
            let above = triangle
                .corners
                .map(|k| dot(self.points[k as usize], up) - height);
            if above.iter().all(|d| *d >= 0.0) {
                self.triangles.push(triangle);
                continue;
            }
            let mut kept = Vec::with_capacity(4);
            for k in 0..3 {
                let n = (k + 1) % 3;
                let (a, b) = (triangle.corners[k], triangle.corners[n]);
                if above[k] >= 0.0 {
                    kept.push(a);
                }
                if (above[k] >= 0.0) != (above[n] >= 0.0) {
                    kept.push(self.between(a, b, above[k] / (above[k] - above[n])));
                }
            }
            for k in 2..kept.len() {
                self.triangles.push(Triangle {
                    corners: [kept[0], kept[k - 1], kept[k]],
                    material: triangle.material,
                });
            }
        }
    }

    /// A new corner between two: its number.
    pub(super) fn between(&mut self, a: u32, b: u32, part: f32) -> u32 {
        let (a, b) = (a as usize, b as usize);
        self.points.push(mix(self.points[a], self.points[b], part));
        self.normals
            .push(mix(self.normals[a], self.normals[b], part));
        self.values
            .push(self.values[a] + (self.values[b] - self.values[a]) * part);
        self.points.len() as u32 - 1
    }

    fn body(
        &mut self,
        scene: &Scene,
        frame: &Frame,
        number: usize,
        body: &Body,
        look: &Look,
        ranges: &Ranges,
    ) {
        let of_body = axes(frame, number);
        for solid in &body.solids {
            if look.hidden.contains(&solid.origin) || solid.opacity <= 0.0 {
                continue;
            }
            let (turn, position) = placed(&of_body, &solid.place);
            let gloss = match solid.origin {
                Origin::Road | Origin::Tyre => 0.05,
                Origin::Joint => 0.5,
                _ => 0.3,
            };
            let material = self.material(solid.color.unwrap_or(body.color), solid.opacity, gloss);
            let made = &mut self.materials[material as usize];
            made.casts = solid.origin != Origin::Road && solid.opacity > 0.6;
            made.closed = ranges
                .closed
                .get(&address(&solid.mesh))
                .copied()
                .unwrap_or(false);
            let scale = solid.scale;
            self.mesh(
                &solid.mesh,
                &At {
                    turn,
                    position,
                    scale,
                },
                material,
                None,
            );
        }
        if let (Some(soft), Some(pose)) = (&body.soft, frame.poses.get(number)) {
            let at = At {
                turn: of_body.0,
                position: of_body.1,
                scale: [1.0; 3],
            };
            let sizes = [ranges.top, 0.006 * scene.size];
            self.soft(soft, pose, &at, body.color, look, sizes);
        }
    }

    /// A flexible body, with the value of the last colour and the thickness of its lines.
    fn soft(
        &mut self,
        soft: &Soft,
        pose: &Pose,
        at: &At,
        color: Color,
        look: &Look,
        [top, thick]: [f64; 2],
    ) {
        let moves = motion::displacements(soft, pose);
        let mesh = motion::deformed(soft, &moves, look.deformation);
        let values = match look.tint {
            Tint::Body => None,
            Tint::Displacement => Some(moves.iter().map(Vec3::norm).collect()),
            Tint::Stress => motion::von_mises(soft, pose),
        };
        let values: Option<Vec<f32>> = values.map(|values: Vec<f64>| {
            let top = if top > 0.0 { top } else { 1.0 };
            values.iter().map(|v| (v / top) as f32).collect()
        });
        let material = self.material(color, 1.0, 0.25);
        self.materials[material as usize].mapped = values.is_some();
        self.materials[material as usize].closed = false;
        self.mesh(&mesh, at, material, values.as_deref());
        // Lines have no stresses.
        let values = values.filter(|values| values.len() == moves.len());
        let material = self.material(color, 1.0, 0.25);
        self.materials[material as usize].mapped = values.is_some();
        let mut first = soft.mesh.points.len();
        for line in &soft.lines {
            let moved =
                |(p, by): (&[f32; 3], &Vec3)| Vec3::from(p.map(f64::from)) + by * look.deformation;
            let points: Vec<Vec3> = line.iter().zip(&moves[first..]).map(moved).collect();
            for (k, pair) in points.windows(2).enumerate() {
                // There may be many: a tube for each stretch has few sides.
                let tube = solids::sweep(pair, thick, 6);
                let nearer = |p: &[f32; 3]| {
                    let p = Vec3::from(p.map(f64::from));
                    first + k + usize::from((p - pair[1]).norm() < (p - pair[0]).norm())
                };
                let own = values.as_ref().map(|values| {
                    let of = tube.points.iter().map(|p| values[nearer(p)]);
                    of.collect::<Vec<f32>>()
                });
                self.mesh(&tube, at, material, own.as_deref());
            }
            first += line.len();
        }
    }

    fn material(&mut self, color: Color, opacity: f64, gloss: f32) -> u32 {
        self.materials.push(Material {
            color: linear(color),
            opacity: opacity.clamp(0.0, 1.0) as f32,
            gloss,
            casts: true,
            mapped: false,
            closed: true,
            over: false,
        });
        self.materials.len() as u32 - 1
    }

    fn mesh(&mut self, mesh: &Mesh, at: &At, material: u32, values: Option<&[f32]>) {
        let first = self.points.len() as u32;
        let from = at.position - self.origin;
        // normals of a scaled surface go with the inverse of the scale
        let scaled = |k: usize, f: f64| at.turn.column(k) * f;
        let grown: [Vec3; 3] = std::array::from_fn(|k| scaled(k, at.scale[k]));
        let shrunk: [Vec3; 3] = std::array::from_fn(|k| {
            let f = at.scale[k];
            scaled(k, if f == 0.0 { 0.0 } else { 1.0 / f })
        });
        let sum = |[x, y, z]: [f32; 3], by: &[Vec3; 3]| {
            by[0] * f64::from(x) + by[1] * f64::from(y) + by[2] * f64::from(z)
        };
        for p in &mesh.points {
            let p = from + sum(*p, &grown);
            self.points.push([p[0] as f32, p[1] as f32, p[2] as f32]);
        }
        for n in &mesh.normals {
            let n = sum(*n, &shrunk).try_normalize(0.0).unwrap_or_default();
            self.normals.push([n[0] as f32, n[1] as f32, n[2] as f32]);
        }
        match values {
            Some(values) => self.values.extend(&values[..mesh.points.len()]),
            None => self.values.resize(self.points.len(), 0.0),
        }
        // a mirrored surface turns its triangles over
        let mirrored = at.scale.iter().product::<f64>() < 0.0;
        self.triangles.extend(mesh.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|k| first + k);
            Triangle {
                corners: if mirrored { [a, c, b] } else { [a, b, c] },
                material,
            }
        }));
    }

    fn link(&mut self, scene: &Scene, frame: &Frame, link: &Link, lengths: &[f64; 2], factor: f64) {
        let points: Vec<Vec3> = link
            .points
            .iter()
            .map(|p| motion::point(frame, p, factor))
            .collect();
        let ([a, .., b], false) = (
            points.as_slice(),
            points.iter().any(|p| !p.iter().all(|x| x.is_finite())),
        ) else {
            return;
        };
        let (radius, length) = (link.radius, (b - a).norm());
        let along = At {
            turn: matrix(&turned_to(&(b - a))),
            position: *a,
            scale: [1.0; 3],
        };
        let ground = At {
            turn: Mat3::identity(),
            position: *a,
            scale: [1.0; 3],
        };
        if matches!(link.kind, LinkKind::Spring | LinkKind::Strut) && length > 0.0 {
            let material = self.material(LINK_COLORS.spring, 1.0, 0.6);
            let wire = 0.11 * radius;
            self.mesh(
                &solids::coil(length, radius - wire, wire, 8),
                &along,
                material,
                None,
            );
        }
        if matches!(link.kind, LinkKind::Damper | LinkKind::Strut) && length > 0.0 {
            let radius = if link.kind == LinkKind::Strut {
                0.55 * radius
            } else {
                radius
            };
            let body = damper_body(lengths, length);
            for (mesh, color) in solids::damper(length, radius, body)
                .iter()
                .zip([LINK_COLORS.tube, LINK_COLORS.rod])
            {
                let material = self.material(color, 1.0, 0.5);
                self.mesh(mesh, &along, material, None);
            }
        }
        if matches!(link.kind, LinkKind::Rope | LinkKind::Line) {
            let from_here: Vec<Vec3> = points.iter().map(|p| p - a).collect();
            let rope = link.kind == LinkKind::Rope;
            let material = self.material(
                if rope {
                    LINK_COLORS.rope
                } else {
                    LINK_COLORS.line
                },
                1.0,
                0.1,
            );
            let thick = radius.max(0.0015 * scene.size);
            for line in if rope {
                vec![from_here]
            } else {
                dashes(&from_here, 0.025 * scene.size)
            } {
                self.mesh(&solids::rope(&line, thick), &ground, material, None);
            }
        }
    }

    fn arrows(&mut self, scene: &Scene, frame: &Frame, look: &Look, ranges: &Ranges) {
        let thick = 0.0055 * scene.size;
        for (k, (arrow, vector)) in scene.arrows.iter().zip(&frame.arrows).enumerate() {
            let vector = Vec3::from(*vector);
            let torque = arrow.kind == ArrowKind::Torque;
            let scale = ranges.arrow_scale(arrow.kind, look, scene.size);
            let length = (vector.norm() * scale).min(MOST_ARROW * scene.size);
            let spot = frame.spots.get(k).copied().flatten();
            let at = spot.map_or_else(
                || motion::point(frame, &arrow.at, look.deformation),
                Vec3::from,
            );
            if !(length > 2.0 * thick && length.is_finite() && at.iter().all(|x| x.is_finite())) {
                continue;
            }
            let color = match (torque, arrow.reaction) {
                (true, _) => TORQUE,
                (false, true) => REACTION,
                (false, false) => FORCE,
            };
            let material = self.material(color, 1.0, 0.3);
            let own = &mut self.materials[material as usize];
            (own.casts, own.over) = (false, true);
            let place = At {
                turn: axes_along(&vector.normalize()),
                position: at,
                scale: [1.0; 3],
            };
            if torque {
                self.mesh(
                    &solids::torque_arrow(0.5 * length, 0.7 * thick),
                    &place,
                    material,
                    None,
                );
            }
            self.mesh(&solids::arrow(length, thick), &place, material, None);
        }
    }
}

/// How long the tube of a damper is, whose length stays within a range: it fits into the shortest.
pub(crate) fn damper_body(lengths: &[f64; 2], now: f64) -> f64 {
    let body = (0.5 * lengths[1]).min(0.8 * lengths[0]);
    body.clamp(0.1 * now, 0.9 * now)
}

/// Stretches of a line with gaps between them.
fn dashes(points: &[Vec3], dash: f64) -> Vec<Vec<Vec3>> {
    let mut out = Vec::new();
    for pair in points.windows(2) {
        let (_, length) = between(&pair[0], &pair[1]);
        let count = ((length / dash / 1.6).round() as usize).clamp(1, 200);
        let step = (pair[1] - pair[0]) / (count as f64 - 0.4).max(0.6);
        for k in 0..count {
            let from = pair[0] + step * k as f64;
            out.push(vec![from, from + step * 0.6]);
        }
    }
    out
}

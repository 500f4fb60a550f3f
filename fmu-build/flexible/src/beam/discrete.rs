//! Control plane: a beam as a chain of rigid segments with massless beams between their centres.
//!
//! Each straight piece of the line is divided into segments of equal length l, each a part with the mass of the beam
//! there. A `beam` of length l connects neighbours within a piece. Where the line turns or the section changes, a
//! `field` connects them, with the compliance of the two half segments in series, about I:
//!
//! ```text
//! K⁻¹ = Hᵀ C₁ H + C₂,   H = (E, 0; r~, E),   r from the corner to I            (BEA-6)
//! ```
//! with C the compliance of a half segment whose other end is held. An end is free, rigid (a fixed joint holds the
//! first segment) or flexible (through half a segment's beam). The lowest frequencies approach those of the beam with
//! the square of the number of segments.

mod into;

pub use into::{Ask, into};

use std::f64::consts::PI;

use fixstep_kernel::math::rotation::{quaternion, skew};
use fixstep_kernel::math::{Mat3, Vec3};
use nalgebra::Matrix6;
use serde::Serialize;

use super::element::Element;
use super::input::{Beams, Damping, Theory};
use super::mesh::axes;

/// Most segments of a chain.
pub const MAX_SEGMENTS: usize = 1000;

/// How an end of the chain is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// Nothing is there.
    #[default]
    Free,
    /// A fixed joint on the first segment.
    Rigid,
    /// A beam from the base to the first segment.
    Flexible,
}

impl std::str::FromStr for End {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "free" => Ok(Self::Free),
            "rigid" => Ok(Self::Rigid),
            "flexible" => Ok(Self::Flexible),
            _ => Err(format!("\"{text}\"; valid: free, rigid, flexible")),
        }
    }
}

/// A model file of a chain.
#[derive(Debug, Serialize)]
pub struct Chain {
    fixstep: u32,
    name: String,
    description: String,
    parts: Vec<Part>,
    markers: Vec<Marker>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joints: Vec<Joint>,
    forces: Vec<Force>,
    outputs: Vec<Output>,
}

#[derive(Debug, Serialize)]
struct Part {
    name: String,
    mass: f64,
    inertia: Inertia,
    position: [f64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    orientation: Option<Orientation>,
}

#[derive(Debug, Serialize)]
struct Inertia {
    xx: f64,
    yy: f64,
    zz: f64,
}

#[derive(Debug, Serialize)]
struct Orientation {
    quaternion: [f64; 4],
}

#[derive(Debug, Serialize)]
struct Marker {
    name: String,
    part: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orientation: Option<Orientation>,
}

#[derive(Debug, Serialize)]
struct Joint {
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
    i: String,
    j: String,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Law {
    Beam {
        length: f64,
        youngs_modulus: f64,
        shear_modulus: f64,
        area: f64,
        ixx: f64,
        iyy: f64,
        izz: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        shear_y: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        shear_z: Option<f64>,
    },
    Field {
        stiffness: Box<[[f64; 6]; 6]>,
        displacement: [f64; 3],
    },
}

#[derive(Debug, Serialize)]
struct Force {
    name: String,
    i: String,
    j: String,
    #[serde(flatten)]
    law: Law,
    #[serde(skip_serializing_if = "Option::is_none")]
    damping_ratio: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Output {
    name: String,
    expression: String,
    unit: String,
}

/// A rigid segment: half of its length as an element, and where it is.
struct Segment {
    half: Element,
    center: Vec3,
    piece: usize,
}

/// Divides beams into `count` segments, with at least one for each piece of the line; the error says what would be
/// valid.
pub fn chain(beams: &Beams, count: usize, ends: [End; 2]) -> Result<Chain, String> {
    if count == 0 || count > MAX_SEGMENTS {
        return Err(format!("{count} segments; valid: 1 to {MAX_SEGMENTS}"));
    }
    for (point, end) in beams
        .points
        .first()
        .into_iter()
        .chain(beams.points.last())
        .zip(ends)
    {
        if point.name.is_none() && end != End::Free {
            let message =
                "an end without a name is to be held; valid: a name for this point, or a free end";
            return Err(message.to_owned());
        }
    }
    let segments = cut(beams, count);
    let mut chain = Chain {
        fixstep: 1,
        name: beams.name.clone(),
        description: format!(
            "{}{}{} rigid segments with beams between them.",
            beams.description,
            if beams.description.is_empty() {
                ""
            } else {
                " "
            },
            segments.len()
        ),
        parts: Vec::new(),
        markers: Vec::new(),
        joints: Vec::new(),
        forces: Vec::new(),
        outputs: Vec::new(),
    };
    let time = beams
        .damping
        .map(|Damping { ratio, frequency }| ratio / (PI * frequency));
    for (k, segment) in segments.iter().enumerate() {
        chain.segment(&beams.name, k, segment);
        if k > 0 {
            chain.link(&beams.name, k, &segments[k - 1], segment, time);
        }
    }
    for (which, end) in ends.into_iter().enumerate() {
        chain.end(beams, &segments, which, end, time);
    }
    for at in 1..beams.points.len() - 1 {
        let before = segments.iter().rposition(|s| s.piece < at).unwrap_or(0);
        chain.point(beams, &segments, at, before);
    }
    Ok(chain)
}

fn cut(beams: &Beams, count: usize) -> Vec<Segment> {
    let total: f64 = (0..beams.segments.len()).map(|k| beams.length(k)).sum();
    let mut segments = Vec::new();
    for (piece, own) in beams.segments.iter().enumerate() {
        let (from, length) = (beams.points[piece].position, beams.length(piece));
        let pieces = ((count as f64 * length / total).round() as usize).max(1);
        let along = beams.points[piece + 1].position - from;
        let step = length / pieces as f64;
        for k in 0..pieces {
            let center = from + along * ((k as f64 + 0.5) / pieces as f64);
            let half = Element {
                nodes: [0, 1],
                start: center,
                axes: axes(&along, &own.z_axis),
                length: 0.5 * step,
                section: own.section,
                material: own.material,
                theory: beams.theory,
            };
            segments.push(Segment {
                half,
                center,
                piece,
            });
        }
    }
    segments
}

fn part(name: &str, k: usize) -> String {
    format!("{name}_{}", k + 1)
}

fn center(name: &str, k: usize) -> String {
    format!("{}_center", part(name, k))
}

fn orientation(axes: &Mat3) -> Option<Orientation> {
    let q = quaternion(axes);
    let identity = (axes - Mat3::identity()).norm() < 1e-15;
    (!identity).then_some(Orientation {
        quaternion: [q[0], q[1], q[2], q[3]],
    })
}

impl Chain {
    fn segment(&mut self, name: &str, k: usize, segment: &Segment) {
        let half = &segment.half;
        let length = 2.0 * half.length;
        let (mass, slice) = (half.line_mass() * length, half.slice() * length);
        let rod = mass * length * length / 12.0;
        self.parts.push(Part {
            name: part(name, k),
            mass,
            inertia: Inertia {
                xx: slice.x,
                yy: slice.y + rod,
                zz: slice.z + rod,
            },
            position: segment.center.into(),
            orientation: orientation(&half.axes),
        });
        self.marker(
            center(name, k),
            part(name, k),
            Vec3::zeros(),
            &Mat3::identity(),
        );
    }

    fn marker(&mut self, name: String, part: String, position: Vec3, axes: &Mat3) {
        self.markers.push(Marker {
            name,
            part,
            node: None,
            position: (position.norm() > 0.0).then_some(position.into()),
            orientation: orientation(axes),
        });
    }

    /// Between segment k − 1 and k.
    fn link(&mut self, name: &str, k: usize, before: &Segment, after: &Segment, time: Option<f64>) {
        let (j, mut i) = (center(name, k - 1), center(name, k));
        let law = if before.piece == after.piece {
            beam(&after.half, 2.0 * after.half.length)
        } else {
            // the axes of J, on I's part
            i = format!("{}_corner", part(name, k));
            let turned = after.half.axes.transpose() * before.half.axes;
            self.marker(i.clone(), part(name, k), Vec3::zeros(), &turned);
            corner(before, after)
        };
        self.forces.push(Force {
            name: format!("{name}_beam_{k}"),
            i,
            j,
            law,
            damping_ratio: time,
        });
    }

    /// The marker of a point, on a segment that ends or begins there.
    fn point(
        &mut self,
        beams: &Beams,
        segments: &[Segment],
        at: usize,
        on: usize,
    ) -> Option<String> {
        let point = &beams.points[at];
        let name = format!("{}_{}", beams.name, point.name.as_deref()?);
        let half = &segments[on].half;
        let place = half.axes.tr_mul(&(point.position - segments[on].center));
        // along the beam, to the last bit
        let place = Vec3::new(half.length.copysign(place.x), 0.0, 0.0);
        self.marker(
            name.clone(),
            part(&beams.name, on),
            place,
            &Mat3::identity(),
        );
        Some(name)
    }

    fn end(
        &mut self,
        beams: &Beams,
        segments: &[Segment],
        which: usize,
        end: End,
        time: Option<f64>,
    ) {
        let (at, on) = [(0, 0), (beams.points.len() - 1, segments.len() - 1)][which];
        let Some(marker) = self.point(beams, segments, at, on) else {
            return;
        };
        let (half, base) = (&segments[on].half, format!("{marker}_base"));
        if end == End::Free {
            for axis in ["x", "y", "z"] {
                self.outputs.push(Output {
                    name: format!("{marker}_{axis}"),
                    expression: format!("D{}({marker})", axis.to_uppercase()),
                    unit: "m".to_owned(),
                });
            }
            return;
        }
        self.marker(
            base.clone(),
            "ground".to_owned(),
            beams.points[at].position,
            &half.axes,
        );
        if end == End::Rigid {
            self.joints.push(Joint {
                name: marker.clone(),
                kind: "fixed",
                i: marker,
                j: base,
            });
            return;
        }
        let middle = center(&beams.name, on);
        let (i, j) = if which == 0 {
            (middle, base)
        } else {
            (base, middle)
        };
        self.forces.push(Force {
            name: format!("{}_beam_{}", beams.name, [0, segments.len()][which]),
            i,
            j,
            law: beam(half, half.length),
            damping_ratio: time,
        });
    }
}

fn beam(half: &Element, length: f64) -> Law {
    let (s, m) = (&half.section, &half.material);
    let shear = |factor: f64| (half.theory == Theory::Timoshenko).then_some(factor);
    Law::Beam {
        length,
        youngs_modulus: m.youngs_modulus,
        shear_modulus: m.shear_modulus,
        area: s.area,
        ixx: s.ixx,
        iyy: s.iyy,
        izz: s.izz,
        shear_y: shear(s.shear_y),
        shear_z: shear(s.shear_z),
    }
}

/// (BEA-6), in the axes of J.
fn corner(before: &Segment, after: &Segment) -> Law {
    let r_wj = before.half.axes;
    let relative = r_wj.tr_mul(&after.half.axes);
    let first = compliance(&before.half, &Mat3::identity());
    let second = compliance(&after.half, &relative);
    // from the corner to I, in the axes of J
    let r = relative.column(0) * after.half.length;
    let mut transfer = Matrix6::identity();
    transfer.fixed_view_mut::<3, 3>(3, 0).copy_from(&skew(&r));
    let whole = transfer.tr_mul(&(first * transfer)) + second;
    // a sum of compliances of beams is positive definite
    let stiffness = whole.try_inverse().unwrap_or_else(Matrix6::zeros);
    let stiffness = (stiffness + stiffness.transpose()) * 0.5;
    Law::Field {
        stiffness: Box::new(stiffness.into()),
        displacement: r_wj.tr_mul(&(after.center - before.center)).into(),
    }
}

/// Displacement of an element's end by loads there, with its beginning held, rotated.
fn compliance(element: &Element, turn: &Mat3) -> Matrix6<f64> {
    let own = element.stiffness();
    let end = own.fixed_view::<6, 6>(6, 6).into_owned();
    // the stiffness of a beam with one end held is positive definite
    let own = end.try_inverse().unwrap_or_else(Matrix6::zeros);
    let mut both = Matrix6::zeros();
    for k in [0, 3] {
        both.fixed_view_mut::<3, 3>(k, k).copy_from(turn);
    }
    both * own * both.transpose()
}

impl Chain {
    /// How many parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// It has no parts; it always has some.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The model file.
    pub fn text(&self) -> String {
        // plain data always has a text
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests;

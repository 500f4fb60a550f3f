//! Data plane: surfaces fixed to J — distance, outward normal and its turn at a place in J's axes.

use crate::math::{Mat3, Vec3};
use crate::model::ContactShape;

/// Closer than this to a centre or an axis \[m\], a surface round it has no normal.
const NOWHERE: f64 = 1e-12;

/// A surface as seen from a place.
pub(super) struct Surface {
    /// s.
    pub(super) distance: f64,
    /// n.
    pub(super) normal: Vec3,
    /// ∂n/∂p.
    pub(super) turn: Mat3,
}

impl Surface {
    /// Of a shape of this size, seen from p.
    pub(super) fn new(shape: &ContactShape, p: &Vec3, size: &Vec3) -> Self {
        let (mask, hollow) = match shape {
            ContactShape::Plane => {
                return Self {
                    distance: p.z,
                    normal: Vec3::z(),
                    turn: Mat3::zeros(),
                };
            }
            ContactShape::Box => return Self::of_box(p, &(size * 0.5)),
            ContactShape::Drum => return Self::of_drum(p, size.x, 0.5 * size.y),
            ContactShape::Sphere { hollow } => (Vec3::new(1.0, 1.0, 1.0), *hollow),
            ContactShape::Cylinder { hollow } => (Vec3::new(1.0, 1.0, 0.0), *hollow),
        };
        let sign = if hollow { -1.0 } else { 1.0 };
        let round = Self::away(&p.component_mul(&mask), &mask);
        Self {
            distance: sign * (round.distance - size.x),
            normal: round.normal * sign,
            turn: round.turn * sign,
        }
    }

    /// At a displacement from the nearest point, which moves with the place along the axes that are 0
    /// in the mask.
    fn away(out: &Vec3, mask: &Vec3) -> Self {
        let length = out.norm();
        let reach = length.max(NOWHERE);
        let n = out / reach;
        Self {
            distance: length,
            normal: n,
            turn: (Mat3::from_diagonal(mask) - n * n.transpose()) / reach,
        }
    }

    /// Of a box with these half edges: from its nearest point, or within it from its nearest face.
    fn of_box(p: &Vec3, half: &Vec3) -> Self {
        let beyond = p.abs() - half;
        let out = beyond.zip_map(p, |b, x| b.max(0.0).copysign(x));
        let outside = Self::away(&out, &beyond.map(|b| f64::from(u8::from(b > 0.0))));
        let face = beyond.imax();
        let mut normal = Vec3::zeros();
        normal[face] = 1.0_f64.copysign(p[face]);
        let inside = Self {
            distance: beyond[face],
            normal,
            turn: Mat3::zeros(),
        };
        if outside.distance > NOWHERE {
            outside
        } else {
            inside
        }
    }

    /// Of a cylinder about z with ends: from its nearest point, or within it from barrel or end,
    /// whichever is nearer.
    fn of_drum(p: &Vec3, radius: f64, half: f64) -> Self {
        let flat = Vec3::new(1.0, 1.0, 0.0);
        let barrel = Self::away(&p.component_mul(&flat), &flat);
        let end = Vec3::new(0.0, 0.0, 1.0_f64.copysign(p.z));
        let (b, e) = (barrel.distance - radius, p.z.abs() - half);
        let (round, beside) = (b > 0.0, e > 0.0);
        let out = barrel.normal * b.max(0.0) + end * e.max(0.0);
        let length = out.norm();
        let reach = length.max(NOWHERE);
        let n = out / reach;
        // How the displacement from the nearest point follows the place.
        let mut follow = Mat3::zeros();
        if round {
            follow += barrel.normal * barrel.normal.transpose() + barrel.turn * b;
        }
        if beside {
            follow[(2, 2)] += 1.0;
        }
        let outside = Self {
            distance: length,
            normal: n,
            turn: (Mat3::identity() - n * n.transpose()) * follow / reach,
        };
        let inside = if b > e {
            Self {
                distance: b,
                ..barrel
            }
        } else {
            Self {
                distance: e,
                normal: end,
                turn: Mat3::zeros(),
            }
        };
        if length > NOWHERE { outside } else { inside }
    }
}

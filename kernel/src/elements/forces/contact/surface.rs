//! Data plane: surfaces fixed to J: distance, outward normal and its derivative at a point in J's axes.

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::curve::SpaceCurve;
use crate::math::mesh::NearestPoint;
use crate::math::{Mat3, Vec3};
use crate::mechanism::ContactShape;

/// Within this distance of a centre or an axis \[m\], the surface around it has no normal.
const NOWHERE: f64 = 1e-12;

/// A distance that stands for infinity \[m\].
pub(super) const FAR: f64 = 1e30;

/// For a surface that is a curve, the parameter of the foot: the nearest of all, or the one near another. For other
/// surfaces 0.
pub(super) fn foot(shape: &ContactShape, p: &Vec3, near: Option<f64>) -> f64 {
    let ContactShape::Curve { curve, .. } = shape else {
        return 0.0;
    };
    let flat = Vec3::new(p.x, p.y, 0.0);
    match near {
        Some(start) => curve.foot(&flat, start),
        None => curve.nearest(&flat),
    }
}

/// Distance and normal of a surface at a point.
pub(super) struct Surface {
    /// s.
    pub(super) distance: f64,
    /// n.
    pub(super) normal: Vec3,
    /// ∂n/∂p.
    pub(super) turn: Mat3,
}

impl Surface {
    /// For a shape of this size, at the centre p of a sphere; for a curve, `foot` is a parameter near that of the
    /// nearest point.
    pub(super) fn new(
        shape: &ContactShape,
        (p, radius): (&Vec3, f64),
        size: &Vec3,
        foot: f64,
    ) -> Self {
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
            ContactShape::Terrain(terrain) => return Self::near(terrain.nearest(p, radius)),
            ContactShape::Mesh(mesh) => return mesh.nearest(p).map_or(Self::NOTHING, Self::near),
            ContactShape::Curve { curve, left } => return Self::of_curve(curve, *left, p, foot),
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

    /// Result if no surface is within reach.
    const NOTHING: Self = Self {
        distance: FAR,
        normal: Vec3::new(0.0, 0.0, 1.0),
        turn: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    fn near(near: NearestPoint) -> Self {
        Self {
            distance: near.distance,
            normal: near.normal,
            turn: near.turn,
        }
    }

    /// For a curve in the xy plane, extruded along z, from its left or its right: n = ± z×t, δs = c′·δp/(c′² − c″·e)
    /// at the foot s.
    fn of_curve(curve: &SpaceCurve, left: bool, p: &Vec3, start: f64) -> Self {
        let p = Vec3::new(p.x, p.y, 0.0);
        let [c, d1, d2, _] = curve.at(curve.foot(&p, start));
        let e = p - c;
        let square = d1.norm_squared();
        let speed = square.sqrt();
        let t = d1 / speed;
        let turned = if left { Vec3::z() } else { -Vec3::z() };
        let normal = turned.cross(&t);
        let bent = turned.cross(&((d2 - t * t.dot(&d2)) / speed));
        let slope = (square - d2.dot(&e)).max(0.25 * square);
        Self {
            distance: normal.dot(&e),
            normal,
            turn: bent * Vec3::new(d1.x, d1.y, 0.0).transpose() / slope,
        }
    }

    /// From the displacement to the nearest point; along the axes that are 0 in the mask that point moves with p.
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

    /// For a box with these half edges: from its nearest point or, inside, from its nearest face.
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

    /// For a cylinder about z with ends: from its nearest point or, inside, from barrel or end, whichever is nearer.
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
        // The derivative of that displacement in p.
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

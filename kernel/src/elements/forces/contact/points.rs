//! Data plane: the points of I's shape that may touch, a fixed number for every shape.
//!
//! ```text
//! sphere:    its centre, with its radius
//! box, hull: its corners b = R b_I,   R = R_Jᵀ R_I
//! curve:     its deepest point (CNT-10)
//! cylinder:  b = ± (L/2) a + r u,  u from w, a×w, −w, −a×w,  w = q/|q|,  q = (n·a) a − n    (CNT-7)
//! ```
//! a is the cylinder's axis, n the normal of the plane; w points to the lowest point of the rim. The other three
//! points lie a quarter of the rim apart. So a cylinder on its end stands on four points, whatever the direction of
//! w.

use super::outline::{self, PosedSurface};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};
use crate::mechanism::ContactBody;

/// Below this sine of the tilt a cylinder stands on its end, and its points are fixed to it.
const UPRIGHT: f64 = 1e-9;

/// A point that may touch.
pub(super) struct Point {
    /// From the origin of I, in J's axes.
    pub(super) b: Vec3,
    /// ∂b/∂φ, φ a small rotation of I in J's axes.
    pub(super) turn: Mat3,
    /// ∂b/∂d, for a point that slides along the shape as the shape moves.
    pub(super) shift: Mat3,
    /// Radius of the sphere about it.
    pub(super) radius: f64,
}

/// Number of points of a shape.
pub(super) fn count(body: &ContactBody) -> usize {
    match body {
        ContactBody::Sphere | ContactBody::Curve(_) => 1,
        ContactBody::Box | ContactBody::Cylinder => 8,
        ContactBody::Hull(points) => points.len(),
    }
}

/// Point k of a shape of this size, over a surface; for a curve, `start` is a parameter near that of the deepest
/// point.
pub(super) fn point(
    body: &ContactBody,
    (k, start): (usize, f64),
    size: &Vec3,
    posed: &PosedSurface<'_>,
) -> Point {
    let axes = posed.axes;
    match body {
        ContactBody::Curve(curve) => outline::point(curve, posed, start),
        ContactBody::Sphere => Point {
            b: Vec3::zeros(),
            turn: Mat3::zeros(),
            shift: Mat3::zeros(),
            radius: size.x,
        },
        ContactBody::Box => {
            let sign = |bit: usize| if k & bit == 0 { -0.5 } else { 0.5 };
            fixed(axes * size.component_mul(&Vec3::new(sign(1), sign(2), sign(4))))
        }
        ContactBody::Hull(points) => fixed(axes * points[k]),
        ContactBody::Cylinder => on_rim(k, size, axes),
    }
}

/// A point fixed to I.
fn fixed(b: Vec3) -> Point {
    Point {
        b,
        turn: -skew(&b),
        shift: Mat3::zeros(),
        radius: 0.0,
    }
}

/// (CNT-7), for a plane with the normal z.
fn on_rim(k: usize, size: &Vec3, axes: &Mat3) -> Point {
    let half = if k < 4 { -0.5 } else { 0.5 } * size.y;
    let a = axes.column(2).into_owned();
    let n = Vec3::z();
    let q = a * a.z - n;
    let tilt = q.norm();
    let a_turn = -skew(&a);
    let leaning = {
        let w = q / tilt.max(UPRIGHT);
        let q_turn = (a * n.transpose() + Mat3::identity() * a.z) * a_turn;
        let w_turn = (Mat3::identity() - w * w.transpose()) * q_turn / tilt.max(UPRIGHT);
        (w, w_turn)
    };
    let x = axes.column(0).into_owned();
    let upright = (x, -skew(&x));
    let (w, w_turn) = if tilt > UPRIGHT { leaning } else { upright };
    let across = (a.cross(&w), skew(&a) * w_turn - skew(&w) * a_turn);
    let (u, u_turn) = if k & 1 == 0 { (w, w_turn) } else { across };
    let reach = if k & 2 == 0 { size.x } else { -size.x };
    Point {
        b: a * half + u * reach,
        turn: a_turn * half + u_turn * reach,
        shift: Mat3::zeros(),
        radius: 0.0,
    }
}

//! Two normals of a curve with minimal rotation along it, with two derivatives.
//!
//! ```text
//! n₁ = (r − (r·t) t)/|r − (r·t) t|,   n₂ = t × n₁,   t = c′/|c′|                   (CRV-2)
//! ```
//! r is a direction across the curve. When the curve is built, double reflection transports r along it without twist
//! (Wang, Jüttler, Zheng and Liu, ACM Trans. Graph. 27, 2008); between the knots r is interpolated. The twist that
//! accumulates along a closed curve is distributed over its length. For a plane curve r, and with it n₁, is the
//! normal of the plane.

use super::through::places;
use super::{Piece, SpaceCurve};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::{Vec3, atan2, held, sincos};
use alloc::vec;
use alloc::vec::Vec;

/// Parts of a piece, for the transport of r.
const PARTS: usize = 8;

/// n₁ and n₂, each with first and second derivative in the parameter.
pub type Normals = [[Vec3; 3]; 2];

/// A vector, or a number, with two derivatives.
type Jet<T> = [T; 3];

impl SpaceCurve {
    /// The normals at a parameter, (CRV-2).
    pub fn normals(&self, s: f64) -> Normals {
        let [_, d1, d2, d3] = self.at(s);
        let t = unit(&[d1, d2, d3]);
        let r = self.reference(s);
        let along = dot(&r, &t);
        let across: Jet<Vec3> = {
            let part = scaled(&along, &t);
            core::array::from_fn(|k| r[k] - part[k])
        };
        let n1 = unit(&across);
        [n1, cross(&t, &n1)]
    }

    /// r between the knots, by a cubic Hermite polynomial; constant beyond the ends.
    fn reference(&self, s: f64) -> Jet<Vec3> {
        let (s, _) = self.wrapped(s);
        let (first, last) = self.range();
        let k = self.piece(s);
        let inside = held(s, first, last);
        let (h, t) = (self.knots[k + 1] - self.knots[k], inside - self.knots[k]);
        let ([a, slope_a], [b, slope_b]) = (&self.references[k], &self.references[k + 1]);
        let mean = (b - a) / h;
        let c2 = (mean * 3.0 - slope_a * 2.0 - slope_b) / h;
        let c3 = (slope_a + slope_b - mean * 2.0) / (h * h);
        let stays = !self.closed && inside != s;
        let moves = if stays { 0.0 } else { 1.0 };
        [
            a + (slope_a + (c2 + c3 * t) * t) * t,
            (slope_a + (c2 * 2.0 + c3 * (3.0 * t)) * t) * moves,
            (c2 * 2.0 + c3 * (6.0 * t)) * moves,
        ]
    }
}

/// r at all knots, with its derivatives.
pub(super) fn references(knots: &[f64], pieces: &[Piece], closed: bool) -> Vec<[Vec3; 2]> {
    let width = |k: usize| knots[k + 1] - knots[k];
    let mut r = vec![first_direction(pieces, &width)];
    for (k, piece) in pieces.iter().enumerate() {
        let way = places(piece, width(k), PARTS);
        let carried = way.windows(2).fold(r[k], |r, ends| reflected(&r, ends));
        r.push(carried);
    }
    let whole = knots[pieces.len()] - knots[0];
    let end = |k: usize| {
        let piece = &pieces[k.min(pieces.len() - 1)];
        let at = if k < pieces.len() { 0.0 } else { width(k - 1) };
        super::evaluate(piece, at)
    };
    // The rotation of r about the tangent after one round.
    let mut twist = 0.0;
    if closed {
        let t = end(0)[1].normalize();
        let home = r[pieces.len()];
        twist = atan2(t.dot(&r[0].cross(&home)), r[0].dot(&home)) / whole;
    }
    (0..=pieces.len())
        .map(|k| {
            let [_, d1, d2, _] = end(k);
            let t = d1.normalize();
            let (sine, cosine) = sincos(-twist * (knots[k] - knots[0]));
            let turned = r[k] * cosine + t.cross(&r[k]) * sine;
            let slope = d1 * (-turned.dot(&d2) / d1.norm_squared()) - t.cross(&turned) * twist;
            [turned, slope]
        })
        .collect()
}

/// The normal of the first bend's plane, or any direction across a straight line.
fn first_direction(pieces: &[Piece], width: &dyn Fn(usize) -> f64) -> Vec3 {
    let tangent = pieces[0][1].normalize();
    let mut best = Vec3::zeros();
    for (k, piece) in pieces.iter().enumerate() {
        for (_, t) in places(piece, width(k), PARTS) {
            let normal = tangent.cross(&t);
            if normal.norm() > 0.1 {
                return normal.normalize();
            }
            if normal.norm() > best.norm() {
                best = normal;
            }
        }
    }
    if best.norm() > 1e-9 {
        return best.normalize();
    }
    let axes = [Vec3::z(), Vec3::y()];
    let across = if tangent.z.abs() < 0.9 {
        axes[0]
    } else {
        axes[1]
    };
    (across - tangent * tangent.dot(&across)).normalize()
}

/// Transports r from one point to the next by two reflections: one maps the point, the other the tangent.
fn reflected(r: &Vec3, ends: &[(Vec3, Vec3)]) -> Vec3 {
    let ((p, t), (q, u)) = (ends[0], ends[1]);
    let mirror = |v: &Vec3, normal: &Vec3| {
        let square = normal.norm_squared();
        if square > 0.0 {
            v - normal * (2.0 * normal.dot(v) / square)
        } else {
            *v
        }
    };
    let way = q - p;
    let (r, t) = (mirror(r, &way), mirror(&t, &way));
    let carried = mirror(&r, &(u - t));
    (carried - u * u.dot(&carried)).normalize()
}

fn dot(a: &Jet<Vec3>, b: &Jet<Vec3>) -> Jet<f64> {
    [
        a[0].dot(&b[0]),
        a[1].dot(&b[0]) + a[0].dot(&b[1]),
        a[2].dot(&b[0]) + 2.0 * a[1].dot(&b[1]) + a[0].dot(&b[2]),
    ]
}

fn cross(a: &Jet<Vec3>, b: &Jet<Vec3>) -> Jet<Vec3> {
    [
        a[0].cross(&b[0]),
        a[1].cross(&b[0]) + a[0].cross(&b[1]),
        a[2].cross(&b[0]) + a[1].cross(&b[1]) * 2.0 + a[0].cross(&b[2]),
    ]
}

fn scaled(k: &Jet<f64>, v: &Jet<Vec3>) -> Jet<Vec3> {
    [
        v[0] * k[0],
        v[0] * k[1] + v[1] * k[0],
        v[0] * k[2] + v[1] * (2.0 * k[1]) + v[2] * k[0],
    ]
}

/// v/|v|.
fn unit(v: &Jet<Vec3>) -> Jet<Vec3> {
    let [q, q1, q2] = dot(v, v);
    let f = 1.0 / q.sqrt();
    let f1 = -0.5 * f / q * q1;
    let f2 = 0.75 * f / (q * q) * q1 * q1 - 0.5 * f / q * q2;
    scaled(&[f, f1, f2], v)
}

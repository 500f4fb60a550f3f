//! Data plane: finds the point of a plane curve on I that lies deepest in a surface.
//!
//! The outline c(s), rotated to the axes of J, touches at its deepest point, where its tangent is parallel to the
//! surface. With T = R c′, n the normal at p = d + R c, H = ∂n/∂p,
//!
//! ```text
//! n·T = 0,   D = T·H T + n·R c″ > 0                                        (CNT-10)
//! δs = −[T·H (δd + φ×R c) + n·(φ×T)] / D                                    (CNT-11)
//! ```
//! Newton's method solves (CNT-10) with a fixed number of steps from the remembered point. At each accepted state the
//! whole outline is searched for that point.

use super::points::Point;
use super::surface::{Surface, foot};
use crate::elements::forces::relative::Relative;
use crate::math::curve::SpaceCurve;
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3, held};
use crate::mechanism::ContactShape;

/// Number of Newton steps; fixed work.
const STEPS: usize = 10;
/// Number of points examined along the outline: per piece, and its limits.
const PER_PIECE: usize = 4;
const LEAST: usize = 16;
const MOST: usize = 64;
/// D is at least this fraction of the summed magnitudes of its terms: two outlines that fit into each other have no
/// deepest point.
const PART: f64 = 0.05;
/// Least curvature, relative to the inverse length of the outline: a straight piece along a straight surface has no
/// deepest point either.
const FLATTEST: f64 = 1e-3;

/// A surface, and the pose of the shape over it.
#[derive(Clone, Copy)]
pub(super) struct PosedSurface<'a> {
    pub(super) shape: &'a ContactShape,
    /// Sizes of the surface.
    pub(super) size: &'a Vec3,
    pub(super) relative: &'a Relative,
    /// R.
    pub(super) axes: &'a Mat3,
    /// Start value for the foot, if the surface is a curve.
    pub(super) foot: f64,
}

impl PosedSurface<'_> {
    /// The surface as seen from a point of I, in J's axes from the origin of I.
    fn surface(&self, b: &Vec3) -> Surface {
        let p = self.relative.place[0] + b;
        Surface::new(self.shape, (&p, 0.0), self.size, self.foot)
    }

    /// The same with an updated foot for such a point: the nearest of all, or the one near the present foot.
    fn stepped(self, b: &Vec3, anew: bool) -> Self {
        let p = self.relative.place[0] + b;
        let foot = foot(self.shape, &p, (!anew).then_some(self.foot));
        Self { foot, ..self }
    }
}

/// A point on the outline.
struct OutlinePoint {
    /// R c.
    b: Vec3,
    /// T.
    along: Vec3,
    surface: Surface,
    /// n·T.
    slope: f64,
    /// D.
    bend: f64,
}

fn outline_point(curve: &SpaceCurve, posed: &PosedSurface<'_>, s: f64) -> OutlinePoint {
    let [b, along, bent, _] = curve.at(s).map(|v| posed.axes * v);
    let surface = posed.surface(&b);
    let own = surface.normal.dot(&bent);
    let others = along.dot(&(surface.turn * along));
    let flattest = FLATTEST * along.norm_squared() / curve.length();
    let least = (PART * (own.abs() + others.abs())).max(flattest);
    OutlinePoint {
        b,
        along,
        slope: surface.normal.dot(&along),
        bend: (own + others).max(least),
        surface,
    }
}

/// The parameter of the deepest point near a parameter.
fn settle(curve: &SpaceCurve, posed: &PosedSurface<'_>, start: f64) -> f64 {
    let (first, last) = curve.range();
    let reach = (last - first) / count(curve) as f64;
    let mut s = start;
    for _ in 0..STEPS {
        let at = outline_point(curve, posed, s);
        s -= held(at.slope / at.bend, -reach, reach);
        if !curve.is_closed() {
            s = held(s, first, last);
        }
    }
    s
}

/// The deepest point near a parameter, as a point of I that slides along the outline.
pub(super) fn point(curve: &SpaceCurve, posed: &PosedSurface<'_>, start: f64) -> Point {
    let s = settle(curve, posed, start);
    let at = outline_point(curve, posed, s);
    let (first, last) = curve.range();
    // At an end of the outline it does not slide.
    let free = curve.is_closed() || (s > first && s < last);
    let follow = if free {
        -at.along / at.bend
    } else {
        Vec3::zeros()
    };
    let turn = -skew(&at.b);
    let by_place = at.along.transpose() * at.surface.turn;
    let by_turn = by_place * turn - at.surface.normal.transpose() * skew(&at.along);
    Point {
        b: at.b,
        turn: turn + follow * by_turn,
        shift: follow * by_place,
        radius: 0.0,
    }
}

/// The memory of a contact: the foot, if the surface is a curve, and the parameter of the deepest of all points.
pub(super) fn deepest(curve: &SpaceCurve, posed: &PosedSurface<'_>) -> [f64; 2] {
    let (first, last) = curve.range();
    let count = count(curve);
    let mut walk = *posed;
    let (mut least, mut best) = (f64::INFINITY, (*posed, first));
    for k in 0..=count {
        let s = first + (last - first) * (k as f64 / count as f64);
        let b = posed.axes * curve.at(s)[0];
        walk = walk.stepped(&b, k == 0);
        let distance = walk.surface(&b).distance;
        if distance < least {
            (least, best) = (distance, (walk, s));
        }
    }
    let (near, s) = best;
    let s = settle(curve, &near, s);
    [near.stepped(&(posed.axes * curve.at(s)[0]), false).foot, s]
}

/// Number of points examined along an outline.
fn count(curve: &SpaceCurve) -> usize {
    (PER_PIECE * curve.pieces()).clamp(LEAST, MOST)
}

//! Data plane: the place of a plane curve on I that is deepest in a surface.
//!
//! The outline c(s), turned into the axes of J, touches where it is deepest: its tangent lies in the
//! surface. With T = R c′, n the normal at p = d + R c, H = ∂n/∂p,
//!
//! ```text
//! n·T = 0,   D = T·H T + n·R c″ > 0                                        (CNT-10)
//! δs = −[T·H (δd + φ×R c) + n·(φ×T)] / D                                    (CNT-11)
//! ```
//! (CNT-10) is solved by Newton's method, as many steps for every state, from the place that is
//! remembered of the last accepted state; there it is looked for along the whole outline.

use super::points::Point;
use super::surface::{Surface, foot};
use crate::elements::forces::relative::Relative;
use crate::math::curve::SpaceCurve;
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3, held};
use crate::mechanism::ContactShape;

/// Newton steps, always so many.
const STEPS: usize = 10;
/// Places that are looked at along the outline: so many of each piece, within these limits.
const PER_PIECE: usize = 4;
const LEAST: usize = 16;
const MOST: usize = 64;
/// D is at least this part of the sum of its terms' sizes: of two outlines that fit into one another
/// no place is the deepest.
const PART: f64 = 0.05;
/// Least curvature that counts, over the inverse of the outline's length: of what is straight along a
/// straight surface no place is the deepest either.
const FLATTEST: f64 = 1e-3;

/// The surface that a shape is over, and how the shape lies.
#[derive(Clone, Copy)]
pub(super) struct Over<'a> {
    pub(super) shape: &'a ContactShape,
    /// Sizes of the surface.
    pub(super) size: &'a Vec3,
    pub(super) relative: &'a Relative,
    /// R.
    pub(super) axes: &'a Mat3,
    /// Parameter of the foot on a surface that is a curve, near the right one.
    pub(super) foot: f64,
}

impl Over<'_> {
    /// The surface as seen from a point of I, in J's axes from the origin of I.
    fn surface(&self, b: &Vec3) -> Surface {
        let p = self.relative.place[0] + b;
        Surface::new(self.shape, (&p, 0.0), self.size, self.foot)
    }

    /// The same with the foot near such a point: the nearest of all, or that near the present one.
    fn stepped(self, b: &Vec3, anew: bool) -> Self {
        let p = self.relative.place[0] + b;
        let foot = foot(self.shape, &p, (!anew).then_some(self.foot));
        Self { foot, ..self }
    }
}

/// A place on the outline.
struct Place {
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

fn place(curve: &SpaceCurve, over: &Over<'_>, s: f64) -> Place {
    let [b, along, bent, _] = curve.at(s).map(|v| over.axes * v);
    let surface = over.surface(&b);
    let own = surface.normal.dot(&bent);
    let others = along.dot(&(surface.turn * along));
    let flattest = FLATTEST * along.norm_squared() / curve.length();
    let least = (PART * (own.abs() + others.abs())).max(flattest);
    Place {
        b,
        along,
        slope: surface.normal.dot(&along),
        bend: (own + others).max(least),
        surface,
    }
}

/// The parameter of the deepest place near a parameter.
fn settle(curve: &SpaceCurve, over: &Over<'_>, start: f64) -> f64 {
    let (first, last) = curve.range();
    let reach = (last - first) / count(curve) as f64;
    let mut s = start;
    for _ in 0..STEPS {
        let place = place(curve, over, s);
        s -= held(place.slope / place.bend, -reach, reach);
        if !curve.is_closed() {
            s = held(s, first, last);
        }
    }
    s
}

/// The deepest place near a parameter, as a point of I that slides along the outline.
pub(super) fn point(curve: &SpaceCurve, over: &Over<'_>, start: f64) -> Point {
    let s = settle(curve, over, start);
    let place = place(curve, over, s);
    let (first, last) = curve.range();
    // At an end it stays.
    let free = curve.is_closed() || (s > first && s < last);
    let follow = if free {
        -place.along / place.bend
    } else {
        Vec3::zeros()
    };
    let turn = -skew(&place.b);
    let by_place = place.along.transpose() * place.surface.turn;
    let by_turn = by_place * turn - place.surface.normal.transpose() * skew(&place.along);
    Point {
        b: place.b,
        turn: turn + follow * by_turn,
        shift: follow * by_place,
        radius: 0.0,
    }
}

/// What is to be remembered: the foot on a surface that is a curve, and the parameter, of the deepest of
/// all places.
pub(super) fn deepest(curve: &SpaceCurve, over: &Over<'_>) -> [f64; 2] {
    let (first, last) = curve.range();
    let count = count(curve);
    let mut walk = *over;
    let (mut least, mut best) = (f64::INFINITY, (*over, first));
    for k in 0..=count {
        let s = first + (last - first) * (k as f64 / count as f64);
        let b = over.axes * curve.at(s)[0];
        walk = walk.stepped(&b, k == 0);
        let distance = walk.surface(&b).distance;
        if distance < least {
            (least, best) = (distance, (walk, s));
        }
    }
    let (near, s) = best;
    let s = settle(curve, &near, s);
    [near.stepped(&(over.axes * curve.at(s)[0]), false).foot, s]
}

/// Places that are looked at along an outline.
fn count(curve: &SpaceCurve) -> usize {
    (PER_PIECE * curve.pieces()).clamp(LEAST, MOST)
}

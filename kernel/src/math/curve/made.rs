//! Control plane: makes curves of points and of derivatives, if these are fit for it.

use super::SpaceCurve;
use crate::math::Vec3;
use alloc::vec::Vec;

/// Neighbouring points that are nearer than this part of the curve's size coincide.
const APART: f64 = 1e-12;
/// How accurately the ends of a closed curve must meet, relative to its size.
const JOINED: f64 = 1e-9;

/// Why there is no curve.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum CurveFault {
    /// Too few points.
    #[error("{count} points; {kind} curve needs {least} or more", kind = if *.closed { "a closed" } else { "an open" })]
    Few {
        /// How many.
        count: usize,
        /// How many it needs.
        least: usize,
        /// Is it closed?
        closed: bool,
    },
    /// A point is where the one before it is, counted from 1.
    #[error("the points {} and {} coincide; leave one out", .0, .0 + 1)]
    Coincide(usize),
    /// Not finite at a value of the parameter.
    #[error("at s = {0} the curve, or one of its first two derivatives, is not finite")]
    NotFinite(f64),
    /// No direction there.
    #[error(
        "at s = {0} the curve does not move: the derivatives of x, y and z are zero there, and it has no direction; choose \
         another parameter, or end it before that place"
    )]
    Rests(f64),
    /// Its end is not its beginning.
    #[error(
        "the curve does not end where, and with the slope with which, it begins; correct \"from\" and \"to\", or leave this out"
    )]
    Open,
    /// The end of the parameter is not beyond its beginning.
    #[error("must be more than \"from\", {from}; found {to}")]
    Backwards {
        /// The beginning.
        from: f64,
        /// The end.
        to: f64,
    },
}

/// The largest distance from the first point.
fn extent<'a>(places: impl Iterator<Item = &'a Vec3> + Clone) -> f64 {
    let mut all = places.clone();
    let Some(first) = all.next() else {
        return f64::MIN_POSITIVE;
    };
    let far = |p: &Vec3| (p - first).norm();
    places.map(far).fold(f64::MIN_POSITIVE, f64::max)
}

impl SpaceCurve {
    /// A curve through points, if it has enough of them and none is twice. A closed one may or may not repeat its first
    /// point.
    pub fn of_points(mut places: Vec<Vec3>, closed: bool) -> Result<Self, CurveFault> {
        let coincide = |a: &Vec3, b: &Vec3, size: f64| (a - b).norm() <= APART * size;
        let size = extent(places.iter());
        if closed && places.len() > 1 && coincide(&places[0], &places[places.len() - 1], size) {
            places.pop();
        }
        let least = if closed { 3 } else { 2 };
        if places.len() < least {
            let count = places.len();
            return Err(CurveFault::Few {
                count,
                least,
                closed,
            });
        }
        let mut pairs = places.windows(2);
        match pairs.position(|pair| coincide(&pair[0], &pair[1], size)) {
            Some(k) => Err(CurveFault::Coincide(k + 1)),
            None => Ok(Self::through(&places, closed)),
        }
    }

    /// A curve of places with their two derivatives at knots, if it is finite, in motion everywhere, and joined where it
    /// is closed.
    pub fn of_places(
        knots: Vec<f64>,
        places: &[[Vec3; 3]],
        closed: bool,
    ) -> Result<Self, CurveFault> {
        let finite = |p: &[Vec3; 3]| p.iter().all(|v| v.iter().all(|x| x.is_finite()));
        if let Some(k) = places.iter().position(|p| !finite(p)) {
            return Err(CurveFault::NotFinite(knots[k]));
        }
        let size = extent(places.iter().map(|p| &p[0]));
        let whole = knots[knots.len() - 1] - knots[0];
        let rests = |p: &[Vec3; 3]| p[1].norm() * whole <= 1e-6 * size;
        if let Some(k) = places.iter().position(rests) {
            return Err(CurveFault::Rests(knots[k]));
        }
        let (begin, end) = (&places[0], &places[places.len() - 1]);
        let joined = (begin[0] - end[0]).norm() <= JOINED * size
            && (begin[1] - end[1]).norm() * whole <= 1e3 * JOINED * size;
        if closed && !joined {
            return Err(CurveFault::Open);
        }
        Ok(Self::of_derivatives(knots, places, closed))
    }
}

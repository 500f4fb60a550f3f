//! Curves in space and in the plane. They are built once (control plane); evaluation with three derivatives, and the
//! search for the foot of a perpendicular, have a fixed cost (data plane).
//!
//! A curve is a chain of polynomials of its parameter, with continuous second derivatives:
//!
//! ```text
//! c(s) = Σ cₖ (s − sᵢ)ᵏ,   k = 0 … 5,   sᵢ ≤ s < sᵢ₊₁                            (CRV-1)
//! ```
//! Curves through points are cubics over chord length (with natural ends, unless closed). Curves given by an
//! expression are quintics through its values, first and second derivatives. An open curve continues along its
//! tangents beyond its ends; the parameter of a closed curve counts rounds.

mod frame;
mod made;
mod through;

pub use frame::Normals;
pub use made::CurveFault;

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::spline::{increase, place};
use crate::math::{Vec3, held};
use alloc::boxed::Box;
use serde::{Deserialize, Serialize};

/// Number of Newton steps to the foot of a perpendicular; fixed work.
const STEPS: usize = 8;
/// Points of each piece that a search without a start value examines.
const SAMPLES: usize = 8;
/// Abscissas and weights of eight-point Gauss quadrature on (0, 1), symmetric about ½.
const GAUSS: [(f64, f64); 4] = [
    (0.019_855_071_751_231_884, 0.050_614_268_145_188_13),
    (0.101_666_761_293_186_63, 0.111_190_517_226_687_24),
    (0.237_233_795_041_835_5, 0.156_853_322_938_943_64),
    (0.408_282_678_752_175_1, 0.181_341_891_689_180_98),
];

/// Coefficients of a piece, the constant first.
type Piece = [Vec3; 6];

/// A point of a curve with its first, second and third derivative in the parameter.
pub type Point = [Vec3; 4];

/// A curve in its own frame \[m\].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpaceCurve {
    /// Parameters at the beginning of each piece, and at the end of the last.
    knots: Box<[f64]>,
    pieces: Box<[Piece]>,
    /// A direction across the curve at each knot, with its derivative.
    references: Box<[[Vec3; 2]]>,
    /// Arc length up to each knot \[m\].
    lengths: Box<[f64]>,
    closed: bool,
}

impl SpaceCurve {
    /// Is the curve valid: as many numbers as its pieces need, increasing knots, and all numbers finite?
    pub fn is_sound(&self) -> bool {
        let ends = self.pieces.len() + 1;
        let finite = |v: &Vec3| v.iter().all(|x| x.is_finite());
        ends >= 2
            && [self.knots.len(), self.references.len(), self.lengths.len()] == [ends; 3]
            && increase(&self.knots)
            && increase(&self.lengths)
            && self.pieces.iter().flatten().all(finite)
            && self.references.iter().flatten().all(finite)
    }

    /// Is the curve closed?
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Number of polynomial pieces.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// First and last parameter.
    pub fn range(&self) -> (f64, f64) {
        (self.knots[0], self.knots[self.pieces.len()])
    }

    /// Length from end to end \[m\].
    pub fn length(&self) -> f64 {
        self.lengths[self.pieces.len()]
    }

    /// Does it lie in the xy plane?
    pub fn is_planar(&self) -> bool {
        let size = self.length();
        let flat = |v: &Vec3| v.z.abs() <= 1e-12 * size;
        self.pieces.iter().all(|piece| {
            let ends = [evaluate(piece, 0.0)[0], piece[1], piece[2], piece[3]];
            ends.iter().all(flat)
        })
    }

    /// The parameter within the range, and the full rounds of a closed curve.
    fn wrapped(&self, s: f64) -> (f64, f64) {
        let (first, last) = self.range();
        if !self.closed {
            return (s, 0.0);
        }
        let rounds = ((s - first) / (last - first)).floor();
        (s - rounds * (last - first), rounds)
    }

    /// The piece of a parameter within the range, or the nearest piece.
    fn piece(&self, s: f64) -> usize {
        place(&self.knots, s).min(self.pieces.len() - 1)
    }

    /// The point at a parameter, with three derivatives.
    pub fn at(&self, s: f64) -> Point {
        let (s, _) = self.wrapped(s);
        let k = self.piece(s);
        let (first, last) = self.range();
        let inside = held(s, first, last);
        let point = evaluate(&self.pieces[k], inside - self.knots[k]);
        if self.closed || inside == s {
            return point;
        }
        // Also for parameters that are not finite.
        let zero = point[1] * (0.0 * s);
        [
            point[0] + point[1] * (s - inside),
            point[1] + zero,
            zero,
            zero,
        ]
    }

    /// Arc length from the beginning to a parameter \[m\]; negative before the beginning.
    pub fn arc(&self, s: f64) -> f64 {
        let (s, rounds) = self.wrapped(s);
        let k = self.piece(s);
        let (first, last) = self.range();
        let inside = held(s, first, last);
        let beyond = (s - inside) * self.at(inside)[1].norm();
        let within = span(&self.pieces[k], inside - self.knots[k]);
        self.lengths[k] + within + beyond + rounds * self.length()
    }

    /// The parameter of the foot of the perpendicular from x, near `start`: c′·(x − c) = 0, by a fixed number of
    /// Newton steps, (CRV-3).
    pub fn foot(&self, x: &Vec3, start: f64) -> f64 {
        let mut s = start;
        for _ in 0..STEPS {
            let [c, d1, d2, _] = self.at(s);
            let e = x - c;
            let square = d1.norm_squared();
            // Beyond the centre of curvature the foot would be the farthest point; the bound avoids that.
            let slope = (square - d2.dot(&e)).max(0.25 * square);
            s += d1.dot(&e) / slope;
        }
        s
    }

    /// The parameter of the point nearest to x: the best of some samples of each piece, then its foot.
    pub fn nearest(&self, x: &Vec3) -> f64 {
        let (mut least, mut best) = (f64::INFINITY, self.knots[0]);
        let mut compare = |piece: &Piece, first: f64, s: f64| {
            let distance = (x - horner(piece, s - first, [1.0; 6], 0)).norm_squared();
            if distance < least {
                (least, best) = (distance, s);
            }
        };
        for (piece, ends) in self.pieces.iter().zip(self.knots.windows(2)) {
            for s in samples(ends) {
                compare(piece, ends[0], s);
            }
        }
        // The end of a closed curve is its beginning.
        if !self.closed {
            let last = self.pieces.len() - 1;
            compare(&self.pieces[last], self.knots[last], self.range().1);
        }
        self.foot(x, best)
    }

    /// Sample parameters on each piece, and the last parameter.
    pub fn samples(&self) -> impl Iterator<Item = f64> {
        let inner = self.knots.windows(2).flat_map(samples);
        inner.chain(core::iter::once(self.range().1))
    }
}

/// Evaluates a piece with three derivatives.
fn evaluate(c: &Piece, t: f64) -> Point {
    [
        horner(c, t, [1.0; 6], 0),
        horner(c, t, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 1),
        horner(c, t, [0.0, 0.0, 2.0, 6.0, 12.0, 20.0], 2),
        horner(c, t, [0.0, 0.0, 0.0, 6.0, 24.0, 60.0], 3),
    ]
}

/// Sum of the coefficients from one on, with these factors, times powers of t.
#[inline]
fn horner(c: &Piece, t: f64, factors: [f64; 6], from: usize) -> Vec3 {
    let mut sum = c[5] * factors[5];
    for k in (from..5).rev() {
        sum = sum * t + c[k] * factors[k];
    }
    sum
}

/// Sample parameters of a piece between these.
fn samples(ends: &[f64]) -> impl Iterator<Item = f64> + use<> {
    let first = ends[0];
    let step = (ends[1] - first) / SAMPLES as f64;
    (0..SAMPLES).map(move |k| first + step * k as f64)
}

/// Arc length of a piece from its beginning.
fn span(piece: &Piece, t: f64) -> f64 {
    let speed = |part: f64| evaluate(piece, part * t)[1].norm();
    let pair = |(x, w): &(f64, f64)| w * (speed(*x) + speed(1.0 - x));
    t * GAUSS.iter().map(pair).sum::<f64>()
}

#[cfg(test)]
mod tests;

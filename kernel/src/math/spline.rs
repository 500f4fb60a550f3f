//! Curves and surfaces through points: Akima, cubic, linear. They are built once (control plane); an evaluation with
//! derivatives takes one search of fixed length (data plane).
//!
//! ```text
//! f(x) = c₀ + c₁ t + c₂ t² + c₃ t³,   t = x − xₖ,   xₖ ≤ x < xₖ₊₁                (SPL-1)
//! ```
//! Over two variables, f is linear in z between the curves of neighbouring zₗ:
//!
//! ```text
//! f(x, z) = (1 − s) fₗ(x) + s fₗ₊₁(x),   s = (z − zₗ)/(zₗ₊₁ − zₗ)               (SPL-2)
//! ```
//! Beyond its ends a curve continues along its tangent or stays constant.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// How a curve passes through its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Akima 1970: cubic pieces, local, without overshoot at corners; slopes are continuous.
    Akima,
    /// Cubic pieces with continuous curvature.
    Cubic(Ends),
    /// Straight pieces.
    Linear,
}

/// End conditions of a cubic curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    /// Curvature zero.
    #[default]
    Natural,
    /// Third derivative equal to that of the cubic through the four points at the end (Forsythe, Malcolm and Moler
    /// 1977).
    Fmm,
}

impl Method {
    /// The smallest number of points.
    pub const fn least(self) -> usize {
        match self {
            Self::Akima | Self::Cubic(Ends::Fmm) => 4,
            Self::Cubic(Ends::Natural) | Self::Linear => 2,
        }
    }
}

/// How a curve continues beyond its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beyond {
    /// Along the tangent at the end.
    #[default]
    Tangent,
    /// At the value of the end.
    Constant,
}

/// Polynomial pieces over x, with one row per z.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    x: Box<[f64]>,
    z: Box<[f64]>,
    /// Per row of z and interval of x, with one more piece at each end for the continuation.
    pieces: Box<[[f64; 4]]>,
}

impl Curve {
    /// The curve through (x, y): `rows` are the y of each z; a curve over x only has one row and no z. Both x and z
    /// must increase strictly; there are at least [`Method::least`] points.
    pub fn new(x: &[f64], z: &[f64], rows: &[Vec<f64>], method: Method, beyond: Beyond) -> Self {
        let pieces = rows.iter().flat_map(|y| row(x, y, method, beyond));
        Self {
            x: x.into(),
            z: z.into(),
            pieces: pieces.collect(),
        }
    }

    /// Is the curve valid: a piece for every interval, increasing points, and all numbers finite?
    pub fn is_sound(&self) -> bool {
        let rows = self.z.len().max(1);
        let wanted = rows.checked_mul(self.x.len() + 1);
        self.x.len() >= 2
            && Some(self.pieces.len()) == wanted
            && increase(&self.x)
            && increase(&self.z)
            && self.pieces.iter().flatten().all(|c| c.is_finite())
    }

    /// The x of its points.
    pub fn points(&self) -> &[f64] {
        &self.x
    }

    /// Does it depend on z as well?
    pub fn is_surface(&self) -> bool {
        self.z.len() > 1
    }

    /// ∂ⁿf/∂xⁿ and its derivative in z, n from 0.
    pub fn value(&self, x: f64, z: f64, order: u8) -> (f64, f64) {
        let interval = place(&self.x, x);
        // Piece 0 is before the first point; the last point belongs to the piece before it.
        let last = self.x.len() - 1;
        let interval = interval - usize::from(interval == last && x == self.x[last]);
        let beyond = usize::from(x >= self.x[0]);
        let from = self.x[interval];
        let at = |row: usize| {
            let piece = row * (self.x.len() + 1) + interval + beyond;
            derivative(&self.pieces[piece], x - from, order)
        };
        if self.z.len() < 2 {
            return (at(0), 0.0);
        }
        let row = place(&self.z, z).min(self.z.len() - 2);
        let width = self.z[row + 1] - self.z[row];
        let (low, high) = (at(row), at(row + 1));
        let slope = (high - low) / width;
        (low + slope * (z - self.z[row]), slope)
    }
}

/// Are all numbers finite, and each above the one before it?
pub(super) fn increase(points: &[f64]) -> bool {
    points.iter().all(|x| x.is_finite()) && points.windows(2).all(|pair| pair[0] < pair[1])
}

/// The last k with xₖ ≤ x, or 0, in a fixed number of steps.
pub(super) fn place(points: &[f64], x: f64) -> usize {
    let mut low = 0;
    let mut step = points.len().next_power_of_two() / 2;
    while step > 0 {
        let next = low + step;
        if next < points.len() && points[next] <= x {
            low = next;
        }
        step /= 2;
    }
    low
}

/// The derivative of a cubic.
fn derivative([c0, c1, c2, c3]: &[f64; 4], t: f64, order: u8) -> f64 {
    match order {
        0 => c0 + t * (c1 + t * (c2 + t * c3)),
        1 => c1 + t * (2.0 * c2 + t * (3.0 * c3)),
        2 => 2.0 * c2 + t * (6.0 * c3),
        3 => 6.0 * c3,
        // Also for numbers that are not finite.
        _ => 0.0 * t,
    }
}

/// The pieces of one row: before the first point, between the points, after the last.
fn row(x: &[f64], y: &[f64], method: Method, beyond: Beyond) -> Vec<[f64; 4]> {
    let slopes = match method {
        Method::Akima => akima(x, y),
        Method::Cubic(ends) => slopes_of_cubic(x, y, ends),
        Method::Linear => Vec::new(),
    };
    let n = x.len();
    let mut pieces = Vec::with_capacity(n + 1);
    pieces.push([0.0; 4]);
    for k in 0..n - 1 {
        let h = x[k + 1] - x[k];
        let mean = (y[k + 1] - y[k]) / h;
        pieces.push(if slopes.is_empty() {
            [y[k], mean, 0.0, 0.0]
        } else {
            // Cubic Hermite polynomial from values and slopes at both ends.
            let (a, b) = (slopes[k], slopes[k + 1]);
            let c2 = (3.0 * mean - 2.0 * a - b) / h;
            let c3 = (a + b - 2.0 * mean) / (h * h);
            [y[k], a, c2, c3]
        });
    }
    let last = pieces[n - 1];
    let end = derivative(&last, x[n - 1] - x[n - 2], 1);
    let follow = |slope: f64| match beyond {
        Beyond::Tangent => slope,
        Beyond::Constant => 0.0,
    };
    pieces[0] = [y[0], follow(pieces[1][1]), 0.0, 0.0];
    pieces.push([y[n - 1], follow(end), 0.0, 0.0]);
    pieces
}

/// Slopes at the points by Akima's rule (J. ACM 17, 1970): the mean of the slopes on both sides, each weighted by the
/// change of slope on the other side; parabolas give two more slopes at either end.
fn akima(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let inner = |k: usize| (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    let mut m = vec![0.0; n + 3];
    for k in 0..n - 1 {
        m[k + 2] = inner(k);
    }
    m[1] = 2.0 * m[2] - m[3];
    m[0] = 2.0 * m[1] - m[2];
    m[n + 1] = 2.0 * m[n] - m[n - 1];
    m[n + 2] = 2.0 * m[n + 1] - m[n];
    let slope = |k: usize| {
        let (before, after) = ((m[k + 1] - m[k]).abs(), (m[k + 3] - m[k + 2]).abs());
        if before + after > 0.0 {
            (after * m[k + 1] + before * m[k + 2]) / (before + after)
        } else {
            f64::midpoint(m[k + 1], m[k + 2])
        }
    };
    (0..n).map(slope).collect()
}

/// Slopes of the cubic with continuous curvature. The tridiagonal system is diagonally dominant and needs no
/// pivoting.
pub(super) fn slopes_of_cubic(x: &[f64], y: &[f64], ends: Ends) -> Vec<f64> {
    let n = x.len();
    let width = |k: usize| x[k + 1] - x[k];
    let mean = |k: usize| (y[k + 1] - y[k]) / width(k);
    let (mut diagonal, mut right) = (vec![2.0; n], vec![0.0; n]);
    let (mut lower, mut upper) = (vec![1.0; n], vec![1.0; n]);
    match ends {
        Ends::Natural => {
            right[0] = 3.0 * mean(0);
            right[n - 1] = 3.0 * mean(n - 2);
        }
        Ends::Fmm => {
            // s₀ + s₁ = 2 m₀ + c₃ h₀², from Hermite's c₃.
            (diagonal[0], diagonal[n - 1]) = (1.0, 1.0);
            right[0] = 2.0 * mean(0) + third(&x[..4], &y[..4]) * width(0) * width(0);
            let (x, y) = (&x[n - 4..], &y[n - 4..]);
            right[n - 1] = 2.0 * mean(n - 2) + third(x, y) * width(n - 2) * width(n - 2);
        }
    }
    for k in 1..n - 1 {
        let (a, b) = (width(k - 1), width(k));
        lower[k] = b;
        upper[k] = a;
        diagonal[k] = 2.0 * (a + b);
        right[k] = 3.0 * (b * mean(k - 1) + a * mean(k));
    }
    for k in 1..n {
        let factor = lower[k] / diagonal[k - 1];
        diagonal[k] -= factor * upper[k - 1];
        right[k] -= factor * right[k - 1];
    }
    right[n - 1] /= diagonal[n - 1];
    for k in (0..n - 1).rev() {
        right[k] = (right[k] - upper[k] * right[k + 1]) / diagonal[k];
    }
    right
}

/// The cubic coefficient of the polynomial through four points: their third divided difference.
fn third(x: &[f64], y: &[f64]) -> f64 {
    let first = |k: usize| (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    let second = |k: usize| (first(k + 1) - first(k)) / (x[k + 2] - x[k]);
    (second(1) - second(0)) / (x[3] - x[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    const METHODS: [Method; 4] = [
        Method::Akima,
        Method::Cubic(Ends::Natural),
        Method::Cubic(Ends::Fmm),
        Method::Linear,
    ];

    fn curve(method: Method, beyond: Beyond) -> Curve {
        let x = [-1.0, 0.0, 0.5, 2.0, 3.0];
        let y = vec![1.0, 0.0, 4.0, -1.0, 2.0];
        Curve::new(&x, &[], &[y], method, beyond)
    }

    #[test]
    fn every_method_passes_through_the_points() {
        for method in METHODS {
            let curve = curve(method, Beyond::Tangent);
            for (x, y) in [(-1.0, 1.0), (0.0, 0.0), (0.5, 4.0), (2.0, -1.0), (3.0, 2.0)] {
                assert!((curve.value(x, 0.0, 0).0 - y).abs() < 1e-14, "{method:?}");
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_the_values() {
        for method in METHODS {
            let curve = curve(method, Beyond::Tangent);
            for x in [-1.7, -0.4, 0.2, 1.3, 2.9, 3.6] {
                for order in 0..3 {
                    let h = 1e-5;
                    let at = |x| curve.value(x, 0.0, order).0;
                    let difference = (at(x + h) - at(x - h)) / (2.0 * h);
                    let slope = curve.value(x, 0.0, order + 1).0;
                    assert!((slope - difference).abs() < 1e-6, "{method:?} {x} {order}");
                }
            }
        }
    }

    #[test]
    fn ends_go_on_along_the_tangent_or_stay() {
        let tangent = curve(Method::Akima, Beyond::Tangent);
        let (y, slope) = (tangent.value(3.0, 0.0, 0).0, tangent.value(3.0, 0.0, 1).0);
        assert!((tangent.value(5.0, 0.0, 0).0 - (y + 2.0 * slope)).abs() < 1e-14);
        let constant = curve(Method::Akima, Beyond::Constant);
        assert_eq!(constant.value(-9.0, 0.0, 0).0, 1.0);
        assert_eq!(constant.value(9.0, 0.0, 1).0, 0.0);
        assert!(constant.value(f64::NAN, 0.0, 0).0.is_nan());
    }

    #[test]
    fn a_natural_spline_is_straight_at_its_ends_and_smooth_between() {
        let curve = curve(Method::Cubic(Ends::Natural), Beyond::Tangent);
        let bend = |x: f64| curve.value(x, 0.0, 2).0;
        assert!(bend(-1.0).abs() < 1e-12 && bend(3.0 - 1e-12).abs() < 1e-9);
        for x in [0.0, 0.5, 2.0] {
            assert!((bend(x) - bend(x - 1e-12)).abs() < 1e-8, "{x}");
        }
    }

    #[test]
    fn a_surface_is_linear_between_its_curves() {
        let x = [0.0, 1.0, 2.0, 3.0];
        let rows = [vec![0.0, 1.0, 4.0, 9.0], vec![1.0, 2.0, 0.0, 3.0]];
        let surface = Curve::new(&x, &[10.0, 14.0], &rows, Method::Akima, Beyond::Tangent);
        let low = surface.value(1.5, 10.0, 0).0;
        let high = surface.value(1.5, 14.0, 0).0;
        let (middle, slope) = surface.value(1.5, 11.0, 0);
        assert!((middle - (0.75 * low + 0.25 * high)).abs() < 1e-14);
        assert!((slope - (high - low) / 4.0).abs() < 1e-14);
        assert!((surface.value(1.5, 18.0, 0).0 - (2.0 * high - low)).abs() < 1e-13);
    }

    #[test]
    fn the_search_finds_every_interval() {
        for n in 1..20 {
            let points: Vec<f64> = (0..n).map(f64::from).collect();
            for k in 0..n {
                assert_eq!(place(&points, f64::from(k) + 0.5), k as usize);
            }
            assert_eq!(place(&points, -1.0), 0);
        }
    }
}

//! Control plane: builds curves through points.

use super::{Piece, SpaceCurve, evaluate, frame, span};
use crate::math::Vec3;
use crate::math::spline::{Ends, slopes_of_cubic};
use alloc::vec;
use alloc::vec::Vec;

impl SpaceCurve {
    /// The curve through distinct neighbouring points: at least two, or three for a closed curve, whose last point is
    /// joined to the first.
    pub fn through(points: &[Vec3], closed: bool) -> Self {
        let mut points = points.to_vec();
        if closed {
            points.push(points[0]);
        }
        let mut knots = vec![0.0];
        for pair in points.windows(2) {
            knots.push(knots[knots.len() - 1] + (pair[1] - pair[0]).norm());
        }
        let along = |k: usize| points.iter().map(|p| p[k]).collect::<Vec<f64>>();
        let slopes: [Vec<f64>; 3] = core::array::from_fn(|k| {
            if closed {
                periodic_slopes(&knots, &along(k))
            } else {
                slopes_of_cubic(&knots, &along(k), Ends::Natural)
            }
        });
        let slope = |k: usize| Vec3::from_fn(|n, _| slopes[n][k]);
        let pieces = (0..points.len() - 1)
            .map(|k| {
                let h = knots[k + 1] - knots[k];
                let mean = (points[k + 1] - points[k]) / h;
                let (a, b) = (slope(k), slope(k + 1));
                let c2 = (mean * 3.0 - a * 2.0 - b) / h;
                let c3 = (a + b - mean * 2.0) / (h * h);
                [points[k], a, c2, c3, Vec3::zeros(), Vec3::zeros()]
            })
            .collect();
        Self::of_pieces(knots, pieces, closed)
    }

    /// The curve through at least two points with first and second derivatives, at increasing parameters. A closed
    /// one must end with the point and derivatives with which it begins.
    pub fn of_derivatives(knots: Vec<f64>, places: &[[Vec3; 3]], closed: bool) -> Self {
        let pieces = (0..places.len() - 1)
            .map(|k| quintic(&places[k], &places[k + 1], knots[k + 1] - knots[k]))
            .collect();
        Self::of_pieces(knots, pieces, closed)
    }

    fn of_pieces(knots: Vec<f64>, pieces: Vec<Piece>, closed: bool) -> Self {
        let mut lengths = vec![0.0];
        for (k, piece) in pieces.iter().enumerate() {
            lengths.push(lengths[k] + span(piece, knots[k + 1] - knots[k]));
        }
        let references = frame::references(&knots, &pieces, closed);
        Self {
            knots: knots.into(),
            pieces: pieces.into(),
            references: references.into(),
            lengths: lengths.into(),
            closed,
        }
    }
}

/// The quintic with given values, first and second derivatives at both ends of a width h.
fn quintic([p0, v0, a0]: &[Vec3; 3], [p1, v1, a1]: &[Vec3; 3], h: f64) -> Piece {
    let d = p1 - p0;
    let (h2, h3) = (h * h, h * h * h);
    let c3 = (d * 20.0 - (v1 * 8.0 + v0 * 12.0) * h - (a0 * 3.0 - a1) * h2) / (2.0 * h3);
    let c4 =
        (d * -30.0 + (v1 * 14.0 + v0 * 16.0) * h + (a0 * 3.0 - a1 * 2.0) * h2) / (2.0 * h3 * h);
    let c5 = (d * 12.0 - (v1 + v0) * (6.0 * h) + (a1 - a0) * h2) / (2.0 * h3 * h2);
    [*p0, *v0, a0 * 0.5, c3, c4, c5]
}

/// Slopes of the cubic with continuous curvature through points whose last equals the first. Two tridiagonal
/// solutions give that of the cyclic tridiagonal system (Sherman and Morrison).
fn periodic_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len() - 1;
    let width = |k: usize| x[k + 1] - x[k];
    let mean = |k: usize| (y[k + 1] - y[k]) / width(k);
    let before = |k: usize| (k + n - 1) % n;
    // Row k: lower m_{k−1} + diagonal m_k + upper m_{k+1} = right, indices cyclic.
    let lower: Vec<f64> = (0..n).map(width).collect();
    let upper: Vec<f64> = (0..n).map(|k| width(before(k))).collect();
    let mut diagonal: Vec<f64> = (0..n).map(|k| 2.0 * (lower[k] + upper[k])).collect();
    let right: Vec<f64> = (0..n)
        .map(|k| 3.0 * (lower[k] * mean(before(k)) + upper[k] * mean(k)))
        .collect();
    let (corner_low, corner_high) = (lower[0], upper[n - 1]);
    let gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[n - 1] -= corner_low * corner_high / gamma;
    let mut load = vec![0.0; n];
    load[0] = gamma;
    load[n - 1] = corner_high;
    let rows = (&lower[..], &diagonal[..], &upper[..]);
    let (mut slopes, share) = (tridiagonal(rows, right), tridiagonal(rows, load));
    let ratio = corner_low / gamma;
    let factor = (slopes[0] + ratio * slopes[n - 1]) / (1.0 + share[0] + ratio * share[n - 1]);
    for (slope, share) in slopes.iter_mut().zip(&share) {
        *slope -= factor * share;
    }
    slopes.push(slopes[0]);
    slopes
}

/// Solves a diagonally dominant tridiagonal system.
fn tridiagonal((lower, diagonal, upper): (&[f64], &[f64], &[f64]), right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    let (mut diagonal, mut x) = (diagonal.to_vec(), right);
    for k in 1..n {
        let factor = lower[k] / diagonal[k - 1];
        diagonal[k] -= factor * upper[k - 1];
        x[k] -= factor * x[k - 1];
    }
    x[n - 1] /= diagonal[n - 1];
    for k in (0..n - 1).rev() {
        x[k] = (x[k] - upper[k] * x[k + 1]) / diagonal[k];
    }
    x
}

/// Points on a piece with their tangents, from its beginning to its end.
pub(super) fn places(piece: &Piece, width: f64, count: usize) -> Vec<(Vec3, Vec3)> {
    let at = |k: usize| {
        let [p, d, ..] = evaluate(piece, width * k as f64 / count as f64);
        (p, d.normalize())
    };
    (0..=count).map(at).collect()
}

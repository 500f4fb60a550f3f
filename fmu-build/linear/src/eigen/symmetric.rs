//! Computes the roots of large mechanisms with independent modes: M and K symmetric, damping proportional.
//!
//! With M = L Lᵀ and L⁻¹ K L⁻ᵀ = U κ Uᵀ, the shapes Φ = L⁻ᵀ U make ΦᵀMΦ the unit matrix. If ΦᵀbΦ is a diagonal γ,
//!
//! ```text
//! λ² + γ_k λ + κ_k = 0,   x = (φ_k, λ φ_k),   yᴴ = ( (λ + γ_k) φ_kᵀM, φ_kᵀM ) / (2 λ + γ_k)                (LIN-25)
//! ```
//! One symmetric problem of half the size takes a fiftieth of the time of the QR algorithm. The QR algorithm is used
//! if these conditions do not hold to rounding, and if there are free motions or critically damped modes.

use super::solve::norm;
use super::{Balanced, Eigen, Found, Root, sorted};
use faer::linalg::solvers::Solve;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Mat, MatRef, Par, Side, c64};

/// Smallest number of positions for this method.
const LARGE: usize = 60;

/// Matrices that differ from their transpose by less than this fraction are symmetric.
const SYMMETRIC: f64 = 1e-11;

/// Damping between different modes below this fraction of the largest is rounding error.
const APART: f64 = 1e-11;

/// Stiffness below this part of the largest may be that of a free motion.
const HELD: f64 = 1e-12;

/// Modes below this fraction of the largest stiffness are computed again with K⁻¹, because they contain rounding
/// errors of the stiff modes.
const SOFT: f64 = 1e-6;

/// Damping below this fraction of the largest counts as zero.
const NONE: f64 = 1e-14;

/// Discriminants below this fraction of the stiffness are too close to critical damping.
const CRITICAL: f64 = 1e-9;

/// Modes that do not know of each other.
struct UncoupledModes {
    /// Φ.
    shapes: Mat<f64>,
    /// MΦ.
    weighed: Mat<f64>,
    /// κ and γ.
    stiffness: Vec<f64>,
    damping: Vec<f64>,
}

/// All roots of M q'' + b q' + K q = 0 with the state matrix `a`; `None` if the method does not apply.
pub fn of_second_order(a: &Mat<f64>, [mass, damping, stiffness]: [&Mat<f64>; 3]) -> Option<Eigen> {
    let f = mass.nrows();
    if f < LARGE || a.nrows() != 2 * f || !gives_rates(a, f) {
        return None;
    }
    let apart = UncoupledModes::of([mass, damping, stiffness])?;
    let mut found = Vec::new();
    for k in 0..f {
        apart.roots(k, &mut found)?;
    }
    let weights: Vec<f64> = { found.iter() }
        .map(|one| if one.root.is_pair() { 2.0 } else { 1.0 })
        .collect();
    let columns: Vec<&[c64]> = found.iter().map(|one| one.right.as_slice()).collect();
    let rows: Vec<&[c64]> = found.iter().map(|one| one.left.as_slice()).collect();
    let conditioning = 1.0 / (norm(&columns, &weights) * norm(&rows, &weights));
    Some(sorted(found, 2 * f, (Balanced::No, conditioning)))
}

/// Do the first rows say that rates of positions are the velocities?
fn gives_rates(a: &Mat<f64>, f: usize) -> bool {
    let wanted = |r: usize, c: usize| if c == f + r { 1.0 } else { 0.0 };
    (0..2 * f).all(|c| (0..f).all(|r| a[(r, c)] == wanted(r, c)))
}

/// Is a matrix symmetric to rounding? If so, returns it with equal triangles.
fn even(of: &Mat<f64>) -> Option<Mat<f64>> {
    let n = of.nrows();
    let mut most = 0.0_f64;
    let mut off = 0.0_f64;
    for c in 0..n {
        for r in 0..n {
            most = most.max(of[(r, c)].abs());
            off = off.max((of[(r, c)] - of[(c, r)]).abs());
        }
    }
    let sound = most.is_finite() && off <= SYMMETRIC * most;
    sound.then(|| halves(of))
}

/// The mean of a matrix and its transpose.
fn halves(of: &Mat<f64>) -> Mat<f64> {
    let n = of.nrows();
    Mat::from_fn(n, n, |r, c| f64::midpoint(of[(r, c)], of[(c, r)]))
}

/// L⁻¹ K L⁻ᵀ.
fn reduced(of: &Mat<f64>, lower: MatRef<'_, f64>) -> Mat<f64> {
    let mut once = of.clone();
    solve_lower_triangular_in_place(lower, once.as_mut(), Par::Seq);
    let mut twice = once.transpose().to_owned();
    solve_lower_triangular_in_place(lower, twice.as_mut(), Par::Seq);
    halves(&twice)
}

/// κ in increasing order, and Φ, of symmetric matrices.
fn modes(mass: &Mat<f64>, stiffness: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let factor = mass.llt(Side::Lower).ok()?;
    let lower = factor.L();
    let found = reduced(stiffness, lower).self_adjoint_eigen(Side::Lower);
    let found = found.ok()?;
    let own = found.S().column_vector();
    let kappa = (0..mass.nrows()).map(|k| own[k]).collect();
    let mut shapes = found.U().to_owned();
    solve_upper_triangular_in_place(lower.transpose(), shapes.as_mut(), Par::Seq);
    Some((kappa, shapes))
}

/// The same for any mass and stiffness; `None` if they are not symmetric or there is no inertia.
pub(crate) fn undamped(mass: &Mat<f64>, stiffness: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let (mass, stiffness) = (even(mass)?, even(stiffness)?);
    let (mut kappa, mut shapes) = modes(&mass, &stiffness)?;
    let most = kappa.iter().fold(0.0_f64, |most, k| most.max(k.abs()));
    if kappa.iter().all(|k| *k > HELD * most) {
        soften([&mass, &stiffness], &mut kappa, &mut shapes)?;
    }
    Some((kappa, shapes))
}

/// Recomputes the soft modes, which come first: a step of inverse iteration for all of them together, and Ritz values
/// in their span.
fn soften(
    [mass, stiffness]: [&Mat<f64>; 2],
    kappa: &mut [f64],
    shapes: &mut Mat<f64>,
) -> Option<()> {
    let most = kappa.iter().fold(0.0_f64, |most, k| most.max(*k));
    let count = kappa.iter().filter(|k| **k < SOFT * most).count();
    if count == 0 {
        return Some(());
    }
    let given = mass * shapes.subcols(0, count);
    let found = stiffness.llt(Side::Lower).ok()?.solve(&given);
    // Normalises to κ φ, so that all columns have similar size.
    let found = Mat::from_fn(found.nrows(), count, |r, c| found[(r, c)] * kappa[c]);
    let by = |of: &Mat<f64>| halves(&(found.transpose() * (of * &found)));
    let factor = by(mass).llt(Side::Lower).ok()?;
    let lower = factor.L();
    let ritz = reduced(&by(stiffness), lower)
        .self_adjoint_eigen(Side::Lower)
        .ok()?;
    let mut turn = ritz.U().to_owned();
    solve_upper_triangular_in_place(lower.transpose(), turn.as_mut(), Par::Seq);
    let turned = found * turn;
    let values = ritz.S().column_vector();
    for k in 0..count {
        kappa[k] = values[k];
        for r in 0..turned.nrows() {
            shapes[(r, k)] = turned[(r, k)];
        }
    }
    kappa.iter().all(|k| *k > 0.0).then_some(())
}

impl UncoupledModes {
    fn of(matrices: [&Mat<f64>; 3]) -> Option<Self> {
        let [mass, damping, stiffness] = matrices.map(even);
        let (mass, damping, stiffness) = (mass?, damping?, stiffness?);
        let n = mass.nrows();
        let (mut kappa, mut shapes) = modes(&mass, &stiffness)?;
        let most = kappa.iter().fold(0.0_f64, |most, k| most.max(k.abs()));
        if kappa.iter().any(|k| k.is_nan() || *k <= HELD * most) {
            return None;
        }
        soften([&mass, &stiffness], &mut kappa, &mut shapes)?;
        let between = shapes.transpose() * &damping * &shapes;
        let largest = (0..n).fold(0.0_f64, |most, k| most.max(between[(k, k)].abs()));
        for c in 0..n {
            for r in 0..n {
                let other = between[(r, c)].abs();
                if r != c && (other.is_nan() || other > APART * largest) {
                    return None;
                }
            }
        }
        let gamma = |k: usize| {
            let own = between[(k, k)];
            if own.abs() <= NONE * largest {
                0.0
            } else {
                own
            }
        };
        Some(Self {
            weighed: &mass * &shapes,
            damping: (0..n).map(gamma).collect(),
            stiffness: kappa,
            shapes,
        })
    }

    /// The pair or the two real roots of a mode.
    fn roots(&self, k: usize, found: &mut Vec<Found>) -> Option<()> {
        let (half, kappa) = (self.damping[k] / 2.0, self.stiffness[k]);
        let rest = kappa - half * half;
        if rest.abs() <= CRITICAL * kappa {
            return None;
        }
        if rest > 0.0 {
            found.push(self.found(k, c64::new(-half, rest.sqrt())));
            return Some(());
        }
        let far = -half - half.signum() * (-rest).sqrt();
        for value in [kappa / far, far] {
            found.push(self.found(k, c64::new(value, 0.0)));
        }
        Some(())
    }

    fn found(&self, k: usize, value: c64) -> Found {
        let n = self.shapes.nrows();
        let gamma = self.damping[k];
        let slope = value * 2.0 + gamma;
        let shape = |r: usize| c64::new(self.shapes[(r, k)], 0.0);
        let weighed = |r: usize| c64::new(self.weighed[(r, k)], 0.0);
        let right = (0..n).map(shape).chain((0..n).map(|r| shape(r) * value));
        let right: Vec<c64> = right.collect();
        let first = (0..n).map(|r| (weighed(r) * (value + gamma) / slope).conj());
        let left = first.chain((0..n).map(|r| (weighed(r) / slope).conj()));
        let left: Vec<c64> = left.collect();
        // Velocities are divided by the frequency of the mode, so that both halves have similar size.
        let rate = value.norm();
        let length = |of: &[c64], by: f64| {
            let squares = of.iter().enumerate();
            let squares = squares.map(|(r, z)| {
                let z = if r < n { *z } else { *z * by };
                z.norm_sqr()
            });
            squares.sum::<f64>().sqrt()
        };
        let condition = length(&right, 1.0 / rate) * length(&left, rate);
        let long = length(&right, 1.0);
        Found {
            root: Root {
                value,
                condition,
                zero: false,
            },
            right: right.iter().map(|z| *z / long).collect(),
            left: left.iter().map(|z| *z * long).collect(),
        }
    }
}

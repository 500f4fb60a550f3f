//! Control plane: small dense symmetric eigenproblems.

use faer::{Mat, MatRef, Side};

/// Eigenvalues in ascending order and orthonormal vectors, column by column, of a symmetric matrix;
/// none when it holds numbers that are not finite.
pub fn symmetric(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let eigen = a.self_adjoint_eigen(Side::Lower).ok()?;
    let values: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
    let finite = values.iter().all(|value| value.is_finite());
    finite.then(|| (values, eigen.U().to_owned()))
}

/// K y = λ M y with y normalised to one: ascending values, vectors as columns, and how many directions
/// of the space were left out since M has (next to) nothing in them.
#[derive(Clone, Debug)]
pub struct General {
    /// λ
    pub values: Vec<f64>,
    /// y
    pub vectors: Mat<f64>,
    /// Directions left out.
    pub dependent: usize,
    /// Least eigenvalue of M with its diagonal scaled to one.
    pub least_mass: f64,
}

/// Shares of the scaled mass matrix below this belong to directions that depend on others.
const DEPENDENT: f64 = 1e-13;

/// The generalised problem of a positive semidefinite M.
pub fn general(k: MatRef<'_, f64>, m: MatRef<'_, f64>) -> Option<General> {
    let n = k.nrows();
    let scale = |j: usize| {
        let mass = m[(j, j)];
        if mass > 0.0 { 1.0 / mass.sqrt() } else { 0.0 }
    };
    let scales: Vec<f64> = (0..n).map(scale).collect();
    let scaled = Mat::from_fn(n, n, |i, j| m[(i, j)] * scales[i] * scales[j]);
    let (masses, q) = symmetric(scaled.as_ref())?;
    let largest = masses.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..n)
        .filter(|j| masses[*j] > DEPENDENT * largest)
        .collect();
    let w = Mat::from_fn(n, kept.len(), |i, j| {
        scales[i] * q[(i, kept[j])] / masses[kept[j]].sqrt()
    });
    let projected = w.transpose() * (k * &w);
    let even = Mat::from_fn(kept.len(), kept.len(), |i, j| {
        0.5 * (projected[(i, j)] + projected[(j, i)])
    });
    let (values, y) = symmetric(even.as_ref())?;
    Some(General {
        values,
        vectors: &w * &y,
        dependent: n - kept.len(),
        least_mass: masses.first().copied().unwrap_or(0.0),
    })
}

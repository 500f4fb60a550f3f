//! Control plane: solves small dense symmetric eigenproblems.

use faer::{Mat, MatRef, Side};

use super::columns::dot;

/// Most sweeps of rotations; a few are enough.
const SWEEPS: usize = 30;

/// Eigenvalues in ascending order and orthonormal vectors, column by column, of a symmetric matrix; `None` if it
/// holds numbers that are not finite.
pub fn symmetric(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let eigen = a.self_adjoint_eigen(Side::Lower).ok()?;
    let values: Vec<f64> = eigen.S().column_vector().iter().copied().collect();
    let finite = values.iter().all(|value| value.is_finite());
    finite.then(|| (values, eigen.U().to_owned()))
}

/// As [`symmetric`], for a positive definite matrix that is well conditioned except for the scales of its rows and
/// columns: each eigenvalue has the accuracy that its own size allows, not that of the largest. The vectors are the
/// left singular vectors of the Cholesky factor, found by rotations of its columns (Demmel & Veselić, SIAM J. Matrix
/// Anal. Appl. 13, 1992). `None` if there is no factor.
pub fn graded(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    let lower = a.llt(Side::Lower).ok()?;
    let mut columns: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            (0..n)
                .map(|i| if i < j { 0.0 } else { lower.L()[(i, j)] })
                .collect()
        })
        .collect();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for i in 0..n {
            for j in i + 1..n {
                turned |= orthogonalise(&mut columns, i, j);
            }
        }
        if !turned {
            break;
        }
    }
    let mut order: Vec<(f64, usize)> = columns
        .iter()
        .map(|column| dot(column, column))
        .zip(0..)
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let vectors = Mat::from_fn(n, n, |i, k| columns[order[k].1][i] / order[k].0.sqrt());
    let values: Vec<f64> = order.into_iter().map(|(value, _)| value).collect();
    values
        .iter()
        .all(|value| value.is_finite() && *value > 0.0)
        .then_some((values, vectors))
}

/// Rotates two columns in their plane until they are orthogonal; returns whether they were not.
fn orthogonalise(columns: &mut [Vec<f64>], i: usize, j: usize) -> bool {
    let (first, second) = columns.split_at_mut(j);
    let (x, y) = (&mut first[i], &mut second[0]);
    let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
    if xy.abs() <= f64::EPSILON * (xx * yy).sqrt() {
        return false;
    }
    let slope = (yy - xx) / (2.0 * xy);
    let tangent = slope.signum() / (slope.abs() + slope.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
    true
}

/// K y = λ M y with y normalised to one: ascending values, vectors as columns, and the number of directions of the
/// space that were left out because M is (nearly) zero in them.
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use faer::linalg::solvers::Solve;

    use super::*;

    /// For E well conditioned and D over eleven decades, the eigenvalues of D E D are as accurate as its entries. The
    /// largest, the smallest (by the inverse) and the product of all others are known independently.
    #[test]
    fn small_eigenvalues_have_all_their_digits() {
        let n = 12;
        let fading: Vec<f64> = (0..n)
            .map(|i| 10.0_f64.powi(-((5 * i % n) as i32)))
            .collect();
        let even = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 1.0,
            apart => 0.3 / (1.0 + apart as f64),
        });
        let a = Mat::from_fn(n, n, |i, j| even[(i, j)] * fading[i] * fading[j]);
        let (values, vectors) = graded(a.as_ref()).unwrap();
        let close = |found: f64, wanted: f64| (found / wanted - 1.0).abs() < 1e-13;
        let largest = symmetric(a.as_ref()).unwrap().0[n - 1];
        assert!(close(values[n - 1], largest));
        let factor = even.as_ref().llt(Side::Lower).unwrap();
        let inverse = factor.solve(Mat::<f64>::identity(n, n));
        let inverse = Mat::from_fn(n, n, |i, j| inverse[(i, j)] / (fading[i] * fading[j]));
        let smallest = 1.0 / symmetric(inverse.as_ref()).unwrap().0[n - 1];
        assert!(close(values[0], smallest), "{} {smallest}", values[0]);
        let ratio = |i: usize| values[n - 1 - i] / (factor.L()[(i, i)] * fading[i]).powi(2);
        assert!(close((0..n).map(ratio).product(), 1.0));
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let product: f64 = (0..n).map(|k| vectors[(k, i)] * vectors[(k, j)]).sum();
            assert!((product - f64::from(u8::from(i == j))).abs() < 1e-13);
        }
        let plain = symmetric(a.as_ref()).unwrap().0[0];
        assert!(!close(plain, smallest), "then why not the plain way");
    }
}

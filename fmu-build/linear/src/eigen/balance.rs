//! Scales states by powers of two so that rows and columns of a matrix have similar sizes (Parlett, Reinsch 1969).

use faer::Mat;

/// A step must reduce the sum of a row and its column by this factor.
const WORTH: f64 = 0.95;

/// Largest number of sweeps; each halves the remaining imbalance or is the last.
const SWEEPS: usize = 100;

/// Powers of two d, so that d_i a_ij / d_j is balanced, (LIN-22).
pub fn scales(a: &Mat<f64>) -> Vec<f64> {
    let n = a.nrows();
    let mut scaled = a.clone();
    let mut scales = vec![1.0; n];
    for _ in 0..SWEEPS {
        let mut settled = true;
        for k in 0..n {
            let (row, column) = sizes(&scaled, k);
            if row == 0.0 || column == 0.0 || !(row + column).is_finite() {
                continue;
            }
            let factor = power_of_two((column / row).sqrt());
            if factor == 1.0 || row * factor + column / factor >= WORTH * (row + column) {
                continue;
            }
            settled = false;
            scales[k] *= factor;
            for j in 0..n {
                scaled[(k, j)] *= factor;
                scaled[(j, k)] /= factor;
            }
        }
        if settled {
            break;
        }
    }
    scales
}

/// d_i a_ij / d_j.
pub fn scaled(a: &Mat<f64>, scales: &[f64]) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |r, c| {
        a[(r, c)] * (scales[r] / scales[c])
    })
}

/// Sets to zero the entries that are rounding errors relative to all others in their row and in their column.
pub fn without_tiny(a: &Mat<f64>) -> Mat<f64> {
    let n = a.nrows();
    let mut rows = vec![0.0_f64; n];
    let mut columns = vec![0.0_f64; n];
    for c in 0..n {
        for r in 0..n {
            let size = a[(r, c)].abs();
            rows[r] = rows[r].max(size);
            columns[c] = columns[c].max(size);
        }
    }
    Mat::from_fn(n, n, |r, c| {
        let x = a[(r, c)];
        if x.abs() <= 4.0 * f64::EPSILON * rows[r].min(columns[c]) {
            0.0
        } else {
            x
        }
    })
}

/// The largest length of a column.
pub fn size(a: &Mat<f64>) -> f64 {
    let lengths = a.col_iter().map(|column| {
        let squares = column.iter().map(|x| x * x);
        squares.sum::<f64>().sqrt()
    });
    lengths.fold(0.0, f64::max)
}

/// Sums of a row and of its column, without the diagonal.
fn sizes(a: &Mat<f64>, k: usize) -> (f64, f64) {
    let others = (0..a.nrows()).filter(|j| *j != k);
    others.fold((0.0, 0.0), |(row, column), j| {
        (row + a[(k, j)].abs(), column + a[(j, k)].abs())
    })
}

/// The nearest power of two, by ratio.
pub fn power_of_two(of: f64) -> f64 {
    of.log2().round().exp2()
}

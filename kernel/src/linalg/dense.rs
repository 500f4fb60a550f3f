//! Dense LU with partial pivoting in preallocated memory (data plane; creation allocates). The sparse factorisation
//! uses it for its trailing set and its fallback.

use super::kernels::larger;
use alloc::boxed::Box;
use alloc::vec;

/// Columns eliminated together: their update passes once over the remaining matrix.
const PANEL: usize = 8;

/// A pivot counts as zero below this many units of roundoff of its column's largest entry, or below as many units as
/// the matrix has rows: what cancellation leaves after that many roundings.
const ZERO_PIVOT_UNITS: f64 = 32.0;

/// A column without a usable pivot: the matrix is numerically singular, or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("matrix is singular: column {column} depends on the columns before it")]
pub struct SingularColumn {
    /// The column, from zero.
    pub column: usize,
}

/// Storage for a square matrix, column by column, and its factors P A = L U.
#[derive(Clone, Debug)]
pub struct DenseLu {
    dimension: usize,
    values: Box<[f64]>,
    pivots: Box<[usize]>,
    reference: Box<[f64]>,
    growth: f64,
}

impl DenseLu {
    /// A zero matrix.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            values: vec![0.0; dimension * dimension].into(),
            pivots: vec![0; dimension].into(),
            reference: vec![0.0; dimension].into(),
            growth: 0.0,
        }
    }

    /// Writes to every page, so that none faults later; the matrix is lost. Reading it first would cost one more
    /// fault per page.
    pub fn settle(&mut self) {
        // Pages are at least this large.
        const PAGE: usize = 4096 / size_of::<f64>();
        let last = self.values.last_mut();
        *core::hint::black_box(last.unwrap_or(&mut 0.0)) = 0.0;
        for value in self.values.iter_mut().step_by(PAGE) {
            *core::hint::black_box(value) = 0.0;
        }
    }

    /// Rows and columns.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The matrix to be factored, entry (row, column) at `column * dimension + row`.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Magnitudes of the columns before cancellation, if an elimination left this matrix. [`Self::factor`] raises
    /// them to those of the matrix, and clears them at the end.
    pub fn reference_mut(&mut self) -> &mut [f64] {
        &mut self.reference
    }

    /// Largest ratio of a column's reference magnitude to its pivot in the last factorisation.
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// Replaces the matrix by its factors.
    pub fn factor(&mut self) -> Result<(), SingularColumn> {
        let result = self.eliminate();
        self.reference.fill(0.0);
        result
    }

    fn eliminate(&mut self) -> Result<(), SingularColumn> {
        let n = self.dimension;
        self.growth = 0.0;
        for (reference, column) in self
            .reference
            .iter_mut()
            .zip(self.values.chunks_exact(n.max(1)))
        {
            *reference = column
                .iter()
                .fold(*reference, |largest, value| larger(value.abs(), largest));
        }
        for start in (0..n).step_by(PANEL) {
            let end = n.min(start + PANEL);
            for k in start..end {
                self.eliminate_column(start, k)?;
            }
            self.update_behind(start, end);
        }
        Ok(())
    }

    /// Updates column `k` with its panel, chooses its pivot, scales the column of L.
    fn eliminate_column(&mut self, start: usize, k: usize) -> Result<(), SingularColumn> {
        let n = self.dimension;
        let (before, rest) = self.values.split_at_mut(k * n);
        let column = &mut rest[..n];
        for p in start..k {
            let factor = column[p];
            let l = &before[p * n..(p + 1) * n];
            for i in p + 1..n {
                column[i] -= l[i] * factor;
            }
        }
        let mut pivot = k;
        for i in k + 1..n {
            if column[i].abs() > column[pivot].abs() {
                pivot = i;
            }
        }
        let value = column[pivot];
        // negated, so that a NaN fails as well
        let zero = ZERO_PIVOT_UNITS.max(n as f64) * f64::EPSILON;
        let usable = value.abs() > zero * self.reference[k] && value.is_finite();
        if !usable {
            return Err(SingularColumn { column: k });
        }
        self.growth = larger(self.reference[k] / value.abs(), self.growth);
        self.pivots[k] = pivot;
        for column in self.values.chunks_exact_mut(n) {
            column.swap(k, pivot);
        }
        let column = &mut self.values[k * n..(k + 1) * n];
        for i in k + 1..n {
            column[i] /= value;
        }
        Ok(())
    }

    /// Applies a finished panel to all columns behind it.
    fn update_behind(&mut self, start: usize, end: usize) {
        let n = self.dimension;
        let (before, behind) = self.values.split_at_mut(end * n);
        let panel = &before[start * n..];
        for column in behind.chunks_exact_mut(n) {
            for p in 0..end - start {
                let factor = column[start + p];
                for i in start + p + 1..end {
                    column[i] -= panel[p * n + i] * factor;
                }
            }
            let mut factors = [0.0; PANEL];
            factors.copy_from_slice(&column[start..start + PANEL]);
            subtract_panel(&mut column[end..], panel, n, end, &factors);
        }
    }

    /// Solves A x = b in place.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.dimension;
        for (k, &pivot) in self.pivots.iter().enumerate() {
            b.swap(k, pivot);
        }
        for k in 0..n {
            let value = b[k];
            let column = &self.values[k * n..(k + 1) * n];
            for i in k + 1..n {
                b[i] -= column[i] * value;
            }
        }
        for k in (0..n).rev() {
            let column = &self.values[k * n..(k + 1) * n];
            let value = b[k] / column[k];
            b[k] = value;
            for i in 0..k {
                b[i] -= column[i] * value;
            }
        }
    }

    /// Solves Aᵀ x = b in place.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        let n = self.dimension;
        for k in 0..n {
            let column = &self.values[k * n..(k + 1) * n];
            let mut value = b[k];
            for i in 0..k {
                value -= column[i] * b[i];
            }
            b[k] = value / column[k];
        }
        for k in (0..n).rev() {
            let column = &self.values[k * n..(k + 1) * n];
            let mut value = b[k];
            for i in k + 1..n {
                value -= column[i] * b[i];
            }
            b[k] = value;
        }
        for (k, &pivot) in self.pivots.iter().enumerate().rev() {
            b.swap(k, pivot);
        }
    }
}

/// target −= Σ factorₚ columnₚ over the eight columns of a full panel, from row `first` down.
fn subtract_panel(
    target: &mut [f64],
    panel: &[f64],
    n: usize,
    first: usize,
    factors: &[f64; PANEL],
) {
    let columns: [&[f64]; PANEL] = core::array::from_fn(|p| &panel[p * n + first..(p + 1) * n]);
    let length = target.len();
    let [a, b, c, d, e, f, g, h] = columns.map(|column| &column[..length]);
    for i in 0..length {
        let mut sum = target[i];
        sum -= a[i] * factors[0];
        sum -= b[i] * factors[1];
        sum -= c[i] * factors[2];
        sum -= d[i] * factors[3];
        sum -= e[i] * factors[4];
        sum -= f[i] * factors[5];
        sum -= g[i] * factors[6];
        sum -= h[i] * factors[7];
        target[i] = sum;
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::linalg::tests::Random;
    use alloc::vec::Vec;

    fn check(dimension: usize, seed: u64) {
        let mut random = Random(seed);
        let a: Vec<f64> = (0..dimension * dimension)
            .map(|_| random.symmetric())
            .collect();
        let x: Vec<f64> = (0..dimension).map(|_| random.symmetric()).collect();
        let mut b = vec![0.0; dimension];
        for j in 0..dimension {
            for i in 0..dimension {
                b[i] += a[j * dimension + i] * x[j];
            }
        }
        let mut lu = DenseLu::new(dimension);
        lu.values_mut().copy_from_slice(&a);
        lu.factor().unwrap();
        lu.solve(&mut b);
        for i in 0..dimension {
            assert!(
                (b[i] - x[i]).abs() < 1e-10,
                "n = {dimension}, row {i}: {} {}",
                b[i],
                x[i]
            );
        }
    }

    #[test]
    fn random_systems_of_all_sizes() {
        for dimension in (0..=26).chain([63, 64, 65, 130]) {
            check(dimension, dimension as u64 + 7);
        }
    }

    #[test]
    fn zero_diagonal_needs_the_pivoting() {
        let mut lu = DenseLu::new(2);
        lu.values_mut().copy_from_slice(&[0.0, 2.0, 4.0, 0.0]);
        lu.factor().unwrap();
        let mut b = [8.0, 6.0];
        lu.solve(&mut b);
        assert_eq!(b, [3.0, 2.0]);
    }

    #[test]
    fn dependent_and_non_finite_columns_are_named() {
        let mut lu = DenseLu::new(3);
        lu.values_mut()
            .copy_from_slice(&[1.0, 2.0, 3.0, 0.5, 0.25, 0.1, 1.5, 2.25, 3.1]);
        assert_eq!(lu.factor(), Err(SingularColumn { column: 2 }));
        lu.values_mut()
            .copy_from_slice(&[1.0, 0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(lu.factor(), Err(SingularColumn { column: 1 }));
        lu.values_mut().fill(0.0);
        assert_eq!(lu.factor(), Err(SingularColumn { column: 0 }));
    }

    #[test]
    fn nearly_singular_is_still_solved_backward_stably() {
        let mut lu = DenseLu::new(2);
        lu.values_mut()
            .copy_from_slice(&[1.0, 1.0, 1.0, 1.0 + 1e-13]);
        lu.factor().unwrap();
        let mut b = [2.0, 2.0];
        lu.solve(&mut b);
        assert!((b[0] + b[1] - 2.0).abs() < 1e-12);
    }
}

//! Redundant constraint rows of a sparse Jacobian (control plane).
//!
//! Rows g are compared in a metric with an inverse weight per column, ⟨a, b⟩ = Σ a_c w_c b_c, and normalised, so that
//! units of rows do not matter. Each row g in turn is split into its projection on the rows kept so far and the
//! orthogonal remainder r; it depends on them if ‖r‖ ≤ tolerance · ‖g‖. Earlier rows are kept.
//!
//! The projection needs the Cholesky factor of the Gram matrix of kept rows only,
//!
//! ```text
//!     L Lᵀ = G W Gᵀ        L l = G W g        ‖r‖² = 1 − lᵀ l
//! ```
//!
//! It stays as sparse as the mechanism. The difference 1 − lᵀl resolves ‖r‖ only to about 1e-8. If it is small, r
//! itself is formed, r = g − Gᵀ c with Lᵀ c = l, and corrected by its own projection (the corrected semi-normal
//! equations, Björck 1987); that resolves it to rounding.

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

/// A sparse row: (column, value) pairs; a column may repeat, its values add up.
pub type SparseRow = Vec<(usize, f64)>;

/// Largest relative remainder of a dependent row that [`independent_rows`] is usually given.
pub const DEFAULT_TOLERANCE: f64 = 1e-8;

/// Above this 1 − lᵀl the remainder is clear: its rounding error is far smaller.
const CLEAR: f64 = 1e-4;

/// Number of corrections of a small remainder; each gains as many digits as the first projection had.
const CORRECTIONS: usize = 3;

/// Coefficients below this are rounding and do not explain a dependency.
const NEGLIGIBLE: f64 = 1e-10;

/// Which rows depend on earlier ones, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankReport {
    /// Numbers of the dependent rows, ascending.
    pub dependent: Vec<usize>,
    /// For each dependent row the (kept row, coefficient) pairs whose combination it is, in the
    /// rows' own units; empty for a zero row.
    pub combination: Vec<Vec<(usize, f64)>>,
}

/// Finds the rows that depend on earlier rows.
///
/// `weights` holds the inverse weight of each column (for a constraint Jacobian the inverse of the
/// mass or inertia that the column moves); a column beyond it weighs one.
pub fn independent_rows(rows: &[SparseRow], weights: &[f64], tolerance: f64) -> RankReport {
    let columns = rows
        .iter()
        .flatten()
        .map(|&(column, _)| column + 1)
        .max()
        .unwrap_or(0);
    let mut basis = Basis::new(columns);
    let mut report = RankReport::default();
    for (number, row) in rows.iter().enumerate() {
        let (unit, norm) = normalised(row, weights, &mut basis.column_scratch);
        if norm == 0.0 {
            report.dependent.push(number);
            report.combination.push(Vec::new());
        } else if let Some(coefficients) = basis.offer(number, &unit, norm, tolerance) {
            report.dependent.push(number);
            report.combination.push(coefficients);
        }
    }
    report
}

/// The row times √weight, divided by its norm, sorted by column; and that norm.
fn normalised(row: &SparseRow, weights: &[f64], scratch: &mut [f64]) -> (SparseRow, f64) {
    let mut columns = BTreeSet::new();
    for &(column, value) in row {
        let weight = weights.get(column).copied().unwrap_or(1.0).abs().sqrt();
        scratch[column] += value * weight;
        columns.insert(column);
    }
    let mut unit: SparseRow = columns
        .into_iter()
        .map(|column| (column, core::mem::take(&mut scratch[column])))
        .collect();
    unit.retain(|&(_, value)| value != 0.0);
    // scaled by the largest entry first, so that no square under- or overflows
    let largest = unit
        .iter()
        .fold(0.0_f64, |largest, &(_, value)| largest.max(value.abs()));
    if largest == 0.0 {
        return (unit, 0.0);
    }
    let sum: f64 = unit
        .iter()
        .map(|&(_, value)| (value / largest) * (value / largest))
        .sum();
    let norm = largest * sum.sqrt();
    for (_, value) in &mut unit {
        *value /= norm;
    }
    (unit, norm)
}

/// The rows kept so far and the factor of their Gram matrix.
struct Basis {
    /// Numbers and norms of the kept rows.
    kept: Vec<(usize, f64)>,
    rows: Vec<SparseRow>,
    /// By column: (kept row, value).
    by_column: Vec<Vec<(usize, f64)>>,
    /// Off-diagonal entries of L by row and by column, and its diagonal.
    lower_rows: Vec<SparseRow>,
    lower_columns: Vec<SparseRow>,
    diagonal: Vec<f64>,
    /// Zero outside a call.
    column_scratch: Vec<f64>,
}

impl Basis {
    fn new(columns: usize) -> Self {
        Self {
            kept: Vec::new(),
            rows: Vec::new(),
            by_column: vec![Vec::new(); columns],
            lower_rows: Vec::new(),
            lower_columns: Vec::new(),
            diagonal: Vec::new(),
            column_scratch: vec![0.0; columns],
        }
    }

    /// Adds a unit row to the basis, or returns the combination of kept rows that it equals.
    fn offer(
        &mut self,
        number: usize,
        unit: &SparseRow,
        norm: f64,
        tolerance: f64,
    ) -> Option<Vec<(usize, f64)>> {
        let mut l = vec![0.0; self.kept.len()];
        let pattern = self.project(unit, &mut l);
        let squared: f64 = pattern.iter().map(|&k| l[k] * l[k]).sum();
        let mut remainder = (1.0 - squared).max(0.0).sqrt();
        if remainder * remainder <= CLEAR {
            let (coefficients, exact) = self.remainder(unit, &l);
            if exact <= tolerance {
                return Some(self.combination(&coefficients, norm));
            }
            remainder = exact;
        }
        self.keep(
            (number, norm),
            unit,
            pattern.iter().map(|&k| (k, l[k])).collect(),
            remainder,
        );
        None
    }

    /// l = L⁻¹ G v for a sparse v; returns the rows that l touches, ascending.
    fn project(&self, v: &SparseRow, l: &mut [f64]) -> Vec<usize> {
        let mut active = BTreeSet::new();
        for &(column, value) in v {
            for &(row, entry) in &self.by_column[column] {
                l[row] += entry * value;
                active.insert(row);
            }
        }
        let mut touched = Vec::new();
        while let Some(row) = active.pop_first() {
            l[row] /= self.diagonal[row];
            for &(later, entry) in &self.lower_columns[row] {
                l[later] -= entry * l[row];
                active.insert(later);
            }
            touched.push(row);
        }
        touched
    }

    /// c = L⁻ᵀ l in place.
    fn back_substitute(&self, l: &mut [f64]) {
        for row in (0..l.len()).rev() {
            l[row] /= self.diagonal[row];
            for &(earlier, entry) in &self.lower_rows[row] {
                l[earlier] -= entry * l[row];
            }
        }
    }

    /// The coefficients of a row's projection on the basis, and the norm of what remains.
    fn remainder(&mut self, unit: &SparseRow, l: &[f64]) -> (Vec<f64>, f64) {
        let mut coefficients = l.to_vec();
        self.back_substitute(&mut coefficients);
        let mut remainder = self.subtract_combination(unit, &coefficients);
        for _ in 0..CORRECTIONS {
            let mut change = vec![0.0; l.len()];
            self.project(&remainder, &mut change);
            self.back_substitute(&mut change);
            remainder = self.subtract_combination(&remainder, &change);
            for (coefficient, change) in coefficients.iter_mut().zip(change) {
                *coefficient += change;
            }
        }
        let squared: f64 = remainder.iter().map(|&(_, value)| value * value).sum();
        (coefficients, squared.sqrt())
    }

    /// v − Gᵀ c.
    fn subtract_combination(&mut self, v: &SparseRow, coefficients: &[f64]) -> SparseRow {
        let mut columns = BTreeSet::new();
        for &(column, value) in v {
            self.column_scratch[column] = value;
            columns.insert(column);
        }
        for (row, &coefficient) in self.rows.iter().zip(coefficients) {
            if coefficient != 0.0 {
                for &(column, value) in row {
                    self.column_scratch[column] -= value * coefficient;
                    columns.insert(column);
                }
            }
        }
        let scratch = &mut self.column_scratch;
        columns
            .into_iter()
            .map(|column| (column, core::mem::take(&mut scratch[column])))
            .collect()
    }

    /// Coefficients in the rows' own units, without rounding noise.
    fn combination(&self, coefficients: &[f64], norm: f64) -> Vec<(usize, f64)> {
        let kept = self.kept.iter().zip(coefficients);
        kept.filter(|(_, coefficient)| coefficient.abs() > NEGLIGIBLE)
            .map(|(&(row, row_norm), coefficient)| (row, coefficient * norm / row_norm))
            .collect()
    }

    fn keep(&mut self, row: (usize, f64), unit: &SparseRow, lower: SparseRow, diagonal: f64) {
        let index = self.kept.len();
        for &(column, value) in unit {
            self.by_column[column].push((index, value));
        }
        for &(earlier, entry) in &lower {
            self.lower_columns[earlier].push((index, entry));
        }
        self.lower_columns.push(Vec::new());
        self.lower_rows.push(lower);
        self.rows.push(unit.clone());
        self.diagonal.push(diagonal);
        self.kept.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::tests::Random;

    fn sparse(rows: &[&[f64]]) -> Vec<SparseRow> {
        let entries = |row: &&[f64]| {
            row.iter()
                .copied()
                .enumerate()
                .filter(|&(_, value)| value != 0.0)
                .collect()
        };
        rows.iter().map(entries).collect()
    }

    #[test]
    fn planar_parallelogram_with_five_bars() {
        // Velocity constraints of points in a plane: crossbar AB on two cranks, a third crank in
        // the middle is redundant. Unknowns: (x, y, angle) of the crossbar, angle of cranks 1..3;
        // cranks upright of length 2, so their tips move by (-2 angle, 0).
        let rows = sparse(&[
            &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0],
            &[0.0, 1.0, -3.0, 0.0, 0.0, 0.0],
            &[1.0, 0.0, 0.0, 0.0, 2.0, 0.0],
            &[0.0, 1.0, 3.0, 0.0, 0.0, 0.0],
            &[1.0, 0.0, 0.0, 0.0, 0.0, 2.0],
            &[0.0, 1.0, 1.5, 0.0, 0.0, 0.0],
        ]);
        let report = independent_rows(&rows, &[1.0; 6], DEFAULT_TOLERANCE);
        assert_eq!(report.dependent, [5]);
        let combination = &report.combination[0];
        assert_eq!(combination.len(), 2);
        assert_eq!((combination[0].0, combination[1].0), (1, 3));
        assert!((combination[0].1 - 0.25).abs() < 1e-12);
        assert!((combination[1].1 - 0.75).abs() < 1e-12);
    }

    #[test]
    fn earlier_rows_win_whatever_units_rows_and_columns_have() {
        let base = sparse(&[
            &[1.0, 2.0, 0.0],
            &[0.0, 0.0, 0.0],
            &[0.0, 1.0, 1.0],
            &[1.0, 3.0, 1.0],
        ]);
        for factor in [1e-12, 1.0, 1e12] {
            let mut rows = base.clone();
            for (_, value) in &mut rows[3] {
                *value *= factor;
            }
            let report = independent_rows(&rows, &[1e3, 1e-7, 1.0], DEFAULT_TOLERANCE);
            assert_eq!(report.dependent, [1, 3]);
            assert!(report.combination[0].is_empty());
            for (&(row, coefficient), expected) in report.combination[1].iter().zip([0, 2]) {
                assert_eq!(row, expected);
                assert!((coefficient / factor - 1.0).abs() < 1e-7, "{coefficient}");
            }
        }
    }

    #[test]
    fn tolerance_is_on_norms_and_sharp() {
        for (angle, dependent) in [(1e-6, false), (3e-8, false), (3e-9, true), (0.0, true)] {
            let rows = sparse(&[&[1.0, 1.0, 0.0], &[1.0, -1.0, 0.0], &[1.0, 0.5, angle]]);
            let report = independent_rows(&rows, &[], DEFAULT_TOLERANCE);
            assert_eq!(report.dependent.len() == 1, dependent, "angle {angle}");
        }
    }

    #[test]
    fn nearly_dependent_kept_rows_do_not_spoil_later_decisions() {
        // rows 0 and 1 differ by 1e-6; their difference direction is needed to explain row 3
        let rows = sparse(&[
            &[1.0, 0.0, 0.0, 0.0],
            &[1.0, 1e-6, 0.0, 0.0],
            &[0.0, 0.0, 1.0, 0.3],
            &[0.0, 1.0, 1.0, 0.3],
            &[0.0, 1.0, 0.0, 1.0],
        ]);
        let report = independent_rows(&rows, &[1.0; 4], DEFAULT_TOLERANCE);
        assert_eq!(report.dependent, [3]);
        let reached: f64 = report.combination[0]
            .iter()
            .filter(|&&(row, _)| row < 2)
            .map(|&(row, coefficient)| coefficient * if row == 1 { 1e-6 } else { 0.0 })
            .sum();
        assert!((reached - 1.0).abs() < 1e-6, "{reached}");
    }

    /// Rows of a chain: five per joint, on twelve columns of two links; optionally closed by combinations of random
    /// rows.
    fn chain(links: usize, closing: usize, seed: u64) -> Vec<SparseRow> {
        let mut random = Random(seed);
        let mut rows: Vec<SparseRow> = Vec::new();
        for joint in 0..links {
            for _ in 0..5 {
                let start = joint.saturating_sub(1) * 6;
                rows.push(
                    (start..joint * 6 + 6)
                        .map(|c| (c, random.symmetric()))
                        .collect(),
                );
            }
        }
        let open = rows.len();
        for _ in 0..closing {
            let mut row = SparseRow::new();
            for _ in 0..7 {
                let source = (random.next() as usize) % open;
                let factor = random.symmetric() * 10.0;
                row.extend(rows[source].iter().map(|&(c, value)| (c, value * factor)));
            }
            rows.push(row);
        }
        rows
    }

    #[test]
    fn long_chain_with_dependent_closures() {
        let rows = chain(400, 12, 5);
        let report = independent_rows(&rows, &[], DEFAULT_TOLERANCE);
        let expected: Vec<usize> = (2000..2012).collect();
        assert_eq!(report.dependent, expected);
        // every combination reproduces its row
        for (&dependent, combination) in report.dependent.iter().zip(&report.combination) {
            let mut difference = vec![0.0; 2400];
            for &(column, value) in &rows[dependent] {
                difference[column] += value;
            }
            for &(row, coefficient) in combination {
                for &(column, value) in &rows[row] {
                    difference[column] -= coefficient * value;
                }
            }
            assert!(difference.iter().all(|value| value.abs() < 1e-6));
        }
    }
}

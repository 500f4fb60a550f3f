//! Sparse matrices by rows, and their elimination.
//!
//! Pivots are chosen where rows and columns are short (Markowitz), among entries of at least a tenth of the largest
//! entry in their row; rows with a zero remainder are dependent on the rows before.

use crate::matrix::Index;
use faer::Mat;
use fixstep_kernel::simulation::{Entry, SparseMatrix};

/// Smallest pivot, as a fraction of the largest entry in its row.
const PIVOT: f64 = 0.1;

/// A difference below this fraction of its terms is rounding error.
const CANCELLED: f64 = 1e-15;

/// A sparse matrix: for each row, its entries by increasing column.
#[derive(Clone, Debug, Default)]
pub struct Sparse {
    rows: Vec<Vec<(usize, f64)>>,
    columns: usize,
}

impl Sparse {
    /// A zero matrix of this size.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            rows: vec![Vec::new(); rows],
            columns,
        }
    }

    /// The rows and columns in two lists, in their order.
    pub fn of(from: &SparseMatrix, rows: &Index, columns: &Index) -> Self {
        let mut to = Self::zeros(rows.len(), columns.len());
        to.add(from, (rows, columns), ((0, 0), 1.0));
        to
    }

    /// Adds such rows and columns to this matrix from a place on, times a factor.
    pub fn add(
        &mut self,
        from: &SparseMatrix,
        (rows, columns): (&Index, &Index),
        ((row, column), factor): ((usize, usize), f64),
    ) {
        for Entry {
            row: r,
            column: c,
            value,
        } in &from.entries
        {
            if let (Some(r), Some(c)) = (rows.place(*r), columns.place(*c)) {
                self.put(row + r, column + c, value * factor);
            }
        }
    }

    /// Adds to an entry.
    pub fn put(&mut self, row: usize, column: usize, value: f64) {
        let own = &mut self.rows[row];
        match own.binary_search_by_key(&column, |entry| entry.0) {
            Ok(k) => own[k].1 += value,
            Err(k) => own.insert(k, (column, value)),
        }
    }

    /// How many rows.
    pub fn nrows(&self) -> usize {
        self.rows.len()
    }

    /// How many columns.
    pub fn ncols(&self) -> usize {
        self.columns
    }

    /// The entries of a row, by increasing column.
    pub fn row(&self, row: usize) -> &[(usize, f64)] {
        &self.rows[row]
    }

    /// An entry on the diagonal.
    pub fn diagonal(&self, k: usize) -> f64 {
        let found = self.rows[k].iter().find(|entry| entry.0 == k);
        found.map_or(0.0, |entry| entry.1)
    }

    /// The same matrix with scaled rows and columns.
    #[must_use]
    pub fn scaled(mut self, rows: &[f64], columns: &[f64]) -> Self {
        for (row, by) in self.rows.iter_mut().zip(rows) {
            for (column, value) in row {
                *value *= by * columns[*column];
            }
        }
        self
    }

    /// Some of its rows and columns, in the order of two lists.
    #[must_use]
    pub fn pick(&self, rows: &[usize], columns: &[usize]) -> Self {
        let columns = Index::new(columns.to_vec(), self.columns);
        let picked = rows.iter().map(|row| {
            let own = self.rows[*row].iter();
            let mut own: Vec<(usize, f64)> = own
                .filter_map(|(c, value)| Some((columns.place(*c)?, *value)))
                .collect();
            own.sort_by_key(|entry| entry.0);
            own
        });
        Self {
            rows: picked.collect(),
            columns: columns.len(),
        }
    }

    /// As a dense matrix.
    pub fn dense(&self) -> Mat<f64> {
        let mut to = Mat::zeros(self.nrows(), self.columns);
        for (r, row) in self.rows.iter().enumerate() {
            for (c, value) in row {
                to[(r, *c)] = *value;
            }
        }
        to
    }

    /// The product with a dense matrix.
    pub fn times(&self, by: &Mat<f64>) -> Mat<f64> {
        let mut to = Mat::zeros(self.nrows(), by.ncols());
        for c in 0..by.ncols() {
            let column = by.col(c);
            for (r, row) in self.rows.iter().enumerate() {
                to[(r, c)] = row.iter().map(|(k, value)| value * column[*k]).sum();
            }
        }
        to
    }

    /// The largest magnitude; NaN if an entry is NaN.
    pub fn largest(&self) -> f64 {
        let all = self.rows.iter().flatten();
        all.fold(
            0.0_f64,
            |most, (_, x)| {
                if x.is_nan() { *x } else { most.max(x.abs()) }
            },
        )
    }
}

/// A pivot of an elimination.
#[derive(Clone, Debug)]
struct Pivot {
    row: usize,
    column: usize,
    value: f64,
    /// The rest of its row.
    rest: Vec<(usize, f64)>,
    /// By which multiple it is subtracted from each remaining row.
    taken: Vec<(usize, f64)>,
}

/// The elimination of a matrix.
#[derive(Clone, Debug)]
pub struct Elimination {
    pivots: Vec<Pivot>,
    columns: usize,
}

impl Elimination {
    /// Eliminates a matrix; rows with a remainder below `least` are dependent.
    pub fn new(of: &Sparse, least: f64) -> Self {
        let mut rows: Vec<Option<Vec<(usize, f64)>>> = of.rows.iter().cloned().map(Some).collect();
        let mut counts = vec![0_usize; of.columns];
        for (column, _) in of.rows.iter().flatten() {
            counts[*column] += 1;
        }
        let mut pivots = Vec::new();
        while let Some(row) = shortest(&rows) {
            let own = rows[row].take().unwrap_or_default();
            for (column, _) in &own {
                counts[*column] -= 1;
            }
            let Some((column, value)) = pivot(&own, &counts, least) else {
                continue;
            };
            let rest: Vec<(usize, f64)> = { own.iter() }
                .filter(|entry| entry.0 != column)
                .copied()
                .collect();
            let mut taken = Vec::new();
            for (r, other) in rows.iter_mut().enumerate() {
                let Some(other) = other else { continue };
                let Ok(k) = other.binary_search_by_key(&column, |entry| entry.0) else {
                    continue;
                };
                let factor = other.remove(k).1 / value;
                counts[column] -= 1;
                *other = less(other, &rest, factor, &mut counts);
                taken.push((r, factor));
            }
            pivots.push(Pivot {
                row,
                column,
                value,
                rest,
                taken,
            });
        }
        Self {
            pivots,
            columns: of.columns,
        }
    }

    /// The rows of pivots, which are independent, in no particular order.
    pub fn rows(&self) -> Vec<usize> {
        self.pivots.iter().map(|pivot| pivot.row).collect()
    }

    /// Their columns.
    pub fn pivot_columns(&self) -> Vec<usize> {
        self.pivots.iter().map(|pivot| pivot.column).collect()
    }

    /// A solution for each column of right-hand sides; unknowns without a pivot are zero.
    pub fn solve(&self, given: &Mat<f64>) -> Mat<f64> {
        let mut solved = Mat::zeros(self.columns, given.ncols());
        let mut left = vec![0.0; given.nrows()];
        for c in 0..given.ncols() {
            for (r, x) in left.iter_mut().enumerate() {
                *x = given[(r, c)];
            }
            for pivot in &self.pivots {
                let own = left[pivot.row];
                for (row, factor) in &pivot.taken {
                    left[*row] -= factor * own;
                }
            }
            for pivot in self.pivots.iter().rev() {
                let rest = pivot.rest.iter();
                let known: f64 = rest.map(|(k, value)| value * solved[(*k, c)]).sum();
                solved[(pivot.column, c)] = (left[pivot.row] - known) / pivot.value;
            }
        }
        solved
    }

    /// A basis of the null space: for each column without a pivot, the vector in which it is one.
    pub fn null_space(&self, free: &[usize]) -> Mat<f64> {
        let mut basis = Mat::zeros(self.columns, free.len());
        for (c, own) in free.iter().enumerate() {
            basis[(*own, c)] = 1.0;
            for pivot in self.pivots.iter().rev() {
                let rest = pivot.rest.iter();
                let known: f64 = rest.map(|(k, value)| value * basis[(*k, c)]).sum();
                basis[(pivot.column, c)] = -known / pivot.value;
            }
        }
        basis
    }
}

/// The row with the fewest entries.
fn shortest(rows: &[Option<Vec<(usize, f64)>>]) -> Option<usize> {
    let left = rows.iter().enumerate();
    let left = left.filter_map(|(r, row)| Some((row.as_ref()?.len(), r)));
    left.min().map(|(_, r)| r)
}

/// The entry of a row that is large enough and whose column is the shortest.
fn pivot(row: &[(usize, f64)], counts: &[usize], least: f64) -> Option<(usize, f64)> {
    let most = row.iter().fold(0.0_f64, |most, (_, x)| most.max(x.abs()));
    if most.is_nan() || most <= least {
        return None;
    }
    let large = row.iter().filter(|(_, x)| x.abs() >= PIVOT * most);
    large.min_by_key(|(column, _)| counts[*column]).copied()
}

/// Subtracts a multiple of a row from another.
fn less(
    row: &[(usize, f64)],
    other: &[(usize, f64)],
    factor: f64,
    counts: &mut [usize],
) -> Vec<(usize, f64)> {
    let mut to = Vec::with_capacity(row.len() + other.len());
    let (mut a, mut b) = (row.iter().peekable(), other.iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (Some((c, x)), Some((d, y))) if c == d => {
                let (own, taken) = (*x, factor * y);
                let value = own - taken;
                if value.abs() > CANCELLED * (own.abs() + taken.abs()) || value.is_nan() {
                    to.push((*c, value));
                } else {
                    counts[*c] -= 1;
                }
                a.next();
                b.next();
            }
            (Some((c, x)), d) if d.is_none_or(|(d, _)| c < d) => {
                to.push((*c, *x));
                a.next();
            }
            (_, Some((d, y))) => {
                to.push((*d, -factor * y));
                counts[*d] += 1;
                b.next();
            }
            (_, None) => return to,
        }
    }
}

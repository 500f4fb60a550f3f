//! Removes roots that are exactly zero, and returns the matrix of the others.
//!
//! Let V be a basis of the null space of A that is the unit matrix in some rows f, and V_d in the other rows d. Then
//!
//! ```text
//! A' = A_dd − V_d A_fd                                                                      (LIN-21)
//! ```
//! has the roots of A, except one zero for each column of V. A double zero leaves one in A', which is removed in the
//! same way.

use super::balance::power_of_two;
use crate::matrix::pick_rows;
use faer::linalg::solvers::SolveLstsq;
use faer::{Mat, c64};

/// A matrix with rows and columns of similar size is singular if a pivot is below this fraction of the largest one.
const RANK: f64 = 1e-12;

/// Pivots that differ by less than this fraction are equal: the first is taken.
const ALIKE: f64 = 1e-6;

/// One step of (LIN-21).
#[derive(Debug)]
pub struct Deflation {
    /// The rows d.
    pub kept: Vec<usize>,
    /// The rows f.
    pub free: Vec<usize>,
    /// V, with all rows.
    pub basis: Mat<f64>,
    /// A_fd.
    feed: Mat<f64>,
}

impl Deflation {
    /// Computes A' and how to transform its vectors back.
    pub fn of(a: &Mat<f64>, basis: Mat<f64>, free: Vec<usize>) -> (Self, Mat<f64>) {
        let n = a.nrows();
        let mut is_free = vec![false; n];
        for k in &free {
            is_free[*k] = true;
        }
        let kept: Vec<usize> = (0..n).filter(|k| !is_free[*k]).collect();
        let m = kept.len();
        let feed = Mat::from_fn(free.len(), m, |r, c| a[(free[r], kept[c])]);
        let own = Mat::from_fn(m, free.len(), |r, c| basis[(kept[r], c)]);
        let mut rest = Mat::from_fn(m, m, |r, c| a[(kept[r], kept[c])]);
        rest -= own * &feed;
        let this = Self {
            kept,
            free,
            basis,
            feed,
        };
        (this, rest)
    }

    /// The right-hand side of A' that corresponds to one of A: R_d − V_d R_f; and R_f.
    pub fn driven(&self, given: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
        let (own, fed) = (pick_rows(given, &self.kept), pick_rows(given, &self.free));
        let along = pick_rows(&self.basis, &self.kept) * &fed;
        (own - along, fed)
    }

    /// A_fd.
    pub fn feed(&self) -> &Mat<f64> {
        &self.feed
    }

    /// x, from w = x_d − V_d x_f and x_f.
    pub fn whole(&self, own: &Mat<f64>, free: &Mat<f64>) -> Mat<f64> {
        let mut all = &self.basis * free;
        for (r, k) in self.kept.iter().enumerate() {
            for c in 0..own.ncols() {
                all[(*k, c)] += own[(r, c)];
            }
        }
        all
    }

    /// The right eigenvector of A for one of A'.
    pub fn right(&self, of: &[c64], root: c64) -> Vec<c64> {
        let mut all = vec![c64::new(0.0, 0.0); self.kept.len() + self.free.len()];
        for (k, x) in self.kept.iter().zip(of) {
            all[*k] = *x;
        }
        if root.re == 0.0 && root.im == 0.0 {
            return all;
        }
        for f in 0..self.free.len() {
            let fed = of.iter().enumerate();
            let fed = fed.fold(c64::new(0.0, 0.0), |sum, (c, x)| {
                sum + *x * self.feed[(f, c)]
            });
            let share = fed / root;
            for (r, x) in all.iter_mut().enumerate() {
                *x += share * self.basis[(r, f)];
            }
        }
        all
    }

    /// The left eigenvector of A for one of A'. It is orthogonal to V.
    pub fn left(&self, of: &[c64]) -> Vec<c64> {
        let mut all = vec![c64::new(0.0, 0.0); self.kept.len() + self.free.len()];
        for (k, x) in self.kept.iter().zip(of) {
            all[*k] = *x;
        }
        for (f, k) in self.free.iter().enumerate() {
            let along = self.kept.iter().zip(of);
            all[*k] = along.fold(c64::new(0.0, 0.0), |sum, (row, x)| {
                sum - *x * self.basis[(*row, f)]
            });
        }
        all
    }
}

/// Removes zeros until none is left: returns the steps and the remaining matrix. The first `positions` states may be
/// positions whose rates are the next states.
pub fn levels(a: &Mat<f64>, positions: usize) -> (Vec<Deflation>, Mat<f64>) {
    let mut levels = Vec::new();
    let mut rest = a.clone();
    let mut null = first_null_space(&rest, positions);
    while let Some((basis, free)) = null {
        let (level, smaller) = Deflation::of(&rest, basis, free);
        levels.push(level);
        rest = smaller;
        null = null_space(&rest);
    }
    (levels, rest)
}

/// The rows of positions say v = 0, so only the other rows matter.
fn first_null_space(a: &Mat<f64>, positions: usize) -> Option<(Mat<f64>, Vec<usize>)> {
    let (n, f) = (a.nrows(), positions);
    let unit = |r: usize, c: usize| if c == f + r { 1.0 } else { 0.0 };
    let rates = 2 * f <= n && (0..f).all(|r| (0..n).all(|c| a[(r, c)] == unit(r, c)));
    if !rates || f == 0 {
        return null_space(a);
    }
    let place = |c: usize| if c < f { c } else { f + c };
    let (small, free) = null_space(&Mat::from_fn(n - f, n - f, |r, c| a[(f + r, place(c))]))?;
    let mut basis = Mat::zeros(n, small.ncols());
    for c in 0..small.ncols() {
        for r in 0..small.nrows() {
            basis[(place(r), c)] = small[(r, c)];
        }
    }
    Some((basis, free.into_iter().map(place).collect()))
}

/// A basis of the null space of a square matrix, and the rows in which it is the unit matrix; `None` if the matrix is
/// regular.
pub fn null_space(of: &Mat<f64>) -> Option<(Mat<f64>, Vec<usize>)> {
    let n = of.ncols();
    if n == 0 {
        return None;
    }
    let (even, columns) = equilibrated(of);
    let factor = even.col_piv_qr();
    let triangle = factor.thin_R();
    let most = triangle[(0, 0)].abs();
    let counts = |k: &usize| triangle[(*k, *k)].abs() > RANK * most;
    let rank = (0..n).take_while(counts).count();
    if rank == n {
        return None;
    }
    let order = factor.P().arrays().0;
    let mut basis = Mat::zeros(n, n - rank);
    if rank > 0 {
        let head = Mat::from_fn(n, rank, |r, c| even[(r, order[c])]);
        let tail = Mat::from_fn(n, n - rank, |r, c| even[(r, order[rank + c])]);
        let solved = head.col_piv_qr().solve_lstsq(&tail);
        for c in 0..n - rank {
            for r in 0..rank {
                basis[(order[r], c)] = -solved[(r, c)];
            }
        }
    }
    for c in 0..n - rank {
        basis[(order[rank + c], c)] = 1.0;
    }
    let free = to_units(&mut basis);
    // Undoes the scaling of columns; the unit rows remain unit rows.
    for (c, own) in free.iter().enumerate() {
        for r in 0..n {
            basis[(r, c)] *= columns[r] / columns[*own];
        }
    }
    Some((basis, free))
}

/// Scales rows and columns of a matrix to similar size by powers of two; also returns the factors of the columns.
fn equilibrated(of: &Mat<f64>) -> (Mat<f64>, Vec<f64>) {
    let (m, n) = (of.nrows(), of.ncols());
    let mut even = of.clone();
    let mut columns = vec![1.0; n];
    for _ in 0..3 {
        for r in 0..m {
            let most = (0..n).fold(0.0_f64, |most, c| most.max(even[(r, c)].abs()));
            let factor = inverse(most);
            for c in 0..n {
                even[(r, c)] *= factor;
            }
        }
        for (c, column) in columns.iter_mut().enumerate() {
            let most = (0..m).fold(0.0_f64, |most, r| most.max(even[(r, c)].abs()));
            let factor = inverse(most);
            *column *= factor;
            for r in 0..m {
                even[(r, c)] *= factor;
            }
        }
    }
    (even, columns)
}

fn inverse(of: f64) -> f64 {
    if of > 0.0 && of.is_finite() {
        1.0 / power_of_two(of)
    } else {
        1.0
    }
}

/// Changes the basis of a span so that some rows are the unit matrix, and returns these rows in the order of the
/// columns. Large rows are chosen first, and the first of equal ones.
pub fn to_units(basis: &mut Mat<f64>) -> Vec<usize> {
    let (n, count) = (basis.nrows(), basis.ncols());
    let mut taken: Vec<usize> = Vec::new();
    for done in 0..count {
        let open = |r: &usize| !taken.contains(r);
        let size = |r: usize| (done..count).fold(0.0_f64, |most, c| most.max(basis[(r, c)].abs()));
        let most = (0..n)
            .filter(open)
            .fold(0.0_f64, |most, r| most.max(size(r)));
        let wanted = (1.0 - ALIKE) * most;
        let Some(row) = (0..n).filter(open).find(|r| size(*r) >= wanted) else {
            break;
        };
        let column = (done..count).find(|c| basis[(row, *c)].abs() >= wanted);
        let column = column.unwrap_or(done);
        for r in 0..n {
            let x = basis[(r, column)];
            basis[(r, column)] = basis[(r, done)];
            basis[(r, done)] = x;
        }
        let pivot = basis[(row, done)];
        for r in 0..n {
            basis[(r, done)] /= pivot;
        }
        for c in (0..count).filter(|c| *c != done) {
            let share = basis[(row, c)];
            if share == 0.0 {
                continue;
            }
            for r in 0..n {
                let x = share * basis[(r, done)];
                basis[(r, c)] -= x;
            }
            basis[(row, c)] = 0.0;
        }
        taken.push(row);
    }
    // Rounding errors become zero.
    for c in 0..count {
        for r in 0..n {
            if basis[(r, c)].abs() < 1e-13 {
                basis[(r, c)] = 0.0;
            }
        }
    }
    taken
}

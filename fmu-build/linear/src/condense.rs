//! Which coordinates are states, and how all others follow from them.
//!
//! Displacements are measured in √(mass) (rotations in √(moment of inertia), modal coordinates in √(modal mass)), so that
//! lengths and angles compare. With G of full row rank on dependent columns d and independent ones i,
//!
//! ```text
//! G δq = c:     δq = T δq_i + P c,      T = [ −G_d⁺ G_i; 1 ],   P = [ G_d⁺; 0 ]              (LIN-1)
//! ```
//! Independent are the coordinates that carry most of the motion: from a basis of the null space of G, by rows of
//! largest rest (Businger, Golub 1965).

use crate::matrix::{pick_columns, pick_rows};
use faer::Mat;
use faer::linalg::solvers::{ColPivQr, SolveLstsq};

/// Part of the largest pivot below which a row of constraints counts as dependent.
const RANK: f64 = 1e-9;

/// Rests that differ by less than this part are alike: the first counts.
const ALIKE: f64 = 1e-6;

/// What constraints leave free.
#[derive(Debug)]
pub struct Condensation {
    /// Coordinates that are states, in their order.
    pub independent: Vec<usize>,
    /// The others.
    pub dependent: Vec<usize>,
    /// Rows of constraints that are independent, in their order.
    pub held: Vec<usize>,
    /// T of (LIN-1), all coordinates by the independent ones.
    pub map: Mat<f64>,
    /// G_d, scaled by rows, factored.
    factor: Option<ColPivQr<f64>>,
    /// Factors of rows and of dependent coordinates.
    row_scale: Vec<f64>,
    scale: Vec<f64>,
    coordinates: usize,
}

impl Condensation {
    /// Of constraints by coordinates whose units have so much √(mass).
    pub fn new(gradient: &Mat<f64>, scale: &[f64]) -> Self {
        let (m, n) = (gradient.nrows(), gradient.ncols());
        let mut scaled = Mat::from_fn(m, n, |r, c| gradient[(r, c)] / scale[c]);
        let mut row_scale = vec![1.0; m];
        for r in 0..m {
            let length = (0..n)
                .map(|c| scaled[(r, c)] * scaled[(r, c)])
                .sum::<f64>()
                .sqrt();
            if length > 0.0 {
                row_scale[r] = 1.0 / length;
                for c in 0..n {
                    scaled[(r, c)] /= length;
                }
            }
        }
        let (first_dependent, held) = pivots(&scaled);
        let rank = first_dependent.len();
        let basis = null_space(&pick_rows(&scaled, &held), &first_dependent);
        let mut independent = widest(&basis, n - rank);
        independent.sort_unstable();
        let mut is_state = vec![false; n];
        for k in &independent {
            is_state[*k] = true;
        }
        let dependent: Vec<usize> = (0..n).filter(|k| !is_state[*k]).collect();
        let rows = pick_rows(&scaled, &held);
        let factor = (rank > 0).then(|| pick_columns(&rows, &dependent).col_piv_qr());
        let mut condensation = Self {
            map: Mat::zeros(n, independent.len()),
            independent,
            dependent,
            held,
            factor,
            row_scale,
            scale: scale.to_vec(),
            coordinates: n,
        };
        let own = pick_columns(gradient, &condensation.independent);
        let mut map = condensation.particular(&own);
        for r in 0..map.nrows() {
            for c in 0..map.ncols() {
                map[(r, c)] = -map[(r, c)];
            }
        }
        for (c, k) in condensation.independent.iter().enumerate() {
            map[(*k, c)] = 1.0;
        }
        condensation.map = map;
        condensation
    }

    /// P c of (LIN-1), by columns of c: the rows of all constraints.
    pub fn particular(&self, given: &Mat<f64>) -> Mat<f64> {
        let mut all = Mat::zeros(self.coordinates, given.ncols());
        let Some(factor) = &self.factor else {
            return all;
        };
        let scaled = Mat::from_fn(self.held.len(), given.ncols(), |r, c| {
            let row = self.held[r];
            given[(row, c)] * self.row_scale[row]
        });
        let solved = factor.solve_lstsq(&scaled);
        for (r, k) in self.dependent.iter().enumerate() {
            for c in 0..given.ncols() {
                all[(*k, c)] = solved[(r, c)] / self.scale[*k];
            }
        }
        all
    }
}

/// Dependent columns and independent rows, by pivots.
fn pivots(scaled: &Mat<f64>) -> (Vec<usize>, Vec<usize>) {
    let (m, n) = (scaled.nrows(), scaled.ncols());
    if m == 0 || n == 0 {
        return (Vec::new(), Vec::new());
    }
    let columns = leading(scaled);
    let rows = leading(&pick_columns(scaled, &columns).transpose().to_owned());
    let mut held = rows;
    held.sort_unstable();
    (columns, held)
}

/// The columns that a factorisation with pivots of columns takes first, as many as are independent.
fn leading(of: &Mat<f64>) -> Vec<usize> {
    let factor = of.col_piv_qr();
    let triangle = factor.thin_R();
    let most = triangle[(0, 0)].abs();
    let size = triangle.nrows().min(triangle.ncols());
    let counts = |k: &usize| triangle[(*k, *k)].abs() > RANK * most;
    let rank = (0..size).take_while(counts).count();
    let (order, _) = factor.P().arrays();
    order[..rank].to_vec()
}

/// A basis of the null space of rows of full rank, by columns.
fn null_space(rows: &Mat<f64>, dependent: &[usize]) -> Mat<f64> {
    let n = rows.ncols();
    let mut held = vec![false; n];
    for k in dependent {
        held[*k] = true;
    }
    let free: Vec<usize> = (0..n).filter(|k| !held[*k]).collect();
    let mut basis = Mat::zeros(n, free.len());
    for (c, k) in free.iter().enumerate() {
        basis[(*k, c)] = 1.0;
    }
    if dependent.is_empty() || free.is_empty() {
        return basis;
    }
    let factor = pick_columns(rows, dependent).col_piv_qr();
    let solved = factor.solve_lstsq(&pick_columns(rows, &free));
    for (r, k) in dependent.iter().enumerate() {
        for c in 0..free.len() {
            basis[(*k, c)] = -solved[(r, c)];
        }
    }
    // Orthonormal columns: a row is then the share that a coordinate has of every motion.
    let thin = basis.qr().compute_thin_Q();
    thin
}

/// So many rows of a matrix with orthonormal columns that span all of it: one after another that of the largest rest.
fn widest(basis: &Mat<f64>, count: usize) -> Vec<usize> {
    let (n, f) = (basis.nrows(), basis.ncols());
    let mut rest: Vec<Vec<f64>> = (0..n)
        .map(|r| (0..f).map(|c| basis[(r, c)]).collect())
        .collect();
    let mut taken = Vec::new();
    for _ in 0..count {
        let sizes: Vec<f64> = rest
            .iter()
            .map(|row| row.iter().map(|x| x * x).sum())
            .collect();
        let most = sizes.iter().fold(0.0_f64, |most, x| most.max(*x));
        let Some(best) = sizes.iter().position(|x| *x >= (1.0 - ALIKE) * most) else {
            break;
        };
        let length = sizes[best].sqrt().max(f64::MIN_POSITIVE);
        let unit: Vec<f64> = rest[best].iter().map(|x| x / length).collect();
        for row in &mut rest {
            let along: f64 = row.iter().zip(&unit).map(|(a, b)| a * b).sum();
            for (x, u) in row.iter_mut().zip(&unit) {
                *x -= along * u;
            }
        }
        rest[best].fill(0.0);
        taken.push(best);
    }
    taken
}

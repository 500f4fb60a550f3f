//! Chooses the coordinates that are states, and expresses all others by them.
//!
//! Displacements are scaled by √(mass), rotations by √(moment of inertia) and modal coordinates by √(modal mass), so
//! that lengths and angles can be compared. If G has full row rank on the dependent columns d, and i are the
//! independent ones,
//!
//! ```text
//! G δq = c:     δq = T δq_i + P c,      T = [ −G_d⁺ G_i; 1 ],   P = [ G_d⁺; 0 ]              (LIN-1)
//! ```
//! The independent coordinates are those that carry most of the motion: the rows of a basis of the null space of G
//! with the largest remainder (Businger, Golub 1965).

use crate::sparse::{Elimination, Sparse};
use faer::Mat;

/// A constraint row of length one is dependent if its remainder is below this.
const RANK: f64 = 1e-9;

/// Remainders that differ by less than this fraction are equal: the first is taken.
const ALIKE: f64 = 1e-6;

/// The motions that constraints leave free.
#[derive(Debug)]
pub struct Condensation {
    /// Coordinates that are states, in order.
    pub independent: Vec<usize>,
    /// The other coordinates.
    pub dependent: Vec<usize>,
    /// Independent rows of constraints, in order.
    pub held: Vec<usize>,
    /// T of (LIN-1): all coordinates as functions of the independent ones.
    pub map: Mat<f64>,
    /// Elimination of the scaled G_d.
    factor: Elimination,
    /// Scale factors of rows and of dependent coordinates.
    row_scale: Vec<f64>,
    scale: Vec<f64>,
    coordinates: usize,
}

impl Condensation {
    /// Makes them from the gradient of the constraints; `scale` is √(mass) of each coordinate.
    pub fn new(gradient: &Sparse, scale: &[f64]) -> Self {
        Self::with(gradient, scale, &[])
    }

    /// The same, where these coordinates, which the constraints must leave independent, are among the states.
    pub fn with(gradient: &Sparse, scale: &[f64], chosen: &[usize]) -> Self {
        let n = gradient.ncols();
        let columns: Vec<f64> = scale.iter().map(|x| 1.0 / x).collect();
        let length = |row: usize| {
            let own = gradient.row(row).iter();
            let squares = own.map(|(c, x)| (x * columns[*c]) * (x * columns[*c]));
            let length = squares.sum::<f64>().sqrt();
            if length > 0.0 { 1.0 / length } else { 1.0 }
        };
        let row_scale: Vec<f64> = (0..gradient.nrows()).map(length).collect();
        let scaled = gradient.clone().scaled(&row_scale, &columns);
        let all = Elimination::new(&scaled, RANK);
        let mut held = all.rows();
        held.sort_unstable();
        let free = others(&all.pivot_columns(), n);
        let independent = if held.is_empty() {
            free
        } else {
            // The columns are orthonormal, so a row shows the share of a coordinate in every motion.
            let basis = orthonormal(all.null_space(&free));
            let mut widest = widest(&basis, n - held.len(), chosen);
            widest.sort_unstable();
            widest
        };
        let dependent = others(&independent, n);
        let factor = Elimination::new(&scaled.pick(&held, &dependent), 0.0);
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
        let rows: Vec<usize> = (0..gradient.nrows()).collect();
        let own = gradient.pick(&rows, &condensation.independent).dense();
        condensation.map = -condensation.particular(&own);
        for (c, k) in condensation.independent.iter().enumerate() {
            condensation.map[(*k, c)] = 1.0;
        }
        condensation
    }

    /// P c of (LIN-1), for columns c with a row for each constraint.
    pub fn particular(&self, given: &Mat<f64>) -> Mat<f64> {
        let scaled = Mat::from_fn(self.held.len(), given.ncols(), |r, c| {
            let row = self.held[r];
            given[(row, c)] * self.row_scale[row]
        });
        let solved = self.factor.solve(&scaled);
        let mut all = Mat::zeros(self.coordinates, given.ncols());
        for (r, k) in self.dependent.iter().enumerate() {
            for c in 0..given.ncols() {
                all[(*k, c)] = solved[(r, c)] / self.scale[*k];
            }
        }
        all
    }
}

/// All indices below `of` that are not in a list.
fn others(than: &[usize], of: usize) -> Vec<usize> {
    let mut listed = vec![false; of];
    for k in than {
        listed[*k] = true;
    }
    (0..of).filter(|k| !listed[*k]).collect()
}

/// Orthonormal columns with the same span; columns that share no row are orthogonal already.
fn orthonormal(mut basis: Mat<f64>) -> Mat<f64> {
    let apart = (0..basis.nrows()).all(|r| {
        let own = (0..basis.ncols()).filter(|c| basis[(r, *c)] != 0.0);
        own.count() <= 1
    });
    if !apart {
        return basis.qr().compute_thin_Q();
    }
    for c in 0..basis.ncols() {
        let length = basis.col(c).norm_l2();
        for r in 0..basis.nrows() {
            basis[(r, c)] /= length;
        }
    }
    basis
}

/// Selects `count` rows that span a matrix with orthonormal columns: one after another, the row with the largest
/// remainder, after those that are chosen. The work grows with the number of nonzero entries only.
fn widest(basis: &Mat<f64>, count: usize, chosen: &[usize]) -> Vec<usize> {
    let (n, f) = (basis.nrows(), basis.ncols());
    let mut rest: Vec<Vec<f64>> = (0..n)
        .map(|r| (0..f).map(|c| basis[(r, c)]).collect())
        .collect();
    let size = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
    let mut sizes: Vec<f64> = rest.iter().map(|row| size(row)).collect();
    let mut taken = Vec::new();
    for k in 0..count {
        let most = sizes.iter().fold(0.0_f64, |most, x| most.max(*x));
        let next = || sizes.iter().position(|x| *x >= (1.0 - ALIKE) * most);
        let Some(best) = chosen.get(k).copied().or_else(next) else {
            break;
        };
        let length = sizes[best].sqrt().max(f64::MIN_POSITIVE);
        let unit = rest[best].iter().map(|x| x / length).enumerate();
        let unit: Vec<(usize, f64)> = unit.filter(|(_, u)| *u != 0.0).collect();
        for (row, own) in rest.iter_mut().zip(&mut sizes) {
            let along: f64 = unit.iter().map(|(c, u)| row[*c] * u).sum();
            if along == 0.0 {
                continue;
            }
            for (c, u) in &unit {
                row[*c] -= along * u;
            }
            *own = size(row);
        }
        rest[best].fill(0.0);
        sizes[best] = 0.0;
        taken.push(best);
    }
    taken
}

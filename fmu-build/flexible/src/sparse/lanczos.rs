//! Control plane: the lowest modes of K x = λ M x by shift-invert block Lanczos.
//!
//! The Krylov space of (K + s M)⁻¹ M, orthonormal in M, is kept whole (every vector is orthogonalised
//! twice against all others) and, when it reaches its limit, condensed to the vectors wanted (thick
//! restart; Wu & Simon, SIAM J. Matrix Anal. Appl. 22, 2000). Start vectors are seeded constants.

use faer::Mat;

use super::columns::dot;
use super::dense::{graded, symmetric};
use super::factor::FactorError;
use super::pencil::Part;
use super::{Columns, Factor, Pencil};

/// Vectors per block: this many equal frequencies are found at once.
const BLOCK: usize = 4;
/// Vectors shorter than this, relative to their image before orthogonalisation, are rounding.
const NOTHING: f64 = 1e-12;
/// Spaces up to this size are never condensed: they end with all existing modes.
const SMALL: usize = 600;
/// Largest ‖(K + s M)⁻¹ M x − θ x‖ in M against θ of a mode that is accepted. The part along a lower mode is weighted
/// by the part of that mode in x: θ of the lower one can be larger by many decades, and rounding with it.
pub const RESIDUAL: f64 = 1e-9;
/// Blocks per wanted mode after which the iteration gives up.
const PATIENCE: usize = 60;

/// The lowest modes: λ in ascending order, vectors with modal mass one.
#[derive(Clone, Debug)]
pub struct Modes {
    /// λ [rad²/s²].
    pub values: Vec<f64>,
    /// A column per mode.
    pub vectors: Columns,
}

/// Why modes were not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModeError {
    /// xᵀ M x is below zero.
    #[error("the mass matrix is not positive semidefinite")]
    Mass,
    /// The iteration did not end.
    #[error("{found} of {wanted} modes converged")]
    Slow {
        /// Modes that did converge.
        found: usize,
        /// Modes wanted.
        wanted: usize,
    },
    /// No factor.
    #[error(transparent)]
    Factor(#[from] FactorError),
}

/// The lowest modes: fewer than `wanted` if the mass matrix does not have so many. `residual` is usually
/// [`RESIDUAL`].
pub fn lowest(
    pencil: &Pencil,
    factor: &Factor<'_>,
    shift: f64,
    wanted: usize,
    residual: f64,
    progress: &mut dyn FnMut(f64),
) -> Result<Modes, ModeError> {
    let mut space = Space::new(pencil, factor, wanted);
    space.residual = residual;
    if wanted > 0 {
        space.fill_up()?;
        for round in 0..PATIENCE * (wanted + 1) {
            space.expand()?;
            let converged = space.converged()?;
            progress((converged as f64 / wanted as f64).min(1.0));
            if converged >= wanted || (space.exhausted && !space.renew()?) {
                break;
            }
            if round + 1 == PATIENCE * (wanted + 1) {
                return Err(ModeError::Slow {
                    found: converged,
                    wanted,
                });
            }
            space.restart()?;
        }
    }
    space.modes(shift)
}

struct Space<'a> {
    pencil: &'a Pencil,
    factor: &'a Factor<'a>,
    wanted: usize,
    residual: f64,
    /// V, with Vᵀ M V = 1.
    basis: Columns,
    /// M V.
    weighted: Columns,
    /// Vᵀ M (K + s M)⁻¹ M V, as far as known.
    projected: Mat<f64>,
    /// Vectors whose image is known.
    expanded: usize,
    /// The part of the image of the last expanded block that is outside the space.
    coupling: Mat<f64>,
    /// Where that block begins.
    last: usize,
    /// The space holds the images of all its vectors.
    exhausted: bool,
    seed: u64,
}

impl<'a> Space<'a> {
    fn new(pencil: &'a Pencil, factor: &'a Factor<'a>, wanted: usize) -> Self {
        let n = pencil.size();
        Self {
            pencil,
            factor,
            wanted,
            residual: RESIDUAL,
            basis: Columns::new(n),
            weighted: Columns::new(n),
            projected: Mat::zeros(0, 0),
            expanded: 0,
            coupling: Mat::zeros(0, 0),
            last: 0,
            exhausted: false,
            seed: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Most vectors at once.
    fn limit(&self) -> usize {
        let usual = (2 * self.wanted + 4 * BLOCK).max(self.wanted + 40);
        usual.max(self.pencil.size().min(SMALL))
    }

    /// Fresh vectors in the range of the operator.
    fn fill_up(&mut self) -> Result<(), ModeError> {
        let mut block = Columns::new(self.pencil.size());
        for _ in 0..BLOCK.min(self.pencil.size()) {
            let column: Vec<f64> = (0..self.pencil.size()).map(|_| self.random()).collect();
            block.push(&self.pencil.product(Part::Mass, &column));
        }
        self.factor.solve(&mut block)?;
        self.append(block)?;
        Ok(())
    }

    /// Numbers between −1 and 1 (xorshift64*, Vigna 2016).
    fn random(&mut self) -> f64 {
        self.seed ^= self.seed >> 12;
        self.seed ^= self.seed << 25;
        self.seed ^= self.seed >> 27;
        let bits = self.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        bits as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Orthonormalises a block against the space and within itself and appends it; returns its coefficients in the
    /// appended vectors, and in the existing ones.
    fn append(&mut self, mut block: Columns) -> Result<(Mat<f64>, Mat<f64>), ModeError> {
        let mut lengths = Vec::with_capacity(block.count());
        for column in block.iter() {
            lengths.push(self.length(column)?.0);
        }
        let mut known = self.weighted.gram(&block);
        block.subtract(&self.basis, known.as_ref());
        let again = self.weighted.gram(&block);
        block.subtract(&self.basis, again.as_ref());
        known += &again;
        let largest = lengths.iter().fold(0.0_f64, |a, b| a.max(*b));
        let (old, count) = (self.basis.count(), block.count());
        let mut new = Mat::zeros(count, count);
        for j in 0..count {
            let mut column = block.col(j).to_vec();
            for _ in 0..2 {
                for i in old..self.basis.count() {
                    let share = dot(self.weighted.col(i), &column);
                    new[(i - old, j)] += share;
                    subtract(&mut column, share, self.basis.col(i));
                }
            }
            let (length, _) = self.length(&column)?;
            if length <= NOTHING * largest {
                continue;
            }
            for x in &mut column {
                *x /= length;
            }
            // A short remainder has lost its orthogonality to the others.
            let shares = self.shares(&column);
            for (i, share) in shares.into_iter().enumerate() {
                subtract(&mut column, share, self.basis.col(i));
            }
            let (rest, weighted) = self.length(&column)?;
            if rest < 0.5 {
                continue;
            }
            new[(self.basis.count() - old, j)] = length;
            self.basis.push(&column);
            self.weighted.push(&weighted);
        }
        Ok((new, known))
    }

    fn shares(&self, column: &[f64]) -> Vec<f64> {
        self.weighted.iter().map(|w| dot(w, column)).collect()
    }

    /// √(xᵀ M x) and M x.
    fn length(&self, x: &[f64]) -> Result<(f64, Vec<f64>), ModeError> {
        let weighted = self.pencil.product(Part::Mass, x);
        let square = dot(x, &weighted);
        let positive: f64 = x.iter().zip(&weighted).map(|(a, b)| (a * b).abs()).sum();
        if square < -1e-8 * positive || square.is_nan() {
            return Err(ModeError::Mass);
        }
        Ok((square.max(0.0).sqrt(), weighted))
    }

    /// Applies the operator to the newest vectors.
    fn expand(&mut self) -> Result<(), ModeError> {
        let (from, to) = (self.expanded, self.basis.count());
        let mut image = self.weighted.selected(from..to);
        self.factor.solve(&mut image)?;
        let (new, known) = self.append(image)?;
        let mut projected = Mat::zeros(to, to);
        for i in 0..from {
            for j in 0..from {
                projected[(i, j)] = self.projected[(i, j)];
            }
        }
        for j in from..to {
            for i in 0..to {
                let value = if i < from {
                    known[(i, j - from)]
                } else {
                    0.5 * (known[(i, j - from)] + known[(j, i - from)])
                };
                projected[(i, j)] = value;
                projected[(j, i)] = value;
            }
        }
        self.projected = projected;
        self.expanded = to;
        self.last = from;
        self.exhausted = self.basis.count() == to;
        self.coupling = new;
        Ok(())
    }

    /// θ in ascending order and the vectors of the projected operator.
    fn ritz(&self) -> Result<(Vec<f64>, Mat<f64>), ModeError> {
        symmetric(self.projected.as_ref()).ok_or(ModeError::Mass)
    }

    /// Number of the wanted modes, counted from the lowest, that are accurate enough.
    fn converged(&self) -> Result<usize, ModeError> {
        let (values, vectors) = self.ritz()?;
        let n = values.len();
        let width = n - self.last;
        let good = |k: &usize| {
            let column = n - 1 - k;
            let beyond = |row: usize| -> f64 {
                let terms =
                    (0..width).map(|j| self.coupling[(row, j)] * vectors[(self.last + j, column)]);
                terms.sum()
            };
            let square: f64 = (0..width).map(|row| beyond(row).powi(2)).sum();
            values[column] > 0.0 && square.sqrt() <= 0.1 * self.residual * values[column]
        };
        Ok((0..n.min(self.wanted)).take_while(good).count())
    }

    /// New start vectors when the space is exhausted: equal frequencies beyond the size of a block.
    fn renew(&mut self) -> Result<bool, ModeError> {
        self.fill_up()?;
        self.exhausted = false;
        Ok(self.basis.count() > self.expanded)
    }

    /// Condenses the space to the wanted vectors when it is full.
    fn restart(&mut self) -> Result<(), ModeError> {
        if self.basis.count() <= self.limit() {
            return Ok(());
        }
        let (values, vectors) = self.ritz()?;
        let (n, kept) = (values.len(), self.wanted + 2 * BLOCK);
        let kept = kept.min(n);
        let chosen = vectors.subcols(n - kept, kept);
        let rest = self.expanded..self.basis.count();
        let condense = |old: &Columns| {
            let mut new = old.selected(0..n).times(chosen);
            new.append(&old.selected(rest.clone()));
            new
        };
        (self.basis, self.weighted) = (condense(&self.basis), condense(&self.weighted));
        let diagonal = |i: usize, j: usize| {
            if i == j { values[n - kept + i] } else { 0.0 }
        };
        self.projected = Mat::from_fn(kept, kept, diagonal);
        self.expanded = kept;
        Ok(())
    }

    /// The modes found, each with its residual checked.
    fn modes(&self, shift: f64) -> Result<Modes, ModeError> {
        let (values, vectors) = self.ritz()?;
        let found = self.checked(shift, (&values, &vectors));
        // If frequencies span many decades, θ of the highest is negligible against that of the lowest.
        if let Err(ModeError::Slow { .. }) = found
            && let Some((values, vectors)) = graded(self.projected.as_ref())
        {
            return self.checked(shift, (&values, &vectors));
        }
        found
    }

    /// The modes that belong to eigenvalues and vectors of the projected operator.
    fn checked(
        &self,
        shift: f64,
        (values, vectors): (&[f64], &Mat<f64>),
    ) -> Result<Modes, ModeError> {
        let n = values.len();
        let largest = values.last().copied().unwrap_or(0.0);
        let real = |j: &usize| values[*j] > NOTHING * NOTHING * largest;
        let chosen: Vec<usize> = (0..n).rev().take(self.wanted).take_while(real).collect();
        let pick = Mat::from_fn(n, chosen.len(), |i, j| vectors[(i, chosen[j])]);
        let mut modes = Modes {
            values: chosen.iter().map(|j| 1.0 / values[*j] - shift).collect(),
            vectors: self.basis.selected(0..n).times(pick.as_ref()),
        };
        let weighted = self.weighted.selected(0..n).times(pick.as_ref());
        let mut image = weighted.clone();
        self.factor.solve(&mut image)?;
        for (k, j) in chosen.iter().enumerate() {
            let mut rest = image.col(k).to_vec();
            subtract(&mut rest, values[*j], modes.vectors.col(k));
            let mut along = 0.0;
            for (i, lower) in chosen[..k].iter().enumerate() {
                let share = dot(weighted.col(i), &rest);
                subtract(&mut rest, share, modes.vectors.col(i));
                along += (share * values[*j] / values[*lower]).powi(2);
            }
            if self.length(&rest)?.0.hypot(along.sqrt()) > self.residual * values[*j] {
                return Err(ModeError::Slow {
                    found: k,
                    wanted: chosen.len(),
                });
            }
            normalize_sign(modes.vectors.col_mut(k));
        }
        Ok(modes)
    }
}

/// a −= s b.
fn subtract(a: &mut [f64], s: f64, b: &[f64]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x -= s * y;
    }
}

/// Turns a vector so that its largest entry is positive; the first among nearly equal ones decides.
pub fn normalize_sign(x: &mut [f64]) {
    let largest = x.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let first = x.iter().find(|v| v.abs() > 0.999 * largest);
    if first.is_some_and(|v| *v < 0.0) {
        for v in x.iter_mut() {
            *v = -*v;
        }
    }
}

#[cfg(test)]
mod tests;

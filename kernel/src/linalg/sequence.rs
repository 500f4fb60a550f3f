//! Solves with a sequence of matrices of one pattern, and reuses the elimination order (control plane).
//!
//! An analysis costs many times as much as a refactorisation. One analysis serves all matrices, as long as its order
//! is as accurate for them as for the matrix it was made for.

use super::factor::{Counters, Factorization, Quality, Singular};
use super::matrix::TileMatrix;
use super::pattern::Pattern;

/// Factors that are kept from one solution to the next.
#[derive(Debug, Default)]
pub struct Sequence {
    kept: Option<Factors>,
}

/// Factors, and the matrix that they belong to.
#[derive(Debug)]
struct Factors {
    factor: Factorization,
    matrix: TileMatrix,
    /// Was the order fully accurate for the matrix it was made for?
    good: bool,
}

impl Factors {
    fn new(pattern: &Pattern, matrix: &TileMatrix) -> Result<Self, Singular> {
        let factor = Factorization::analyse_to_refine(pattern, matrix)?;
        Ok(Self {
            good: factor.quality() == Quality::Good,
            matrix: matrix.clone(),
            factor,
        })
    }

    /// The factors of another matrix in the same order; `None` if that loses more digits.
    fn take(mut self, matrix: &TileMatrix) -> Option<Self> {
        if self.matrix.is_same(matrix) {
            return Some(self);
        }
        let serves = match self.factor.refactor(matrix) {
            Quality::Good => true,
            Quality::Degraded { .. } => !self.good,
            Quality::DenseFallback { .. } | Quality::Singular { .. } => false,
        };
        serves.then(|| {
            self.matrix.clone_from(matrix);
            self
        })
    }
}

impl Sequence {
    /// Solves in place.
    pub fn solve(
        &mut self,
        pattern: &Pattern,
        matrix: &TileMatrix,
        rhs: &mut [f64],
    ) -> Result<(), Singular> {
        let kept = self.kept.take();
        let mut factors = match kept.and_then(|kept| kept.take(matrix)) {
            Some(factors) => factors,
            None => Factors::new(pattern, matrix)?,
        };
        factors.factor.solve_refined(matrix, rhs);
        self.kept = Some(factors);
        Ok(())
    }

    /// Counters of the factors that are kept.
    pub fn counters(&self) -> Counters {
        let kept = self.kept.as_ref();
        kept.map_or_else(Counters::default, |kept| kept.factor.counters())
    }

    /// Drops the factors: later results do not depend on earlier solutions.
    pub fn forget(&mut self) {
        self.kept = None;
    }
}

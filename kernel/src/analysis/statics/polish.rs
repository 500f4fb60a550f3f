//! Control plane: when the search for equilibrium has nothing left to gain.

use super::{IN_VAIN, Look, ROUNDING};

/// Improves what is balanced already until rounding ends it.
#[derive(Default)]
pub(super) struct Polish {
    best: Option<f64>,
    in_vain: usize,
}

impl Polish {
    /// Has the balance stopped getting better?
    pub(super) fn is_exhausted(&mut self, look: &Look) -> bool {
        if self.best.is_some_and(|best| look.imbalance > 0.5 * best) {
            self.in_vain += 1;
        }
        self.best = Some(self.best.map_or(look.imbalance, |b| b.min(look.imbalance)));
        look.imbalance <= ROUNDING || self.in_vain >= IN_VAIN
    }
}

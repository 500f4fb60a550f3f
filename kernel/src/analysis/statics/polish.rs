//! Control plane: decides when iterating a balanced state further gains nothing: the stop rule of static equilibrium.

use super::{LoadBalance, MOST_STALLED, ROUNDING};

/// Watches the iterations after the state is balanced, until rounding ends them.
#[derive(Default)]
pub(super) struct Polish {
    best: Option<f64>,
    in_vain: usize,
}

impl Polish {
    /// Has the balance stopped improving?
    pub(super) fn is_exhausted(&mut self, balance: &LoadBalance) -> bool {
        if self.best.is_some_and(|best| balance.imbalance > 0.5 * best) {
            self.in_vain += 1;
        }
        self.best = Some(
            self.best
                .map_or(balance.imbalance, |b| b.min(balance.imbalance)),
        );
        balance.imbalance <= ROUNDING || self.in_vain >= MOST_STALLED
    }
}

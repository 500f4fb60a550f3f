//! Control plane: pseudo-dynamics: backward Euler steps from rest, whose velocities are discarded.

use super::polish::Polish;
use super::{CLOSED, LoadBalance, Statics, equations};
use crate::analysis::no_start::NoStart;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;

/// σ of the first pseudo-dynamic step, in largest accelerations by a load / characteristic length.
const FIRST: f64 = 100.0;
/// σ above which pseudo-dynamics no longer make progress, in the same unit.
const STILL: f64 = 1e16;
/// A step may deviate from its linear prediction by this fraction of the imbalance.
const NONLINEAR: f64 = 0.5;

impl Statics<'_> {
    /// Pseudo-dynamics, with a step size that grows and shrinks with the quality of the linear prediction.
    pub(super) fn settle(&mut self) -> Result<(), NoStart> {
        let Some(mut balance) = self.balance() else {
            return Err(NoStart::Load);
        };
        let unit = balance.acceleration / self.length;
        let mut sigma = FIRST * unit;
        let mut polish = Polish::default();
        for _ in 0..self.settings.settling_steps {
            if self.is_balanced(&balance) && polish.is_exhausted(&balance) {
                return Ok(());
            }
            let delta = self.trial(&balance, sigma);
            let delta = delta.filter(|d| equations::work(self.system, &balance, d) > 0.0);
            let saved = self.state.clone();
            let next = delta.and_then(|delta| {
                let share = self.share(&delta);
                self.travel(&delta, share)?;
                let next = self.balance()?;
                let error = self.prediction_error(&balance, &next, &delta, (share, sigma));
                let good = error < NONLINEAR && next.violation <= CLOSED;
                good.then_some((next, error, share))
            });
            if let Some((next, error, share)) = next {
                balance = next;
                if error < 0.2 * NONLINEAR && share == 1.0 {
                    sigma = (0.2 * sigma).max(self.neutral(&balance));
                }
            } else {
                self.state.copy_from(&saved);
                self.balance();
                sigma *= 4.0;
                if sigma > STILL * unit {
                    break;
                }
            }
        }
        if self.is_balanced(&balance) {
            return Ok(());
        }
        self.balance();
        Err(self.unbalanced(&balance))
    }

    /// Deviation of the loads after a step from their linear prediction, relative to the loads before.
    fn prediction_error(
        &self,
        before: &LoadBalance,
        after: &LoadBalance,
        delta: &[f64],
        step: (f64, f64),
    ) -> f64 {
        let (share, sigma) = step;
        let (mut error, mut size) = (0.0, 0.0);
        for (body, s) in self.bodies(delta).iter().enumerate() {
            for (k, step) in s.iter().enumerate() {
                let unit = if k < 3 { 1.0 } else { self.length };
                let old = before.drift[body][k];
                let wanted = (1.0 - share) * old - share * sigma * step;
                let missed = (after.drift[body][k] - wanted) * unit;
                error += missed * missed;
                size += (old * unit) * (old * unit);
            }
        }
        (error / size).sqrt()
    }
}

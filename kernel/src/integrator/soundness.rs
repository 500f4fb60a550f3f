//! Data plane: records how the factorisations of a step went, for the counters of the run.

use crate::linalg::{BlockId, Quality};
use crate::state::{Counter, State};

/// Marks of a step or an iteration. They do not change the work: Newton's next iteration refines a degraded solution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soundness {
    /// A factorisation lost digits.
    degraded: bool,
    /// A factorisation fell back to the dense one.
    dense: bool,
}

impl Soundness {
    /// Marks a factorisation; the block of a singular matrix is the error.
    pub fn mark(&mut self, quality: Quality) -> Result<(), BlockId> {
        match quality {
            Quality::Good => {}
            Quality::Degraded { .. } => self.degraded = true,
            Quality::DenseFallback { .. } => self.dense = true,
            Quality::Singular { block } => return Err(block),
        }
        Ok(())
    }

    /// Adds the marks of an iteration.
    pub fn add(&mut self, other: Self) {
        self.degraded |= other.degraded;
        self.dense |= other.dense;
    }

    /// Counts the step in the state.
    pub fn count(self, state: &mut State) {
        *state.counter_mut(Counter::Degraded) += u64::from(self.degraded);
        *state.counter_mut(Counter::Fallbacks) += u64::from(self.dense);
    }
}

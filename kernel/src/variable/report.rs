//! Counts of what an integration with a variable step has done.

use super::ORDERS;
use super::control::Errors;
use crate::system::entity::Entity;

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected for their error.
    pub rejected: u64,
    /// Attempts in which Newton's iteration did not converge.
    pub diverged: u64,
    /// What had the largest correction, or what else failed, in the last of them.
    pub strayed: Entity,
    /// Newton iterations.
    pub iterations: u64,
    /// Jacobians.
    pub jacobians: u64,
    /// Events that were located.
    pub events: u64,
    /// Accepted steps of each order, from order 1.
    pub orders: [u64; ORDERS],
    /// What had the largest error in the most steps, and in how many: by the majority vote of Boyer and Moore.
    pub worst: Entity,
    count: u64,
}

impl Report {
    /// Counts what has the largest error of a step.
    pub(super) fn note(&mut self, errors: &Errors) {
        if errors.of == self.worst {
            self.count += 1;
        } else if self.count == 0 {
            (self.worst, self.count) = (errors.of, 1);
        } else {
            self.count -= 1;
        }
    }

    /// The sums of two runs.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            rejected: self.rejected + other.rejected,
            diverged: self.diverged + other.diverged,
            iterations: self.iterations + other.iterations,
            jacobians: self.jacobians + other.jacobians,
            events: self.events + other.events,
            strayed: if other.diverged > 0 {
                other.strayed
            } else {
                self.strayed
            },
            orders: core::array::from_fn(|k| self.orders[k] + other.orders[k]),
            ..*other
        }
    }
}

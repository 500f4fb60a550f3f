//! Counts of what an integration with a variable step has done.

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Accepted steps.
    pub steps: u64,
    /// Rejected for their error.
    pub rejected: u64,
    /// Attempts in which Newton's iteration did not converge.
    pub diverged: u64,
    /// Newton iterations.
    pub iterations: u64,
    /// Jacobians.
    pub jacobians: u64,
}

impl Report {
    /// The sums of two runs.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            rejected: self.rejected + other.rejected,
            diverged: self.diverged + other.diverged,
            iterations: self.iterations + other.iterations,
            jacobians: self.jacobians + other.jacobians,
        }
    }
}

//! What a variable step has done in a run: for the summary as JSON, and in words.

use std::time::Duration;

use fixstep_kernel::simulation::Simulation;
use serde::Serialize;

use crate::console::Console;

/// Counts of a run with a variable step.
#[derive(Serialize)]
pub(crate) struct VariableStep {
    steps: u64,
    /// Rejected for their error.
    rejected: u64,
    /// Attempts in which Newton's iteration did not converge.
    diverged: u64,
    iterations: u64,
    jacobians: u64,
    events: u64,
    /// Steps of each order, from order 1.
    orders: Vec<u64>,
    /// What limits the step most.
    limited_by: Option<String>,
    notes: Vec<String>,
}

impl VariableStep {
    /// Of a run, and tells it; none with a fixed step. `took`: the time of all steps.
    pub(crate) fn told(
        engine: Option<&Simulation>,
        took: Duration,
        console: &mut Console,
    ) -> Option<Self> {
        let own = Self::of(engine)?;
        own.tell(console, took);
        Some(own)
    }

    fn of(engine: Option<&Simulation>) -> Option<Self> {
        let engine = engine?;
        let report = engine.variable_report()?;
        Some(Self {
            steps: report.steps,
            rejected: report.rejected,
            diverged: report.diverged,
            iterations: report.iterations,
            jacobians: report.jacobians,
            events: report.events,
            orders: report.orders.to_vec(),
            limited_by: (report.steps > 0).then(|| engine.describe(report.worst)),
            notes: engine.variable_notes(),
        })
    }

    fn tell(&self, console: &mut Console, took: Duration) {
        let limit = self.limited_by.as_ref();
        let limit = limit.map_or_else(String::new, |of| format!("; {of} limits the step most"));
        console.note(&format!(
            "variable step: {} steps in {:.3} ms, {} rejected for their error, {} in which Newton's iteration did not converge; \
             {} iterations, {} Jacobians; {} events{limit}",
            self.steps,
            1e3 * took.as_secs_f64(),
            self.rejected,
            self.diverged,
            self.iterations,
            self.jacobians,
            self.events
        ));
        for note in &self.notes {
            console.note(&format!("note: {note}"));
        }
    }
}

//! Control plane: communication points t₀ + n·H, and their number up to the stop time.

use fixstep_kernel::seconds::Seconds;
use model_description::parse::Description;

use crate::slave::Failure;

/// Most rows that a run may record.
const ROWS: f64 = 50e6;

/// Times of a run (s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Start.
    pub start: f64,
    /// Stop.
    pub stop: f64,
    /// Communication step.
    pub step: f64,
    /// Number of communication steps.
    pub steps: u64,
}

/// The communication step that an FMU proposes (s).
pub(crate) fn own_step(description: &Description) -> Option<f64> {
    let interface = description.co_simulation.as_ref();
    let internal = || interface.and_then(|cs| cs.fixed_internal_step);
    let own = description.default_experiment.step.or_else(internal);
    own.filter(|step| *step > 0.0)
}

/// The error if a run has recorded more rows than it may.
pub(super) fn bounded(rows: usize) -> Result<(), Failure> {
    if rows as f64 <= ROWS {
        return Ok(());
    }
    Err(Failure(format!(
        "more than {ROWS} steps are too many to record; leave out --every-step, or set a larger error"
    )))
}

impl Times {
    /// Times of a run; the last communication point does not lie beyond `stop`.
    pub fn new(start: f64, stop: f64, step: f64) -> Result<Self, Failure> {
        if !(start.is_finite() && stop.is_finite() && stop >= start) {
            let [start, stop] = [start, stop].map(Seconds);
            return Err(Failure(format!(
                "stop time {stop} s must not be before start time {start} s"
            )));
        }
        if !(step.is_finite() && step > 0.0) {
            let step = Seconds(step);
            return Err(Failure(format!(
                "communication step {step} s must be a number above 0"
            )));
        }
        let slack = resolution(start, stop) / step;
        let steps = ((stop - start) / step * (1.0 + 1e-12) + 1e-9 + slack.min(0.5)).floor();
        if steps > ROWS {
            let [start, stop] = [start, stop].map(Seconds);
            return Err(Failure(format!(
                "{steps} steps from {start} s to {stop} s are too many; at most {ROWS}"
            )));
        }
        Ok(Self {
            start,
            stop,
            step,
            steps: steps as u64,
        })
    }

    /// The last communication point (s), where it is not the stop time.
    pub fn short(&self) -> Option<f64> {
        let last = self.at(self.steps);
        let slack = resolution(self.start, self.stop).min(0.5 * self.step);
        (self.stop - last > 1e-6 * self.step + slack).then_some(last)
    }

    /// Communication point `n` (s).
    pub fn at(&self, n: u64) -> f64 {
        self.start + n as f64 * self.step
    }
}

/// The resolution of differences of times as large as these (s): each is rounded, and so is the point to which steps
/// lead.
fn resolution(start: f64, stop: f64) -> f64 {
    2.0 * f64::EPSILON * start.abs().max(stop.abs())
}

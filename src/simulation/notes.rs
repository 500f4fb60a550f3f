//! Control plane: what there is to say about sampling at the step in force.

use super::Simulation;
use crate::integrator::sampled::{TOLERANCE, is_too_fast};

impl Simulation {
    /// Sampled systems whose period and the step do not go together.
    pub(super) fn sampling_notes(&self) -> Vec<String> {
        let h = self.step_size();
        let sampled = self.model.memory.sampled.iter();
        sampled
            .filter_map(|system| {
                let (name, period) = (&system.name, system.period);
                if is_too_fast(period, h) {
                    return Some(format!(
                        "sampled system \"{name}\": the step {h} s is longer than its period \
                         {period} s: it samples once in a step; take a smaller step"
                    ));
                }
                let steps = period / h;
                ((steps - steps.round()).abs() > TOLERANCE * steps).then(|| {
                    format!(
                        "sampled system \"{name}\": its period {period} s is no multiple of the \
                         step {h} s: it samples at the first end of a step that reaches the instant"
                    )
                })
            })
            .collect()
    }
}

//! Control plane: what there is to say about sampling at the step in force.

use super::Simulation;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::SAMPLE_TOLERANCE;
use crate::mechanism::called;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl Simulation {
    /// Sampled systems whose period and the step do not go together.
    pub(super) fn sampling_notes(&self) -> Vec<String> {
        let h = self.step_size();
        let sampled = self.mechanism.memory.sampled.iter();
        sampled
            .filter_map(|system| {
                let (name, period) = (called(&system.name), system.period);
                if system.outpaces(h) {
                    return Some(format!(
                        "sampled system {name}: the step {h} s is longer than its period \
                         {period} s: it samples once in a step; take a smaller step"
                    ));
                }
                let steps = period / h;
                ((steps - steps.round()).abs() > SAMPLE_TOLERANCE * steps).then(|| {
                    format!(
                        "sampled system {name}: its period {period} s is no multiple of the \
                         step {h} s: it samples at the first end of a step that reaches the instant"
                    )
                })
            })
            .collect()
    }
}

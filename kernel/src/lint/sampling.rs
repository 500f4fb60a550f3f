//! Control plane: sampled systems at the step in force.

use super::{Subject, show};
use crate::mechanism::{Finding, LintRule};
use alloc::format;
use alloc::vec::Vec;

/// Periods that steps cannot keep.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    for system in &s.mechanism.memory.sampled {
        if system.outpaces(s.step) {
            found.push(Finding::new(
                LintRule::SlowSampling,
                ("sampled system", &system.name, "sample_period"),
                format!(
                    "its period {} s is shorter than the integration step {} s: it samples once in a step",
                    show(system.period),
                    show(s.step)
                ),
                "take a smaller step or a larger solver.hratio",
            ));
        }
    }
}

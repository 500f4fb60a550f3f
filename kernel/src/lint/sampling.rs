//! Control plane: checks the integration step against sample periods and the steps that settings imply, and finds
//! settings without effect.

use super::Subject;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{Finding, LintRule, Mode, SAMPLE_TOLERANCE};
use crate::seconds::Seconds;
use alloc::format;
use alloc::vec::Vec;

/// Two lengths of one step may differ by this much, relative.
const ROUNDING: f64 = 1e-12;

/// Checks all of these.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    if s.mechanism.solver.mode == Mode::Fixed {
        periods(s, found);
        steps(s, found);
    }
    for idle in s.mechanism.solver.idle() {
        found.push(Finding::new(
            LintRule::IgnoredSetting,
            ("solver", "", idle.setting),
            format!("solver.{} {}", idle.setting, idle.why),
            idle.remedy,
        ));
    }
}

/// Finds sample times that are no multiples of the step.
fn periods(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let h = s.step;
    let is_even = |seconds: f64| {
        let steps = seconds / h;
        (steps - steps.round()).abs() <= SAMPLE_TOLERANCE
    };
    for system in &s.mechanism.memory.sampled {
        if system.outpaces(h) {
            found.push(Finding::new(
                LintRule::SlowSampling,
                ("sampled system", &system.name, "sample_period"),
                format!(
                    "its period {} s is shorter than the integration step {} s: it samples once in a step",
                    Seconds(system.period),
                    Seconds(h)
                ),
                "take a smaller step or a larger solver.hratio",
            ));
            continue;
        }
        let times = [
            ("sample_period", "period", system.period),
            ("offset", "offset", system.offset),
        ];
        if let Some((field, what, seconds)) = times.into_iter().find(|(_, _, t)| !is_even(*t)) {
            found.push(Finding::new(
                LintRule::UnevenSampling,
                ("sampled system", &system.name, field),
                format!(
                    "its {what} {} s is no multiple of the integration step {} s: it samples at the first end \
                     of a step that reaches the instant, up to a step late",
                    Seconds(seconds),
                    Seconds(h)
                ),
                "choose period and offset as whole multiples of the step",
            ));
        }
    }
}

/// Finds settings that ask for another step; they have no effect, since all fixed steps are equal.
fn steps(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let (h, solver) = (s.step, &s.mechanism.solver);
    let none = "has no effect with a fixed step";
    let reset = "is above the integration step, and is reset to it";
    let ignored = "is below the integration step, and is ignored";
    let hinit = solver.hinit.map(|x| {
        (
            "hinit",
            x,
            if x > h * (1.0 + ROUNDING) {
                reset
            } else {
                none
            },
        )
    });
    let hmax = solver.hmax.map(|x| {
        (
            "hmax",
            x,
            if x < h * (1.0 - ROUNDING) {
                ignored
            } else {
                none
            },
        )
    });
    for (setting, asked, what) in hinit.into_iter().chain(hmax) {
        found.push(Finding::new(
            LintRule::IgnoredSetting,
            ("solver", "", setting),
            format!(
                "solver.{setting} = {} s {what}: every step is experiment.step/hratio = {} s",
                Seconds(asked),
                Seconds(h)
            ),
            "leave it out, or set solver.mode to variable",
        ));
    }
}

//! Control plane: finds motions that lack derivatives which the formulation needs, or that end within a few steps.

use super::reading::{any, changes, reached};
use super::values::Values;
use super::{Subject, show, steps_of};
use crate::expr::Call;
use crate::mechanism::{Finding, Formulation, LintRule, Mode, Motion, MotionLevel};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;

/// Smallest number of steps in which a stroke is resolved.
const FEWEST: f64 = 5.0;

/// How often a function can be differentiated before it jumps.
fn smoothness(call: &Call) -> u8 {
    match call.function.as_ref() {
        "IF" | "SIGN" | "MOD" | "AINT" | "INT" | "ANINT" | "NINT" => 0,
        "ABS" | "MIN" | "MAX" | "DIM" | "INTERP" | "IMPACT" | "BISTOP" => {
            1 + u8::from(call.kink_cancelled)
        }
        "STEP" | "HAVSIN" | "AKISPL" => 2,
        _ => 3,
    }
}

/// The derivatives that must not jump, counted from the motion's own level: with SI2 those of the acceleration too.
fn wanted(level: MotionLevel, formulation: Formulation) -> u8 {
    let base: u8 = match formulation {
        Formulation::I3 => 2,
        Formulation::Si2 | Formulation::Si1 => 3,
    };
    match level {
        MotionLevel::Displacement => base,
        MotionLevel::Velocity => base - 1,
        MotionLevel::Acceleration => base - 2,
    }
}

/// Checks all motions.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    for motion in &s.mechanism.motions {
        self::motion(s, motion, found);
        if s.mechanism.solver.mode == Mode::Fixed {
            abrupt(s, motion, found);
        }
    }
}

fn level_name(level: MotionLevel) -> &'static str {
    match level {
        MotionLevel::Displacement => "displacement",
        MotionLevel::Velocity => "velocity",
        MotionLevel::Acceleration => "acceleration",
    }
}

/// Finds steps in displacement or velocity that last only a few integration steps.
fn abrupt(s: &Subject<'_>, motion: &Motion, found: &mut Vec<Finding>) {
    if motion.level == MotionLevel::Acceleration {
        return;
    }
    let start = s.mechanism.experiment.start;
    for reached in reached(s.mechanism, motion.function.expr) {
        let mut values = Values::new(s, reached.expr);
        for call in s.mechanism.expressions[reached.expr.index()].calls() {
            let ("STEP" | "STEP5" | "HAVSIN", [x, from, low, to, high]) =
                (call.function.as_ref(), call.operands.as_slice())
            else {
                continue;
            };
            let mut at = |time| {
                values.at_time(time);
                [x, from, to, low, high].map(|o| o.after(values.registers()).unwrap_or(f64::NAN))
            };
            let [now, from, to, low, high] = at(start);
            let [next, ..] = at(start + s.step);
            let steps = ((to - from) / (next - now)).abs();
            if low != high && steps < FEWEST {
                found.push(Finding::new(
                    LintRule::AbruptMotion,
                    ("motion", &motion.name, level_name(motion.level)),
                    format!(
                        "{} takes it from {} to {} in {}, but at least {FEWEST} are needed to resolve it",
                        call.function,
                        show(low),
                        show(high),
                        steps_of(steps, s.step)
                    ),
                    "let it take longer, or use a smaller step",
                ));
            }
        }
    }
}

/// What a motion does whose second derivative jumps.
const JUMPING_ACCELERATION: &str = "the acceleration jumps";

fn motion(s: &Subject<'_>, motion: &Motion, found: &mut Vec<Finding>) {
    let wanted = wanted(motion.level, s.mechanism.solver.formulation);
    let field = level_name(motion.level);
    let mut reported: Vec<&str> = Vec::new();
    for reached in reached(s.mechanism, motion.function.expr) {
        for call in s.mechanism.expressions[reached.expr.index()].calls() {
            let moves = call
                .operands
                .iter()
                .any(|o| any(s.mechanism, &o.leaves, &changes));
            let smooth = smoothness(call);
            if !moves || smooth >= wanted || reported.contains(&call.function.as_ref()) {
                continue;
            }
            reported.push(&call.function);
            let jumps = match (motion.level, smooth) {
                (MotionLevel::Displacement, 0) => "the position jumps",
                (MotionLevel::Displacement, 1) | (MotionLevel::Velocity, 0) => "the velocity jumps",
                _ => JUMPING_ACCELERATION,
            };
            let formulation = s.mechanism.solver.formulation;
            let why = if formulation.is_stabilised() && smooth == 2 {
                format!(", and {} differentiates it", formulation.name())
            } else if jumps == JUMPING_ACCELERATION {
                ", and with it the force that drives it".to_owned()
            } else {
                ", which takes an impulse that no step can carry".to_owned()
            };
            found.push(Finding::new(
                LintRule::RoughMotion,
                ("motion", &motion.name, field),
                format!("with {} {jumps}{why}", call.function),
                "use STEP5, or another function with two continuous derivatives",
            ));
        }
    }
}

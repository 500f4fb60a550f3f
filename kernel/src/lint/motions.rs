//! Control plane: motions that lack derivatives which the formulation takes of them.

use super::Subject;
use super::reading::{any, changes, reached};
use crate::expr::Call;
use crate::mechanism::{Finding, Formulation, LintRule, Motion, MotionLevel};
use alloc::format;
use alloc::vec::Vec;

/// How often a function can be differentiated before it jumps.
fn smoothness(call: &Call) -> u8 {
    match call.function.as_ref() {
        "IF" | "SIGN" | "MOD" | "AINT" | "INT" | "ANINT" | "NINT" => 0,
        "ABS" | "MIN" | "MAX" | "DIM" | "INTERP" | "IMPACT" | "BISTOP" => 1 + u8::from(call.tamed),
        "STEP" | "HAVSIN" | "AKISPL" => 2,
        _ => 3,
    }
}

/// The derivatives that must not jump, in order of the motion's own level: with SI2 those of the
/// acceleration too.
fn wanted(level: MotionLevel, formulation: Formulation) -> u8 {
    let base: u8 = match formulation {
        Formulation::I3 => 2,
        Formulation::Si2 => 3,
    };
    match level {
        MotionLevel::Displacement => base,
        MotionLevel::Velocity => base - 1,
        MotionLevel::Acceleration => base - 2,
    }
}

/// Motions.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    for motion in &s.mechanism.motions {
        self::motion(s, motion, found);
    }
}

fn motion(s: &Subject<'_>, motion: &Motion, found: &mut Vec<Finding>) {
    let wanted = wanted(motion.level, s.mechanism.solver.formulation);
    let field = match motion.level {
        MotionLevel::Displacement => "displacement",
        MotionLevel::Velocity => "velocity",
        MotionLevel::Acceleration => "acceleration",
    };
    let mut told: Vec<&str> = Vec::new();
    for reached in reached(s.mechanism, motion.function.expr) {
        for call in s.mechanism.expressions[reached.expr.index()].calls() {
            let moves = call
                .operands
                .iter()
                .any(|o| any(s.mechanism, &o.leaves, &changes));
            let smooth = smoothness(call);
            if !moves || smooth >= wanted || told.contains(&call.function.as_ref()) {
                continue;
            }
            told.push(&call.function);
            let jumps = match (motion.level, smooth) {
                (MotionLevel::Displacement, 0) => "the position jumps",
                (MotionLevel::Displacement, 1) | (MotionLevel::Velocity, 0) => "the velocity jumps",
                _ => "the acceleration jumps",
            };
            let why = match s.mechanism.solver.formulation {
                Formulation::Si2 if smooth == 2 => ", and SI2 differentiates it",
                _ => ", which takes an impulse that no step can carry",
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

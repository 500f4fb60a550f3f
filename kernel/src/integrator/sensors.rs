//! Data plane: sensors, which watch an expression at accepted steps and trigger at a threshold.
//!
//! With e the monitored expression, v the threshold, τ the tolerance and d = e − v:
//!
//! ```text
//! ge:  d ≥ −τ        le:  d ≤ τ        eq:  |d| ≤ τ, or d has changed its sign         (SNS-1)
//! armed again:  beyond τ, by the hysteresis and the other way                          (SNS-2)
//! ```
//! A sensor triggers at the end of the first step for which (SNS-1) holds.

use crate::mechanism::Comparison;
use crate::state::State;
use crate::system::System;
use crate::system::memory::{SENSOR, SensorEntry};
use crate::workspace::Workspace;

/// Indices of a sensor's numbers.
const ARMED: usize = 0;
/// The value of SENVAL.
const VALUE: usize = 1;
/// How often it has triggered.
const COUNT: usize = 2;
/// d of the last step.
const BEFORE: usize = 3;

/// d, and the tolerance.
fn distance(system: &System, state: &State, ws: &Workspace, entry: &SensorEntry) -> (f64, f64) {
    let numbers = &state.span(system.layout.numbers)[entry.numbers..];
    (
        ws.expressions[entry.expression.index()] - numbers[0],
        numbers[1],
    )
}

/// Records the value of the expression.
pub fn note(system: &System, state: &mut State, ws: &Workspace, entry: &SensorEntry) {
    let (d, _) = distance(system, state, ws, entry);
    state.reals[system.layout.memory.first + entry.first + BEFORE] = d;
}

/// Has anything to happen to the sensor at this state: 1 if it triggers, −1 if it is armed again, 0 if neither? And a
/// number that is zero where it triggers, while it is armed.
pub fn due(
    system: &System,
    state: &State,
    ws: &Workspace,
    entry: &SensorEntry,
) -> (f64, Option<f64>) {
    let (d, tolerance) = distance(system, state, ws, entry);
    let at = system.layout.memory.first + entry.first;
    let numbers = &state.reals[at..at + SENSOR];
    if numbers[ARMED] == 0.0 {
        let hysteresis = |at: usize| state.span(system.layout.numbers)[at];
        let back = entry
            .rearm
            .is_some_and(|(at, _)| is_back(entry.comparison, d, tolerance + hysteresis(at)));
        return (-f64::from(u8::from(back)), None);
    }
    let margin = match entry.comparison {
        Comparison::AtLeast => d + tolerance,
        Comparison::AtMost => d - tolerance,
        Comparison::Equal => d,
    };
    let reached = is_reached(entry.comparison, d, tolerance, numbers[BEFORE]);
    (f64::from(u8::from(reached)), Some(margin))
}

/// (SNS-1), with d of the last step.
fn is_reached(comparison: Comparison, d: f64, tolerance: f64, before: f64) -> bool {
    match comparison {
        Comparison::AtLeast => d >= -tolerance,
        Comparison::AtMost => d <= tolerance,
        Comparison::Equal => d.abs() <= tolerance || d * before < 0.0,
    }
}

/// (SNS-2), at this distance from the threshold.
fn is_back(comparison: Comparison, d: f64, distance: f64) -> bool {
    match comparison {
        Comparison::AtLeast => d < -distance,
        Comparison::AtMost => d > distance,
        Comparison::Equal => d.abs() > distance,
    }
}

/// Tells whether the sensor triggers now; if so, latches.
pub fn look(system: &System, state: &mut State, ws: &Workspace, entry: &SensorEntry) -> bool {
    let (d, tolerance) = distance(system, state, ws, entry);
    let value = entry
        .evaluate
        .map_or(1.0, |expr| ws.expressions[expr.index()]);
    let rearm = entry
        .rearm
        .map(|(at, reset)| (state.span(system.layout.numbers)[at], reset));
    let at = system.layout.memory.first + entry.first;
    let numbers = &mut state.reals[at..at + SENSOR];
    let reached = is_reached(entry.comparison, d, tolerance, numbers[BEFORE]);
    let triggers = reached && numbers[ARMED] != 0.0;
    if triggers {
        numbers[ARMED] = 0.0;
        numbers[VALUE] = value;
        numbers[COUNT] += 1.0;
    } else if let Some((hysteresis, reset)) = rearm {
        if is_back(entry.comparison, d, tolerance + hysteresis) && numbers[ARMED] == 0.0 {
            numbers[ARMED] = 1.0;
            if reset {
                numbers[VALUE] = 0.0;
            }
        }
    }
    numbers[BEFORE] = d;
    triggers
}

//! Data plane: updates elements with a memory at an accepted step: sampled systems, sensors and delays.
//!
//! Between accepted steps their values are constant: Newton's iteration sees no jump. All of them are evaluated at
//! every step, due or not, so that a step does the same work.

use crate::integrator::instant;
use crate::integrator::sampled;
use crate::integrator::sensors;
use crate::state::{State, flushed};
use crate::system::stage::Evaluated;
use crate::system::{System, delay, eval};
use crate::workspace::Workspace;

/// Values before the first sample: states at their initial values, everything else zero, sensors armed.
pub fn initialize(system: &System, state: &mut State) {
    state.span_mut(system.layout.memory).fill(0.0);
    let first = system.layout.memory.first;
    for entry in &system.memory.sampled {
        let [_, states, next, _] = entry.places();
        for k in 0..entry.sizes[1] {
            let value = state.reals[system.layout.numbers.first + entry.initial + k];
            state.reals[first + states + k] = value;
            state.reals[first + next + k] = value;
        }
    }
    for entry in &system.memory.sensors {
        state.reals[first + entry.first] = 1.0;
    }
}

/// Takes samples, checks sensors, and updates everything that can be read to the new values.
pub fn update(system: &System, state: &mut State, evaluated: Evaluated<'_>) {
    if system.memory.is_empty() {
        return;
    }
    let ws = evaluated.release();
    instant::enter(system, state, ws);
    sampled::sample(system, state, ws);
    for held in state.span_mut(system.layout.memory) {
        *held = flushed(*held);
    }
    for (k, entry) in system.memory.sensors.iter().enumerate() {
        eval::nodes(system, state, ws, &entry.nodes);
        ws.triggered[k] = sensors::look(system, state, ws, entry);
    }
    if system.memory.is_read() {
        record(system, state, ws, false);
    }
    instant::leave(system, state, ws);
    if system.memory.is_read() {
        evaluate(system, state, ws);
    }
}

/// At the start: sampled systems whose first sample is due take it; sensors only record their expression's value.
pub fn begin(system: &System, state: &mut State, ws: &mut Workspace) {
    if system.memory.is_empty() {
        return;
    }
    sampled::sample(system, state, ws);
    for entry in &system.memory.sensors {
        eval::nodes(system, state, ws, &entry.nodes);
        sensors::note(system, state, ws, entry);
    }
    evaluate(system, state, ws);
}

/// Records the values of delays; `begins`: does something new begin here?
pub fn record(system: &System, state: &mut State, ws: &mut Workspace, begins: bool) {
    eval::held(system, state, ws);
    for (k, entry) in system.memory.delays.iter().enumerate() {
        eval::nodes(system, state, ws, &entry.nodes);
        delay::record(system, state, ws, k, begins);
    }
}

/// Records the values of delays at an accepted step, before anything else is updated.
pub fn record_accepted(system: &System, state: &mut State, ws: &mut Workspace, begins: bool) {
    if system.memory.delays.is_empty() {
        return;
    }
    instant::enter(system, state, ws);
    record(system, state, ws, begins);
    instant::leave(system, state, ws);
}

/// Starts delays with the values at the start.
pub fn begin_delays(system: &System, state: &mut State, ws: &mut Workspace) {
    for k in 0..system.memory.delays.len() {
        let longest = state.span(system.layout.delays)[system.memory.delays[k].first];
        delay::clear(system, state, k, longest);
    }
    record(system, state, ws, false);
    evaluate(system, state, ws);
}

/// Evaluates forces, rates of states and outputs with the present held numbers.
fn evaluate(system: &System, state: &State, ws: &mut Workspace) {
    let time = state.time(&system.layout);
    eval::settings(system, state, ws, time);
    eval::nodes(system, state, ws, &system.schedule.step);
    instant::show_outputs(system, state, Evaluated::kept(ws));
}

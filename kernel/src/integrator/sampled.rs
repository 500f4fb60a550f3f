//! Data plane: sampled systems, such as digital controllers: discrete states that change at samples only.
//!
//! ```text
//! t_k = t_start + offset + k T,   k = 0, 1, 2, …                              (SAM-1)
//! y[k] = C x[k] + D u[k],   x[k+1] = A x[k] + B u[k]                          (SAM-2)
//! ```
//! Instead of (SAM-2) each number may have an expression. Sample k is taken at the end of the first step that reaches
//! t_k: at t_n ≥ t_k − [`SAMPLE_TOLERANCE`] h. If a step passes several samples, one is taken and counts as the last
//! of them. k is counted and t_k computed from it, so rounding does not accumulate over a long run.
//!
//! Systems sample in the order of the file: each one reads the new outputs of those before it.

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::SAMPLE_TOLERANCE;
use crate::state::{FLUSH_BELOW, State};
use crate::system::memory::{LawEntry, SampledEntry};
use crate::system::{System, eval};
use crate::workspace::Workspace;

/// Takes the samples that are due at the accepted state.
pub fn sample(system: &System, state: &mut State, ws: &mut Workspace) {
    for entry in &system.memory.sampled {
        eval::nodes(system, state, ws, &entry.before);
        let next = due(system, state, entry);
        propose(system, state, ws, entry);
        // New values are always computed, but stored only when a sample is due.
        if let Some(next) = next {
            let at = system.layout.memory.first + entry.first;
            state.reals[at] = next;
            commit(system, state, ws, entry);
        }
        eval::held(system, state, ws);
    }
}

/// The number of the sample after the one that is due now; `None` if none is due.
fn due(system: &System, state: &State, entry: &SampledEntry) -> Option<f64> {
    let layout = &system.layout;
    let (time, h) = (state.time(layout), state.step(layout));
    let first = state.reals[layout.ramp.first] + entry.offset;
    let next = state.reals[layout.memory.first + entry.first];
    let reached = time + SAMPLE_TOLERANCE * h;
    (reached >= first + next * entry.period)
        .then(|| ((reached - first) / entry.period).floor().max(next) + 1.0)
}

/// The next time \[s\] after the given one at which a sample is due.
pub fn next(system: &System, state: &State, after: f64) -> Option<f64> {
    let layout = &system.layout;
    let times = system.memory.sampled.iter().map(|entry| {
        let first = state.reals[layout.ramp.first] + entry.offset;
        first + state.reals[layout.memory.first + entry.first] * entry.period
    });
    times.filter(|time| *time > after).reduce(f64::min)
}

/// Inputs, states, next states and outputs as they would be if a sample were taken now, into scratch.
fn propose(system: &System, state: &State, ws: &mut Workspace, entry: &SampledEntry) {
    let memory = state.span(system.layout.memory);
    let [inputs, states, next, outputs] = entry.places().map(|at| at - entry.first);
    let [m, n, p] = entry.sizes;
    for (k, expr) in entry.inputs.iter().enumerate() {
        ws.sample[inputs + k] = ws.expressions[expr.index()];
    }
    for k in 0..n {
        ws.sample[states + k] = memory[entry.first + next + k];
    }
    match &entry.law {
        LawEntry::Linear([a, b, c, d]) => {
            let numbers = state.span(system.layout.numbers);
            let (x, u) = (states..states + n, inputs..inputs + m);
            for (to, rows, from_x, from_u) in [(next, n, *a, *b), (outputs, p, *c, *d)] {
                for row in 0..rows {
                    let by_x = &numbers[from_x + row * n..][..n];
                    let by_u = &numbers[from_u + row * m..][..m];
                    ws.sample[to + row] =
                        dot(by_x, &ws.sample[x.clone()]) + dot(by_u, &ws.sample[u.clone()]);
                }
            }
        }
        LawEntry::Expressions(next_states, values) => {
            for (leaf, at) in &entry.own {
                ws.leaves[*leaf] = ws.sample[*at];
            }
            eval::nodes(system, state, ws, &entry.after);
            for (to, exprs) in [(next, next_states), (outputs, values)] {
                for (k, expr) in exprs.iter().enumerate() {
                    ws.sample[to + k] = ws.expressions[expr.index()];
                }
            }
        }
    }
}

/// Stores the proposed numbers in the state.
fn commit(system: &System, state: &mut State, ws: &Workspace, entry: &SampledEntry) {
    let [first, ..] = entry.places();
    let len = entry.numbers() - 1;
    let at = system.layout.memory.first + first;
    for (held, value) in state.reals[at..at + len].iter_mut().zip(&ws.sample[1..]) {
        *held = if value.abs() < FLUSH_BELOW {
            0.0
        } else {
            *value
        };
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}

//! Sizes of displacements and corrections, as the tolerance counts them.

use crate::integrator::Scheme;
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::layout::BLOCK;
use crate::workspace::Workspace;

/// The largest difference of displacements: translations and modes in user length units, rotations in radians.
pub(super) fn distance(system: &System, a: &[f64], b: &[f64], length_unit: f64) -> f64 {
    let mut most = 0.0_f64;
    for (body, entry) in system.bodies.iter().enumerate() {
        if entry.block.is_none() {
            continue;
        }
        for k in 0..BLOCK {
            let at = BLOCK * body + k;
            let unit = if k < 3 { length_unit } else { 1.0 };
            most = most.max((a[at] - b[at]).abs() / unit);
        }
    }
    for entry in &system.flexibles {
        let first = system.modal_first() + entry.modal.first;
        for (j, reach) in entry.reach.iter().enumerate() {
            most = most.max((a[first + j] - b[first + j]).abs() * reach / length_unit);
        }
    }
    most
}

/// The size of Newton's last correction, in the measure of the error.
pub(super) fn correction(
    system: &System,
    state: &State,
    ws: &Workspace,
    (scheme, length_unit): (&Scheme, f64),
) -> f64 {
    let mut most = 0.0_f64;
    let mut poison = 0.0;
    for entry in &system.bodies {
        let Some(block) = entry.block else { continue };
        for (k, x) in ws.rhs[block.offset()..][..entry.dof].iter().enumerate() {
            let unit = if k < 3 { length_unit } else { 1.0 };
            most = most.max(x.abs() / unit);
            poison += x * 0.0;
        }
    }
    for entry in &system.flexibles {
        for (j, reach) in entry.reach.iter().enumerate() {
            let x = ws.rhs[entry.row(j)];
            most = most.max(x.abs() * reach / length_unit);
            poison += x * 0.0;
        }
    }
    let states = state.span(system.layout.states);
    for (k, entry) in system.equations.iter().enumerate() {
        let x = entry.weight(&scheme.weights) * ws.rhs[entry.block.offset() + entry.place];
        most = most.max(x.abs() / states[k].abs().max(1.0));
        poison += x * 0.0;
    }
    most + poison
}

/// The largest rotation in a displacement \[rad\].
pub(super) fn largest_turn(system: &System, delta: &[f64]) -> f64 {
    let turns = { 0..system.bodies.len() }.map(|body| vec3(delta, BLOCK * body + 3).norm());
    turns.fold(0.0, f64::max)
}

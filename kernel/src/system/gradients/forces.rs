//! Data plane: gradients of the wrenches of forces.

use super::project;
use crate::elements::forces::friction::ReactionTerm;
use crate::elements::forces::{self, ForceLaw, directions, tyre};
use crate::elements::kinematics::Weights;
use crate::elements::wrench::{Block, Wrench, WrenchSlopes, ZERO_BLOCK, add_columns, six};
use crate::linalg::BlockId;
use crate::state::State;
use crate::system::System;
use crate::system::eval::context;
use crate::workspace::Workspace;

/// Gradient of a force's wrench.
pub(super) fn gradient(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    weights: &Weights,
    f: usize,
) {
    let place = &system.schedule.forces[f];
    let element = &system.forces[f];
    let law = &element.law;
    let context = context(system, state, ws, f);
    let reaction = forces::reaction_terms(law, &context);
    let (slopes, by_states, reading) = if let ForceLaw::Tyre { tyre, .. } = law {
        let (slopes, [u, v], reading) = tyre::slopes(&system.tyres[tyre.index()], &context);
        let by_states = [u, v, Wrench::zero()];
        (slopes, by_states, Some((tyre.index(), reading)))
    } else {
        let by_states = forces::state_columns(law, &context);
        (forces::slopes(law, &context), by_states, None)
    };
    let terms = law.terms();
    let directions: [Wrench; 6] = core::array::from_fn(|k| match terms[k] {
        Some(term) => directions::direction(law, k, &context).scaled(term.to_si),
        None => Wrench::zero(),
    });
    if let Some((tyre, reading)) = reading {
        ws.tyres[tyre] = reading;
    }
    ws.block_arena[place.first..place.first + place.support.len()].fill(ZERO_BLOCK);
    add_ends(system, ws, f, &slopes, weights);
    add_reaction(system, ws, f, &reaction);
    add_states(system, ws, weights, f, &by_states);
    for (term, direction) in terms.iter().zip(&directions) {
        let Some(term) = term else { continue };
        let source = &system.schedule.expressions[term.expr.index()];
        for (n, block) in source.support.iter().enumerate() {
            if let Some(at) = place.position(*block) {
                let row = ws.row_arena[source.first + n];
                add_outer(&mut ws.block_arena[place.first + at], direction, &row);
            }
        }
    }
}

/// Adds a wrench's derivatives in the unknowns of the bodies of I, J and the axes.
fn add_ends(
    system: &System,
    ws: &mut Workspace,
    f: usize,
    slopes: &WrenchSlopes,
    weights: &Weights,
) {
    let (place, element) = (&system.schedule.forces[f], &system.forces[f]);
    let ends = [Some(element.i), Some(element.j), element.law.axes()];
    for (end, marker) in ends.into_iter().enumerate() {
        let Some(marker) = marker else { continue };
        let Some(block) = system.carrier(system.body_of(marker)).block else {
            continue;
        };
        for (n, weights, own) in system.variations(&ws.slopes, marker, weights) {
            let maps = match end {
                0 => slopes.columns_i(own, &weights),
                1 => slopes.columns_j(own, &weights),
                _ => slopes.columns_k(&weights),
            };
            if let Some(at) = place.position(BlockId(block.0 + n)) {
                add_columns(&mut ws.block_arena[place.first + at], &maps);
            }
        }
    }
}

/// Adds what a force takes from the reaction of its joint.
fn add_reaction(system: &System, ws: &mut Workspace, f: usize, terms: &[ReactionTerm]) {
    let Some(g) = system.forces[f].law.group() else {
        return;
    };
    let (place, source) = (&system.schedule.forces[f], &system.schedule.groups[g]);
    for (n, block) in source.support.iter().enumerate() {
        let Some(at) = place.position(*block) else {
            continue;
        };
        let gradient = ws.block_arena[source.first + n];
        for (direction, load) in terms {
            let row = project(&gradient, &load.force, &load.torque);
            add_outer(&mut ws.block_arena[place.first + at], direction, &row);
        }
    }
}

/// Adds what a force takes from states.
fn add_states(
    system: &System,
    ws: &mut Workspace,
    weights: &Weights,
    f: usize,
    columns: &[Wrench; 3],
) {
    let place = &system.schedule.forces[f];
    for (k, column) in system.forces[f].law.states().iter().zip(columns) {
        let Some(entry) = k.map(|k| &system.equations[k]) else {
            continue;
        };
        if let Some(at) = place.position(entry.block) {
            let mut row = [0.0; 6];
            row[entry.place] = entry.weight(weights);
            add_outer(&mut ws.block_arena[place.first + at], column, &row);
        }
    }
}

/// Adds ŵ ⊗ row.
fn add_outer(block: &mut Block, w: &Wrench, row: &[f64; 6]) {
    let w = six(&w.force, &w.torque);
    for (column, x) in block.iter_mut().zip(row) {
        for r in 0..6 {
            column[r] += w[r] * x;
        }
    }
}

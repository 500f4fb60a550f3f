//! Data plane: gradients of the wrenches of forces.

use super::project;
use crate::elements::forces::friction::ReactionTerm;
use crate::elements::forces::{self, ForceLaw, tyre};
use crate::elements::kinematics::Weights;
use crate::elements::wrench::{Block, Wrench, WrenchSlopes, ZERO_BLOCK, add_columns, six};
use crate::state::State;
use crate::system::System;
use crate::system::eval::context;
use crate::system::schedule::Sum;
use crate::workspace::Values;

/// Gradient of a force's wrench.
#[inline(never)]
pub(super) fn gradient(
    system: &System,
    state: &State,
    ws: &mut Values,
    weights: &Weights,
    f: usize,
) {
    if let ForceLaw::Tyre { tyre, .. } = &system.forces[f].law {
        tyre_own(system, state, ws, weights, (f, tyre.index()));
    } else {
        own(system, state, ws, weights, f);
    }
    add_read(system, state, ws, f);
    add_states(system, state, ws, weights, f);
}

/// Writes a wrench's derivatives in the unknowns that move its markers; the place is empty before.
#[inline(never)]
fn own(system: &System, state: &State, ws: &mut Values, weights: &Weights, f: usize) {
    let slopes = forces::slopes(&system.forces[f].law, &context(system, state, ws, f));
    ws.block_arena[system.schedule.forces[f].range()].fill(ZERO_BLOCK);
    add_ends(system, ws, f, &slopes, weights);
}

/// The same for a tyre; stores what expressions read of it.
#[inline(never)]
fn tyre_own(
    system: &System,
    state: &State,
    ws: &mut Values,
    weights: &Weights,
    (f, tyre): (usize, usize),
) {
    let mut readings = core::mem::take(&mut ws.tyres);
    let context = context(system, state, ws, f);
    let slopes = tyre::slopes(&system.tyres[tyre], &context, &mut readings[tyre]);
    ws.tyres = readings;
    ws.block_arena[system.schedule.forces[f].range()].fill(ZERO_BLOCK);
    add_ends(system, ws, f, &slopes, weights);
}

/// Adds the derivatives of a force in the values that it reads.
#[inline(never)]
fn add_read(system: &System, state: &State, ws: &mut Values, f: usize) {
    let law = &system.forces[f].law;
    let context = context(system, state, ws, f);
    let sums = system.schedule.links.sums(&system.schedule.forces[f]);
    // No law reads both a reaction and expressions.
    if law.group().is_some() {
        let reaction = forces::reaction_terms(law, &context);
        add_reaction(ws, sums, &reaction);
        return;
    }
    let terms = law.terms();
    let directions: [Wrench; 6] = core::array::from_fn(|k| match terms[k] {
        Some(term) => forces::direction(law, k, &context).scaled(term.to_si),
        None => Wrench::zero(),
    });
    add_terms(ws, sums, &directions);
}

/// Adds a wrench's derivatives in the unknowns of the bodies of I, J and the axes.
#[inline(never)]
fn add_ends(system: &System, ws: &mut Values, f: usize, slopes: &WrenchSlopes, weights: &Weights) {
    for end in system.schedule.links.ends(&system.schedule.forces[f]) {
        let (own, weights) = (&ws.slopes[end.slopes as usize], end.weights(weights));
        let maps = match end.of {
            0 => slopes.columns_i(own, weights),
            1 => slopes.columns_j(own, weights),
            _ => slopes.columns_k(weights),
        };
        add_columns(&mut ws.block_arena[end.to as usize], &maps);
    }
}

/// Adds the derivatives of a force in the reaction of its joint.
fn add_reaction(ws: &mut Values, sums: &[Sum], terms: &[ReactionTerm]) {
    for sum in sums {
        let gradient = ws.block_arena[sum.from as usize];
        let block = &mut ws.block_arena[sum.to as usize];
        for (direction, load) in terms {
            let row = project(&gradient, &load.force, &load.torque);
            add_outer(block, direction, &row);
        }
    }
}

/// Adds the derivatives of a force in its expressions.
fn add_terms(ws: &mut Values, sums: &[Sum], directions: &[Wrench; 6]) {
    for sum in sums {
        let row = &ws.row_arena[sum.from as usize];
        let block = &mut ws.block_arena[sum.to as usize];
        add_outer(block, &directions[sum.of as usize], row);
    }
}

/// Adds the derivatives of a force in states.
#[inline(never)]
fn add_states(system: &System, state: &State, ws: &mut Values, weights: &Weights, f: usize) {
    let states = system.schedule.links.own(&system.schedule.forces[f]);
    if states.is_empty() {
        return;
    }
    let law = &system.forces[f].law;
    let columns = if let ForceLaw::Tyre { tyre, .. } = law {
        let [u, v] = ws.tyres[tyre.index()].by_states;
        [u, v, Wrench::zero()]
    } else {
        forces::state_columns(law, &context(system, state, ws, f))
    };
    for state in states {
        let entry = &system.equations[state.from as usize];
        let mut row = [0.0; 6];
        row[entry.place] = entry.weight(weights);
        let block = &mut ws.block_arena[state.to as usize];
        add_outer(block, &columns[state.of as usize], &row);
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

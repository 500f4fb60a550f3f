//! Control plane: the tiles of the differential equations' states.
//!
//! States that read one another share a tile, as far as it goes; the others have one of their own, so
//! that no tile ties together what is not coupled.

use crate::ids::{EquationId, ExprId};
use crate::linalg::{BlockId, Pattern, PatternBuilder, Slot, TILE};
use crate::model::{Leaf, Model};
use crate::system::EquationEntry;
use crate::system::schedule::Schedule;

/// Entries of all equations with their blocks of unknowns; `initial` is the place of the first
/// initial value in the table of numbers.
pub fn entries(model: &Model, initial: usize, builder: &mut PatternBuilder) -> Vec<EquationEntry> {
    let mut entries: Vec<EquationEntry> = Vec::new();
    for (k, equation) in model.equations.iter().enumerate() {
        entries.push(EquationEntry {
            name: equation.quantity.name.clone(),
            derivative: equation.derivative,
            initial: initial + k,
            block: BlockId(0),
            place: 0,
            slot: Slot(0),
            slots: Vec::new(),
        });
    }
    for tile in clusters(model).iter().flat_map(|c| c.chunks(TILE)) {
        let block = builder.add_block(tile.len());
        for (place, &k) in tile.iter().enumerate() {
            entries[k].block = block;
            entries[k].place = place;
        }
    }
    entries
}

/// Sets of equations that are connected by reading one another's states, each in the file's order.
fn clusters(model: &Model) -> Vec<Vec<usize>> {
    let count = model.equations.len();
    let mut cluster: Vec<usize> = (0..count).collect();
    for (k, equation) in model.equations.iter().enumerate() {
        for other in states_read(model, equation.derivative.expr) {
            let (from, to) = (
                cluster[k].max(cluster[other]),
                cluster[k].min(cluster[other]),
            );
            for c in &mut cluster {
                if *c == from {
                    *c = to;
                }
            }
        }
    }
    let members = |c: usize| (0..count).filter(|&k| cluster[k] == c).collect();
    let all: Vec<Vec<usize>> = (0..count).map(members).collect();
    all.into_iter().filter(|m| !m.is_empty()).collect()
}

/// The equations whose states an expression reads, also by way of variables and rates.
fn states_read(model: &Model, root: ExprId) -> Vec<usize> {
    let mut seen = vec![false; model.expressions.len()];
    let mut states = Vec::new();
    let mut waiting = vec![root];
    while let Some(expr) = waiting.pop() {
        if std::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        for leaf in model.expressions[expr.index()].leaves() {
            match model.leaves[leaf.index()] {
                Leaf::State(EquationId(k)) => states.push(k as usize),
                Leaf::StateRate(k) => waiting.push(model.equations[k.index()].derivative.expr),
                Leaf::Variable(v) => waiting.push(model.variables[v.index()].expr),
                _ => {}
            }
        }
    }
    states
}

/// Adds the tiles of the equations' rows.
pub fn couple(entries: &[EquationEntry], schedule: &Schedule, builder: &mut PatternBuilder) {
    for entry in entries {
        for column in &schedule.expressions[entry.derivative.expr.index()].support {
            builder.add_entry(entry.block, *column);
        }
    }
}

/// Finds the tiles of the equations' rows.
pub fn resolve_slots(entries: &mut [EquationEntry], schedule: &Schedule, pattern: &Pattern) {
    for entry in entries {
        if let Some(slot) = pattern.slot(entry.block, entry.block) {
            entry.slot = slot;
        }
        let support = &schedule.expressions[entry.derivative.expr.index()].support;
        entry.slots = support
            .iter()
            .filter_map(|column| pattern.slot(entry.block, *column))
            .collect();
    }
}

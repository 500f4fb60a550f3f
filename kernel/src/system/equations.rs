//! Control plane: arranges states and implicit variables in tiles.
//!
//! States whose equations read one another share a tile, up to its size. All others have tiles of their own, so that
//! no tile couples independent states.

use crate::ids::ValueId;
use crate::linalg::{BlockId, PatternBuilder, Slot, TILE};
use crate::mechanism::{ForceKind, Leaf, Mechanism};
use crate::system::EquationEntry;
use crate::system::condense::Coupler;
use crate::system::schedule::Schedule;
use alloc::vec;
use alloc::vec::Vec;

/// The initial values of all equations, then the numbers that have to satisfy rules.
pub fn numbers(mechanism: &Mechanism) -> Vec<ValueId> {
    let initial = mechanism.equations.iter().map(|e| e.initial);
    let checked = mechanism.equations.iter().flat_map(|e| e.checked.clone());
    initial.chain(checked).collect()
}

/// Entries of all equations with their blocks of unknowns; `initial` is the index of the first initial value in the
/// table of numbers.
pub fn entries(
    mechanism: &Mechanism,
    initial: usize,
    builder: &mut PatternBuilder,
) -> Vec<EquationEntry> {
    let mut entries: Vec<EquationEntry> = Vec::new();
    for (k, equation) in mechanism.equations.iter().enumerate() {
        entries.push(EquationEntry {
            name: equation.label.clone(),
            law: equation.law,
            start: equation.start,
            initial: initial + k,
            block: BlockId(0),
            place: 0,
            slot: Slot(0),
            slots: Vec::new(),
        });
    }
    for tile in clusters(mechanism).iter().flat_map(|c| c.chunks(TILE)) {
        let block = builder.add_block(tile.len());
        for (place, &k) in tile.iter().enumerate() {
            entries[k].block = block;
            entries[k].place = place;
        }
    }
    entries
}

/// Sets of equations connected by reading one another's states, each in the file's order.
fn clusters(mechanism: &Mechanism) -> Vec<Vec<usize>> {
    let count = mechanism.equations.len();
    // Union-find: each points to an earlier member of its set, the first one to itself.
    let mut earlier: Vec<usize> = (0..count).collect();
    let mut seen = vec![usize::MAX; mechanism.expressions.len()];
    for k in 0..count {
        for other in states_read(mechanism, k, &mut seen) {
            let (a, b) = (first(&mut earlier, k), first(&mut earlier, other));
            earlier[a.max(b)] = a.min(b);
        }
    }
    let mut members = vec![Vec::new(); count];
    for k in 0..count {
        members[first(&mut earlier, k)].push(k);
    }
    members.retain(|m| !m.is_empty());
    members
}

/// The first member of a set; shortens the path to it.
fn first(earlier: &mut [usize], mut k: usize) -> usize {
    while earlier[k] != k {
        earlier[k] = earlier[earlier[k]];
        k = earlier[k];
    }
    k
}

/// The equations whose states a derivative reads, also through variables and rates. `seen` holds, for each
/// expression, the last equation that visited it.
fn states_read(mechanism: &Mechanism, equation: usize, seen: &mut [usize]) -> Vec<usize> {
    let mut states = Vec::new();
    let mut waiting = vec![mechanism.equations[equation].law.expression().expr];
    while let Some(expr) = waiting.pop() {
        if core::mem::replace(&mut seen[expr.index()], equation) == equation {
            continue;
        }
        for leaf in mechanism.expressions[expr.index()].leaves() {
            match mechanism.leaves[leaf.index()] {
                Leaf::State(k) => states.push(k.index()),
                Leaf::Tyre { force, .. } => {
                    if let ForceKind::Tyre(tyre) = &mechanism.forces[force.index()].kind {
                        states.extend(tyre.states.iter().flatten().map(|k| k.index()));
                    }
                }
                Leaf::BristleRate { friction, .. } => {
                    if let ForceKind::JointFriction(x) = &mechanism.forces[friction.index()].kind {
                        states.extend(x.bristles.iter().map(|k| k.index()));
                    }
                }
                Leaf::StateRate(k) => {
                    waiting.push(mechanism.equations[k.index()].law.expression().expr);
                }
                Leaf::Variable(v) => waiting.push(mechanism.variables[v.index()].expr),
                _ => {}
            }
        }
    }
    states
}

/// Adds the tiles of the equations' rows.
pub fn couple(entries: &[EquationEntry], schedule: &Schedule, coupler: &mut Coupler) {
    for entry in entries {
        for column in &schedule.expressions[entry.expr().index()].support {
            coupler.couple(entry.block, *column);
        }
    }
}

/// Finds the tiles of the equations' rows.
pub fn resolve_slots(
    entries: &mut [EquationEntry],
    schedule: &Schedule,
    slot: impl Fn(BlockId, BlockId) -> Option<Slot>,
) {
    for entry in entries {
        if let Some(own) = slot(entry.block, entry.block) {
            entry.slot = own;
        }
        let support = &schedule.expressions[entry.expr().index()].support;
        entry.slots = support
            .iter()
            .filter_map(|column| slot(entry.block, *column))
            .collect();
    }
}

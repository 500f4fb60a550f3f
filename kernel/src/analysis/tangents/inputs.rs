//! Control plane: derivatives of motions, general constraints and gravity in inputs, for the tangents.

use super::matrix::Entry;
use super::places::Places;
use crate::elements::constraints::RowKind;
use crate::ids::{ExprId, LeafId};
use crate::math::{Vec3, cos};
use crate::mechanism::{Leaf, Mechanism, MotionLevel};
use crate::state::State;
use crate::system::compile::variables_of;
use crate::system::layout::BLOCK;
use crate::system::residual::{self, inertia};
use crate::system::{RowLaw, RowTarget, System, flexible, general};
use crate::workspace::Workspace;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// Entries of derivatives in inputs as the mechanism sees them, at an evaluated workspace.
pub(super) fn direct(
    mechanism: &Mechanism,
    system: &System,
    state: &State,
    ws: &mut Workspace,
    places: &Places,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    if !mechanism.inputs.is_empty() {
        constraints(mechanism, system, ws, places, &mut entries);
        general_loads(system, ws, places, &mut entries);
        gravity(mechanism, system, state, ws, (places, &mut entries));
    }
    entries
}

/// Rows of motions that prescribe a displacement, and of general constraints.
fn constraints(
    mechanism: &Mechanism,
    system: &System,
    ws: &Workspace,
    places: &Places,
    entries: &mut Vec<Entry>,
) {
    let of_motions = system.motions.iter().map(|m| m.expr);
    let of_generals = system.generals.iter().map(|g| g.expr);
    let roots: Vec<ExprId> = of_motions.chain(of_generals).collect();
    if roots.is_empty() {
        return;
    }
    let slopes = slopes(mechanism, system, ws, &roots);
    let (of_motions, of_generals) = slopes.split_at(system.motions.len());
    for group in &system.groups {
        for (k, r) in group.rows.range().enumerate() {
            let row = &system.rows[r];
            let (slopes, factor) = match (&row.law, &row.target) {
                (RowLaw::Markers(kind), RowTarget::Motion(m)) => {
                    let motion = &system.motions[m.index()];
                    if motion.level != MotionLevel::Displacement {
                        continue;
                    }
                    // Φ is a coordinate or its sine, less the same of the target.
                    let by_target = match kind {
                        RowKind::SineDot(..) => -cos(ws.targets[m.index()].value),
                        _ => -1.0,
                    };
                    (&of_motions[m.index()], by_target * motion.to_si)
                }
                // The first leg carries the whole value.
                (RowLaw::General { constraint, leg: 0 }, _) => {
                    let n = constraint.index();
                    (&of_generals[n], system.generals[n].to_si)
                }
                _ => continue,
            };
            if let Some(row) = places.at(group.block, k) {
                add(row, slopes, factor, entries);
            }
        }
    }
}

/// Gᵀλ of general constraints whose functions multiply inputs by coordinates.
fn general_loads(system: &System, ws: &mut Workspace, places: &Places, entries: &mut Vec<Entry>) {
    for (n, entry) in system.generals.iter().enumerate() {
        let Some(first) = entry.group else { continue };
        let multiplier = ws.multipliers[BLOCK * first];
        for (input, legs) in general::by_inputs(system, ws, n) {
            let mut loads = vec![0.0; ws.rhs.len()];
            for (group, load) in system.groups[first..].iter().zip(&legs) {
                let ends = (group.i, group.j);
                residual::apply(system, ws, &mut loads, ends, load, multiplier);
            }
            if !system.frames.is_empty() {
                flexible::gather(system, ws, &mut loads);
            }
            let column = input.index();
            entries.extend(loads.iter().enumerate().filter_map(|(at, value)| {
                let row = places.unknown(at)?;
                let value = *value;
                Some(Entry { row, column, value })
            }));
        }
    }
}

/// Weights of all bodies, if a component of gravity reads inputs.
fn gravity(
    mechanism: &Mechanism,
    system: &System,
    state: &State,
    ws: &mut Workspace,
    (places, entries): (&Places, &mut Vec<Entry>),
) {
    for (k, function) in system.gravity_functions.iter().enumerate() {
        let Some(function) = function else { continue };
        let slopes = slopes(mechanism, system, ws, &[function.expr]);
        let mut unit = Vec3::zeros();
        unit[k] = function.to_si * ws.gravity_ramp;
        // The loads of flexible bodies are affine in gravity.
        ws.rhs.fill(0.0);
        flexible::motion(system, &mut ws.values, &mut ws.rhs, (&Vec3::zeros(), 1.0));
        let without = ws.rhs.clone();
        ws.rhs.fill(0.0);
        flexible::motion(system, &mut ws.values, &mut ws.rhs, (&unit, 1.0));
        for (x, without) in ws.rhs.iter_mut().zip(without) {
            *x -= without;
        }
        for (body, entry) in system.bodies.iter().enumerate() {
            if let Some(block) = entry.block.filter(|_| entry.flexible.is_none()) {
                ws.rhs[block.offset() + k] -= inertia(system, state, body).mass * unit[k];
            }
        }
        for (at, x) in ws.rhs.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            if let Some(row) = places.unknown(at) {
                add(row, &slopes[0], *x, entries);
            }
        }
    }
}

fn add(row: usize, slopes: &[f64], factor: f64, entries: &mut Vec<Entry>) {
    entries.extend(slopes.iter().enumerate().map(|(column, slope)| Entry {
        row,
        column,
        value: slope * factor,
    }));
}

/// Derivatives of prescribed motions in inputs as the mechanism sees them, SI per unit of the input, by motion.
pub(super) fn of_motions(mechanism: &Mechanism, system: &System, ws: &Workspace) -> Vec<Vec<f64>> {
    let functions: Vec<ExprId> = system.motions.iter().map(|m| m.expr).collect();
    let mut all = slopes(mechanism, system, ws, &functions);
    for (slopes, motion) in all.iter_mut().zip(&system.motions) {
        for slope in slopes {
            *slope *= motion.to_si;
        }
    }
    all
}

/// Derivatives of expressions in all inputs that they read, directly or through variables, by reverse sweeps.
fn slopes(
    mechanism: &Mechanism,
    system: &System,
    ws: &Workspace,
    roots: &[ExprId],
) -> Vec<Vec<f64>> {
    let mut sweep = Sweep::new(mechanism, system, ws);
    for (expr, stands) in variables_of(mechanism, roots) {
        let (value, slopes) = sweep.of(expr);
        for leaf in stands {
            sweep.leaves[leaf.index()] = value;
            sweep.known.insert(leaf, slopes.clone());
        }
    }
    roots.iter().map(|root| sweep.of(*root).1).collect()
}

/// Values and slopes of leaves, with scratch.
struct Sweep<'a> {
    system: &'a System,
    leaves: Vec<f64>,
    /// Slopes by inputs, of the leaves that depend on any.
    known: BTreeMap<LeafId, Vec<f64>>,
    registers: Vec<f64>,
    adjoints: Vec<f64>,
    gradient: Vec<f64>,
    inputs: usize,
}

impl<'a> Sweep<'a> {
    fn new(mechanism: &Mechanism, system: &'a System, ws: &Workspace) -> Self {
        let inputs = mechanism.inputs.len();
        let unit = |k: usize| (0..inputs).map(|n| f64::from(u8::from(n == k))).collect();
        let read = |(at, leaf): (usize, &Leaf)| match leaf {
            Leaf::Input(k) => Some((LeafId::from(at), unit(k.index()))),
            _ => None,
        };
        Self {
            system,
            leaves: ws.leaves.clone(),
            known: system.leaves.iter().enumerate().filter_map(read).collect(),
            registers: vec![0.0; ws.registers.len()],
            adjoints: vec![0.0; ws.adjoints.len()],
            gradient: vec![0.0; ws.leaf_gradient.len()],
            inputs,
        }
    }

    /// The value of an expression, and its slopes.
    fn of(&mut self, expr: ExprId) -> (f64, Vec<f64>) {
        let program = &self.system.programs[expr.index()];
        let value = program.gradient(
            &self.leaves,
            &mut self.registers,
            &mut self.adjoints,
            &mut self.gradient,
        );
        let mut slopes = vec![0.0; self.inputs];
        for (leaf, by_leaf) in program.leaves().iter().zip(&self.gradient) {
            let Some(known) = self.known.get(leaf) else {
                continue;
            };
            for (sum, slope) in slopes.iter_mut().zip(known) {
                *sum += by_leaf * slope;
            }
        }
        (value, slopes)
    }
}

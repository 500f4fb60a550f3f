//! Data plane, except for building: derivatives of motions, general constraints and gravity in inputs. These have no
//! columns of states, so (SEN-5) does not contain them.

use super::wide::{Freed, place_inputs};
use crate::elements::constraints::RowKind;
use crate::elements::wrench::Wrench;
use crate::ids::{ExprId, InputId, LeafId};
use crate::integrator::motions;
use crate::math::{Vec3, cos};
use crate::mechanism::{Leaf, Mechanism, MotionLevel};
use crate::state::State;
use crate::system::compile::variables_of;
use crate::system::layout::BLOCK;
use crate::system::residual::{self, inertia};
use crate::system::{RowLaw, RowTarget, System, eval, flexible, general};
use crate::workspace::{Values, Workspace};
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

/// Derivatives in an input that a motion, a general constraint or gravity reads.
#[derive(Clone, Debug)]
struct Column {
    input: usize,
    leaves: Vec<LeafId>,
    /// Change of the end coordinates of rate-driven motions.
    ends: Vec<f64>,
    /// ∂r, in the layout of the padded vector.
    rows: Vec<f64>,
}

/// The columns of all such inputs.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    columns: Vec<Column>,
    /// Variables that motions and gravity need, in order of evaluation.
    variables: Vec<(ExprId, Vec<LeafId>)>,
    /// Change of leaves.
    along: Vec<f64>,
    /// Loads of the legs of a general constraint.
    legs: Vec<Wrench>,
    /// Indices of the unknowns in padded vectors: with inputs and outputs, and without.
    to_base: Vec<(usize, usize)>,
    /// Do any motions prescribe a rate?
    by_rates: bool,
}

impl Direct {
    /// Control plane.
    pub(super) fn new(
        mechanism: &Mechanism,
        wide: &System,
        (freed, base): (&[(LeafId, InputId)], &System),
        to_base: Vec<(usize, usize)>,
    ) -> Self {
        let motions = wide.motions.iter().map(|m| m.expr);
        let gravity = wide.gravity_functions.iter().flatten().map(|g| g.expr);
        let mut roots: Vec<ExprId> = motions.chain(gravity).collect();
        let variables = variables_of(mechanism, &roots);
        roots.extend(variables.iter().map(|(expr, _)| *expr));
        for general in &wide.generals {
            roots.push(general.expr);
            roots.extend(general.variables.iter().map(|(expr, _)| *expr));
        }
        let mut read = BTreeSet::new();
        for root in roots {
            for leaf in mechanism.expressions[root.index()].leaves() {
                if let Leaf::Input(k) = mechanism.leaves[leaf.index()] {
                    read.insert(k.index());
                }
            }
        }
        let column = |input: usize| Column {
            input,
            leaves: { freed.iter() }
                .filter(|(_, k)| k.index() == input)
                .map(|(leaf, _)| *leaf)
                .collect(),
            ends: vec![0.0; wide.motions.len()],
            rows: vec![0.0; base.tiles.padded()],
        };
        let legs = wide.generals.iter().map(|g| g.markers.len());
        Self {
            columns: read.into_iter().map(column).collect(),
            variables,
            along: vec![0.0; wide.leaves.len()],
            legs: vec![Wrench::zero(); legs.max().unwrap_or(0)],
            to_base,
            by_rates: { wide.motions.iter() }.any(|m| m.level != MotionLevel::Displacement),
        }
    }

    /// Indices of the unknowns in padded vectors: with inputs and outputs, and without.
    pub(super) fn places(&self) -> &[(usize, usize)] {
        &self.to_base
    }

    /// Inputs with their columns.
    pub(super) fn columns(&self) -> impl Iterator<Item = (usize, &[f64])> {
        self.columns.iter().map(|c| (c.input, &c.rows[..]))
    }

    /// Derivatives of the ends of rate-driven motions, (MOT-1) and (MOT-2), in inputs, which are constant during the
    /// step that led to a state.
    pub(super) fn integrate(
        &mut self,
        (system, base): (&System, &State),
        (wide, state, ws): (&System, &mut State, &mut Workspace),
        freed: &[Freed],
    ) {
        if !self.by_rates {
            return;
        }
        let (end, h) = (base.time(&system.layout), base.step(&system.layout));
        for column in &mut self.columns {
            column.ends.fill(0.0);
        }
        for (part, by_rate, by_acceleration) in motions::SIMPSON {
            let time = end - h + part * h;
            eval::settings(wide, state, ws, time);
            let seen = place_inputs(freed, (system, base), (wide, state, ws), time);
            for n in 0..self.columns.len() {
                self.sweep(wide, ws, n);
                for (m, motion) in wide.motions.iter().enumerate() {
                    let weight = match motion.level {
                        MotionLevel::Displacement => continue,
                        MotionLevel::Velocity => h * by_rate,
                        MotionLevel::Acceleration => h * h * by_acceleration,
                    };
                    let slope = slope(wide, ws, &self.along, motion.expr) * motion.to_si;
                    self.columns[n].ends[m] += weight * slope * seen;
                }
            }
        }
    }

    /// Evaluates ∂r of all columns at an evaluated workspace, with the scale of (RES-1) and the factor of inputs.
    pub(super) fn evaluate(
        &mut self,
        (system, state, ws): (&System, &State, &mut Workspace),
        (scale, seen): (f64, f64),
    ) {
        for n in 0..self.columns.len() {
            ws.rhs.fill(0.0);
            self.sweep(system, ws, n);
            self.gravity((system, state, ws), scale * seen);
            self.motions(system, ws, (n, seen));
            self.generals(system, ws, (n, scale, seen));
            if !system.frames.is_empty() {
                flexible::gather(system, &ws.values, &mut ws.rhs);
            }
            let rows = &mut self.columns[n].rows;
            for (from, to) in &self.to_base {
                rows[*to] = ws.rhs[*from];
            }
        }
    }

    /// Change of variables with an input.
    fn sweep(&mut self, system: &System, ws: &mut Values, n: usize) {
        self.along.fill(0.0);
        for leaf in &self.columns[n].leaves {
            self.along[leaf.index()] = 1.0;
        }
        for (expr, leaves) in &self.variables {
            let value = system.programs[expr.index()].value(&ws.leaves, &mut ws.registers);
            let slope = slope(system, ws, &self.along, *expr);
            for leaf in leaves {
                ws.leaves[leaf.index()] = value;
                self.along[leaf.index()] = slope;
            }
        }
    }

    /// Weights of all bodies.
    fn gravity(&self, (system, state, ws): (&System, &State, &mut Workspace), scale: f64) {
        if system.gravity_functions.iter().all(Option::is_none) {
            return;
        }
        let mut change = Vec3::zeros();
        for (k, function) in system.gravity_functions.iter().enumerate() {
            if let Some(function) = function {
                change[k] = slope(system, ws, &self.along, function.expr) * function.to_si;
            }
        }
        change *= ws.gravity_ramp;
        // The loads of flexible bodies are affine in gravity.
        let (values, rhs) = (&mut ws.values, &mut ws.rhs[..]);
        flexible::motion(system, values, rhs, (&change, scale));
        flexible::motion(system, values, rhs, (&Vec3::zeros(), -scale));
        for (body, entry) in system.bodies.iter().enumerate() {
            if let Some(block) = entry.block.filter(|_| entry.flexible.is_none()) {
                let weight = change * (inertia(system, state, body).mass * scale);
                for k in 0..3 {
                    ws.rhs[block.offset() + k] -= weight[k];
                }
            }
        }
    }

    /// Rows of motions: Φ is a coordinate or its sine, less the same of the target.
    fn motions(&self, system: &System, ws: &mut Workspace, (n, seen): (usize, f64)) {
        for group in &system.groups {
            for (k, r) in group.rows.range().enumerate() {
                let row = &system.rows[r];
                let (RowLaw::Markers(kind), RowTarget::Motion(m)) = (&row.law, &row.target) else {
                    continue;
                };
                let m = m.index();
                let motion = &system.motions[m];
                let by_target = match kind {
                    RowKind::SineDot(..) => -cos(ws.targets[m].value),
                    _ => -1.0,
                };
                let change = match motion.level {
                    MotionLevel::Displacement => {
                        slope(system, ws, &self.along, motion.expr) * motion.to_si * seen
                    }
                    MotionLevel::Velocity | MotionLevel::Acceleration => self.columns[n].ends[m],
                };
                ws.rhs[group.block.offset() + k] += by_target * change;
            }
        }
    }

    /// Rows of general constraints, and their loads Gᵀλ if functions multiply inputs by coordinates.
    fn generals(
        &mut self,
        system: &System,
        ws: &mut Workspace,
        (n, scale, seen): (usize, f64, f64),
    ) {
        for (g, entry) in system.generals.iter().enumerate() {
            let Some(first) = entry.group else { continue };
            for leaf in &self.columns[n].leaves {
                let legs = &mut self.legs[..entry.markers.len()];
                legs.fill(Wrench::zero());
                let change = general::by_leaf(system, ws, (g, *leaf), |leg, load| {
                    legs[leg].add(load);
                });
                ws.rhs[system.groups[first].block.offset()] += change * seen;
                let factor = ws.multipliers[BLOCK * first] * scale * seen;
                for (group, load) in system.groups[first..].iter().zip(&*legs) {
                    let ends = (group.i, group.j);
                    residual::apply(system, &ws.values, &mut ws.rhs, ends, load, factor);
                }
            }
        }
    }
}

/// Change of an expression along its leaves.
fn slope(system: &System, ws: &mut Values, along: &[f64], expr: ExprId) -> f64 {
    let program = &system.programs[expr.index()];
    program.gradient(
        &ws.leaves,
        &mut ws.registers,
        &mut ws.adjoints,
        &mut ws.leaf_gradient,
    );
    let mut sum = 0.0;
    for (leaf, by_leaf) in program.leaves().iter().zip(&ws.leaf_gradient) {
        let along = along[leaf.index()];
        // A leaf that does not change contributes nothing, even if the slope is infinite.
        if along != 0.0 {
            sum += by_leaf * along;
        }
    }
    sum
}

//! Data plane: general constraints: functions of poses and time that must stay zero.
//!
//! The function f of leaves mₖ (displacements, angles) is a compiled expression. Each marker that a leaf reads is a
//! leg of the constraint with its own load; all legs share one multiplier:
//!
//! ```text
//! Φ = f(m, t),   Φ̇ and Φ̈ by Taylor arithmetic from mₖ, ṁₖ, m̈ₖ                      (GCO-1)
//! Gᵀλ = λ Σ fₖ ∂mₖ/∂(δp, δψ)                                                      (GCO-2)
//! ∂(Gᵀλ) = λ Σ fₖₗ ∂mₖ ∂mₗᵀ + λ Σ fₖ ∂²mₖ                                          (GCO-3)
//! ```
//! One reverse sweep gives fₖ. Second derivatives along eₖ, eₗ and eₖ + eₗ in Taylor arithmetic give fₖₗ.

mod inputs;

use crate::elements::kinematics::{Cotangent, MarkerKinematics, Weights};
use crate::elements::measures;
use crate::elements::wrench::{Block, Wrench, ZERO_BLOCK, transported};
use crate::expr::TimeJet;
use crate::ids::{ExprId, LeafId, MarkerId};
use crate::linalg::{Slot, TileMatrix};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};
use crate::mechanism::Leaf;
use crate::state::State;
use crate::system::curves::{self, CurveValues};
use crate::system::layout::BLOCK;
use crate::system::{Owner, System};
use crate::workspace::Values;
use alloc::vec;
use alloc::vec::Vec;
pub use inputs::{by_inputs, by_leaf};

/// A general constraint in the compiled system.
#[derive(Clone, Debug)]
pub struct GeneralEntry {
    /// The function.
    pub expr: ExprId,
    /// Factor from its value to SI.
    pub to_si: f64,
    /// Variables that it needs, in order of evaluation, each with the leaves that stand for it.
    pub variables: Vec<(ExprId, Vec<LeafId>)>,
    /// The leaves that depend on poses.
    pub reads: Vec<Read>,
    /// The markers that move, one per leg.
    pub markers: Vec<MarkerId>,
    /// First of its groups, one per leg; `None` if removed as redundant.
    pub group: Option<usize>,
    /// Does it depend on time or inputs?
    pub driven: bool,
    /// Tiles of (body of a leg, body of a leg), by rows.
    pub slots: Vec<Option<Slot>>,
}

/// A leaf that depends on poses.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The leaf.
    pub leaf: LeafId,
    /// The legs of its markers I, J and axes, as far as they move and the leaf depends on them.
    pub legs: [Option<usize>; 3],
}

/// Values and derivatives of a general constraint at a pose.
#[derive(Clone, Debug, Default)]
pub struct GeneralValues {
    /// Φ, Φ̇, Φ̈.
    pub jet: TimeJet,
    /// ∂Φ in each leg's marker: in its position, and in its rotation.
    pub legs: Vec<Wrench>,
    /// fₖ.
    slopes: Vec<f64>,
    /// fₖₗ, by rows.
    bends: Vec<f64>,
    /// ∂mₖ in positions and rotations of its markers.
    cotangents: Vec<[Wrench; 3]>,
    /// (GCO-3) per unit of λ between legs, by rows.
    pub tangent: Vec<Block>,
}

impl GeneralValues {
    /// Control plane: buffers for a constraint.
    pub fn new(entry: &GeneralEntry) -> Self {
        let (legs, reads) = (entry.markers.len(), entry.reads.len());
        Self {
            jet: TimeJet::default(),
            legs: vec![Wrench::zero(); legs],
            slopes: vec![0.0; reads],
            bends: vec![0.0; reads * reads],
            cotangents: vec![[Wrench::zero(); 3]; reads],
            tangent: vec![ZERO_BLOCK; legs * legs],
        }
    }
}

/// Evaluates all general constraints at the kinematics in `ws`, after the joints on curves: values, rates and
/// gradients.
pub(super) fn evaluate(system: &System, state: &State, ws: &mut Values) {
    for n in 0..system.generals.len() {
        let entry = &system.generals[n];
        for read in &entry.reads {
            let jet = leaf_jet(system, state, ws, read.leaf);
            ws.leaf_jets[read.leaf.index()] = jet;
            ws.leaves[read.leaf.index()] = jet.value;
        }
        let jet = run(system, entry, &mut ws.leaf_jets, &mut ws.jet_registers);
        for (_, leaves) in &entry.variables {
            for leaf in leaves {
                ws.leaves[leaf.index()] = ws.leaf_jets[leaf.index()].value;
            }
        }
        ws.generals[n].jet = TimeJet {
            value: jet.value * entry.to_si,
            first: jet.first * entry.to_si,
            second: jet.second * entry.to_si,
        };
        gradient(system, ws, n);
    }
}

/// Evaluates the function from jets of the leaves; sets those of variables on the way.
fn run(
    system: &System,
    entry: &GeneralEntry,
    jets: &mut [TimeJet],
    registers: &mut [TimeJet],
) -> TimeJet {
    for (expr, leaves) in &entry.variables {
        let jet = system.programs[expr.index()].time_jet(jets, registers);
        for leaf in leaves {
            jets[leaf.index()] = jet;
        }
    }
    system.programs[entry.expr.index()].time_jet(jets, registers)
}

/// A leaf that depends on poses, with two time derivatives, in user units.
fn leaf_jet(system: &System, state: &State, ws: &Values, leaf: LeafId) -> TimeJet {
    let (jet, scale) = match &system.leaves[leaf.index()] {
        Leaf::Kinematic {
            measure,
            i,
            j,
            axes,
            frame,
            scale,
        } => {
            let markers = [i, j, axes, frame].map(|m| &ws.markers[m.index()]);
            let counted = system.leaf_memory[leaf.index()];
            let memory = counted.map_or(0.0, |k| state.span(system.layout.angles)[k]);
            (measures::jet(*measure, &markers, memory), *scale)
        }
        Leaf::Arc { joint, on_j, scale } => {
            let (k, arc) = system.arc(&ws.curve_joints, *joint, *on_j);
            let joint = &system.curve_joints[k];
            let (i, j) = (&ws.markers[joint.i.index()], &ws.markers[joint.j.index()]);
            let (first, second) = arc.rates(i, j);
            let value = arc.value;
            let jet = TimeJet {
                value,
                first,
                second,
            };
            (jet, *scale)
        }
        _ => (TimeJet::default(), 1.0),
    };
    TimeJet {
        value: jet.value * scale,
        first: jet.first * scale,
        second: jet.second * scale,
    }
}

/// fₖ by a reverse sweep through the function and its variables, and the loads of the legs, (GCO-2).
fn gradient(system: &System, ws: &mut Values, n: usize) {
    let entry = &system.generals[n];
    let variables = entry.variables.iter().flat_map(|(_, leaves)| leaves);
    for leaf in entry.reads.iter().map(|read| &read.leaf).chain(variables) {
        ws.leaf_adjoints[leaf.index()] = 0.0;
    }
    sweep(system, entry.expr, 1.0, ws);
    for (expr, leaves) in entry.variables.iter().rev() {
        let adjoint = leaves.iter().map(|l| ws.leaf_adjoints[l.index()]).sum();
        sweep(system, *expr, adjoint, ws);
    }
    ws.generals[n].legs.fill(Wrench::zero());
    for (k, read) in entry.reads.iter().enumerate() {
        let (cotangents, scale) = leaf_cotangents(system, ws, read.leaf);
        let values = &mut ws.generals[n];
        values.slopes[k] = ws.leaf_adjoints[read.leaf.index()] * entry.to_si;
        values.cotangents[k] = cotangents.map(|c| Wrench {
            force: c.p * scale,
            torque: c.psi * scale,
        });
        for (leg, cotangent) in read.legs.iter().zip(&values.cotangents[k]) {
            if let Some(leg) = leg {
                values.legs[*leg].add(&cotangent.scaled(values.slopes[k]));
            }
        }
    }
}

/// Adds the gradient of a program, times a factor, to the adjoints of its leaves.
fn sweep(system: &System, expr: ExprId, factor: f64, ws: &mut Values) {
    let program = &system.programs[expr.index()];
    program.gradient(
        &ws.leaves,
        &mut ws.registers,
        &mut ws.adjoints,
        &mut ws.leaf_gradient,
    );
    for (leaf, slope) in program.leaves().iter().zip(&ws.leaf_gradient) {
        ws.leaf_adjoints[leaf.index()] += factor * slope;
    }
}

/// ∂m in the markers I, J and axes of a leaf, and the factor to user units.
fn leaf_cotangents(system: &System, ws: &Values, leaf: LeafId) -> ([Cotangent; 3], f64) {
    match &system.leaves[leaf.index()] {
        Leaf::Kinematic {
            measure,
            i,
            j,
            axes,
            frame,
            scale,
        } => {
            let markers = [i, j, axes, frame].map(|m| &ws.markers[m.index()]);
            let [on_i, on_j, on_k, _] = measures::gradient(*measure, &markers);
            ([on_i, on_j, on_k], *scale)
        }
        Leaf::Arc { joint, on_j, scale } => {
            let (k, arc) = system.arc(&ws.curve_joints, *joint, *on_j);
            let joint = &system.curve_joints[k];
            let (i, j) = (&ws.markers[joint.i.index()], &ws.markers[joint.j.index()]);
            let [on_i, on_j] = curves::cotangents(arc, i, j);
            ([on_i, on_j, Cotangent::zero()], *scale)
        }
        _ => ([Cotangent::zero(); 3], 0.0),
    }
}

/// (GCO-3) of all general constraints, for the Newton matrix. Never inlined: the stack has room for them or for the
/// gradients.
#[inline(never)]
pub(super) fn tangents(system: &System, ws: &mut Values) {
    if system.generals.is_empty() {
        return;
    }
    for (jet, value) in ws.trial_jets.iter_mut().zip(&ws.leaves) {
        *jet = TimeJet::constant(*value);
    }
    for n in 0..system.generals.len() {
        let entry = &system.generals[n];
        bends(system, ws, n);
        let values = &mut ws.generals[n];
        values.tangent.fill(ZERO_BLOCK);
        for k in 0..entry.reads.len() {
            for l in 0..entry.reads.len() {
                products(entry, values, k, l);
            }
            let seen = (&ws.markers[..], &ws.curve_joints[..]);
            curvature(system, entry, seen, values, k);
        }
    }
}

/// fₖₗ: half of the second derivative along eₖ + eₗ less those along eₖ and eₗ.
fn bends(system: &System, ws: &mut Values, n: usize) {
    let (entry, values) = (&system.generals[n], &mut ws.generals[n]);
    let count = entry.reads.len();
    let mut along = |k: usize, l: usize| {
        for n in [k, l] {
            ws.trial_jets[entry.reads[n].leaf.index()].first = 1.0;
        }
        let jet = run(system, entry, &mut ws.trial_jets, &mut ws.jet_registers);
        for n in [k, l] {
            ws.trial_jets[entry.reads[n].leaf.index()].first = 0.0;
        }
        jet.second * entry.to_si
    };
    for k in 0..count {
        values.bends[k * count + k] = along(k, k);
    }
    for k in 0..count {
        for l in 0..k {
            let own = values.bends[k * count + k] + values.bends[l * count + l];
            let bend = 0.5 * (along(k, l) - own);
            values.bends[k * count + l] = bend;
            values.bends[l * count + k] = bend;
        }
    }
}

/// fₖₗ ∂mₖ ∂mₗᵀ.
fn products(entry: &GeneralEntry, values: &mut GeneralValues, k: usize, l: usize) {
    let legs = entry.markers.len();
    let bend = values.bends[k * entry.reads.len() + l];
    for (x, row) in entry.reads[k].legs.iter().enumerate() {
        for (y, column) in entry.reads[l].legs.iter().enumerate() {
            let (Some(row), Some(column)) = (row, column) else {
                continue;
            };
            let a = values.cotangents[k][x];
            let b = values.cotangents[l][y];
            let (a, b) = (six(&a), six(&b));
            let block = &mut values.tangent[row * legs + column];
            for (column, b) in block.iter_mut().zip(&b) {
                for r in 0..6 {
                    column[r] += bend * a[r] * b;
                }
            }
        }
    }
}

fn six(w: &Wrench) -> [f64; 6] {
    crate::elements::wrench::six(&w.force, &w.torque)
}

/// fₖ ∂²mₖ.
fn curvature(
    system: &System,
    entry: &GeneralEntry,
    (markers, curve_joints): (&[MarkerKinematics], &[CurveValues]),
    values: &mut GeneralValues,
    k: usize,
) {
    let read = &entry.reads[k];
    let (bend, scale) = match &system.leaves[read.leaf.index()] {
        Leaf::Kinematic {
            measure,
            i,
            j,
            axes,
            frame,
            scale,
        } => {
            let markers = [i, j, axes, frame].map(|m| &markers[m.index()]);
            (measures::bend(*measure, &markers), *scale)
        }
        Leaf::Arc { joint, on_j, scale } => {
            let (k, arc) = system.arc(curve_joints, *joint, *on_j);
            let joint = &system.curve_joints[k];
            let d = markers[joint.i.index()].p - markers[joint.j.index()].p;
            (measures::Bend::of_pair(arc, &d), *scale)
        }
        _ => return,
    };
    let legs = entry.markers.len();
    let factor = values.slopes[k] * scale;
    // Rows: load on I, J, axes. Columns: δd = δp_I − δp_J, and the rotations.
    let rows = [
        (bend.p, bend.psi[0]),
        (bend.p.map(|m| -m), bend.psi[1]),
        ([Mat3::zeros(); 4], bend.psi[2]),
    ];
    for (row, (force, torque)) in read.legs.iter().zip(&rows) {
        for (y, column) in read.legs.iter().enumerate() {
            let (Some(row), Some(column)) = (row, column) else {
                continue;
            };
            let sign = [1.0, -1.0, 0.0][y];
            let block = &mut values.tangent[row * legs + column];
            let parts = [
                (0, 0, force[0] * sign),
                (0, 3, force[1 + y]),
                (3, 0, torque[0] * sign),
                (3, 3, torque[1 + y]),
            ];
            for (r, c, part) in parts {
                for n in 0..9 {
                    block[c + n % 3][r + n / 3] += factor * part[(n / 3, n % 3)];
                }
            }
        }
    }
}

/// The tangent of the load on leg `a` in the unknowns of the body of leg `b`, times a multiplier.
pub fn leg_tangent(
    system: &System,
    ws: &Values,
    n: usize,
    (a, b): (usize, usize),
    (weights, factor): (&Weights, f64),
) -> Block {
    let entry = &system.generals[n];
    let block = &ws.generals[n].tangent[a * entry.markers.len() + b];
    let marker: &MarkerKinematics = &ws.markers[entry.markers[b].index()];
    let weights = system.pose_weights(system.body_of(entry.markers[b]), weights);
    // δp = δx − ρ~ δψ.
    let lever = -skew(&marker.rho);
    let mut out = ZERO_BLOCK;
    for r in 0..6 {
        let x = Vec3::new(block[0][r], block[1][r], block[2][r]);
        let turned = lever.tr_mul(&x);
        for c in 0..3 {
            out[c][r] = x[c] * weights.x * factor;
            out[3 + c][r] = (block[3 + c][r] + turned[c]) * weights.x * factor;
        }
    }
    out
}

/// Adds (GCO-3) between the bodies of all legs, as the negative derivative of the loads times `scale`. Each group
/// adds the effect of its own moving lever arms.
pub fn add_tangents(
    system: &System,
    ws: &Values,
    matrix: &mut TileMatrix,
    weights: &Weights,
    scale: f64,
) {
    for (n, entry) in system.generals.iter().enumerate() {
        let Some(group) = entry.group else { continue };
        let lambda = ws.multipliers[BLOCK * group];
        let legs = entry.markers.len();
        for a in 0..legs {
            let arm = ws.markers[entry.markers[a].index()].rho;
            for b in 0..legs {
                let Some(slot) = entry.slots[a * legs + b] else {
                    continue;
                };
                let block = leg_tangent(system, ws, n, (a, b), (weights, lambda * scale));
                matrix.add_block(slot, &transported(&block, &arm), 1.0);
            }
        }
    }
}

/// The constraint and the leg, if a group is one.
pub fn leg_of(system: &System, group: usize) -> Option<(usize, usize)> {
    let Owner::General(id) = system.groups[group].owner else {
        return None;
    };
    let first = system.generals[id.index()].group?;
    Some((id.index(), group - first))
}

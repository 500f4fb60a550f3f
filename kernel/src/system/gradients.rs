//! Data plane: gradients of leaves, expressions and wrenches in the step's unknowns, in the
//! schedule's order.

mod bristles;
mod forces;
mod tyres;

use crate::elements::kinematics::{Cotangent, MarkerSlopes, Weights};
use crate::elements::measures;
use crate::elements::wrench::{Block, Map, WrenchSlopes, ZERO_BLOCK, add_columns, six};
use crate::ids::{ForceId, JointId, MarkerId};
use crate::linalg::BlockId;
use crate::math::Vec3;
use crate::mechanism::{ContactQuantity, Leaf, ReactionComponent};
use crate::state::State;
use crate::system::eval::{contact_reading, node_markers, reaction};
use crate::system::layout::BLOCK;
use crate::system::schedule::{Node, Place, ReactionPart, wrench_place};
use crate::system::{KIND_WEIGHTS, RowLaw, System, curves, general};
use crate::workspace::Workspace;

/// Gradients of all nodes that the forces need. Values must be up to date.
pub fn nodes(system: &System, state: &State, ws: &mut Workspace, weights: &Weights) {
    markers(system, ws, weights);
    for node in &system.schedule.step {
        match *node {
            Node::Leaf(leaf) => {
                leaf_gradient(system, state, ws, weights, leaf);
                bristles::rate_gradient(system, state, ws, weights, leaf);
            }
            Node::Expression(e) => expression_gradient(system, ws, e),
            Node::Force(f) => forces::gradient(system, state, ws, weights, f),
            Node::Group(g) => group_gradient(system, ws, weights, g),
        }
    }
}

/// Derivatives of all markers; those of accelerations where something reads them.
pub fn markers(system: &System, ws: &mut Workspace, weights: &Weights) {
    for (k, frame) in system.markers.iter().enumerate() {
        let (marker, body) = (&ws.markers[k], &ws.bodies[frame.body.index()]);
        let own = &mut ws.slopes[system.marker_slopes[k]..system.marker_slopes[k + 1]];
        let weigh = |slopes: &mut MarkerSlopes, weights: &Weights| {
            slopes.place(marker, body, weights);
            if system.schedule.accelerations {
                slopes.accelerate(marker, body, weights);
            }
        };
        if let [slopes] = own {
            weigh(slopes, weights);
        } else {
            for (slopes, weights) in own.iter_mut().zip(&KIND_WEIGHTS) {
                weigh(slopes, weights);
            }
        }
    }
}

/// Adds a scalar's gradient in the quantities of a marker, times a factor, to the places of its body's
/// unknowns.
fn add_cotangent(
    system: &System,
    ws: &mut Workspace,
    place: &Place,
    marker: MarkerId,
    cotangent: &Cotangent,
    (weights, factor): (&Weights, f64),
) {
    let Some(block) = system.carrier(system.body_of(marker)).block else {
        return;
    };
    for (n, weights, slopes) in system.variations(&ws.slopes, marker, weights) {
        if let Some(at) = place.position(BlockId(block.0 + n)) {
            let row = cotangent.row(slopes, &weights);
            add_six(&mut ws.row_arena[place.first + at], &row, factor);
        }
    }
}

fn add_six(to: &mut [f64; 6], row: &[f64; 6], factor: f64) {
    for k in 0..6 {
        to[k] += row[k] * factor;
    }
}

fn leaf_gradient(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    weights: &Weights,
    leaf: usize,
) {
    let place = &system.schedule.leaves[leaf];
    match &system.leaves[leaf] {
        Leaf::State(k) => {
            let entry = &system.equations[k.index()];
            ws.row_arena[place.first] = [0.0; 6];
            ws.row_arena[place.first][entry.place] = entry.weight(weights);
        }
        Leaf::Delay(k) => delay_gradient(system, ws, place, k.index()),
        Leaf::Tyre {
            force,
            channel,
            scale,
        } => {
            ws.row_arena[place.first..place.first + place.support.len()].fill([0.0; 6]);
            let what = (force.index(), *channel, *scale);
            tyres::leaf_gradient(system, ws, weights, place, what);
        }
        Leaf::Multiplier { constraint, scale } => {
            let entry = &system.generals[constraint.index()];
            if entry.group.is_some() {
                ws.row_arena[place.first] = [0.0; 6];
                ws.row_arena[place.first][0] = weights.l * entry.to_si * scale;
            }
        }
        Leaf::Arc { joint, on_j, scale } => {
            arc_gradient(system, ws, weights, place, (*joint, *on_j, *scale));
        }
        Leaf::Kinematic { .. } => kinematic_gradient(system, ws, weights, leaf),
        Leaf::Contact {
            force,
            quantity,
            axes,
            scale,
        } => {
            contact_gradient(
                system,
                state,
                ws,
                weights,
                place,
                (*force, *quantity, *axes, *scale),
            );
        }
        Leaf::Reaction {
            component,
            axes,
            scale,
            ..
        } => {
            ws.row_arena[place.first..place.first + place.support.len()].fill([0.0; 6]);
            let parts = &system.schedule.reactions[leaf];
            reaction_gradient(
                system,
                ws,
                weights,
                place,
                parts,
                (*component, *axes, *scale),
            );
        }
        _ => {}
    }
}

/// (DLY-2).
fn delay_gradient(system: &System, ws: &mut Workspace, place: &Place, k: usize) {
    ws.row_arena[place.first..place.first + place.support.len()].fill([0.0; 6]);
    let entry = &system.memory.delays[k];
    let slopes = ws.delay_slopes[k];
    let parts = [
        (entry.value, slopes.value),
        (entry.delay, slopes.delay * entry.time_unit),
    ];
    for (expr, slope) in parts {
        let source = &system.schedule.expressions[expr.index()];
        for (n, block) in source.support.iter().enumerate() {
            if let Some(at) = place.position(*block) {
                let row = ws.row_arena[source.first + n];
                add_six(&mut ws.row_arena[place.first + at], &row, slope);
            }
        }
    }
}

/// Gradient of a kinematic measure.
fn kinematic_gradient(system: &System, ws: &mut Workspace, weights: &Weights, leaf: usize) {
    let Leaf::Kinematic {
        measure,
        i,
        j,
        axes,
        frame,
        scale,
    } = &system.leaves[leaf]
    else {
        return;
    };
    let place = &system.schedule.leaves[leaf];
    ws.row_arena[place.first..place.first + place.support.len()].fill([0.0; 6]);
    let ids = [i, j, axes, frame];
    let markers = ids.map(|m| &ws.markers[m.index()]);
    let cotangents = measures::gradient(*measure, &markers);
    for (marker, cotangent) in ids.iter().zip(&cotangents) {
        add_cotangent(system, ws, place, **marker, cotangent, (weights, *scale));
    }
}

/// Gradient of what is read of a contact.
fn contact_gradient(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    weights: &Weights,
    place: &Place,
    (force, quantity, axes, scale): (ForceId, ContactQuantity, MarkerId, f64),
) {
    ws.row_arena[place.first..place.first + place.support.len()].fill([0.0; 6]);
    let element = &system.forces[force.index()];
    let reading = contact_reading(system, state, ws, (force, quantity, axes));
    let gradient = reading.map(|reading| reading.gradient);
    let markers = [element.i, element.j, axes];
    for (marker, cotangent) in markers.iter().zip(gradient.iter().flatten()) {
        add_cotangent(system, ws, place, *marker, cotangent, (weights, scale));
    }
}

/// Gradient of the length of a joint's curve.
fn arc_gradient(
    system: &System,
    ws: &mut Workspace,
    weights: &Weights,
    place: &Place,
    (joint, on_j, scale): (JointId, bool, f64),
) {
    ws.row_arena[place.first..place.first + place.support.len()].fill([0.0; 6]);
    let (k, arc) = system.arc(ws, joint, on_j);
    let joint = &system.curve_joints[k];
    let ids = [joint.i, joint.j];
    let [i, j] = ids.map(|m| &ws.markers[m.index()]);
    let cotangents = curves::cotangents(arc, i, j);
    for (marker, cotangent) in ids.iter().zip(&cotangents) {
        add_cotangent(system, ws, place, *marker, cotangent, (weights, scale));
    }
}

/// Gradient of one component of a sum of wrenches.
fn reaction_gradient(
    system: &System,
    ws: &mut Workspace,
    weights: &Weights,
    place: &Place,
    parts: &[ReactionPart],
    (component, axes, scale): (ReactionComponent, MarkerId, f64),
) {
    let total = reaction(system, ws, parts);
    let unit = |v: &Vec3| {
        if v.norm() > 0.0 {
            v / v.norm()
        } else {
            Vec3::zeros()
        }
    };
    let marker = &ws.markers[axes.index()];
    let zero = Vec3::zeros();
    // value = e_f·F + e_t·T, with e on the axes marker for a component.
    let (e_f, e_t, turns) = match component {
        ReactionComponent::ForceMagnitude => (unit(&total.force), zero, zero),
        ReactionComponent::TorqueMagnitude => (zero, unit(&total.torque), zero),
        ReactionComponent::Force(k) => {
            let e = marker.axis(k);
            (e, zero, e.cross(&total.force))
        }
        ReactionComponent::Torque(k) => {
            let e = marker.axis(k);
            (zero, e, e.cross(&total.torque))
        }
    };
    let (e_f, e_t, turns) = (e_f * scale, e_t * scale, turns * scale);
    let turning = Cotangent {
        psi: turns,
        ..Cotangent::zero()
    };
    add_cotangent(system, ws, place, axes, &turning, (weights, 1.0));
    for part in parts {
        part_gradient(system, ws, weights, place, part, (&e_f, &e_t));
    }
}

/// Gradient of `e_f·F + e_t·T` of one wrench, read on I or on J.
fn part_gradient(
    system: &System,
    ws: &mut Workspace,
    weights: &Weights,
    place: &Place,
    part: &ReactionPart,
    (e_f, e_t): (&Vec3, &Vec3),
) {
    let (i, j) = node_markers(system, part.node);
    let (mi, mj) = (&ws.markers[i.index()], &ws.markers[j.index()]);
    // On J: −F, −(T + d×F): e_f·δ(−F) + e_t·δ(−T − d×F).
    let d = mi.p - mj.p;
    let (on_f, on_t) = if part.on_j {
        (-e_f - e_t.cross(&d), -e_t)
    } else {
        (*e_f, *e_t)
    };
    let source = wrench_place(&system.schedule, part.node);
    for (k, block) in source.support.iter().enumerate() {
        let gradient = &ws.block_arena[source.first + k];
        if let Some(at) = place.position(*block) {
            let row = project(gradient, &on_f, &on_t);
            add_six(&mut ws.row_arena[place.first + at], &row, 1.0);
        }
    }
    if part.on_j {
        // −e_t·(δd×F) = −δd·(F×e_t)
        let force = match part.node {
            Node::Group(g) => ws.group_wrenches[g].force,
            Node::Force(f) | Node::Leaf(f) | Node::Expression(f) => ws.force_wrenches[f].force,
        };
        let lever = Cotangent {
            p: -force.cross(e_t),
            ..Cotangent::zero()
        };
        for (marker, sign) in [(i, 1.0), (j, -1.0)] {
            add_cotangent(system, ws, place, marker, &lever, (weights, sign));
        }
    }
}

/// Row e_f·δF + e_t·δT of a wrench block.
fn project(block: &Block, e_f: &Vec3, e_t: &Vec3) -> [f64; 6] {
    block.map(|column| {
        let mut sum = 0.0;
        for k in 0..3 {
            sum += e_f[k] * column[k] + e_t[k] * column[k + 3];
        }
        sum
    })
}

fn expression_gradient(system: &System, ws: &mut Workspace, e: usize) {
    let place = &system.schedule.expressions[e];
    ws.row_arena[place.first..place.first + place.support.len()].fill([0.0; 6]);
    let program = &system.programs[e];
    program.gradient(
        &ws.leaves,
        &mut ws.registers,
        &mut ws.adjoints,
        &mut ws.leaf_gradient,
    );
    for (k, leaf) in program.leaves().iter().enumerate() {
        let source = &system.schedule.leaves[leaf.index()];
        for (n, block) in source.support.iter().enumerate() {
            if let Some(at) = place.position(*block) {
                let row = ws.row_arena[source.first + n];
                add_six(
                    &mut ws.row_arena[place.first + at],
                    &row,
                    ws.leaf_gradient[k],
                );
            }
        }
    }
}

/// Slopes of a group's wrench −Σ λ (f̂, t̂) at fixed multipliers.
pub fn group_slopes(system: &System, ws: &Workspace, g: usize) -> WrenchSlopes {
    let group = &system.groups[g];
    let (i, j) = (&ws.markers[group.i.index()], &ws.markers[group.j.index()]);
    let mut slopes = WrenchSlopes::zero();
    for (k, r) in group.rows.range().enumerate() {
        let factor = -ws.multipliers[BLOCK * g + k];
        match &system.rows[r].law {
            RowLaw::Markers(kind) => kind.add_slopes(i, j, factor, &mut slopes),
            RowLaw::Curve { joint, row } => {
                slopes.add(&ws.curve_joints[*joint].rows[*row].slopes, factor);
            }
            // Between all legs: (GCO-3).
            RowLaw::General { .. } => {}
        }
    }
    slopes
}

/// Derivatives of a wrench in the poses of the bodies or frames of its markers I and J.
pub fn pose_columns(
    system: &System,
    ws: &Workspace,
    (i, j): (MarkerId, MarkerId),
    slopes: &WrenchSlopes,
    weights: &Weights,
) -> [[Map; 2]; 2] {
    let of = |marker| {
        let weights = system.pose_weights(system.body_of(marker), weights);
        (system.pose_slopes(&ws.slopes, marker), weights)
    };
    let ((on_i, wi), (on_j, wj)) = (of(i), of(j));
    [slopes.columns_i(on_i, &wi), slopes.columns_j(on_j, &wj)]
}

fn group_gradient(system: &System, ws: &mut Workspace, weights: &Weights, g: usize) {
    let place = &system.schedule.groups[g];
    let group = &system.groups[g];
    let slopes = group_slopes(system, ws, g);
    ws.block_arena[place.first..place.first + place.support.len()].fill(ZERO_BLOCK);
    let columns = pose_columns(system, ws, (group.i, group.j), &slopes, weights);
    for (marker, maps) in [group.i, group.j].into_iter().zip(&columns) {
        let body = system.carrier(system.body_of(marker));
        if let Some(at) = body.block.and_then(|b| place.position(b)) {
            add_columns(&mut ws.block_arena[place.first + at], maps);
        }
    }
    if let Some((n, leg)) = general::leg_of(system, g) {
        let factor = -ws.multipliers[BLOCK * g];
        for (other, marker) in system.generals[n].markers.iter().enumerate() {
            let body = system.carrier(system.body_of(*marker));
            if let Some(at) = body.block.and_then(|b| place.position(b)) {
                let block = general::leg_tangent(system, ws, n, (leg, other), (weights, factor));
                for (row, add) in ws.block_arena[place.first + at].iter_mut().zip(&block) {
                    add_six(row, add, 1.0);
                }
            }
        }
    }
    if let Some(at) = place.position(group.block) {
        let block = &mut ws.block_arena[place.first + at];
        for (k, r) in group.rows.range().enumerate() {
            let unit = ws.units[r];
            let w = six(&unit.force, &unit.torque);
            for row in 0..6 {
                block[k][row] -= w[row] * weights.l;
            }
        }
    }
}

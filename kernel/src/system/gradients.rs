//! Data plane: gradients of leaves, expressions and wrenches in the step's unknowns, in the schedule's order. The
//! schedule's links say where the gradients that a node reads are added. Functions for the kinds of nodes are never
//! inlined: the stack has room for one of them at a time.

mod bristles;
mod forces;
mod tyres;

use crate::elements::kinematics::{Cotangent, MarkerSlopes, Weights};
use crate::elements::measures;
use crate::elements::wrench::{Block, Map, WrenchSlopes, ZERO_BLOCK, add_columns, six};
use crate::ids::{ForceId, JointId, MarkerId};
use crate::math::Vec3;
use crate::mechanism::{ContactQuantity, Leaf, ReactionComponent};
use crate::state::State;
use crate::system::eval::{self, contact_reading, reaction, source_markers};
use crate::system::layout::BLOCK;
use crate::system::schedule::{End, Node, Place, ReactionPart, Sum};
use crate::system::stage::{Differentiated, Evaluated};
use crate::system::{KIND_WEIGHTS, RowLaw, System, curves, general};
use crate::workspace::Values;

/// Computes the gradients of all nodes that the forces need, in the unknowns at some weights.
pub fn evaluate<'w>(
    system: &System,
    state: &State,
    evaluated: Evaluated<'w>,
    weights: &Weights,
) -> Differentiated<'w> {
    let ws = evaluated.release();
    nodes(system, state, ws, weights);
    Differentiated(ws)
}

/// The same, for values that have been evaluated.
pub(super) fn nodes(system: &System, state: &State, ws: &mut Values, weights: &Weights) {
    markers(system, ws, weights);
    for node in &system.schedule.step {
        match *node {
            Node::Leaf(leaf) => {
                let leaf = leaf.index();
                leaf_gradient(system, state, ws, weights, leaf);
                bristles::rate_gradient(system, state, ws, weights, leaf);
            }
            Node::Expression(e) => expression_gradient(system, ws, e.index()),
            Node::Force(f) => forces::gradient(system, state, ws, weights, f.index()),
            Node::Group(g) => group_gradient(system, ws, weights, g.index()),
        }
    }
}

/// Derivatives of all markers; those of accelerations only if something reads them.
pub fn markers(system: &System, ws: &mut Values, weights: &Weights) {
    let firsts = &system.schedule.marker_slopes;
    for (k, frame) in system.markers.iter().enumerate() {
        let (marker, body) = (&ws.markers[k], &ws.bodies[frame.body.index()]);
        let own = &mut ws.slopes[firsts[k]..firsts[k + 1]];
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

/// Adds a scalar's gradient in a marker's quantities, times a factor, to the columns of the unknowns that move the
/// marker.
#[inline]
fn add_end(ws: &mut Values, end: &End, cotangent: &Cotangent, (weights, factor): (&Weights, f64)) {
    let slopes = &ws.slopes[end.slopes as usize];
    let row = cotangent.row(slopes, end.weights(weights));
    add_six(&mut ws.row_arena[end.to as usize], &row, factor);
}

/// Adds the gradient of a scalar that a node reads, times a factor.
#[inline]
fn add_row(ws: &mut Values, sum: &Sum, factor: f64) {
    let row = ws.row_arena[sum.from as usize];
    add_six(&mut ws.row_arena[sum.to as usize], &row, factor);
}

fn add_six(to: &mut [f64; 6], row: &[f64; 6], factor: f64) {
    for k in 0..6 {
        to[k] += row[k] * factor;
    }
}

#[inline(never)]
fn leaf_gradient(system: &System, state: &State, ws: &mut Values, weights: &Weights, leaf: usize) {
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
            ws.row_arena[place.range()].fill([0.0; 6]);
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
            ws.row_arena[place.range()].fill([0.0; 6]);
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
#[inline(never)]
fn delay_gradient(system: &System, ws: &mut Values, place: &Place, k: usize) {
    ws.row_arena[place.range()].fill([0.0; 6]);
    let entry = &system.memory.delays[k];
    let slopes = ws.delay_slopes[k];
    let slopes = [slopes.value, slopes.delay * entry.time_unit];
    for sum in system.schedule.links.sums(place) {
        add_row(ws, sum, slopes[sum.of as usize]);
    }
}

/// Gradient of a kinematic measure.
#[inline(never)]
fn kinematic_gradient(system: &System, ws: &mut Values, weights: &Weights, leaf: usize) {
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
    ws.row_arena[place.range()].fill([0.0; 6]);
    let markers = [i, j, axes, frame].map(|m| &ws.markers[m.index()]);
    let cotangents = measures::gradient(*measure, &markers);
    for end in system.schedule.links.ends(place) {
        add_end(ws, end, &cotangents[end.of as usize], (weights, *scale));
    }
}

/// Gradient of a contact measure.
#[inline(never)]
fn contact_gradient(
    system: &System,
    state: &State,
    ws: &mut Values,
    weights: &Weights,
    place: &Place,
    (force, quantity, axes, scale): (ForceId, ContactQuantity, MarkerId, f64),
) {
    ws.row_arena[place.range()].fill([0.0; 6]);
    let Some(reading) = contact_reading(system, state, ws, (force, quantity, axes)) else {
        return;
    };
    for end in system.schedule.links.ends(place) {
        let cotangent = &reading.gradient[end.of as usize];
        add_end(ws, end, cotangent, (weights, scale));
    }
}

/// Gradient of the length of a joint's curve.
#[inline(never)]
fn arc_gradient(
    system: &System,
    ws: &mut Values,
    weights: &Weights,
    place: &Place,
    (joint, on_j, scale): (JointId, bool, f64),
) {
    ws.row_arena[place.range()].fill([0.0; 6]);
    let (k, arc) = system.arc(&ws.curve_joints, joint, on_j);
    let joint = &system.curve_joints[k];
    let [i, j] = [joint.i, joint.j].map(|m| &ws.markers[m.index()]);
    let cotangents = curves::cotangents(arc, i, j);
    for end in system.schedule.links.ends(place) {
        add_end(ws, end, &cotangents[end.of as usize], (weights, scale));
    }
}

/// Gradient of one component of a sum of wrenches.
#[inline(never)]
fn reaction_gradient(
    system: &System,
    ws: &mut Values,
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
    let links = &system.schedule.links;
    let mut ends = links.ends(place).iter().peekable();
    let mut sums = links.sums(place).iter().peekable();
    while let Some(end) = ends.next_if(|end| end.of == 0) {
        add_end(ws, end, &turning, (weights, 1.0));
    }
    // Part by part, in the order of the links.
    for (k, part) in (0..).zip(parts) {
        let (on_f, on_t) = directions(system, ws, part, (&e_f, &e_t));
        while let Some(sum) = sums.next_if(|sum| sum.of == k) {
            let row = project(&ws.block_arena[sum.from as usize], &on_f, &on_t);
            add_six(&mut ws.row_arena[sum.to as usize], &row, 1.0);
        }
        let lever = lever(ws, part, &e_t);
        while let Some(end) = ends.next_if(|end| end.of <= 2 * k + 2) {
            let sign = if end.of == 2 * k + 1 { 1.0 } else { -1.0 };
            add_end(ws, end, &lever, (weights, sign));
        }
    }
}

/// The directions of `e_f·F + e_t·T` of a part on the wrench on I. On J: −F, −(T + d×F), e_f·δ(−F) + e_t·δ(−T − d×F).
fn directions(
    system: &System,
    ws: &Values,
    part: &ReactionPart,
    (e_f, e_t): (&Vec3, &Vec3),
) -> (Vec3, Vec3) {
    if !part.on_j {
        return (*e_f, *e_t);
    }
    let (i, j) = source_markers(system, part.source);
    let d = ws.markers[i.index()].p - ws.markers[j.index()].p;
    (-e_f - e_t.cross(&d), -e_t)
}

/// −e_t·(δd×F) = −δd·(F×e_t), in I, for a part that is read on J.
fn lever(ws: &Values, part: &ReactionPart, e_t: &Vec3) -> Cotangent {
    let force = eval::source_wrench(ws, part.source).force;
    Cotangent {
        p: -force.cross(e_t),
        ..Cotangent::zero()
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

#[inline(never)]
fn expression_gradient(system: &System, ws: &mut Values, e: usize) {
    let place = &system.schedule.expressions[e];
    ws.row_arena[place.range()].fill([0.0; 6]);
    let program = &system.programs[e];
    program.gradient(
        &ws.leaves,
        &mut ws.registers,
        &mut ws.adjoints,
        &mut ws.leaf_gradient,
    );
    for sum in system.schedule.links.sums(place) {
        add_row(ws, sum, ws.leaf_gradient[sum.of as usize]);
    }
}

/// Slopes of a group's wrench −Σ λ (f̂, t̂) at fixed multipliers.
pub fn group_slopes(system: &System, ws: &Values, g: usize) -> WrenchSlopes {
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
    ws: &Values,
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

#[inline(never)]
fn group_gradient(system: &System, ws: &mut Values, weights: &Weights, g: usize) {
    let place = &system.schedule.groups[g];
    let group = &system.groups[g];
    let slopes = group_slopes(system, ws, g);
    ws.block_arena[place.range()].fill(ZERO_BLOCK);
    let columns = pose_columns(system, ws, (group.i, group.j), &slopes, weights);
    let links = &system.schedule.links;
    let leg = general::leg_of(system, g);
    let factor = -ws.multipliers[BLOCK * g];
    for end in links.ends(place) {
        let of = end.of as usize;
        if let Some(maps) = columns.get(of) {
            add_columns(&mut ws.block_arena[end.to as usize], maps);
        } else if let Some((n, leg)) = leg {
            let legs = (leg, of - columns.len());
            let block = general::leg_tangent(system, ws, n, legs, (weights, factor));
            for (row, add) in ws.block_arena[end.to as usize].iter_mut().zip(&block) {
                add_six(row, add, 1.0);
            }
        }
    }
    for own in links.own(place) {
        let block = &mut ws.block_arena[own.to as usize];
        for (k, r) in group.rows.range().enumerate() {
            let unit = ws.units[r];
            let w = six(&unit.force, &unit.torque);
            for row in 0..6 {
                block[k][row] -= w[row] * weights.l;
            }
        }
    }
}

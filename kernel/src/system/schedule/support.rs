//! Control plane: finds the unknowns that leaves and constraint groups depend on.

use super::{Graph, Node, Schedule, Source};
use crate::ids::{ConstraintGroupId, LeafId, MarkerId};
use crate::linalg::BlockId;
use crate::mechanism::{EnergySource, Leaf};
use crate::system::condense::KINDS;
use crate::system::{Group, Owner};
use alloc::vec;
use alloc::vec::Vec;

/// Support of a constraint group's wrench.
pub(super) fn of_group(graph: &Graph<'_>, g: ConstraintGroupId, support: &mut Vec<BlockId>) {
    let group = graph.group(g);
    support.extend(
        [group.i, group.j]
            .into_iter()
            .filter_map(|m| graph.block(m)),
    );
    if let Owner::General(constraint) = group.owner {
        let markers = &graph.mechanism.general_constraints[constraint.index()].markers;
        support.extend(markers.iter().filter_map(|m| graph.block(*m)));
    }
    support.push(group.block);
}

/// Support of a kinematic or reaction leaf; sets the parts of the latter.
pub(super) fn of_leaf(
    graph: &Graph<'_>,
    schedule: &mut Schedule,
    k: LeafId,
    support: &mut Vec<BlockId>,
) {
    match graph.leaf(k) {
        Leaf::Delay(k) => {
            let delay = &graph.mechanism.memory.delays[k.index()];
            for expr in [delay.value, delay.delay] {
                support.extend(&schedule.expressions[expr.index()].support);
            }
        }
        Leaf::State(e) => support.push(graph.equations[e.index()].block),
        Leaf::Tyre { force, .. } => {
            support.extend(schedule.forces[force.index()].support.iter().copied());
        }
        Leaf::Arc { joint, .. } => {
            let joint = &graph.mechanism.joints[joint.index()];
            support.extend(graph.blocks([joint.i, joint.j]));
        }
        Leaf::Multiplier { constraint, .. } => {
            let of = |group: &&Group| group.owner == Owner::General(*constraint);
            support.extend(graph.groups.iter().find(of).map(|group| group.block));
        }
        Leaf::BristleRate { friction, .. } => {
            let force = graph.force(*friction);
            support.extend(graph.blocks([force.i, force.j]));
            support.extend(graph.state_blocks(force));
        }
        Leaf::Kinematic {
            i, j, axes, frame, ..
        } => {
            support.extend(graph.blocks([*i, *j, *axes, *frame]));
        }
        Leaf::Contact { force, axes, .. } => {
            let force = graph.force(*force);
            support.extend(graph.blocks([force.i, force.j, *axes]));
        }
        Leaf::Reaction { source, axes, .. } => {
            support.extend(graph.blocks([*axes]));
            let parts = graph.reaction_parts(source);
            for part in &parts {
                // Read on J, the lever arm depends on both markers.
                let place = schedule.wrench_place(part.source);
                support.extend(place.support.iter().copied());
            }
            schedule.reactions[k.index()] = parts;
        }
        // Only outputs read energies and powers, and outputs need no gradient.
        Leaf::Energy {
            source: EnergySource::Power(source),
            ..
        } => schedule.reactions[k.index()] = graph.power_parts(source),
        _ => {}
    }
}

/// Does anything in a step read accelerations of markers? General constraints are assumed to.
pub(super) fn accelerations(graph: &Graph<'_>, schedule: &Schedule) -> bool {
    let general = |group: &Group| matches!(group.owner, Owner::General(_));
    graph.groups.iter().any(general) || accelerate(graph, &schedule.step)
}

/// Does any of these nodes read accelerations of markers?
pub(super) fn accelerate(graph: &Graph<'_>, nodes: &[Node]) -> bool {
    nodes.iter().any(|node| {
        let Node::Leaf(k) = *node else { return false };
        matches!(graph.leaf(k), Leaf::Kinematic { measure, .. } if measure.order() == 2)
    })
}

/// Index of each marker's first derivative, and the end.
pub(super) fn marker_slopes(graph: &Graph<'_>, schedule: &Schedule) -> Vec<usize> {
    let (mut first, mut next) = (vec![0], 0);
    let asked = differentiated(graph, schedule);
    for (block, asked) in graph.marker_blocks.iter().zip(asked) {
        let kinds = block.map_or(1, |block| graph.kinds(block, KINDS as u32).count());
        next += if asked { kinds } else { 0 };
        first.push(next);
    }
    first
}

/// Which markers need derivatives in a step: those of forces, of leaves that forces and equations read, and of joints
/// without a closed form.
fn differentiated(graph: &Graph<'_>, schedule: &Schedule) -> Vec<bool> {
    let mut asked = vec![false; graph.marker_blocks.len()];
    let mut ask = |markers: &[MarkerId]| {
        for marker in markers {
            asked[marker.index()] = true;
        }
    };
    let of_force = |force| graph.ends(Source::Force(force));
    for group in graph.groups.iter().filter(|group| !group.rotates_with_j) {
        ask(&[group.i, group.j]);
    }
    for node in &schedule.step {
        match *node {
            Node::Group(g) => ask(&graph.ends(Source::Group(g))),
            Node::Force(f) => {
                ask(&of_force(f));
                ask(graph.force(f).law.axes().as_slice());
            }
            Node::Expression(_) => {}
            Node::Leaf(k) => match graph.leaf(k) {
                Leaf::Tyre { force, .. } => ask(&of_force(*force)),
                Leaf::BristleRate { friction, .. } => ask(&of_force(*friction)),
                Leaf::Arc { joint, .. } => {
                    let joint = &graph.mechanism.joints[joint.index()];
                    ask(&[joint.i, joint.j]);
                }
                Leaf::Kinematic {
                    i, j, axes, frame, ..
                } => ask(&[*i, *j, *axes, *frame]),
                Leaf::Contact { force, axes, .. } => {
                    ask(&of_force(*force));
                    ask(&[*axes]);
                }
                Leaf::Reaction { axes, .. } => {
                    ask(&[*axes]);
                    for part in &schedule.reactions[k.index()] {
                        ask(&graph.ends(part.source));
                    }
                }
                _ => {}
            },
        }
    }
    asked
}

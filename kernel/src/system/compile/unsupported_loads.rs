//! Control plane: refuses loads in directions in which no mode moves a node. A node of solid elements does not
//! rotate, and a node that the finite-element model fixes does not translate: a load there would act on the rigid
//! body only. Loads on markers of a flexible body that are on no node are refused too.

use super::error::{CompileError, HeldNode};
use crate::elements::constraints::RowKind;
use crate::flex::Node;
use crate::ids::MarkerId;
use crate::mechanism::called;
use crate::mechanism::{Load, MarkerBase, Mechanism};
use crate::system::{Group, Owner, Row, RowLaw};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Refuses the first load on a node in a direction in which the node does not move.
pub(super) fn refuse(
    mechanism: &Mechanism,
    groups: &[Group],
    rows: &[Row],
) -> Result<(), CompileError> {
    for group in groups {
        let own = rows[group.rows.range()].iter().map(|row| &row.law);
        let points = own
            .clone()
            .filter(|law| matches!(law, RowLaw::Markers(RowKind::Dot2(_))));
        // If the origins do not coincide, the force on J has a lever arm.
        let lever = match points.count() {
            1 | 2 => Load::TORQUE,
            _ => Load::NOTHING,
        };
        let slides = [Load::NOTHING, lever];
        let [on_i, on_j] = own.fold(slides, |sum, law| either(sum, of_row(law)));
        let name = || match group.owner {
            Owner::Joint(k) | Owner::Initial(k) => {
                named("joint", &mechanism.joints[k.index()].name)
            }
            Owner::Coupler(k) => named("coupler", &mechanism.couplers[k.index()].name),
            Owner::General(k) => named(
                "general constraint",
                &mechanism.general_constraints[k.index()].name,
            ),
            Owner::Motion(k) => named("motion", &mechanism.motions[k.index()].name),
        };
        check(mechanism, group.i, on_i, &name)?;
        check(mechanism, group.j, on_j, &name)?;
    }
    for force in &mechanism.forces {
        let name = || named("force", &force.name);
        let [on_i, on_j] = force.kind.row().loads;
        check(mechanism, force.i, on_i, &name)?;
        check(mechanism, force.j, on_j, &name)?;
    }
    Ok(())
}

fn named(kind: &str, name: &str) -> String {
    format!("{kind} {}", called(name))
}

fn either(a: [Load; 2], b: [Load; 2]) -> [Load; 2] {
    [0, 1].map(|side| Load {
        force: a[side].force || b[side].force,
        torque: a[side].torque || b[side].torque,
    })
}

/// The loads of a constraint row on the nodes of I and J. Forces act at the origin of I.
fn of_row(law: &RowLaw) -> [Load; 2] {
    match law {
        RowLaw::Markers(RowKind::Distance(_) | RowKind::Dot2(_)) => [Load::FORCE; 2],
        RowLaw::Curve { .. } => [Load::FORCE, Load::BOTH],
        RowLaw::Markers(RowKind::Mixed(mixed)) if mixed.slide != 0.0 => [Load::BOTH; 2],
        RowLaw::Markers(RowKind::Rolling(_)) | RowLaw::General { .. } => [Load::BOTH; 2],
        RowLaw::Markers(_) => [Load::TORQUE; 2],
    }
}

/// Checks a load on a marker's node.
fn check(
    mechanism: &Mechanism,
    marker: MarkerId,
    load: Load,
    name: &dyn Fn() -> String,
) -> Result<(), CompileError> {
    let marker = &mechanism.markers[marker.index()];
    let body = &mechanism.bodies[marker.body.index()];
    let Some(flex) = &body.flexible else {
        return Ok(());
    };
    let nodes = &flex.data.nodes;
    if let MarkerBase::Functions(_) = marker.base {
        return Ok(());
    }
    let Some(k) = marker.node() else {
        let distance = |node: &&Node| (node.position - marker.position).norm();
        let nearest = nodes
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        return Err(CompileError::NoNode {
            load: name(),
            marker: called(&marker.name),
            body: called(&body.name),
            nearest: nearest.map_or_else(String::new, Node::call),
        });
    };
    let node = &nodes[k];
    let (moves, turns) = node.freedom.split_at(3);
    let all = |directions: &[bool]| directions.iter().all(|takes_part| *takes_part);
    let apart = marker.position != node.position;
    let (what, why, use_instead) = if load.force && !all(moves) {
        let held = ["x", "y", "z"].into_iter().zip(moves);
        let held: Vec<&str> = held
            .filter(|(_, moves)| !**moves)
            .map(|(axis, _)| axis)
            .collect();
        (
            format!("translation along {}", held.join(", ")),
            "it carries a force",
            "use a node that the finite-element model does not hold, or a load without force",
        )
    } else if (load.torque || apart && load.force) && !all(turns) {
        let why = if load.torque {
            "it carries a torque"
        } else {
            "the marker is not at the node"
        };
        (
            String::from("rotation"),
            why,
            "use a node that turns (an interface by a rigid spider), or a joint or force that carries no torque with \
             its marker at the node",
        )
    } else {
        return Ok(());
    };
    Err(CompileError::HeldNode(Box::new(HeldNode {
        load: name(),
        marker: called(&marker.name),
        node: node.call(),
        body: called(&body.name),
        what,
        why,
        instead: use_instead,
    })))
}

//! Control plane: loads in directions in which no mode takes part. A node of solid elements does not turn: a
//! torque on it would act on the rigid body alone, and is refused instead. So is any load on a marker that is
//! on no node.

use crate::elements::constraints::RowKind;
use crate::flex::Node;
use crate::ids::MarkerId;
use crate::mechanism::called;
use crate::mechanism::{ForceKind, Mechanism, Seat};
use crate::system::{Group, Owner, Row, RowLaw};
use alloc::format;
use alloc::string::String;

/// Finds the first torque on a node that does not turn.
pub(super) fn refuse(mechanism: &Mechanism, groups: &[Group], rows: &[Row]) -> Result<(), String> {
    for group in groups {
        let own = rows[group.rows.range()].iter().map(|row| &row.law);
        let points = own
            .clone()
            .filter(|law| matches!(law, RowLaw::Markers(RowKind::Dot2(_))));
        // Where the origins do not coincide, the force on J has a lever.
        let slides = [false, (1..3).contains(&points.count())];
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
        let [on_i, on_j] = of_force(&force.kind);
        check(mechanism, force.i, on_i, &name)?;
        check(mechanism, force.j, on_j, &name)?;
    }
    Ok(())
}

fn named(kind: &str, name: &str) -> String {
    format!("{kind} {}", called(name))
}

fn either(a: [bool; 2], b: [bool; 2]) -> [bool; 2] {
    [a[0] || b[0], a[1] || b[1]]
}

/// Does a row put torques on the nodes of I and of J? Forces act at the origin of I.
fn of_row(law: &RowLaw) -> [bool; 2] {
    match law {
        RowLaw::Markers(RowKind::Distance(_) | RowKind::Dot2(_)) => [false; 2],
        RowLaw::Curve { .. } => [false, true],
        RowLaw::Markers(_) | RowLaw::General { .. } => [true; 2],
    }
}

/// Does a force?
fn of_force(kind: &ForceKind) -> [bool; 2] {
    match kind {
        ForceKind::TranslationalSpringDamper { .. }
        | ForceKind::Modal(_)
        | ForceKind::LineOfSight(_)
        | ForceKind::ActionOnlyForce(_) => [false; 2],
        ForceKind::General { torque, .. } if torque.iter().all(Option::is_none) => [false, true],
        ForceKind::ActionOnlyTorque(_) => [true, false],
        _ => [true; 2],
    }
}

/// A load on a marker's node: with a torque, or at a distance from it.
fn check(
    mechanism: &Mechanism,
    marker: MarkerId,
    torque: bool,
    name: &dyn Fn() -> String,
) -> Result<(), String> {
    let marker = &mechanism.markers[marker.index()];
    let body = &mechanism.bodies[marker.body.index()];
    let Some(flex) = &body.flexible else {
        return Ok(());
    };
    let nodes = &flex.data.nodes;
    if let Seat::Functions(_) = marker.seat {
        return Ok(());
    }
    let Some(k) = marker.node() else {
        let distance = |node: &&Node| (node.position - marker.position).norm();
        let nearest = nodes
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        return Err(format!(
            "{} loads marker {}, which is fixed to the frame of flexible body {}; loads need a \
             \"node\", nearest is \"{}\"",
            name(),
            called(&marker.name),
            called(&body.name),
            nearest.map_or_else(String::new, Node::call)
        ));
    };
    let node = &nodes[k];
    let apart = marker.position != node.position;
    if node.freedom[3..] == [true; 3] || !(torque || apart) {
        return Ok(());
    }
    let place = node.call();
    let why = if torque {
        "it carries a torque"
    } else {
        "the marker is not at the node"
    };
    Err(format!(
        "{} loads marker {} on node \"{place}\" of flexible body {}, where no mode takes part in \
         rotation; {why}: use a node that turns (an interface by a rigid spider), or a joint or force that \
         carries no torque with its marker at the node",
        name(),
        called(&marker.name),
        called(&body.name)
    ))
}

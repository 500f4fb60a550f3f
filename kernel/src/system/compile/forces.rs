//! Control plane: compiles force elements to laws that refer to the table of numbers.

use super::{Angles, Numbers};
use crate::elements::angle::AngleDefinition;
use crate::elements::forces::contact::ContactLaw;
use crate::elements::forces::drive::JointDrive;
use crate::elements::forces::friction::JointFriction;
use crate::elements::forces::tendon::Tendon;
use crate::elements::forces::tyre::{self, Magic, Tyre};
use crate::elements::forces::{ForceElement, ForceLaw, ScaledTerm, field};
use crate::ids::{EquationId, MarkerId, TyreId};
use crate::mechanism::{self, Contact, Force, ForceKind, Mechanism, RoadEntry, ScaledExpr};
use crate::system::{Group, Owner};
use alloc::boxed::Box;
use alloc::vec::Vec;

fn term(scaled: &ScaledExpr) -> ScaledTerm {
    ScaledTerm {
        expr: scaled.expr,
        to_si: scaled.to_si,
    }
}

/// Six components in the axes of a marker.
fn general(
    axes: MarkerId,
    force: [Option<ScaledExpr>; 3],
    torque: [Option<ScaledExpr>; 3],
) -> ForceLaw {
    let [fx, fy, fz] = force.map(|e| e.as_ref().map(term));
    let [tx, ty, tz] = torque.map(|e| e.as_ref().map(term));
    ForceLaw::General {
        axes,
        terms: [fx, fy, fz, tx, ty, tz],
    }
}

/// Compiles all force elements, and the tyres that they refer to.
pub(super) fn compile_forces(
    mechanism: &Mechanism,
    numbers: &mut Numbers,
    angles: &mut Angles,
    groups: &[Group],
) -> (Vec<ForceElement>, Vec<Tyre>) {
    let mut tyres = Vec::new();
    let one = |force| compile_force(force, &mechanism.roads, numbers, angles, groups, &mut tyres);
    let mut forces: Vec<ForceElement> = mechanism.forces.iter().map(one).collect();
    join(mechanism, &mut forces);
    (forces, tyres)
}

/// Compiles one force element.
fn compile_force(
    force: &Force,
    roads: &[RoadEntry],
    numbers: &mut Numbers,
    angles: &mut Angles,
    groups: &[Group],
    tyres: &mut Vec<Tyre>,
) -> ForceElement {
    let values = numbers.list.len();
    if let ForceKind::Tyre(data) = &force.kind {
        numbers.push(&[roads[data.road.index()].friction]);
    }
    for (_, own) in force.kind.numbers() {
        numbers.push(&own);
    }
    let law = match &force.kind {
        ForceKind::TranslationalSpringDamper { .. } => ForceLaw::TranslationalSpring { values },
        ForceKind::RotationalSpringDamper { .. } => {
            let memory = angles.push((AngleDefinition::Z, force.i, force.j));
            ForceLaw::RotationalSpring { values, memory }
        }
        ForceKind::Bushing { .. } => ForceLaw::Bushing { values },
        ForceKind::Field { .. } => ForceLaw::Field(field::Kind::Field(values)),
        ForceKind::Beam { .. } => ForceLaw::Field(field::Kind::Beam(values)),
        ForceKind::Contact(contact) => ForceLaw::Contact(contact_law(contact, values)),
        ForceKind::JointFriction(friction) => {
            ForceLaw::JointFriction(friction_law(friction, values, groups))
        }
        ForceKind::Tyre(data) => tyre_law(data, &roads[data.road.index()], values, tyres),
        ForceKind::JointDrive(drive) => {
            ForceLaw::JointDrive(drive_law(drive, force, values, angles))
        }
        ForceKind::Tendon { whole, first, .. } => ForceLaw::Tendon(Tendon {
            values,
            whole: whole.each_ref().map(term),
            first: first.is_none(),
        }),
        ForceKind::LineOfSight(e) => ForceLaw::LineOfSight(term(e)),
        ForceKind::Torque(e) | ForceKind::ActionOnlyTorque(e) => ForceLaw::TorqueZ(term(e)),
        ForceKind::ActionOnlyForce(e) => ForceLaw::ForceZ(term(e)),
        ForceKind::Modal(scale) => general(force.j, [Some(*scale), None, None], [None; 3]),
        ForceKind::General {
            axes,
            force,
            torque,
        } => general(*axes, *force, *torque),
    };
    ForceElement {
        i: force.i,
        j: force.j,
        reacts: !force.kind.row().alone,
        law,
        others: 0..0,
        later: force.kind.first().is_some(),
    }
}

/// Notes the forces that belong to one element with the first of them; they follow each other.
fn join(mechanism: &Mechanism, forces: &mut [ForceElement]) {
    for (k, force) in mechanism.forces.iter().enumerate() {
        if let Some(first) = force.kind.first() {
            let others = &mut forces[first.index()].others;
            let none = others.start == others.end;
            *others = if none { k } else { others.start }..k + 1;
        }
    }
}

/// Gives every contact its place in the contact memory; returns the total count of numbers.
pub(super) fn place_memories(forces: &mut [ForceElement]) -> usize {
    let mut next = 0;
    for force in forces {
        if let ForceLaw::Contact(law) = &mut force.law {
            law.memory = next;
            next += law.memories();
        }
    }
    next
}

/// The law of a contact.
fn contact_law(contact: &Contact, values: usize) -> ContactLaw {
    ContactLaw {
        values,
        memory: 0,
        body: contact.body.clone(),
        shape: contact.shape.clone(),
        law: contact.law,
    }
}

/// The law of a joint's drive.
fn drive_law(
    drive: &mechanism::JointDrive,
    force: &Force,
    values: usize,
    angles: &mut Angles,
) -> JointDrive {
    let turn = (AngleDefinition::Z, force.i, force.j);
    JointDrive {
        values,
        memory: drive.turns.then(|| angles.push(turn)),
        terms: drive.terms.map(|e| e.as_ref().map(term)),
        limits: drive.limits,
    }
}

/// The law of a joint's friction.
fn friction_law(
    friction: &mechanism::JointFriction,
    values: usize,
    groups: &[Group],
) -> JointFriction {
    let owner = Owner::Joint(friction.joint);
    JointFriction {
        values,
        joint: friction.slips,
        law: friction.law,
        inputs: friction.inputs,
        group: groups.iter().position(|group| group.owner == owner),
        states: friction
            .bristles
            .first()
            .map(|first| (first.index(), friction.bristles.len())),
    }
}

/// The law of a tyre; adds the tyre to the list.
fn tyre_law(
    data: &mechanism::Tyre,
    road: &RoadEntry,
    values: usize,
    tyres: &mut Vec<Tyre>,
) -> ForceLaw {
    let law = match &data.law {
        mechanism::TyreLaw::Linear(_) => tyre::Law::Linear,
        mechanism::TyreLaw::Magic(formula, parts) => tyre::Law::Magic(Box::new(Magic {
            formula: (**formula).clone(),
            parts: *parts,
        })),
    };
    let states = data.states.map(|states| states.map(EquationId::index));
    let id = TyreId::from(tyres.len());
    tyres.push(Tyre {
        values,
        road: road.road.clone(),
        axis: data.axis.into(),
        side: if data.mirrored { -1.0 } else { 1.0 },
        states,
        law,
    });
    ForceLaw::Tyre { tyre: id, states }
}

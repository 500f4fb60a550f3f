//! Control plane: compiles force elements to laws that refer to the table of numbers.

use super::{Angles, Numbers};
use crate::elements::angle::AngleDefinition;
use crate::elements::forces::contact::ContactLaw;
use crate::elements::forces::drive::JointDrive;
use crate::elements::forces::friction::JointFriction;
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
    let forces = mechanism.forces.iter().map(one).collect();
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
    let mut reacts = true;
    let law = match &force.kind {
        ForceKind::TranslationalSpringDamper {
            stiffness,
            damping,
            length,
            preload,
        } => {
            let values = numbers.push(&[*stiffness, *damping, *length, *preload]);
            ForceLaw::TranslationalSpring { values }
        }
        ForceKind::RotationalSpringDamper {
            stiffness,
            damping,
            angle,
            preload,
        } => {
            let values = numbers.push(&[*stiffness, *damping, *angle, *preload]);
            let def = AngleDefinition::Z;
            let memory = angles.push((def, force.i, force.j));
            ForceLaw::RotationalSpring { values, memory }
        }
        ForceKind::Bushing { .. } => ForceLaw::Bushing {
            values: bushing_numbers(&force.kind, numbers),
        },
        ForceKind::Field { .. } => {
            ForceLaw::Field(field::Kind::Field(linear_numbers(&force.kind, numbers)))
        }
        ForceKind::Beam { .. } => {
            ForceLaw::Field(field::Kind::Beam(linear_numbers(&force.kind, numbers)))
        }
        ForceKind::Contact(contact) => ForceLaw::Contact(contact_law(contact, numbers)),
        ForceKind::JointFriction(friction) => {
            ForceLaw::JointFriction(friction_law(friction, numbers, groups))
        }
        ForceKind::Tyre(data) => tyre_law(data, &roads[data.road.index()], numbers, tyres),
        ForceKind::JointDrive(drive) => {
            ForceLaw::JointDrive(drive_law(drive, force, numbers, angles))
        }
        ForceKind::LineOfSight(e) => ForceLaw::LineOfSight(term(e)),
        ForceKind::Torque(e) => ForceLaw::TorqueZ(term(e)),
        ForceKind::ActionOnlyForce(e) => {
            reacts = false;
            ForceLaw::ForceZ(term(e))
        }
        ForceKind::ActionOnlyTorque(e) => {
            reacts = false;
            ForceLaw::TorqueZ(term(e))
        }
        ForceKind::Modal(scale) => {
            reacts = false;
            general(force.j, [Some(*scale), None, None], [None; 3])
        }
        ForceKind::General {
            axes,
            force,
            torque,
        } => general(*axes, *force, *torque),
    };
    ForceElement {
        i: force.i,
        j: force.j,
        reacts,
        law,
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

/// A contact with its numbers in the order of its law.
fn contact_law(contact: &Contact, numbers: &mut Numbers) -> ContactLaw {
    let values = numbers.push(&contact.normal);
    numbers.push(&contact.friction);
    for sizes in &contact.sizes {
        numbers.push(sizes);
    }
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
    numbers: &mut Numbers,
    angles: &mut Angles,
) -> JointDrive {
    let turn = (AngleDefinition::Z, force.i, force.j);
    JointDrive {
        values: numbers.push(&drive.numbers),
        memory: drive.turns.then(|| angles.push(turn)),
        terms: drive.terms.map(|e| e.as_ref().map(term)),
        limits: drive.limits,
    }
}

/// The law of a joint's friction.
fn friction_law(
    friction: &mechanism::JointFriction,
    numbers: &mut Numbers,
    groups: &[Group],
) -> JointFriction {
    let owner = Owner::Joint(friction.joint);
    JointFriction {
        values: numbers.push(&friction.numbers.into_array()),
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
    numbers: &mut Numbers,
    tyres: &mut Vec<Tyre>,
) -> ForceLaw {
    let compiled = tyre_of(data, road, numbers);
    let (tyre, states) = (TyreId::from(tyres.len()), compiled.states);
    tyres.push(compiled);
    ForceLaw::Tyre { tyre, states }
}

/// A tyre and its numbers, in the order of its law.
fn tyre_of(data: &mechanism::Tyre, road: &RoadEntry, numbers: &mut Numbers) -> Tyre {
    let values = numbers.push(&[road.friction, data.friction]);
    numbers.push(&data.low_speed);
    let law = match &data.law {
        mechanism::TyreLaw::Linear(own) => {
            numbers.push(own);
            tyre::Law::Linear
        }
        mechanism::TyreLaw::Magic(formula, parts) => tyre::Law::Magic(Box::new(Magic {
            formula: (**formula).clone(),
            parts: *parts,
        })),
    };
    Tyre {
        values,
        road: road.road.clone(),
        axis: data.axis.into(),
        side: if data.mirrored { -1.0 } else { 1.0 },
        states: data.states.map(|states| states.map(EquationId::index)),
        law,
    }
}

/// The eighteen numbers of a bushing, in the order of its law.
fn bushing_numbers(kind: &ForceKind, numbers: &mut Numbers) -> usize {
    let first = numbers.list.len();
    if let ForceKind::Bushing {
        stiffness,
        damping,
        preload,
        torsional_stiffness,
        torsional_damping,
        torsional_preload,
    } = kind
    {
        for part in [
            stiffness,
            damping,
            preload,
            torsional_stiffness,
            torsional_damping,
            torsional_preload,
        ] {
            numbers.push(part);
        }
    }
    first
}

/// The numbers of a field or beam, in the order of its law.
fn linear_numbers(kind: &ForceKind, numbers: &mut Numbers) -> usize {
    let first = numbers.list.len();
    match kind {
        ForceKind::Field {
            stiffness,
            damping,
            from,
            preload,
            ratio,
        } => {
            for row in stiffness.iter().chain(damping.iter()) {
                numbers.push(row);
            }
            numbers.push(from);
            numbers.push(preload);
            numbers.push(&[*ratio]);
        }
        ForceKind::Beam {
            damping,
            ratio,
            section,
        } => {
            for row in damping.iter() {
                numbers.push(row);
            }
            numbers.push(&[*ratio]);
            numbers.push(section);
        }
        _ => {}
    }
    first
}

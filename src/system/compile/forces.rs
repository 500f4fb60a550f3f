//! Control plane: force elements to laws with the places of their numbers.

use super::{Angles, Numbers};
use crate::elements::forces::contact::ContactLaw;
use crate::elements::forces::friction::JointFriction;
use crate::elements::forces::{ForceElement, ForceLaw, ScaledTerm, field};
use crate::model::{self, Contact, Force, ForceKind, ScaledExpr};
use crate::system::{Group, Owner};

fn term(scaled: &ScaledExpr) -> ScaledTerm {
    ScaledTerm {
        expr: scaled.expr,
        to_si: scaled.to_si,
    }
}

/// A force element as the step needs it.
pub(super) fn compile_force(
    force: &Force,
    numbers: &mut Numbers,
    angles: &mut Angles,
    groups: &[Group],
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
            let def = crate::elements::angle::AngleDefinition::Z;
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
        ForceKind::General {
            axes,
            force,
            torque,
        } => {
            let [fx, fy, fz] = force.map(|e| e.as_ref().map(term));
            let [tx, ty, tz] = torque.map(|e| e.as_ref().map(term));
            ForceLaw::General {
                axes: *axes,
                terms: [fx, fy, fz, tx, ty, tz],
            }
        }
    };
    ForceElement {
        i: force.i,
        j: force.j,
        reacts,
        law,
    }
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
        body: contact.body.clone(),
        shape: contact.shape.clone(),
        law: contact.law,
    }
}

/// The law of a joint's friction.
fn friction_law(
    friction: &model::JointFriction,
    numbers: &mut Numbers,
    groups: &[Group],
) -> JointFriction {
    let owner = Owner::Joint(friction.joint);
    JointFriction {
        values: numbers.push(&friction.numbers),
        joint: friction.slips,
        law: friction.law,
        inputs: friction.inputs,
        group: groups.iter().position(|group| group.owner == owner),
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

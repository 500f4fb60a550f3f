//! Control plane: checks the joint friction of a model and converts it to that of the mechanism.

use super::builder::Builder;
use crate::errors::{At, quote, quote_all};
use crate::schema::{Document, FrictionEffect, FrictionInput, FrictionLaw, JointFriction, Number};
use crate::units::{Dimension, LENGTH};
use fixstep_kernel::ids::{ForceId, ValueId};
use fixstep_kernel::mechanism::{
    self, Equation, ForceKind, FrictionInputs, FrictionJoint, FrictionNumbers, JointKind, Law,
    Leaf, Quantity, ScaledExpr, Shown, StateStart, ValueRule,
};

const SOME: ValueRule = ValueRule::NonNegative;
const POSITIVE: ValueRule = ValueRule::Positive;
const ONE: Number = Number::Constant(1.0);

/// The friction of a joint.
pub(super) fn friction(b: &mut Builder<'_>, data: &JointFriction, at: &At) -> Option<ForceKind> {
    let joint = b.names.joints.get(&data.joint)?;
    let kind = b.joints.get(joint.index())?.as_ref()?.kind;
    let Some(slips) = slips(kind) else {
        let message = format!(
            "the joint {} has no bearing to rub; valid: revolute, translational, cylindrical, \
             spherical and universal joints",
            quote(&data.joint)
        );
        b.report.add(&at.field("joint"), message);
        return None;
    };
    check_fields(b, data, slips, at);
    let radius = radius(b, data, slips, at)?;
    let inputs = inputs(b, data, at);
    let [held, sliding, meant] = coefficients(b, data, at);
    let (law, [from, to, stiffness, damping]) = law(b, &data.law, &at.field("law"));
    if let (FrictionLaw::LuGre(_), Some(FrictionEffect::Stiction)) = (&data.law, data.effect) {
        let message =
            "bristles need sliding friction to slip; valid with \"lugre\": \"all\", \"sliding\"";
        b.report.add(&at.field("effect"), message);
    }
    let unit = b.number(&ONE, Dimension::Length, POSITIVE, at);
    let arms = arms(b, data, radius, at);
    let [force, torque, slide, turn] = loads(b, data, at);
    let numbers = FrictionNumbers {
        curve: [held, sliding, from, to],
        bristles: [stiffness, damping, unit],
        radius,
        arms,
        preload: [force, torque, meant],
        viscous: [slide, turn],
    };
    Some(ForceKind::JointFriction(Box::new(
        mechanism::JointFriction {
            joint,
            slips,
            law,
            inputs,
            numbers,
            bristles: b.names.plan.bristles_of(&data.name).collect(),
        },
    )))
}

/// Friction arm, bending arm, reaction arm; 1 for those that do not count.
fn arms(b: &mut Builder<'_>, data: &JointFriction, radius: ValueId, at: &At) -> [ValueId; 3] {
    let mut arm = |field: &str, given: Option<&Number>, rule| {
        let number = given.unwrap_or(&ONE);
        b.number(number, Dimension::Length, rule, &at.field(field))
    };
    let thrust = data.friction_arm.as_ref();
    [
        match thrust {
            Some(_) => arm("friction_arm", thrust, SOME),
            None => radius,
        },
        arm("bending_arm", data.bending_arm.as_ref(), POSITIVE),
        arm("reaction_arm", data.reaction_arm.as_ref(), POSITIVE),
    ]
}

/// Preloads and viscous coefficients: force, torque, each.
fn loads(b: &mut Builder<'_>, data: &JointFriction, at: &At) -> [ValueId; 4] {
    [
        ("preload_force", &data.preload_force, Dimension::Force),
        ("preload_torque", &data.preload_torque, Dimension::Torque),
        ("viscous_force", &data.viscous_force, Dimension::Damping),
        (
            "viscous_torque",
            &data.viscous_torque,
            Dimension::TorsionalDamping,
        ),
    ]
    .map(|(field, number, dimension)| {
        b.optional(number.as_ref(), dimension, SOME, &at.field(field))
    })
}

fn slips(kind: JointKind) -> Option<FrictionJoint> {
    match kind {
        JointKind::Revolute => Some(FrictionJoint::Revolute),
        JointKind::Translational => Some(FrictionJoint::Translational),
        JointKind::Cylindrical => Some(FrictionJoint::Cylindrical),
        JointKind::Spherical => Some(FrictionJoint::Spherical),
        JointKind::Universal => Some(FrictionJoint::Universal),
        _ => None,
    }
}

/// The fields that a joint takes besides those of all.
fn valid_fields(slips: FrictionJoint) -> &'static [&'static str] {
    match slips {
        FrictionJoint::Revolute | FrictionJoint::Universal => &[
            "pin_radius",
            "friction_arm",
            "bending_arm",
            "preload_torque",
            "viscous_torque",
        ],
        FrictionJoint::Translational => &[
            "bending_arm",
            "reaction_arm",
            "preload_force",
            "viscous_force",
        ],
        FrictionJoint::Cylindrical => &[
            "pin_radius",
            "bending_arm",
            "preload_force",
            "preload_torque",
            "viscous_force",
            "viscous_torque",
        ],
        FrictionJoint::Spherical => &["ball_radius", "preload_torque", "viscous_torque"],
    }
}

/// The usual name of the joint.
fn word(slips: FrictionJoint) -> &'static str {
    match slips {
        FrictionJoint::Revolute => "a revolute joint",
        FrictionJoint::Translational => "a translational joint",
        FrictionJoint::Cylindrical => "a cylindrical joint",
        FrictionJoint::Spherical => "a spherical joint",
        FrictionJoint::Universal => "a universal joint",
    }
}

/// Reports fields that the joint does not take.
fn check_fields(b: &mut Builder<'_>, data: &JointFriction, slips: FrictionJoint, at: &At) {
    let valid = valid_fields(slips);
    let given = [
        ("pin_radius", &data.pin_radius),
        ("ball_radius", &data.ball_radius),
        ("friction_arm", &data.friction_arm),
        ("bending_arm", &data.bending_arm),
        ("reaction_arm", &data.reaction_arm),
        ("preload_force", &data.preload_force),
        ("preload_torque", &data.preload_torque),
        ("viscous_force", &data.viscous_force),
        ("viscous_torque", &data.viscous_torque),
    ];
    for (field, number) in given {
        if number.is_some() && !valid.contains(&field) {
            let message = format!(
                "{} does not use this; valid there: {}",
                word(slips),
                quote_all(valid.iter().copied())
            );
            b.report.add(&at.field(field), message);
        }
    }
}

/// The radius at which slip is measured; 1 of a slider. `None`: it is missing.
fn radius(
    b: &mut Builder<'_>,
    data: &JointFriction,
    slips: FrictionJoint,
    at: &At,
) -> Option<ValueId> {
    let (field, given) = match slips {
        FrictionJoint::Translational => ("", Some(&ONE)),
        FrictionJoint::Spherical => ("ball_radius", data.ball_radius.as_ref()),
        _ => ("pin_radius", data.pin_radius.as_ref()),
    };
    if let Some(number) = given {
        return Some(b.number(number, Dimension::Length, POSITIVE, &at.field(field)));
    }
    let message = format!(
        "the field {} is missing: {} needs it, slip is measured there",
        quote(field),
        word(slips)
    );
    b.report.add(at, message);
    None
}

/// μs, μd after `effect`, and the μd to which preloads refer.
fn coefficients(b: &mut Builder<'_>, data: &JointFriction, at: &At) -> [ValueId; 3] {
    let sliding = &data.mu_dynamic;
    let held = data.mu_static.as_ref().unwrap_or(sliding);
    let at_held = at.field("mu_static");
    let sliding = b.number(sliding, Dimension::One, POSITIVE, &at.field("mu_dynamic"));
    let held = b.number(held, Dimension::One, SOME, &at_held);
    if let (Some(s), Some(d)) = (b.start_of(held), b.start_of(sliding))
        && s < d
    {
        let message = format!("must be mu_dynamic or more; found {s}, mu_dynamic is {d}");
        b.report.add(&at_held, message);
    }
    let effect = data.effect.unwrap_or(FrictionEffect::All);
    if effect == FrictionEffect::Stiction && data.mu_static.is_none() {
        let message = format!("{} needs the field \"mu_static\"", quote(effect.word()));
        b.report.add(&at.field("effect"), message);
    }
    match effect {
        FrictionEffect::All => [held, sliding, sliding],
        FrictionEffect::Sliding => [sliding, sliding, sliding],
        FrictionEffect::Stiction => {
            let none = b.optional(None, Dimension::One, SOME, &at.field("effect"));
            [held, none, sliding]
        }
    }
}

/// The law with its two velocities, σ0 and σ1.
fn law(b: &mut Builder<'_>, data: &FrictionLaw, at: &At) -> (mechanism::FrictionLaw, [ValueId; 4]) {
    let mut velocity = |field: &str, number: &Number| {
        b.number(number, Dimension::Velocity, POSITIVE, &at.field(field))
    };
    match data {
        FrictionLaw::Coulomb(x) => {
            let first = &x.stiction_velocity;
            let last = x.friction_velocity.clone().unwrap_or(match first {
                Number::Constant(from) => Number::Constant(1.5 * from),
                Number::Expression(from) => Number::Expression(format!("1.5*({from})")),
            });
            let from = velocity("stiction_velocity", first);
            let to = velocity("friction_velocity", &last);
            let at_to = at.field("friction_velocity");
            b.demand_less(from, to, "must be more than stiction_velocity", &at_to);
            let none = b.optional(None, Dimension::One, SOME, at);
            (mechanism::FrictionLaw::Coulomb, [from, to, none, none])
        }
        FrictionLaw::LuGre(x) => {
            let from = velocity("stribeck_velocity", &x.stribeck_velocity);
            let at_stiffness = at.field("bristle_stiffness");
            let stiffness = &x.bristle_stiffness;
            let stiffness = b.number(stiffness, Dimension::PerLength, POSITIVE, &at_stiffness);
            let at_damping = at.field("bristle_damping");
            let damping = x.bristle_damping.as_ref();
            let damping = b.optional(damping, Dimension::TimePerLength, SOME, &at_damping);
            (
                mechanism::FrictionLaw::LuGre,
                [from, from, stiffness, damping],
            )
        }
    }
}

/// The causes of friction: those listed, otherwise all that are possible.
fn inputs(b: &mut Builder<'_>, data: &JointFriction, at: &At) -> FrictionInputs {
    let (bends, twists) = (data.bending_arm.is_some(), data.reaction_arm.is_some());
    let Some(list) = &data.inputs else {
        return FrictionInputs {
            preload: true,
            reaction_force: true,
            bending_moment: bends,
            torsional_moment: twists,
        };
    };
    let needs = [
        (FrictionInput::BendingMoment, "bending_arm", bends),
        (FrictionInput::TorsionalMoment, "reaction_arm", twists),
    ];
    for (k, input) in list.iter().enumerate() {
        for (moment, field, given) in needs {
            if *input == moment && !given {
                let message = format!("{} needs the field {}", quote(input.word()), quote(field));
                b.report.add(&at.field("inputs").index(k), message);
            }
        }
    }
    let has = |input| list.contains(&input);
    FrictionInputs {
        preload: has(FrictionInput::Preload),
        reaction_force: has(FrictionInput::ReactionForce),
        bending_moment: has(FrictionInput::BendingMoment) && bends,
        torsional_moment: has(FrictionInput::TorsionalMoment) && twists,
    }
}

/// The states of the bristles of all friction elements, by their numbers in the plan.
pub(super) fn bristles(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Equation>> {
    let mut all = Vec::new();
    for (force, item) in document.forces.0.iter().enumerate() {
        let count = b.names.plan.bristles[force].len();
        for component in 0..count {
            let shown = if count == 1 {
                Shown::Word("bristle".into())
            } else {
                Shown::State(component as u32 + 1)
            };
            let place = (ForceId::from(force), component);
            let name = item.name.clone().unwrap_or_default();
            all.push(bristle(b, name, place, shown, &item.at));
        }
    }
    all
}

/// The state of one bristle.
fn bristle(
    b: &mut Builder<'_>,
    name: String,
    (friction, component): (ForceId, usize),
    shown: Shown,
    at: &At,
) -> Option<Equation> {
    let (length, time) = (b.units.length.clone(), b.units.time.factor);
    let scale = time / length.factor;
    let expr = b.leaf_expression(Leaf::BristleRate {
        friction,
        component,
        scale,
    })?;
    // Long names of units are none of FMI's.
    let known = LENGTH.names().contains(&length.name.as_str());
    Some(Equation {
        label: format!("joint friction {}", quote(&name)),
        kind: "joint friction".into(),
        field: "law".into(),
        quantity: Quantity {
            name,
            description: "Bending of bristles".to_owned(),
            unit: if known { length.name } else { String::new() },
            display_unit: String::new(),
            min: None,
            max: None,
            start: 0.0,
        },
        shown,
        law: Law::Rate {
            derivative: ScaledExpr {
                expr,
                to_si: 1.0 / time,
            },
            unknown: None,
        },
        initial: b.optional(None, Dimension::One, ValueRule::Finite, at),
        start: StateStart::Held,
        checked: Vec::new(),
    })
}

//! Control plane: contacts.

use super::builder::Builder;
use crate::ids::{MarkerId, ValueId};
use crate::model::elements::{self, ContactShape, ForceKind, NormalLaw};
use crate::model::errors::At;
use crate::model::quantities::ValueRule;
use crate::model::schema::{
    Contact, ContactFriction, ContactNormal, ContactShapes, Number, SphereShape, SurfaceShape,
};
use crate::model::units::Dimension;

const SOME: ValueRule = ValueRule::NonNegative;
const POSITIVE: ValueRule = ValueRule::Positive;

const ONE: Number = Number::Constant(1.0);
const ZERO: Number = Number::Constant(0.0);
const HERTZ: Number = Number::Constant(1.5);

/// The numbers of a contact.
pub(super) fn contact(b: &mut Builder<'_>, data: &Contact, at: &At) -> ForceKind {
    let (shape, sizes) = shapes(b, &data.shapes, &at.field("shapes"));
    let (law, normal) = normal(b, &data.normal, &at.field("normal"));
    ForceKind::Contact(Box::new(elements::Contact {
        shape,
        law,
        normal,
        friction: friction(b, data.friction.as_ref(), &at.field("friction")),
        sizes,
    }))
}

fn shapes(b: &mut Builder<'_>, data: &ContactShapes, at: &At) -> (ContactShape, [ValueId; 4]) {
    let SphereShape::Sphere(sphere) = &data.i;
    let at_i = at.field("i").field("radius");
    let own = b.number(&sphere.radius, Dimension::Length, SOME, &at_i);
    let at_j = at.field("j");
    let none = [ONE; 3];
    let (shape, field, [x, y, z]) = match &data.j {
        SurfaceShape::Plane(_) => (ContactShape::Plane, "", none.each_ref()),
        SurfaceShape::Sphere(round) => {
            let hollow = round.hollow.unwrap_or(false);
            let size = [&round.radius, &ONE, &ONE];
            (ContactShape::Sphere { hollow }, "radius", size)
        }
        SurfaceShape::Cylinder(round) => {
            let hollow = round.hollow.unwrap_or(false);
            let size = [&round.radius, &ONE, &ONE];
            (ContactShape::Cylinder { hollow }, "radius", size)
        }
        SurfaceShape::Box(brick) => (ContactShape::Box, "size", brick.size.each_ref()),
    };
    let at_j = at_j.field(field);
    let places = match shape {
        ContactShape::Box => [at_j.index(0), at_j.index(1), at_j.index(2)],
        _ => [at_j.clone(), at_j.clone(), at_j],
    };
    let [x, y, z] = [(x, &places[0]), (y, &places[1]), (z, &places[2])]
        .map(|(number, at)| b.number(number, Dimension::Length, POSITIVE, at));
    if let ContactShape::Sphere { hollow: true } | ContactShape::Cylinder { hollow: true } = shape
        && let (Some(r), Some(outer)) = (b.start_of(own), b.start_of(x))
        && r >= outer
        && outer > 0.0
    {
        let message = "the sphere does not fit into the hollow shape of J; its radius must be less than \
                       that of shapes.j";
        b.report.add(&at_i, message);
    }
    (shape, [own, x, y, z])
}

fn normal(b: &mut Builder<'_>, data: &ContactNormal, at: &At) -> (NormalLaw, [ValueId; 5]) {
    let (law, stiffness, exponent, damping, depth) = match data {
        ContactNormal::Impact(x) => (
            NormalLaw::Impact,
            &x.stiffness,
            &x.exponent,
            (&x.damping, Dimension::Damping),
            &x.depth,
        ),
        ContactNormal::HuntCrossley(x) => (
            NormalLaw::HuntCrossley,
            &x.stiffness,
            &x.exponent,
            (&x.damping, Dimension::TimePerLength),
            &ONE,
        ),
    };
    let at_exponent = at.field("exponent");
    let power = exponent.as_ref().unwrap_or(&HERTZ);
    let power = b.number(power, Dimension::One, POSITIVE, &at_exponent);
    if let Some(start) = b.start_of(power)
        && (0.0..1.0).contains(&start)
        && start > 0.0
    {
        let message = format!(
            "must be 1 or more, else the contact is infinitely stiff where it begins; found {start}"
        );
        b.report.add(&at_exponent, message);
    }
    let (damping, dimension) = damping;
    let numbers = [
        // Of unit penetration: so the exponent need not be known for the change of units.
        b.number(stiffness, Dimension::Force, SOME, &at.field("stiffness")),
        b.number(&ONE, Dimension::Length, POSITIVE, at),
        power,
        b.optional(damping.as_ref(), dimension, SOME, &at.field("damping")),
        b.number(depth, Dimension::Length, POSITIVE, &at.field("depth")),
    ];
    (law, numbers)
}

fn friction(b: &mut Builder<'_>, data: Option<&ContactFriction>, at: &At) -> [ValueId; 4] {
    let two = Number::Constant(2.0);
    let [held, sliding, from, to] = match data {
        None => [&ZERO, &ZERO, &ONE, &two],
        Some(x) => [
            &x.mu_static,
            &x.mu_dynamic,
            &x.stiction_velocity,
            &x.friction_velocity,
        ],
    };
    let at_to = at.field("friction_velocity");
    let numbers = [
        b.number(held, Dimension::One, SOME, &at.field("mu_static")),
        b.number(sliding, Dimension::One, SOME, &at.field("mu_dynamic")),
        b.number(
            from,
            Dimension::Velocity,
            POSITIVE,
            &at.field("stiction_velocity"),
        ),
        b.number(to, Dimension::Velocity, POSITIVE, &at_to),
    ];
    if let (Some(from), Some(to)) = (b.start_of(numbers[2]), b.start_of(numbers[3]))
        && to <= from
        && to > 0.0
    {
        let message = "must be more than stiction_velocity";
        b.report.add(&at_to, message);
    }
    numbers
}

/// A point mass takes the force only where its line goes through it.
pub(super) fn check_ends(
    b: &mut Builder<'_>,
    data: &Contact,
    (i, j): (MarkerId, MarkerId),
    at: &At,
) {
    let SphereShape::Sphere(sphere) = &data.shapes.i;
    let point = matches!(sphere.radius, Number::Constant(0.0));
    if data.friction.is_some() && !point {
        let why = "it cannot take the moment of friction on the sphere; use radius 0, leave out \
                   friction or make it a part";
        b.refuse_point_masses(&[("i", i)], why, at);
    }
    if data.friction.is_some() || !matches!(data.shapes.j, SurfaceShape::Sphere(_)) {
        let why = "it cannot take the moment of a contact away from it; only a sphere without \
                   friction goes there";
        b.refuse_point_masses(&[("j", j)], why, at);
    }
}

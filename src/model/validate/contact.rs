//! Control plane: contacts.

use super::builder::Builder;
use crate::ids::{MarkerId, ValueId};
use crate::math::Vec3;
use crate::model::contact::{self, ContactBody, ContactShape, NormalLaw};
use crate::model::elements::ForceKind;
use crate::model::errors::At;
use crate::model::quantities::ValueRule;
use crate::model::schema::{
    BodyShape, Contact, ContactFriction, ContactNormal, ContactShapes, Number, SurfaceShape,
};
use crate::model::units::Dimension;

const SOME: ValueRule = ValueRule::NonNegative;
const POSITIVE: ValueRule = ValueRule::Positive;

const ONE: Number = Number::Constant(1.0);
const ZERO: Number = Number::Constant(0.0);
const HERTZ: Number = Number::Constant(1.5);

/// The most points of a hull: each is looked at in every step.
const MAX_POINTS: usize = 256;

/// The numbers of a contact.
pub(super) fn contact(b: &mut Builder<'_>, data: &Contact, at: &At) -> Option<ForceKind> {
    let at_shapes = at.field("shapes");
    let body = body(b, &data.shapes.i, &at_shapes.field("i"));
    let (shape, size) = surface(b, &data.shapes.j, &at_shapes.field("j"));
    let (law, normal) = normal(b, &data.normal, &at.field("normal"));
    let friction = friction(b, data.friction.as_ref(), &at.field("friction"));
    let (body, own) = body?;
    check_pair(b, &data.shapes, (&shape, &own, &size), &at_shapes);
    Some(ForceKind::Contact(Box::new(contact::Contact {
        body,
        shape,
        law,
        normal,
        friction,
        sizes: [own, size],
    })))
}

type Sizes = [ValueId; 3];

/// Lengths of a shape; those that it does not have are 1.
fn lengths(b: &mut Builder<'_>, given: [Option<(&Number, &At)>; 3], at: &At) -> Sizes {
    given.map(|given| {
        let (number, at) = given.unwrap_or((&ONE, at));
        b.number(number, Dimension::Length, POSITIVE, at)
    })
}

/// The shape on I.
fn body(b: &mut Builder<'_>, data: &BodyShape, at: &At) -> Option<(ContactBody, Sizes)> {
    let (at_radius, at_length) = (at.field("radius"), at.field("length"));
    Some(match data {
        BodyShape::Sphere(x) => {
            let radius = b.number(&x.radius, Dimension::Length, SOME, &at_radius);
            let [_, y, z] = lengths(b, [None; 3], at);
            (ContactBody::Sphere, [radius, y, z])
        }
        BodyShape::Box(x) => (ContactBody::Box, edges(b, &x.size, at)),
        BodyShape::Cylinder(x) => {
            let given = [
                Some((&x.radius, &at_radius)),
                Some((&x.length, &at_length)),
                None,
            ];
            (ContactBody::Cylinder, lengths(b, given, at))
        }
        BodyShape::Hull(x) => {
            let at_points = at.field("points");
            if x.points.is_empty() || x.points.len() > MAX_POINTS {
                let message = format!(
                    "has {} points; a hull has 1 to {MAX_POINTS}, for each is looked at in every step",
                    x.points.len()
                );
                b.report.add(&at_points, message);
                return None;
            }
            let point = |(k, p): (usize, &[f64; 3])| {
                b.si3(Some(*p), Dimension::Length, &at_points.index(k))
            };
            let points: Vec<Vec3> = x.points.iter().enumerate().map(point).collect();
            let unused = lengths(b, [None; 3], at);
            (ContactBody::Hull(points.into()), unused)
        }
    })
}

fn edges(b: &mut Builder<'_>, size: &[Number; 3], at: &At) -> Sizes {
    let at = at.field("size");
    b.numbers(size, Dimension::Length, POSITIVE, &at)
}

/// The surface on J.
fn surface(b: &mut Builder<'_>, data: &SurfaceShape, at: &At) -> (ContactShape, Sizes) {
    let (at_radius, at_length) = (at.field("radius"), at.field("length"));
    match data {
        SurfaceShape::Plane(_) => (ContactShape::Plane, lengths(b, [None; 3], at)),
        SurfaceShape::Sphere(x) => {
            let hollow = x.hollow.unwrap_or(false);
            let given = [Some((&x.radius, &at_radius)), None, None];
            (ContactShape::Sphere { hollow }, lengths(b, given, at))
        }
        SurfaceShape::Cylinder(x) => {
            let hollow = x.hollow.unwrap_or(false);
            if hollow && x.length.is_some() {
                let message = "a hollow cylinder has no ends; leave length out and put a plane at either \
                               end";
                b.report.add(&at_length, message);
            }
            let length = x.length.as_ref();
            let given = [
                Some((&x.radius, &at_radius)),
                length.map(|length| (length, &at_length)),
                None,
            ];
            let shape = if length.is_some() {
                ContactShape::Drum
            } else {
                ContactShape::Cylinder { hollow }
            };
            (shape, lengths(b, given, at))
        }
        SurfaceShape::Box(x) => (ContactShape::Box, edges(b, &x.size, at)),
    }
}

/// Which shapes may meet, and whether I's fits into a hollow one.
fn check_pair(
    b: &mut Builder<'_>,
    data: &ContactShapes,
    (shape, own, size): (&ContactShape, &Sizes, &Sizes),
    at: &At,
) {
    let hollow = matches!(
        shape,
        ContactShape::Sphere { hollow: true } | ContactShape::Cylinder { hollow: true }
    );
    let plane = matches!(shape, ContactShape::Plane);
    let problem = match &data.i {
        BodyShape::Sphere(_) if hollow => {
            let message = "the sphere does not fit into the hollow shape of J; its radius must be less \
                           than that of shapes.j";
            let at = at.field("i").field("radius");
            b.demand_less(own[0], size[0], message, &at);
            None
        }
        BodyShape::Box(_) | BodyShape::Hull(_) if !plane && !hollow => Some(
            "a box or hull touches with its corners: shapes.j must be a plane, or a hollow sphere or \
             cylinder",
        ),
        BodyShape::Cylinder(_) if !plane => {
            Some("a cylinder touches with its rims: shapes.j must be a plane")
        }
        _ => None,
    };
    if let Some(message) = problem {
        b.report.add(at, message);
    }
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
    let power = exponent.as_ref().unwrap_or(&HERTZ);
    let (damping, dimension) = damping;
    let numbers = [
        // Of unit penetration: so the exponent need not be known for the change of units.
        b.number(stiffness, Dimension::Force, SOME, &at.field("stiffness")),
        b.number(&ONE, Dimension::Length, POSITIVE, at),
        // Below 1 the contact is infinitely stiff where it begins.
        b.number(
            power,
            Dimension::One,
            ValueRule::OneOrMore,
            &at.field("exponent"),
        ),
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
    let message = "must be more than stiction_velocity";
    b.demand_less(numbers[2], numbers[3], message, &at_to);
    numbers
}

/// A point mass takes the force only where its line goes through it.
pub(super) fn check_ends(
    b: &mut Builder<'_>,
    data: &Contact,
    (i, j): (MarkerId, MarkerId),
    at: &At,
) {
    match &data.shapes.i {
        BodyShape::Sphere(sphere) => {
            let point = matches!(sphere.radius, Number::Constant(0.0));
            if data.friction.is_some() && !point {
                let why = "it cannot take the moment of friction on the sphere; use radius 0, leave out \
                           friction or make it a part";
                b.refuse_point_masses(&[("i", i)], why, at);
            }
        }
        _ => b.refuse_point_masses(&[("i", i)], "it carries no shape but a sphere", at),
    }
    if data.friction.is_some() || !matches!(data.shapes.j, SurfaceShape::Sphere(_)) {
        let why = "it cannot take the moment of a contact away from it; only a sphere without \
                   friction goes there";
        b.refuse_point_masses(&[("j", j)], why, at);
    }
}

//! Control plane: checks the contacts of a model and converts them to those of the mechanism.

use super::builder::Builder;
use super::surfaces;
use crate::errors::At;
use crate::limits::HULL_POINTS;
use crate::schema::{
    Barrel, BodyShape, Contact, ContactFriction, ContactNormal, ContactShapes, HuntCrossley,
    Number, SurfaceShape,
};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{ForceId, MarkerId, ValueId};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{
    self, ContactBody, ContactShape, ForceKind, NormalLaw, Place, ValueRule,
};

const SOME: ValueRule = ValueRule::NonNegative;
const POSITIVE: ValueRule = ValueRule::Positive;

const ONE: Number = Number::Constant(1.0);
const ZERO: Number = Number::Constant(0.0);
const HERTZ: Number = Number::Constant(1.5);

/// The numbers of a contact.
pub(super) fn contact(b: &mut Builder<'_>, data: &Contact, at: &At) -> Option<ForceKind> {
    let at_shapes = at.field("shapes");
    let body = body(b, &data.shapes.i, &at_shapes.field("i"));
    let surface = surface(b, &data.shapes, body.as_ref(), &at_shapes.field("j"));
    let (law, normal) = normal(b, &data.normal, &at.field("normal"));
    let friction = friction(b, data.friction.as_ref(), &at.field("friction"));
    let ((body, own), (shape, size)) = (body?, surface?);
    check_pair(b, &data.shapes, (&shape, &own, &size), &at_shapes);
    Some(ForceKind::Contact(Box::new(mechanism::Contact {
        body,
        shape,
        law,
        normal,
        friction,
        sizes: [own, size],
    })))
}

type Sizes = [ValueId; 3];

/// Lengths of a shape; missing ones are 1.
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
        BodyShape::Curve(x) => {
            let curve = surfaces::plane_curve(b, &x.curve, at)?;
            (ContactBody::Curve(curve), lengths(b, [None; 3], at))
        }
        BodyShape::Hull(x) => {
            let at_points = at.field("points");
            if x.points.is_empty() || x.points.len() > HULL_POINTS {
                let message = format!(
                    "has {} points; a hull has 1 to {HULL_POINTS}, for each is looked at in every step",
                    x.points.len()
                );
                b.report.add(&at_points, message);
                return None;
            }
            let own = ForceId::from(b.item);
            let point = |(k, p): (usize, &[Number; 3])| {
                let place = |axis| Place::HullPoint(own, k as u32, axis);
                b.placed3(Some(p), Dimension::Length, place, &at_points.index(k))
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
fn surface(
    b: &mut Builder<'_>,
    data: &ContactShapes,
    body: Option<&(ContactBody, Sizes)>,
    at: &At,
) -> Option<(ContactShape, Sizes)> {
    let at_radius = at.field("radius");
    let shape = match &data.j {
        SurfaceShape::Plane(_) => ContactShape::Plane,
        SurfaceShape::Sphere(x) => {
            let hollow = x.hollow.unwrap_or(false);
            let given = [Some((&x.radius, &at_radius)), None, None];
            return Some((ContactShape::Sphere { hollow }, lengths(b, given, at)));
        }
        SurfaceShape::Cylinder(x) => return Some(cylinder(b, x, at)),
        SurfaceShape::Box(x) => return Some((ContactShape::Box, edges(b, &x.size, at))),
        SurfaceShape::Heightmap(x) => surfaces::heights(b, x, at)?,
        SurfaceShape::Profile(x) => surfaces::profile(b, x, at)?,
        SurfaceShape::Curve(x) => surfaces::curve(b, x, at)?,
        SurfaceShape::Mesh(x) => {
            let (body, own) = body?;
            let ball = matches!(body, ContactBody::Sphere).then_some(own[0]);
            let radius = ball.and_then(|radius| b.start_of(radius));
            let (shape, reach) = surfaces::mesh(b, x, radius, at)?;
            if let Some(radius) = ball {
                let unit = b.units.to_si(Dimension::Length);
                let most = Number::Constant(reach / unit);
                let most = b.number(&most, Dimension::Length, POSITIVE, at);
                let message = "outgrows the table of the mesh, which is made for the radius at the \
                               start, or for the depth of the mesh where that is more";
                b.demand_less(radius, most, message, &at_radius);
            }
            shape
        }
    };
    Some((shape, lengths(b, [None; 3], at)))
}

/// A cylinder, with ends or without.
fn cylinder(b: &mut Builder<'_>, data: &Barrel, at: &At) -> (ContactShape, Sizes) {
    let (at_radius, at_length) = (at.field("radius"), at.field("length"));
    let hollow = data.hollow.unwrap_or(false);
    if hollow && data.length.is_some() {
        let message =
            "a hollow cylinder has no ends; leave length out and put a plane at either end";
        b.report.add(&at_length, message);
    }
    let length = data.length.as_ref();
    let given = [
        Some((&data.radius, &at_radius)),
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

/// Checks which shapes may be in contact, and whether I's fits into a hollow one.
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
    let flat = matches!(
        shape,
        ContactShape::Plane | ContactShape::Cylinder { .. } | ContactShape::Curve { .. }
    );
    let fine = matches!(shape, ContactShape::Terrain(_) | ContactShape::Mesh(_));
    let problem = match &data.i {
        BodyShape::Sphere(_) if hollow => {
            let message = "the sphere does not fit into the hollow shape of J; its radius must be less \
                           than that of shapes.j";
            let at = at.field("i").field("radius");
            b.demand_less(own[0], size[0], message, &at);
            None
        }
        BodyShape::Box(_) | BodyShape::Hull(_) if !plane && !hollow && !fine => Some(
            "a box or hull touches with its corners: shapes.j must be a plane, a hollow sphere or \
             cylinder, a heightmap, profile or mesh",
        ),
        BodyShape::Curve(_) if !flat => Some(
            "a curve touches with its deepest place: shapes.j must be a plane, a cylinder without \
             length, or a curve",
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
    let (at_damping, at_depth) = (at.field("damping"), at.field("depth"));
    let (stiffness, exponent) = match data {
        ContactNormal::Impact(x) => (&x.stiffness, &x.exponent),
        ContactNormal::HuntCrossley(x) => (&x.stiffness, &x.exponent),
    };
    let power = exponent.as_ref().unwrap_or(&HERTZ);
    // Stiffness is the force at unit penetration, so the conversion of units does not need the exponent.
    let stiffness = b.number(stiffness, Dimension::Force, SOME, &at.field("stiffness"));
    let unit = b.number(&ONE, Dimension::Length, POSITIVE, at);
    // Below 1 the contact is infinitely stiff where it begins.
    let rule = ValueRule::OneOrMore;
    let power = b.number(power, Dimension::One, rule, &at.field("exponent"));
    let (law, damping, last) = match data {
        ContactNormal::Impact(x) => (
            NormalLaw::Impact,
            b.optional(x.damping.as_ref(), Dimension::Damping, SOME, &at_damping),
            b.number(&x.depth, Dimension::Length, POSITIVE, &at_depth),
        ),
        ContactNormal::HuntCrossley(x) => hunt_crossley(b, x, at),
    };
    (law, [stiffness, unit, power, damping, last])
}

/// Damping, or restitution with its least velocity.
fn hunt_crossley(
    b: &mut Builder<'_>,
    data: &HuntCrossley,
    at: &At,
) -> (NormalLaw, ValueId, ValueId) {
    let (at_damping, at_slow) = (at.field("damping"), at.field("slow"));
    let Some(restitution) = &data.restitution else {
        if data.slow.is_some() {
            b.report.add(&at_slow, "is valid only with \"restitution\"");
        }
        let dimension = Dimension::TimePerLength;
        let damping = b.optional(data.damping.as_ref(), dimension, SOME, &at_damping);
        let unused = b.number(&ONE, Dimension::Length, POSITIVE, at);
        return (NormalLaw::HuntCrossley, damping, unused);
    };
    if data.damping.is_some() {
        let message = "restitution replaces damping; give one of them";
        b.report.add(&at_damping, message);
    }
    if data.slow.is_none() {
        let message = "is missing: the velocity below which an approach no longer bounces by the \
                       coefficient of restitution, such as that of a fall over the penetration at rest";
        b.report.add(&at_slow, message);
    }
    let slow = data.slow.as_ref().unwrap_or(&ONE);
    (
        NormalLaw::Restitution,
        b.number(
            restitution,
            Dimension::One,
            ValueRule::Fraction,
            &at.field("restitution"),
        ),
        b.number(slow, Dimension::Velocity, POSITIVE, &at_slow),
    )
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

/// A point mass accepts the force only if its line passes through the point mass.
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

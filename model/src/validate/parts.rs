//! Control plane: checks the parts and point masses of a model and converts them to bodies of the mechanism.

use super::builder::Builder;
use super::{flexible, inertia};
use crate::errors::{At, quote};
use crate::names::GROUND;
use crate::schema::{Assembly, Document, Inertia, Number, Orientation, Part, PointMass};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{BodyId, ValueId};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{Body, BodyKind, BodyNumber, Place, ValueRule};

/// All bodies, ground first.
pub(super) fn bodies(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Body>> {
    let mut bodies = vec![Some(ground(b))];
    bodies.extend(b.each(&document.parts.0, |b, data, at| Some(part(b, data, at))));
    bodies.extend(b.each(&document.point_masses.0, |b, data, at| {
        Some(point_mass(b, data, at))
    }));
    bodies.extend(b.each(&document.flexible_bodies.0, flexible::flexible_body));
    bodies
}

/// A zero that no one reads.
fn unused(b: &mut Builder<'_>, at: &At) -> ValueId {
    b.optional(None, Dimension::Mass, ValueRule::Finite, at)
}

fn ground(b: &mut Builder<'_>) -> Body {
    let zero = unused(b, &At::default().named("part", Some(GROUND)));
    Body {
        name: GROUND.to_owned(),
        kind: BodyKind::Ground,
        mass: zero,
        inertia: [zero; 6],
        center_of_mass: Vec3::zeros(),
        position: Vec3::zeros(),
        orientation: Mat3::identity(),
        exact: [false; 6],
        weight: 1.0,
        velocity: Some(Vec3::zeros()),
        angular_velocity: Some(Vec3::zeros()),
        flexible: None,
    }
}

fn part(b: &mut Builder<'_>, data: &Part, at: &At) -> Body {
    let mass = b.number(
        &data.mass,
        Dimension::Mass,
        ValueRule::Positive,
        &at.field("mass"),
    );
    let (exact, weight) = assembly(b, data.assembly.as_ref(), true, &at.field("assembly"));
    let inertia = inertia_values(b, &data.inertia, &at.field("inertia"));
    let id = id(b, &data.name);
    let (position, orientation) = pose(
        b,
        id,
        (data.position.as_ref(), data.orientation.as_ref()),
        at,
    );
    let center = at.field("center_of_mass");
    let center = b.measures(data.center_of_mass.as_ref(), Dimension::Length, &center);
    Body {
        name: data.name.clone(),
        kind: BodyKind::Rigid,
        mass,
        inertia,
        center_of_mass: b.put3(center, |k| Place::Body(id, BodyNumber::CenterOfMass(k))),
        position,
        orientation,
        exact,
        weight,
        velocity: velocity(b, id, data.velocity.as_ref(), at),
        angular_velocity: spin(b, id, data.angular_velocity.as_ref(), at),
        flexible: None,
    }
}

/// The body of a name, which is that of the place where it is read unless there are two.
pub(super) fn id(b: &Builder<'_>, name: &str) -> BodyId {
    b.names.bodies.get(name).unwrap_or(BodyId::GROUND)
}

/// Position and axes of a body in ground.
pub(super) fn pose(
    b: &mut Builder<'_>,
    id: BodyId,
    (position, orientation): (Option<&[Number; 3]>, Option<&Orientation>),
    at: &At,
) -> (Vec3, Mat3) {
    let origin = b.measures(position, Dimension::Length, &at.field("position"));
    let axes = b.axes(orientation, &origin, &at.field("orientation"), |i, k| {
        Place::Body(id, BodyNumber::Orientation(i, k))
    });
    let position = b.put3(origin, |k| Place::Body(id, BodyNumber::Position(k)));
    (position, axes)
}

/// Exact coordinates and weight of a body; a point mass does not turn.
pub(super) fn assembly(
    b: &mut Builder<'_>,
    given: Option<&Assembly>,
    turns: bool,
    at: &At,
) -> ([bool; 6], f64) {
    let mut exact = [false; 6];
    let Some(given) = given else {
        return (exact, 1.0);
    };
    for coordinate in given.exact.iter().flatten() {
        if *coordinate as usize >= 3 && !turns {
            let message = format!(
                "a point mass has no rotation {}; valid: \"x\", \"y\", \"z\"",
                quote(coordinate.word())
            );
            b.report.add(&at.field("exact"), message);
        }
        exact[*coordinate as usize] = true;
    }
    let weight = given.weight.unwrap_or(1.0);
    if !(1e-6..=1e6).contains(&weight) {
        let message = format!("must be from 1e-6 to 1e6; found {weight}");
        b.report.add(&at.field("weight"), message);
    }
    (exact, weight)
}

/// The initial velocity of a body.
pub(super) fn velocity(
    b: &mut Builder<'_>,
    id: BodyId,
    given: Option<&[Number; 3]>,
    at: &At,
) -> Option<Vec3> {
    let v = b.measures(Some(given?), Dimension::Velocity, &at.field("velocity"));
    Some(b.put3(v, |k| Place::Body(id, BodyNumber::Velocity(k))))
}

/// The initial angular velocity of a body.
pub(super) fn spin(
    b: &mut Builder<'_>,
    id: BodyId,
    given: Option<&[Number; 3]>,
    at: &At,
) -> Option<Vec3> {
    let at = at.field("angular_velocity");
    let w = b.measures(Some(given?), Dimension::AngularVelocity, &at);
    Some(b.put3(w, |k| Place::Body(id, BodyNumber::AngularVelocity(k))))
}

fn inertia_values(b: &mut Builder<'_>, data: &Inertia, at: &At) -> [ValueId; 6] {
    let fields: [(&str, Option<&Number>, ValueRule); 6] = [
        ("xx", Some(&data.xx), ValueRule::Positive),
        ("yy", Some(&data.yy), ValueRule::Positive),
        ("zz", Some(&data.zz), ValueRule::Positive),
        ("xy", data.xy.as_ref(), ValueRule::Finite),
        ("xz", data.xz.as_ref(), ValueRule::Finite),
        ("yz", data.yz.as_ref(), ValueRule::Finite),
    ];
    let ids = fields
        .map(|(name, number, rule)| b.optional(number, Dimension::Inertia, rule, &at.field(name)));
    let factor = b.units.to_si(Dimension::Inertia);
    let starts: Option<Vec<f64>> = ids.iter().map(|id| b.start_of(*id)).collect();
    if let Some(&[xx, yy, zz, xy, xz, yz]) = starts.as_deref()
        // Negative moments have been reported already.
        && xx.min(yy).min(zz) > 0.0
        && let Some(fault) = inertia::fault([xx, yy, zz, xy, xz, yz].map(|v| v / factor))
    {
        b.report.add(at, fault);
    }
    ids
}

fn point_mass(b: &mut Builder<'_>, data: &PointMass, at: &At) -> Body {
    let mass = b.number(
        &data.mass,
        Dimension::Mass,
        ValueRule::Positive,
        &at.field("mass"),
    );
    let zero = unused(b, &at.field("inertia"));
    let (exact, weight) = assembly(b, data.assembly.as_ref(), false, &at.field("assembly"));
    let id = id(b, &data.name);
    Body {
        name: data.name.clone(),
        kind: BodyKind::Point,
        mass,
        inertia: [zero; 6],
        center_of_mass: Vec3::zeros(),
        position: pose(b, id, (data.position.as_ref(), None), at).0,
        orientation: Mat3::identity(),
        exact,
        weight,
        velocity: velocity(b, id, data.velocity.as_ref(), at),
        angular_velocity: None,
        flexible: None,
    }
}

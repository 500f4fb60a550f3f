//! Control plane: checks the parts and point masses of a model and converts them to bodies of the mechanism.

use super::builder::Builder;
use super::{flexible, solids};
use crate::errors::{At, quote};
use crate::names::GROUND;
use crate::schema::{Assembly, Document, Inertia, Number, Part, PointMass};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{BodyId, ValueId};
use fixstep_kernel::math::{Mat3, Vec3, inertia};
use fixstep_kernel::mechanism::{Body, BodyKind, BodyNumber, Construction, Place, ValueRule};

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
    let own = b.own_body(BodyKind::Rigid);
    let orientation = b.axes(
        data.orientation.as_ref(),
        data.position.as_ref(),
        |form| Construction::BodyAxes(own, form),
        at,
    );
    let masses = masses(b, data, at);
    let (exact, weight) = assembly(b, data.assembly.as_ref(), true, &at.field("assembly"));
    Body {
        name: data.name.clone(),
        kind: BodyKind::Rigid,
        mass: masses.mass,
        inertia: masses.inertia,
        center_of_mass: masses.center,
        position: position(b, data.position.as_ref(), own, at),
        orientation,
        exact,
        weight,
        velocity: velocity(b, data.velocity.as_ref(), own, at),
        angular_velocity: spin(b, data.angular_velocity.as_ref(), own, at),
        flexible: None,
    }
}

/// Mass, centre of mass and inertia of a body.
pub(super) struct Masses {
    /// Mass.
    pub(super) mass: ValueId,
    /// Centre of mass \[m\].
    pub(super) center: Vec3,
    /// Inertia.
    pub(super) inertia: [ValueId; 6],
}

fn masses(b: &mut Builder<'_>, data: &Part, at: &At) -> Masses {
    let own = b.own_body(BodyKind::Rigid);
    if let Some(solids) = &data.solids {
        for (field, given) in [
            ("center_of_mass", data.center_of_mass.is_some()),
            ("inertia", data.inertia.is_some()),
        ] {
            if given {
                let message = "follows from \"solids\": leave out one of the two";
                b.report.add(&at.field(field), message);
            }
        }
        return solids::masses(b, solids, data.mass.as_ref(), at);
    }
    // It may be there under a wrong name.
    let known = b.report.knows(at);
    for (field, with, missing) in [
        ("mass", "", data.mass.is_none()),
        ("inertia", " with xx, yy, zz", data.inertia.is_none()),
    ] {
        if missing && !known {
            let message = format!(
                "the field {} is missing; give it{with}, or \"solids\" from which it follows",
                quote(field)
            );
            b.report.add(at, message);
        }
    }
    let one = Number::Constant(1.0);
    let mass = data.mass.as_ref().unwrap_or(&one);
    let mass = b.number(
        mass,
        Dimension::Mass,
        ValueRule::Positive,
        &at.field("mass"),
    );
    let inertia = match &data.inertia {
        Some(inertia) => inertia_values(b, inertia, &at.field("inertia")),
        None => [unused(b, at); 6],
    };
    let center = b.placed3(
        data.center_of_mass.as_ref(),
        Dimension::Length,
        |axis| Place::Body(own, BodyNumber::CenterOfMass(axis)),
        &at.field("center_of_mass"),
    );
    Masses {
        mass,
        center,
        inertia,
    }
}

pub(super) fn position(
    b: &mut Builder<'_>,
    given: Option<&[Number; 3]>,
    own: BodyId,
    at: &At,
) -> Vec3 {
    let place = |axis| Place::Body(own, BodyNumber::Position(axis));
    b.placed3(given, Dimension::Length, place, &at.field("position"))
}

pub(super) fn spin(
    b: &mut Builder<'_>,
    given: Option<&[Number; 3]>,
    own: BodyId,
    at: &At,
) -> Option<Vec3> {
    let place = |axis| Place::Body(own, BodyNumber::AngularVelocity(axis));
    let at = at.field("angular_velocity");
    given.map(|w| b.placed3(Some(w), Dimension::AngularVelocity, place, &at))
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

pub(super) fn velocity(
    b: &mut Builder<'_>,
    given: Option<&[Number; 3]>,
    own: BodyId,
    at: &At,
) -> Option<Vec3> {
    let place = |axis| Place::Body(own, BodyNumber::Velocity(axis));
    let at = at.field("velocity");
    given.map(|v| b.placed3(Some(v), Dimension::Velocity, place, &at))
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
        b.report.add(at, fault.to_string());
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
    let own = b.own_body(BodyKind::Point);
    let zero = unused(b, &at.field("inertia"));
    let (exact, weight) = assembly(b, data.assembly.as_ref(), false, &at.field("assembly"));
    Body {
        name: data.name.clone(),
        kind: BodyKind::Point,
        mass,
        inertia: [zero; 6],
        center_of_mass: Vec3::zeros(),
        position: position(b, data.position.as_ref(), own, at),
        orientation: Mat3::identity(),
        exact,
        weight,
        velocity: velocity(b, data.velocity.as_ref(), own, at),
        angular_velocity: None,
        flexible: None,
    }
}

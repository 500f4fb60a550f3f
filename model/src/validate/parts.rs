//! Control plane: checks the parts and point masses of a model and converts them to bodies of the mechanism.

use super::builder::Builder;
use super::{flexible, inertia};
use crate::errors::{At, quote};
use crate::frames;
use crate::names::GROUND;
use crate::schema::{Assembly, Document, Inertia, Number, Part, PointMass};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::ValueId;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{Body, BodyKind, ValueRule};

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
    let orientation = frames::axes(
        data.orientation.as_ref(),
        data.position.unwrap_or_default(),
        b.units.angle.factor,
        &at.field("orientation"),
        b.report,
    );
    let (exact, weight) = assembly(b, data.assembly.as_ref(), true, &at.field("assembly"));
    let spin = at.field("angular_velocity");
    Body {
        name: data.name.clone(),
        kind: BodyKind::Rigid,
        mass,
        inertia: inertia_values(b, &data.inertia, &at.field("inertia")),
        center_of_mass: b.si3(
            data.center_of_mass,
            Dimension::Length,
            &at.field("center_of_mass"),
        ),
        position: b.si3(data.position, Dimension::Length, &at.field("position")),
        orientation,
        exact,
        weight,
        velocity: velocity(b, data.velocity, at),
        angular_velocity: data
            .angular_velocity
            .map(|w| b.si3(Some(w), Dimension::AngularVelocity, &spin)),
        flexible: None,
    }
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

pub(super) fn velocity(b: &mut Builder<'_>, given: Option<[f64; 3]>, at: &At) -> Option<Vec3> {
    given.map(|v| b.si3(Some(v), Dimension::Velocity, &at.field("velocity")))
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
    Body {
        name: data.name.clone(),
        kind: BodyKind::Point,
        mass,
        inertia: [zero; 6],
        center_of_mass: Vec3::zeros(),
        position: b.si3(data.position, Dimension::Length, &at.field("position")),
        orientation: Mat3::identity(),
        exact,
        weight,
        velocity: velocity(b, data.velocity, at),
        angular_velocity: None,
        flexible: None,
    }
}

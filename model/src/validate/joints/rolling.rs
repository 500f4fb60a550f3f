//! Control plane: checks the joints that roll, and knife edges.

use super::super::builder::Builder;
use super::size;
use crate::errors::{At, quote};
use crate::schema::{Joint, Number};
use crate::units::Dimension;
use fixstep_kernel::ids::{JointId, MarkerId};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{JointKind, JointNumber, Place};

/// Sine of the angle between the axis of a wheel and the normal of its plane below which the wheel lies flat.
const FLAT: f64 = 1e-3;

/// The joint; `None` if it was refused.
pub(super) fn kind(
    b: &mut Builder<'_>,
    data: &Joint,
    ends: Option<(MarkerId, MarkerId)>,
    at: &At,
) -> Option<JointKind> {
    let kind = match data {
        Joint::RollingWheel(x) => {
            let radius = positive(b, &x.radius, &at.field("radius"));
            let crown = crown(
                b,
                x.crown_radius.as_ref(),
                radius,
                &at.field("crown_radius"),
            );
            JointKind::RollingWheel { radius, crown }
        }
        Joint::RollingBall(x) => JointKind::RollingBall {
            radius: positive(b, &x.radius, &at.field("radius")),
        },
        _ => JointKind::KnifeEdge,
    };
    let (i, j) = ends?;
    for (field, marker) in [("i", i), ("j", j)] {
        refuse_flexible(b, marker, &at.field(field));
    }
    let JointKind::KnifeEdge = kind else {
        refuse_below(b, &kind, (i, j), at);
        return Some(kind);
    };
    Some(kind)
}

fn positive(b: &mut Builder<'_>, number: &Number, at: &At) -> f64 {
    let value = size(b, number, at);
    if value <= 0.0 {
        let found = value / b.units.length.factor;
        b.report
            .add(at, format!("must be more than zero, found {found}"));
    }
    value
}

fn crown(b: &mut Builder<'_>, given: Option<&Number>, radius: f64, at: &At) -> f64 {
    let Some(number) = given else { return 0.0 };
    let place = Place::Joint(JointId::from(b.item), JointNumber::Crown);
    let value = b.placed(number, Dimension::Length, place, at);
    if value < 0.0 || value > radius {
        let [value, radius] = [value, radius].map(|x| x / b.units.length.factor);
        let message = format!(
            "the radius of the tread across the wheel is {value}; valid: from 0 (a thin disc) to the \"radius\" {radius} (a ball)"
        );
        b.report.add(at, message);
    }
    value
}

fn refuse_flexible(b: &mut Builder<'_>, marker: MarkerId, at: &At) {
    let body = b
        .body_of(marker)
        .and_then(|body| b.bodies[body.index()].as_ref());
    let Some(body) = body.filter(|body| body.flexible.is_some()) else {
        return;
    };
    let message = format!(
        "the body {} is flexible, and this type needs rigid ones; put the marker on a part that is joined to the body",
        quote(&body.name)
    );
    b.report.add(at, message);
}

/// Refuses a wheel that lies flat, and a wheel or ball whose centre is below the plane.
fn refuse_below(
    b: &mut Builder<'_>,
    kind: &JointKind,
    (i, j): (MarkerId, MarkerId),
    at: &At,
) -> Option<()> {
    let (axis, normal) = (z_axis(b, i)?, z_axis(b, j)?);
    let sine = axis.cross(&normal).norm();
    if matches!(kind, JointKind::RollingWheel { .. }) && sine < FLAT {
        let message = "the wheel lies flat: its axis, z of I, is parallel to the normal of the plane, z of J; turn one of \
                       the markers";
        b.report.add(at, message);
    }
    let height = (b.place_of(i)? - b.place_of(j)?).dot(&normal);
    if height < 0.0 {
        let message = "the centre, the origin of I, is below the plane, whose upper side is that of z of J; turn J over, or \
                       move I";
        b.report.add(at, message);
    }
    Some(())
}

/// z of a marker in ground axes, as the file places it.
fn z_axis(b: &Builder<'_>, marker: MarkerId) -> Option<Vec3> {
    let marker = b.markers.get(marker.index())?.as_ref()?;
    let body = b.bodies.get(marker.body.index())?.as_ref()?;
    Some(body.orientation * marker.orientation * Vec3::z())
}

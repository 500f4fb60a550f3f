//! Control plane: checks the joints and joint primitives of a model and converts them to those of the mechanism.

mod rolling;

use super::builder::Builder;
use crate::errors::{At, quote};
use crate::schema::{
    self, Document, InitialCylindrical, InitialRotation, InitialTranslation, Number,
};
use crate::units::Dimension;
use fixstep_kernel::elements::joints;
use fixstep_kernel::ids::{CurveId, JointId, MarkerId};
use fixstep_kernel::mechanism::{Joint, JointKind, JointNumber, Place};

/// All joints.
pub(super) fn joints(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Joint>> {
    b.each(&document.joints.0, joint)
}

/// The fields that all types share.
struct Common<'a> {
    name: &'a str,
    i: &'a str,
    j: &'a str,
    initial: InitialCylindrical,
}

/// The fields that all joint types share.
macro_rules! common {
    ($data:expr, $initial:expr) => {
        Common {
            name: &$data.name,
            i: &$data.i,
            j: &$data.j,
            initial: $initial,
        }
    };
}

const NOTHING: InitialCylindrical = InitialCylindrical {
    displacement: None,
    velocity: None,
    angle: None,
    angular_velocity: None,
};

fn rotation(initial: Option<&InitialRotation>) -> InitialCylindrical {
    InitialCylindrical {
        angle: initial.and_then(|x| x.angle.clone()),
        angular_velocity: initial.and_then(|x| x.angular_velocity.clone()),
        ..NOTHING
    }
}

fn translation(initial: Option<&InitialTranslation>) -> InitialCylindrical {
    InitialCylindrical {
        displacement: initial.and_then(|x| x.displacement.clone()),
        velocity: initial.and_then(|x| x.velocity.clone()),
        ..NOTHING
    }
}

fn common(data: &schema::Joint) -> Common<'_> {
    use schema::Joint as S;
    match data {
        S::Fixed(x)
        | S::Spherical(x)
        | S::Planar(x)
        | S::PinSlot(x)
        | S::Universal(x)
        | S::Hooke(x)
        | S::ConstantVelocity(x)
        | S::AtPoint(x)
        | S::InLine(x)
        | S::InPlane(x)
        | S::Orientation(x)
        | S::ParallelAxes(x)
        | S::Perpendicular(x)
        | S::KnifeEdge(x) => common!(x, NOTHING),
        S::Revolute(x) => common!(x, rotation(x.initial.as_ref())),
        S::Translational(x) => common!(x, translation(x.initial.as_ref())),
        S::Cylindrical(x) => common!(x, x.initial.clone().unwrap_or(NOTHING)),
        S::Screw(x) => common!(x, x.initial.clone().unwrap_or(NOTHING)),
        S::RackAndPinion(x) => common!(x, NOTHING),
        S::Distance(x) => common!(x, NOTHING),
        S::PointOnCurve(x) => common!(x, NOTHING),
        S::CurveOnCurve(x) => common!(x, NOTHING),
        S::RollingWheel(x) => common!(x, NOTHING),
        S::RollingBall(x) => common!(x, NOTHING),
    }
}

fn joint(b: &mut Builder<'_>, data: &schema::Joint, at: &At) -> Option<Joint> {
    let common = common(data);
    let ends = b.two_bodies(common.i, common.j, at);
    let kind = kind(b, data, ends, at);
    let (i, j) = ends?;
    let kind = kind?;
    if joints::holds_rotation(&kind) {
        let what = "this type constrains rotation; valid: spherical, at_point, in_line, in_plane, \
                    distance, point_on_curve";
        b.refuse_point_masses(&[("i", i), ("j", j)], what, at);
    }
    let start = at.field("initial");
    let x = &common.initial;
    let turns = x.angle.is_some() || x.angular_velocity.is_some();
    let slides = x.displacement.is_some() || x.velocity.is_some();
    if matches!(kind, JointKind::Screw { .. }) && turns && slides {
        b.report.add(
            &start,
            "the pitch couples rotation and translation: give \"angle\" and \"angular_velocity\", \
             or \"displacement\" and \"velocity\"",
        );
    }
    let id = id(b, common.name);
    let mut si = |value: Option<&Number>, dimension, (field, number): (&str, JointNumber)| {
        let measure = b.measure(value?, dimension, &start.field(field));
        Some(b.put(measure, Place::Joint(id, number)))
    };
    Some(Joint {
        name: common.name.to_owned(),
        kind,
        i,
        j,
        initial_displacement: si(
            x.displacement.as_ref(),
            Dimension::Length,
            ("displacement", JointNumber::InitialDisplacement),
        ),
        initial_velocity: si(
            x.velocity.as_ref(),
            Dimension::Velocity,
            ("velocity", JointNumber::InitialVelocity),
        ),
        initial_angle: si(
            x.angle.as_ref(),
            Dimension::Angle,
            ("angle", JointNumber::InitialAngle),
        ),
        initial_angular_velocity: si(
            x.angular_velocity.as_ref(),
            Dimension::AngularVelocity,
            ("angular_velocity", JointNumber::InitialAngularVelocity),
        ),
    })
}

/// The joint of a name, which is that of the place where it is read unless there are two.
fn id(b: &Builder<'_>, name: &str) -> JointId {
    b.names.joints.get(name).unwrap_or(JointId(0))
}

fn kind(
    b: &mut Builder<'_>,
    data: &schema::Joint,
    ends: Option<(MarkerId, MarkerId)>,
    at: &At,
) -> Option<JointKind> {
    use schema::Joint as S;
    Some(match data {
        S::Fixed(_) => JointKind::Fixed,
        S::Revolute(_) => JointKind::Revolute,
        S::Translational(_) => JointKind::Translational,
        S::Cylindrical(_) => JointKind::Cylindrical,
        S::Spherical(_) => JointKind::Spherical,
        S::Planar(_) => JointKind::Planar,
        S::PinSlot(_) => JointKind::PinSlot,
        S::Universal(_) | S::Hooke(_) => JointKind::Universal,
        S::ConstantVelocity(_) => JointKind::ConstantVelocity,
        S::Screw(x) => JointKind::Screw {
            pitch: nonzero(b, (&x.name, &x.pitch), &at.field("pitch")),
        },
        S::RackAndPinion(x) => JointKind::RackAndPinion {
            diameter: nonzero(b, (&x.name, &x.diameter), &at.field("diameter")),
        },
        S::AtPoint(_) => JointKind::AtPoint,
        S::InLine(_) => JointKind::InLine,
        S::InPlane(_) => JointKind::InPlane,
        S::Orientation(_) => JointKind::Orientation,
        S::ParallelAxes(_) => JointKind::ParallelAxes,
        S::Perpendicular(_) => JointKind::Perpendicular,
        S::Distance(x) => JointKind::Distance {
            length: distance(b, x, ends, at)?,
        },
        S::PointOnCurve(x) => JointKind::PointOnCurve {
            curve: curve(b, &x.curve, false, &at.field("curve"))?,
        },
        S::CurveOnCurve(x) => {
            let one = curve(b, &x.curve_i, true, &at.field("curve_i"));
            let other = curve(b, &x.curve_j, true, &at.field("curve_j"));
            JointKind::CurveOnCurve {
                curves: [one?, other?],
            }
        }
        S::RollingWheel(_) | S::RollingBall(_) | S::KnifeEdge(_) => {
            return rolling::kind(b, data, ends, at);
        }
    })
}

fn nonzero(b: &mut Builder<'_>, (name, value): (&str, &Number), at: &At) -> f64 {
    let size = b.measure(value, Dimension::Length, at);
    if size.given == 0.0 {
        b.report.add(at, "must not be zero");
    }
    b.put(size, Place::Joint(id(b, name), JointNumber::Size))
}

/// The constant distance: as given, or as the file places the markers.
fn distance(
    b: &mut Builder<'_>,
    data: &schema::DistanceJoint,
    ends: Option<(MarkerId, MarkerId)>,
    at: &At,
) -> Option<f64> {
    let field = at.field("length");
    let place = Place::Joint(id(b, &data.name), JointNumber::Size);
    if let Some(length) = &data.length {
        let length = b.measure(length, Dimension::Length, &field);
        if length.given <= 0.0 {
            let message = format!(
                "must be more than zero, found {}; to make two points coincide use \
                 \"at_point\"",
                length.given
            );
            b.report.add(&field, message);
        }
        return Some(b.put(length, place));
    }
    let (i, j) = ends?;
    let length = (b.place_of(i)? - b.place_of(j)?).norm();
    if length == 0.0 {
        b.report.add(
            &field,
            "the markers coincide, so the distance between them is zero; give a \"length\", or \
             use \"at_point\"",
        );
    }
    if b.follow_parameters(&[i, j]) {
        b.put_distance([i, j], place, &field);
    }
    Some(length)
}

/// A curve by name.
fn curve(b: &mut Builder<'_>, name: &str, planar: bool, at: &At) -> Option<CurveId> {
    let id = match b.names.curves.find(name) {
        Ok(id) => id,
        Err(message) => {
            b.report.add(at, message);
            return None;
        }
    };
    let curve = b.curves.get(id.index())?.as_ref()?;
    if planar && !curve.is_planar() {
        let message = format!(
            "the curve {} leaves the xy plane; two curves touch in the plane only: make z zero",
            quote(name)
        );
        b.report.add(at, message);
        return None;
    }
    Some(id)
}

//! Control plane: checks the joint drives of a model and converts them to those of the mechanism.

use super::builder::Builder;
use super::motions::joint_coordinate;
use crate::errors::At;
use crate::resolve::Scope;
use crate::schema::{DriveStops, Expression, JointDrive, Number};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::ValueId;
use fixstep_kernel::mechanism::{
    self, DriveLimits, ForceKind, MotionCoordinate, ScaledExpr, ValueRule,
};

const SOME: ValueRule = ValueRule::NonNegative;
const POSITIVE: ValueRule = ValueRule::Positive;
const ONE: Number = Number::Constant(1.0);

/// The dimensions of a drive's numbers, for rotation or translation.
struct Dimensions {
    place: Dimension,
    speed: Dimension,
    effort: Dimension,
    proportional: Dimension,
    derivative: Dimension,
}

impl Dimensions {
    fn new(turns: bool) -> Self {
        if turns {
            Self {
                place: Dimension::Angle,
                speed: Dimension::AngularVelocity,
                effort: Dimension::Torque,
                proportional: Dimension::TorsionalStiffness,
                derivative: Dimension::TorsionalDamping,
            }
        } else {
            Self {
                place: Dimension::Length,
                speed: Dimension::Velocity,
                effort: Dimension::Force,
                proportional: Dimension::Stiffness,
                derivative: Dimension::Damping,
            }
        }
    }
}

/// The drive of a joint.
pub(super) fn drive(b: &mut Builder<'_>, data: &JointDrive, at: &At) -> Option<ForceKind> {
    // A wrong name of the joint is reported with its markers.
    b.names.joints.get(&data.joint)?;
    let (_, coordinate) = joint_coordinate(b, (&data.joint, data.direction), at)?;
    let turns = coordinate == MotionCoordinate::RotationZ;
    let dimensions = Dimensions::new(turns);
    check_fields(b, data, at);
    let terms = terms(b, data, turns, at)?;
    let mut number = |field: &str, given: Option<&Number>, dimension, rule| {
        let zero = Number::Constant(if rule == POSITIVE { 1.0 } else { 0.0 });
        b.number(given.unwrap_or(&zero), dimension, rule, &at.field(field))
    };
    let d = &dimensions;
    let gains = [
        number(
            "proportional",
            data.proportional.as_ref(),
            d.proportional,
            SOME,
        ),
        number("derivative", data.derivative.as_ref(), d.derivative, SOME),
        number(
            "effort_limit",
            data.effort_limit.as_ref(),
            d.effort,
            POSITIVE,
        ),
        number("speed_limit", data.speed_limit.as_ref(), d.speed, POSITIVE),
    ];
    let ends = stops(b, data.stops.as_ref(), d, &at.field("stops"));
    let [kp, kd, effort, speed] = gains;
    let [lower, upper, stiffness, unit, exponent, damping, depth] = ends;
    Some(ForceKind::JointDrive(Box::new(mechanism::JointDrive {
        turns,
        terms,
        limits: DriveLimits {
            effort: data.effort_limit.is_some(),
            speed: data.speed_limit.is_some(),
            stops: data.stops.is_some(),
        },
        numbers: [
            kp, kd, effort, speed, lower, upper, stiffness, unit, exponent, damping, depth,
        ],
    })))
}

/// Fields that need each other.
fn check_fields(b: &mut Builder<'_>, data: &JointDrive, at: &At) {
    let mut report = |field: &str, message: &str| b.report.add(&at.field(field), message);
    if data.position.is_some() && data.proportional.is_none() {
        report(
            "position",
            "a target of the position needs the gain \"proportional\"",
        );
    }
    if data.proportional.is_some() && data.position.is_none() {
        report("proportional", "this gain needs a target: \"position\"");
    }
    if data.derivative.is_none() {
        if data.velocity.is_some() {
            report(
                "velocity",
                "a target of the rate needs the gain \"derivative\"",
            );
        }
        if data.speed_limit.is_some() {
            report(
                "speed_limit",
                "a limit of the speed needs the gain \"derivative\", which holds it",
            );
        }
    }
    let idle = data.position.is_none() && data.derivative.is_none();
    if idle && data.feed_forward.is_none() && data.stops.is_none() {
        let message = "the drive does nothing; give \"position\" with \"proportional\", \"velocity\" with \
                       \"derivative\", \"feed_forward\" or \"stops\"";
        b.report.add(at, message);
    }
}

/// q*, q̇*, u_f; `None` if one of them has an error.
fn terms(
    b: &mut Builder<'_>,
    data: &JointDrive,
    turns: bool,
    at: &At,
) -> Option<[Option<ScaledExpr>; 3]> {
    let place = if turns { 1.0 } else { b.units.length.factor };
    let time = b.units.time.factor;
    let effort = b.units.to_si(Dimensions::new(turns).effort);
    let mut term = |field: &str, given: Option<&Expression>, to_si: f64| match given {
        None => Some(None),
        Some(given) => b
            .scaled(given, to_si, Scope::All, &at.field(field))
            .map(Some),
    };
    let position = term("position", data.position.as_ref(), place);
    let velocity = term("velocity", data.velocity.as_ref(), place / time);
    let feed = term("feed_forward", data.feed_forward.as_ref(), effort);
    Some([position?, velocity?, feed?])
}

/// Ends and law of the stops.
fn stops(b: &mut Builder<'_>, data: Option<&DriveStops>, d: &Dimensions, at: &At) -> [ValueId; 7] {
    let (any, zero, power) = (
        ValueRule::Finite,
        Number::Constant(0.0),
        Number::Constant(1.5),
    );
    let [lower, upper, stiffness, exponent, damping, depth] = match data {
        None => [&zero, &ONE, &zero, &power, &zero, &ONE],
        Some(x) => [
            &x.lower,
            &x.upper,
            &x.stiffness,
            x.exponent.as_ref().unwrap_or(&power),
            x.damping.as_ref().unwrap_or(&zero),
            &x.depth,
        ],
    };
    let (at_upper, at_exponent) = (at.field("upper"), at.field("exponent"));
    let numbers = [
        b.number(lower, d.place, any, &at.field("lower")),
        b.number(upper, d.place, any, &at_upper),
        b.number(stiffness, d.effort, SOME, &at.field("stiffness")),
        b.number(&ONE, d.place, POSITIVE, at),
        b.number(exponent, Dimension::One, POSITIVE, &at_exponent),
        b.number(damping, d.derivative, SOME, &at.field("damping")),
        b.number(depth, d.place, POSITIVE, &at.field("depth")),
    ];
    if let (Some(low), Some(high)) = (b.start_of(numbers[0]), b.start_of(numbers[1]))
        && high <= low
    {
        b.report.add(&at_upper, "must be more than lower");
    }
    if let Some(e) = b.start_of(numbers[4])
        && e < 1.0
        && e > 0.0
    {
        let message = format!(
            "must be 1 or more, else the stop is infinitely stiff where it begins; found {e}"
        );
        b.report.add(&at_exponent, message);
    }
    numbers
}

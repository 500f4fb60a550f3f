//! Control plane: defines each kind of joint as a table of constraint rows.

use crate::elements::angle::AngleDefinition;
use crate::elements::constraints::rolling::{Rolling, Torus};
use crate::elements::constraints::{Mixed, RowKind};
use crate::mechanism::{CouplerLeg, JointKind, MotionCoordinate};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

const X: u8 = 0;
const Y: u8 = 1;
const Z: u8 = 2;

/// Coincident origins, in J's axes (which rotate with the mechanism, so that a redundant direction stays redundant).
const POINT: [RowKind; 3] = [RowKind::Dot2(X), RowKind::Dot2(Y), RowKind::Dot2(Z)];
/// z axes parallel.
const PARALLEL: [RowKind; 2] = [RowKind::Dot1(Z, X), RowKind::Dot1(Z, Y)];
/// Equal orientation.
const ORIENTATION: [RowKind; 3] = [
    RowKind::Dot1(Z, X),
    RowKind::Dot1(Z, Y),
    RowKind::Dot1(X, Y),
];
/// Origin of I on J's z axis.
const ON_LINE: [RowKind; 2] = [RowKind::Dot2(X), RowKind::Dot2(Y)];

/// Number of rows of a joint kind that are evaluated on its curves.
pub fn curve_rows(kind: &JointKind) -> usize {
    match kind {
        JointKind::PointOnCurve { .. } => 2,
        JointKind::CurveOnCurve { .. } => 1,
        _ => 0,
    }
}

/// The rows of a joint kind that are functions of its markers.
pub fn rows(kind: &JointKind) -> Vec<RowKind> {
    let join = |a: &[RowKind], b: &[RowKind]| [a, b].concat();
    match kind {
        JointKind::Fixed => join(&POINT, &ORIENTATION),
        JointKind::Revolute => join(&POINT, &PARALLEL),
        JointKind::Translational => join(&ON_LINE, &ORIENTATION),
        JointKind::Cylindrical => join(&ON_LINE, &PARALLEL),
        JointKind::Spherical | JointKind::AtPoint => POINT.to_vec(),
        JointKind::Planar => join(&[RowKind::Dot2(Z)], &PARALLEL),
        JointKind::PinSlot => join(&[RowKind::Dot2(Y), RowKind::Dot2(Z)], &PARALLEL),
        JointKind::Universal => join(&POINT, &[RowKind::Dot1(X, Y)]),
        JointKind::ConstantVelocity => join(&POINT, &[RowKind::EqualSpin]),
        JointKind::Screw { pitch } => join(
            &join(&ON_LINE, &PARALLEL),
            &[RowKind::Mixed(Mixed::screw(
                AngleDefinition::Z,
                pitch / core::f64::consts::TAU,
            ))],
        ),
        JointKind::RackAndPinion { diameter } => {
            let pinion = Mixed::screw(AngleDefinition::PINION, 0.5 * diameter);
            vec![RowKind::Mixed(pinion)]
        }
        JointKind::InLine => ON_LINE.to_vec(),
        // For curves, the other row is found with their feet.
        JointKind::InPlane | JointKind::CurveOnCurve { .. } => vec![RowKind::Dot2(Z)],
        JointKind::PointOnCurve { .. } => Vec::new(),
        JointKind::Orientation => ORIENTATION.to_vec(),
        JointKind::ParallelAxes => PARALLEL.to_vec(),
        JointKind::Perpendicular => vec![RowKind::Dot1(Z, Z)],
        JointKind::Distance { length } => vec![RowKind::Distance(*length)],
        JointKind::RollingWheel { radius, crown } => {
            let torus = Torus {
                rim: radius - crown,
                crown: *crown,
            };
            rolling(&[
                Rolling::Touch(torus),
                Rolling::Along(torus),
                Rolling::Across(torus),
            ])
        }
        JointKind::RollingBall { radius } => {
            let slip = |axis| Rolling::Ball {
                radius: *radius,
                axis,
            };
            rolling(&[Rolling::Rest(*radius), slip(X), slip(Y)])
        }
        JointKind::KnifeEdge => rolling(&[Rolling::Edge]),
    }
}

fn rolling(rows: &[Rolling]) -> Vec<RowKind> {
    rows.iter().map(|row| RowKind::Rolling(*row)).collect()
}

/// How many equations a joint kind adds.
pub fn equations(kind: &JointKind) -> usize {
    rows(kind).len() + curve_rows(kind)
}

/// Does a joint kind hold rotations, for which both of its bodies need an orientation?
pub fn holds_rotation(kind: &JointKind) -> bool {
    let by_tangents = matches!(kind, JointKind::CurveOnCurve { .. });
    by_tangents || kind.rolls() || rows(kind).iter().any(is_angular)
}

/// The usual name of a joint kind.
pub fn name(kind: &JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed joint",
        JointKind::Revolute => "revolute joint",
        JointKind::Translational => "translational joint",
        JointKind::Cylindrical => "cylindrical joint",
        JointKind::Spherical => "spherical joint",
        JointKind::Planar => "planar joint",
        JointKind::PinSlot => "pin-slot joint",
        JointKind::Universal => "universal joint",
        JointKind::ConstantVelocity => "constant velocity joint",
        JointKind::Screw { .. } => "screw joint",
        JointKind::RackAndPinion { .. } => "rack and pinion",
        JointKind::AtPoint => "at-point primitive",
        JointKind::InLine => "in-line primitive",
        JointKind::InPlane => "in-plane primitive",
        JointKind::Orientation => "orientation primitive",
        JointKind::ParallelAxes => "parallel-axes primitive",
        JointKind::Perpendicular => "perpendicular primitive",
        JointKind::Distance { .. } => "distance primitive",
        JointKind::PointOnCurve { .. } => "point on curve",
        JointKind::CurveOnCurve { .. } => "curve on curve",
        JointKind::RollingWheel { .. } => "rolling wheel",
        JointKind::RollingBall { .. } => "rolling ball",
        JointKind::KnifeEdge => "knife edge",
    }
}

/// The row of one joint of a coupler, whose sum is an angle or a length.
pub fn coupled_row(leg: &CouplerLeg, angular: bool) -> RowKind {
    RowKind::Mixed(Mixed {
        angle: AngleDefinition::Z,
        slide: leg.slide,
        turn: leg.turn,
        angular,
    })
}

/// The row that a motion drives.
pub fn driven_row(coordinate: MotionCoordinate) -> RowKind {
    match coordinate {
        MotionCoordinate::Translation(axis) => RowKind::Dot2(axis),
        MotionCoordinate::RotationZ => RowKind::Angle(AngleDefinition::Z),
        MotionCoordinate::Body123(0) => RowKind::Angle(AngleDefinition::X),
        MotionCoordinate::Body123(1) => RowKind::SineDot(Z, X),
        MotionCoordinate::Body123(_) => RowKind::Angle(AngleDefinition::B3),
    }
}

/// What a row constrains, for messages: `translation x`, `z(I) against y(J)`.
pub fn row_label(row: &RowKind) -> String {
    const AXES: [&str; 3] = ["x", "y", "z"];
    let axis = |k: &u8| AXES[usize::from(*k).min(2)];
    match row {
        RowKind::Dot2(b) => format!("translation along {} of J", axis(b)),
        RowKind::Dot1(a, b) | RowKind::SineDot(a, b) => {
            format!("rotation, {} of I against {} of J", axis(a), axis(b))
        }
        RowKind::EqualSpin => "equal spin".to_owned(),
        RowKind::Distance(_) => "distance".to_owned(),
        RowKind::Angle(_) => "angle".to_owned(),
        RowKind::Mixed(_) => "coupled turn and advance".to_owned(),
        RowKind::Rolling(row) => match row {
            Rolling::Touch(_) | Rolling::Rest(_) => "contact with the plane".to_owned(),
            Rolling::Along(_) => "slip along the track".to_owned(),
            Rolling::Across(_) => "slip across the track".to_owned(),
            Rolling::Ball { axis: k, .. } => format!("slip along {} of J", axis(k)),
            Rolling::Edge => "velocity along z of I".to_owned(),
        },
    }
}

/// Is the row's violation an angle (in radians, or as its sine) rather than a length?
pub fn is_angular(row: &RowKind) -> bool {
    match row {
        RowKind::Mixed(mix) => mix.angular,
        _ => !matches!(
            row,
            RowKind::Dot2(_) | RowKind::Distance(_) | RowKind::Rolling(_)
        ),
    }
}

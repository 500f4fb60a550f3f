//! Control plane: finds angles of joints, motions and springs that look like degrees although the unit is the radian.

use super::{Subject, show};
use crate::expr::ops::{Binary, Operation};
use crate::expr::{Call, Program};
use crate::ids::{ExprId, LeafId};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{
    Finding, ForceKind, Leaf, LintRule, Motion, MotionCoordinate, MotionLevel, ValueSource,
};
use alloc::format;
use alloc::vec::Vec;
use core::f64::consts::{PI, TAU};

/// Degrees per radian: an expression that uses it converts units on purpose.
const TURN: f64 = 180.0 / PI;

const IN_FIELDS: &str = "give radians, or the unit deg for all angles of fields";
const IN_TEXT: &str = "write the number with D, as in 90D, if it is in degrees";

/// Checks all of them.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    if s.mechanism.units.angle.factor == 1.0 {
        fields(s, found);
    }
    for motion in s.mechanism.motions.iter().filter(|motion| turns(motion)) {
        if motion.level == MotionLevel::Displacement {
            let place = ("motion", motion.name.as_str(), "displacement");
            function(s, place, motion.function.expr, found);
        }
    }
    for force in &s.mechanism.forces {
        if let ForceKind::JointDrive(drive) = &force.kind
            && drive.turns
            && let Some(target) = &drive.terms[0]
        {
            let place = ("force", force.name.as_str(), "position");
            function(s, place, target.expr, found);
        }
    }
}

/// Does a motion drive an angle?
fn turns(motion: &Motion) -> bool {
    match motion.coordinate {
        MotionCoordinate::RotationZ | MotionCoordinate::Body123(_) => true,
        MotionCoordinate::Translation(_) => false,
    }
}

/// Is it a multiple of an eighth of a turn, such as 4π?
fn is_eighths(angle: f64) -> bool {
    let eighths = 8.0 * angle / TAU;
    (eighths - eighths.round()).abs() < 1e-3
}

/// Is it a whole number greater than a full turn?
fn is_beyond_a_turn(angle: f64) -> bool {
    angle.abs() > TAU && angle.fract() == 0.0
}

/// Checks angles in fields, whose unit is the radian.
fn fields(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut judge = |place: (&str, &str, &str), angle: f64| {
        if angle.abs() > TAU && !is_eighths(angle) {
            found.push(Finding::new(
                LintRule::DegreesAsRadians,
                place,
                format!(
                    "the unit of angles is rad, and {} is {} turns",
                    show(angle),
                    show(angle / TAU)
                ),
                IN_FIELDS,
            ));
        }
    };
    for joint in &s.mechanism.joints {
        if let Some(angle) = joint.initial_angle {
            judge(("joint", &joint.name, "initial.angle"), angle);
        }
    }
    for motion in s.mechanism.motions.iter().filter(|motion| turns(motion)) {
        if let Some(angle) = motion.initial_displacement {
            judge(("motion", &motion.name, "initial_displacement"), angle);
        }
    }
    for force in &s.mechanism.forces {
        if let ForceKind::RotationalSpringDamper { angle, .. } = &force.kind
            && let ValueSource::Constant(angle) = s.mechanism.values[angle.index()].source
        {
            judge(("force", &force.name, "angle"), angle);
        }
    }
}

/// Checks the angle that a motion or a drive prescribes: a number, the ends of a STEP, or a rate times time.
fn function(s: &Subject<'_>, place: (&str, &str, &str), expr: ExprId, found: &mut Vec<Finding>) {
    let program = &s.mechanism.expressions[expr.index()];
    if converts(s, program) {
        return;
    }
    let fixed = program.constant_value().filter(|x| is_beyond_a_turn(*x));
    let rate = rate(s, program).filter(|x| is_right(*x));
    let mut ends = program.calls().iter().flat_map(ends);
    if let Some(angle) = fixed.or(rate).or_else(|| ends.find(|x| is_drawn(*x))) {
        found.push(Finding::new(
            LintRule::DegreesAsRadians,
            place,
            format!(
                "expressions are in radians, and {} is {} turns",
                show(angle),
                show(angle / TAU)
            ),
            IN_TEXT,
        ));
    }
}

/// Is it 45 or a multiple of 90?
fn is_right(x: f64) -> bool {
    x.abs() == 45.0 || x != 0.0 && x % 90.0 == 0.0
}

/// Is it a typical angle of a drawing in degrees? Meant for angles, not rates.
fn is_drawn(x: f64) -> bool {
    [30.0, 60.0].contains(&x.abs()) || is_right(x)
}

/// The constants between which a STEP goes.
fn ends(call: &Call) -> Vec<f64> {
    match (call.function.as_ref(), call.operands.as_slice()) {
        ("STEP" | "STEP5" | "HAVSIN", [_, _, from, _, to]) => {
            [from, to].into_iter().filter_map(|end| end.value).collect()
        }
        _ => Vec::new(),
    }
}

/// The factor of time, if an expression is a product of that factor with time and parameters.
fn rate(s: &Subject<'_>, program: &Program) -> Option<f64> {
    let is_product = |o: &Operation| matches!(o, Operation::Binary(Binary::Multiply, ..));
    let is_time = |leaf: &LeafId| matches!(s.mechanism.leaves[leaf.index()], Leaf::Time { .. });
    let is_factor = |leaf: &LeafId| {
        is_time(leaf) || matches!(s.mechanism.leaves[leaf.index()], Leaf::Parameter(_))
    };
    let leaves = program.leaves();
    let plain = program.operations.iter().all(is_product)
        && leaves.iter().all(is_factor)
        && leaves.iter().any(is_time);
    match program.constants[..] {
        [number] if plain => Some(number),
        _ => None,
    }
}

/// Does it contain a factor between degrees and radians, as a number or as a parameter?
fn converts(s: &Subject<'_>, program: &Program) -> bool {
    let is = |x: f64| {
        let known = [TURN, 1.0 / TURN, PI];
        known.iter().any(|known| (x - known).abs() < 1e-5 * known)
    };
    let parameter = |leaf: &LeafId| match s.mechanism.leaves[leaf.index()] {
        Leaf::Parameter(id) => is(s.mechanism.parameters[id.index()].quantity.start),
        _ => false,
    };
    program.constants.iter().any(|x| is(*x)) || program.leaves().iter().any(parameter)
}

//! Control plane: checks the motions of a model and converts them to those of the mechanism.

use super::builder::Builder;
use crate::errors::{At, quote};
use crate::resolve::Scope;
use crate::schema::{self, Direction, Document, Expression};
use crate::units::Dimension;
use fixstep_kernel::ids::{JointId, MarkerId, MotionId};
use fixstep_kernel::mechanism::{
    JointKind, Motion, MotionCoordinate, MotionLevel, MotionNumber, Place,
};
use std::collections::BTreeMap;

/// All motions.
pub(super) fn motions(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Motion>> {
    let motions = b.each(&document.motions.0, motion);
    check_conflicts(b, &motions, document);
    motions
}

/// The coordinate that a motion drives.
struct Drive {
    i: MarkerId,
    j: MarkerId,
    joint: Option<JointId>,
    coordinate: MotionCoordinate,
}

fn motion(b: &mut Builder<'_>, data: &schema::Motion, at: &At) -> Option<Motion> {
    let drive = match &data.joint {
        Some(joint) => of_joint(b, data, joint, at),
        None => between(b, data, at),
    };
    let level = level(b, data, at);
    let translates = match &drive {
        Some(drive) => matches!(drive.coordinate, MotionCoordinate::Translation(_)),
        None => true,
    };
    let length = if translates {
        b.units.length.factor
    } else {
        1.0
    };
    let time = b.units.time.factor;
    let (level, expression) = level?;
    let to_si = match level {
        MotionLevel::Displacement => length,
        MotionLevel::Velocity => length / time,
        MotionLevel::Acceleration => length / (time * time),
    };
    let function = b.scaled(
        expression,
        to_si,
        Scope::Driven,
        &at.field(level_name(level)),
    );
    let (coordinate, rate) = if translates {
        (Dimension::Length, Dimension::Velocity)
    } else {
        (Dimension::Angle, Dimension::AngularVelocity)
    };
    let start = at.field("initial_displacement");
    let id = b.names.motions.get(&data.name).unwrap_or(MotionId(0));
    let initial_displacement = data.initial_displacement.as_ref().map(|x| {
        let x = b.measure(x, coordinate, &start);
        b.put(x, Place::Motion(id, MotionNumber::InitialDisplacement))
    });
    let start = at.field("initial_velocity");
    let initial_velocity = data.initial_velocity.as_ref().map(|v| {
        let v = b.measure(v, rate, &start);
        b.put(v, Place::Motion(id, MotionNumber::InitialVelocity))
    });
    check_initial(b, level, data, at);
    let drive = drive?;
    Some(Motion {
        name: data.name.clone(),
        i: drive.i,
        j: drive.j,
        joint: drive.joint,
        coordinate: drive.coordinate,
        level,
        function: function?,
        initial_displacement,
        initial_velocity: initial_velocity.unwrap_or(0.0),
    })
}

fn of_joint(b: &mut Builder<'_>, data: &schema::Motion, joint: &str, at: &At) -> Option<Drive> {
    if data.i.is_some() || data.j.is_some() {
        let message = "give either \"joint\", or \"i\", \"j\" and \"direction\", not both";
        b.report.add(at, message);
    }
    let (id, coordinate) = joint_coordinate(b, (joint, data.direction), at)?;
    let found = b.joints.get(id.index())?.as_ref()?;
    Some(Drive {
        i: found.i,
        j: found.j,
        joint: Some(id),
        coordinate,
    })
}

/// The coordinate of a joint that can be driven, by the joint's name and a direction.
pub(super) fn joint_coordinate(
    b: &mut Builder<'_>,
    (joint, direction): (&str, Option<Direction>),
    at: &At,
) -> Option<(JointId, MotionCoordinate)> {
    let id = match b.names.joints.find(joint) {
        Ok(id) => id,
        Err(message) => {
            b.report.add(&at.field("joint"), message);
            return None;
        }
    };
    let found = b.joints.get(id.index())?.as_ref()?;
    let kind = found.kind;
    let rotation = MotionCoordinate::RotationZ;
    let translation = MotionCoordinate::Translation(2);
    let field = at.field("direction");
    let coordinate = match (kind, direction) {
        (JointKind::Revolute, None | Some(Direction::Rotation))
        | (JointKind::Cylindrical | JointKind::Screw { .. }, Some(Direction::Rotation)) => rotation,
        (JointKind::Translational, None | Some(Direction::Translation))
        | (JointKind::Cylindrical | JointKind::Screw { .. }, Some(Direction::Translation)) => {
            translation
        }
        (JointKind::Revolute, Some(other)) => {
            return invalid(b, &field, "a revolute joint", other, "\"rotation\"");
        }
        (JointKind::Translational, Some(other)) => {
            return invalid(b, &field, "a translational joint", other, "\"translation\"");
        }
        (JointKind::Cylindrical | JointKind::Screw { .. }, None) => {
            let message = format!(
                "the joint {} turns and slides: give \"direction\": \"rotation\" or \"translation\"",
                quote(joint)
            );
            b.report.add(at, message);
            return None;
        }
        (JointKind::Cylindrical | JointKind::Screw { .. }, Some(other)) => {
            let valid = "\"rotation\", \"translation\"";
            return invalid(b, &field, "this joint", other, valid);
        }
        _ => {
            let message = format!(
                "the joint {} has no coordinate to drive; valid: revolute, translational, \
                 cylindrical and screw joints",
                quote(joint)
            );
            b.report.add(&at.field("joint"), message);
            return None;
        }
    };
    Some((id, coordinate))
}

fn invalid<T>(
    b: &mut Builder<'_>,
    at: &At,
    whose: &str,
    direction: Direction,
    valid: &str,
) -> Option<T> {
    let message = format!(
        "{whose} has no direction \"{}\"; valid: {valid}",
        direction.word()
    );
    b.report.add(at, message);
    None
}

fn between(b: &mut Builder<'_>, data: &schema::Motion, at: &At) -> Option<Drive> {
    let missing: Vec<&str> = [
        ("i", data.i.is_none()),
        ("j", data.j.is_none()),
        ("direction", data.direction.is_none()),
    ]
    .into_iter()
    .filter_map(|(field, missing)| missing.then_some(field))
    .collect();
    if !missing.is_empty() {
        let message = format!(
            "a motion needs \"joint\", or \"i\", \"j\" and \"direction\"; missing: {}",
            missing.join(", ")
        );
        b.report.add(at, message);
    }
    let (name_i, name_j) = data.i.as_deref().zip(data.j.as_deref())?;
    let (i, j) = b.two_bodies(name_i, name_j, at)?;
    let direction = data.direction?;
    let coordinate = match direction {
        Direction::X => MotionCoordinate::Translation(0),
        Direction::Y => MotionCoordinate::Translation(1),
        Direction::Z => MotionCoordinate::Translation(2),
        Direction::B1 => MotionCoordinate::Body123(0),
        Direction::B2 => MotionCoordinate::Body123(1),
        Direction::B3 => MotionCoordinate::Body123(2),
        Direction::Rotation | Direction::Translation => {
            let valid = "x, y, z, b1, b2, b3 (or name a \"joint\")";
            let field = at.field("direction");
            return invalid(b, &field, "a motion between markers", direction, valid);
        }
    };
    if matches!(coordinate, MotionCoordinate::Body123(_)) {
        let what = "only x, y, z can be driven";
        b.refuse_point_masses(&[("i", i), ("j", j)], what, at);
    }
    Some(Drive {
        i,
        j,
        joint: None,
        coordinate,
    })
}

fn level_name(level: MotionLevel) -> &'static str {
    match level {
        MotionLevel::Displacement => "displacement",
        MotionLevel::Velocity => "velocity",
        MotionLevel::Acceleration => "acceleration",
    }
}

fn level<'a>(
    b: &mut Builder<'_>,
    data: &'a schema::Motion,
    at: &At,
) -> Option<(MotionLevel, &'a Expression)> {
    let all = [
        (MotionLevel::Displacement, data.displacement.as_ref()),
        (MotionLevel::Velocity, data.velocity.as_ref()),
        (MotionLevel::Acceleration, data.acceleration.as_ref()),
    ];
    let given: Vec<_> = all
        .into_iter()
        .filter_map(|(level, expression)| expression.map(|e| (level, e)))
        .collect();
    if let [one] = given.as_slice() {
        return Some(*one);
    }
    let names: Vec<&str> = given.iter().map(|(level, _)| level_name(*level)).collect();
    let found = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    if !(given.is_empty() && b.report.has_unknown_field(at)) {
        let message =
            format!("give exactly one of displacement, velocity, acceleration; found: {found}");
        b.report.add(at, message);
    }
    None
}

fn check_initial(b: &mut Builder<'_>, level: MotionLevel, data: &schema::Motion, at: &At) {
    if level == MotionLevel::Displacement && data.initial_displacement.is_some() {
        b.report.add(
            &at.field("initial_displacement"),
            "the displacement function gives the start already; leave this out",
        );
    }
    if level != MotionLevel::Acceleration && data.initial_velocity.is_some() {
        let message = format!(
            "the {} function gives the rate already; leave this out",
            level_name(level)
        );
        b.report.add(&at.field("initial_velocity"), message);
    }
}

/// Checks that no coordinate is driven twice; of a screw's two coordinates only one is free.
fn check_conflicts(b: &mut Builder<'_>, motions: &[Option<Motion>], document: &Document) {
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    for (motion, item) in motions.iter().zip(&document.motions.0) {
        let Some(motion) = motion else { continue };
        let screw = motion.joint.and_then(|id| b.joints[id.index()].as_ref());
        let screw = screw.filter(|joint| matches!(joint.kind, JointKind::Screw { .. }));
        let key = match screw {
            Some(joint) => format!("screw {:?} {:?}", joint.i, joint.j),
            None => format!("{:?} {:?} {:?}", motion.i, motion.j, motion.coordinate),
        };
        match taken.get(&key) {
            Some(other) => {
                let message = format!(
                    "the motion {} drives the same coordinate already; keep one",
                    quote(other)
                );
                b.report.add(&item.at, message);
            }
            None => {
                taken.insert(key, &motion.name);
            }
        }
    }
}

//! Control plane: what drives a mechanism: an arrow bent around the axis of a motion, a torque or a drive that turns, a
//! straight one along what it pushes.

use fixstep_kernel::math::rotation::matrix;
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{ForceKind, Motion, MotionCoordinate};
use fixstep_pictures::scene::{Body, Origin, Place};
use fixstep_pictures::solids::{self, Piece};

use super::elements::{glyph, push};
use super::{Made, inside, place};

/// The colour of drives.
const DRIVE: [u8; 3] = [200, 100, 60];
/// Radius of a bent arrow and of its wire, its distance along the axis, and length and radius of a straight one, in radii of
/// a joint's pin.
const BENT: [f64; 2] = [3.4, 0.32];
const APART: f64 = 2.6;
const STRAIGHT: [f64; 2] = [10.0, 0.45];

/// Adds the arrows of all motions, torques and joint drives.
pub(super) fn add(made: &Made<'_>, bodies: &mut [Body]) {
    for motion in &made.mechanism.motions {
        add_motion(made, motion, bodies);
    }
    for force in &made.mechanism.forces {
        let turns = match &force.kind {
            ForceKind::Torque(_) => true,
            ForceKind::JointDrive(drive) => drive.turns,
            _ => continue,
        };
        let radius = glyph(made, [force.i, force.j]);
        let (body, at) = made.marker(force.j);
        let (piece, at) = if turns {
            bent(radius, &at)
        } else {
            straight(radius, at)
        };
        let kind = (force.name.as_str(), Origin::Joint, Some(DRIVE));
        push(bodies, body, kind, piece.at(at));
    }
}

fn add_motion(made: &Made<'_>, motion: &Motion, bodies: &mut [Body]) {
    let radius = glyph(made, [motion.i, motion.j]);
    let (body, at) = made.marker(motion.j);
    let (body, (piece, at)) = match (motion.coordinate, motion.joint) {
        (MotionCoordinate::RotationZ, _) => (body, bent(radius, &at)),
        (MotionCoordinate::Translation(axis), Some(_)) => {
            (body, straight(radius, along(&at, usize::from(axis))))
        }
        (MotionCoordinate::Translation(axis), None) => {
            // J may be far away: the arrow is on I, and points as J has it at the start.
            let (moved, there) = made.marker(motion.i);
            let way = turn(made, body) * matrix(&at.rotation).column(usize::from(axis));
            let way: Vec3 = turn(made, moved).transpose() * way;
            let at = Place {
                position: there.position,
                rotation: solids::turned_to(&way),
            };
            (moved, straight(radius, at))
        }
        // Angles of a sequence turn about axes that move.
        (MotionCoordinate::Body123(_), _) => return,
    };
    let kind = (motion.name.as_str(), Origin::Joint, Some(DRIVE));
    push(bodies, body, kind, piece.at(at));
}

/// How the axes of a body are turned at the start.
fn turn(made: &Made<'_>, body: usize) -> Mat3 {
    let pose = made.first.poses.get(body);
    pose.map_or_else(Mat3::identity, |pose| matrix(&pose.place.rotation))
}

/// A place whose z is an axis of another.
fn along(at: &Place, axis: usize) -> Place {
    let way = matrix(&at.rotation).column(axis).into_owned();
    Place {
        position: at.position,
        rotation: solids::turned_to(&way),
    }
}

fn bent(radius: f64, at: &Place) -> (Piece, Place) {
    let arrow = solids::torque_arrow(BENT[0] * radius, BENT[1] * radius);
    let apart = place(Vec3::z() * (APART * radius), &Mat3::identity());
    (Piece::of(arrow), inside(at, &apart))
}

fn straight(radius: f64, at: Place) -> (Piece, Place) {
    let arrow = solids::arrow(STRAIGHT[0] * radius, STRAIGHT[1] * radius);
    (Piece::of(arrow), at)
}

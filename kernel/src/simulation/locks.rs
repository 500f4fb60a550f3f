//! Control plane: names joints that lock and motions at a dead point, after a run has ended there.

use super::Simulation;
use crate::analysis::owner_name;
use crate::linalg::{Factorization, Quality};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{JointKind, Mechanism, MotionCoordinate, called};
use crate::state::vec3;
use crate::system::length::characteristic_length;
use crate::system::{Owner, eval, jacobian};
use alloc::format;
use alloc::string::String;

/// Below this cosine of the bend angle of a universal joint, or of the angle b2, it is near a right angle: 80
/// degrees.
const NEAR: f64 = 0.17;
/// Below this sine of the angle between a wheel's axis and the normal of its plane, the wheel lies almost flat.
const FLAT: f64 = NEAR;
/// A motion is at a dead point if a part moves more than this many times faster.
const DEAD: f64 = 20.0;

impl Simulation {
    /// One sentence: where the mechanism is locked, or about to be, at the last good state.
    pub fn lock(&self) -> Option<String> {
        let run = &self.run;
        let mut ws = run.ws.clone();
        eval::kinematics_at_state(&run.system, &run.state, &mut ws);
        let axes = |m: crate::ids::MarkerId| ws.markers[m.index()].axes;
        bent_joint(&self.mechanism, &axes)
            .or_else(|| angles(&self.mechanism, &axes))
            .or_else(|| flat_wheel(&self.mechanism, &axes))
            .or_else(|| self.dead_point())
    }

    /// The motion whose parts move much faster than itself.
    fn dead_point(&self) -> Option<String> {
        let run = &self.run;
        let (system, mut ws) = (&run.system, run.ws.clone());
        let placed = eval::kinematics_at_state(system, &run.state, &mut ws);
        let mut constrained = eval::constraint_wrenches(system, &run.state, placed);
        let mut matrix = system.matrix();
        jacobian::assemble_softened_metric(system, &run.state, &mut constrained, &mut matrix);
        let mut factor = Factorization::analyse(&system.pattern, &[&matrix]).ok()?;
        if let Quality::Singular { .. } = factor.refactor(&matrix) {
            return None;
        }
        let length = characteristic_length(system);
        let mut worst: Option<(f64, Owner, usize)> = None;
        for group in &system.groups {
            let Owner::Motion(m) = group.owner else {
                continue;
            };
            let turns = match self.mechanism.motions[m.index()].coordinate {
                MotionCoordinate::Translation(_) => 1.0,
                MotionCoordinate::RotationZ | MotionCoordinate::Body123(_) => length,
            };
            ws.rhs.fill(0.0);
            ws.rhs[group.block.offset()] = 1.0;
            factor.solve_refined(&matrix, &mut ws.rhs);
            for (body, entry) in system.bodies.iter().enumerate() {
                let Some(block) = entry.block else { continue };
                let angular = if entry.dof == 6 {
                    vec3(&ws.rhs, block.offset() + 3).norm() * length
                } else {
                    0.0
                };
                let speed = vec3(&ws.rhs, block.offset()).norm().max(angular) / turns;
                if speed.is_finite() && speed > worst.map_or(DEAD, |known| known.0) {
                    worst = Some((speed, group.owner, body));
                }
            }
        }
        worst.map(|(speed, owner, body)| {
            format!(
                "It stands at a dead point of {}: part {} would go {speed:.0} times as fast, and beyond there is no position; \
                 turn the motion round before, drive another joint, or change lengths",
                owner_name(&self.mechanism, owner),
                called(&system.bodies[body].name)
            )
        })
    }
}

/// A universal joint that is bent at a right angle.
fn bent_joint(
    mechanism: &Mechanism,
    axes: &dyn Fn(crate::ids::MarkerId) -> crate::math::Mat3,
) -> Option<String> {
    mechanism.joints.iter().find_map(|joint| {
        let cosine = axes(joint.i).column(2).dot(&axes(joint.j).column(2));
        let bends = joint.kind == JointKind::Universal && cosine.abs() < NEAR;
        bends.then(|| {
            format!(
                "Joint {} is bent by {:.0} degrees, and at 90 it locks: a shaft cannot turn on there",
                called(&joint.name),
                crate::math::acos(cosine).to_degrees()
            )
        })
    })
}

/// A rolling wheel that lies almost flat: (ROL-1) divides by s, the sine of the angle between axis and normal.
fn flat_wheel(
    mechanism: &Mechanism,
    axes: &dyn Fn(crate::ids::MarkerId) -> crate::math::Mat3,
) -> Option<String> {
    mechanism.joints.iter().find_map(|joint| {
        let JointKind::RollingWheel { .. } = joint.kind else {
            return None;
        };
        let [axis, normal] = [joint.i, joint.j].map(|m| axes(m).column(2).into_owned());
        let sine = axis.cross(&normal).norm();
        (sine < FLAT).then(|| {
            format!(
                "The wheel of joint {} lies almost flat: it leans by {:.1} degrees, and at 90 it has no track on which it could \
                 roll; end the run before, by a sensor on its lean, or let contact carry a wheel that falls",
                called(&joint.name),
                90.0 - crate::math::atan2(sine, axis.dot(&normal).abs()).to_degrees()
            )
        })
    })
}

/// A driven angle of the sequence b1, b2, b3 at which the first and the third rotate about the same axis.
fn angles(
    mechanism: &Mechanism,
    axes: &dyn Fn(crate::ids::MarkerId) -> crate::math::Mat3,
) -> Option<String> {
    mechanism.motions.iter().find_map(|motion| {
        let MotionCoordinate::Body123(_) = motion.coordinate else {
            return None;
        };
        let sine = axes(motion.j).column(0).dot(&axes(motion.i).column(2));
        let cosine = (1.0 - sine * sine).max(0.0).sqrt();
        (cosine < NEAR).then(|| {
            format!(
                "Motion {} drives an angle of the sequence b1, b2, b3, and b2 is {:.0} degrees: at 90 b1 and b3 turn about \
                 the same axis, and no motion can tell them apart; give b2 to the axis that turns least, or drive joints",
                called(&motion.name),
                crate::math::atan2(sine, cosine).to_degrees()
            )
        })
    })
}

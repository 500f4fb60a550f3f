//! Control plane: finds bushings, fields and beams that start near half a turn, where their rotation vector jumps.

use super::{Subject, show};
use crate::elements::forces;
use crate::math::rotation::log;
use crate::mechanism::{Finding, LintRule};
use crate::system::eval;
use alloc::format;
use alloc::vec::Vec;
use core::f64::consts::{PI, TAU};

/// Rotations above this are near half a turn \[rad\].
const NEAR: f64 = 0.9 * PI;
/// Jumps below this, weighted by the stiffest axis, do no harm \[rad\].
const LITTLE: f64 = 0.01;

/// Checks all of them.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        let element = &s.system.forces[f];
        if !element.law.has_angle() {
            continue;
        }
        let context = eval::context(s.system, s.state, s.ws, f);
        let theta = log(&context.j.axes.tr_mul(&context.i.axes));
        let angle = theta.norm();
        if angle < NEAR
            || forces::weighted_jump(&element.law, &context, &(theta * (TAU / angle))) < LITTLE
        {
            continue;
        }
        found.push(Finding::new(
            LintRule::HalfTurn,
            ("force", &force.name, ""),
            format!(
                "its marker I starts turned by {} degrees against marker J: at 180 degrees its angle jumps back by a whole turn, and its \
                 torque with it",
                show(angle.to_degrees())
            ),
            "turn one of the markers so that the angle is about zero where no torque is intended, or use a revolute \
             joint with a torsion_spring_damper, which counts turns",
        ));
    }
}

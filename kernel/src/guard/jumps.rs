//! Data plane: detects angles of bushings, fields and beams that jump back by a whole turn.
//!
//! Their angle is the rotation vector θ of I from J, (REL-1), which is limited to π: a rotation beyond it continues
//! from −π. The rotations t of both markers in the step give the θ before:
//!
//! ```text
//! exp(θ'~) = (exp(−t_J~) R_J)ᵀ exp(−t_I~) R_I,   a jump where |θ − θ'| > π              (GRD-5)
//! k = |K (θ − θ')| / max |K e|,   e the axes of J       weighted by the stiffest axis
//! ```

use crate::elements::forces;
use crate::elements::kinematics::MarkerKinematics;
use crate::ids::ForceId;
use crate::math::rotation::{exp, log};
use crate::math::{Mat3, Vec3};
use crate::mechanism::{Culprit, Reading};
use crate::state::State;
use crate::system::{System, eval};
use crate::workspace::Workspace;
use core::f64::consts::PI;

/// The axes of a marker before the accepted step. For node frames they follow from the rate of rotation in their
/// body.
fn before(
    system: &System,
    state: &State,
    ws: &Workspace,
    (body, of): (usize, &MarkerKinematics),
) -> Mat3 {
    let (_, theta) = state.rates(system.layout.moved, body);
    let frame = &ws.bodies[body];
    let bent = (of.omega - frame.omega) * state.step(&system.layout);
    exp(&-(frame.rotation * theta + bent)) * of.axes
}

/// The jump of an angle, and the angle before it.
fn jump(now: &[Mat3; 2], before: &[Mat3; 2]) -> Option<(Vec3, f64)> {
    let [now, before] = [now, before].map(|[i, j]| log(&j.tr_mul(i)));
    let jump = now - before;
    (jump.norm() > PI).then(|| (jump, before.norm()))
}

/// The element with the largest jump in an accepted step, weighted by its stiffest axis.
pub(super) fn read(system: &System, state: &State, ws: &Workspace) -> Reading {
    let mut worst = Reading::default();
    for (f, force) in system.forces.iter().enumerate() {
        if !force.law.has_angle() {
            continue;
        }
        let markers = [force.i, force.j];
        let now = markers.map(|marker| ws.markers[marker.index()].axes);
        let before = markers.map(|marker| {
            let body = system.owner(system.body_of(marker));
            before(system, state, ws, (body, &ws.markers[marker.index()]))
        });
        let Some((jump, angle)) = jump(&now, &before) else {
            continue;
        };
        let value = forces::weighted_jump(&force.law, &eval::context(system, state, ws, f), &jump);
        if value > worst.value {
            worst = Reading {
                value,
                amount: angle,
                is_angle: true,
                culprit: Culprit::Jump(ForceId::from(f)),
            };
        }
    }
    worst
}

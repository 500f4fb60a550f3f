//! Control plane: what rolls does not slip on the way to equilibrium, not even in steps of finite length.
//!
//! ```text
//! ∫ Φ̇ ds = 0 along x(s), 0 ≤ s ≤ 1, from the poses before a step to those after it          (EQU-9)
//! ```
//! for each row of velocities only. Centres of mass move along straight lines, and bodies turn about fixed axes; the integral is
//! by Gauss's formula with three points.

use super::Statics;
use crate::math::rotation::{
    Quaternion, exp_quaternion, log_quaternion, matrix, multiply, normalized,
};
use crate::state::State;
use crate::system::eval;
use crate::system::residual::{Level, approach, row_residual};
use alloc::vec;
use alloc::vec::Vec;

/// Points and weights of Gauss's formula from 0 to 1: ½ ± √(3/5)/2, and ½.
const GAUSS: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

impl Statics<'_> {
    /// Moves the bodies by a fraction of a step, and closes the constraints.
    pub(super) fn travel(&mut self, delta: &[f64], share: f64) -> Option<()> {
        let rolls = !self.system.rate_rows.is_empty();
        self.left = rolls.then(|| self.state.clone());
        self.displace(delta, share);
        let closed = self.close();
        self.left = None;
        closed
    }

    /// The left side of (EQU-9) for each row of velocities only; nothing outside of [`Self::travel`].
    pub(super) fn slips(&mut self) -> Vec<f64> {
        let Some(left) = &self.left else {
            return Vec::new();
        };
        let (system, ws) = (self.system, &mut *self.ws);
        let mut slips = vec![0.0; system.rate_rows.len()];
        let mut along = self.state.clone();
        for (s, weight) in GAUSS {
            place((left, self.state), &mut along, system, s);
            let placed = eval::kinematics_at_state(system, &along, ws);
            eval::constraint_wrenches(system, &along, placed);
            for (slip, own) in slips.iter_mut().zip(&system.rate_rows) {
                let group = &system.groups[own.group];
                let approach = approach(ws, group);
                let rate = row_residual(system, ws, (group, &approach), own.row, Level::Velocity);
                *slip += weight * rate;
            }
        }
        slips
    }
}

/// Places the bodies at x(s), with the velocities of that path.
fn place((from, to): (&State, &State), along: &mut State, system: &crate::system::System, s: f64) {
    let layout = &system.layout;
    for body in 0..system.bodies.len() {
        if system.bodies[body].block.is_none() {
            continue;
        }
        let (r, moved) = (
            from.position(layout, body),
            to.position(layout, body) - from.position(layout, body),
        );
        let begin: Quaternion = from.quaternion(layout, body);
        let [w, x, y, z] = begin;
        let turn = log_quaternion(&multiply(&to.quaternion(layout, body), &[w, -x, -y, -z]));
        let q = normalized(&multiply(&exp_quaternion(&(turn * s)), &begin));
        along.set_pose(layout, body, &(r + moved * s), &q);
        along.set_rates(layout.velocity, body, &moved, &matrix(&q).tr_mul(&turn));
    }
}

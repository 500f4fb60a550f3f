//! What an instant between the ends of steps shows.

use super::{Variable, set_time};
use crate::analysis::accelerations;
use crate::integrator::StepFailure;
use crate::integrator::accepted::show;
use crate::math::rotation::{exp_quaternion, multiply, normalized};
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::layout::BLOCK;

impl Variable {
    /// Evaluates everything that can be read at an instant up to the last accepted one, by the polynomial of the
    /// order through the remembered poses.
    pub(super) fn show(
        &mut self,
        system: &System,
        state: &State,
        time: f64,
    ) -> Result<(), StepFailure> {
        let layout = &system.layout;
        let after = time - state.time(layout);
        let count = (self.order + 1).min(self.history.filled);
        let values = self.values(count, after);
        let shown = &mut self.shown;
        shown.copy_from(state);
        set_time(system, shown, state.step(layout));
        shown.reals[layout.time.first] = time;
        self.scratch.fill(0.0);
        let velocity = shown.span_mut(layout.velocity);
        velocity.fill(0.0);
        for (j, p) in values[..count].iter().enumerate() {
            let both = self.scratch.iter_mut().zip(velocity.iter_mut());
            for (k, (d, u)) in both.enumerate() {
                *d += p * self.history.moved[j][k];
                *u += p * self.history.rates[j][k];
            }
        }
        for k in 0..system.equations.len() {
            let past = self.history.states[..count].iter().zip(values);
            shown.reals[layout.states.first + k] = past.map(|(z, p)| p * z[k]).sum();
        }
        for (body, entry) in system.bodies.iter().enumerate() {
            if entry.block.is_none() {
                continue;
            }
            let at = BLOCK * body;
            let (x, theta) = (vec3(&self.scratch, at), vec3(&self.scratch, at + 3));
            let r = shown.position(layout, body) + x;
            let q = multiply(&shown.quaternion(layout, body), &exp_quaternion(&theta));
            shown.set_pose(layout, body, &r, &normalized(&q));
        }
        for (q, d) in shown
            .span_mut(layout.modal)
            .iter_mut()
            .zip(&self.scratch[system.modal_first()..])
        {
            *q += d;
        }
        accelerations::solve_moving(system, shown, &mut self.shown_ws)
            .map_err(|_| StepFailure::NoAccelerations)?;
        show(system, shown, &mut self.shown_ws);
        Ok(())
    }
}

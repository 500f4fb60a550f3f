//! Data plane: time derivatives of outputs and other shown values, (SEN-3).

use super::point::kinematics;
use super::{MOMENT, Sensitivity};
use crate::integrator::states;
use crate::state::State;
use crate::system::layout::{BLOCK, POSE, STATE_HISTORY, Span};
use crate::system::{System, inputs};

impl Sensitivity {
    /// Computes the time derivatives at an accepted state.
    pub fn move_with_time(
        &mut self,
        system: &System,
        base: &State,
        show: impl FnMut(&State, &mut [f64]),
    ) {
        self.by_rows = false;
        self.go_with_time(system, base);
        let reach = MOMENT * base.step(&system.layout);
        self.read(system, base, (reach, true), show);
    }

    /// Sets the direction of time at an accepted state, (SEN-3): the rates of all that an evaluation reads.
    /// Accelerations and multipliers are taken to change as they did in the last step.
    fn go_with_time(&mut self, system: &System, base: &State) {
        kinematics(system, base, &mut self.ws);
        let layout = &system.layout;
        let h = base.step(layout);
        let response = &mut self.response;
        response.fill(0.0);
        response[layout.time.first] = 1.0;
        let copy = |response: &mut [f64], to: Span, from: Span| {
            response[to.range()].copy_from_slice(base.span(from));
        };
        copy(response, layout.velocity, layout.acceleration);
        for body in 0..system.bodies.len() {
            let at = layout.pose.first + POSE * body;
            let rates = &base.span(layout.velocity)[BLOCK * body..][..BLOCK];
            response[at..at + BLOCK].copy_from_slice(rates);
        }
        let first = system.modal_first();
        let modal = &base.span(layout.velocity)[first..];
        response[layout.modal.range()].copy_from_slice(modal);
        for (now, before) in [
            (layout.acceleration, layout.last_acceleration),
            (layout.multipliers, layout.last_multipliers),
        ] {
            for (k, x) in response[now.range()].iter_mut().enumerate() {
                *x = (base.span(now)[k] - base.span(before)[k]) / h;
            }
        }
        for (k, entry) in system.equations.iter().enumerate() {
            let history = &base.span(layout.state_history)[STATE_HISTORY * k..];
            response[layout.states.first + k] = if entry.is_algebraic() {
                history[states::MEAN]
            } else {
                history[states::DERIVATIVE]
            };
        }
        let rates = inputs::rates(layout, base, &system.input_bounds);
        for (rate, x) in rates.zip(&mut response[layout.inputs.range()]) {
            *x = rate;
        }
        for m in 0..system.motions.len() {
            let at = layout.motions.first + 2 * m;
            let target = self.ws.targets[m];
            response[at] = target.rate;
            response[at + 1] = target.acceleration;
        }
    }
}

//! The local error of a step.
//!
//! Of multistep methods it is (VAR-6), in formulation SI2 also of h u: velocities with the step as
//! their unit of time, since Newton's iteration can leave no less of them than it leaves of displacements over the step. Methods of the generalised-α family have
//!
//! ```text
//! e = 6 C h³ |x[t_{n+1}, t_n, t_{n−1}, t_{n−2}]|                                        (VAR-9)
//! ```
//! with C of (ALP-5) and a divided difference of displacements in the place of the third derivative: the accelerations
//! of these methods ring after a change of the step, the displacements do not.

use super::control::{Errors, Method};
use super::history::History;
use super::measure::{distance, state_distance};
use super::multistep::{add, own_slope};
use super::{ORDERS, Run, Variable};
use crate::integrator::Scheme;
use crate::integrator::states::DERIVATIVE;
use crate::math::largest::Largest;
use crate::system::entity::Entity;
use crate::system::layout::STATE_HISTORY;

/// w_0 (t_{n+1} − t_{n−k}) of (VAR-6), at most its value (k + 1)(1 + 1/2 + … + 1/k) of equal steps. Behind long steps, a
/// short one would divide what is new within it by their length, and where something bends at its beginning, nothing of
/// what bends was there before.
fn spread(history: &History, order: usize, (h, behind): (f64, f64)) -> f64 {
    let steps = 1..=order;
    let even: f64 = steps.map(|k| 1.0 / k as f64).sum();
    (own_slope(history, order, h) * (h + behind)).min((order + 1) as f64 * even)
}

impl Variable {
    /// The errors of a step, for its order and those beside it.
    pub(super) fn errors(&mut self, run: &Run<'_>, scheme: &Scheme, h: f64) -> Errors {
        let order = self.order.min(self.history.filled);
        if let Method::Alpha(parameters) = self.tolerance.method {
            let own = self.alpha_error(run, scheme, (parameters.error_constant(), h));
            return Errors::alone(own);
        }
        let mut errors = Errors::alone(Largest::default());
        if order > 2 {
            errors.terms[0] = self.error_of_order(run, scheme, (order - 2, h)).1;
        }
        for (place, q) in [order.wrapping_sub(1), order, order + 1]
            .into_iter()
            .enumerate()
        {
            // At the start one pose is known, and the error of order 1 is half of the correction.
            let start = self.history.filled == 1 && q == 1;
            let wanted = (1..=ORDERS).contains(&q) && (self.history.filled > q || start);
            let found = wanted.then(|| self.error_of_order(run, scheme, (q, h)));
            errors.terms[place + 1] = found.map_or(f64::NAN, |(_, term)| term);
            let found = found.map(|(error, _)| error);
            match (place, found) {
                (0, found) => errors.lower = found.map_or(f64::INFINITY, |error| error.value),
                (1, Some(found)) => errors.set(found),
                (1, None) => errors.own = f64::INFINITY,
                (_, found) => errors.higher = found.map_or(f64::INFINITY, |error| error.value),
            }
        }
        errors
    }

    /// (VAR-6) of an order, and its numerator.
    fn error_of_order(
        &mut self,
        run: &Run<'_>,
        scheme: &Scheme,
        (order, h): (usize, f64),
    ) -> (Largest<Entity>, f64) {
        let history = &self.history;
        let unit = run.length_unit;
        let behind = if history.filled <= order {
            h
        } else {
            -history.times[order]
        };
        // Behind the trapezoidal rule |Δ − Δ⁰| is h³|x⃛|/4, in the next step, of order 2 too, h³|x⃛|: it counts as that.
        let factor = if history.starts() && order == 2 {
            4.0 / spread(history, order, (h, behind))
        } else {
            1.0 / spread(history, order, (h, behind))
        };
        let stepper = &*run.stepper;
        history.extrapolate(order, h, &mut self.scratch);
        let mut most = distance(run.system, &stepper.delta, &self.scratch, unit);
        if self.tolerance.method.is_stabilised() {
            history.extrapolate_rates(order, h, &mut self.scratch);
            self.reached.copy_from_slice(&stepper.velocity_offset);
            add(&mut self.reached, scheme.weights.u, &stepper.delta);
            let rates = distance(run.system, &self.reached, &self.scratch, unit);
            most.raise(rates.value * h, rates.of);
        }
        if history.filled > order {
            let states = self.state_error(run, order, h);
            most.raise(states.value, states.of);
        } else if history.filled == 1 {
            let states = self.first_state_error(run, h);
            most.raise(states.value, states.of);
        }
        let term = most.value;
        most.value *= factor;
        (most, term)
    }

    /// |Δz − Δz⁰| by a polynomial of this degree.
    fn state_error(&self, run: &Run<'_>, degree: usize, h: f64) -> Largest<Entity> {
        let history = &self.history;
        let values = history.values(degree + 1, h);
        let present = &history.states[0];
        let predicted = |k: usize| -> f64 {
            { history.states[..=degree].iter().zip(values) }
                .map(|(z, p)| p * (z[k] - present[k]))
                .sum()
        };
        let counts = |k: usize| !self.reads_reactions[k] && !self.slides(run.system, k);
        state_distance(
            run.system,
            (present, counts),
            (&run.stepper.states.delta, predicted),
        )
    }

    /// |Δz − h g_n| of the first step, of which half is the error of order 1, as it is of displacements.
    fn first_state_error(&self, run: &Run<'_>, h: f64) -> Largest<Entity> {
        let present = &self.history.states[0];
        let derivatives = run.state.span(run.system.layout.state_history);
        let predicted = |k: usize| h * derivatives[STATE_HISTORY * k + DERIVATIVE];
        let counts = |k: usize| !self.reads_reactions[k] && !self.slides(run.system, k);
        state_distance(
            run.system,
            (present, counts),
            (&run.stepper.states.delta, predicted),
        )
    }

    /// (VAR-9); with fewer poses, from the accelerations.
    fn alpha_error(
        &mut self,
        run: &Run<'_>,
        scheme: &Scheme,
        (constant, h): (f64, f64),
    ) -> Largest<Entity> {
        let history = &self.history;
        let unit = run.length_unit;
        let stepper = &*run.stepper;
        let mut most = if history.filled < 3 {
            let mut most = distance(run.system, &stepper.delta, &stepper.predicted, unit);
            most.value *= scheme.error_factor;
            most
        } else {
            // x[t_{n+1}, …] h³ Π = Δ − Δ⁰ of the polynomial through the three poses before.
            history.extrapolate(2, h, &mut self.scratch);
            let mut most = distance(run.system, &stepper.delta, &self.scratch, unit);
            let product = h * (h - history.times[1]) * (h - history.times[2]);
            most.value *= 6.0 * constant * h * h * h / product.min(6.0 * h * h * h);
            most
        };
        let degree = self.order.min(history.filled - 1);
        if degree > 0 {
            let mut states = self.state_error(run, degree, h);
            states.value /= spread(history, degree, (h, -history.times[degree]));
            most.raise(states.value, states.of);
        } else {
            let states = self.first_state_error(run, h);
            most.raise(0.5 * states.value, states.of);
        }
        most
    }
}

//! A step of HHT, Newmark or generalised-α with a size of its own.
//!
//! a_n of these methods belongs to the instant t_n + c h with c = α_m − α_f. When the step changes, it is moved along
//! its last change:
//!
//! ```text
//! a_n ← a_n + c (h − h_n) (a_n − a_{n−1})/h_n                                          (VAR-12)
//! ```
//! Without that the order falls to one (Jay and Negrut 2007; Arnold, Brüls and Cardona 2015 say the same of the start).

use super::Run;
use crate::integrator::Scheme;
use crate::integrator::alpha::{self, Parameters};
use crate::integrator::states::Coefficients;
use crate::state::State;
use crate::system::System;

/// Moves the accelerations for a step of h after one of `last`, (VAR-12).
pub(super) fn shift(system: &System, state: &mut State, p: &Parameters, (h, last): (f64, f64)) {
    let factor = (p.alpha_m - p.alpha_f) * (h - last) / last;
    if factor == 0.0 {
        return;
    }
    let layout = &system.layout;
    let (now, before) = (layout.acceleration.first, layout.last_acceleration.first);
    for k in 0..layout.acceleration.len {
        let a = state.reals[now + k];
        state.reals[now + k] = a + factor * (a - state.reals[before + k]);
    }
}

/// The scheme of a step, with states of differential equations by backward differentiation with this slope.
pub(super) fn scheme(p: &Parameters, h: f64, slope: f64) -> Scheme {
    alpha::scheme(p, h, Coefficients::backward(1.0 / slope))
}

/// Sets the affine maps, the prediction and the inertia terms of a step.
pub(super) fn predict(run: &mut Run<'_>, p: &Parameters, h: f64) {
    alpha::predict(run.system, run.state, run.stepper, p, h);
    alpha::inertia_terms(run.system, run.state, run.ws, p);
}

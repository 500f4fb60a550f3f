//! Data plane: fixed-step GSTIFF, formulation I3 — backward Euler on positions and velocities.
//!
//! ```text
//! Δ = h u_{n+1}        u = Δ/h        u̇ = (u − u_n)/h                       (GST-1)
//! h² (M u̇ − Q + Gᵀλ) = 0,   Φ(x_n ∘ Δ, t_{n+1}) = 0                         (GST-2)
//! Δ⁰ = h u_n,   λ⁰ = λ_n                                                     (GST-3)
//! ```
//! This is Gear's method of order one at constant step (Gear, *Numerical Initial Value Problems in Ordinary
//! Differential Equations*, 1971). The predictor (GST-3) extrapolates the last two accepted positions; multipliers
//! start from their last values.

use crate::elements::kinematics::Weights;
use crate::integrator::states::Coefficients;
use crate::integrator::{Scheme, Stepper};
use crate::state::State;
use crate::system::System;

/// The scheme for a step h: (GST-1), scaled by h².
pub fn scheme(h: f64, states: Coefficients) -> Scheme {
    let slope = 1.0 / h;
    Scheme {
        weights: Weights {
            x: 1.0,
            u: slope,
            a: slope * slope,
            l: slope * slope,
            z: states.weight(),
        },
        scale: h * h,
        inertia_weight: 1.0,
        states,
        error_factor: 0.5,
        stabilised: false,
    }
}

/// Sets the affine maps and the prediction of a step.
pub fn predict(system: &System, state: &State, stepper: &mut Stepper, scheme: &Scheme, h: f64) {
    let velocity = state.span(system.layout.velocity);
    for at in 0..system.layout.velocity.len {
        let u = velocity[at];
        stepper.delta[at] = h * u;
        stepper.predicted[at] = h * u;
        stepper.velocity_offset[at] = 0.0;
        stepper.acceleration_offset[at] = -u * scheme.weights.u;
    }
}

//! Data plane: finite numbers and the local error of a step, before it is accepted.
//!
//! From corrected and predicted displacement, by Milne's device; in formulation SI2 the velocities
//! u, predicted as u⁰ = u_n + h u̇_n, count as well:
//!
//! ```text
//! e = ½ |Δ − Δ⁰| = ½ h² |u̇|                                                (GST-4)
//! e = max(½ |Δ − Δ⁰|, ½ |u − u⁰|)                                           (SI2-4)
//! ```
//! in user length units, radians, and those per second. The factor ½ is that of backward Euler;
//! each scheme has its own. The states of differential equations have theirs, (STA-4).

use crate::integrator::{Scheme, StepFailure, Stepper, flexible};
use crate::state::State;
use crate::system::System;
use crate::system::layout::BLOCK;
use crate::workspace::Workspace;

/// The estimate, or why the step must not be accepted.
pub fn check(
    system: &System,
    state: &State,
    ws: &Workspace,
    stepper: &Stepper,
    scheme: &Scheme,
    (limit, length_unit): (f64, f64),
) -> Result<f64, StepFailure> {
    let (mut estimate, mut worst) = (0.0, 0);
    let h = state.step(&system.layout);
    let last = state.span(system.layout.velocity);
    let rate = state.span(system.layout.acceleration);
    let factors: [f64; BLOCK] =
        std::array::from_fn(|k| scheme.error_factor / if k < 3 { length_unit } else { 1.0 });
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        let first = BLOCK * body;
        let (mut largest, mut poison) = (0.0, 0.0);
        for (k, factor) in factors.iter().enumerate().take(entry.dof) {
            let at = first + k;
            let mut change = (stepper.delta[at] - stepper.predicted[at]).abs();
            let velocity = scheme.weights.u * stepper.delta[at] + stepper.velocity_offset[at];
            let gain = (velocity - last[at] - h * rate[at]).abs();
            poison += (change + gain) * 0.0;
            if scheme.stabilised {
                change = change.max(gain);
            }
            largest = (change * factor).max(largest);
        }
        if poison != 0.0 {
            return Err(StepFailure::NotFinite { worst: block.0 });
        }
        if largest > estimate {
            (estimate, worst) = (largest, block.0);
        }
    }
    let modal = flexible::error(system, state, stepper, scheme, length_unit)?;
    if modal.0 > estimate {
        (estimate, worst) = modal;
    }
    for (g, group) in system.groups.iter().enumerate() {
        let mine = &ws.multipliers[BLOCK * g..BLOCK * g + group.rows.len];
        if mine.iter().any(|l| !l.is_finite()) {
            return Err(StepFailure::NotFinite {
                worst: group.block.0,
            });
        }
    }
    let number = |k| system.number_of_equation(k);
    match stepper.states.error(system, state, &scheme.states) {
        Err(k) => return Err(StepFailure::NotFinite { worst: number(k) }),
        Ok((error, k)) if error > estimate => (estimate, worst) = (error, number(k)),
        Ok(_) => {}
    }
    if estimate > limit {
        return Err(StepFailure::LocalError {
            estimate,
            limit,
            worst,
        });
    }
    Ok(estimate)
}

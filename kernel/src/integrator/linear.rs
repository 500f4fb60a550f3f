//! Data plane: linearly implicit mode — one solve per step.
//!
//! A step with one iteration is the scheme linearised at the start of the iteration. The remaining error is quadratic
//! in the distance to the solution, so the start matters:
//!
//! ```text
//! Δ* = h u_n + h² u̇_n                       GSTIFF, both formulations       (IMP-1)
//! ```
//! This is O(h³) from the solution, while h u_n is O(h²) from it. Second-order schemes have their own u̇_n in Δ⁰
//! anyway. There is no convergence test; instead the local error includes the change that another iteration would
//! make, with the same factors at the accepted state:
//!
//! ```text
//! e = max(e, |δ|),   A δ = −(s r, Φ)(x_{n+1})                               (IMP-2)
//! ```

use crate::ids::EquationId;
use crate::integrator::{Scheme, StepFailure, Stepper, flexible, residuals};
use crate::math::largest::Largest;
use crate::state::{State, StateFigure};
use crate::system::System;
use crate::system::entity::Entity;
use crate::system::residual;
use crate::system::stage::Balanced;

/// (IMP-1).
pub fn start(system: &System, state: &State, stepper: &mut Stepper, h: f64) {
    let acceleration = state.span(system.layout.acceleration);
    for at in 0..system.layout.velocity.len {
        stepper.delta[at] += h * h * acceleration[at];
    }
}

/// Completes the local error with (IMP-2), and tells whether the step must be rejected.
pub fn check(
    system: &System,
    state: &mut State,
    balanced: Balanced<'_>,
    stepper: &mut Stepper,
    scheme: &Scheme,
    (limit, length_unit): (f64, f64),
) -> Result<(), StepFailure> {
    let ws = residuals(system, state, balanced.evaluated(), stepper, scheme).release();
    stepper.factor.solve(&mut ws.rhs);
    let mut largest = Largest::<Entity>::default();
    for entry in &system.bodies {
        let Some(block) = entry.block else { continue };
        for (k, change) in ws.rhs[block.offset()..][..entry.dof].iter().enumerate() {
            if !change.is_finite() {
                return Err(StepFailure::NotFinite(block.into()));
            }
            let unit = if k < 3 { length_unit } else { 1.0 };
            largest.raise(change.abs() / unit, block.into());
        }
    }
    let modal = flexible::correction(system, ws, length_unit)?;
    largest.raise(modal.value, modal.of);
    for (k, entry) in system.equations.iter().enumerate() {
        let change = entry.weight(&scheme.weights) * ws.rhs[entry.block.offset() + entry.place];
        if !change.is_finite() {
            return Err(StepFailure::NotFinite(EquationId::from(k).into()));
        }
        if entry.is_algebraic() {
            continue;
        }
        let size = state.span(system.layout.states)[k].abs().max(1.0);
        largest.raise(change.abs() / size, EquationId::from(k).into());
    }
    let estimate = largest.value;
    if estimate > limit {
        return Err(StepFailure::LocalError {
            estimate,
            limit,
            entity: largest.of,
        });
    }
    let truncation = state.figure(&system.layout, StateFigure::LocalError);
    let error = residual::larger(truncation, estimate);
    state.set_figure(&system.layout, StateFigure::LocalError, error);
    Ok(())
}

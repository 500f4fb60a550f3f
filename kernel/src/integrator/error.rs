//! Data plane: checks a step before it is accepted: finite numbers and the local error.
//!
//! Milne's device estimates the error from the corrected and the predicted displacement. In formulation SI2 the
//! velocities u, predicted as u⁰ = u_n + h u̇_n, count too:
//!
//! ```text
//! e = ½ |Δ − Δ⁰| = ½ h² |u̇|                                                (GST-4)
//! e = max(½ |Δ − Δ⁰|, ½ |u − u⁰|)                                           (SI2-4)
//! ```
//! in user length units, radians, and those per second. The factor ½ is that of backward Euler; each scheme has its
//! own. The states of differential equations have theirs, (STA-4).

use crate::ids::BodyId;
use crate::integrator::{Motion, Scheme, StepFailure, Stepper, flexible};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::largest::Largest;
use crate::state::State;
use crate::system::entity::Entity;
use crate::system::layout::BLOCK;
use crate::system::{System, residual};
use crate::workspace::Workspace;
use core::f64::consts::PI;

/// The estimate, or the reason for rejecting the step.
pub fn check(
    system: &System,
    state: &State,
    ws: &Workspace,
    stepper: &mut Stepper,
    scheme: &Scheme,
    (limit, length_unit): (f64, f64),
) -> Result<f64, StepFailure> {
    let mut most = Largest::<Entity>::default();
    let h = state.step(&system.layout);
    let last = state.span(system.layout.velocity);
    let rate = state.span(system.layout.acceleration);
    let factors: [f64; BLOCK] =
        core::array::from_fn(|k| scheme.error_factor / if k < 3 { length_unit } else { 1.0 });
    let mut motion = Motion::default();
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        // All six numbers also for a point mass, whose rotations are zero.
        let own = |values: &[f64]| -> [f64; BLOCK] {
            let values = &values[BLOCK * body..][..BLOCK];
            core::array::from_fn(|k| values[k])
        };
        let (delta, predicted) = (own(&stepper.delta), own(&stepper.predicted));
        let (offset, last, rate) = (own(&stepper.velocity_offset), own(last), own(rate));
        let change: [f64; BLOCK] = core::array::from_fn(|k| (delta[k] - predicted[k]).abs());
        let gain: [f64; BLOCK] = core::array::from_fn(|k| {
            (scheme.weights.u * delta[k] + offset[k] - last[k] - h * rate[k]).abs()
        });
        if !residual::are_finite(&change) || !residual::are_finite(&gain) {
            return Err(StepFailure::NotFinite(block.into()));
        }
        let gains = f64::from(u8::from(scheme.stabilised));
        let mut largest = 0.0;
        for (k, factor) in factors.iter().enumerate() {
            let (change, gain) = (change[k] * factor, gain[k] * factor * gains);
            largest = if change > largest { change } else { largest };
            largest = if gain > largest { gain } else { largest };
            let unit = if k < 3 { length_unit } else { 1.0 };
            motion.error[k / 3].raise(change * unit, BodyId::from(body));
        }
        let turn = delta[3] * delta[3] + delta[4] * delta[4] + delta[5] * delta[5];
        motion.turn.raise(turn, BodyId::from(body));
        most.raise(largest, block.into());
    }
    motion.turn.value = motion.turn.value.sqrt() / PI;
    stepper.motion = motion;
    let modal = flexible::error(system, state, stepper, scheme, length_unit)?;
    most.raise(modal.value, modal.of);
    if !residual::are_finite(&ws.multipliers) {
        let bad = |g: &usize| !residual::are_finite(&ws.multipliers[BLOCK * g..][..BLOCK]);
        let group = (0..system.groups.len()).find(bad);
        let entity = group.map(|g| system.groups[g].block.into());
        return Err(StepFailure::NotFinite(entity.unwrap_or_default()));
    }
    let states = stepper.states.error(system, state, &scheme.states)?;
    most.raise(states.value, states.of);
    let estimate = most.value;
    if estimate > limit {
        return Err(StepFailure::LocalError {
            estimate,
            limit,
            entity: most.of,
        });
    }
    Ok(estimate)
}

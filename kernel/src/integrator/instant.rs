//! Data plane: the true accelerations at an accepted state, which differ from the scheme's own in HHT and
//! generalized-α.
//!
//! The a of HHT and of the generalized-α method belongs to an instant within the step. At the end of the step,
//! (ALP-2) and (ALP-3) give
//!
//! ```text
//! u̇ = κ a + M⁻¹ h        of flexible bodies κ a + b                                 (ALP-4)
//! ```
//! This satisfies M u̇ = f with the forces at the end of the step. The other schemes have κ = 1 and h = 0.

use crate::elements::bodies::InertiaTerm;
use crate::state::State;
use crate::system::flexible::modal_part;
use crate::system::residual::inertia;
use crate::system::stage::Evaluated;
use crate::system::{System, eval};
use crate::workspace::{Values, Workspace};

/// Evaluates the outputs with the accelerations of the instant, then restores those of the scheme.
pub fn show_outputs<'w>(system: &System, state: &State, evaluated: Evaluated<'w>) -> Evaluated<'w> {
    showing(system, state, evaluated, |ws| {
        eval::outputs(system, state, ws);
    })
}

/// Reads by `read` with the accelerations of the instant, then restores those of the scheme.
pub fn showing<'w>(
    system: &System,
    state: &State,
    evaluated: Evaluated<'w>,
    read: impl FnOnce(&mut Values),
) -> Evaluated<'w> {
    let ws = evaluated.release();
    enter(system, state, ws);
    read(&mut ws.values);
    leave(system, state, ws);
    Evaluated::kept(ws)
}

/// Replaces the scheme's accelerations by those of the instant, if anything reads accelerations between steps.
pub fn enter(system: &System, state: &State, ws: &mut Values) {
    if !system.schedule.shows_accelerations {
        return;
    }
    for (body, entry) in system.bodies.iter().enumerate() {
        if entry.block.is_none() {
            continue;
        }
        let InertiaTerm {
            weight,
            force,
            torque,
        } = ws.inertia_terms[body];
        let (linear, angular) = match entry.flexible {
            Some(_) => (force, torque),
            None => inertia(system, state, body).solve(&force, &torque),
        };
        let kinematics = &mut ws.bodies[body];
        kinematics.a = kinematics.a * weight + linear;
        kinematics.w_dot = kinematics.w_dot * weight + angular;
    }
    for (entry, motion) in system.flexibles.iter().zip(&mut ws.flexible.motions) {
        let weight = ws.inertia_terms[entry.body].weight;
        let own = &ws.flexible.modal_history[entry.modal.range()];
        for (a, b) in motion.a.iter_mut().zip(own) {
            *a = *a * weight + b;
        }
    }
    eval::markers(system, ws);
}

/// Restores the accelerations of the scheme.
pub fn leave(system: &System, state: &State, ws: &mut Workspace) {
    if system.schedule.shows_accelerations {
        eval::kinematics_at_state(system, state, ws);
    }
}

/// Changes the history in the workspace so that u̇ and a change alike: u̇ = a + (u̇ − a) of a base state.
pub fn hold_history(system: &System, base: &State, ws: &mut Values) {
    let layout = &system.layout;
    for (body, entry) in system.bodies.iter().enumerate() {
        let (a, w_dot) = base.rates(layout.acceleration, body);
        let (linear, angular) = match entry.flexible {
            Some(_) => (a, w_dot),
            None => inertia(system, base, body).times(&a, &w_dot),
        };
        let term = &mut ws.inertia_terms[body];
        let more = term.weight - 1.0;
        term.force += linear * more;
        term.torque += angular * more;
    }
    let modal = base.span(modal_part(system, layout.acceleration));
    for entry in &system.flexibles {
        let more = ws.inertia_terms[entry.body].weight - 1.0;
        for n in entry.modal.range() {
            ws.flexible.modal_history[n] += modal[n] * more;
        }
    }
    for term in &mut ws.inertia_terms {
        term.weight = 1.0;
    }
}

//! Data plane: modal coordinates in a step. A step treats them as displacements of bodies without rotations.

use crate::ids::BodyId;
use crate::integrator::{Scheme, StepFailure, Stepper};
use crate::math::largest::Largest;
use crate::state::State;
use crate::system::System;
use crate::system::entity::Entity;
use crate::system::flexible::{self, modal_part};
use crate::workspace::Workspace;

/// Modal coordinates, velocities and accelerations at the displaced state.
pub fn displace(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    stepper: &Stepper,
    scheme: &Scheme,
) {
    let (first, w) = (system.modal_first(), &scheme.weights);
    let from = state.span(system.layout.modal);
    for (entry, motion) in system.flexibles.iter().zip(&mut ws.flexible.motions) {
        for j in 0..entry.modal.len {
            let (n, at) = (entry.modal.first + j, first + entry.modal.first + j);
            let delta = stepper.delta[at];
            motion.q[j] = from[n] + delta * w.x;
            motion.v[j] = delta * w.u + stepper.velocity_offset[at];
            motion.a[j] = delta * w.a + stepper.acceleration_offset[at];
        }
    }
}

/// Adds Newton's correction.
pub fn update(system: &System, ws: &Workspace, stepper: &mut Stepper) {
    let first = system.modal_first();
    for entry in &system.flexibles {
        for j in 0..entry.modal.len {
            stepper.delta[first + entry.modal.first + j] += ws.rhs[entry.row(j)];
        }
    }
}

/// Writes the displaced coordinates into the state.
pub fn accept(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    stepper: &Stepper,
    scheme: &Scheme,
) {
    if system.flexibles.is_empty() {
        return;
    }
    displace(system, state, ws, stepper, scheme);
    let layout = &system.layout;
    let [velocity, acceleration] =
        [layout.velocity, layout.acceleration].map(|span| modal_part(system, span));
    for (entry, motion) in system.flexibles.iter().zip(&ws.flexible.motions) {
        let range = entry.modal.range();
        state.span_mut(layout.modal)[range.clone()].copy_from_slice(&motion.q);
        state.span_mut(velocity)[range.clone()].copy_from_slice(&motion.v);
        state.span_mut(acceleration)[range].copy_from_slice(&motion.a);
    }
    let history = modal_part(system, layout.history);
    state
        .span_mut(history)
        .copy_from_slice(&ws.flexible.modal_history);
}

/// b of (ALP-3) for modal coordinates.
pub fn history(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    (of_scheme, of_last): (f64, f64),
) {
    let [scheme, last] = [system.layout.acceleration, system.layout.forces]
        .map(|span| state.span(modal_part(system, span)));
    for ((history, a), u_dot) in ws.flexible.modal_history.iter_mut().zip(scheme).zip(last) {
        *history = a * of_scheme - u_dot * of_last;
    }
}

/// Stores u̇ of (ALP-3) of the accepted state in the place where [`super::accepted::remember_forces`] stores the
/// forces of rigid bodies.
pub fn remember(system: &System, state: &mut State, ws: &Workspace) {
    let layout = &system.layout;
    for entry in &system.flexibles {
        let term = &ws.inertia_terms[entry.body];
        let (a, w_dot) = state.rates(layout.acceleration, entry.body);
        let (linear, angular) = (
            a * term.weight + term.force,
            w_dot * term.weight + term.torque,
        );
        state.set_rates(layout.forces, entry.body, &linear, &angular);
        let [scheme, last] =
            [layout.acceleration, layout.forces].map(|span| modal_part(system, span).first);
        for n in entry.modal.range() {
            let a = state.reals[scheme + n];
            state.reals[last + n] = a * term.weight + ws.flexible.modal_history[n];
        }
    }
}

/// The largest error of modal coordinates, as displacements of node frames in user length units, and the body.
/// Quasi-static coordinates follow their loads without inertia.
pub fn error(
    system: &System,
    state: &State,
    stepper: &Stepper,
    scheme: &Scheme,
    length_unit: f64,
) -> Result<Largest<Entity>, StepFailure> {
    let h = state.step(&system.layout);
    let last = state.span(modal_part(system, system.layout.velocity));
    let rate = state.span(modal_part(system, system.layout.acceleration));
    let mut largest = Largest::default();
    for entry in &system.flexibles {
        let entity = Entity::Modal(BodyId::from(entry.body));
        for j in 0..entry.modal.len {
            let n = entry.modal.first + j;
            let at = system.modal_first() + n;
            let mut change = (stepper.delta[at] - stepper.predicted[at]).abs();
            let velocity = scheme.weights.u * stepper.delta[at] + stepper.velocity_offset[at];
            let gain = (velocity - last[n] - h * rate[n]).abs();
            if !(change.is_finite() && gain.is_finite()) {
                return Err(StepFailure::NotFinite(entity));
            }
            if entry.element.is_quasi_static(j) {
                continue;
            }
            if scheme.stabilised {
                change = change.max(gain);
            }
            let error = scheme.error_factor * change * entry.reach[j] / length_unit;
            largest.raise(error, entity);
        }
    }
    Ok(largest)
}

/// The largest correction in a right-hand side, likewise.
pub fn correction(
    system: &System,
    ws: &Workspace,
    length_unit: f64,
) -> Result<Largest<Entity>, StepFailure> {
    let mut largest = Largest::default();
    for entry in &system.flexibles {
        let entity = Entity::Modal(BodyId::from(entry.body));
        for j in 0..entry.modal.len {
            let change = ws.rhs[entry.row(j)];
            if !change.is_finite() {
                return Err(StepFailure::NotFinite(entity));
            }
            largest.raise(change.abs() * entry.reach[j] / length_unit, entity);
        }
    }
    Ok(largest)
}

/// The modal part of a step of formulation SI2.
pub fn correct(system: &System, rhs: &[f64], correction: &mut [f64]) {
    for entry in &system.flexibles {
        let from = system.modal_first() + entry.modal.first;
        for (j, x) in correction[from..from + entry.modal.len]
            .iter_mut()
            .enumerate()
        {
            *x += rhs[entry.row(j)];
        }
    }
}

/// Start of the iteration of formulation SI2, for the modal coordinates alone.
pub fn first_correction(system: &System, rhs: &[f64], correction: &mut [f64]) {
    for entry in &system.flexibles {
        let from = system.modal_first() + entry.modal.first;
        for (j, x) in correction[from..from + entry.modal.len]
            .iter_mut()
            .enumerate()
        {
            *x = if entry.element.is_quasi_static(j) {
                0.0
            } else {
                rhs[entry.row(j)] * entry.element.modal_mobility(j)
            };
        }
    }
}

/// Writes the model's modal coordinates and velocities into the state.
pub fn place(system: &System, state: &mut State) {
    let velocity = modal_part(system, system.layout.velocity);
    for entry in &system.flexibles {
        let range = entry.modal.range();
        state.span_mut(system.layout.modal)[range.clone()].copy_from_slice(&entry.initial[0]);
        state.span_mut(velocity)[range].copy_from_slice(&entry.initial[1]);
    }
}

/// Condenses loads in the rows of node frames onto their bodies.
pub fn gather(system: &System, ws: &Workspace, rhs: &mut [f64]) {
    if !system.frames.is_empty() {
        flexible::gather(system, ws, rhs);
    }
}

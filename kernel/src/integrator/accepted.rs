//! Data plane: evaluates an accepted state: everything that can be read there, and the forces and derivatives of
//! states that the next step averages with its own.

use crate::elements::angle;
use crate::elements::bodies::InertiaTerm;
use crate::elements::forces::contact::{self, ContactLaw, MEMORY};
use crate::elements::forces::{ForceContext, ForceLaw};
use crate::integrator::{flexible, instant, states};
use crate::math::Vec3;
use crate::mechanism::NormalLaw;
use crate::state::{State, StateFigure, vec3};
use crate::system::flexible::modal_part;
use crate::system::residual;
use crate::system::stage::{Balanced, Evaluated, Placed};
use crate::system::{System, eval};
use crate::workspace::Workspace;

/// Stores the forces of the accepted state, Q − Gᵀλ with the gyroscopic term, for schemes that use them in the next
/// step. The residual, as [`refresh`] leaves it, is what the forces lack for balance.
pub fn remember_forces(system: &System, state: &mut State, ws: &Balanced<'_>) {
    states::remember(system, state, ws);
    flexible::remember(system, state, ws);
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block.filter(|_| entry.flexible.is_none()) else {
            continue;
        };
        let term = &ws.inertia_terms[body];
        let kinematics = &ws.bodies[body];
        let inertia = residual::inertia(system, state, body);
        let (force, torque) = inertia.times(&kinematics.a, &kinematics.w_dot);
        let missed = vec3(&ws.rhs, block.offset());
        let force = force * term.weight + term.force - missed;
        let torque = if entry.dof == 6 {
            let missed = kinematics
                .rotation
                .tr_mul(&vec3(&ws.rhs, block.offset() + 3));
            torque * term.weight + term.torque - missed
        } else {
            Vec3::zeros()
        };
        state.set_rates(system.layout.forces, body, &force, &torque);
    }
}

/// Updates the counted angles to the present kinematics, each within half a turn of its last value.
pub fn count_angles(system: &System, state: &mut State, ws: &Placed<'_>) {
    for (k, (def, i, j)) in system.angles.iter().enumerate() {
        let (i, j) = (&ws.markers[i.index()], &ws.markers[j.index()]);
        let counted = &mut state.span_mut(system.layout.angles)[k];
        *counted = angle::unwrap(angle::principal(def, i, j), *counted);
    }
}

/// Updates the memory of contacts from the present kinematics.
pub fn remember_contacts(system: &System, state: &mut State, ws: &Placed<'_>) {
    for_points(system, state, ws, |law, c, k| {
        Some(contact::remembered(law, c, k))
    });
}

/// The damping of contacts that have touched for less than a time \[s\] is that of their present approach: for steps that
/// end where a contact begins.
pub fn begin_contacts(system: &System, state: &mut State, ws: &Placed<'_>, since: f64) {
    for_points(system, state, ws, |law, c, k| {
        (law.law == NormalLaw::Restitution).then(|| contact::begun(law, c, k, since))
    });
}

/// Finds the feet of contacts with curves at the present kinematics, wherever they were before: for steps in which a
/// body turns farther than its foot could be followed.
pub fn find_feet(system: &System, state: &mut State, ws: &Placed<'_>) {
    for_points(system, state, ws, |law, c, k| {
        law.is_on_a_curve().then(|| contact::refound(law, c, k))
    });
}

/// Replaces the memory of the points of contacts.
fn for_points(
    system: &System,
    state: &mut State,
    ws: &Placed<'_>,
    memory: impl Fn(&ContactLaw, &ForceContext<'_>, usize) -> Option<[f64; MEMORY]>,
) {
    for (f, force) in system.forces.iter().enumerate() {
        let ForceLaw::Contact(law) = &force.law else {
            continue;
        };
        for k in 0..law.memories() / MEMORY {
            if let Some(new) = memory(law, &eval::context(system, state, ws, f), k) {
                let first = law.memory + MEMORY * k;
                state.span_mut(system.layout.contacts)[first..first + MEMORY].copy_from_slice(&new);
            }
        }
    }
}

/// Evaluates everything that can be read at the accepted state: [`show`], and the residual of its motion. Called
/// after a step.
pub fn refresh<'w>(system: &System, state: &mut State, ws: &'w mut Workspace) -> Balanced<'w> {
    let evaluated = show(system, state, ws);
    let balanced = residual::motion(system, state, evaluated, 1.0);
    let largest = residual::largest(&balanced.rhs);
    state.set_figure(&system.layout, StateFigure::Residual, largest);
    balanced
}

/// Loads the inertia terms that the last step left.
pub fn load_history(system: &System, state: &State, ws: &mut Workspace) {
    let layout = &system.layout;
    let weight = state.reals[layout.inertia_weight.first];
    for (body, term) in ws.inertia_terms.iter_mut().enumerate() {
        let (force, torque) = state.rates(layout.history, body);
        *term = InertiaTerm {
            weight,
            force,
            torque,
        };
    }
    let history = modal_part(system, layout.history);
    ws.flexible
        .modal_history
        .copy_from_slice(state.span(history));
}

/// Evaluates kinematics, counted angles, forces and outputs at the accepted state. Called after a restore: the
/// figures are part of the state.
pub fn show<'w>(system: &System, state: &mut State, ws: &'w mut Workspace) -> Evaluated<'w> {
    let layout = &system.layout;
    let time = state.time(layout);
    load_history(system, state, ws);
    let mut placed = eval::kinematics_at_state(system, state, ws);
    count_angles(system, state, &placed);
    remember_contacts(system, state, &placed);
    let state: &mut State = state;
    let integrated = |m: usize| {
        let span = state.span(layout.motions);
        (span[2 * m], span[2 * m + 1])
    };
    placed.targets(system, state, time, integrated);
    let evaluated = residual::evaluate(system, state, placed, time);
    instant::show_outputs(system, state, evaluated)
}

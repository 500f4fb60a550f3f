//! Data plane: detects shapes that pass through each other between two steps.

use crate::elements::forces::ForceLaw;
use crate::elements::forces::contact::passage;
use crate::ids::ForceId;
use crate::math::Vec3;
use crate::mechanism::{Culprit, Reading};
use crate::state::{State, vec3};
use crate::system::energy::PLACE;
use crate::system::{System, eval};
use crate::workspace::Workspace;

/// Stores the positions of spheres at the start of a run.
pub(super) fn open(system: &System, state: &mut State, ws: &Workspace) {
    let mut at = system.layout.passing.first;
    for (f, force) in system.forces.iter().enumerate() {
        if let ForceLaw::Contact(law) = &force.law
            && passage::may_pass(law)
        {
            let place = passage::place(law, &eval::context(system, state, ws, f));
            keep(state, &mut at, &place);
        }
    }
}

fn keep(state: &mut State, at: &mut usize, place: &Vec3) {
    state.reals[*at..*at + PLACE].copy_from_slice(place.as_slice());
    *at += PLACE;
}

/// The contact whose shapes passed through each other in an accepted step, or came nearest to it.
pub(super) fn read(system: &System, state: &mut State, ws: &Workspace) -> Reading {
    let h = state.step(&system.layout);
    let mut worst = Reading::default();
    let mut at = system.layout.passing.first;
    for (f, force) in system.forces.iter().enumerate() {
        let ForceLaw::Contact(law) = &force.law else {
            continue;
        };
        if !passage::may_pass(law) {
            continue;
        }
        let last = vec3(&state.reals, at);
        let seen = passage::passage(law, &eval::context(system, state, ws, f), &last, h);
        if seen.value > worst.value {
            worst = Reading {
                value: seen.value,
                amount: seen.moved,
                is_angle: false,
                culprit: Culprit::Passage(ForceId::from(f)),
            };
        }
        keep(state, &mut at, &seen.place);
    }
    worst
}

//! Data plane: gradients of the rates of bristle deflection in joint friction.

use super::add_end;
use crate::elements::forces::{self, ForceLaw};
use crate::elements::kinematics::Weights;
use crate::mechanism::Leaf;
use crate::state::State;
use crate::system::System;
use crate::system::eval::context;
use crate::workspace::Values;

/// Gradient of the rate of a bristle.
#[inline(never)]
pub(super) fn rate_gradient(
    system: &System,
    state: &State,
    ws: &mut Values,
    weights: &Weights,
    leaf: usize,
) {
    let Leaf::BristleRate {
        friction,
        component,
        scale,
    } = &system.leaves[leaf]
    else {
        return;
    };
    let place = &system.schedule.leaves[leaf];
    let element = &system.forces[friction.index()];
    let ForceLaw::JointFriction(law) = &element.law else {
        return;
    };
    let context = context(system, state, ws, friction.index());
    let (ends, own) = forces::friction::rate_gradient(law, &context, *component);
    ws.row_arena[place.range()].fill([0.0; 6]);
    let links = &system.schedule.links;
    for end in links.ends(place) {
        add_end(ws, end, &ends[end.of as usize], (weights, *scale));
    }
    for state in links.own(place) {
        let entry = &system.equations[state.from as usize];
        let slope = own * scale * entry.weight(weights);
        ws.row_arena[state.to as usize][entry.place] += slope;
    }
}

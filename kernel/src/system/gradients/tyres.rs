//! Data plane: gradients of tyre quantities that expressions read.

use super::add_end;
use crate::elements::forces::{ForceLaw, relative};
use crate::elements::kinematics::Weights;
use crate::mechanism::TyreChannel;
use crate::system::System;
use crate::system::schedule::Place;
use crate::workspace::Values;

/// Gradient of one tyre quantity, times a factor.
#[inline(never)]
pub(super) fn leaf_gradient(
    system: &System,
    ws: &mut Values,
    weights: &Weights,
    place: &Place,
    (force, channel, scale): (usize, TyreChannel, f64),
) {
    let element = &system.forces[force];
    let ForceLaw::Tyre { tyre, .. } = element.law else {
        return;
    };
    let read = &ws.tyres[tyre.index()].channels[channel as usize];
    let slopes = read.slopes.map(|x| x * scale);
    let (i, j) = (
        &ws.markers[element.i.index()],
        &ws.markers[element.j.index()],
    );
    let ends = relative::cotangents(i, j, &slopes);
    let links = &system.schedule.links;
    for end in links.ends(place) {
        add_end(ws, end, &ends[end.of as usize], (weights, 1.0));
    }
    for state in links.own(place) {
        let entry = &system.equations[state.from as usize];
        let slope = slopes[12 + state.of as usize] * weights.z;
        ws.row_arena[state.to as usize][entry.place] += slope;
    }
}

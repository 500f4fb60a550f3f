//! Data plane: gradients of what expressions read of tyres.

use super::add_cotangent;
use crate::elements::forces::{ForceLaw, relative};
use crate::elements::kinematics::Weights;
use crate::mechanism::TyreChannel;
use crate::system::System;
use crate::system::schedule::Place;
use crate::workspace::Workspace;

/// Gradient of one number that a tyre shows, times a factor.
pub(super) fn leaf_gradient(
    system: &System,
    ws: &mut Workspace,
    weights: &Weights,
    place: &Place,
    (force, channel, scale): (usize, TyreChannel, f64),
) {
    let element = &system.forces[force];
    let ForceLaw::Tyre { tyre, states } = element.law else {
        return;
    };
    let slopes = ws.tyres[tyre.index()].slopes[channel as usize].map(|x| x * scale);
    let (i, j) = (
        &ws.markers[element.i.index()],
        &ws.markers[element.j.index()],
    );
    let ends = relative::cotangents(i, j, &slopes);
    for (marker, cotangent) in [element.i, element.j].into_iter().zip(&ends) {
        add_cotangent(system, ws, place, marker, cotangent, (weights, 1.0));
    }
    for (k, equation) in states.into_iter().flatten().enumerate() {
        let entry = &system.equations[equation];
        if let Some(at) = place.position(entry.block) {
            ws.row_arena[place.first + at][entry.place] += slopes[12 + k] * weights.z;
        }
    }
}

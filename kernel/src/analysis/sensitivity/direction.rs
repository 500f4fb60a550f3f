//! Data plane: moves a state along a direction, and chooses the increment of a difference.
//!
//! A direction is laid out as the state; poses hold the displacement and the rotation in body axes.

use crate::math::rotation::{exp_quaternion, multiply, normalized};
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::layout::{POSE, Span};

/// Increment of what the caller sets, relative to its size.
const PART: f64 = 1e-4;

/// Increment of positions, rotations and modal coordinates [m, rad], and of states relative to their size.
const DISTANCE: f64 = 1e-5;

/// Increment of velocities [m/s, rad/s]; small because friction is steep.
const SPEED: f64 = 1e-4;

/// The state, moved by `by` along a direction.
pub(super) fn shifted(system: &System, base: &State, direction: &[f64], by: f64, to: &mut State) {
    let layout = &system.layout;
    to.copy_from(base);
    for span in [
        layout.time,
        layout.modal,
        layout.velocity,
        layout.acceleration,
        layout.states,
        layout.multipliers,
        layout.motions,
        layout.inputs,
        layout.parameters,
        layout.numbers,
    ] {
        let rates = &direction[span.range()];
        for (x, rate) in to.span_mut(span).iter_mut().zip(rates) {
            *x += by * rate;
        }
    }
    for body in 0..system.bodies.len() {
        let at = layout.pose.first + POSE * body;
        let r = base.position(layout, body) + vec3(direction, at) * by;
        let turn = exp_quaternion(&(vec3(direction, at + 3) * by));
        let turned = normalized(&multiply(&base.quaternion(layout, body), &turn));
        to.set_pose(layout, body, &r, &turned);
    }
}

/// The increment along a direction: a small fraction of the size of all that moves.
pub(super) fn reach(system: &System, base: &State, direction: &[f64]) -> f64 {
    let layout = &system.layout;
    let mut steepest = 0.0_f64;
    let mut over = |span: Span, sized: bool, part: f64| {
        for (rate, x) in direction[span.range()].iter().zip(base.span(span)) {
            let size = if sized { x.abs().max(1.0) } else { 1.0 };
            steepest = steepest.max(rate.abs() / (size * part));
        }
    };
    for span in [layout.inputs, layout.parameters] {
        over(span, true, PART);
    }
    for span in [layout.states, layout.motions] {
        over(span, true, DISTANCE);
    }
    for span in [layout.pose, layout.modal] {
        over(span, false, DISTANCE);
    }
    over(layout.velocity, false, SPEED);
    if steepest > 0.0 && steepest.is_finite() {
        1.0 / steepest
    } else {
        1.0
    }
}

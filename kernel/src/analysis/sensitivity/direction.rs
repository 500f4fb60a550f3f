//! Data plane: states along a direction, and how far a difference goes there.
//!
//! A direction has the spans of the state; of poses it holds the displacement and the rotation in body
//! axes.

use crate::math::rotation::{exp_quaternion, multiply, normalized};
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::layout::{POSE, Span};

/// How far a difference goes in what is set, of its size.
const PART: f64 = 1e-4;

/// How far it goes in positions, rotations and modal coordinates [m, rad], and in states, of their size.
const DISTANCE: f64 = 1e-5;

/// How far it goes in velocities [m/s, rad/s], where friction is steep.
const SPEED: f64 = 1e-4;

/// The state some way along a direction.
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

/// How far a difference goes along a direction: a small part of the size of all that moves.
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

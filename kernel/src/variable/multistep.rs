//! The equations of a step of backward differentiation, from the remembered values.

use super::history::History;
use super::weights::{POINTS, Weights};
use crate::integrator::states::Coefficients;
use crate::integrator::{Scheme, Stepper, gstiff};
use crate::math::Vec3;
use crate::math::rotation::left_tangent;
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::layout::BLOCK;

/// The weights of a step: w_j of (VAR-3), the first that of Δ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slopes {
    order: usize,
    /// So many remembered instants have weights.
    past: usize,
    weights: [f64; POINTS],
}

/// h w_j of (VAR-27), the trapezoidal rule on an imagined past.
const TRAPEZOIDAL: [f64; 4] = [2.0, -3.5, 2.0, -0.5];

impl Slopes {
    /// For a step of h after the remembered instants.
    pub(super) fn new(history: &History, order: usize, h: f64) -> Self {
        let order = order.min(history.filled);
        let mut points = [0.0; POINTS];
        if history.starts() {
            for (weight, w) in points.iter_mut().zip(TRAPEZOIDAL) {
                *weight = w / h;
            }
            return Self {
                order,
                past: TRAPEZOIDAL.len() - 1,
                weights: points,
            };
        }
        for j in 0..order {
            points[j + 1] = history.times[j] - h;
        }
        Self {
            order,
            past: order,
            weights: Weights::new(&points[..=order]).slope,
        }
    }

    /// w_0.
    pub(super) fn own(&self) -> f64 {
        self.weights[0]
    }

    /// The scheme with these weights.
    pub(super) fn scheme(&self) -> Scheme {
        let h = 1.0 / self.own();
        gstiff::scheme(h, Coefficients::backward(h))
    }

    /// The start of Newton's iteration, and the affine maps (VAR-3) and (VAR-4).
    pub(super) fn predict(
        &self,
        system: &System,
        stepper: &mut Stepper,
        history: &History,
        predicted: &[f64],
    ) {
        stepper.delta.copy_from_slice(predicted);
        stepper.predicted.copy_from_slice(predicted);
        let past = &self.weights[1..=self.past];
        let velocities = &mut stepper.velocity_offset;
        velocities.fill(0.0);
        for (moved, w) in history.moved.iter().zip(past) {
            add(velocities, *w, moved);
        }
        for (body, entry) in system.bodies.iter().enumerate() {
            if entry.block.is_none() {
                continue;
            }
            let at = BLOCK * body + 3;
            let theta = vec3(&stepper.predicted, at);
            let turned: Vec3 = left_tangent(&theta).tr_mul(&vec3(velocities, at));
            velocities[at..at + 3].copy_from_slice(turned.as_slice());
        }
        stepper.acceleration_offset.fill(0.0);
        add(&mut stepper.acceleration_offset, self.own(), velocities);
        for (rates, w) in history.rates.iter().zip(past) {
            add(&mut stepper.acceleration_offset, *w, rates);
        }
    }

    /// The same for the states of differential equations, which are first-order in every method.
    pub(super) fn predict_states(
        &self,
        system: &System,
        state: &State,
        stepper: &mut Stepper,
        (history, h): (&History, f64),
    ) {
        let order = self.order;
        let values = history.values(order + 1, h);
        let known = history.filled > order;
        let present = &history.states[0];
        for (k, entry) in system.equations.iter().enumerate() {
            let past = |weights: &[f64]| -> f64 {
                { history.states.iter().zip(weights) }
                    .map(|(z, w)| w * (z[k] - present[k]))
                    .sum()
            };
            let fixed = -past(&self.weights[1..=self.past]) / self.own();
            let started = if known && !entry.is_algebraic() {
                past(&values[..=order])
            } else {
                0.0
            };
            stepper.states.start(k, started, fixed);
        }
        stepper.states.hold_bristles(system, state);
    }
}

/// w_0 of (VAR-3) alone: the sum of the inverse distances of the past instants, by differentiating the product of
/// Lagrange's polynomial.
pub(super) fn own_slope(history: &History, order: usize, h: f64) -> f64 {
    let past = &history.times[..order.min(history.filled)];
    past.iter().map(|time| 1.0 / (h - time)).sum()
}

/// Adds a multiple of a list of numbers.
pub(super) fn add(to: &mut [f64], factor: f64, numbers: &[f64]) {
    for (x, y) in to.iter_mut().zip(numbers) {
        *x += factor * y;
    }
}

impl History {
    /// p_j of (VAR-5) at an instant after the newest pose, by this many poses.
    pub(super) fn values(&self, count: usize, after: f64) -> [f64; POINTS] {
        let mut points = [0.0; POINTS];
        for (point, time) in points.iter_mut().zip(&self.times) {
            *point = time - after;
        }
        Weights::new(&points[..count.min(self.filled)]).value
    }

    /// Δ⁰ of (VAR-5) by a polynomial of this degree; where too few poses are known, by the velocity.
    pub(super) fn extrapolate(&self, degree: usize, h: f64, to: &mut [f64]) {
        to.fill(0.0);
        if self.filled < degree + 1 {
            add(to, h, &self.rates[0]);
            return;
        }
        let values = self.values(degree + 1, h);
        for (moved, p) in self.moved[..=degree].iter().zip(values) {
            add(to, p, moved);
        }
    }

    /// The velocities of (VAR-5), likewise.
    pub(super) fn extrapolate_rates(&self, degree: usize, h: f64, to: &mut [f64]) {
        to.fill(0.0);
        let count = (degree + 1).min(self.filled);
        let values = self.values(count, h);
        for (rates, p) in self.rates[..count].iter().zip(values) {
            add(to, p, rates);
        }
    }
}

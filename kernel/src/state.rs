//! Data plane: the state of a run: everything that must survive from one step to the next, in one buffer of numbers
//! and one of counters.
//!
//! Saving, restoring and serialising a run copies these two buffers. [`crate::system::layout::Layout`] describes
//! them.

use crate::math::rotation::{Quaternion, matrix};
use crate::math::{Mat3, Vec3};
use crate::system::layout::{Layout, POSE, RATE, Span};
use alloc::boxed::Box;
use alloc::vec;

/// Numbers below this are set to zero where they enter a run and at the end of a step: a denormal operand makes an
/// operation fifty times slower, which a fixed step cannot afford.
pub const FLUSH_BELOW: f64 = 1e-150;

/// Whole numbers of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Counter {
    /// Steps since the time base: time = base + n·h.
    SinceBase,
    /// Accepted steps since the start.
    Steps,
    /// Jacobians of the last step.
    Jacobians,
    /// Newton iterations of the last step.
    Iterations,
    /// Steps that needed the dense factorisation.
    Fallbacks,
    /// 1 after a consistent start.
    Started,
    /// Steps with factors that lost digits.
    Degraded,
}

/// Number of counters.
pub const COUNTERS: usize = 7;

/// Figures that are part of the state, so that a restored run reports what the saved one did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum StateFigure {
    /// Largest force or torque residual [N, N m].
    Residual,
    /// Local error estimate [user length units, rad].
    LocalError,
    /// Largest |Δ − h u| of formulation SI2 [user length units, rad].
    DriftCorrection,
}

/// Number of figures.
pub const FIGURES: usize = 3;

/// The resumable state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// All numbers, by the spans of the layout.
    pub reals: Box<[f64]>,
    /// All counters, by [`Counter`].
    pub counters: [u64; COUNTERS],
}

impl State {
    /// Copies everything except the memory of delays, to which only an accepted step adds.
    pub fn copy_without_delays(&mut self, other: &Self, layout: &Layout) {
        let end = layout.delays.first;
        self.reals[..end].copy_from_slice(&other.reals[..end]);
        self.counters = other.counters;
    }

    /// Copies another state of the same layout; does not allocate.
    pub fn copy_from(&mut self, other: &Self) {
        self.reals.copy_from_slice(&other.reals);
        self.counters = other.counters;
    }

    /// Does another state of the same layout have the same bits?
    pub fn is_same(&self, other: &Self) -> bool {
        let mut pairs = self.reals.iter().zip(&other.reals);
        self.counters == other.counters && pairs.all(|(a, b)| a.to_bits() == b.to_bits())
    }

    /// All zero, orientations identity.
    pub fn new(layout: &Layout) -> Self {
        let mut state = Self {
            reals: vec![0.0; layout.len].into_boxed_slice(),
            counters: [0; COUNTERS],
        };
        for body in 0..layout.bodies {
            state.reals[layout.pose.first + POSE * body + 3] = 1.0;
        }
        state
    }

    /// A span as a slice.
    pub fn span(&self, span: Span) -> &[f64] {
        &self.reals[span.range()]
    }

    /// A span as a mutable slice.
    pub fn span_mut(&mut self, span: Span) -> &mut [f64] {
        &mut self.reals[span.range()]
    }

    /// A counter.
    pub fn counter(&self, counter: Counter) -> u64 {
        self.counters[counter as usize]
    }

    /// A counter, to change.
    pub fn counter_mut(&mut self, counter: Counter) -> &mut u64 {
        &mut self.counters[counter as usize]
    }

    /// Time of the last accepted step \[s\].
    pub fn time(&self, layout: &Layout) -> f64 {
        self.time_after(layout, 0)
    }

    /// Time after this many more steps \[s\].
    pub fn time_after(&self, layout: &Layout, steps: u64) -> f64 {
        let [base, h] = [
            self.reals[layout.time.first],
            self.reals[layout.time.first + 1],
        ];
        base + (self.counter(Counter::SinceBase) + steps) as f64 * h
    }

    /// Step size \[s\].
    pub fn step(&self, layout: &Layout) -> f64 {
        self.reals[layout.time.first + 1]
    }

    /// Position of a body's centre of mass.
    #[inline]
    pub fn position(&self, layout: &Layout, body: usize) -> Vec3 {
        vec3(&self.reals, layout.pose.first + POSE * body)
    }

    /// Orientation of a body as a quaternion.
    #[inline]
    pub fn quaternion(&self, layout: &Layout, body: usize) -> Quaternion {
        let at = layout.pose.first + POSE * body + 3;
        let q = &self.reals[at..at + 4];
        [q[0], q[1], q[2], q[3]]
    }

    /// Orientation of a body as a matrix.
    #[inline]
    pub fn rotation(&self, layout: &Layout, body: usize) -> Mat3 {
        matrix(&self.quaternion(layout, body))
    }

    /// Sets a body's pose.
    #[inline]
    pub fn set_pose(&mut self, layout: &Layout, body: usize, r: &Vec3, q: &Quaternion) {
        let at = layout.pose.first + POSE * body;
        self.reals[at..at + 3].copy_from_slice(r.as_slice());
        self.reals[at + 3..at + POSE].copy_from_slice(q);
    }

    /// Linear (ground axes) and angular (body axes) parts of a body's rate span.
    #[inline]
    pub fn rates(&self, span: Span, body: usize) -> (Vec3, Vec3) {
        let at = span.first + RATE * body;
        (vec3(&self.reals, at), vec3(&self.reals, at + 3))
    }

    /// Sets a body's rates.
    #[inline]
    pub fn set_rates(&mut self, span: Span, body: usize, linear: &Vec3, angular: &Vec3) {
        let at = span.first + RATE * body;
        self.reals[at..at + 3].copy_from_slice(linear.as_slice());
        self.reals[at + 3..at + RATE].copy_from_slice(angular.as_slice());
    }

    /// A figure.
    pub fn figure(&self, layout: &Layout, figure: StateFigure) -> f64 {
        self.reals[layout.figures.first + figure as usize]
    }

    /// Sets a figure.
    pub fn set_figure(&mut self, layout: &Layout, figure: StateFigure, value: f64) {
        self.reals[layout.figures.first + figure as usize] = value;
    }

    /// Stores accelerations and multipliers as those before the step.
    pub fn keep_last(&mut self, layout: &Layout) {
        for (now, before) in [
            (layout.acceleration, layout.last_acceleration),
            (layout.multipliers, layout.last_multipliers),
        ] {
            self.reals.copy_within(now.range(), before.first);
        }
    }

    /// Sets tiny numbers to zero, in the spans that a step computes.
    pub fn flush(&mut self, layout: &Layout) {
        for span in [
            layout.pose,
            layout.modal,
            layout.velocity,
            layout.acceleration,
            layout.moved,
            layout.history,
            layout.forces,
            layout.states,
            layout.state_history,
            layout.multipliers,
            layout.corrections,
            layout.motions,
            layout.feet,
        ] {
            for x in self.span_mut(span) {
                *x = flushed(*x);
            }
        }
    }
}

/// Zero for tiny numbers.
pub fn flushed(x: f64) -> f64 {
    if x.abs() < FLUSH_BELOW { 0.0 } else { x }
}

/// Three consecutive numbers.
#[inline]
pub fn vec3(values: &[f64], at: usize) -> Vec3 {
    let values = &values[at..at + 3];
    Vec3::new(values[0], values[1], values[2])
}

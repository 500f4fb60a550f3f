//! The accepted values that a multistep method remembers: displacements, velocities and states at up to eight
//! instants.
//!
//! Displacements are those seen from the newest pose, d_0 = 0: for translations r_{n−j} − r_n in ground axes, for
//! rotations the rotation vector of R_nᵀ R_{n−j}. When a step with the displacement Δ = (Δx, θ) is accepted, the
//! newest pose changes:
//!
//! ```text
//! d_j ← (d_j,x − Δx,  log(exp(−θ) exp(d_j,θ)))                                 (VAR-2)
//! ```
//! Of all rotation vectors of that rotation, log is the one nearest to d_j,θ − θ: over several steps a part may turn by
//! more than π, and a vector that jumps to the other side of the turn would not lie on the polynomial of its
//! neighbours. Poses farther back than [`FARTHEST`] are forgotten.
//!
//! Behind a start of which the accelerations are known, a past can be imagined: two instants on the parabola
//!
//! ```text
//! d(t) = t u + ½ t² u̇,   u(t) = u + t u̇,   z(t) = z + t ż       t = −h, −2 h           (VAR-26)
//! ```

use super::weights::{POINTS, Weights};
use crate::integrator::states::DERIVATIVE;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use crate::math::rotation::{exp, log};
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::layout::{BLOCK, STATE_HISTORY};
use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::{PI, TAU};

/// The largest rotation to a remembered pose \[rad\]. At 2π, where all rotation vectors are the same rotation, none
/// would be nearest.
const FARTHEST: f64 = 5.0;

/// Two instants are one if they are as near as this part of the step before.
const MERGED: f64 = 1e-4;

/// So many instants are imagined.
const IMAGINED: usize = 2;

/// The remembered values, newest first.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// How many instants are known,
    pub(super) filled: usize,
    /// and how many of them, the oldest ones, are imagined.
    pub(super) imagined: usize,
    /// The instants, from the newest one \[s\].
    pub(super) times: [f64; POINTS],
    /// Displacements from the newest pose, in the layout of velocities.
    pub(super) moved: [Vec<f64>; POINTS],
    /// Velocities.
    pub(super) rates: [Vec<f64>; POINTS],
    /// States of differential equations.
    pub(super) states: [Vec<f64>; POINTS],
}

impl History {
    /// Begins at a state.
    pub(super) fn new(system: &System, state: &State) -> Self {
        let n = system.layout.velocity.len;
        let mut history = Self {
            filled: 0,
            imagined: 0,
            times: [0.0; POINTS],
            moved: core::array::from_fn(|_| vec![0.0; n]),
            rates: core::array::from_fn(|_| vec![0.0; n]),
            states: core::array::from_fn(|_| vec![0.0; system.equations.len()]),
        };
        history.restart(system, state);
        history
    }

    /// Forgets all but a state.
    pub(super) fn restart(&mut self, system: &System, state: &State) {
        (self.filled, self.imagined) = (1, 0);
        self.times = [0.0; POINTS];
        self.moved[0].fill(0.0);
        self.set_newest(system, state);
    }

    /// Imagines the past of a step of h from the start, (VAR-26).
    pub(super) fn imagine(&mut self, system: &System, state: &State, h: f64) {
        let layout = &system.layout;
        let (u, a) = (state.span(layout.velocity), state.span(layout.acceleration));
        let derivatives = state.span(layout.state_history);
        for j in 1..=IMAGINED {
            let t = -(j as f64) * h;
            self.times[j] = t;
            for (k, (u, a)) in u.iter().zip(a).enumerate() {
                self.moved[j][k] = t * u + 0.5 * t * t * a;
                self.rates[j][k] = u + t * a;
            }
            for (k, entry) in system.equations.iter().enumerate() {
                let rate = if entry.is_algebraic() {
                    0.0
                } else {
                    derivatives[STATE_HISTORY * k + DERIVATIVE]
                };
                self.states[j][k] = self.states[0][k] + t * rate;
            }
        }
        (self.filled, self.imagined) = (1 + IMAGINED, IMAGINED);
    }

    /// Has a step been made since the start?
    pub(super) fn has_steps(&self) -> bool {
        self.filled - self.imagined > 1
    }

    /// Is the next step the first one behind a start with an imagined past?
    pub(super) fn starts(&self) -> bool {
        self.imagined == IMAGINED
    }

    /// Forgets what is imagined, and of the rest all but so many instants.
    pub(super) fn keep(&mut self, count: usize) {
        self.filled = (self.filled - self.imagined).min(count);
        self.imagined = 0;
    }

    /// Adds an accepted state after a step of h with the displacement `delta`, (VAR-2).
    pub(super) fn push(&mut self, system: &System, state: &State, delta: &[f64], h: f64) {
        self.moved.rotate_right(1);
        self.rates.rotate_right(1);
        self.states.rotate_right(1);
        self.times.rotate_right(1);
        self.filled = (self.filled + 1).min(POINTS);
        if self.imagined > 0 {
            self.filled = 1 + IMAGINED;
            self.imagined -= 1;
        }
        self.times[0] = 0.0;
        self.moved[0].fill(0.0);
        self.set_newest(system, state);
        for j in 1..self.filled {
            self.times[j] -= h;
            if change_base(system, &mut self.moved[j], delta) > FARTHEST {
                let kept = j.max(2);
                self.imagined = self.imagined.saturating_sub(self.filled - kept);
                self.filled = kept;
                break;
            }
        }
    }

    /// Forgets the instant before the newest one if it is next to nothing away: a polynomial through both would be that of
    /// their rounding.
    pub(super) fn merge(&mut self) {
        let distance = |j: usize| self.times[j - 1] - self.times[j];
        if self.filled < 3 || distance(1) > MERGED * distance(2) {
            return;
        }
        self.times[1..self.filled].rotate_left(1);
        self.moved[1..self.filled].rotate_left(1);
        self.rates[1..self.filled].rotate_left(1);
        self.states[1..self.filled].rotate_left(1);
        self.filled -= 1;
    }

    /// Replaces the remembered values by those at equal distances h, on the polynomial through this many of them.
    pub(super) fn respace(&mut self, h: f64, count: usize) {
        let count = count.min(self.filled);
        let old = self.clone();
        for j in 1..count {
            let at = -(j as f64) * h;
            let points: [f64; POINTS] = core::array::from_fn(|i| old.times[i] - at);
            let weights = Weights::new(&points[..count]).value;
            for (values, from) in [
                (&mut self.moved[j], &old.moved),
                (&mut self.rates[j], &old.rates),
                (&mut self.states[j], &old.states),
            ] {
                values.fill(0.0);
                for (p, past) in weights[..count].iter().zip(from) {
                    for (x, y) in values.iter_mut().zip(past) {
                        *x += p * y;
                    }
                }
            }
            self.times[j] = at;
        }
        self.filled = count;
    }

    fn set_newest(&mut self, system: &System, state: &State) {
        let layout = &system.layout;
        self.rates[0].copy_from_slice(state.span(layout.velocity));
        self.states[0].copy_from_slice(state.span(layout.states));
    }
}

/// (VAR-2) of one entry; the largest rotation in it \[rad\].
fn change_base(system: &System, moved: &mut [f64], delta: &[f64]) -> f64 {
    let mut largest = 0.0_f64;
    for (body, entry) in system.bodies.iter().enumerate() {
        if entry.block.is_none() {
            continue;
        }
        let at = BLOCK * body;
        for k in at..at + 3 {
            moved[k] -= delta[k];
        }
        if entry.dof == BLOCK || entry.flexible.is_some() {
            let (theta, before) = (vec3(delta, at + 3), vec3(moved, at + 3));
            let turned = exp(&-theta) * exp(&before);
            let turned = nearest(log(&turned), &(before - theta));
            largest = largest.max(turned.norm());
            moved[at + 3..at + 6].copy_from_slice(turned.as_slice());
        }
    }
    for k in system.modal_first()..moved.len() {
        moved[k] -= delta[k];
    }
    largest
}

/// The rotation vector of the same rotation that is nearest to a guess: whole turns about its axis are added.
fn nearest(vector: Vec3, guess: &Vec3) -> Vec3 {
    let (angle, wanted) = (vector.norm(), guess.norm());
    if wanted < 0.5 * PI {
        return vector;
    }
    // A rotation by next to nothing has no axis of its own.
    let axis = if angle > 1e-6 {
        vector / angle
    } else {
        guess / wanted
    };
    let along = axis.dot(guess);
    let turns = ((along - angle) / TAU).round();
    axis * (angle + TAU * turns)
}

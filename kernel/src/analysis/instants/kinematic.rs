//! Control plane: kinematic runs: the constraints alone give positions, velocities and accelerations, and the balance of
//! forces gives the reactions.
//!
//! ```text
//! Φ(x, t₁) = 0   from   x₀ + h u₀ + h²/2 u̇₀                                   (INS-1)
//! G u + Φ_t = 0,   then (ACC-1) with G square: u̇ from Φ̈ = 0, λ from Gᵀλ = Q − M u̇ (INS-2)
//! |x₁ − x₀ − h/2 (u₀ + u₁) + h²/12 (u̇₁ − u̇₀)| ≤ β |x₁ − x₀| + β₀                (INS-3)
//! ```
//! (INS-3) is the trapezoidal rule with its end correction, whose error is of the order h⁵ on a smooth path: positions on
//! another branch do not satisfy it, however well they satisfy the constraints. A part of the interval between output
//! times that fails is halved.

use super::{Halt, Instants, SHORTEST, singular};
use crate::analysis::accelerations::{self, AccelerationFailure};
use crate::analysis::row_size;
use crate::elements::wrench::six;
use crate::integrator::accepted::count_angles;
use crate::linalg::Sequence;
use crate::math::rotation::{exp_quaternion, multiply, normalized};
use crate::state::{State, vec3};
use crate::system::layout::BLOCK;
use crate::system::residual::{self, Level, larger};
use crate::system::{curves, eval};
use alloc::vec::Vec;

/// Most iterations that close the constraints.
const ITERATIONS: usize = 20;
/// A violation below this is rounding, and one below `CLOSED` ends the iteration when it no longer falls
/// [characteristic lengths, rad].
const ROUNDING: f64 = 1e-15;
const CLOSED: f64 = 1e-11;
/// The farthest that a body may turn in a part of an interval \[rad\]: angles are counted within half a turn.
const FARTHEST: f64 = 0.7;
/// The farthest that a body may move in a step of (INS-4) [characteristic lengths, rad].
const STRIDE: f64 = 0.2;
/// β and β₀ of (INS-3), the latter in characteristic lengths and radians.
const APART: f64 = 0.02;
const NEAR: f64 = 1e-7;
/// A part of an interval that succeeds makes the next one longer by this.
const GROWTH: f64 = 2.0;

/// Why a part of an interval fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// The constraints do not close.
    Open,
    /// They close elsewhere than where velocities lead.
    Elsewhere,
    /// Bodies turn too far at once.
    TooFar,
    /// No accelerations.
    Accelerations(AccelerationFailure),
}

impl Instants<'_> {
    /// Moves the state to a later instant. If that fails, the state is at the last instant that was reached.
    pub fn follow(&mut self, until: f64) -> Result<(), Halt> {
        let begin = self.time();
        let whole = until - begin;
        let mut part = whole.min(self.longest);
        self.adopt_settings()?;
        loop {
            let left = until - self.time();
            let last = part >= left * (1.0 - 1e-9);
            let to = if last { until } else { self.time() + part };
            let before = self.state.clone();
            match self.advance(to) {
                Ok(()) if last => return Ok(()),
                Ok(()) => part = (GROWTH * part).min(self.longest),
                Err(fault) => {
                    let beyond = (fault, self.state.clone());
                    self.state.copy_from(&before);
                    part = 0.5 * (to - self.time());
                    if part < SHORTEST * whole {
                        return Err(self.halt(&beyond));
                    }
                }
            }
        }
    }

    /// Where an importer has set inputs or parameters that motions read, positions, velocities and accelerations first
    /// follow them at the present instant:
    ///
    /// ```text
    /// Φ(x, t) = (1 − s) Φ₀,   s from 0 to 1                                   (INS-4)
    /// ```
    /// in steps so short that the branch is kept. Φ₀ is what the new values violate.
    fn adopt_settings(&mut self) -> Result<(), Halt> {
        if self.mechanism.inputs.is_empty() && self.mechanism.parameters.is_empty() {
            return Ok(());
        }
        self.evaluate(Level::Position);
        let violated = if self.violation() > CLOSED {
            self.ws.rhs.clone()
        } else {
            Vec::new()
        };
        let (mut done, mut part) = (0.0, 1.0);
        while !violated.is_empty() && done < 1.0 {
            let to = if part >= 1.0 - done { 1.0 } else { done + part };
            let before = self.state.clone();
            let left: Vec<f64> = violated.iter().map(|phi| (1.0 - to) * phi).collect();
            let closed = self.close(&left);
            let moved = self.travels(&before);
            let farthest = moved.iter().map(|t| self.size(t)).fold(0.0, larger);
            if closed.is_ok() && farthest <= STRIDE {
                (done, part) = (to, GROWTH * part);
                continue;
            }
            self.state.copy_from(&before);
            part = 0.5 * (to - done);
            if part < SHORTEST {
                return Err(self.halt(&(Fault::Open, before)));
            }
        }
        let moved = self.move_at_rates().and_then(|()| {
            accelerations::solve_moving(self.system, self.state, self.ws)
                .map_err(Fault::Accelerations)
        });
        moved.map_err(|fault| {
            let here = self.state.clone();
            self.halt(&(fault, here))
        })
    }

    /// Moves the state to an instant at once.
    fn advance(&mut self, to: f64) -> Result<(), Fault> {
        let before = self.state.clone();
        let h = to - self.time();
        self.predict(h)?;
        self.move_time(to);
        self.close(&[])?;
        self.move_at_rates()?;
        accelerations::solve_moving(self.system, self.state, self.ws)
            .map_err(Fault::Accelerations)?;
        if self.strays(&before, h) {
            return Err(Fault::Elsewhere);
        }
        Ok(())
    }

    /// The bodies a time h later, by their velocities and accelerations.
    fn predict(&mut self, h: f64) -> Result<(), Fault> {
        let layout = &self.system.layout;
        let mut farthest = 0.0;
        for (body, entry) in self.system.bodies.iter().enumerate() {
            if entry.block.is_none() {
                continue;
            }
            let (v, w) = self.state.rates(layout.velocity, body);
            let (a, w_dot) = self.state.rates(layout.acceleration, body);
            let rotation = self.state.rotation(layout, body);
            let turn = rotation * (w * h + w_dot * (0.5 * h * h));
            farthest = larger(farthest, turn.norm().max(w.norm() * h));
            let r = self.state.position(layout, body) + v * h + a * (0.5 * h * h);
            let q = multiply(&exp_quaternion(&turn), &self.state.quaternion(layout, body));
            self.state.set_pose(layout, body, &r, &normalized(&q));
        }
        if farthest.is_nan() || farthest > FARTHEST {
            return Err(Fault::TooFar);
        }
        Ok(())
    }

    /// Closes the constraints by Newton's method, (INS-1), but for a violation that is left; empty for none.
    fn close(&mut self, left: &[f64]) -> Result<(), Fault> {
        let mut factors = Sequence::default();
        let mut before = f64::INFINITY;
        for k in 0..ITERATIONS {
            self.evaluate(Level::Position);
            for (phi, left) in self.ws.rhs.iter_mut().zip(left) {
                *phi -= left;
            }
            let worst = self.violation();
            if worst <= ROUNDING || (worst < CLOSED && worst > 0.3 * before) {
                return Ok(());
            }
            // On the way to a solution the violation falls, if not at the first step.
            if !worst.is_finite() || (k > 2 && worst > 0.7 * before) {
                return Err(Fault::Open);
            }
            before = worst;
            let by = self.correction(&mut factors).ok_or(Fault::Open)?;
            let back: Vec<[f64; BLOCK]> = by.iter().map(|s| s.map(|x| -x)).collect();
            let turns = back.iter().map(|s| vec3(s, 3).norm()).fold(0.0, larger);
            if turns > FARTHEST {
                return Err(Fault::TooFar);
            }
            self.displace(&back);
        }
        Err(Fault::Open)
    }

    /// The velocities that the constraints demand, (INS-2).
    fn move_at_rates(&mut self) -> Result<(), Fault> {
        let layout = &self.system.layout;
        let mut factors = Sequence::default();
        for _ in 0..2 {
            self.evaluate(Level::Velocity);
            let by = self.correction(&mut factors).ok_or(Fault::Open)?;
            for (body, s) in by.iter().enumerate() {
                if self.system.bodies[body].block.is_none() {
                    continue;
                }
                let kinematics = &self.ws.bodies[body];
                let v = kinematics.v - vec3(s, 0);
                let omega = kinematics.omega - vec3(s, 3);
                let w = kinematics.rotation.tr_mul(&omega);
                self.state.set_rates(layout.velocity, body, &v, &w);
            }
        }
        Ok(())
    }

    /// Does the path of a time h from an instant violate (INS-3)?
    fn strays(&self, before: &State, h: f64) -> bool {
        let layout = &self.system.layout;
        let rates = |state: &State, span, body: usize| {
            let (linear, angular) = state.rates(span, body);
            six(&linear, &(state.rotation(layout, body) * angular))
        };
        let travels = self.travels(before);
        let sizes: Vec<f64> = travels.iter().map(|travel| self.size(travel)).collect();
        let most = sizes.iter().fold(0.0, |most, x| larger(most, *x));
        let mut apart = false;
        for (body, entry) in self.system.bodies.iter().enumerate() {
            if entry.block.is_none() {
                continue;
            }
            let moved = Self::numbers(&travels[body]);
            let speeds = [before, self.state].map(|s| rates(s, layout.velocity, body));
            let gains = [before, self.state].map(|s| rates(s, layout.acceleration, body));
            let off: [f64; BLOCK] = core::array::from_fn(|k| {
                moved[k] - 0.5 * h * (speeds[0][k] + speeds[1][k])
                    + h * h / 12.0 * (gains[1][k] - gains[0][k])
            });
            let off = self.size(&(vec3(&off, 0), vec3(&off, 3)));
            apart |= off.is_nan() || off > APART * (sizes[body] + 0.05 * most) + NEAR;
        }
        apart
    }

    /// Evaluates the mechanism at the state, with the constraints at a level in the right-hand side.
    pub(super) fn evaluate(&mut self, level: Level) {
        let (system, time) = (self.system, self.time());
        let mut placed = eval::kinematics_at_state(system, self.state, self.ws);
        count_angles(system, self.state, &placed);
        let motions = self.state.span(system.layout.motions);
        let reached = |m: usize| (motions[2 * m], motions[2 * m + 1]);
        placed.targets(system, self.state, time, reached);
        let evaluated = residual::evaluate(system, self.state, placed, time);
        curves::keep(system, self.state, &evaluated);
        residual::assemble(system, self.state, evaluated, 1.0, level);
    }

    /// The largest violation [characteristic lengths, rad].
    fn violation(&self) -> f64 {
        let mut worst = 0.0;
        for group in &self.system.groups {
            for (k, r) in group.rows.range().enumerate() {
                let size = row_size(self.system, self.ws, self.length, r);
                worst = larger(worst, self.ws.rhs[group.block.offset() + k].abs() / size);
            }
        }
        worst
    }

    /// The reason why an instant was not reached; the state is at the last one that was.
    fn halt(&mut self, (fault, beyond): &(Fault, State)) -> Halt {
        let reached = self.time();
        let why = match fault {
            Fault::Elsewhere => self.jump(beyond),
            Fault::Accelerations(failure) => singular::unbalanced(self, *failure),
            Fault::Open | Fault::TooFar => singular::locked(self),
        };
        Halt { reached, why }
    }
}

//! Integration with variable step and order, to an error tolerance: WSTIFF in formulation I3. Not for real time: the
//! numbers of steps and iterations follow from the data.
//!
//! The method is backward differentiation (Gear 1971) with the coefficients of the real sequence of steps (Brayton,
//! Gustavson and Hachtel 1972). With the weights w_j and p_j of [`weights`] at t_{n+1}, the displacement Δ from the
//! last accepted pose and the displacements d_j of [`history`]:
//!
//! ```text
//! u = w_0 Δ + u_0,      u_0 = (c_x, T_r(θ⁰) c_θ),   c = Σ_j w_j d_j                   (VAR-3)
//! u̇ = w_0 u + Σ_j w_j u_{n−j}                                                          (VAR-4)
//! Δ⁰ = Σ_j p_j d_j      by the polynomial through the poses n … n−k                    (VAR-5)
//! ```
//! T_r, the right tangent, is taken at the predicted rotation θ⁰: u stays affine in Δ, so a step has the equations of
//! all other schemes ([`crate::integrator`]), and since T_r(θ) θ = θ the order is k. The local error is estimated from
//! displacements, modal coordinates and states:
//!
//! ```text
//! e_k = |Δ − Δ⁰| / (w_0 (t_{n+1} − t_{n−k}))                                           (VAR-6)
//! ```
//! In formulation I3 velocities and multipliers do not tend to zero with a step that has changed, so they cannot count
//! (Brenan, Campbell and Petzold 1996). What is shown has accelerations and reactions from the equations of motion at
//! the positions and velocities instead.

mod control;
mod history;
mod measure;
mod report;
mod shown;
mod weights;

pub use control::Tolerance;
pub use report::Report;

use crate::elements::bodies::InertiaTerm;
use crate::integrator::accepted::refresh;
use crate::integrator::states::Coefficients;
use crate::integrator::{self, Scheme, StepFailure, Stepper, gstiff, motions};
use crate::math::Vec3;
use crate::math::rotation::left_tangent;
use crate::state::{Counter, State, vec3};
use crate::system::layout::BLOCK;
use crate::system::{System, energy, eval};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;
use control::Errors;
use history::History;
use measure::{correction, distance, largest_turn};
use weights::{POINTS, Weights};

/// The highest order.
pub const ORDERS: usize = 6;
/// Newton's corrections may be this part of the tolerance.
const NEWTON: f64 = 0.1;
/// A single correction counts as converged below this part.
const AT_ONCE: f64 = 0.01;
/// Factors serve until w_0 has changed by this part,
const STALE_SLOPE: f64 = 0.3;
/// or a part has turned by this angle \[rad\].
const STALE_TURN: f64 = 0.3;
/// The largest rotation over the remembered poses \[rad\].
const MOST_TURN: f64 = 2.0;
/// Steps in which step and order may grow quickly.
const YOUNG: u64 = 10;
/// Instants that differ by this part of their size are one.
const ROUNDING: f64 = 1e-14;
/// The first step, as a part of the longest.
const FIRST: f64 = 1e-3;

/// An integration with a variable step.
#[derive(Clone, Debug)]
pub struct Variable {
    tolerance: Tolerance,
    history: History,
    order: usize,
    /// Steps since the step or the order changed.
    since_change: usize,
    /// The next step \[s\].
    next: f64,
    /// w_0 of the factors; zero if there are none.
    factored: f64,
    /// How far parts have turned since \[rad\].
    turned: f64,
    in_a_row: usize,
    scratch: Vec<f64>,
    /// What the instant shows that was asked for.
    shown: State,
    shown_ws: Workspace,
    /// Counts of the run.
    pub report: Report,
}

/// What a step works on.
pub struct Run<'a> {
    /// The mechanism.
    pub system: &'a System,
    /// The last accepted state.
    pub state: &'a mut State,
    /// Scratch.
    pub ws: &'a mut Workspace,
    /// Buffers and factors.
    pub stepper: &'a mut Stepper,
    /// The user's length unit \[m\].
    pub length_unit: f64,
}

impl Variable {
    /// Begins at the state of a run.
    pub fn new(system: &System, state: &State, ws: &Workspace, tolerance: Tolerance) -> Self {
        Self {
            history: History::new(system, state),
            order: 1,
            since_change: 0,
            next: tolerance.first.unwrap_or(FIRST * tolerance.longest),
            factored: 0.0,
            turned: 0.0,
            in_a_row: 0,
            scratch: vec![0.0; system.layout.velocity.len],
            shown: state.clone(),
            shown_ws: ws.clone(),
            report: Report::default(),
            tolerance,
        }
    }

    /// Steps until the time is reached or passed, and evaluates everything that can be read there.
    pub fn advance(&mut self, run: &mut Run<'_>, until: f64, end: f64) -> Result<(), StepFailure> {
        // The rounding of an instant is not a step.
        let reached = until - ROUNDING * until.abs();
        while run.state.time(&run.system.layout) < reached {
            self.step(run, end.max(until))?;
        }
        self.show(run.system, run.state, until)
    }

    /// The state and values at the instant that was asked for.
    pub fn shown(&self) -> (&State, &Workspace) {
        (&self.shown, &self.shown_ws)
    }

    /// One accepted step.
    fn step(&mut self, run: &mut Run<'_>, end: f64) -> Result<(), StepFailure> {
        loop {
            let h = self.fitting(run, end);
            match self.attempt(run, h) {
                Some(errors) if errors.own <= self.tolerance.error => {
                    self.accept(run, h, &errors);
                    return Ok(());
                }
                Some(errors) => {
                    self.report.rejected += 1;
                    self.in_a_row += 1;
                    let order = self.order;
                    let choice = control::rejected(&self.tolerance, order, &errors, self.in_a_row);
                    self.cut(run, h * choice.factor, choice.order, false)?;
                }
                None => {
                    self.report.diverged += 1;
                    self.in_a_row += 1;
                    self.factored = 0.0;
                    let order = if self.in_a_row > 2 { 1 } else { self.order };
                    self.cut(run, 0.25 * h, order, true)?;
                }
            }
        }
    }

    /// The next step: it ends at the end of the run, by two equal steps where one would leave a short rest.
    fn fitting(&self, run: &Run<'_>, end: f64) -> f64 {
        let left = end - run.state.time(&run.system.layout);
        let h = self.next.min(self.tolerance.longest);
        if h >= left {
            left
        } else if 2.0 * h > left {
            0.5 * left
        } else {
            h
        }
    }

    fn cut(
        &mut self,
        run: &mut Run<'_>,
        h: f64,
        order: usize,
        newton: bool,
    ) -> Result<(), StepFailure> {
        let (state, layout) = (&mut *run.state, &run.system.layout);
        state.copy_without_delays(&run.stepper.before, layout);
        if h < self.tolerance.shortest {
            return Err(StepFailure::TooShort { step: h, newton });
        }
        if order == 1 && self.order > 1 {
            self.history.filled = self.history.filled.min(2);
        }
        self.next = h;
        self.order = order;
        self.since_change = 0;
        Ok(())
    }

    /// A step of h; `None` if Newton's iteration does not converge.
    fn attempt(&mut self, run: &mut Run<'_>, h: f64) -> Option<Errors> {
        let Run {
            system,
            state,
            ws,
            stepper,
            ..
        } = run;
        let layout = &system.layout;
        stepper.before.copy_without_delays(state, layout);
        set_time(system, state, h);
        stepper.angles.copy_from_slice(state.span(layout.angles));
        let order = self.order.min(self.history.filled);
        let slopes = self.slopes(order, h);
        let scheme = gstiff::scheme(1.0 / slopes[0], Coefficients::backward(1.0 / slopes[0]));
        ws.inertia_terms.fill(InertiaTerm::plain());
        ws.flexible.modal_history.fill(0.0);
        self.predict(system, state, stepper, (order, h, &slopes));
        ws.multipliers
            .copy_from_slice(state.span(layout.multipliers));
        let next = state.time_after(layout, 1);
        eval::settings(system, state, ws, next);
        motions::integrate(system, state, ws, &mut stepper.motions, h);
        eval::targets(system, state, ws, next, |m| stepper.motions[m]);
        if !self.solve(run, &scheme) {
            return None;
        }
        Some(self.errors(run, (order, h)))
    }

    /// w_j of (VAR-3), the first that of Δ.
    fn slopes(&self, order: usize, h: f64) -> [f64; POINTS] {
        let mut points = [0.0; POINTS];
        for j in 0..order {
            points[j + 1] = self.history.times[j] - h;
        }
        Weights::new(&points[..=order]).slope
    }

    /// p_j of (VAR-5) at an instant after the newest pose, by this many poses.
    fn values(&self, count: usize, after: f64) -> [f64; POINTS] {
        let mut points = [0.0; POINTS];
        for (point, time) in points.iter_mut().zip(&self.history.times) {
            *point = time - after;
        }
        Weights::new(&points[..count]).value
    }

    /// Δ⁰ of (VAR-5) into the scratch; at the start, where one pose is known, by its velocity.
    fn extrapolate(&mut self, order: usize, h: f64) {
        self.scratch.fill(0.0);
        if self.history.filled < order + 1 {
            for (to, rate) in self.scratch.iter_mut().zip(&self.history.rates[0]) {
                *to = h * rate;
            }
            return;
        }
        let values = self.values(order + 1, h);
        for (moved, p) in self.history.moved[..=order].iter().zip(values) {
            for (to, d) in self.scratch.iter_mut().zip(moved) {
                *to += p * d;
            }
        }
    }

    /// The start of Newton's iteration, and the affine maps (VAR-3) and (VAR-4).
    fn predict(
        &mut self,
        system: &System,
        state: &State,
        stepper: &mut Stepper,
        (order, h, slopes): (usize, f64, &[f64; POINTS]),
    ) {
        self.extrapolate(order, h);
        stepper.delta.copy_from_slice(&self.scratch);
        stepper.predicted.copy_from_slice(&self.scratch);
        let history = &self.history;
        let own = slopes[0];
        let velocities = &mut stepper.velocity_offset;
        velocities.fill(0.0);
        for (moved, w) in history.moved[..order].iter().zip(&slopes[1..]) {
            for (to, d) in velocities.iter_mut().zip(moved) {
                *to += w * d;
            }
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
        for (to, u) in stepper.acceleration_offset.iter_mut().zip(&*velocities) {
            *to = own * u;
        }
        for (rates, w) in history.rates[..order].iter().zip(&slopes[1..]) {
            for (to, u) in stepper.acceleration_offset.iter_mut().zip(rates) {
                *to += w * u;
            }
        }
        let values = self.values(order + 1, h);
        let known = history.filled > order;
        let present = &history.states[0];
        for (k, entry) in system.equations.iter().enumerate() {
            let past = |weights: &[f64]| -> f64 {
                { history.states.iter().zip(weights) }
                    .map(|(z, w)| w * (z[k] - present[k]))
                    .sum()
            };
            let fixed = -past(&slopes[1..=order]) / own;
            let predicted = if known { past(&values[..=order]) } else { 0.0 };
            let started = if entry.is_algebraic() { 0.0 } else { predicted };
            stepper.states.start(k, started, fixed);
        }
        stepper.states.hold_bristles(system, state);
    }

    /// Newton's iteration; does it converge?
    fn solve(&mut self, run: &mut Run<'_>, scheme: &Scheme) -> bool {
        let own = scheme.weights.u;
        let stale = self.factored == 0.0
            || (own / self.factored - 1.0).abs() > STALE_SLOPE
            || self.turned > STALE_TURN;
        self.iterate(run, scheme, stale) || (!stale && self.iterate(run, scheme, true))
    }

    /// The same from the present displacement, with new factors if `evaluate`.
    fn iterate(&mut self, run: &mut Run<'_>, scheme: &Scheme, evaluate: bool) -> bool {
        let Run {
            system,
            state,
            ws,
            stepper,
            length_unit,
            ..
        } = run;
        stepper.corrections.begin();
        stepper.limits.begin();
        stepper.limits.may_cross = false;
        let mut first = 0.0;
        for k in 0..self.tolerance.iterations {
            let anew = evaluate && k == 0;
            self.report.iterations += 1;
            let done = integrator::iterate(system, state, ws, stepper, scheme, anew);
            if done.is_err() {
                return false;
            }
            if anew {
                self.report.jacobians += 1;
                self.factored = scheme.weights.u;
                self.turned = 0.0;
            }
            let size = correction(system, state, ws, (scheme, *length_unit));
            if !size.is_finite() {
                return false;
            }
            let tolerance = self.tolerance.error;
            if k == 0 {
                first = size;
                if size <= AT_ONCE * tolerance {
                    return true;
                }
                continue;
            }
            let rho = crate::math::pow(size / first, 1.0 / k as f64);
            if size == 0.0 || rho < 1.0 && rho / (1.0 - rho) * size <= NEWTON * tolerance {
                return true;
            }
            if rho > 0.9 && k >= 2 {
                return false;
            }
        }
        false
    }

    /// (VAR-6) for the order and those beside it.
    fn errors(&mut self, run: &Run<'_>, (order, h): (usize, f64)) -> Errors {
        let mut all = [f64::INFINITY; 3];
        for (error, q) in all
            .iter_mut()
            .zip([order.wrapping_sub(1), order, order + 1])
        {
            let wanted = (1..=ORDERS).contains(&q);
            // At the start one pose is known, and the error of order 1 is half of the correction.
            let start = self.history.filled == 1 && q == 1;
            if !wanted || (self.history.filled < q + 1 && !start) {
                continue;
            }
            self.extrapolate(q, h);
            let own = self.slopes(q.min(self.history.filled), h)[0];
            let behind = if start { h } else { -self.history.times[q] };
            let factor = 1.0 / (own * (h + behind));
            let moved = distance(
                run.system,
                &run.stepper.delta,
                &self.scratch,
                run.length_unit,
            );
            *error = factor * moved.max(self.state_error(run, q, h));
        }
        let [lower, own, higher] = all;
        Errors { lower, own, higher }
    }

    /// |Δz − Δz⁰| of the states, relative to their size above 1.
    fn state_error(&self, run: &Run<'_>, order: usize, h: f64) -> f64 {
        let history = &self.history;
        if history.filled < order + 1 {
            return 0.0;
        }
        let values = self.values(order + 1, h);
        let mut most = 0.0_f64;
        for (k, entry) in run.system.equations.iter().enumerate() {
            if entry.is_algebraic() {
                continue;
            }
            let present = history.states[0][k];
            let past = history.states[..=order].iter().zip(values);
            let predicted: f64 = past.map(|(z, p)| p * (z[k] - present)).sum();
            let missed = (run.stepper.states.delta[k] - predicted).abs();
            most = most.max(missed / present.abs().max(1.0));
        }
        most
    }

    fn accept(&mut self, run: &mut Run<'_>, h: f64, errors: &Errors) {
        let Run {
            system,
            state,
            ws,
            stepper,
            ..
        } = run;
        let order = self.order.min(self.history.filled);
        let slopes = self.slopes(order, h);
        let scheme = gstiff::scheme(1.0 / slopes[0], Coefficients::backward(1.0 / slopes[0]));
        integrator::accept(system, state, ws, stepper, &scheme);
        self.history.push(system, state, &stepper.delta, h);
        self.turned += largest_turn(system, &stepper.delta);
        refresh(system, state, ws);
        energy::account(system, state, ws);
        self.report.steps += 1;
        self.in_a_row = 0;
        self.since_change += 1;
        let young = self.report.steps < YOUNG;
        let free = self.since_change > self.order || young && self.history.filled > self.order;
        let choice = control::accepted(&self.tolerance, self.order, errors, (free, young));
        let mut next = Limited {
            h: h * choice.factor,
            order: choice.order,
        };
        next.limit(largest_turn(system, &stepper.delta) / h);
        if next.h != h || next.order != self.order {
            self.since_change = 0;
        }
        self.next = next.h;
        self.order = next.order;
    }
}

/// The next step within what rotations allow: over the remembered poses a part must not turn too far.
struct Limited {
    h: f64,
    order: usize,
}

impl Limited {
    fn limit(&mut self, rate: f64) {
        if rate <= 0.0 {
            return;
        }
        self.h = self.h.min(MOST_TURN / rate);
        while self.order > 1 && self.order as f64 * rate * self.h > MOST_TURN {
            self.order -= 1;
        }
    }
}

/// Makes the present time the base, and h the step.
fn set_time(system: &System, state: &mut State, h: f64) {
    let layout = &system.layout;
    state.reals[layout.time.first] = state.time(layout);
    state.reals[layout.time.first + 1] = h;
    *state.counter_mut(Counter::SinceBase) = 0;
}

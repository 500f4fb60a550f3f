//! What an instant between the ends of steps shows, and where an attempted step passes.
//!
//! Backward differentiation interpolates by the polynomial of its order, through displacements from the newest pose;
//! methods of order 2 by Hermite's cubic through the last two poses and velocities:
//!
//! ```text
//! R = R_n exp(d(t)),   ω = T_r(d) ḋ,   ḋ_{n−1} = T_r⁻¹(d_{n−1}) ω_{n−1}                (VAR-10)
//! ```
//! T_r(d) is the right tangent. What is shown has velocities that satisfy their constraints, by the projection (SI2-3)
//! in the metric of the mass matrix, and accelerations and reactions from the equations of motion.

use super::control::Method;
use super::multistep::add;
use super::weights::{POINTS, Weights};
use super::{ROUNDING, Run, Variable, motions};
use crate::analysis::accelerations;
use crate::elements::bodies::InertiaTerm;
use crate::integrator::accepted::{find_feet, show};
use crate::integrator::states::Coefficients;
use crate::integrator::{Scheme, StepFailure, Stepper, gstiff};
use crate::linalg::Quality;
use crate::math::rotation::{
    exp_quaternion, left_tangent, multiply, normalized, right_tangent_inverse,
};
use crate::state::{Counter, State, vec3};
use crate::system::layout::BLOCK;
use crate::system::residual::{self, Level};
use crate::system::stage::Placed;
use crate::system::{System, energy, eval};

/// An attempted step: its length, scheme and unknowns.
pub(super) type Attempted<'a> = Option<(f64, &'a Scheme, &'a Stepper)>;

/// Most iterations of the projection of positions.
const PROJECTIONS: usize = 6;
/// Positions satisfy their constraints below this violation [m, rad].
const CLOSED: f64 = 1e-13;

impl Variable {
    /// Evaluates everything that can be read at an instant up to the last accepted one. An instant before an event that
    /// has begun a new piece belongs to the piece before it.
    pub(super) fn show(&mut self, run: &Run<'_>, time: f64) -> Result<(), StepFailure> {
        let mut after = time - run.state.time(&run.system.layout);
        if after.abs() <= ROUNDING * time.abs() {
            after = 0.0;
        }
        if after < 0.0
            && !self.history.has_steps()
            && let Some(mut past) = self.past.take()
        {
            core::mem::swap(&mut self.history, &mut past.history);
            core::mem::swap(&mut self.made, &mut past.order);
            let shown = self.show_on((&past.system, &past.state), after);
            core::mem::swap(&mut self.history, &mut past.history);
            core::mem::swap(&mut self.made, &mut past.order);
            self.past = Some(past);
            return shown;
        }
        self.show_on((run.system, run.state), after)
    }

    /// The same of a piece.
    fn show_on(&mut self, piece: (&System, &State), after: f64) -> Result<(), StepFailure> {
        let system = piece.0;
        self.place(piece, after, None);
        if after != 0.0 && self.tolerance.reconciled {
            self.close_positions(system);
        }
        // The ends of steps have velocities that satisfy their constraints in SI2 and SI1; a polynomial between them has not.
        let settled = after == 0.0 && self.tolerance.method.is_stabilised();
        if !settled || self.tolerance.reconciled {
            self.project_velocities(system);
        }
        let (shown, ws) = (&mut self.shown, &mut self.shown_ws);
        accelerations::solve_moving_by(system, shown, ws, Some(&mut self.factor))
            .map_err(|_| StepFailure::NoAccelerations)?;
        show(system, shown, ws);
        energy::account(system, shown, ws);
        ws.triggered.copy_from_slice(&self.triggered);
        Ok(())
    }

    /// Writes poses, velocities and states at an instant after the newest pose into the state that is shown: by the
    /// remembered values, and by those of an attempted step.
    pub(super) fn place(
        &mut self,
        (system, state): (&System, &State),
        after: f64,
        attempt: Attempted<'_>,
    ) {
        let layout = &system.layout;
        self.evaluated = None;
        self.shown.copy_from(state);
        if after < 0.0 {
            let contacts = self.shown.span_mut(layout.contacts);
            contacts.copy_from_slice(&self.touching);
        }
        self.shown.span_mut(layout.history).fill(0.0);
        self.shown.span_mut(layout.inertia_weight).fill(1.0);
        self.shown_ws.inertia_terms.fill(InertiaTerm::plain());
        self.shown_ws.flexible.modal_history.fill(0.0);
        let base = state.time(layout);
        self.shown.reals[layout.time.first] = base;
        self.shown.reals[layout.time.first + 1] = after;
        *self.shown.counter_mut(Counter::SinceBase) = 1;
        if after != 0.0 && !system.motions.is_empty() {
            motions::integrate(system, state, &mut self.shown_ws, &mut self.motions, after);
            for m in 0..system.motions.len() {
                let at = layout.motions.first + 2 * m;
                let (displacement, rate) = self.motions[m];
                self.shown.reals[at..at + 2].copy_from_slice(&[displacement, rate]);
            }
        }
        if let Method::Alpha(_) = self.tolerance.method {
            self.interpolate_cubic(system, after, attempt);
        } else {
            self.interpolate(system, after, attempt);
        }
        self.interpolate_states(system, after, attempt);
        self.displace_shown(system);
        if self.feet {
            let placed = eval::kinematics_at_state(system, &self.shown, &mut self.shown_ws);
            find_feet(system, &mut self.shown, &placed);
        }
    }

    /// Displacements and velocities by the polynomial of the order.
    fn interpolate(&mut self, system: &System, after: f64, attempt: Attempted<'_>) {
        let (count, weights) = self.weights(after, attempt);
        let velocity = self.shown.span_mut(system.layout.velocity);
        self.scratch.fill(0.0);
        if attempt.is_none() && self.history.filled == 1 {
            velocity.copy_from_slice(&self.history.rates[0]);
            add(&mut self.scratch, after, &self.history.rates[0]);
            return;
        }
        velocity.fill(0.0);
        let mut weights = weights[..count].iter();
        if let (Some((_, scheme, stepper)), Some(p)) =
            (attempt, attempt.and_then(|_| weights.next()))
        {
            add(&mut self.scratch, *p, &stepper.delta);
            add(velocity, *p, &stepper.velocity_offset);
            add(velocity, p * scheme.weights.u, &stepper.delta);
        }
        for (j, p) in weights.enumerate() {
            add(&mut self.scratch, *p, &self.history.moved[j]);
            add(velocity, *p, &self.history.rates[j]);
        }
    }

    /// Weights of the values of the attempted step, if there is one, and of those before it.
    fn weights(&self, after: f64, attempt: Attempted<'_>) -> (usize, [f64; POINTS]) {
        let past = usize::from(attempt.is_none());
        let mut points = [0.0; POINTS];
        let (new, old) = points.split_at_mut(1 - past);
        if let (Some(point), Some((h, ..))) = (new.first_mut(), attempt) {
            *point = h - after;
        }
        for (point, time) in old.iter_mut().zip(&self.history.times) {
            *point = time - after;
        }
        let known = self.history.filled + 1 - past;
        let order = if attempt.is_some() {
            self.order
        } else {
            self.made
        };
        let count = (order + 1).min(known).min(POINTS);
        (count, Weights::new(&points[..count]).value)
    }

    /// (VAR-10) between the newest pose and the one before it, or the one of an attempted step.
    fn interpolate_cubic(&mut self, system: &System, after: f64, attempt: Attempted<'_>) {
        let history = &self.history;
        let velocity = self.shown.span_mut(system.layout.velocity);
        self.scratch.fill(0.0);
        let (other, h) = match attempt {
            Some((h, scheme, stepper)) => {
                velocity.copy_from_slice(&stepper.velocity_offset);
                add(velocity, scheme.weights.u, &stepper.delta);
                (&stepper.delta[..], h)
            }
            None if history.filled > 1 => {
                velocity.copy_from_slice(&history.rates[1]);
                (&history.moved[1][..], history.times[1])
            }
            None => {
                velocity.copy_from_slice(&history.rates[0]);
                add(&mut self.scratch, after, &history.rates[0]);
                return;
            }
        };
        turn(system, other, velocity, |theta| {
            right_tangent_inverse(theta)
        });
        // Hermite's cubic on s = 0 (the newest pose, d = 0) to 1.
        let s = after / h;
        let [d1, v0, v1] = [
            s * s * (3.0 - 2.0 * s),
            s * (1.0 - s) * (1.0 - s),
            s * s * (s - 1.0),
        ];
        let [r1, w0, w1] = [
            6.0 * s * (1.0 - s),
            (1.0 - s) * (1.0 - 3.0 * s),
            s * (3.0 * s - 2.0),
        ];
        let rates = &history.rates[0];
        for (k, u) in velocity.iter_mut().enumerate() {
            self.scratch[k] = d1 * other[k] + h * (v0 * rates[k] + v1 * *u);
            *u = r1 * other[k] / h + w0 * rates[k] + w1 * *u;
        }
        turn(system, &self.scratch, velocity, |theta| {
            left_tangent(theta).transpose()
        });
    }

    fn interpolate_states(&mut self, system: &System, after: f64, attempt: Attempted<'_>) {
        let (count, weights) = self.weights(after, attempt);
        let states = self.shown.span_mut(system.layout.states);
        let present = &self.history.states[0];
        for (k, z) in states.iter_mut().enumerate() {
            let mut weights = weights[..count].iter();
            let mut sum = 0.0;
            if let (Some((.., stepper)), Some(p)) = (attempt, attempt.and_then(|_| weights.next()))
            {
                sum += p * (present[k] + stepper.states.delta[k]);
            }
            for (past, p) in self.history.states.iter().zip(weights) {
                sum += p * past[k];
            }
            *z = sum;
        }
    }

    /// Adds the displacement in the scratch to the poses that are shown.
    fn displace_shown(&mut self, system: &System) {
        let (layout, shown) = (&system.layout, &mut self.shown);
        for (body, entry) in system.bodies.iter().enumerate() {
            if entry.block.is_none() {
                continue;
            }
            let at = BLOCK * body;
            let (x, theta) = (vec3(&self.scratch, at), vec3(&self.scratch, at + 3));
            let r = shown.position(layout, body) + x;
            let q = multiply(&shown.quaternion(layout, body), &exp_quaternion(&theta));
            shown.set_pose(layout, body, &r, &normalized(&q));
        }
        let modal = &self.scratch[system.modal_first()..];
        add(shown.span_mut(layout.modal), 1.0, modal);
    }

    /// The kinematics of what is shown, with the targets of its instant.
    fn placed(&mut self, system: &System) -> Placed<'_> {
        let (shown, ws) = (&self.shown, &mut self.shown_ws);
        let layout = &system.layout;
        let time = shown.time(layout);
        eval::settings(system, shown, ws, time);
        let mut placed = eval::kinematics_at_state(system, shown, ws);
        placed.targets(system, shown, time, |m| motions::reached(shown, layout, m));
        placed
    }

    /// Velocities that satisfy their constraints, nearest in the metric of the mass matrix.
    fn project_velocities(&mut self, system: &System) {
        if system.groups.is_empty() {
            return;
        }
        let scheme = gstiff::scheme(1.0, Coefficients::backward(1.0));
        let mut projection = core::mem::take(&mut self.projection);
        if let Some(projection) = &mut projection {
            projection.correction.fill(0.0);
            projection.multipliers.fill(0.0);
            self.placed(system);
            let placed = Placed::kept(&mut self.shown_ws);
            let found = projection.balance_rates(system, &self.shown, placed, (&scheme, true));
            if !matches!(found, Quality::Singular { .. }) {
                let velocity = self.shown.span_mut(system.layout.velocity);
                add(velocity, -1.0, &projection.correction);
            }
        }
        self.projection = projection;
    }

    /// Positions that satisfy their constraints, likewise.
    fn close_positions(&mut self, system: &System) {
        if system.groups.is_empty() {
            return;
        }
        let mut projection = core::mem::take(&mut self.projection);
        if let Some(projection) = &mut projection {
            for _ in 0..PROJECTIONS {
                self.placed(system);
                let mut constrained = eval::constraint_wrenches(
                    system,
                    &self.shown,
                    Placed::kept(&mut self.shown_ws),
                );
                if residual::largest_violation(system, &constrained, Level::Position) < CLOSED {
                    break;
                }
                projection.correction.fill(0.0);
                let quality = projection.refactor(system, &self.shown, &mut constrained);
                if matches!(quality, Quality::Singular { .. }) {
                    break;
                }
                projection.close(system, &mut constrained);
                self.scratch.copy_from_slice(&projection.correction);
                self.displace_shown(system);
            }
        }
        self.projection = projection;
    }
}

/// Applies a matrix of the rotation in a displacement to the angular velocities of the bodies.
fn turn(
    system: &System,
    moved: &[f64],
    velocity: &mut [f64],
    by: impl Fn(&crate::math::Vec3) -> crate::math::Mat3,
) {
    for (body, entry) in system.bodies.iter().enumerate() {
        if entry.block.is_some() {
            let at = BLOCK * body + 3;
            let turned = by(&vec3(moved, at)) * vec3(velocity, at);
            velocity[at..at + 3].copy_from_slice(turned.as_slice());
        }
    }
}

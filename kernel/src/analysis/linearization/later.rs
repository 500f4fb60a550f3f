//! Control plane: the mechanism a while after the operating point, if its parts turn steadily.
//!
//! Steady turning means a = Ω×v, with Ω of the part itself or of the part that carries it, and α = 0. Near such motion a
//! linear form predicts the course only along axes in which the mechanism does not change: linearised a while later, it
//! must be the same.

use super::{Linearization, of_state};
use crate::elements::kinematics::BodyKinematics;
use crate::integrator::accepted::count_angles;
use crate::math::rotation::{exp, exp_quaternion, multiply, normalized};
use crate::math::{Mat3, Vec3, sincos};
use crate::mechanism::Mechanism;
use crate::state::State;
use crate::system::length::characteristic_length;
use crate::system::residual::{self, Level, larger};
use crate::system::{System, eval};
use crate::workspace::Workspace;
use alloc::vec::Vec;

/// Largest relative remainder of an acceleration that a part's turning still explains.
const EXPLAINED: f64 = 0.1;
/// Largest remainder of all accelerations that still counts as steady motion, relative.
const STEADY: f64 = 1e-5;
/// Turn of the fastest part in between \[rad\].
const TURN: f64 = 0.6;
/// Largest constraint violation after the turn, in characteristic lengths and radians.
const CLOSED: f64 = 1e-6;

/// The mechanism a while later.
#[derive(Clone, Debug, PartialEq)]
pub struct Later {
    /// Its linear form.
    pub linearization: Linearization,
    /// Rotation of each body since the operating point, ground axes.
    pub turned: Vec<Mat3>,
    /// Which bodies turn.
    pub turning: Vec<bool>,
}

/// The angular velocity at which each body's velocity vector turns; zero if no rotation explains its
/// acceleration.
pub(super) fn carriers(bodies: &[BodyKinematics]) -> Vec<Vec3> {
    let mut known: Vec<Vec3> = Vec::new();
    for body in bodies.iter().filter(|body| body.omega != Vec3::zeros()) {
        if !known.contains(&body.omega) {
            known.push(body.omega);
        }
    }
    let of = |body: &BodyKinematics| {
        let (mut best, mut least) = (Vec3::zeros(), EXPLAINED * body.a.norm());
        for omega in core::iter::once(&body.omega).chain(&known) {
            let left = (body.a - omega.cross(&body.v)).norm();
            if left < least {
                (best, least) = (*omega, left);
            }
        }
        best
    };
    bodies.iter().map(of).collect()
}

/// The mechanism a while later, if parts turn and everything moves on steadily. `state` has the accelerations of its
/// instant.
pub(super) fn later(
    mechanism: &Mechanism,
    keep: &[bool],
    (system, state): (&System, &State),
    bodies: &[BodyKinematics],
) -> Option<Later> {
    let bodies = &bodies[..system.bodies.len()];
    let carriers = carriers(bodies);
    let fastest = bodies
        .iter()
        .fold(0.0, |most, b| larger(most, b.omega.norm()));
    let length = characteristic_length(system);
    let size = bodies
        .iter()
        .fold(fastest * fastest * length, |most, body| {
            larger(most, body.a.norm())
        });
    let all = bodies.iter().zip(&carriers);
    let left = all.fold(0.0, |most, (body, omega)| {
        let moved = (body.a - omega.cross(&body.v)).norm();
        larger(larger(most, moved), body.alpha.norm() * length)
    });
    if fastest == 0.0 || left > STEADY * size {
        return None;
    }
    let after = TURN / fastest;
    let rates = rates(system, state);
    let mut state = state.clone();
    let layout = &system.layout;
    let mut turned = Vec::new();
    for (k, (body, omega)) in bodies.iter().zip(&carriers).enumerate() {
        let turn = body.omega * after;
        turned.push(exp(&turn));
        let r = body.r + travel(&body.v, omega, after);
        let q = multiply(&exp_quaternion(&turn), &state.quaternion(layout, k));
        state.set_pose(layout, k, &r, &normalized(&q));
        let v = exp(&(omega * after)) * body.v;
        state.set_rates(layout.velocity, k, &v, &body.w);
    }
    for m in 0..system.motions.len() {
        state.reals[layout.motions.first + 2 * m] += rates[m] * after;
    }
    state.reals[layout.time.first] += after;
    if !is_closed(system, &mut state, length) {
        return None;
    }
    let linearization = of_state(mechanism, keep, (system, &state)).ok()?.0;
    Some(Later {
        linearization,
        turned,
        turning: bodies
            .iter()
            .map(|b| b.omega.norm() > 1e-9 * fastest)
            .collect(),
    })
}

/// Displacement of a point whose velocity vector turns.
fn travel(v: &Vec3, omega: &Vec3, after: f64) -> Vec3 {
    let rate = omega.norm();
    if rate == 0.0 {
        return v * after;
    }
    let axis = omega / rate;
    let along = axis * axis.dot(v);
    let across = v - along;
    let (sine, cosine) = sincos(rate * after);
    along * after + across * (sine / rate) + axis.cross(&across) * ((1.0 - cosine) / rate)
}

/// Rates that motions prescribe.
fn rates(system: &System, state: &State) -> Vec<f64> {
    let mut ws = Workspace::new(system);
    let motions = state.span(system.layout.motions);
    let held = |m: usize| (motions[2 * m], motions[2 * m + 1]);
    eval::targets(system, state, &mut ws, state.time(&system.layout), held);
    ws.targets.iter().map(|target| target.rate).collect()
}

/// Are the constraints met?
fn is_closed(system: &System, state: &mut State, length: f64) -> bool {
    let mut ws = Workspace::new(system);
    let mut placed = eval::kinematics_at_state(system, state, &mut ws);
    count_angles(system, state, &placed);
    let time = state.time(&system.layout);
    let motions = state.span(system.layout.motions);
    let held = |m: usize| (motions[2 * m], motions[2 * m + 1]);
    placed.targets(system, state, time, held);
    let evaluated = residual::evaluate(system, state, placed, time);
    let worst = residual::largest_violation(system, &evaluated, Level::Position);
    worst <= CLOSED * length.max(1.0)
}

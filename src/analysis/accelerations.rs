//! Control plane: accelerations and multipliers at a consistent position and velocity.
//!
//! ```text
//! M u̇ − Q(x, u, u̇, λ, t) + Gᵀλ = 0,   Φ̈ = 0                               (ACC-1)
//! ```
//! by Newton's method; one iteration where no force depends on accelerations or reactions. Redundant
//! rows must have been removed.

use crate::elements::kinematics::Weights;
use crate::linalg::{Factorization, Quality};
use crate::state::{State, vec3};
use crate::system::jacobian::{self, Scaling, StateRows};
use crate::system::layout::BLOCK;
use crate::system::residual::{self, Level, larger};
use crate::system::{System, eval};
use crate::workspace::Workspace;

/// Iterations before the start counts as impossible.
const ITERATIONS: usize = 30;
/// A correction this small against the solution, or against what the loads on a body could do
/// alone, ends the iteration.
const CONVERGED: f64 = 1e-13;
/// A correction below this that no longer shrinks is rounding, and ends the iteration as well.
const ROUNDING: f64 = 1e-9;
/// Slopes that make the unknowns accelerations and multipliers.
pub const WEIGHTS: Weights = Weights {
    x: 0.0,
    u: 0.0,
    a: 1.0,
    l: 1.0,
    z: 0.0,
};

/// Why accelerations cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccelerationFailure {
    /// The matrix is singular at a block.
    Singular(u32),
    /// The iteration does not converge.
    Diverged,
    /// A number at a block is not finite.
    NotFinite(u32),
}

/// Sets accelerations and multipliers of the state.
pub fn solve(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
) -> Result<(), AccelerationFailure> {
    let layout = &system.layout;
    let time = state.time(layout);
    let mut factor: Option<Factorization> = None;
    let mut previous = f64::INFINITY;
    for _ in 0..ITERATIONS {
        eval::kinematics_at_state(system, state, ws);
        let present: Vec<(f64, f64)> = state
            .span(layout.motions)
            .chunks(2)
            .map(|m| (m[0], m[1]))
            .collect();
        eval::targets(system, state, ws, time, |m| present[m]);
        residual::evaluate(system, state, ws, time);
        let scaling = Scaling {
            motion: 1.0,
            constraints: 1.0,
            states: StateRows::HELD,
        };
        jacobian::assemble(system, state, ws, &WEIGHTS, &scaling);
        residual::assemble(system, state, ws, 1.0, Level::Acceleration);
        if let Some(block) = residual::not_finite(system, ws) {
            return Err(AccelerationFailure::NotFinite(block));
        }
        let size = loads(system, state, ws);
        let factor = if let Some(factor) = &mut factor {
            factor
        } else {
            let analysed = Factorization::analyse(&system.pattern, &[&ws.matrix])
                .map_err(|s| AccelerationFailure::Singular(s.block.0))?;
            factor.insert(analysed)
        };
        if let Quality::Singular { block } = factor.refactor(&ws.matrix) {
            return Err(AccelerationFailure::Singular(block.0));
        }
        factor.solve(&mut ws.rhs);
        let relative = apply(system, state, ws, size);
        if !relative.is_finite() {
            return Err(AccelerationFailure::Diverged);
        }
        if relative <= CONVERGED || (relative < ROUNDING && relative > 0.5 * previous) {
            return Ok(());
        }
        previous = relative;
    }
    Err(AccelerationFailure::Diverged)
}

/// The largest acceleration that a single load would give a free body: gravity, a force, a
/// reaction, or the centripetal acceleration. Where loads balance, accelerations are rounding
/// errors of this size.
fn loads(system: &System, state: &State, ws: &Workspace) -> f64 {
    let mut largest = residual::gravity(system, state, ws).norm();
    for body in &ws.bodies {
        let speed = body.w.norm();
        largest = larger(larger(largest, speed * speed), speed * body.v.norm());
    }
    let forces = system.forces.iter().zip(&ws.force_wrenches);
    let forces = forces.map(|(f, wrench)| (f.i, f.j, wrench));
    let groups = system.groups.iter().zip(&ws.group_wrenches);
    let groups = groups.map(|(g, wrench)| (g.i, g.j, wrench));
    for (i, j, wrench) in forces.chain(groups) {
        let marker = &ws.markers[i.index()];
        for m in [i, j] {
            let body = system.body_of(m);
            if system.bodies[body].block.is_none() {
                continue;
            }
            let inertia = residual::inertia(system, state, body);
            largest = larger(largest, wrench.force.norm() / inertia.mass);
            if system.bodies[body].dof == 6 {
                let arm = (marker.p - ws.bodies[body].r).norm();
                let torque = wrench.torque.norm() + arm * wrench.force.norm();
                largest = larger(largest, torque / inertia.tensor.diagonal().min());
            }
        }
    }
    largest
}

/// Subtracts the solution from accelerations and multipliers; the largest change, relative to the
/// solution and to `size`.
fn apply(system: &System, state: &mut State, ws: &Workspace, size: f64) -> f64 {
    let layout = &system.layout;
    let (mut change, mut size) = (0.0, size.max(1e-300));
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        let at = block.offset();
        let linear = vec3(&ws.rhs, at);
        let angular = if entry.dof == 6 {
            vec3(&ws.rhs, at + 3)
        } else {
            linear * 0.0
        };
        let kinematics = &ws.bodies[body];
        let a = kinematics.a - linear;
        let alpha = kinematics.rotation.tr_mul(&(kinematics.alpha - angular));
        state.set_rates(layout.acceleration, body, &a, &alpha);
        change = larger(larger(change, linear.norm()), angular.norm());
        size = larger(larger(size, a.norm()), alpha.norm());
    }
    for (g, group) in system.groups.iter().enumerate() {
        for k in 0..group.rows.len {
            let correction = ws.rhs[group.block.offset() + k];
            let multipliers = state.span_mut(layout.multipliers);
            multipliers[BLOCK * g + k] -= correction;
            if !correction.is_finite() {
                return f64::NAN;
            }
        }
    }
    change / size
}

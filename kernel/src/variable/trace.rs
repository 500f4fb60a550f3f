//! What EPRINT reports: the largest residual and correction of each iteration, with what has them.

use super::newton::Iteration;
use crate::integrator::{displace, residuals};
use crate::math::largest::Largest;
use crate::system::entity::Entity;
use crate::system::residual::evaluate_again;
use alloc::vec::Vec;

/// One iteration of Newton's method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterated {
    /// The largest residual [N, N m; of constraints m, rad].
    pub residual: Largest<Entity>,
    /// The largest correction [user length units, rad; of states relative to their size where that is above 1].
    pub correction: Largest<Entity>,
    /// Was the Jacobian evaluated?
    pub jacobian: bool,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// It is accepted, with this error.
    Accepted(Largest<Entity>),
    /// Something changes within it, so it is repeated to end there.
    Repeated(Largest<Entity>),
    /// Its error is too large.
    Rejected(Largest<Entity>),
    /// Newton's iteration does not converge.
    Diverged,
}

/// One attempt of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// Where it began \[s\].
    pub time: f64,
    /// Its length \[s\].
    pub step: f64,
    /// Its order.
    pub order: usize,
    /// Its iterations.
    pub iterations: Vec<Iterated>,
    /// How it ended.
    pub outcome: Outcome,
}

/// The largest residual before an iteration.
pub(super) fn residual(on: &mut Iteration<'_>) -> Largest<Entity> {
    let Iteration {
        system,
        state,
        ws,
        stepper,
        scheme,
        ..
    } = on;
    let placed = displace(system, state, ws, stepper, scheme);
    let evaluated = evaluate_again(system, state, placed);
    let balanced = residuals(system, state, evaluated, stepper, scheme);
    let mut most = Largest::default();
    for block in system.pattern.block_ids() {
        // Rows of motion are scaled by s of (RES-1), those of constraints are not.
        let moves = system.bodies.iter().any(|body| body.block == Some(block));
        let scale = if moves { scheme.scale } else { 1.0 };
        for x in &balanced.rhs[block.offset()..][..system.pattern.size(block)] {
            most.raise(x.abs() / scale, block.into());
        }
    }
    most
}

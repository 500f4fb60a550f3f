//! Control plane: computes accelerations and multipliers at a consistent position and velocity.
//!
//! ```text
//! M u̇ − Q(x, u, u̇, λ, y, t) + Gᵀλ = 0,   Φ̈ = 0,   r = 0                    (ACC-1)
//! ```
//! Solved by Newton's method. One iteration is enough if no force depends on accelerations or reactions; otherwise it
//! iterates until the reactions that forces read have converged too. Redundant rows must have been removed. The same
//! iteration finds implicit variables y and the states that start at rest (ż = 0); if there are any, Newton steps are
//! damped.

use crate::analysis::flexible;
use crate::elements::kinematics::Weights;
use crate::elements::wrench::Wrench;
use crate::ids::{EquationId, MarkerId};
use crate::linalg::{BlockId, Factorization, Quality};
use crate::state::{State, vec3};
use crate::system::entity::Entity;
use crate::system::jacobian::{self, Free, Scaling, StateRows};
use crate::system::layout::BLOCK;
use crate::system::residual::{self, Level, larger};
use crate::system::schedule::Node;
use crate::system::stage::Balanced;
use crate::system::{EquationEntry, System, eval};
use crate::workspace::Workspace;

/// Iteration limit; beyond it the start fails.
const ITERATIONS: usize = 30;
/// Iteration limit with damped steps.
const DAMPED_ITERATIONS: usize = 100;
/// Smallest fraction of a Newton step that is tried.
const SMALLEST: f64 = 1e-4;
/// The iteration ends once the correction is this small relative to the solution, or to what the
/// loads on a body could do alone.
const CONVERGED: f64 = 1e-13;
/// A correction below this that no longer shrinks is rounding and ends the iteration too.
const ROUNDING: f64 = 1e-9;
/// A matrix serves again while each correction is below this part of the one before.
const QUICK: f64 = 0.1;
/// Weights that make the unknowns accelerations, multipliers, implicit variables and states.
pub const WEIGHTS: Weights = Weights {
    x: 0.0,
    u: 0.0,
    a: 1.0,
    l: 1.0,
    z: 1.0,
};
/// States keep their values, except those that start at rest (ż = 0).
pub const ROWS: StateRows = StateRows {
    own: 0.0,
    slope: 1.0,
    residual: 1.0,
    free: Free::Steady,
};

/// Why accelerations cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccelerationFailure {
    /// The matrix is singular at a block.
    Singular(BlockId),
    /// An equation does not depend on its own unknown.
    Empty(EquationId),
    /// The iteration does not converge.
    Diverged,
    /// The iteration does not converge for this equation.
    Unsettled(EquationId),
    /// A number is not finite.
    NotFinite(Entity),
}

/// Computes the state's accelerations, multipliers, implicit variables and the states that start at rest.
///
/// Quasi-static modes have their inertia here: without it, modes out of balance with their loads have no
/// accelerations. Their accelerations are zeroed at the end, and the first step moves them into balance.
pub fn solve(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
) -> Result<(), AccelerationFailure> {
    ws.flexible.with_lost_inertia = true;
    let solved = iterate(system, state, ws, (ROWS, None));
    ws.flexible.with_lost_inertia = false;
    flexible::rest(system, state);
    solved
}

/// Computes the state's accelerations, multipliers and implicit variables. States keep their values; quasi-static modes
/// keep their accelerations and inertia.
pub fn solve_moving(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
) -> Result<(), AccelerationFailure> {
    solve_moving_by(system, state, ws, None)
}

/// The same with the elimination order of a factorisation, as long as that is sound.
pub fn solve_moving_by(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    order: Option<&mut Factorization>,
) -> Result<(), AccelerationFailure> {
    ws.flexible.with_lost_inertia = true;
    let held = StateRows {
        free: Free::None,
        ..ROWS
    };
    let solved = iterate(system, state, ws, (held, order));
    ws.flexible.with_lost_inertia = false;
    solved
}

fn iterate(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    (rows, mut order): (StateRows, Option<&mut Factorization>),
) -> Result<(), AccelerationFailure> {
    let free = rows.free;
    let mut factor: Option<Factorization> = None;
    let mut previous = f64::INFINITY;
    // Where the order of elimination is known, the matrix of the first iteration serves as long as corrections fall
    // quickly.
    let mut serves = false;
    let damped = system.equations.iter().any(|entry| is_solved(entry, free));
    let iterations = if damped {
        DAMPED_ITERATIONS
    } else {
        ITERATIONS
    };
    for _ in 0..iterations {
        let mut balanced = evaluate(system, state, ws, free);
        if let Some(entity) = residual::not_finite(system, &balanced) {
            return Err(AccelerationFailure::NotFinite(entity));
        }
        let scaling = Scaling {
            motion: 1.0,
            constraints: 1.0,
            rates: 0.0,
            states: rows,
        };
        if !serves {
            jacobian::assemble(system, state, &mut balanced, &WEIGHTS, &scaling);
        }
        if let Some(k) = empty_row(system, ws, free) {
            return Err(AccelerationFailure::Empty(EquationId::from(k)));
        }
        let size = loads(system, state, ws);
        let known = order
            .take_if(|known| !serves && !matches!(known.refactor(&ws.matrix), Quality::Good))
            .is_none();
        let factor = if let (Some(order), true) = (&mut order, known) {
            &mut **order
        } else if let Some(factor) = &mut factor {
            if let Quality::Singular { block } = factor.refactor(&ws.matrix) {
                return Err(AccelerationFailure::Singular(block));
            }
            factor
        } else {
            let analysed = Factorization::analyse_to_refine(&system.pattern, &ws.matrix)
                .map_err(|s| AccelerationFailure::Singular(s.block))?;
            factor.insert(analysed)
        };
        factor.solve_refined(&ws.matrix, &mut ws.rhs);
        let relative = if damped {
            advance(system, state, ws, (factor, free), size)?
        } else {
            apply(system, state, &ws.rhs, ws, (1.0, size, free))
        };
        if !relative.is_finite() {
            return Err(AccelerationFailure::Diverged);
        }
        if relative <= CONVERGED || (relative < ROUNDING && relative > 0.5 * previous) {
            return Ok(());
        }
        serves = order.is_some() && !damped && relative < QUICK * previous;
        previous = relative;
    }
    Err(match worst(system, state, &ws.rhs, free) {
        Some((_, k)) => AccelerationFailure::Unsettled(EquationId::from(k)),
        None => AccelerationFailure::Diverged,
    })
}

/// Does the start solve this equation?
pub fn is_solved_at_start(entry: &EquationEntry) -> bool {
    is_solved(entry, ROWS.free)
}

/// Is this equation solved for?
fn is_solved(entry: &EquationEntry, free: Free) -> bool {
    entry.is_algebraic() || free.allows(entry.start)
}

/// Evaluates (ACC-1) at the state into the right-hand side, with the rates of the free states.
pub fn evaluate<'w>(
    system: &System,
    state: &State,
    ws: &'w mut Workspace,
    free: Free,
) -> Balanced<'w> {
    let time = state.time(&system.layout);
    let mut placed = eval::kinematics_at_state(system, state, ws);
    let present = state.span(system.layout.motions);
    placed.targets(system, state, time, |m| {
        (present[2 * m], present[2 * m + 1])
    });
    let evaluated = residual::evaluate(system, state, placed, time);
    let mut balanced = residual::assemble(system, state, evaluated, 1.0, Level::Acceleration);
    for (k, entry) in system.equations.iter().enumerate() {
        let value = eval::equation(system, &balanced, k);
        let residual = if entry.is_algebraic() { value } else { -value };
        if is_solved(entry, free) {
            balanced.rhs_mut()[entry.block.offset() + entry.place] = residual;
        }
    }
    balanced
}

/// The first equation to be solved whose row of the matrix is empty.
fn empty_row(system: &System, ws: &Workspace, free: Free) -> Option<usize> {
    let solved = |entry: &&EquationEntry| is_solved(entry, free);
    let empty = |entry: &EquationEntry| {
        entry.slots.iter().all(|slot| {
            let tile = ws.matrix.tile(*slot);
            (0..BLOCK).all(|c| tile[crate::linalg::entry(entry.place, c)] == 0.0)
        })
    };
    let mut entries = system.equations.iter();
    entries.position(|entry| solved(&entry) && empty(entry))
}

/// Applies the largest tried fraction of the Newton step in `ws.rhs` that brings the equations nearer to
/// their solution: the next step with the same matrix must be smaller (Deuflhard 1974). Returns the change as
/// [`apply`] does.
fn advance(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    (factor, free): (&mut Factorization, Free),
    size: f64,
) -> Result<f64, AccelerationFailure> {
    let step = ws.rhs.clone();
    let started = state.clone();
    let Some((whole, k)) = worst(system, &started, &step, free) else {
        return Ok(apply(system, state, &step, ws, (1.0, size, free)));
    };
    let mut share = 1.0;
    while share >= SMALLEST {
        let relative = apply(system, state, &step, ws, (share, size, free));
        let balanced = evaluate(system, state, ws, free);
        if residual::not_finite(system, &balanced).is_none() {
            factor.solve(&mut ws.rhs);
            let next = worst(system, &started, &ws.rhs, free).map_or(0.0, |(next, _)| next);
            if next <= (1.0 - 0.5 * share) * whole || larger(next, whole) < ROUNDING {
                ws.rhs.copy_from_slice(&step);
                let left = if share < 1.0 { whole } else { relative };
                return Ok(larger(left, whole));
            }
        }
        state.copy_from(&started);
        eval::kinematics_at_state(system, state, ws);
        share *= 0.5;
    }
    Err(AccelerationFailure::Unsettled(EquationId::from(k)))
}

/// The largest step among the equations to be solved, relative to a state's value where that exceeds one, and
/// its equation.
fn worst(system: &System, state: &State, step: &[f64], free: Free) -> Option<(f64, usize)> {
    let values = state.span(system.layout.states);
    let mut found: Option<(f64, usize)> = None;
    for (k, entry) in system.equations.iter().enumerate() {
        let step = step[entry.block.offset() + entry.place].abs();
        let relative = step / values[k].abs().max(1.0);
        let above = found.is_none_or(|(most, _)| larger(most, relative) > most || most.is_nan());
        if is_solved(entry, free) && above {
            found = Some((relative, k));
        }
    }
    found
}

/// The largest acceleration that a single load would give a free body: gravity, a force, a reaction, its own elastic
/// force, or the centripetal acceleration. If loads balance, accelerations are rounding errors of this size.
fn loads(system: &System, state: &State, ws: &Workspace) -> f64 {
    let gravity = residual::gravity(system, state, ws).norm();
    let mut largest = larger(gravity, flexible::elastic_acceleration(system, ws));
    for body in &ws.bodies {
        let speed = body.w.norm();
        largest = larger(larger(largest, speed * speed), speed * body.v.norm());
    }
    let forces = system.forces.iter().zip(&ws.force_wrenches);
    let forces = forces.map(|(f, wrench)| (f.i, f.j, wrench));
    let groups = system.groups.iter().zip(&ws.group_wrenches);
    let groups = groups.map(|(g, wrench)| (g.i, g.j, wrench));
    for (i, j, wrench) in forces.chain(groups) {
        largest = larger(largest, alone(system, state, ws, (i, j), wrench));
    }
    largest
}

/// The largest acceleration that a load between I and J would give a free body.
fn alone(
    system: &System,
    state: &State,
    ws: &Workspace,
    (i, j): (MarkerId, MarkerId),
    wrench: &Wrench,
) -> f64 {
    let mut largest = 0.0;
    let marker = &ws.markers[i.index()];
    for m in [i, j] {
        let body = system.owner(system.body_of(m));
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
    largest
}

/// Subtracts a fraction of a step from accelerations, multipliers and the unknowns of equations. Returns the
/// largest change of the accelerations and multipliers, relative to the solution and to `size`.
fn apply(
    system: &System,
    state: &mut State,
    step: &[f64],
    ws: &Workspace,
    (share, size, free): (f64, f64, Free),
) -> f64 {
    let layout = &system.layout;
    let (mut change, mut size) = (0.0, size.max(1e-300));
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        let at = block.offset();
        let linear = vec3(step, at) * share;
        let angular = if entry.dof == 6 {
            vec3(step, at + 3) * share
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
    let modal = flexible::apply(system, state, step, share);
    change = larger(change, modal.0);
    size = larger(size, modal.1);
    for (g, group) in system.groups.iter().enumerate() {
        let mut reaction = Wrench::zero();
        for (k, r) in group.rows.range().enumerate() {
            let correction = step[group.block.offset() + k] * share;
            let multipliers = state.span_mut(layout.multipliers);
            multipliers[BLOCK * g + k] -= correction;
            reaction.add(&ws.units[r].scaled(correction));
            if !correction.is_finite() {
                return f64::NAN;
            }
        }
        // If a load reads the reaction, accelerations are right only once the reaction is.
        if system.schedule.step.contains(&Node::Group(g.into())) {
            let ends = (group.i, group.j);
            change = larger(change, alone(system, state, ws, ends, &reaction));
        }
    }
    for (k, entry) in system.equations.iter().enumerate() {
        if is_solved(entry, free) {
            let correction = step[entry.block.offset() + entry.place] * share;
            state.reals[layout.states.first + k] -= correction;
        }
    }
    change / size
}

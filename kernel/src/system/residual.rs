//! Data plane: the residual of the equations of motion and of the constraints.
//!
//! ```text
//! r_body  = s (M u̇ + gyroscopic − Q + Gᵀλ)                                 (RES-1)
//! r_group = Φ, Φ̇ or Φ̈                                                       (RES-2)
//! ```
//! s is the scale of the scheme (h² for backward Euler), which makes the iteration matrix
//! independent of the step size (Bottasso, Dopico, Trainelli 2008).

use crate::elements::bodies::Inertia;
use crate::elements::wrench::{Wrench, six};
use crate::ids::{EquationId, MarkerId};
use crate::math::Vec3;
use crate::state::State;
use crate::system::entity::Entity;
use crate::system::eval::{self, row_target};
use crate::system::layout::BLOCK;
use crate::system::stage::{Balanced, Evaluated, Placed};
use crate::system::{Carrier, Group, RowLaw, System, energy, flexible, rates};
use crate::workspace::Values;
use alloc::vec::Vec;

/// The level at which constraints enter the residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Φ
    Position,
    /// Φ̇
    Velocity,
    /// Φ̈
    Acceleration,
}

/// Inertia of a body from the table of numbers.
#[inline]
pub fn inertia(system: &System, state: &State, body: usize) -> Inertia {
    let at = system.bodies[body].numbers;
    let n = &state.span(system.layout.numbers)[at..at + 7];
    Inertia::new(n[0], &[n[1], n[2], n[3], n[4], n[5], n[6]])
}

/// Gravity at the time being evaluated, before the ramp.
pub fn gravity(system: &System, state: &State, ws: &Values) -> Vec3 {
    let numbers = state.span(system.layout.numbers);
    Vec3::from_fn(|k, _| match &system.gravity_functions[k] {
        Some(function) => ws.expressions[function.expr.index()] * function.to_si,
        None => numbers[system.gravity + k],
    })
}

/// Evaluates the settings, and all values that the forces need.
pub fn evaluate<'w>(
    system: &System,
    state: &State,
    placed: Placed<'w>,
    time: f64,
) -> Evaluated<'w> {
    eval::settings(system, state, placed.0, time);
    evaluate_again(system, state, placed)
}

/// The same with the settings that the workspace has.
pub fn evaluate_again<'w>(system: &System, state: &State, placed: Placed<'w>) -> Evaluated<'w> {
    let constrained = eval::constraint_wrenches(system, state, placed);
    let ws = constrained.0;
    eval::nodes(system, state, ws, &system.schedule.step);
    Evaluated(ws)
}

/// Fills `rhs` with (RES-1) and (RES-2).
pub fn assemble<'w>(
    system: &System,
    state: &State,
    evaluated: Evaluated<'w>,
    scale: f64,
    level: Level,
) -> Balanced<'w> {
    let balanced = motion(system, state, evaluated, scale);
    let ws = &mut *balanced.0;
    for g in 0..system.groups.len() {
        constraint(system, &ws.values, &mut ws.rhs, (g, level));
    }
    balanced
}

/// The same for a step, where rows of velocities only have the residual (ROL-9) with this τ.
pub fn assemble_step<'w>(
    system: &System,
    state: &State,
    evaluated: Evaluated<'w>,
    (scale, tau): (f64, f64),
) -> Balanced<'w> {
    let balanced = assemble(system, state, evaluated, scale, Level::Position);
    let ws = &mut *balanced.0;
    rates::add(system, &ws.values, &mut ws.rhs, tau);
    balanced
}

/// Fills `rhs` with (RES-1).
pub fn motion<'w>(
    system: &System,
    state: &State,
    evaluated: Evaluated<'w>,
    scale: f64,
) -> Balanced<'w> {
    let workspace = evaluated.0;
    let (ws, rhs) = (&mut workspace.values, &mut workspace.rhs[..]);
    rhs.fill(0.0);
    let g = gravity(system, state, ws) * ws.gravity_ramp;
    for (body, entry) in system.bodies.iter().enumerate() {
        if entry.block.is_none() || entry.flexible.is_some() {
            continue;
        }
        let inertia = inertia(system, state, body);
        let (force, torque) = inertia.momentum_rate(&ws.bodies[body], &ws.inertia_terms[body]);
        let force = force - g * inertia.mass;
        let load = six(&(force * scale), &(torque * scale));
        add(rhs, system.carrier(body), &load);
    }
    flexible::motion(system, ws, rhs, (&g, scale));
    for (element, wrench) in system.forces.iter().zip(&ws.force_wrenches) {
        if element.reacts {
            apply(system, ws, rhs, (element.i, element.j), wrench, -scale);
        } else {
            apply_on_i(system, ws, rhs, element.i, wrench, -scale);
        }
    }
    for (group, wrench) in system.groups.iter().zip(&ws.group_wrenches) {
        apply(system, ws, rhs, (group.i, group.j), wrench, -scale);
    }
    if !system.frames.is_empty() {
        flexible::keep_loads(system, &mut ws.flexible.frame_loads, rhs, scale);
        flexible::gather(system, ws, rhs);
    }
    Balanced(workspace)
}

/// Magnitudes of all loads on each body, summed: forces, and torques about the centre of mass. Control plane: it
/// allocates, and no step calls it.
pub fn loads(system: &System, state: &State, ws: &Evaluated<'_>) -> Vec<(f64, f64)> {
    let g = gravity(system, state, ws).norm() * ws.gravity_ramp;
    let weight = |body: usize| match system.bodies[body].block {
        Some(_) => (inertia(system, state, body).mass * g, 0.0),
        None => (0.0, 0.0),
    };
    let mut loads: Vec<(f64, f64)> = (0..system.bodies.len()).map(weight).collect();
    let mut add = |marker: MarkerId, load: &[f64; 6]| {
        let on = system.body_of(marker);
        let load = Wrench {
            force: crate::state::vec3(load, 0),
            torque: crate::state::vec3(load, 3),
        };
        let frame = on.checked_sub(system.bodies.len());
        let (force, torque) = match frame {
            Some(f) => system.frames[f].element.size(&load),
            None => (load.force.norm(), load.torque.norm()),
        };
        let body = system.owner(on);
        loads[body].0 += force;
        loads[body].1 += torque;
    };
    let forces = system.forces.iter().zip(&ws.force_wrenches);
    let forces = forces.map(|(f, wrench)| (f.i, f.j, f.reacts, wrench));
    let groups = system.groups.iter().zip(&ws.group_wrenches);
    let groups = groups.map(|(g, wrench)| (g.i, g.j, true, wrench));
    for (i, j, reacts, wrench) in forces.chain(groups) {
        let marker = &ws.markers[i.index()];
        add(i, &wrench.on_i(marker));
        if reacts {
            let arm = marker.p - ws.bodies[system.body_of(j)].r;
            add(j, &wrench.on_j(&arm));
        }
    }
    loads
}

/// Adds `factor` times the generalized forces of a wrench on the body of I.
#[inline]
fn apply_on_i(
    system: &System,
    ws: &Values,
    rhs: &mut [f64],
    i: MarkerId,
    wrench: &Wrench,
    factor: f64,
) {
    let (marker, on) = (&ws.markers[i.index()], system.carrier(system.body_of(i)));
    let load = wrench.scaled(factor);
    add(rhs, on, &load.on_i(marker));
}

/// Adds `factor` times the generalized forces of a wrench on the bodies of I and J.
#[inline]
pub fn apply(
    system: &System,
    ws: &Values,
    rhs: &mut [f64],
    (i, j): (MarkerId, MarkerId),
    wrench: &Wrench,
    factor: f64,
) {
    let (marker, on) = (&ws.markers[i.index()], system.carrier(system.body_of(i)));
    let load = wrench.scaled(factor);
    add(rhs, on, &load.on_i(marker));
    let body = system.body_of(j);
    let arm = marker.p - ws.bodies[body].r;
    add(rhs, system.carrier(body), &load.on_j(&arm));
}

/// The number of the first entity whose residual is not finite: an equation, else a block.
pub fn not_finite(system: &System, ws: &Balanced<'_>) -> Option<Entity> {
    let yields = |k| eval::equation(system, ws, k) * 0.0;
    let poison = (0..system.equations.len()).map(yields).sum::<f64>();
    if poison == 0.0 && are_finite(&ws.rhs) {
        return None;
    }
    first_not_finite(system, ws)
}

/// Are all numbers of a vector padded by block finite?
#[inline]
pub fn are_finite(x: &[f64]) -> bool {
    // Six independent sums run at a time. 0 x is nonzero only if x is not finite.
    let mut poison = [0.0; BLOCK];
    for block in x.as_chunks::<BLOCK>().0 {
        for (poison, x) in poison.iter_mut().zip(block) {
            *poison += x * 0.0;
        }
    }
    poison.iter().sum::<f64>() == 0.0
}

#[cold]
fn first_not_finite(system: &System, ws: &Balanced<'_>) -> Option<Entity> {
    let bad = |k: &usize| {
        let entry = &system.equations[*k];
        let residual = ws.rhs[entry.block.offset() + entry.place];
        !(residual + eval::equation(system, ws, *k)).is_finite()
    };
    if let Some(equation) = (0..system.equations.len()).find(bad) {
        return Some(EquationId::from(equation).into());
    }
    let block = system.pattern.block_ids().find(|block| {
        let at = block.offset();
        let residual = &ws.rhs[at..at + system.pattern.size(*block)];
        residual.iter().any(|x| !x.is_finite())
    });
    block.map(Entity::from)
}

/// Adds a load to the rows of its carrier.
#[inline]
fn add(rhs: &mut [f64], on: Carrier, load: &[f64; 6]) {
    let Some(block) = on.block else { return };
    let rhs = &mut rhs[block.offset()..][..BLOCK];
    // The constant length lets the compiler unroll the six sums.
    if on.dof == BLOCK {
        for k in 0..BLOCK {
            rhs[k] += load[k];
        }
    } else {
        for (x, load) in rhs.iter_mut().zip(load).take(on.dof) {
            *x += load;
        }
    }
}

/// Adds (RES-2) of one group.
fn constraint(system: &System, ws: &Values, rhs: &mut [f64], (g, level): (usize, Level)) {
    let group = &system.groups[g];
    let at = group.block.offset();
    if level == Level::Position {
        let violations = &ws.violations[group.rows.range()];
        for (sum, violation) in rhs[at..].iter_mut().zip(violations) {
            *sum += violation;
        }
        return;
    }
    let approach = approach(ws, group);
    for (k, r) in group.rows.range().enumerate() {
        rhs[at + k] += row_residual(system, ws, (group, &approach), r, level);
    }
}

/// Relative velocity and angular velocity of the markers of a group, seen from J's body.
#[inline]
pub fn approach(ws: &Values, group: &Group) -> (Vec3, Vec3) {
    let (i, j) = (&ws.markers[group.i.index()], &ws.markers[group.j.index()]);
    let v = i.v - j.v - j.omega.cross(&(i.p - j.p));
    (v, i.omega - j.omega)
}

/// Φ, Φ̇ or Φ̈ of one row of a group; for a coupler, its term of the sum (CPL-1). [`eval::constraint_wrenches`] must
/// have run at the targets.
pub fn row_residual(
    system: &System,
    ws: &Values,
    (group, (v, omega)): (&Group, &(Vec3, Vec3)),
    r: usize,
    level: Level,
) -> f64 {
    if level == Level::Position {
        return ws.violations[r];
    }
    let row = &system.rows[r];
    let (i, j) = (&ws.markers[group.i.index()], &ws.markers[group.j.index()]);
    let target = row_target(&row.target, &ws.targets);
    let (first, second) = match &row.law {
        RowLaw::Markers(kind) if level == Level::Velocity => {
            return kind.speed(&ws.units[r], (v, omega), &target);
        }
        RowLaw::Markers(kind) => kind.rates(i, j, &target),
        RowLaw::Curve { joint, row } => ws.curve_joints[*joint].rows[*row].rates(i, j),
        // The legs add up; the first carries the whole value.
        RowLaw::General { leg: 1.., .. } => (0.0, 0.0),
        RowLaw::General { constraint, .. } => {
            let jet = &ws.generals[constraint.index()].jet;
            (jet.first, jet.second)
        }
    };
    if level == Level::Velocity {
        first
    } else {
        second
    }
}

/// Largest |Φ|, |Φ̇| or |Φ̈| of all rows; those of a coupler's legs add up.
pub fn largest_violation(system: &System, ws: &Values, level: Level) -> f64 {
    let mut worst = 0.0;
    for (g, group) in system.groups.iter().enumerate() {
        if group.adds() {
            continue;
        }
        let legs = system.groups[g + 1..].iter().take_while(|leg| leg.adds());
        let mut sums = [0.0; BLOCK];
        for part in core::iter::once(group).chain(legs) {
            let approach = approach(ws, part);
            for (r, sum) in part.rows.range().zip(&mut sums) {
                *sum += row_residual(system, ws, (part, &approach), r, level);
            }
        }
        worst = sums.iter().fold(worst, |worst, x| larger(worst, x.abs()));
    }
    worst
}

/// The largest magnitude in a padded vector.
pub fn largest(x: &[f64]) -> f64 {
    // Six independent comparisons run at a time.
    let mut all = [0.0; BLOCK];
    for block in x.as_chunks::<BLOCK>().0 {
        for (largest, x) in all.iter_mut().zip(block) {
            *largest = larger(*largest, x.abs());
        }
    }
    all.into_iter().fold(0.0, larger)
}

/// The larger of two numbers; NaN wins, so that it cannot go unnoticed.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// Kinetic energy \[J\].
pub fn kinetic_energy(system: &System, state: &State, ws: &Values) -> f64 {
    let mut total = 0.0;
    for body in 0..system.bodies.len() {
        total += energy::kinetic(system, state, ws, body);
    }
    total
}

/// Potential energy of gravity, springs, bushings and contacts \[J\].
pub fn potential_energy(system: &System, state: &State, ws: &Values) -> f64 {
    let g = gravity(system, state, ws) * ws.gravity_ramp;
    let mut total = 0.0;
    for body in 0..system.bodies.len() {
        total -= g.dot(&energy::first_moment(system, state, ws, body));
    }
    total + crate::system::energy::strain_energy(system, state, ws)
}

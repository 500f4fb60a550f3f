//! Data plane: one fixed step — predict, FIXIT Newton iterations, accept.
//!
//! The unknown of a body is its displacement Δ since the start of the step (δx in ground axes, the rotation vector θ
//! in body axes). A scheme is a pair of affine maps `u = cu Δ + u₀`, `a = ca Δ + a₀` ([`Scheme`]). All schemes share
//! this file.
//!
//! [`accepted`] evaluates the accepted state, [`error`] the local error.

pub mod accepted;
pub mod alpha;
pub mod corrections;
pub mod error;
pub mod failure;
pub mod flexible;
pub mod gstiff;
pub mod instant;
pub mod limits;
pub mod linear;
pub mod memory;
pub mod motions;
pub mod sampled;
pub mod scheme;
pub mod sensors;
pub mod si2;
pub mod soundness;
pub mod states;

use crate::elements::bodies::InertiaTerm;
use crate::elements::kinematics::BodyKinematics;
use crate::ids::BodyId;
use crate::linalg::{BlockId, Factorization, settle};
use crate::math::Vec3;
use crate::math::largest::Largest;
use crate::math::rotation::{Quaternion, exp_quaternion, matrix, multiply, normalized};
use crate::mechanism::SolverSettings;
use crate::state::{Counter, State, StateFigure, vec3};
use crate::system::jacobian;
use crate::system::layout::BLOCK;
use crate::system::length::characteristic_length;
use crate::system::residual::{self, Level};
use crate::system::stage::{Balanced, Evaluated, Placed};
use crate::system::{System, curves, eval, inputs};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;
use corrections::Corrections;
pub use failure::StepFailure;
use limits::Limits;
pub use scheme::{Scheme, scheme};
use si2::Projection;
use soundness::Soundness;
use states::{Misfit, StateSteps};

/// The work of one accepted step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StepReport {
    /// Newton iterations.
    pub iterations: u32,
    /// Jacobians evaluated and factorised.
    pub jacobians: u32,
}

/// Figures of a step, by part, for the guard.
#[derive(Clone, Copy, Debug, Default)]
pub struct Motion {
    /// The local error \[m, rad\].
    pub error: [Largest<BodyId>; 2],
    /// Rotation in half turns.
    pub turn: Largest<BodyId>,
    /// How far unbalanced forces and torques would move a part within the step if it were free \[m, rad\].
    pub unbalanced: [Largest<BodyId>; 2],
    /// The implicit variable farthest from its solution; the state that grows too fast for the step.
    pub misfits: [Misfit; 2],
}

/// What an integrator holds besides the state.
#[derive(Clone, Debug)]
pub struct Stepper {
    /// Displacement since the start of the step, per body.
    pub delta: Vec<f64>,
    /// Predicted displacement.
    pub predicted: Vec<f64>,
    /// u₀ per body.
    pub velocity_offset: Vec<f64>,
    /// a₀ per body.
    pub acceleration_offset: Vec<f64>,
    /// Displacement and rate of rate-driven motions at the end of the step.
    pub motions: Vec<(f64, f64)>,
    /// Counted angles of the last accepted step.
    pub angles: Vec<f64>,
    /// The states of differential equations.
    pub states: StateSteps,
    /// Factors of the Newton matrix.
    pub factor: Factorization,
    /// The projection on the velocity constraints, for formulation SI2.
    pub projection: Projection,
    /// The state before a step, without the memory of delays.
    pub before: State,
    /// Newton's corrections in the last step.
    pub corrections: Corrections,
    /// Drives with limits of effort.
    pub limits: Limits,
    /// The characteristic length \[m\].
    pub length: f64,
    /// Figures of the last step.
    pub motion: Motion,
}

impl Stepper {
    /// Allocates the buffers for a system.
    pub fn new(system: &System, factor: Factorization, projection: Projection) -> Self {
        let n = system.layout.velocity.len;
        Self {
            delta: vec![0.0; n],
            predicted: vec![0.0; n],
            velocity_offset: vec![0.0; n],
            acceleration_offset: vec![0.0; n],
            motions: vec![(0.0, 0.0); system.motions.len()],
            angles: vec![0.0; system.angles.len()],
            states: StateSteps::new(system),
            factor,
            projection,
            before: State::new(&system.layout),
            corrections: Corrections::new(system.tiles.padded()),
            limits: Limits::new(system),
            length: characteristic_length(system),
            motion: Motion::default(),
        }
    }

    /// Rewrites everything but the dense fallbacks at its final place in memory, so that no step has a page fault.
    pub fn settle(&mut self) {
        settle(self, |own| [&mut own.factor, &mut own.projection.factor]);
    }

    /// Writes to every page of the dense fallbacks; to that of the projection only if it is used.
    pub fn settle_fallbacks(&mut self, stabilised: bool) {
        self.factor.settle_fallback();
        if stabilised {
            self.projection.factor.settle_fallback();
        }
    }
}

/// One step of size h. On failure the state is unchanged.
pub fn step(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    stepper: &mut Stepper,
    settings: &SolverSettings,
    length_unit: f64,
) -> Result<StepReport, StepFailure> {
    let span = system.layout.angles;
    stepper.angles.copy_from_slice(state.span(span));
    predict_angles(system, state, ws);
    let report = attempt(system, state, ws, stepper, settings, length_unit);
    stepper.limits.restore(ws);
    if report.is_err() {
        state.span_mut(span).copy_from_slice(&stepper.angles);
    }
    report
}

/// Predicts the counted angles from their rates, so that a step that turns by more than half a turn is still counted.
/// The workspace must hold the accepted state.
fn predict_angles(system: &System, state: &mut State, ws: &Workspace) {
    let h = state.step(&system.layout);
    for (k, (def, i, j)) in system.angles.iter().enumerate() {
        let (i, j) = (&ws.markers[i.index()], &ws.markers[j.index()]);
        // Near its pole an angle can change faster than the bodies rotate; such rates predict nothing.
        let most = (i.omega - j.omega).norm();
        let rate = crate::elements::angle::rate(def, i, j);
        if rate.abs() <= most * (1.0 + 1e-9) {
            state.span_mut(system.layout.angles)[k] += h * rate;
        }
    }
}

/// Performs the step. On failure the state is unchanged except for its counted angles.
fn attempt(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    stepper: &mut Stepper,
    settings: &SolverSettings,
    length_unit: f64,
) -> Result<StepReport, StepFailure> {
    let h = state.step(&system.layout);
    let next = state.time_after(&system.layout, 1);
    let scheme = scheme(settings, h);
    eval::settings(system, state, ws, next);
    predict(system, state, ws, stepper, settings, &scheme);
    motions::integrate(system, state, ws, &mut stepper.motions, h);
    eval::targets(system, state, ws, next, |m| stepper.motions[m]);
    stepper.corrections.begin();
    stepper.limits.begin();
    let mut report = StepReport::default();
    let mut soundness = Soundness::default();
    for k in 0..settings.iterations() {
        let evaluate = k == 0 || settings.pattern[k % settings.pattern.len()];
        stepper.limits.may_cross =
            evaluate && k >= limits::FIRST_CROSSING && k + 1 < settings.iterations();
        let quality = iterate(system, state, ws, stepper, &scheme, evaluate)?;
        soundness.add(quality);
        report.iterations += 1;
        report.jacobians += u32::from(evaluate);
    }
    let limit = (settings.maxerr, length_unit);
    let error = error::check(system, state, ws, stepper, &scheme, limit)?;
    accept(system, state, ws, stepper, &scheme);
    let figures = &system.layout;
    state.set_figure(figures, StateFigure::LocalError, error);
    if scheme.stabilised {
        let correction = stepper.projection.largest(system, length_unit);
        state.set_figure(figures, StateFigure::DriftCorrection, correction);
    }
    *state.counter_mut(Counter::Iterations) = u64::from(report.iterations);
    *state.counter_mut(Counter::Jacobians) = u64::from(report.jacobians);
    soundness.count(state);
    Ok(report)
}

/// Sets the start of Newton's iteration.
fn predict(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    stepper: &mut Stepper,
    settings: &SolverSettings,
    scheme: &Scheme,
) {
    let h = state.step(&system.layout);
    if settings.integrator.is_backward() {
        gstiff::predict(system, state, stepper, scheme, h);
        if settings.linearly_implicit {
            linear::start(system, state, stepper, h);
        }
        ws.inertia_terms.fill(InertiaTerm::plain());
        ws.flexible.modal_history.fill(0.0);
    } else {
        let parameters = alpha::Parameters::of(settings);
        alpha::predict(system, state, stepper, &parameters, h);
        alpha::inertia_terms(system, state, ws, &parameters);
    }
    stepper.states.predict(system, state, &scheme.states);
    stepper.states.hold_bristles(system, state);
    ws.multipliers
        .copy_from_slice(state.span(system.layout.multipliers));
    si2::start(system, state, ws, stepper, scheme);
}

/// One Newton iteration at the settings of the workspace; tells how its factorisations went.
pub fn iterate(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    stepper: &mut Stepper,
    scheme: &Scheme,
    evaluate: bool,
) -> Result<Soundness, StepFailure> {
    let mut placed = displace(system, state, ws, stepper, scheme);
    let crosses = stepper.limits.cross(system, state, &mut placed);
    let evaluated = residual::evaluate_again(system, state, placed);
    let mut balanced = residuals(system, state, evaluated, stepper, scheme);
    if let Some(entity) = residual::not_finite(system, &balanced) {
        return Err(StepFailure::NotFinite(entity));
    }
    let mut soundness = Soundness::default();
    if evaluate {
        let (weights, scaling) = (&scheme.weights, scheme.scaling());
        jacobian::assemble_softened(system, state, &mut balanced, weights, &scaling);
        let quality = stepper.factor.refactor(&balanced.matrix);
        if let Err(block) = soundness.mark(quality) {
            return Err(broken(system, &balanced, block));
        }
    }
    for x in &mut ws.rhs {
        *x = -*x;
    }
    stepper.factor.solve(&mut ws.rhs);
    stepper
        .corrections
        .take(system, ws, (stepper.length, crosses))?;
    stepper.limits.restore(ws);
    update(system, ws, stepper, scheme);
    stepper.states.hold_bristles(system, state);
    if scheme.stabilised {
        let placed = displace(system, state, ws, stepper, scheme);
        let quality = si2::project(system, state, placed, stepper, (scheme, evaluate));
        if let Err(block) = soundness.mark(quality) {
            let evaluated = Evaluated::kept(ws);
            let balanced =
                residual::assemble(system, state, evaluated, scheme.scale, Level::Velocity);
            return Err(broken(system, &balanced, block));
        }
    }
    Ok(soundness)
}

/// The negative right-hand side of Newton's iteration.
pub fn residuals<'w>(
    system: &System,
    state: &State,
    evaluated: Evaluated<'w>,
    stepper: &Stepper,
    scheme: &Scheme,
) -> Balanced<'w> {
    let mut balanced = residual::assemble(system, state, evaluated, scheme.scale, Level::Position);
    stepper
        .states
        .residual(system, &mut balanced, &scheme.states, scheme.scale);
    balanced
}

/// Why the matrix cannot be factorised: the first entity with a number that is not finite or, if all are finite,
/// singularity at a block.
fn broken(system: &System, ws: &Balanced<'_>, singular: BlockId) -> StepFailure {
    for block in system.pattern.block_ids() {
        let at = block.offset();
        let residual = &ws.rhs[at..at + system.pattern.size(block)];
        let tiles = system
            .pattern
            .row(block)
            .map(|(_, slot)| ws.matrix.tile(slot));
        if !residual
            .iter()
            .chain(tiles.flatten())
            .all(|x| x.is_finite())
        {
            return StepFailure::NotFinite(block.into());
        }
    }
    StepFailure::Singular(singular)
}

/// Kinematics at the displaced state.
pub fn displace<'w>(
    system: &System,
    state: &State,
    ws: &'w mut Workspace,
    stepper: &Stepper,
    scheme: &Scheme,
) -> Placed<'w> {
    for (body, entry) in system.bodies.iter().enumerate() {
        if entry.block.is_some() {
            ws.bodies[body] = displaced(system, state, stepper, scheme, body);
        }
    }
    flexible::displace(system, state, ws, stepper, scheme);
    stepper.states.displace(system, state, ws);
    eval::moving_markers(system, ws)
}

/// Motion of one body after a displacement: position, velocity, angular velocity, acceleration, angular acceleration.
#[inline]
fn reached(
    system: &System,
    state: &State,
    stepper: &Stepper,
    scheme: &Scheme,
    body: usize,
) -> [Vec3; 5] {
    let at = BLOCK * body;
    let (dx, theta) = (vec3(&stepper.delta, at), vec3(&stepper.delta, at + 3));
    let w = &scheme.weights;
    let (u0, a0) = (&stepper.velocity_offset, &stepper.acceleration_offset);
    [
        state.position(&system.layout, body) + dx,
        dx * w.u + vec3(u0, at),
        theta * w.u + vec3(u0, at + 3),
        dx * w.a + vec3(a0, at),
        theta * w.a + vec3(a0, at + 3),
    ]
}

/// The orientation of a body after a rotation since the start of the step.
#[inline]
fn turned(system: &System, state: &State, theta: &Vec3, body: usize) -> Quaternion {
    let q = state.quaternion(&system.layout, body);
    multiply(&q, &exp_quaternion(theta))
}

/// One body at the displaced state.
#[inline]
fn displaced(
    system: &System,
    state: &State,
    stepper: &Stepper,
    scheme: &Scheme,
    body: usize,
) -> BodyKinematics {
    let theta = vec3(&stepper.delta, BLOCK * body + 3);
    let [r, v, w, a, w_dot] = reached(system, state, stepper, scheme, body);
    let rotation = matrix(&turned(system, state, &theta, body));
    BodyKinematics::new((r, rotation), (v, w), (a, w_dot)).after(&theta)
}

/// Adds the Newton correction in `ws.rhs`: δx, δψ (turned into the change of θ) and multipliers.
fn update(system: &System, ws: &mut Workspace, stepper: &mut Stepper, scheme: &Scheme) {
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        let from = block.offset();
        let at = BLOCK * body;
        let changes = &ws.rhs[from..][..BLOCK];
        let delta = &mut stepper.delta[at..][..BLOCK];
        for k in 0..3 {
            delta[k] += changes[k];
        }
        if entry.dof == 6 {
            let (body, psi) = (&ws.bodies[body], vec3(changes, 3));
            let turn: Vec3 = body.rotation.tr_mul(&(body.tangent * psi));
            for k in 0..3 {
                delta[3 + k] += turn[k];
            }
        }
    }
    flexible::update(system, ws, stepper);
    for (g, group) in system.groups.iter().enumerate() {
        let changes = &ws.rhs[group.block.offset()..][..group.rows.len];
        let multipliers = &mut ws.values.multipliers[BLOCK * g..];
        for (multiplier, change) in multipliers.iter_mut().zip(changes) {
            *multiplier += change * scheme.weights.l;
        }
    }
    stepper.states.update(system, ws, &scheme.weights);
}

/// Adds the displacement to the state and advances the counters.
pub fn accept(
    system: &System,
    state: &mut State,
    ws: &mut Workspace,
    stepper: &Stepper,
    scheme: &Scheme,
) {
    let layout = &system.layout;
    state.span_mut(layout.moved).copy_from_slice(&stepper.delta);
    state.keep_last(layout);
    for (body, entry) in system.bodies.iter().enumerate() {
        if entry.block.is_none() {
            continue;
        }
        let [r, v, w, a, w_dot] = reached(system, state, stepper, scheme, body);
        let theta = vec3(&stepper.delta, BLOCK * body + 3);
        let q = normalized(&turned(system, state, &theta, body));
        state.set_pose(layout, body, &r, &q);
        state.set_rates(layout.velocity, body, &v, &w);
        state.set_rates(layout.acceleration, body, &a, &w_dot);
    }
    flexible::accept(system, state, ws, stepper, scheme);
    state
        .span_mut(layout.multipliers)
        .copy_from_slice(&ws.multipliers);
    for (m, (displacement, rate)) in stepper.motions.iter().enumerate() {
        let span = &mut state.span_mut(layout.motions)[2 * m..][..2];
        span.copy_from_slice(&[*displacement, *rate]);
    }
    curves::keep(system, state, ws);
    stepper.states.accept(system, state, &scheme.states);
    if scheme.stabilised {
        stepper.projection.keep(state.span_mut(layout.corrections));
    }
    for (body, term) in ws.inertia_terms.iter().enumerate() {
        state.set_rates(layout.history, body, &term.force, &term.torque);
    }
    state
        .span_mut(layout.inertia_weight)
        .fill(scheme.inertia_weight);
    let h = state.step(layout);
    inputs::advance(layout, state, &system.input_bounds, h);
    state.flush(layout);
    *state.counter_mut(Counter::SinceBase) += 1;
    *state.counter_mut(Counter::Steps) += 1;
}

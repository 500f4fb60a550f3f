//! Data plane: how what an evaluation reads answers to a change of inputs, parameters and states.
//!
//! A step ends where its residuals r vanish, for the unknowns z of Newton's iteration and what is set, s:
//!
//! ```text
//! r(z, s) = 0,   δz = −J⁻¹ (∂r/∂s) δs,   δy = (∂y/∂z) δz + (∂y/∂s) δs        (SEN-1)
//! ```
//! J is the Newton matrix (JAC-1), assembled and factored at the accepted state. The other two derivatives
//! are taken along one direction, as central differences of residuals and outputs at a fixed z and along
//! δz: the semi-analytical method (Haftka, Adelman 1989). What is discrete stays as it is: samples,
//! sensors, what contacts remember, the history of the scheme.
//!
//! In formulation SI2 the correction c of velocities is an unknown of its own, with residuals F (SI2-3)
//!
//! ```text
//! r(z, c, s) = 0,   F(z, c, s) = 0:   δz for δc, then δc for δz, in turns     (SEN-2)
//! ```
//! which contracts by about h times damping over mass. Before the first step accelerations, multipliers
//! and what else the start finds (ACC-1) answer, while positions and velocities stay.
//!
//! Along time a direction is made of rates:
//!
//! ```text
//! q̇ = v,   v̇ = a,   ȧ ≈ (a − a_before)/h,   λ̇ ≈ (λ − λ_before)/h,   ż,   u̇,   ṫ = 1   (SEN-3)
//! ```
//!
//! All of it is done on a state and a workspace of its own, in memory set aside at the start, and takes the
//! same work whatever the values.

mod direction;
mod point;

use crate::ids::{EquationId, ExprId};
use crate::integrator::si2::Projection;
use crate::integrator::states::{self, StateSteps};
use crate::integrator::{Scheme, Stepper, instant, motions};
use crate::linalg::{Factorization, Quality, settle};
use crate::math::Vec3;
use crate::math::rotation::right_tangent_inverse;
use crate::mechanism::MotionLevel;
use crate::state::{State, vec3};
use crate::system::jacobian;
use crate::system::layout::{BLOCK, Layout, POSE, STATE_HISTORY, Span};
use crate::system::residual;
use crate::system::{System, eval, inputs};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;
use direction::{reach, shifted};
pub use point::{Point, has_stepped};
use point::{evaluate, kinematics};

/// How often z and c of (SEN-2) take turns.
const TURNS: usize = 6;

/// How far time goes for output derivatives, of a step.
const MOMENT: f64 = 1e-3;

/// Scratch, sized once.
#[derive(Clone, Debug)]
pub struct Sensitivity {
    state: State,
    ws: Workspace,
    factor: Factorization,
    projection: Projection,
    states: StateSteps,
    /// What is set, and in SI2 what c makes of velocities: by the spans of the state, of poses the
    /// displacement and the rotation in body axes.
    seed: Vec<f64>,
    /// The same with all that answers.
    answer: Vec<f64>,
    /// Residuals on one side.
    side: Vec<f64>,
    ends: [Vec<(f64, f64)>; 2],
    numbers: [Vec<f64>; 2],
    /// How expressions change along the answer.
    expressions: Vec<f64>,
    /// How states change.
    values: Vec<f64>,
    /// How what else is shown of a state changes.
    shown: Vec<f64>,
    behind: Vec<f64>,
}

/// A direction that cannot be found: the matrix is singular at a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDirection(pub u32);

impl Sensitivity {
    /// Allocates for a system of which so many other numbers are shown; elimination orders are those of a step.
    pub fn new(system: &System, stepper: &Stepper, shown: usize) -> Self {
        let ends = vec![(0.0, 0.0); system.motions.len()];
        let numbers = vec![0.0; system.numbers.len()];
        let ws = Workspace::new(system);
        Self {
            state: State::new(&system.layout),
            expressions: vec![0.0; ws.expressions.len()],
            values: vec![0.0; ws.states.len()],
            shown: vec![0.0; shown],
            behind: vec![0.0; shown],
            ws,
            numbers: [numbers.clone(), numbers],
            factor: stepper.factor.anew(),
            projection: stepper.projection.anew(),
            states: StateSteps::new(system),
            seed: vec![0.0; system.layout.len],
            answer: vec![0.0; system.layout.len],
            side: vec![0.0; system.tiles.padded()],
            ends: [ends.clone(), ends],
        }
    }

    /// As [`Stepper::settle`].
    pub fn settle(&mut self) {
        settle(self, |own| [&mut own.factor, &mut own.projection.factor]);
    }

    /// As [`Stepper::settle_fallbacks`].
    pub fn settle_fallbacks(&mut self, stabilised: bool) {
        self.factor.settle_fallback();
        if stabilised {
            self.projection.factor.settle_fallback();
        }
    }

    /// The direction of what is set, all zero: inputs, parameters, numbers and states of the caller's.
    pub fn seed(&mut self) -> &mut [f64] {
        self.seed.fill(0.0);
        &mut self.seed
    }

    /// The direction of what is set.
    pub fn direction(&self) -> &[f64] {
        &self.seed
    }

    /// How far a difference goes along the seed.
    pub fn reach(&self, system: &System, base: &State) -> f64 {
        reach(system, base, &self.seed)
    }

    /// Room for the states of a layout that has changed.
    pub fn fit(&mut self, layout: &Layout) {
        self.state = State::new(layout);
    }

    /// Expressions, states and what else is shown at one end of a difference of whole runs: ahead first, then
    /// behind, which completes it.
    pub fn take_end(&mut self, ws: &Workspace, by: f64, shown: impl Iterator<Item = f64>) {
        let ends = ws.expressions.iter().chain(&ws.states).copied();
        let kept = self.expressions.iter_mut().chain(&mut self.values);
        for (kept, end) in kept.chain(&mut self.shown).zip(ends.chain(shown)) {
            *kept = if by > 0.0 {
                end
            } else {
                (end - *kept) / (2.0 * by)
            };
        }
    }

    /// How numbers of elements follow the parameters in the seed, into the seed. `numbers` evaluates them at
    /// the leaves of a workspace.
    pub fn follow(
        &mut self,
        system: &System,
        base: &State,
        mut numbers: impl FnMut(&System, &mut Workspace, &mut [f64]),
    ) {
        let reach = reach(system, base, &self.seed);
        for (found, by) in self.numbers.iter_mut().zip([reach, -reach]) {
            shifted(system, base, &self.seed, by, &mut self.state);
            let time = self.state.time(&system.layout);
            eval::settings(system, &self.state, &mut self.ws, time);
            numbers(system, &mut self.ws, found);
        }
        let [ahead, behind] = &self.numbers;
        let seed = &mut self.seed[system.layout.numbers.range()];
        for (x, (ahead, behind)) in seed.iter_mut().zip(ahead.iter().zip(behind)) {
            *x = (ahead - behind) / (2.0 * reach);
        }
    }

    /// Assembles and factors the matrix at a state.
    pub fn prepare(
        &mut self,
        system: &System,
        base: &State,
        point: &Point,
    ) -> Result<(), NoDirection> {
        self.state.copy_from(base);
        let Self { state, ws, .. } = self;
        evaluate(system, state, ws, &self.states, point);
        for body in 0..system.bodies.len() {
            let (_, theta) = state.rates(system.layout.moved, body);
            ws.bodies[body] = ws.bodies[body].after(&theta);
        }
        jacobian::assemble(system, state, ws, &point.weights(), &point.scaling());
        let mut matrix = core::mem::take(&mut ws.matrix);
        jacobian::soften(system, state, ws, &mut matrix);
        ws.matrix = matrix;
        if let Quality::Singular { block } = self.factor.refactor(&ws.matrix) {
            return Err(NoDirection(block.0));
        }
        if point.stabilised()
            && let Quality::Singular { block } = self.projection.refactor(system, state, ws)
        {
            return Err(NoDirection(block.0));
        }
        Ok(())
    }

    /// What answers to the seed. [`Self::prepare`] must have run at the same state and point.
    pub fn respond(&mut self, system: &System, base: &State, point: &Point) {
        self.move_motions(system, base);
        let turns = if point.stabilised() { TURNS } else { 1 };
        for _ in 0..turns {
            self.solve(system, base, point);
            if let Point::Step(scheme) = point
                && scheme.stabilised
            {
                self.project(system, base, scheme);
            }
        }
    }

    /// Where rate-driven motions end by what is set.
    fn move_motions(&mut self, system: &System, base: &State) {
        if system
            .motions
            .iter()
            .all(|m| m.level == MotionLevel::Displacement)
        {
            return;
        }
        let reach = reach(system, base, &self.seed);
        let layout = &system.layout;
        let h = base.step(layout);
        for (end, by) in self.ends.iter_mut().zip([reach, -reach]) {
            shifted(system, base, &self.seed, by, &mut self.state);
            // The step that led here began one step earlier.
            self.state.reals[layout.time.first] -= h;
            motions::integrate(system, &self.state, &mut self.ws, end, h);
        }
        let [ahead, behind] = &self.ends;
        for (m, motion) in system.motions.iter().enumerate() {
            if motion.level == MotionLevel::Displacement {
                continue;
            }
            let at = layout.motions.first + 2 * m;
            self.seed[at] = (ahead[m].0 - behind[m].0) / (2.0 * reach);
            self.seed[at + 1] = (ahead[m].1 - behind[m].1) / (2.0 * reach);
        }
    }

    /// (∂r/∂s) δs into `ws.rhs`, by the seed.
    fn differ(&mut self, system: &System, base: &State, point: &Point) {
        let reach = reach(system, base, &self.seed);
        for by in [reach, -reach] {
            shifted(system, base, &self.seed, by, &mut self.state);
            evaluate(system, &self.state, &mut self.ws, &self.states, point);
            if by > 0.0 {
                self.side.copy_from_slice(&self.ws.rhs);
            }
        }
        for (behind, ahead) in self.ws.rhs.iter_mut().zip(&self.side) {
            *behind = (ahead - *behind) / (2.0 * reach);
        }
    }

    /// δz of (SEN-1), into the answer.
    fn solve(&mut self, system: &System, base: &State, point: &Point) {
        self.differ(system, base, point);
        for x in &mut self.ws.rhs {
            *x = -*x;
        }
        self.factor.solve(&mut self.ws.rhs);
        let (layout, w) = (&system.layout, point.weights());
        let (rhs, answer) = (&self.ws.rhs, &mut self.answer);
        answer.copy_from_slice(&self.seed);
        let mut put = |span: Span, at: usize, value: f64| answer[span.first + at] += value;
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let mut change = [vec3(rhs, block.offset()), Vec3::zeros()];
            let mut turn = Vec3::zeros();
            if entry.dof == 6 {
                let (_, theta) = base.rates(layout.moved, body);
                let psi = vec3(rhs, block.offset() + 3);
                let rotation = base.rotation(layout, body);
                turn = rotation.tr_mul(&psi);
                let tangent = right_tangent_inverse(&(rotation * theta));
                change[1] = rotation.tr_mul(&(tangent * psi));
            }
            for k in 0..3 {
                put(layout.pose, POSE * body + k, w.x * change[0][k]);
                put(layout.pose, POSE * body + 3 + k, w.x * turn[k]);
                for (part, change) in change.iter().enumerate() {
                    let at = BLOCK * body + 3 * part + k;
                    put(layout.velocity, at, w.u * change[k]);
                    put(layout.acceleration, at, w.a * change[k]);
                }
            }
        }
        let first = system.modal_first();
        for entry in &system.flexibles {
            for j in 0..entry.modal.len {
                let (n, change) = (entry.modal.first + j, rhs[entry.row(j)]);
                put(layout.modal, n, w.x * change);
                put(layout.velocity, first + n, w.u * change);
                put(layout.acceleration, first + n, w.a * change);
            }
        }
        for (g, group) in system.groups.iter().enumerate() {
            for k in 0..group.rows.len {
                put(
                    layout.multipliers,
                    BLOCK * g + k,
                    w.l * rhs[group.block.offset() + k],
                );
            }
        }
        for (k, entry) in system.equations.iter().enumerate() {
            let change = rhs[entry.block.offset() + entry.place];
            put(layout.states, k, entry.weight(&w) * change);
        }
    }

    /// δc of (SEN-2): what it makes of velocities and accelerations, into the seed for the next turn and
    /// into the answer.
    fn project(&mut self, system: &System, base: &State, scheme: &Scheme) {
        let layout = &system.layout;
        let slope = scheme.weights.u;
        let of_c = [
            (layout.velocity, slope),
            (layout.acceleration, slope * slope),
        ];
        for (span, _) in of_c {
            for at in span.range() {
                self.answer[at] -= core::mem::take(&mut self.seed[at]);
            }
        }
        self.projection.recall(system, base, 1.0 / slope);
        let reach = reach(system, base, &self.answer);
        for by in [reach, -reach] {
            shifted(system, base, &self.answer, by, &mut self.state);
            let Self {
                state,
                ws,
                projection,
                side,
                ..
            } = self;
            kinematics(system, state, ws);
            eval::settings(system, state, ws, state.time(&system.layout));
            eval::constraint_wrenches(system, state, ws);
            let rates = projection.residual(system, state, ws, scheme);
            if by > 0.0 {
                side.copy_from_slice(rates);
            } else {
                for (behind, ahead) in rates.iter_mut().zip(side) {
                    *behind = (*ahead - *behind) / (2.0 * reach);
                }
            }
        }
        let change = self.projection.answer(system, &mut self.ws, scheme);
        for (at, change) in change.iter().enumerate() {
            for (span, slope) in of_c {
                self.seed[span.first + at] -= slope * change;
                self.answer[span.first + at] -= slope * change;
            }
        }
    }

    /// How expressions, states and what `show` shows of a state change along the answer.
    pub fn difference(
        &mut self,
        system: &System,
        base: &State,
        show: impl FnMut(&State, &mut [f64]),
    ) {
        let reach = reach(system, base, &self.answer);
        self.read(system, base, (reach, false), show);
    }

    /// How they change with time at an accepted state.
    pub fn move_with_time(
        &mut self,
        system: &System,
        base: &State,
        show: impl FnMut(&State, &mut [f64]),
    ) {
        self.go_with_time(system, base);
        let reach = MOMENT * base.step(&system.layout);
        self.read(system, base, (reach, true), show);
    }

    /// The change of an expression that [`Self::difference`] or [`Self::move_with_time`] has found.
    pub fn of_expression(&self, expression: ExprId) -> f64 {
        self.expressions[expression.index()]
    }

    /// The same of what is shown besides.
    pub fn of_shown(&self, place: usize) -> f64 {
        self.shown[place]
    }

    /// The same of a state.
    pub fn of_state(&self, equation: EquationId) -> f64 {
        self.values[equation.index()]
    }

    /// The direction of time at an accepted state, (SEN-3): rates of all that an evaluation reads.
    /// Accelerations and multipliers change as they did in the last step.
    fn go_with_time(&mut self, system: &System, base: &State) {
        kinematics(system, base, &mut self.ws);
        let layout = &system.layout;
        let h = base.step(layout);
        let answer = &mut self.answer;
        answer.fill(0.0);
        answer[layout.time.first] = 1.0;
        let copy = |answer: &mut [f64], to: Span, from: Span| {
            answer[to.range()].copy_from_slice(base.span(from));
        };
        copy(answer, layout.velocity, layout.acceleration);
        for body in 0..system.bodies.len() {
            let at = layout.pose.first + POSE * body;
            let rates = &base.span(layout.velocity)[BLOCK * body..][..BLOCK];
            answer[at..at + BLOCK].copy_from_slice(rates);
        }
        let first = system.modal_first();
        let modal = &base.span(layout.velocity)[first..];
        answer[layout.modal.range()].copy_from_slice(modal);
        for (now, before) in [
            (layout.acceleration, layout.last_acceleration),
            (layout.multipliers, layout.last_multipliers),
        ] {
            for (k, x) in answer[now.range()].iter_mut().enumerate() {
                *x = (base.span(now)[k] - base.span(before)[k]) / h;
            }
        }
        for (k, entry) in system.equations.iter().enumerate() {
            let history = &base.span(layout.state_history)[STATE_HISTORY * k..];
            answer[layout.states.first + k] = if entry.is_algebraic() {
                history[states::MEAN]
            } else {
                history[states::DERIVATIVE]
            };
        }
        let rates = inputs::rates(layout, base, &system.input_bounds);
        for (rate, x) in rates.zip(&mut answer[layout.inputs.range()]) {
            *x = rate;
        }
        for m in 0..system.motions.len() {
            let at = layout.motions.first + 2 * m;
            let target = self.ws.targets[m];
            answer[at] = target.rate;
            answer[at + 1] = target.acceleration;
        }
    }

    /// With time, accelerations of the instant change as those of the scheme do.
    fn read(
        &mut self,
        system: &System,
        base: &State,
        (reach, with_time): (f64, bool),
        mut show: impl FnMut(&State, &mut [f64]),
    ) {
        let Self { state, ws, .. } = self;
        let (expressions, values) = (&mut self.expressions, &mut self.values);
        let (shown, behind) = (&mut self.shown, &mut self.behind);
        for by in [reach, -reach] {
            shifted(system, base, &self.answer, by, state);
            kinematics(system, state, ws);
            residual::evaluate(system, state, ws, state.time(&system.layout));
            if with_time {
                instant::hold_history(system, base, ws);
            }
            let nodes = &system.schedule.output;
            instant::showing(system, state, ws, |ws| {
                eval::nodes(system, state, ws, nodes);
            });
            if by > 0.0 {
                expressions.copy_from_slice(&ws.expressions);
                values.copy_from_slice(&ws.states);
                show(state, shown);
            } else {
                show(state, behind);
            }
        }
        for (ahead, behind) in [
            (expressions, &ws.expressions),
            (values, &ws.states),
            (shown, behind),
        ] {
            for (ahead, behind) in ahead.iter_mut().zip(behind) {
                *ahead = (*ahead - behind) / (2.0 * reach);
            }
        }
    }
}

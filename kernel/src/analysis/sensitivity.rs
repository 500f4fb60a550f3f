//! Data plane: directional derivatives of a step: how outputs and states respond to a change of inputs, parameters and
//! states. FMI's `fmi3GetDirectionalDerivative` and its adjoint need them.
//!
//! A step ends where its residuals r vanish. z are the Newton unknowns; s is what the caller sets:
//!
//! ```text
//! r(z, s) = 0,   δz = −J⁻¹ (∂r/∂s) δs,   δy = (∂y/∂z) δz + (∂y/∂s) δs        (SEN-1)
//! ```
//! J is the Newton matrix (JAC-1), assembled and factored at the accepted state. In formulation I3 the other
//! derivatives are analytic as well: [`wide`] has them, [`tangent`] solves with them, also transposed. Discrete values
//! stay fixed: samples, sensors, the memory of contacts, the history of the scheme.
//!
//! In formulation SI2 the correction c of velocities is an unknown of its own, with residuals F (SI2-3)
//!
//! ```text
//! r(z, c, s) = 0,   F(z, c, s) = 0:   δz for δc, then δc for δz, in turns     (SEN-2)
//! ```
//! The alternation contracts by about h times damping over mass. Before the first step only the unknowns of (ACC-1)
//! respond (accelerations, multipliers and others); positions and velocities stay. In both cases derivatives other than
//! J are taken along one direction, as central differences of residuals and outputs at a fixed z and along δz: the
//! semi-analytical method (Haftka, Adelman 1989), in [`differences`].
//!
//! The direction of time consists of rates, (SEN-3), in [`time`].
//!
//! Everything runs on its own state and workspace, in memory allocated at the start, and takes the same work whatever
//! the values. One factorisation serves all directions at one state.

mod acting;
mod carried;
mod chain;
mod differences;
mod direct;
mod direction;
mod point;
mod tangent;
mod time;
mod wide;

use crate::ids::EquationId;
use crate::integrator::si2::Projection;
use crate::integrator::states::StateSteps;
use crate::integrator::{Stepper, instant};
use crate::linalg::{BlockId, Factorization, Quality, settle};
use crate::mechanism::Mechanism;
use crate::state::State;
use crate::system::jacobian;
use crate::system::residual;
use crate::system::stage::Evaluated;
use crate::system::{System, eval};
use crate::workspace::Workspace;
pub use acting::Numbers;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
pub use carried::{Carried, CarriedBy, CarriedKind, StepMatrices, carried_changes};
use chain::Chain;
pub use chain::shows_own_accelerations;
use direction::{reach, shifted};
pub use point::{Point, has_stepped};
use point::{evaluate, kinematics};
pub use tangent::BodyChange;
use wide::Wide;

/// How often (SEN-2) alternates between z and c.
const TURNS: usize = 6;

/// Time increment for derivatives of outputs, in steps.
const MOMENT: f64 = 1e-3;

/// Memory for derivatives, sized once.
#[derive(Clone, Debug)]
pub struct Sensitivity {
    state: State,
    ws: Workspace,
    factor: Factorization,
    projection: Projection,
    states: StateSteps,
    /// The direction that the caller sets, and in SI2 the effect of c on velocities. Laid out as
    /// the state; poses hold displacement and rotation in body axes.
    seed: Vec<f64>,
    /// The response in the same layout: the seed and everything that follows from it.
    response: Vec<f64>,
    /// Residuals on one side of a difference.
    side: Vec<f64>,
    ends: [Vec<(f64, f64)>; 2],
    numbers: [Vec<f64>; 2],
    /// Change of expressions along the response.
    expressions: Vec<f64>,
    /// Change of states.
    values: Vec<f64>,
    /// Change of the other values that the caller shows.
    shown: Vec<f64>,
    behind: Vec<f64>,
    /// The analytic derivatives; `None` if the mechanism would grow too large.
    wide: Option<Box<Wide>>,
    /// The state and point at which the matrix was factored, and the result.
    base: State,
    prepared: Option<(Point, Result<(), NoDirection>)>,
    /// Inputs of a direction, or the gradient of a sum in them.
    rates: Vec<f64>,
    /// States of a direction.
    begun: Vec<f64>,
    /// Change of outputs with rows, or their weights in a sum.
    rows: Vec<f64>,
    /// The solution, padded.
    solution: Vec<f64>,
    /// Were rows used for the last direction?
    by_rows: bool,
    /// Was the chain rule used?
    by_chain: bool,
    /// Derivatives over several steps; `None` if the chain rule does not cover all that they carry.
    chain: Option<Box<Chain>>,
    /// Effect of carried changes on the rows of outputs.
    side_rows: Vec<f64>,
}

/// A direction that cannot be found: the matrix is singular at this block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoDirection(pub BlockId);

impl Sensitivity {
    /// Allocates for a mechanism with the rows that are kept. `shown` other values are differenced. Elimination orders
    /// are those of a step.
    pub fn new(
        (mechanism, keep): (&Mechanism, &[bool]),
        system: &System,
        stepper: &Stepper,
        shown: usize,
    ) -> Self {
        let wide = Wide::new(mechanism, keep, system).map(Box::new);
        let chain = { wide.as_ref() }
            .and_then(|wide| Chain::new(system, wide.rows(), wide.matrices()))
            .map(Box::new);
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
            response: vec![0.0; system.layout.len],
            side: vec![0.0; system.tiles.padded()],
            ends: [ends.clone(), ends],
            base: State::new(&system.layout),
            prepared: None,
            rates: vec![0.0; system.layout.inputs.len],
            begun: vec![0.0; system.layout.states.len],
            rows: vec![0.0; wide.as_ref().map_or(0, |wide| wide.rows())],
            solution: vec![0.0; system.tiles.padded()],
            by_rows: false,
            by_chain: false,
            chain,
            side_rows: vec![0.0; wide.as_ref().map_or(0, |wide| wide.rows())],
            wide,
        }
    }

    /// As [`Stepper::settle`].
    pub fn settle(&mut self) {
        self.prepared = None;
        settle(self, |own| [&mut own.factor, &mut own.projection.factor]);
    }

    /// As [`Stepper::settle_fallbacks`].
    pub fn settle_fallbacks(&mut self, stabilised: bool) {
        self.prepared = None;
        self.factor.settle_fallback();
        if stabilised {
            self.projection.factor.settle_fallback();
        }
    }

    /// The direction to be set, all zero: inputs, parameters, numbers and states. The caller fills it.
    pub fn seed(&mut self) -> &mut [f64] {
        self.seed.fill(0.0);
        &mut self.seed
    }

    /// The direction that was set.
    pub fn direction(&self) -> &[f64] {
        &self.seed
    }

    /// Increment of a difference along the seed.
    pub fn reach(&self, system: &System, base: &State) -> f64 {
        reach(system, base, &self.seed)
    }

    /// Resizes for the states of a system whose layout has changed.
    pub fn fit(&mut self, system: &System) {
        self.state = State::new(&system.layout);
        self.base = State::new(&system.layout);
        self.prepared = None;
        if let Some(wide) = &mut self.wide {
            wide.fit(system);
        }
    }

    /// Takes expressions, states and other shown values at one end of a difference of whole runs: first the
    /// end ahead, then the one behind, which completes the difference.
    pub fn take_end(&mut self, ws: &Workspace, by: f64, shown: impl Iterator<Item = f64>) {
        self.by_rows = false;
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

    /// Adds to the seed how numbers of elements change with the parameters in the seed. `numbers` evaluates
    /// them at the leaves of a workspace.
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

    /// Assembles and factors the matrix at a state, unless that was the last state factored.
    pub fn prepare(
        &mut self,
        system: &System,
        base: &State,
        point: &Point,
    ) -> Result<(), NoDirection> {
        if let Some((known, result)) = &self.prepared
            && known == point
            && self.base.is_same(base)
        {
            return *result;
        }
        let result = self.factor_at(system, base, point);
        if let Some(chain) = &mut self.chain {
            chain.is_done = false;
        }
        self.base.copy_from(base);
        self.prepared = Some((*point, result));
        result
    }

    fn factor_at(
        &mut self,
        system: &System,
        base: &State,
        point: &Point,
    ) -> Result<(), NoDirection> {
        if let Point::Step(scheme) = point
            && self.is_analytic(point)
            && let Some(wide) = &mut self.wide
        {
            wide.evaluate((system, base), scheme, &mut self.ws.matrix);
            return match self.factor.refactor(&self.ws.matrix) {
                Quality::Singular { block } => Err(NoDirection(block)),
                _ => Ok(()),
            };
        }
        self.state.copy_from(base);
        let Self { state, ws, .. } = self;
        let mut balanced = evaluate(system, state, ws, &self.states, point);
        balanced.turn_bodies(system, |body| state.rates(system.layout.moved, body).1);
        let (weights, scaling) = (point.weights(), point.scaling());
        jacobian::assemble_softened(system, state, &mut balanced, &weights, &scaling);
        if let Quality::Singular { block } = self.factor.refactor(&balanced.matrix) {
            return Err(NoDirection(block));
        }
        if point.stabilised() {
            let mut constrained = balanced.evaluated().constrained();
            let quality = self.projection.refactor(system, state, &mut constrained);
            if let Quality::Singular { block } = quality {
                return Err(NoDirection(block));
            }
        }
        Ok(())
    }

    /// Computes the response to the seed: the change of expressions, states and the values that `show` gives. `rest`:
    /// values without a row are wanted too. The matrix is that of [`Self::prepare`] at the same state and point.
    pub fn respond(
        &mut self,
        (system, base): (&System, &State),
        point: &Point,
        rest: bool,
        show: impl FnMut(&State, &mut [f64]),
    ) {
        self.by_chain = false;
        self.by_rows = self.is_analytic(point);
        if self.by_rows {
            self.respond_by_tangents((system, base), point, rest, show);
        } else {
            self.respond_by_differences(system, base, point);
            self.difference(system, base, show);
        }
    }

    /// Differences expressions, states and the values that `show` gives along the response.
    fn difference(&mut self, system: &System, base: &State, show: impl FnMut(&State, &mut [f64])) {
        let reach = reach(system, base, &self.response);
        self.read(system, base, (reach, false), show);
    }

    /// The change of another shown value, from [`Self::respond`] or [`Self::move_with_time`].
    pub fn of_shown(&self, place: usize) -> f64 {
        self.shown[place]
    }

    /// The same for a state.
    pub fn of_state(&self, equation: EquationId) -> f64 {
        self.values[equation.index()]
    }

    /// In time, accelerations of the instant change as those of the scheme do.
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
            shifted(system, base, &self.response, by, state);
            let placed = kinematics(system, state, ws);
            residual::evaluate(system, state, placed, state.time(&system.layout));
            if with_time {
                instant::hold_history(system, base, ws);
            }
            let nodes = &system.schedule.output;
            instant::showing(system, state, Evaluated::kept(ws), |ws| {
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

//! Data plane: which equations hold at an accepted state: those of the step that led there, or those of the start.

use crate::analysis::accelerations::{self, ROWS, WEIGHTS};
use crate::elements::kinematics::Weights;
use crate::integrator::Scheme;
use crate::integrator::accepted::load_history;
use crate::integrator::states::StateSteps;
use crate::state::{Counter, State};
use crate::system::jacobian::Scaling;
use crate::system::residual;
use crate::system::stage::{Balanced, Placed};
use crate::system::{System, eval};
use crate::workspace::Workspace;

/// The equations that hold at an accepted state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Point {
    /// The step that led there.
    Step(Scheme),
    /// The start.
    Start,
}

impl Point {
    /// The weights of the unknowns.
    pub fn weights(&self) -> Weights {
        match self {
            Self::Step(scheme) => scheme.weights,
            Self::Start => WEIGHTS,
        }
    }

    pub(super) fn scaling(&self) -> Scaling {
        match self {
            Self::Step(scheme) => scheme.scaling(),
            Self::Start => Scaling {
                motion: 1.0,
                constraints: 1.0,
                rates: 0.0,
                states: ROWS,
            },
        }
    }

    pub(super) fn stabilised(&self) -> bool {
        matches!(self, Self::Step(scheme) if scheme.stabilised)
    }
}

/// Evaluates kinematics, history and targets at a state.
pub(super) fn kinematics<'w>(system: &System, state: &State, ws: &'w mut Workspace) -> Placed<'w> {
    let layout = &system.layout;
    load_history(system, state, ws);
    let mut placed = eval::kinematics_at_state(system, state, ws);
    let integrated = |m: usize| {
        let span = state.span(layout.motions);
        (span[2 * m], span[2 * m + 1])
    };
    placed.targets(system, state, state.time(layout), integrated);
    placed
}

/// Evaluates the residuals at a state.
pub(super) fn evaluate<'w>(
    system: &System,
    state: &State,
    ws: &'w mut Workspace,
    states: &StateSteps,
    point: &Point,
) -> Balanced<'w> {
    match point {
        Point::Step(scheme) => {
            let placed = kinematics(system, state, ws);
            let time = state.time(&system.layout);
            let evaluated = residual::evaluate(system, state, placed, time);
            let scales = (scheme.scale, scheme.rate_scale());
            let mut balanced = residual::assemble_step(system, state, evaluated, scales);
            states.residual(system, &mut balanced, &scheme.states, scheme.scale);
            balanced
        }
        Point::Start => {
            load_history(system, state, ws);
            ws.flexible.with_lost_inertia = true;
            accelerations::evaluate(system, state, ws, ROWS.free);
            ws.flexible.with_lost_inertia = false;
            Balanced::kept(ws)
        }
    }
}

/// Has a run made a step since its start?
pub fn has_stepped(state: &State) -> bool {
    state.counter(Counter::Steps) > 0
}

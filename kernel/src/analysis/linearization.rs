//! Control plane: the linearisation of a mechanism at one of its states, from which all linear analyses start.
//!
//! It contains the tangents of all equations (TAN-1), of the rates of constraints and of outputs, the effect of inputs
//! through motions, and the tangents of each element by itself. All derivatives are analytic; there are no finite
//! differences.
//!
//! The operating point is given by positions, velocities, states and inputs. Accelerations and multipliers are computed
//! anew, so the result does not depend on the scheme that led there: (ACC-1) holds as it stands, and every mode of a
//! flexible body has its inertia.

mod drives;
mod elements;
mod gyroscopic;
mod kinks;
pub use kinks::owners;
mod later;
mod outputs;
mod rates;
mod validity;

use crate::analysis::accelerations::{self, AccelerationFailure};
use crate::analysis::tangents::{
    Coordinate, OperatingPoint, Place, Request, Rows, SparseMatrix, Tangents, of_equations,
};
use crate::elements::kinematics::BodyKinematics;
use crate::mechanism::Mechanism;
use crate::state::State;
use crate::system::compile::error::CompileError;
use crate::system::residual::larger;
use crate::system::{System, eval};
use crate::workspace::Workspace;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
pub use drives::{Drive, DrivenRow};
pub use elements::{Element, ElementOf};
pub use gyroscopic::Gyroscopic;
pub use later::Later;
pub(super) use outputs::shown;
pub use outputs::{LeftOut, OpenDelay};

/// A mechanism linearised at one of its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Linearization {
    /// The tangents of all equations.
    pub tangents: Tangents,
    /// The tangents of the rates of constraints.
    pub rates: RateTangents,
    /// Outputs that have rows, as indices into the mechanism's outputs.
    pub shown: Vec<usize>,
    /// Their rows.
    pub outputs: Rows,
    /// Outputs without a linear form, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// The delays, left open: the delayed value is an input column after those of the mechanism, the value to be delayed a
    /// row after those of outputs.
    pub delays: Vec<OpenDelay>,
    /// Prescribed displacements that inputs drive through motions and general constraints.
    pub drives: Vec<Drive>,
    /// Each force element and flexible body by itself.
    pub elements: Vec<Element>,
    /// Velocity-dependent part of inertia; the tangents include it.
    pub gyroscopic: Gyroscopic,
    /// Rates of the operating point's own motion, by unknowns: accelerations of poses (about ground axes, R ω̇) less those
    /// of steady turning, modal accelerations, and rates of states. Other unknowns have zero.
    pub gains: Vec<f64>,
    /// The largest acceleration of a body \[m/s²\].
    pub largest_acceleration: f64,
    /// The angular speed of each body \[rad/s\].
    pub turning_speeds: Vec<f64>,
    /// Where slopes hold on one side only, for a limited time, or for small motions only; as text.
    pub bounds: Vec<String>,
    /// The mechanism a while later, if parts turn and everything moves on steadily.
    pub later: Option<Box<Later>>,
}

/// The tangents of Φ̇ and Φ̈, in the rows of the constraints. ∂Φ̇/∂v and ∂Φ̈/∂a are G.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateTangents {
    /// ∂Φ̇/∂q at fixed velocities.
    pub first_by_positions: SparseMatrix,
    /// ∂Φ̈/∂q at fixed velocities and accelerations.
    pub second_by_positions: SparseMatrix,
    /// ∂Φ̈/∂v at fixed accelerations.
    pub second_by_velocities: SparseMatrix,
}

/// Why a mechanism has no linear form at a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoLinearization {
    /// Accelerations cannot be found.
    Accelerations(AccelerationFailure),
    /// The mechanism grows too large with its inputs and outputs as equations.
    Compile(CompileError),
    /// A constraint whose rates are known at rest only moves.
    Moves {
        /// The joint or general constraint.
        constraint: String,
    },
}

impl From<CompileError> for NoLinearization {
    fn from(error: CompileError) -> Self {
        Self::Compile(error)
    }
}

/// The linear form at the positions, velocities, states and inputs of a state.
pub fn linearization(
    mechanism: &Mechanism,
    keep: &[bool],
    (system, state): (&System, &State),
) -> Result<Linearization, NoLinearization> {
    // Modes above the limit of a step have no inertia in a run, neither of their own nor what they share.
    let whole = system.with_modal_inertia(mechanism, true);
    let system = whole.as_ref().unwrap_or(system);
    let (mut found, state, bodies) = of_state(mechanism, keep, (system, state))?;
    let later = later::later(mechanism, keep, (system, &state), &bodies);
    found.later = later.map(Box::new);
    Ok(found)
}

/// The same with the state's own accelerations and bodies, and without [`Later`].
fn of_state(
    mechanism: &Mechanism,
    keep: &[bool],
    (system, state): (&System, &State),
) -> Result<(Linearization, State, Vec<BodyKinematics>), NoLinearization> {
    let state = settled(system, state).map_err(NoLinearization::Accelerations)?;
    let (shown, left_out) = shown(mechanism);
    let request = Request {
        keep,
        outputs: &shown,
        open_delays: true,
        whole_inertia: true,
    };
    let (tangents, outputs, mut point) = of_equations(mechanism, &request, (system, &state))?;
    let rates = rates::of_constraints(mechanism, &mut point)?;
    let drives = drives::of_inputs(mechanism, &point, &tangents);
    let gyroscopic = gyroscopic::of_bodies(&point, &tangents);
    let gains = gains(&point);
    let bodies = point.ws.bodies[..system.bodies.len()].to_vec();
    let largest_acceleration = bodies
        .iter()
        .fold(0.0, |most, body| larger(most, body.a.norm()));
    let mut bounds = kinks::all(mechanism, &mut point);
    bounds.extend(validity::all(mechanism, &point));
    let delays = outputs::open_delays(mechanism, &point.delays);
    let elements = elements::all(&mut point);
    let found = Linearization {
        tangents,
        rates,
        shown,
        outputs,
        left_out,
        delays,
        drives,
        elements,
        gyroscopic,
        gains,
        largest_acceleration,
        turning_speeds: bodies.iter().map(|body| body.omega.norm()).collect(),
        bounds,
        later: None,
    };
    Ok((found, state, bodies))
}

/// Accelerations and rates of states.
fn gains(point: &OperatingPoint) -> Vec<f64> {
    let (system, ws) = (&point.system, &point.ws);
    let carriers = later::carriers(&ws.bodies[..system.bodies.len()]);
    let gain = |place: &Place| match place.coordinate {
        Coordinate::Pose { body, direction } => {
            let omega = &carriers[body.index()];
            let body = &ws.bodies[body.index()];
            match direction {
                0..3 => (body.a - omega.cross(&body.v))[direction],
                _ => (body.rotation * body.w_dot)[direction - 3],
            }
        }
        Coordinate::Modal { body, mode } => {
            let flexible = system.bodies[body.index()].flexible;
            flexible.map_or(0.0, |k| ws.flexible.motions[k].a[mode])
        }
        Coordinate::State(k) => eval::equation(system, ws, k.index()),
        Coordinate::Multiplier { .. } | Coordinate::Implicit(_) => 0.0,
    };
    point.places.list.iter().map(gain).collect()
}

/// The state with the accelerations and multipliers of its instant, without what a scheme carries from step
/// to step.
fn settled(system: &System, state: &State) -> Result<State, AccelerationFailure> {
    let layout = &system.layout;
    let mut state = state.clone();
    state.span_mut(layout.history).fill(0.0);
    state.reals[layout.inertia_weight.first] = 1.0;
    let mut ws = Workspace::new(system);
    accelerations::solve_moving(system, &mut state, &mut ws)?;
    Ok(state)
}

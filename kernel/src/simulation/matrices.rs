//! Control plane: the matrices of the last communication step, and what has changed abruptly in it.

use super::parameters::all_numbers;
use super::{Part, Simulation};
use crate::analysis::sensitivity::{
    Numbers, Point, StepMatrices, carried_changes, shows_own_accelerations,
};
use crate::ids::{OutputId, ParameterId};
use crate::integrator::scheme::{carry, scheme};
use crate::mechanism::{Mode, MotionLevel, called};
use crate::state::State;
use crate::system::System;
use crate::variable::{Source, cells, reads_accelerations};
use crate::workspace::Workspace;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Where everything that can change abruptly is: contacts touch or not, which branch an IF has, whether a sensor has
/// triggered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells(Vec<(Source, f64)>);

impl Simulation {
    /// The cells at the present state.
    pub fn cells(&self) -> Cells {
        let Part { system, state, ws } = &*self.run;
        Cells(cells(system, state, &mut ws.clone()))
    }

    /// What is in another cell now, by name.
    pub fn switched(&self, before: &Cells) -> Vec<String> {
        let now = self.cells();
        let pairs = before.0.iter().zip(&now.0);
        let changed = pairs.filter(|(before, now)| before != now);
        let mut names: Vec<String> = changed
            .map(|((source, _), _)| self.describe_source(*source))
            .collect();
        names.dedup();
        names
    }

    /// How all that a step carries has changed from a near state of the same model to the present one, in the order of
    /// [`StepMatrices::carried`].
    pub fn carried_since(&self, from: &State) -> Vec<f64> {
        let Part { system, state, .. } = &*self.run;
        let carry = carry(&self.mechanism.solver, state.step(&system.layout));
        carried_changes(system, &carry, (from, state))
    }

    /// The matrices (SEN-9) of the last communication step, with columns for these parameters too; the run does not change.
    /// The error says what they do not cover.
    pub fn step_matrices(&mut self, parameters: &[ParameterId]) -> Result<StepMatrices, String> {
        if let Some(why) = self.uncovered(parameters) {
            return Err(why);
        }
        self.derivatives().map_err(|failure| match failure {
            super::NoDerivative::NotStarted => "no consistent start has been computed".to_string(),
            super::NoDerivative::Singular(at) => {
                format!("the equations have no unique solution at {at}")
            }
        })?;
        let settings = &self.mechanism.solver;
        let scheme = scheme(settings, self.step_size());
        let Some(way) = self.begun.way() else {
            return Err(
                "the communication step has more than 64 integration steps, or values were set within it".to_string(),
            );
        };
        let Part { system, state, .. } = &*self.run;
        let carry = carry(settings, state.step(&system.layout));
        let states = way.iter().chain(core::iter::once(state));
        let Some(sensitivity) = &mut self.sensitivity else {
            return Err("no consistent start has been computed".to_string());
        };
        let point = Point::Step(scheme);
        let mechanism = &self.mechanism;
        let mut numbers = |system: &System, ws: &mut Workspace, numbers: &mut [f64]| {
            all_numbers(mechanism, (system, ws), numbers);
        };
        let found = if sensitivity.carries(&point) {
            let own = (parameters, &mut numbers as Numbers<'_>);
            sensitivity.step_matrices(system, states, (&scheme, &carry), own)
        } else {
            Ok(None)
        };
        match found {
            Ok(Some(mut matrices)) => {
                // The rows of outputs that read accelerations are those of the scheme, and others are shown.
                if !shows_own_accelerations(system, &point) {
                    let expr = |output: OutputId| system.outputs[output.index()];
                    matrices.keep_outputs(|output| !reads_accelerations(system, expr(output)));
                }
                Ok(matrices)
            }
            Ok(None) => Err("the mechanism is too large".to_string()),
            Err(failure) => {
                let at = self.describe(failure.0.into());
                Err(format!("the equations have no unique solution at {at}"))
            }
        }
    }

    /// What the matrices of a step do not cover.
    fn uncovered(&self, parameters: &[ParameterId]) -> Option<String> {
        let Part { system, state, .. } = &*self.run;
        let mechanism = &self.mechanism;
        let settings = &mechanism.solver;
        if settings.mode != Mode::Fixed {
            return Some("solver.mode is not fixed".to_string());
        }
        if settings.formulation.is_stabilised() {
            return Some("solver.formulation is SI2; valid: I3".to_string());
        }
        if !crate::analysis::sensitivity::has_stepped(state) {
            return Some("no step has been made".to_string());
        }
        if let Some(parameter) = parameters.iter().find(|own| self.shapes(**own)) {
            let name = &mechanism.parameters[parameter.index()].quantity.name;
            return Some(format!(
                "parameter {} determines geometry or initial conditions, which steps do not change",
                called(name)
            ));
        }
        let mut bodies = mechanism.bodies.iter();
        if let Some(body) = bodies.find(|body| body.flexible.is_some()) {
            return Some(format!("part {} is flexible", called(&body.name)));
        }
        if self.has_lines() {
            return Some(
                "solver.input_course is linear: a step reads inputs of the one before; valid: hold"
                    .to_string(),
            );
        }
        if !system.memory.is_empty() {
            return Some("the model has sampled systems, sensors or delays".to_string());
        }
        if system.layout.contacts.len > 0 {
            return Some("a contact remembers how it began (POISSON, or bristles)".to_string());
        }
        let by_rate = |level| level != MotionLevel::Displacement;
        if system.motions.iter().any(|motion| by_rate(motion.level)) {
            return Some("a motion prescribes a velocity or an acceleration".to_string());
        }
        None
    }
}

//! The engine without FMI: a compiled system, its state and its workspace, advanced step by step.
//!
//! Everything after [`Simulation::initialize`] is data plane: it neither allocates nor fails by
//! anything but [`StepFailure`].

use crate::ids::{InputId, OutputId, ParameterId};
use crate::model::{Model, SolverSettings};
use crate::variables::Figure;

/// A mechanism that can be started and stepped.
#[derive(Debug)]
pub struct Simulation {
    _model: Model,
}

/// Why a simulation could not be built or started; the text names the entities.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    /// What is wrong, with whom, and what would be valid.
    pub message: String,
}

/// Why a step failed. The state is still that of the last accepted step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepFailure {
    /// Local error above MAXERR: estimate, limit, and the unknown with the largest error.
    LocalError {
        /// Estimate [user units].
        estimate: f64,
        /// Limit [user units].
        limit: f64,
        /// Position of the worst entity, for [`Simulation::describe`].
        worst: u32,
    },
    /// A number is not finite.
    NotFinite {
        /// Position of the worst entity, for [`Simulation::describe`].
        worst: u32,
    },
    /// The Newton matrix is singular.
    Singular {
        /// Position of the worst entity, for [`Simulation::describe`].
        worst: u32,
    },
}

/// What one accepted step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Newton iterations.
    pub iterations: u32,
    /// Jacobians evaluated and factorised.
    pub jacobians: u32,
}

impl Simulation {
    /// Compiles a model. Allocates everything that will ever be needed.
    /// Notes for the user (removed redundant constraints, ignored settings) are in [`Self::notes`].
    pub fn new(model: Model) -> Result<Self, StartError> {
        Ok(Self { _model: model })
    }

    /// Messages from compilation and initialization, for the log.
    pub fn notes(&self) -> &[String] {
        &[]
    }

    /// The model's settings in force.
    pub fn settings(&self) -> &SolverSettings {
        &self._model.solver
    }

    /// Replaces the settings (before [`Self::initialize`] only).
    pub fn set_settings(&mut self, settings: SolverSettings) -> Result<(), StartError> {
        self._model.solver = settings;
        Ok(())
    }

    /// Sets an input.
    pub fn set_input(&mut self, _input: InputId, _value: f64) {}

    /// Reads an input.
    pub fn input(&self, _input: InputId) -> f64 {
        0.0
    }

    /// Sets a parameter. Takes effect at the next step; a derived number outside its rule (a
    /// negative mass, say) is refused, naming it, and nothing changes.
    pub fn set_parameter(
        &mut self,
        _parameter: ParameterId,
        _value: f64,
    ) -> Result<(), StartError> {
        Ok(())
    }

    /// Reads a parameter.
    pub fn parameter(&self, _parameter: ParameterId) -> f64 {
        0.0
    }

    /// Consistent start at `time` [s]: assembly, velocity projection, accelerations and multipliers.
    pub fn initialize(&mut self, _time: f64) -> Result<(), StartError> {
        Ok(())
    }

    /// Time of the last accepted step [s]: start + n·h with integer n.
    pub fn time(&self) -> f64 {
        0.0
    }

    /// Sets the size of the following steps [s] (re-bases the step counter when it changes).
    pub fn set_step(&mut self, _h: f64) {}

    /// One integration step. On failure the state is that of the last accepted step.
    pub fn step(&mut self) -> Result<StepReport, StepFailure> {
        Ok(StepReport::default())
    }

    /// An output at the last accepted step, in its own unit.
    pub fn output(&self, _output: OutputId) -> f64 {
        0.0
    }

    /// A figure of the solver (the RTI figures belong to the instance).
    pub fn figure(&self, _figure: Figure) -> f64 {
        0.0
    }

    /// The name of an unknown's entity, for messages: `part "rod"`, `joint "hinge", z`.
    pub fn describe(&self, _worst: u32) -> String {
        String::new()
    }

    /// Length of [`Self::save`]'s buffer in bytes: constant for a model.
    pub fn state_size(&self) -> usize {
        0
    }

    /// Copies the whole resumable state; allocates nothing.
    pub fn save(&self, _bytes: &mut [u8]) {}

    /// Restores what [`Self::save`] wrote; the next step equals that of a never-saved run bit for
    /// bit.
    pub fn restore(&mut self, _bytes: &[u8]) {}
}

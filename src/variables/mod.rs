//! Control plane: the one variable table; the runtime's get/set and both `modelDescription.xml`
//! come from it.
//!
//! Value reference = position in [`VariableTable::variables`] (time is 0), stable under adding
//! variables at the end. The table holds scalars; [`Arrays`] says which of them are one array in FMI 3.0.
//!
//! [`catalog`] builds the table, [`dependencies`] reads the model's expression graph, [`naming`]
//! holds the naming conventions, [`token`] the instantiation token, [`units`] the unit strings.

mod aliases;
mod arrays;
mod bodies;
pub mod catalog;
mod consistency;
pub mod dependencies;
mod inference;
mod memory;
pub mod naming;
pub mod settings;
mod terminals;
pub mod token;
pub mod units;

#[cfg(test)]
mod test_model;

pub use arrays::{Array, Arrays};
pub use inference::unit_findings;
pub use naming::model_identifier;
pub use terminals::Terminal;
pub use token::instantiation_token;

use crate::ids::{BodyArrayId, EquationId, InputId, OutputId, ParameterId, TextId};
use crate::model::Held;

/// Log categories (name, description): the runtime logs under these names and no others.
pub const LOG_CATEGORIES: [(&str, &str); 7] = [
    (
        "logStatusWarning",
        "Results are usable, but something should be looked at.",
    ),
    (
        "logStatusDiscard",
        "A step stopped: local error above MAXERR.",
    ),
    (
        "logStatusError",
        "A call or a step failed, with the reason.",
    ),
    ("logStatusFatal", "The instance is lost."),
    (
        "logEvents",
        "Start, settings in force, redundant constraints, end.",
    ),
    ("logRealTime", "Report of the Real Time Index."),
    ("logAll", "All of the above."),
];

/// All FMI variables of a model.
#[derive(Clone, Debug)]
pub struct VariableTable {
    /// The variables; a value reference is a position in this list.
    pub variables: Vec<Variable>,
}

/// One FMI variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name in the structured naming convention.
    pub name: String,
    /// For people.
    pub description: String,
    /// Type with its start value.
    pub kind: VariableKind,
    /// Causality.
    pub causality: Causality,
    /// Variability.
    pub variability: Variability,
    /// How the initial value is defined.
    pub initial: Option<Initial>,
    /// Where the value lives.
    pub slot: Slot,
    /// Of another name of an earlier variable: the position of that one, which has the same value in the
    /// same unit.
    pub alias: Option<u32>,
    /// For outputs: positions of the inputs (and of time's value reference 0) that the value at the
    /// end of a step depends on *at the same instant*; empty: none.
    pub dependencies: Vec<u32>,
    /// For outputs: positions of the inputs, parameters (and of time) that the value at the end of
    /// the initialization depends on.
    pub initial_dependencies: Vec<u32>,
}

/// FMI type of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableKind {
    /// Float64 / Real.
    Real {
        /// Unit name; empty: none.
        unit: String,
        /// Display unit; empty: none.
        display_unit: String,
        /// Lower bound.
        min: Option<f64>,
        /// Upper bound.
        max: Option<f64>,
        /// Start value.
        start: f64,
    },
    /// Int32 / Integer.
    Integer {
        /// Lower bound.
        min: Option<i32>,
        /// Upper bound.
        max: Option<i32>,
        /// Start value.
        start: i32,
    },
    /// Boolean.
    Boolean {
        /// Start value.
        start: bool,
    },
    /// String.
    String {
        /// Start value.
        start: String,
    },
    /// Enumeration; FMI 2 Integer access, FMI 3 Int64 access. Items count from 1.
    Enumeration {
        /// Name of the type definition.
        type_name: &'static str,
        /// Items (name, description).
        items: &'static [(&'static str, &'static str)],
        /// Start value, 1-based.
        start: i64,
    },
}

/// FMI causality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// Time.
    Independent,
    /// Parameter.
    Parameter,
    /// Input.
    Input,
    /// Output.
    Output,
    /// Local.
    Local,
}

/// FMI variability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variability {
    /// Fixed after initialization.
    Fixed,
    /// May change between steps.
    Tunable,
    /// Changes at events.
    Discrete,
    /// Changes continuously.
    Continuous,
    /// Never changes.
    Constant,
}

/// FMI `initial`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// Start value is exact.
    Exact,
    /// Computed.
    Calculated,
}

/// Where a variable's value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Simulation time.
    Time,
    /// A model input.
    Input(InputId),
    /// A model parameter.
    Parameter(ParameterId),
    /// A model output.
    Output(OutputId),
    /// A solver setting.
    Setting(Setting),
    /// A figure of the solver or of real time.
    Figure(Figure),
    /// The state of a differential equation.
    State(EquationId),
    /// What an element with a memory holds.
    Held(Held),
    /// A named text.
    Text(TextId),
    /// An element of what is requested of a body, from 0.
    Body(BodyArrayId, u32),
}

/// Solver settings as FMI parameters (`solver.…`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// `solver.integrator` (enumeration).
    Integrator,
    /// `solver.formulation` (enumeration).
    Formulation,
    /// `solver.fixit` (integer).
    Fixit,
    /// `solver.hratio` (integer).
    Hratio,
    /// `solver.pattern` (string, `T:F:F`).
    Pattern,
    /// `solver.maxerr` (real; 0: never).
    Maxerr,
    /// `solver.hinit` (real, user time; 0: unset).
    Hinit,
    /// `solver.hmax` (real, user time; 0: unset).
    Hmax,
    /// `rti.include_first_step` (boolean).
    RtiIncludeFirstStep,
    /// `solver.alpha` (real).
    Alpha,
    /// `solver.beta` (real).
    Beta,
    /// `solver.gamma` (real).
    Gamma,
    /// `solver.rho` (real).
    Rho,
    /// `solver.linearly_implicit` (boolean).
    LinearlyImplicit,
    /// `solver.equilibrium` (boolean).
    Equilibrium,
    /// `solver.ramp` (real, user time; 0: none).
    Ramp,
    /// `solver.lock_memory` (boolean).
    LockMemory,
}

/// Figures that may be read while running; locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// `rti.last`
    RtiLast,
    /// `rti.average`
    RtiAverage,
    /// `rti.min`
    RtiMin,
    /// `rti.max`
    RtiMax,
    /// `rti.misses`: steps with RTI above 1 (integer).
    RtiMisses,
    /// `solver.steps` (integer)
    Steps,
    /// `solver.residual`
    Residual,
    /// `solver.constraint_violation`
    ConstraintViolation,
    /// `solver.velocity_violation`
    VelocityViolation,
    /// `solver.local_error`
    LocalError,
    /// `solver.jacobians` (integer): Jacobians of the last step.
    Jacobians,
    /// `solver.fallbacks` (integer): steps that needed the dense factorisation.
    Fallbacks,
    /// `energy.kinetic` \[J\]
    KineticEnergy,
    /// `energy.potential` \[J\]: gravity, springs, bushings.
    PotentialEnergy,
    /// `energy.strain` \[J\]: stored in elastic force elements; part of `energy.potential`.
    StrainEnergy,
    /// `energy.work` \[J\]: done on the mechanism since the start.
    Work,
    /// `energy.dissipated` \[J\]: since the start.
    DissipatedEnergy,
    /// `energy.error` \[J\]: kinetic and potential energy less what work and dissipation account for.
    EnergyError,
    /// `power.work` \[W\]
    WorkPower,
    /// `power.dissipated` \[W\]
    DissipatedPower,
    /// `solver.drift_correction`: how far formulation SI2 moved positions and velocities together.
    DriftCorrection,
    /// `solver.degraded` (integer): steps whose factors lost more than half of their digits.
    Degraded,
}

//! Control plane: the table of all FMI variables. Both the runtime's get/set and both versions of
//! `modelDescription.xml` come from this one table.
//!
//! A value reference is a position in [`VariableTable::variables`] (time is 0); adding variables at the end does not
//! change it. The table holds scalars; [`Arrays`] says which of them form one array in FMI 3.0.
//!
//! [`naming`] holds the naming conventions, [`settings`] the names of settings and figures, [`units`] the unit
//! strings, [`mod@file`] the file that an FMU carries: a mechanism with its table. The model crate makes the table
//! from a mechanism.

#![no_std]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod arrays;
mod consistency;
pub mod file;
pub mod naming;
pub mod settings;
pub mod units;

pub use arrays::{Array, Arrays, element};
pub use naming::model_identifier;

use alloc::string::String;
use alloc::vec::Vec;
use naming::{NamingConvention, structured_name};

use fixstep_kernel::ids::{BodyArrayId, EquationId, InputId, OutputId, ParameterId, TextId};
use fixstep_kernel::mechanism::Held;
use serde::{Deserialize, Serialize};

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
        "At the start: redundant constraints, settings without effect; which element ends a run.",
    ),
    ("logRealTime", "Report of the Real Time Index."),
    ("logAll", "All of the above."),
];

/// All FMI variables of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VariableTable {
    /// The variables; a value reference is a position in this list.
    pub variables: Vec<Variable>,
}

/// One FMI variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Name in the structured naming convention.
    pub name: String,
    /// The description, as free text.
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
    /// If the variable is another name of an earlier one: the position of that variable, which has the same value in
    /// the same unit.
    pub alias: Option<u32>,
    /// For outputs: positions of the inputs (and of time's value reference 0) that the value at the
    /// end of a step depends on *at the same instant*; empty: none.
    pub dependencies: Vec<u32>,
    /// For outputs: positions of the inputs, parameters (and of time) that the value at the end of
    /// the initialization depends on.
    pub initial_dependencies: Vec<u32>,
}

/// FMI type of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        /// Which.
        of: Enumeration,
        /// Start value, 1-based.
        start: i64,
    },
}

/// The enumerations that variables have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Enumeration {
    /// The enumeration of integrators.
    Integrator,
    /// The enumeration of formulations.
    Formulation,
    /// A fixed or a variable step.
    Mode,
    /// Whether variable steps pass points of output.
    Interpolate,
    /// Which unknowns must converge in a variable step.
    Corrector,
}

/// FMI causality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Initial {
    /// Start value is exact.
    Exact,
    /// Computed.
    Calculated,
}

/// Where a variable's value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A value that an element with a memory holds.
    Held(Held),
    /// A named text.
    Text(TextId),
    /// An element of a requested quantity of a body, counted from 0.
    Body(BodyArrayId, u32),
}

/// Solver settings as FMI parameters (`solver.…`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// `solver.guard` (boolean)
    Guard,
    /// `solver.equilibrium` (boolean).
    Equilibrium,
    /// `solver.ramp` (real, user time; 0: none).
    Ramp,
    /// `solver.lock_memory` (boolean).
    LockMemory,
    /// `solver.mode` (enumeration).
    Mode,
    /// `solver.error` (real; 0: unset).
    Error,
    /// `solver.hmin` (real, user time; 0: unset).
    Hmin,
    /// `solver.kmax` (integer).
    Kmax,
    /// `solver.maxit` (integer).
    Maxit,
    /// `solver.interpolate` (enumeration).
    Interpolate,
    /// `solver.corrector` (enumeration).
    Corrector,
    /// `solver.adaptivity` (real, user time).
    Adaptivity,
}

/// Figures that may be read while running; locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A figure of the solver.
    Solver(fixstep_kernel::simulation::Figure),
}

impl VariableTable {
    /// The variable of a value reference.
    pub fn by_reference(&self, reference: u32) -> Option<&Variable> {
        self.variables.get(reference as usize)
    }

    /// The value reference of a name, in the table's spelling or the user's (`front axle` finds
    /// `'front axle'`).
    pub fn by_name(&self, name: &str) -> Option<u32> {
        let find = |name: &str| {
            self.variables
                .iter()
                .position(|variable| variable.name == name)
                .map(|at| at as u32)
        };
        find(name).or_else(|| find(&structured_name(name)))
    }

    /// Value reference and variable, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Variable)> {
        (0_u32..).zip(&self.variables)
    }

    /// The naming convention that all names follow.
    pub fn naming_convention(&self) -> NamingConvention {
        NamingConvention::of(self.variables.iter().map(|variable| variable.name.as_str()))
    }
}

impl Variable {
    /// Unit name; empty: none.
    pub fn unit(&self) -> &str {
        match &self.kind {
            VariableKind::Real { unit, .. } => unit,
            _ => "",
        }
    }

    /// Display unit; empty: none.
    pub fn display_unit(&self) -> &str {
        match &self.kind {
            VariableKind::Real { display_unit, .. } => display_unit,
            _ => "",
        }
    }

    /// Does the variable have a start value?
    pub fn has_start(&self) -> bool {
        self.causality == Causality::Input || self.initial == Some(Initial::Exact)
    }
}

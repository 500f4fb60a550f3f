//! Control plane: the modes of an instance, and a table of the C functions that are allowed in each.
//!
//! The table has one row per function of the C interface. FMI 2.0: the table of section 4.2.4 for co-simulation. FMI
//! 3.0: the state machine of section 4.2.1 without event mode, since `hasEventMode = false`. In intermediate update
//! mode the importer's callback may read variables and set inputs.

use std::fmt;

/// Modes of an instance; each version knows them by its own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    /// After instantiation or reset.
    Instantiated = 0,
    /// Initialization mode.
    Initialization = 1,
    /// Step mode; FMI 2 "stepComplete".
    Step = 2,
    /// A step has failed and the run is over: FMI 2 "stepFailed", FMI 3 after
    /// `terminateSimulation`. The state is that of the last accepted step.
    Stopped = 3,
    /// After terminate.
    Terminated = 4,
    /// After an error: FMI 2 "error", FMI 3 "Terminated" entered by an error.
    Failed = 5,
    /// FMI 3: the importer's callback runs, between two integration steps of a communication step.
    Intermediate = 6,
}

impl Mode {
    /// All modes, by number.
    pub const ALL: [Self; 7] = [
        Self::Instantiated,
        Self::Initialization,
        Self::Step,
        Self::Stopped,
        Self::Terminated,
        Self::Failed,
        Self::Intermediate,
    ];

    /// The mode with a number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Instantiated => "Instantiated",
            Self::Initialization => "Initialization Mode",
            Self::Step => "Step Mode",
            Self::Stopped => "Step Failed",
            Self::Terminated => "Terminated",
            Self::Failed => "Error",
            Self::Intermediate => "Intermediate Update Mode",
        })
    }
}

/// A set of modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes(u8);

impl Modes {
    /// Is a mode in the set?
    pub const fn contains(self, mode: Mode) -> bool {
        self.0 & mode.bit() != 0
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl fmt::Display for Modes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members = Mode::ALL.into_iter().filter(|mode| self.contains(*mode));
        for (at, mode) in members.enumerate() {
            if at > 0 {
                out.write_str(", ")?;
            }
            write!(out, "{mode}")?;
        }
        Ok(())
    }
}

/// No mode at all.
pub const NONE: Modes = Modes(0);
const INSTANTIATED: Modes = Modes(Mode::Instantiated.bit());
const INITIALIZATION: Modes = Modes(Mode::Initialization.bit());
const STEP: Modes = Modes(Mode::Step.bit());
const STOPPED: Modes = Modes(Mode::Stopped.bit());
const TERMINATED: Modes = Modes(Mode::Terminated.bit());
const FAILED: Modes = Modes(Mode::Failed.bit());
const INTERMEDIATE: Modes = Modes(Mode::Intermediate.bit());
const RUNNING: Modes = STEP.or(STOPPED);
const OVER: Modes = TERMINATED.or(FAILED);
/// Before the first step.
pub const START: Modes = INSTANTIATED.or(INITIALIZATION);
/// Where tunable parameters may be set.
pub const TUNABLE: Modes = START.or(STEP);
/// Where inputs may be set.
pub const SETTABLE: Modes = TUNABLE.or(INTERMEDIATE);
const READABLE: Modes = INITIALIZATION.or(RUNNING).or(OVER);
const ANY: Modes = INSTANTIATED.or(READABLE);
/// `READABLE`, and in FMI 3 also the calls that the importer's callback may make within a step; likewise `ANY3`.
const READABLE3: Modes = READABLE.or(INTERMEDIATE);
const ANY3: Modes = ANY.or(INTERMEDIATE);

const MODEL_EXCHANGE: &str = "it belongs to Model Exchange, and this is a co-simulation FMU";
const SCHEDULED: &str = "it belongs to Scheduled Execution, and this is a co-simulation FMU";
const CLOCKS: &str = "this FMU has no clocks";
const EVENTS: &str = "this FMU has no event mode (hasEventMode = false)";
const STRUCTURE: &str = "this FMU has no structural parameters";
const SYNCHRONOUS: &str = "steps are computed synchronously (canRunAsynchronuously = false)";
/// For functions that are called without an instance, so that no mode is checked.
const NO_HANDLE: &str = "";

/// Versions of FMI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// FMI 2.0.
    Fmi2,
    /// FMI 3.0.
    Fmi3,
}

/// The rule for one function: its row in the tables below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Version that the function belongs to.
    pub version: Version,
    /// Name of the C function.
    pub function: &'static str,
    /// Is it the one that steps?
    pub is_step: bool,
    /// Where it may be called.
    pub modes: Modes,
    /// Why it may never be called; empty if `modes` alone decides.
    pub never: &'static str,
}

impl Rule {
    /// Refusal text if the function may not be called in this mode.
    pub fn check(&self, mode: Mode) -> Result<(), String> {
        if self.modes.contains(mode) {
            return Ok(());
        }
        let function = self.function;
        if !self.never.is_empty() {
            return Err(format!("{function} is not available: {}", self.never));
        }
        Err(format!(
            "{function} is not allowed in the state \"{mode}\"; it is allowed in: {}",
            self.modes
        ))
    }
}

/// Defines the functions of a version with one row each.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, { $($function:ident $modes:expr, $never:expr;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "named as in the standard")]
        pub enum $name { $($function),* }

        impl $name {
            /// All functions.
            pub const ALL: &'static [Self] = &[$(Self::$function),*];

            /// The row of the table.
            pub const fn rule(self) -> Rule {
                match self {
                    $(Self::$function => Rule {
                        version: Version::$name,
                        is_step: matches!(self, Self::DoStep),
                        function: concat!($prefix, stringify!($function)),
                        modes: $modes,
                        never: $never,
                    },)*
                }
            }
        }
    };
}

table!(
    /// Functions of FMI 2.0.
    Fmi2, "fmi2", {
        GetTypesPlatform ANY, NO_HANDLE;
        GetVersion ANY, NO_HANDLE;
        SetDebugLogging ANY, "";
        Instantiate NONE, NO_HANDLE;
        FreeInstance ANY, "";
        SetupExperiment INSTANTIATED, "";
        EnterInitializationMode INSTANTIATED, "";
        ExitInitializationMode INITIALIZATION, "";
        Terminate RUNNING, "";
        Reset ANY, "";
        GetReal READABLE, "";
        GetInteger READABLE, "";
        GetBoolean READABLE, "";
        GetString READABLE, "";
        SetReal TUNABLE, "";
        SetInteger TUNABLE, "";
        SetBoolean TUNABLE, "";
        SetString TUNABLE, "";
        GetFMUstate ANY, "";
        SetFMUstate ANY, "";
        FreeFMUstate ANY, "";
        SerializedFMUstateSize ANY, "";
        SerializeFMUstate ANY, "";
        DeSerializeFMUstate ANY, "";
        GetDirectionalDerivative READABLE, "";
        SetRealInputDerivatives TUNABLE, "";
        GetRealOutputDerivatives RUNNING.or(OVER), "";
        DoStep STEP, "";
        CancelStep NONE, SYNCHRONOUS;
        GetStatus RUNNING.or(TERMINATED), "";
        GetRealStatus RUNNING.or(TERMINATED), "";
        GetIntegerStatus RUNNING.or(TERMINATED), "";
        GetBooleanStatus RUNNING.or(TERMINATED), "";
        GetStringStatus RUNNING.or(TERMINATED), "";
        EnterEventMode NONE, MODEL_EXCHANGE;
        NewDiscreteStates NONE, MODEL_EXCHANGE;
        EnterContinuousTimeMode NONE, MODEL_EXCHANGE;
        CompletedIntegratorStep NONE, MODEL_EXCHANGE;
        SetTime NONE, MODEL_EXCHANGE;
        SetContinuousStates NONE, MODEL_EXCHANGE;
        GetDerivatives NONE, MODEL_EXCHANGE;
        GetEventIndicators NONE, MODEL_EXCHANGE;
        GetContinuousStates NONE, MODEL_EXCHANGE;
        GetNominalsOfContinuousStates NONE, MODEL_EXCHANGE;
    }
);

table!(
    /// Functions of FMI 3.0.
    Fmi3, "fmi3", {
        GetVersion ANY3, NO_HANDLE;
        SetDebugLogging ANY3, "";
        InstantiateModelExchange NONE, MODEL_EXCHANGE;
        InstantiateCoSimulation NONE, NO_HANDLE;
        InstantiateScheduledExecution NONE, SCHEDULED;
        FreeInstance ANY, "";
        EnterInitializationMode INSTANTIATED, "";
        ExitInitializationMode INITIALIZATION, "";
        EnterEventMode NONE, EVENTS;
        Terminate RUNNING, "";
        Reset ANY, "";
        GetFloat32 ANY3, "";
        GetFloat64 ANY3, "";
        GetInt8 ANY3, "";
        GetUInt8 ANY3, "";
        GetInt16 ANY3, "";
        GetUInt16 ANY3, "";
        GetInt32 ANY3, "";
        GetUInt32 ANY3, "";
        GetInt64 ANY3, "";
        GetUInt64 ANY3, "";
        GetBoolean ANY3, "";
        GetString ANY3, "";
        GetBinary ANY3, "";
        GetClock NONE, CLOCKS;
        SetFloat32 SETTABLE, "";
        SetFloat64 SETTABLE, "";
        SetInt8 SETTABLE, "";
        SetUInt8 SETTABLE, "";
        SetInt16 SETTABLE, "";
        SetUInt16 SETTABLE, "";
        SetInt32 SETTABLE, "";
        SetUInt32 SETTABLE, "";
        SetInt64 SETTABLE, "";
        SetUInt64 SETTABLE, "";
        SetBoolean SETTABLE, "";
        SetString SETTABLE, "";
        SetBinary SETTABLE, "";
        SetClock NONE, CLOCKS;
        GetNumberOfVariableDependencies ANY3, "";
        GetVariableDependencies ANY3, "";
        GetFMUState ANY, "";
        SetFMUState ANY, "";
        FreeFMUState ANY, "";
        SerializedFMUStateSize ANY, "";
        SerializeFMUState ANY, "";
        DeserializeFMUState ANY, "";
        GetDirectionalDerivative READABLE3, "";
        GetAdjointDerivative READABLE3, "";
        EnterConfigurationMode NONE, STRUCTURE;
        ExitConfigurationMode NONE, STRUCTURE;
        GetIntervalDecimal NONE, CLOCKS;
        GetIntervalFraction NONE, CLOCKS;
        GetShiftDecimal NONE, CLOCKS;
        GetShiftFraction NONE, CLOCKS;
        SetIntervalDecimal NONE, CLOCKS;
        SetIntervalFraction NONE, CLOCKS;
        SetShiftDecimal NONE, CLOCKS;
        SetShiftFraction NONE, CLOCKS;
        EvaluateDiscreteStates NONE, EVENTS;
        UpdateDiscreteStates NONE, EVENTS;
        EnterContinuousTimeMode NONE, MODEL_EXCHANGE;
        CompletedIntegratorStep NONE, MODEL_EXCHANGE;
        SetTime NONE, MODEL_EXCHANGE;
        SetContinuousStates NONE, MODEL_EXCHANGE;
        GetContinuousStateDerivatives NONE, MODEL_EXCHANGE;
        GetEventIndicators NONE, MODEL_EXCHANGE;
        GetContinuousStates NONE, MODEL_EXCHANGE;
        GetNominalsOfContinuousStates NONE, MODEL_EXCHANGE;
        GetNumberOfEventIndicators NONE, MODEL_EXCHANGE;
        GetNumberOfContinuousStates NONE, MODEL_EXCHANGE;
        EnterStepMode NONE, EVENTS;
        GetOutputDerivatives RUNNING.or(OVER).or(INTERMEDIATE), "";
        DoStep STEP, "";
        ActivateModelPartition NONE, SCHEDULED;
    }
);

#[cfg(test)]
mod tests;

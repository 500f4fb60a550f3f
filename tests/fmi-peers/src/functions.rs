//! Every exported function against the type that bindgen makes of the official header.

use fmi_sys::{fmi2 as theirs2, fmi3 as theirs3};

use crate::signature::{self as sig, Signature, agree};

/// Our functions of FMI 2.0.
mod ours2 {
    pub use fixstep::ffi::fmi2::{exports::*, model_exchange::*, state::*, values::*};
}

/// Our functions of FMI 3.0.
mod ours3 {
    pub use fixstep::ffi::fmi3::{
        clocks::*, derivatives::*, exports::*, get_set::*, model_exchange::*, state::*, step::*,
    };
}

/// A function's name, our signature and theirs.
type Row = (&'static str, Signature, Signature);

/// Rows for functions, group by group of one number of arguments.
macro_rules! rows {
    ($ours:ident, $theirs:ident, $($function:ident, $pointer:ident: $($name:ident $type:ident),*;)*) => {
        vec![$($((
            stringify!($name),
            sig::$function($ours::$name),
            sig::$pointer(None as $theirs::$type),
        ),)*)*]
    };
}

/// The 44 functions of FMI 2.0.
fn rows2() -> Vec<Row> {
    rows! { ours2, theirs2,
        function0, pointer0:
            fmi2GetTypesPlatform fmi2GetTypesPlatformTYPE,
            fmi2GetVersion fmi2GetVersionTYPE;
        function1, pointer1:
            fmi2FreeInstance fmi2FreeInstanceTYPE,
            fmi2EnterInitializationMode fmi2EnterInitializationModeTYPE,
            fmi2ExitInitializationMode fmi2ExitInitializationModeTYPE,
            fmi2Terminate fmi2TerminateTYPE,
            fmi2Reset fmi2ResetTYPE,
            fmi2EnterEventMode fmi2EnterEventModeTYPE,
            fmi2EnterContinuousTimeMode fmi2EnterContinuousTimeModeTYPE,
            fmi2CancelStep fmi2CancelStepTYPE;
        function2, pointer2:
            fmi2GetFMUstate fmi2GetFMUstateTYPE,
            fmi2SetFMUstate fmi2SetFMUstateTYPE,
            fmi2FreeFMUstate fmi2FreeFMUstateTYPE,
            fmi2NewDiscreteStates fmi2NewDiscreteStatesTYPE,
            fmi2SetTime fmi2SetTimeTYPE;
        function3, pointer3:
            fmi2SerializedFMUstateSize fmi2SerializedFMUstateSizeTYPE,
            fmi2SetContinuousStates fmi2SetContinuousStatesTYPE,
            fmi2GetDerivatives fmi2GetDerivativesTYPE,
            fmi2GetEventIndicators fmi2GetEventIndicatorsTYPE,
            fmi2GetContinuousStates fmi2GetContinuousStatesTYPE,
            fmi2GetNominalsOfContinuousStates fmi2GetNominalsOfContinuousStatesTYPE,
            fmi2GetStatus fmi2GetStatusTYPE,
            fmi2GetRealStatus fmi2GetRealStatusTYPE,
            fmi2GetIntegerStatus fmi2GetIntegerStatusTYPE,
            fmi2GetBooleanStatus fmi2GetBooleanStatusTYPE,
            fmi2GetStringStatus fmi2GetStringStatusTYPE;
        function4, pointer4:
            fmi2SetDebugLogging fmi2SetDebugLoggingTYPE,
            fmi2GetReal fmi2GetRealTYPE,
            fmi2GetInteger fmi2GetIntegerTYPE,
            fmi2GetBoolean fmi2GetBooleanTYPE,
            fmi2GetString fmi2GetStringTYPE,
            fmi2SetReal fmi2SetRealTYPE,
            fmi2SetInteger fmi2SetIntegerTYPE,
            fmi2SetBoolean fmi2SetBooleanTYPE,
            fmi2SetString fmi2SetStringTYPE,
            fmi2SerializeFMUstate fmi2SerializeFMUstateTYPE,
            fmi2DeSerializeFMUstate fmi2DeSerializeFMUstateTYPE,
            fmi2CompletedIntegratorStep fmi2CompletedIntegratorStepTYPE,
            fmi2DoStep fmi2DoStepTYPE;
        function5, pointer5:
            fmi2SetRealInputDerivatives fmi2SetRealInputDerivativesTYPE,
            fmi2GetRealOutputDerivatives fmi2GetRealOutputDerivativesTYPE;
        function6, pointer6:
            fmi2SetupExperiment fmi2SetupExperimentTYPE;
        function7, pointer7:
            fmi2Instantiate fmi2InstantiateTYPE,
            fmi2GetDirectionalDerivative fmi2GetDirectionalDerivativeTYPE;
    }
}

/// The functions of FMI 3.0 with up to four arguments.
fn rows3_short() -> Vec<Row> {
    rows! { ours3, theirs3,
        function0, pointer0:
            fmi3GetVersion fmi3GetVersionTYPE;
        function1, pointer1:
            fmi3FreeInstance fmi3FreeInstanceTYPE,
            fmi3ExitInitializationMode fmi3ExitInitializationModeTYPE,
            fmi3EnterEventMode fmi3EnterEventModeTYPE,
            fmi3Terminate fmi3TerminateTYPE,
            fmi3Reset fmi3ResetTYPE,
            fmi3EnterConfigurationMode fmi3EnterConfigurationModeTYPE,
            fmi3ExitConfigurationMode fmi3ExitConfigurationModeTYPE,
            fmi3EvaluateDiscreteStates fmi3EvaluateDiscreteStatesTYPE,
            fmi3EnterContinuousTimeMode fmi3EnterContinuousTimeModeTYPE,
            fmi3EnterStepMode fmi3EnterStepModeTYPE;
        function2, pointer2:
            fmi3GetFMUState fmi3GetFMUStateTYPE,
            fmi3SetFMUState fmi3SetFMUStateTYPE,
            fmi3FreeFMUState fmi3FreeFMUStateTYPE,
            fmi3SetTime fmi3SetTimeTYPE,
            fmi3GetNumberOfEventIndicators fmi3GetNumberOfEventIndicatorsTYPE,
            fmi3GetNumberOfContinuousStates fmi3GetNumberOfContinuousStatesTYPE;
        function3, pointer3:
            fmi3GetNumberOfVariableDependencies fmi3GetNumberOfVariableDependenciesTYPE,
            fmi3SerializedFMUStateSize fmi3SerializedFMUStateSizeTYPE,
            fmi3SetContinuousStates fmi3SetContinuousStatesTYPE,
            fmi3GetContinuousStateDerivatives fmi3GetContinuousStateDerivativesTYPE,
            fmi3GetEventIndicators fmi3GetEventIndicatorsTYPE,
            fmi3GetContinuousStates fmi3GetContinuousStatesTYPE,
            fmi3GetNominalsOfContinuousStates fmi3GetNominalsOfContinuousStatesTYPE,
            fmi3ActivateModelPartition fmi3ActivateModelPartitionTYPE;
        function4, pointer4:
            fmi3SetDebugLogging fmi3SetDebugLoggingTYPE,
            fmi3GetClock fmi3GetClockTYPE,
            fmi3SetClock fmi3SetClockTYPE,
            fmi3SerializeFMUState fmi3SerializeFMUStateTYPE,
            fmi3DeserializeFMUState fmi3DeserializeFMUStateTYPE,
            fmi3GetShiftDecimal fmi3GetShiftDecimalTYPE,
            fmi3SetIntervalDecimal fmi3SetIntervalDecimalTYPE,
            fmi3SetShiftDecimal fmi3SetShiftDecimalTYPE,
            fmi3CompletedIntegratorStep fmi3CompletedIntegratorStepTYPE;
    }
}

/// The functions of FMI 3.0 with more.
fn rows3_long() -> Vec<Row> {
    rows! { ours3, theirs3,
        function6, pointer6:
            fmi3EnterInitializationMode fmi3EnterInitializationModeTYPE,
            fmi3GetBinary fmi3GetBinaryTYPE,
            fmi3SetBinary fmi3SetBinaryTYPE,
            fmi3GetIntervalFraction fmi3GetIntervalFractionTYPE,
            fmi3GetOutputDerivatives fmi3GetOutputDerivativesTYPE;
        function7, pointer7:
            fmi3InstantiateModelExchange fmi3InstantiateModelExchangeTYPE,
            fmi3GetVariableDependencies fmi3GetVariableDependenciesTYPE,
            fmi3UpdateDiscreteStates fmi3UpdateDiscreteStatesTYPE;
        function8, pointer8:
            fmi3DoStep fmi3DoStepTYPE;
        function9, pointer9:
            fmi3GetDirectionalDerivative fmi3GetDirectionalDerivativeTYPE,
            fmi3GetAdjointDerivative fmi3GetAdjointDerivativeTYPE;
        function10, pointer10:
            fmi3InstantiateScheduledExecution fmi3InstantiateScheduledExecutionTYPE;
        function12, pointer12:
            fmi3InstantiateCoSimulation fmi3InstantiateCoSimulationTYPE;
        function5, pointer5:
            fmi3GetFloat32 fmi3GetFloat32TYPE,
            fmi3GetFloat64 fmi3GetFloat64TYPE,
            fmi3GetInt8 fmi3GetInt8TYPE,
            fmi3GetUInt8 fmi3GetUInt8TYPE,
            fmi3GetInt16 fmi3GetInt16TYPE,
            fmi3GetUInt16 fmi3GetUInt16TYPE,
            fmi3GetInt32 fmi3GetInt32TYPE,
            fmi3GetUInt32 fmi3GetUInt32TYPE,
            fmi3GetInt64 fmi3GetInt64TYPE,
            fmi3GetUInt64 fmi3GetUInt64TYPE,
            fmi3GetBoolean fmi3GetBooleanTYPE,
            fmi3GetString fmi3GetStringTYPE,
            fmi3SetFloat32 fmi3SetFloat32TYPE,
            fmi3SetFloat64 fmi3SetFloat64TYPE,
            fmi3SetInt8 fmi3SetInt8TYPE,
            fmi3SetUInt8 fmi3SetUInt8TYPE,
            fmi3SetInt16 fmi3SetInt16TYPE,
            fmi3SetUInt16 fmi3SetUInt16TYPE,
            fmi3SetInt32 fmi3SetInt32TYPE,
            fmi3SetUInt32 fmi3SetUInt32TYPE,
            fmi3SetInt64 fmi3SetInt64TYPE,
            fmi3SetUInt64 fmi3SetUInt64TYPE,
            fmi3SetBoolean fmi3SetBooleanTYPE,
            fmi3SetString fmi3SetStringTYPE,
            fmi3GetIntervalDecimal fmi3GetIntervalDecimalTYPE,
            fmi3GetShiftFraction fmi3GetShiftFractionTYPE,
            fmi3SetIntervalFraction fmi3SetIntervalFractionTYPE,
            fmi3SetShiftFraction fmi3SetShiftFractionTYPE;
    }
}

/// Compares both versions; the number of functions that agree, and what to say of the others.
pub fn compare() -> (usize, Vec<String>) {
    let rows: Vec<Row> = [rows2(), rows3_short(), rows3_long()].concat();
    let differences = rows
        .iter()
        .filter(|(_, ours, theirs)| !agree(ours, theirs))
        .map(|(name, ours, theirs)| format!("{name}: ours {ours:?}, theirs {theirs:?}"))
        .collect();
    (rows.len(), differences)
}

//! Control plane: types of `fmi2TypesPlatform.h` and `fmi2FunctionTypes.h`.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::instance::status::Status;

/// `fmi2Real`
pub type Real = f64;
/// `fmi2Integer`
pub type Integer = c_int;
/// `fmi2Boolean`: 0 is false, everything else true.
pub type Boolean = c_int;
/// `fmi2String`
pub type Text = *const c_char;
/// `fmi2ValueReference`
pub type ValueReference = c_uint;
/// `fmi2FMUstate`
pub type State = *mut c_void;
/// `fmi2Byte`
pub type Byte = c_char;
/// `fmi2Type`; taken as a number, since C may pass any.
pub type Type = c_int;
/// `fmi2StatusKind`; taken as a number, since C may pass any.
pub type StatusKind = c_int;

/// `fmi2CoSimulation`
pub const CO_SIMULATION: Type = 1;
/// `fmi2LastSuccessfulTime`
pub const LAST_SUCCESSFUL_TIME: StatusKind = 2;
/// `fmi2Terminated`
pub const TERMINATED: StatusKind = 3;

/// `fmi2CallbackLogger`
pub type Logger = unsafe extern "C" fn(
    environment: *mut c_void,
    instance_name: Text,
    status: Status,
    category: Text,
    message: Text,
    ...
);

/// `fmi2CallbackFunctions`; only the logger is ever called.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CallbackFunctions {
    /// `logger`
    pub logger: Option<Logger>,
    /// `allocateMemory`
    pub allocate_memory: Option<unsafe extern "C" fn(usize, usize) -> *mut c_void>,
    /// `freeMemory`
    pub free_memory: Option<unsafe extern "C" fn(*mut c_void)>,
    /// `stepFinished`
    pub step_finished: Option<unsafe extern "C" fn(*mut c_void, Status)>,
    /// `componentEnvironment`
    pub component_environment: *mut c_void,
}

/// `fmi2EventInfo`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EventInfo {
    /// `newDiscreteStatesNeeded`
    pub new_discrete_states_needed: Boolean,
    /// `terminateSimulation`
    pub terminate_simulation: Boolean,
    /// `nominalsOfContinuousStatesChanged`
    pub nominals_of_continuous_states_changed: Boolean,
    /// `valuesOfContinuousStatesChanged`
    pub values_of_continuous_states_changed: Boolean,
    /// `nextEventTimeDefined`
    pub next_event_time_defined: Boolean,
    /// `nextEventTime`
    pub next_event_time: Real,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes as a C compiler has them on 64-bit platforms.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn sizes_are_those_of_c() {
        assert_eq!(size_of::<CallbackFunctions>(), 40);
        assert_eq!(size_of::<EventInfo>(), 32);
        assert_eq!(size_of::<Status>(), 4);
        assert_eq!(std::mem::offset_of!(EventInfo, next_event_time), 24);
        assert_eq!(
            std::mem::offset_of!(CallbackFunctions, component_environment),
            32
        );
    }
}

//! Control plane: the types of `fmi3PlatformTypes.h` and `fmi3FunctionTypes.h` in Rust; each names the C type that it is.

use std::ffi::{c_char, c_int, c_void};

use crate::instance::status::Status;

/// `fmi3Boolean` and `fmi3Clock`: C's `bool`, read as a byte since C may leave any value in it.
pub type Boolean = u8;
/// `fmi3String`
pub type Text = *const c_char;
/// `fmi3Binary`
pub type Binary = *const u8;
/// `fmi3ValueReference`
pub type ValueReference = u32;
/// `fmi3FMUState`
pub type State = *mut c_void;
/// `fmi3IntervalQualifier`
pub type IntervalQualifier = c_int;
/// `fmi3DependencyKind`
pub type DependencyKind = c_int;

/// `fmi3Dependent`
pub const DEPENDENT: DependencyKind = 5;

/// `fmi3LogMessageCallback`
pub type LogMessage =
    unsafe extern "C" fn(environment: *mut c_void, status: Status, category: Text, message: Text);

/// `fmi3IntermediateUpdateCallback`
pub type IntermediateUpdate = unsafe extern "C" fn(
    environment: *mut c_void,
    time: f64,
    set_requested: Boolean,
    get_allowed: Boolean,
    step_finished: Boolean,
    can_return_early: Boolean,
    early_return_requested: *mut Boolean,
    early_return_time: *mut f64,
);

/// `fmi3ClockUpdateCallback`; never called.
pub type ClockUpdate = unsafe extern "C" fn(environment: *mut c_void);

/// `fmi3LockPreemptionCallback` and `fmi3UnlockPreemptionCallback`; never called.
pub type Preemption = unsafe extern "C" fn();

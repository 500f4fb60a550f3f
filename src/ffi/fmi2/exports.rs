//! Control plane: creation, initialization, stepping and status of FMI 2.0.
#![expect(non_snake_case, reason = "names of the standard")]

use std::ffi::{c_char, c_void};

use super::types::{
    Boolean, CO_SIMULATION, CallbackFunctions, Integer, LAST_SUCCESSFUL_TIME, Real, StatusKind,
    TERMINATED, Text, Type,
};
use crate::ffi::exports::exports;
use crate::ffi::guard;
use crate::ffi::log::Fmi2Sink;
use crate::ffi::open::{Request, open};
use crate::ffi::pointers;
use crate::ffi::residence;
use crate::instance::mode::{Fmi2, Rule};
use crate::instance::status::{Refusal, Status};
use crate::instance::texts::c_text;

/// `fmi2GetTypesPlatform` as the standard defines it.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

/// `fmi2GetVersion` as the standard defines it.
#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

/// `fmi2Instantiate` as the standard defines it; missing callbacks are accepted.
///
/// # Safety
/// Pointers must be what the standard says, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    instanceName: Text,
    fmuType: Type,
    fmuGUID: Text,
    fmuResourceLocation: Text,
    functions: *const CallbackFunctions,
    _visible: Boolean,
    loggingOn: Boolean,
) -> *mut c_void {
    let callbacks = pointers::copy(functions);
    let name = pointers::bytes(instanceName).unwrap_or_default();
    let sink = Fmi2Sink {
        logger: callbacks.and_then(|callbacks| callbacks.logger),
        environment: callbacks.map_or(std::ptr::null_mut(), |c| c.component_environment),
        name: c_text(&String::from_utf8_lossy(&name)),
    };
    let request = Request {
        rule: Fmi2::Instantiate.rule(),
        name: instanceName,
        token: fmuGUID,
        resources: fmuResourceLocation,
        logging: loggingOn != 0,
        early_return: false,
        update: None,
        intermediate: (std::ptr::null(), 0),
    };
    open(&request, Box::new(sink), acceptable(fmuType))
}

fn acceptable(fmu_type: Type) -> Result<(), Refusal> {
    if fmu_type == CO_SIMULATION {
        return Ok(());
    }
    Err(Refusal::error(format!(
        "fmi2Instantiate: fmuType is {fmu_type}, but this FMU is for co-simulation ({CO_SIMULATION})"
    )))
}

/// `fmi2FreeInstance` as the standard defines it.
///
/// # Safety
/// The instance must come from [`fmi2Instantiate`] and not have been freed, or be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(instance: *mut c_void) {
    guard::destroy(instance);
}

exports!(Fmi2:
    fn fmi2SetDebugLogging.SetDebugLogging(
        loggingOn: Boolean, nCategories: usize, categories: *const Text,
    ) |inner, rule| {
        let categories = pointers::texts(rule, "categories", categories, nCategories)?;
        inner.instance.set_debug_logging(loggingOn != 0, &categories)
    };

    fn fmi2SetupExperiment.SetupExperiment(
        toleranceDefined: Boolean, tolerance: Real, startTime: Real, stopTimeDefined: Boolean,
        stopTime: Real,
    ) |inner, _rule| {
        let tolerance = (toleranceDefined != 0).then_some(tolerance);
        let stop = (stopTimeDefined != 0).then_some(stopTime);
        inner.instance.setup_experiment(tolerance, startTime, stop)
    };

    fn fmi2EnterInitializationMode.EnterInitializationMode() |inner, _rule| {
        inner.instance.enter_initialization()
    };

    fn fmi2ExitInitializationMode.ExitInitializationMode() |inner, _rule| {
        let status = inner.instance.exit_initialization()?;
        Ok(status.max(residence::settle(inner)))
    };

    fn fmi2Terminate.Terminate() |inner, _rule| inner.instance.terminate();

    fn fmi2Reset.Reset() |inner, _rule| inner.instance.reset();

    fn fmi2DoStep.DoStep(
        currentCommunicationPoint: Real, communicationStepSize: Real,
        _noSetFMUStatePriorToCurrentPoint: Boolean,
    ) |inner, _rule| {
        let end = inner.instance.do_step(currentCommunicationPoint, communicationStepSize)?;
        Ok(if end.stopped { Status::Discard } else { Status::Ok })
    };

    never fmi2CancelStep.CancelStep();

    fn fmi2GetStatus.GetStatus(kind: StatusKind, value: *mut Status) |_inner, rule| {
        pointers::place(rule, "value", value)?;
        Err(unavailable(rule, kind))
    };

    fn fmi2GetRealStatus.GetRealStatus(kind: StatusKind, value: *mut Real) |inner, rule| {
        let mut value = pointers::place(rule, "value", value)?;
        if kind != LAST_SUCCESSFUL_TIME {
            return Err(unavailable(rule, kind));
        }
        value.put(0, inner.instance.time());
        Ok(Status::Ok)
    };

    fn fmi2GetIntegerStatus.GetIntegerStatus(kind: StatusKind, value: *mut Integer)
    |_inner, rule| {
        pointers::place(rule, "value", value)?;
        Err(unavailable(rule, kind))
    };

    fn fmi2GetBooleanStatus.GetBooleanStatus(kind: StatusKind, value: *mut Boolean)
    |inner, rule| {
        let mut value = pointers::place(rule, "value", value)?;
        if kind != TERMINATED {
            return Err(unavailable(rule, kind));
        }
        value.put(0, Boolean::from(inner.instance.is_stopped()));
        Ok(Status::Ok)
    };

    fn fmi2GetStringStatus.GetStringStatus(kind: StatusKind, value: *mut Text) |_inner, rule| {
        pointers::place(rule, "value", value)?;
        Err(unavailable(rule, kind))
    };
);

/// Steps are never pending, so only two status values can be queried.
fn unavailable(rule: Rule, kind: StatusKind) -> Refusal {
    Refusal::discard(format!(
        "{}: status kind {kind} is not available; available are the real \
         fmi2LastSuccessfulTime ({LAST_SUCCESSFUL_TIME}) and the boolean fmi2Terminated ({TERMINATED})",
        rule.function
    ))
}

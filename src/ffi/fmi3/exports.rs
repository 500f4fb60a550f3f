//! Control plane: creation, initialization, stepping and dependencies of FMI 3.0.
#![expect(non_snake_case, reason = "names of the standard")]

use std::ffi::{c_char, c_void};

use super::step::Update;
use super::types::{
    Boolean, ClockUpdate, DEPENDENT, DependencyKind, IntermediateUpdate, LogMessage, Preemption,
    Text, ValueReference,
};
use crate::ffi::exports::exports;
use crate::ffi::log::Fmi3Sink;
use crate::ffi::open::{Request, open};
use crate::ffi::{guard, pointers, residence};
use crate::instance::mode::{Fmi3, Rule};
use crate::instance::status::{Refusal, Status};

/// `fmi3GetVersion` as the standard defines it.
#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

/// `fmi3InstantiateCoSimulation` as the standard defines it; missing callbacks are accepted.
///
/// # Safety
/// Pointers must be what the standard says, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    instanceName: Text,
    instantiationToken: Text,
    resourcePath: Text,
    _visible: Boolean,
    loggingOn: Boolean,
    eventModeUsed: Boolean,
    earlyReturnAllowed: Boolean,
    requiredIntermediateVariables: *const ValueReference,
    nRequiredIntermediateVariables: usize,
    instanceEnvironment: *mut c_void,
    logMessage: Option<LogMessage>,
    intermediateUpdate: Option<IntermediateUpdate>,
) -> *mut c_void {
    let update = intermediateUpdate.map(|callback| Update {
        callback,
        environment: instanceEnvironment,
    });
    let request = Request {
        rule: Fmi3::InstantiateCoSimulation.rule(),
        name: instanceName,
        token: instantiationToken,
        resources: resourcePath,
        logging: loggingOn != 0,
        early_return: earlyReturnAllowed != 0,
        update,
        intermediate: (
            requiredIntermediateVariables,
            nRequiredIntermediateVariables,
        ),
    };
    let sink = Fmi3Sink {
        logger: logMessage,
        environment: instanceEnvironment,
    };
    open(&request, Box::new(sink), acceptable(eventModeUsed != 0))
}

fn acceptable(event_mode: bool) -> Result<(), Refusal> {
    let function = Fmi3::InstantiateCoSimulation.rule().function;
    if event_mode {
        return Err(Refusal::error(format!(
            "{function}: eventModeUsed is true, but this FMU has no event mode (hasEventMode = false)"
        )));
    }
    Ok(())
}

/// `fmi3InstantiateModelExchange` as the standard defines it: this FMU has no such interface.
///
/// # Safety
/// Pointers must be what the standard says, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    _instanceName: Text,
    _instantiationToken: Text,
    _resourcePath: Text,
    _visible: Boolean,
    _loggingOn: Boolean,
    instanceEnvironment: *mut c_void,
    logMessage: Option<LogMessage>,
) -> *mut c_void {
    let rule = Fmi3::InstantiateModelExchange.rule();
    decline(rule, instanceEnvironment, logMessage)
}

/// `fmi3InstantiateScheduledExecution` as the standard defines it: this FMU has no such interface.
///
/// # Safety
/// Pointers must be what the standard says, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    _instanceName: Text,
    _instantiationToken: Text,
    _resourcePath: Text,
    _visible: Boolean,
    _loggingOn: Boolean,
    instanceEnvironment: *mut c_void,
    logMessage: Option<LogMessage>,
    _clockUpdate: Option<ClockUpdate>,
    _lockPreemption: Option<Preemption>,
    _unlockPreemption: Option<Preemption>,
) -> *mut c_void {
    let rule = Fmi3::InstantiateScheduledExecution.rule();
    decline(rule, instanceEnvironment, logMessage)
}

fn decline(rule: Rule, environment: *mut c_void, logger: Option<LogMessage>) -> *mut c_void {
    let sink = Fmi3Sink {
        logger,
        environment,
    };
    guard::decline(rule, &sink)
}

/// `fmi3FreeInstance` as the standard defines it.
///
/// # Safety
/// The instance must come from [`fmi3InstantiateCoSimulation`] and not have been freed, or be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(instance: *mut c_void) {
    guard::destroy(instance);
}

exports!(Fmi3:
    fn fmi3SetDebugLogging.SetDebugLogging(
        loggingOn: Boolean, nCategories: usize, categories: *const Text,
    ) |inner, rule| {
        let categories = pointers::texts(rule, "categories", categories, nCategories)?;
        inner.instance.set_debug_logging(loggingOn != 0, &categories)
    };

    fn fmi3EnterInitializationMode.EnterInitializationMode(
        toleranceDefined: Boolean, tolerance: f64, startTime: f64, stopTimeDefined: Boolean,
        stopTime: f64,
    ) |inner, _rule| {
        let tolerance = (toleranceDefined != 0).then_some(tolerance);
        let stop = (stopTimeDefined != 0).then_some(stopTime);
        inner.instance.setup_experiment(tolerance, startTime, stop)?;
        inner.instance.enter_initialization()
    };

    fn fmi3ExitInitializationMode.ExitInitializationMode() |inner, _rule| {
        let status = inner.instance.exit_initialization()?;
        Ok(status.max(residence::settle(inner)))
    };

    never fmi3EnterEventMode.EnterEventMode();

    fn fmi3Terminate.Terminate() |inner, _rule| inner.instance.terminate();

    fn fmi3Reset.Reset() |inner, _rule| inner.instance.reset();

    fn fmi3GetNumberOfVariableDependencies.GetNumberOfVariableDependencies(
        valueReference: ValueReference, nDependencies: *mut usize,
    ) |inner, rule| {
        let mut count = pointers::place(rule, "nDependencies", nDependencies)?;
        count.put(0, inner.instance.dependencies(rule, valueReference)?.len());
        Ok(Status::Ok)
    };

    fn fmi3GetVariableDependencies.GetVariableDependencies(
        dependent: ValueReference, elementIndicesOfDependent: *mut usize,
        independents: *mut ValueReference, elementIndicesOfIndependents: *mut usize,
        dependencyKinds: *mut DependencyKind, nDependencies: usize,
    ) |inner, rule| {
        let known = inner.instance.dependencies(rule, dependent)?;
        same_count(rule, nDependencies, known.len())?;
        let n = nDependencies;
        let mut own = pointers::output(
            rule, "elementIndicesOfDependent", elementIndicesOfDependent, n)?;
        let mut others = pointers::output(rule, "independents", independents, n)?;
        let mut elements = pointers::output(
            rule, "elementIndicesOfIndependents", elementIndicesOfIndependents, n)?;
        let mut kinds = pointers::output(rule, "dependencyKinds", dependencyKinds, n)?;
        for (at, &reference) in known.iter().enumerate() {
            // Element 0 means the whole scalar or array.
            own.put(at, 0);
            others.put(at, reference);
            elements.put(at, 0);
            kinds.put(at, DEPENDENT);
        }
        Ok(Status::Ok)
    };

    never fmi3EnterConfigurationMode.EnterConfigurationMode();
    never fmi3ExitConfigurationMode.ExitConfigurationMode();
    never fmi3EnterStepMode.EnterStepMode();
    never fmi3ActivateModelPartition.ActivateModelPartition(
        clockReference: ValueReference, activationTime: f64,
    );
);

fn same_count(rule: Rule, given: usize, needed: usize) -> Result<(), Refusal> {
    if given == needed {
        return Ok(());
    }
    Err(Refusal::error(format!(
        "{}: nDependencies is {given}, but there are {needed}",
        rule.function
    )))
}

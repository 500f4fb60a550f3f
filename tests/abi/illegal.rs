//! Tests of calls that a mode does not allow, and of functions that do not apply to this FMU.

use std::ffi::c_int;
use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, How, call3, logger};
use crate::world::{DISCARD, ERROR, OK, World};

/// Modes of an instance, and how to get there.
const MODES: [&str; 5] = [
    "instantiated",
    "initialization",
    "step",
    "terminated",
    "error",
];

fn fmu2_in<'w>(world: &'w World, mode: &str) -> Fmu2<'w> {
    let fmu = Fmu2::new(world);
    if mode == "initialization" {
        assert_eq!(call2!(fmu, fmi2EnterInitializationMode), OK);
    } else if mode == "error" {
        assert_eq!(fmu.step(0.0, 0.01), ERROR);
    } else if mode != "instantiated" {
        fmu.start();
    }
    if mode == "terminated" {
        assert_eq!(call2!(fmu, fmi2Terminate), OK);
    }
    fmu
}

fn fmu3_in<'w>(world: &'w World, mode: &str) -> Fmu3<'w> {
    let fmu = Fmu3::new(world);
    if mode == "initialization" {
        let entered = call3!(
            fmu,
            fmi3EnterInitializationMode,
            false,
            0.0,
            0.0,
            false,
            0.0
        );
        assert_eq!(entered, OK);
    } else if mode == "error" {
        assert_eq!(fmu.step(0.0, 0.01).status, ERROR);
    } else if mode != "instantiated" {
        fmu.start();
    }
    if mode == "terminated" {
        assert_eq!(call3!(fmu, fmi3Terminate), OK);
    }
    fmu
}

/// Calls whose answer depends on the mode alone, with the modes of [`MODES`] that allow them.
type Probe2 = (
    &'static str,
    fn(&Fmu2<'_>) -> c_int,
    &'static [&'static str],
);

/// The same for FMI 3.0.
type Probe3 = (
    &'static str,
    fn(&Fmu3<'_>) -> c_int,
    &'static [&'static str],
);

const PROBES2: &[Probe2] = &[
    (
        "fmi2SetupExperiment",
        |f| call2!(f, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0),
        &["instantiated"],
    ),
    (
        "fmi2EnterInitializationMode",
        |f| call2!(f, fmi2EnterInitializationMode),
        &["instantiated"],
    ),
    (
        "fmi2ExitInitializationMode",
        |f| call2!(f, fmi2ExitInitializationMode),
        &["initialization"],
    ),
    ("fmi2Terminate", |f| call2!(f, fmi2Terminate), &["step"]),
    ("fmi2Reset", |f| call2!(f, fmi2Reset), &MODES),
    (
        "fmi2GetReal",
        |f| call2!(f, fmi2GetReal, ptr::null(), 0, ptr::null_mut()),
        &["initialization", "step", "terminated", "error"],
    ),
    (
        "fmi2SetReal",
        |f| call2!(f, fmi2SetReal, ptr::null(), 0, ptr::null()),
        &["instantiated", "initialization", "step"],
    ),
    (
        "fmi2SetString",
        |f| call2!(f, fmi2SetString, ptr::null(), 0, ptr::null()),
        &["instantiated", "initialization", "step"],
    ),
    ("fmi2DoStep", |f| f.step(0.0, 0.01), &["step"]),
    (
        "fmi2GetRealStatus",
        |f| {
            let mut time = 0.0;
            call2!(f, fmi2GetRealStatus, 2, &raw mut time)
        },
        &["step", "terminated"],
    ),
    ("fmi2CancelStep", |f| call2!(f, fmi2CancelStep), &[]),
    ("fmi2SetTime", |f| call2!(f, fmi2SetTime, 0.0), &[]),
    (
        "fmi2GetDerivatives",
        |f| call2!(f, fmi2GetDerivatives, ptr::null_mut(), 0),
        &[],
    ),
    (
        "fmi2NewDiscreteStates",
        |f| call2!(f, fmi2NewDiscreteStates, ptr::null_mut()),
        &[],
    ),
    (
        "fmi2SetDebugLogging",
        |f| call2!(f, fmi2SetDebugLogging, 1, 0, ptr::null()),
        &MODES,
    ),
];

#[test]
fn fmi2_modes_are_enforced() {
    let world = World::new("modes2");
    for (name, probe, allowed) in PROBES2 {
        for mode in MODES {
            let fmu = fmu2_in(&world, mode);
            let expected = if allowed.contains(&mode) { OK } else { ERROR };
            assert_eq!(
                probe(&fmu),
                expected,
                "{name} in {mode}: {}",
                fmu.log.last()
            );
            if expected == ERROR {
                assert!(fmu.log.last().starts_with(name), "{name} in {mode}");
                let again = call2!(fmu, fmi2EnterInitializationMode);
                assert_eq!(again, ERROR, "an error ends the run: {name} in {mode}");
            }
        }
    }
}

const PROBES3: &[Probe3] = &[
    (
        "fmi3EnterInitializationMode",
        |f| call3!(f, fmi3EnterInitializationMode, false, 0.0, 0.0, false, 0.0),
        &["instantiated"],
    ),
    (
        "fmi3ExitInitializationMode",
        |f| call3!(f, fmi3ExitInitializationMode),
        &["initialization"],
    ),
    ("fmi3Terminate", |f| call3!(f, fmi3Terminate), &["step"]),
    ("fmi3Reset", |f| call3!(f, fmi3Reset), &MODES),
    (
        "fmi3GetFloat64",
        |f| call3!(f, fmi3GetFloat64, ptr::null(), 0, ptr::null_mut(), 0),
        &MODES,
    ),
    (
        "fmi3SetFloat64",
        |f| call3!(f, fmi3SetFloat64, ptr::null(), 0, ptr::null(), 0),
        &["instantiated", "initialization", "step"],
    ),
    ("fmi3DoStep", |f| f.step(0.0, 0.01).status, &["step"]),
    ("fmi3EnterEventMode", |f| call3!(f, fmi3EnterEventMode), &[]),
    ("fmi3EnterStepMode", |f| call3!(f, fmi3EnterStepMode), &[]),
    (
        "fmi3EnterConfigurationMode",
        |f| call3!(f, fmi3EnterConfigurationMode),
        &[],
    ),
    (
        "fmi3GetClock",
        |f| call3!(f, fmi3GetClock, ptr::null(), 0, ptr::null_mut()),
        &[],
    ),
    ("fmi3SetTime", |f| call3!(f, fmi3SetTime, 0.0), &[]),
    (
        "fmi3GetNumberOfContinuousStates",
        |f| call3!(f, fmi3GetNumberOfContinuousStates, ptr::null_mut()),
        &[],
    ),
    (
        "fmi3ActivateModelPartition",
        |f| call3!(f, fmi3ActivateModelPartition, 0, 0.0),
        &[],
    ),
];

#[test]
fn fmi3_modes_are_enforced() {
    let world = World::new("modes3");
    for (name, probe, allowed) in PROBES3 {
        for mode in MODES {
            let fmu = fmu3_in(&world, mode);
            let expected = if allowed.contains(&mode) { OK } else { ERROR };
            assert_eq!(
                probe(&fmu),
                expected,
                "{name} in {mode}: {}",
                fmu.log.last()
            );
            if expected == ERROR {
                assert!(fmu.log.last().starts_with(name), "{name} in {mode}");
            }
        }
    }
}

#[test]
fn statuses_that_do_not_exist_are_discarded_and_harm_nothing() {
    let world = World::new("statuses");
    let fmu = Fmu2::started(&world);
    let (mut status, mut integer, mut text) = (0, 0, ptr::null());
    let (mut real, mut boolean) = (0.0, 7);
    assert_eq!(call2!(fmu, fmi2GetStatus, 0, &raw mut status), DISCARD);
    assert_eq!(
        call2!(fmu, fmi2GetIntegerStatus, 0, &raw mut integer),
        DISCARD
    );
    assert_eq!(call2!(fmu, fmi2GetStringStatus, 1, &raw mut text), DISCARD);
    assert_eq!(call2!(fmu, fmi2GetRealStatus, 99, &raw mut real), DISCARD);
    assert_eq!(call2!(fmu, fmi2GetBooleanStatus, 3, &raw mut boolean), OK);
    assert_eq!(boolean, 0);
    assert_eq!(fmu.step(0.0, 0.01), OK);
    assert_eq!(call2!(fmu, fmi2GetRealStatus, 2, &raw mut real), OK);
    assert_eq!(real, 0.01);
}

#[test]
fn other_interfaces_are_declined_with_a_reason() {
    let world = World::new("interfaces");
    let events = How {
        events: true,
        ..How::of(&world)
    };
    let fmu = Fmu3::try_new(&world, &events);
    assert!(fmu.instance.is_null());
    assert!(
        fmu.log.last().contains("hasEventMode = false"),
        "{}",
        fmu.log.last()
    );

    let environment = ptr::from_ref(&*fmu.log).cast_mut().cast();
    let name = c"x".as_ptr();
    let f = fmu.functions;
    // SAFETY: texts and log outlive the call.
    let instance = unsafe {
        (f.fmi3InstantiateModelExchange)(name, name, name, false, true, environment, Some(logger))
    };
    assert!(instance.is_null());
    assert!(
        fmu.log.last().contains("Model Exchange"),
        "{}",
        fmu.log.last()
    );
    let none = ptr::null_mut();
    // SAFETY: texts and log outlive the call.
    let instance = unsafe {
        (f.fmi3InstantiateScheduledExecution)(
            name,
            name,
            name,
            false,
            true,
            environment,
            Some(logger),
            none,
            none,
            none,
        )
    };
    assert!(instance.is_null());
    assert!(
        fmu.log.last().contains("Scheduled Execution"),
        "{}",
        fmu.log.last()
    );
}

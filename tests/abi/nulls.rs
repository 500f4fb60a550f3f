//! Tests of null pointers wherever C can pass them.

use std::ffi::c_int;
use std::ptr;

use crate::client2::{Fmu2, Functions as Functions2, call2, uri};
use crate::client3::{Fmu3, Functions as Functions3, call3};
use crate::functions::function;
use crate::library::library;
use crate::world::{ERROR, OK, World, c};
use fixstep::instance::mode::{Fmi2, Fmi3};

/// An instance that is null: as many zeros as the longest function has arguments.
type Nothing =
    unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> c_int;

#[test]
fn a_null_instance_is_an_error_in_every_function() {
    let with_instance = |name: &&str| {
        !name.contains("GetVersion")
            && !name.contains("GetTypesPlatform")
            && !name.contains("Instantiate")
            && !name.contains("FreeInstance")
    };
    let names2 = Fmi2::ALL.iter().map(|f| f.rule().function);
    let names3 = Fmi3::ALL.iter().map(|f| f.rule().function);
    let mut tried = 0;
    for name in names2.chain(names3).filter(with_instance) {
        let nothing: Nothing = function(library(), name);
        // SAFETY: the instance is null and nothing behind it is looked at; on the platforms that
        // the tests run on, surplus integer arguments are ignored.
        let status = unsafe { nothing(0, 0, 0, 0, 0, 0, 0, 0) };
        assert_eq!(status, ERROR, "{name}");
        tried += 1;
    }
    assert_eq!(tried, 40 + 70);
}

#[test]
fn freeing_null_is_nothing() {
    let (two, three) = (Functions2::of(library()), Functions3::of(library()));
    // SAFETY: null may be freed.
    unsafe { (two.fmi2FreeInstance)(ptr::null_mut()) };
    // SAFETY: null may be freed.
    unsafe { (three.fmi3FreeInstance)(ptr::null_mut()) };
}

/// Name of the argument that is null, and the call.
type Call = (&'static str, fn(&Fmu2<'_>, *const u32) -> c_int);

#[test]
fn null_arrays_are_named_when_something_is_asked_for() {
    let world = World::new("arrays");
    let reference = 0_u32;
    let vr = &raw const reference;
    let calls: [Call; 12] = [
        ("vr", |f, _| {
            call2!(f, fmi2GetReal, ptr::null(), 1, ptr::null_mut())
        }),
        ("value", |f, vr| {
            call2!(f, fmi2GetReal, vr, 1, ptr::null_mut())
        }),
        ("value", |f, vr| {
            call2!(f, fmi2GetInteger, vr, 1, ptr::null_mut())
        }),
        ("value", |f, vr| {
            call2!(f, fmi2GetBoolean, vr, 1, ptr::null_mut())
        }),
        ("value", |f, vr| {
            call2!(f, fmi2GetString, vr, 1, ptr::null_mut())
        }),
        ("value", |f, vr| call2!(f, fmi2SetReal, vr, 1, ptr::null())),
        ("value", |f, vr| {
            call2!(f, fmi2SetInteger, vr, 1, ptr::null())
        }),
        ("value", |f, vr| {
            call2!(f, fmi2SetBoolean, vr, 1, ptr::null())
        }),
        ("value", |f, vr| {
            call2!(f, fmi2SetString, vr, 1, ptr::null())
        }),
        ("categories", |f, _| {
            call2!(f, fmi2SetDebugLogging, 1, 1, ptr::null())
        }),
        ("value", |f, _| {
            call2!(f, fmi2GetRealStatus, 2, ptr::null_mut())
        }),
        ("FMUstate", |f, _| {
            call2!(f, fmi2GetFMUstate, ptr::null_mut())
        }),
    ];
    for (name, call) in calls {
        let fmu = Fmu2::started(&world);
        assert_eq!(call(&fmu, vr), ERROR);
        let text = fmu.log.last();
        assert!(
            text.ends_with(&format!("argument {name} is NULL")),
            "{text}"
        );
    }
}

#[test]
fn a_null_text_inside_an_array_is_named() {
    let world = World::new("texts");
    let fmu = Fmu2::new(&world);
    let (reference, text) = (world.reference("solver.pattern"), ptr::null());
    let status = call2!(fmu, fmi2SetString, &raw const reference, 1, &raw const text);
    assert_eq!(status, ERROR);
    assert!(fmu.log.last().contains("argument value is NULL"));
}

#[test]
fn fmi3_results_of_a_step_need_their_places() {
    let world = World::new("places");
    for missing in 0..4 {
        let fmu = Fmu3::started(&world);
        let (mut events, mut terminate, mut early, mut last) = (false, false, false, 0.0);
        let or_null = |at: i32, pointer: *mut bool| {
            if at == missing {
                ptr::null_mut()
            } else {
                pointer
            }
        };
        let last = if missing == 3 {
            ptr::null_mut()
        } else {
            &raw mut last
        };
        let status = call3!(
            fmu,
            fmi3DoStep,
            0.0,
            0.01,
            true,
            or_null(0, &raw mut events),
            or_null(1, &raw mut terminate),
            or_null(2, &raw mut early),
            last,
        );
        assert_eq!(status, ERROR);
        assert!(fmu.log.last().contains("is NULL"), "{}", fmu.log.last());
        assert_eq!(fmu.real("time"), 0.0, "nothing was stepped");
    }
}

#[test]
fn missing_callbacks_and_names() {
    let world = World::new("callbacks");
    let two = Functions2::of(library());
    let (name, token, location) = (c("x"), c(&world.token), uri(&world));
    let (name, token, location) = (name.as_ptr(), token.as_ptr(), location.as_ptr());
    // SAFETY: texts outlive the call.
    let silent = unsafe { (two.fmi2Instantiate)(name, 1, token, location, ptr::null(), 0, 1) };
    assert!(!silent.is_null());
    // SAFETY: the instance is alive; the refused call has a message that nobody hears.
    assert_eq!(unsafe { (two.fmi2DoStep)(silent, 0.0, 0.01, 1) }, ERROR);
    // SAFETY: the instance is alive.
    assert_eq!(unsafe { (two.fmi2Reset)(silent) }, OK);
    // SAFETY: the instance is alive and not used again.
    unsafe { (two.fmi2FreeInstance)(silent) };
    for (name, token) in [(ptr::null(), token), (name, ptr::null())] {
        // SAFETY: texts outlive the call.
        let refused = unsafe { (two.fmi2Instantiate)(name, 1, token, location, ptr::null(), 0, 1) };
        assert!(refused.is_null());
    }
    // SAFETY: texts outlive the call.
    let model_exchange =
        unsafe { (two.fmi2Instantiate)(name, 0, token, location, ptr::null(), 0, 1) };
    assert!(model_exchange.is_null());
}

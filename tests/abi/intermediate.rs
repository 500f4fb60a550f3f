//! Tests of the callback between integration steps: what it may read and do, and how it ends a step early.

use std::cell::RefCell;
use std::ptr;

use crate::client3::{End, Fmu3, Functions, How, I, call3};
use crate::library::library;
use crate::variable::choose3;
use crate::world::{ERROR, OK, World};

/// What the callback is told.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told {
    time: f64,
    set: bool,
    get: bool,
    finished: bool,
    can_return: bool,
}

type Action = Box<dyn FnMut(&Told) -> Option<f64>>;

thread_local! {
    static TOLD: RefCell<Vec<Told>> = const { RefCell::new(Vec::new()) };
    static ACTION: RefCell<Option<Action>> = const { RefCell::new(None) };
}

extern "C" fn update(
    _environment: I,
    time: f64,
    set: bool,
    get: bool,
    finished: bool,
    can_return: bool,
    early: *mut bool,
    at: *mut f64,
) {
    let told = Told {
        time,
        set,
        get,
        finished,
        can_return,
    };
    TOLD.with_borrow_mut(|all| all.push(told));
    let answer = ACTION.with_borrow_mut(|action| action.as_mut().and_then(|act| act(&told)));
    if let Some(until) = answer {
        // SAFETY: the FMU passes places of its own.
        unsafe { early.write(true) };
        // SAFETY: likewise.
        unsafe { at.write(until) };
    }
}

fn told() -> Vec<Told> {
    TOLD.take()
}

fn act(action: impl FnMut(&Told) -> Option<f64> + 'static) {
    ACTION.set(Some(Box::new(action)));
}

fn fmu(world: &World, early: bool) -> Fmu3<'_> {
    let how = How {
        update: Some(update),
        early,
        ..How::of(world)
    };
    let fmu = Fmu3::try_new(world, &how);
    assert!(!fmu.instance.is_null(), "{}", fmu.log.last());
    fmu.start();
    fmu
}

fn ends_at(end: End, time: f64, early: bool) {
    assert_eq!((end.status, end.terminate), (OK, false));
    assert_eq!(end.early, early);
    assert!((end.last - time).abs() < 1e-12, "{} {time}", end.last);
}

#[test]
fn every_integration_step_is_told_and_outputs_are_those_of_its_end() {
    let world = World::new("updates");
    let (fmu, plain) = (fmu(&world, false), Fmu3::started(&world));
    let functions = Functions::of(library());
    let (instance, angle) = (fmu.instance.addr(), world.reference("angle"));
    let seen = std::rc::Rc::new(RefCell::new(Vec::new()));
    let values = std::rc::Rc::clone(&seen);
    act(move |_| {
        let (mut value, instance) = (f64::NAN, ptr::with_exposed_provenance_mut(instance));
        // SAFETY: the instance lives while its step does.
        let status =
            unsafe { (functions.fmi3GetFloat64)(instance, &raw const angle, 1, &raw mut value, 1) };
        assert_eq!(status, OK);
        values.borrow_mut().push(value.to_bits());
        None
    });
    let _ = fmu.instance.expose_provenance();
    ends_at(fmu.step(0.0, 0.03), 0.03, false);
    let all = told();
    assert_eq!(all.len(), 3);
    for (k, told) in all.iter().enumerate() {
        let time = 0.01 * (k + 1) as f64;
        assert!((told.time - time).abs() < 1e-15);
        assert!(told.get && told.finished && !told.can_return);
        assert_eq!(
            told.set,
            k < 2,
            "inputs may be set while there is something to come"
        );
        assert_eq!(plain.step(0.01 * k as f64, 0.01).status, OK);
        assert_eq!(plain.real("angle").to_bits(), seen.borrow()[k]);
    }
}

#[test]
fn inputs_that_are_set_in_between_act_from_there_on() {
    let world = World::new("inputs between");
    let (fmu, plain) = (fmu(&world, false), Fmu3::started(&world));
    let functions = Functions::of(library());
    let (instance, torque) = (fmu.instance.expose_provenance(), world.reference("torque"));
    act(move |told| {
        let value = 1000.0 * told.time;
        let instance = ptr::with_exposed_provenance_mut(instance);
        if told.set {
            // SAFETY: as above.
            let status = unsafe {
                (functions.fmi3SetFloat64)(instance, &raw const torque, 1, &raw const value, 1)
            };
            assert_eq!(status, OK);
        }
        None
    });
    assert_eq!(fmu.set_real("torque", 5.0), OK);
    ends_at(fmu.step(0.0, 0.04), 0.04, false);
    for (k, torque) in [5.0, 10.0, 20.0, 30.0].into_iter().enumerate() {
        assert_eq!(plain.set_real("torque", torque), OK);
        assert_eq!(plain.step(0.01 * k as f64, 0.01).status, OK);
    }
    assert_eq!(fmu.real("angle"), plain.real("angle"));
    assert_eq!(fmu.real("torque"), 30.0);
}

#[test]
fn a_step_returns_early_when_it_may_and_goes_on_from_there() {
    let world = World::new("early");
    for (asked, ends) in [
        (0.02, 0.02),
        (0.0, 0.02),
        (0.035, 0.04),
        (0.1, 0.05),
        (f64::NAN, 0.02),
    ] {
        let own = fmu(&world, true);
        act(move |told| (told.time > 0.015).then_some(asked));
        let end = own.step(0.0, 0.05);
        ends_at(end, ends, ends < 0.05);
        assert!(told()[0].can_return);
        assert!((own.real("time") - ends).abs() < 1e-15);
        act(|_| None);
        ends_at(own.step(end.last, 0.01), ends + 0.01, false);
        told();
        let plain = Fmu3::started(&world);
        let steps = (ends * 100.0).round() as u32 + 1;
        for k in 0..steps {
            assert_eq!(plain.step(0.01 * f64::from(k), 0.01).status, OK);
        }
        assert_eq!(own.real("angle").to_bits(), plain.real("angle").to_bits());
    }
}

/// With a variable step the callback is told every step of the integration, and the run is the same as without it.
#[test]
fn steps_of_a_variable_step_are_told() {
    let world = World::new("variable updates");
    let how = How {
        update: Some(update),
        early: true,
        ..How::of(&world)
    };
    let (own, plain) = (Fmu3::try_new(&world, &how), Fmu3::new(&world));
    for fmu in [&own, &plain] {
        choose3(fmu);
        fmu.start();
    }
    act(|_| None);
    ends_at(own.step(0.0, 0.5), 0.5, false);
    let all = told();
    assert!(all.len() > 10, "{all:?}");
    assert!(all.iter().zip(&all[1..]).all(|(a, b)| a.time < b.time));
    let last = all.last().unwrap();
    assert_eq!((last.time, last.set, last.can_return), (0.5, false, false));
    assert!(
        all[..all.len() - 1]
            .iter()
            .all(|told| told.set && told.can_return)
    );
    assert_eq!(plain.step(0.0, 0.5).status, OK);
    assert_eq!(own.real("angle").to_bits(), plain.real("angle").to_bits());
    // An early return ends at a step, from where the run goes on.
    act(|told| (told.time > 0.6).then_some(0.0));
    let end = own.step(0.5, 0.5);
    assert!(
        end.early && end.last > 0.6 && end.last < 1.0,
        "{}",
        end.last
    );
    act(|_| None);
    ends_at(own.step(end.last, 1.0 - end.last), 1.0, false);
    told();
    assert_eq!(plain.step(0.5, 0.5).status, OK);
    assert!((own.real("angle") - plain.real("angle")).abs() < 1e-4);
}

#[test]
fn who_has_not_asked_for_early_returns_gets_none() {
    let world = World::new("not early");
    let fmu = fmu(&world, false);
    act(|told| Some(told.time));
    ends_at(fmu.step(0.0, 0.05), 0.05, false);
    assert_eq!(told().len(), 5);
}

/// Makes a call that a callback must not make.
unsafe fn forbidden(functions: &Functions, instance: I, what: &str, friction: u32) -> i32 {
    let (mut flags, mut last, mut state) = ([false; 3], 0.0, ptr::null_mut());
    let [a, b, c] = &mut flags;
    let value = 1.0;
    match what {
        // SAFETY: all places outlive the call, here and below.
        "step" => unsafe {
            (functions.fmi3DoStep)(instance, 0.01, 0.01, true, a, b, c, &raw mut last)
        },
        // SAFETY: as the caller says.
        "reset" => unsafe { (functions.fmi3Reset)(instance) },
        // SAFETY: as above.
        "state" => unsafe { (functions.fmi3GetFMUState)(instance, &raw mut state) },
        // SAFETY: as above.
        "parameter" => unsafe {
            (functions.fmi3SetFloat64)(instance, &raw const friction, 1, &raw const value, 1)
        },
        _ => {
            // SAFETY: as above; a step waits, so that nothing is freed.
            unsafe { (functions.fmi3FreeInstance)(instance) };
            ERROR
        }
    }
}

#[test]
fn what_may_not_be_done_in_between_ends_the_step_and_nothing_else() {
    let world = World::new("in between");
    for what in ["step", "reset", "state", "parameter", "free"] {
        let fmu = fmu(&world, true);
        let functions = Functions::of(library());
        let instance = fmu.instance.expose_provenance();
        let friction = world.reference("friction");
        act(move |_| {
            let instance = ptr::with_exposed_provenance_mut(instance);
            // SAFETY: the instance lives while its step does.
            let status = unsafe { forbidden(&functions, instance, what, friction) };
            assert_eq!(status, ERROR, "{what}");
            None
        });
        let end = fmu.step(0.0, 0.03);
        if what == "free" {
            ends_at(end, 0.03, false);
            continue;
        }
        assert_eq!(end.status, ERROR, "{what}");
        let text = fmu.log.last();
        assert!(
            text.contains("a call of the intermediate update was refused"),
            "{text}"
        );
        act(|_| None);
        assert_eq!(call3!(fmu, fmi3Reset), OK);
        fmu.start();
        ends_at(fmu.step(0.0, 0.03), 0.03, false);
    }
}

#[test]
fn intermediate_variables_must_be_known() {
    let world = World::new("required");
    let mut how = How {
        update: Some(update),
        intermediate: vec![world.reference("angle"), world.reference("torque")],
        ..How::of(&world)
    };
    assert!(!Fmu3::try_new(&world, &how).instance.is_null());
    how.intermediate.push(9999);
    let refused = Fmu3::try_new(&world, &how);
    assert!(refused.instance.is_null());
    assert!(
        refused
            .log
            .last()
            .contains("value reference 9999 is unknown")
    );
}

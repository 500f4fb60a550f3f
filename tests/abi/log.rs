//! Tests of log messages: which ones the importer gets, and when.

use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, How, call3};
use crate::world::{ERROR, OK, World};

#[test]
fn the_report_of_real_time_comes_at_the_end() {
    let world = World::new("report");
    let fmu = Fmu2::started(&world);
    for k in 0..50 {
        assert_eq!(fmu.step(f64::from(k) * 0.01, 0.01), OK);
    }
    assert_eq!(call2!(fmu, fmi2Terminate), OK);
    let message = fmu.log.all().pop().unwrap();
    assert_eq!(
        (message.status, message.category.as_str()),
        (OK, "logRealTime")
    );
    let lines: Vec<&str> = message.text.lines().collect();
    assert_eq!(lines[1], "Real Time Index (RTI) statistics");
    assert_eq!(lines[3], "Integrator name : Fixed Step GSTIFF/I3");
    assert_eq!(lines[7], "Requested frequency : 100.00 Hz");
    assert!(
        lines[8].starts_with("Minimum RTI index : 0."),
        "{}",
        lines[8]
    );
    assert!(message.text.contains("Deadline misses : "));
    assert!(!message.text.ends_with('\n'));
}

#[test]
fn logging_off_leaves_errors_on() {
    let world = World::new("quiet");
    let how = How {
        logging: false,
        ..How::of(&world)
    };
    let fmu = Fmu3::try_new(&world, &how);
    fmu.start();
    assert_eq!(fmu.step(0.0, 0.01).status, OK);
    assert_eq!(call3!(fmu, fmi3Terminate), OK);
    assert_eq!(fmu.log.len(), 0);
    assert_eq!(fmu.step(0.0, 0.01).status, ERROR);
    let message = fmu.log.all().pop().unwrap();
    assert_eq!(
        (message.status, message.category.as_str()),
        (ERROR, "logStatusError")
    );
    assert_eq!(call3!(fmu, fmi3SetDebugLogging, true, 0, ptr::null()), OK);
    assert_eq!(call3!(fmu, fmi3Reset), OK);
    fmu.start();
    assert_eq!(fmu.step(0.0, 0.01).status, OK);
    assert_eq!(call3!(fmu, fmi3Terminate), OK);
    assert_eq!(fmu.log.all().pop().unwrap().category, "logRealTime");
}

#[test]
fn categories_are_switched_by_name() {
    let world = World::new("categories");
    let fmu = Fmu2::started(&world);
    let real_time = c"logRealTime".as_ptr();
    assert_eq!(
        call2!(fmu, fmi2SetDebugLogging, 1, 1, &raw const real_time),
        OK
    );
    let before = fmu.log.len();
    assert_eq!(fmu.step(0.0, 0.01), OK);
    assert_eq!(fmu.step(0.01, 0.005), OK);
    assert_eq!(fmu.real("time"), 0.015);
    assert_eq!(fmu.log.len(), before, "a changed step is an event");
    assert_eq!(call2!(fmu, fmi2Terminate), OK);
    assert_eq!(fmu.log.len(), before + 1);
    let unknown = c"logNonsense".as_ptr();
    assert_eq!(
        call2!(fmu, fmi2SetDebugLogging, 1, 1, &raw const unknown),
        ERROR
    );
    assert!(fmu.log.last().contains("\"logNonsense\" is unknown"));
    assert!(fmu.log.last().contains("logStatusWarning, "));
}

#[test]
fn a_step_delivers_nothing_and_the_next_call_does() {
    let world = World::new("later");
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.step(0.0, 0.01), OK);
    let before = fmu.log.len();
    assert_eq!(fmu.step(0.01, 0.005), OK);
    assert_eq!(fmu.log.len(), before);
    assert_eq!(
        call2!(fmu, fmi2GetReal, ptr::null(), 0, ptr::null_mut()),
        OK
    );
    assert!(
        fmu.log
            .last()
            .contains("integration step changed from 0.01 s to 0.005 s")
    );
}

#[test]
fn nothing_is_left_for_printf_to_fill_in() {
    let world = World::new("100% #7");
    let fmu = Fmu2::try_new(&world, "{%s}", Some(&crate::client2::uri(&world)));
    assert!(fmu.component.is_null());
    assert!(fmu.log.last().contains("\"{%%s}\""), "{}", fmu.log.last());
}

#[test]
fn every_category_is_one_of_the_description() {
    let world = World::new("names");
    let fmu = Fmu2::started(&world);
    fmu.step(0.0, 0.01);
    call2!(fmu, fmi2Terminate);
    fmu.step(0.0, 0.01);
    for message in fmu.log.all() {
        let known = fixstep_variables::LOG_CATEGORIES.iter();
        assert!(known.into_iter().any(|(name, _)| *name == message.category));
    }
}

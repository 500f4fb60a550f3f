//! What happens at the border when things go wrong.
#![expect(clippy::panic, reason = "panics are what is tested")]

use super::*;
use crate::instance::mode::Fmi2;
use crate::instance::testing;
use std::ptr;

const RULE: Rule = Fmi2::GetReal.rule();
const FREE_RULE: Rule = Fmi2::SetDebugLogging.rule();

fn pointer() -> (*mut c_void, testing::Lines) {
    let (instance, lines) = testing::instance();
    let pointer = create(|| {
        Some(Made {
            instance,
            early_return: false,
            update: None,
        })
    });
    (pointer, lines)
}

#[test]
fn null_is_an_error_and_free_ignores_it() {
    let status = call(ptr::null_mut(), RULE, |_, _| Ok(Status::Ok));
    assert_eq!(status, Status::Error);
    destroy(ptr::null_mut());
}

#[test]
fn a_panic_loses_the_instance_and_nothing_else() {
    let (pointer, lines) = pointer();
    let status = call(pointer, FREE_RULE, |_, _| panic!("on purpose {}", 1));
    assert_eq!(status, Status::Fatal);
    let last = lines.borrow().last().cloned().unwrap_or_default();
    assert_eq!(
        last,
        "Fatal logStatusFatal fmi2SetDebugLogging: internal error, the instance is lost: on purpose 1"
    );
    let before = lines.borrow().len();
    let status = call(pointer, FREE_RULE, |_, _| Ok(Status::Ok));
    assert_eq!(status, Status::Fatal);
    assert_eq!(lines.borrow().len(), before, "silent from then on");
    destroy(pointer);
}

#[test]
fn a_panic_on_the_way_in_yields_null() {
    assert!(create(|| panic!("on purpose")).is_null());
    assert!(create(|| None).is_null());
}

#[test]
fn whoever_comes_while_somebody_is_inside_is_turned_away() {
    let (pointer, _lines) = pointer();
    let mut inner_status = Status::Ok;
    let outer = call(pointer, FREE_RULE, |_, _| {
        inner_status = call(pointer, FREE_RULE, |_, _| Ok(Status::Ok));
        destroy(pointer);
        Ok(Status::Ok)
    });
    assert_eq!((outer, inner_status), (Status::Ok, Status::Error));
    let after = call(pointer, FREE_RULE, |_, _| Ok(Status::Ok));
    assert_eq!(after, Status::Ok, "the instance is still there");
    destroy(pointer);
}

#[test]
fn a_call_in_the_wrong_mode_is_logged_and_ends_the_run() {
    let (pointer, lines) = pointer();
    assert_eq!(call(pointer, RULE, |_, _| Ok(Status::Ok)), Status::Error);
    let last = lines.borrow().last().cloned().unwrap_or_default();
    assert!(
        last.contains("fmi2GetReal is not allowed in the state \"Instantiated\""),
        "{last}"
    );
    let status = call(pointer, Fmi2::DoStep.rule(), |_, _| Ok(Status::Ok));
    assert_eq!(status, Status::Error);
    destroy(pointer);
}

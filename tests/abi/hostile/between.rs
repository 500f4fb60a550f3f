//! A callback of intermediate updates that calls functions of the FMU.

use std::cell::RefCell;
use std::ptr;

use super::chance::Chance;
use crate::client3::{Functions, I};
use crate::world::OK;

/// What the callback has at hand.
pub(super) struct Between {
    pub(super) functions: Functions,
    pub(super) instance: I,
    pub(super) chance: Chance,
    pub(super) calm: bool,
    pub(super) references: [u32; 2],
}

thread_local! {
    pub(super) static BETWEEN: RefCell<Option<Between>> = const { RefCell::new(None) };
}

/// Calls back: what it may, or anything.
pub(super) extern "C" fn update(
    _environment: I,
    time: f64,
    set: bool,
    get: bool,
    _finished: bool,
    can_return: bool,
    early: *mut bool,
    at: *mut f64,
) {
    assert!(get && time.is_finite());
    let Some(mut own) = BETWEEN.take() else {
        return;
    };
    own.chance.calm = own.calm;
    let (f, i, mut value, mut state) = (own.functions, own.instance, 1.0, ptr::null_mut());
    let [angle, torque] = own.references.each_ref().map(ptr::from_ref);
    let (mut a, mut b, mut c) = (false, false, false);
    let drawn = own.chance.below(if own.calm { 3 } else { 9 });
    // SAFETY, of all calls: the instance lives while its step does; all places outlive the calls.
    let status = match drawn {
        // SAFETY: see above.
        0 => unsafe { (f.fmi3GetFloat64)(i, angle, 1, &raw mut value, 1) },
        // SAFETY: see above.
        1 if set => unsafe { (f.fmi3SetFloat64)(i, torque, 1, &raw const value, 1) },
        // SAFETY: see above.
        3 => unsafe {
            (f.fmi3DoStep)(
                i,
                time,
                0.01,
                true,
                &raw mut a,
                &raw mut b,
                &raw mut c,
                &raw mut value,
            )
        },
        // SAFETY: see above.
        4 => unsafe { (f.fmi3Reset)(i) },
        // SAFETY: see above.
        5 => unsafe { (f.fmi3GetFMUState)(i, &raw mut state) },
        // SAFETY: see above.
        6 => unsafe { (f.fmi3SetFMUState)(i, state) },
        7 => {
            // SAFETY: see above; a step waits, so that nothing is freed.
            unsafe { (f.fmi3FreeInstance)(i) };
            OK
        }
        // SAFETY: see above.
        8 => unsafe { (f.fmi3Terminate)(i) },
        _ => OK,
    };
    assert!((0..=3).contains(&status));
    if can_return && own.chance.one_in(20) {
        // SAFETY: the FMU passes places of its own.
        unsafe { early.write(true) };
        // SAFETY: likewise.
        unsafe { at.write(own.chance.pick(&[time, time + 0.02, f64::NAN, -1.0])) };
    }
    BETWEEN.set(Some(own));
}

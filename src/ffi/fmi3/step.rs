//! Data plane: `fmi3DoStep`, and the importer's callback between integration steps.
//!
//! ```text
//!     call: mode check, begin ─► integrate ─► end? ─► results
//!                                  ▲    │ no, and a callback is given
//!          take back, early return?│    ▼
//!                                  └─ outside: callback ─► Get*, Set* of inputs enter as usual
//! ```
//!
//! While the callback runs, no call is active in the instance, so the callback may call it. The instance is then in
//! Intermediate Update Mode and cannot be freed. Without a callback a step is one call.
#![expect(non_snake_case, reason = "names of the standard")]

use std::ffi::c_void;

use super::types::{Boolean, IntermediateUpdate};
use crate::ffi::guard::{self, Inner};
use crate::ffi::pointers::{self, Out};
use crate::instance::StepEnd;
use crate::instance::mode::Fmi3;
use crate::instance::status::{Refusal, Status};
use crate::instance::timeline::POINT_TOLERANCE;

/// The importer's callback.
#[derive(Clone, Copy)]
pub(in crate::ffi) struct Update {
    /// The function.
    pub(super) callback: IntermediateUpdate,
    /// The importer's pointer, passed to the callback.
    pub(super) environment: *mut c_void,
}

/// The arguments of the callback.
#[derive(Clone, Copy)]
struct Question {
    update: Update,
    /// Time of the simulation \[s\].
    time: f64,
    /// How much before the requested time a step may end \[s\].
    tolerance: f64,
    /// May it ask for an early return?
    can_return: bool,
    /// How the step has ended, if it has.
    end: Option<StepEnd>,
}

impl Question {
    /// The time at which the importer wants the step to end \[s\], if any.
    fn ask(&self) -> Option<f64> {
        let (mut early, mut at): (Boolean, f64) = (0, self.time);
        let flag = Boolean::from;
        // SAFETY: the importer's own function and environment; both places live during the call.
        unsafe {
            (self.update.callback)(
                self.update.environment,
                self.time,
                flag(self.end.is_none()),
                1,
                1,
                flag(self.can_return),
                &raw mut early,
                &raw mut at,
            );
        }
        // NaN is no time to wait for.
        (self.can_return && early != 0).then(|| if at.is_nan() { self.time } else { at })
    }
}

/// Where the results of a step go.
struct Results<'a> {
    events: Out<'a, Boolean>,
    terminate: Out<'a, Boolean>,
    early: Out<'a, Boolean>,
    last: Out<'a, f64>,
}

impl Results<'_> {
    fn put(&mut self, end: &StepEnd, early_return: bool) {
        self.events.put(0, 0);
        self.terminate.put(0, Boolean::from(end.stopped));
        let early = end.early || end.stopped && early_return;
        self.early.put(0, Boolean::from(early));
        self.last.put(0, end.time);
    }
}

/// `fmi3DoStep` as the standard defines it.
///
/// # Safety
/// Pointers must be what the standard says, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DoStep(
    instance: *mut c_void,
    currentCommunicationPoint: f64,
    communicationStepSize: f64,
    _noSetFMUStatePriorToCurrentPoint: Boolean,
    eventHandlingNeeded: *mut Boolean,
    terminateSimulation: *mut Boolean,
    earlyReturn: *mut Boolean,
    lastSuccessfulTime: *mut f64,
) -> Status {
    let (mut results, mut question) = (None, None);
    let rule = Fmi3::DoStep.rule();
    let mut status = guard::call(instance, rule, |inner, rule| {
        let results = results.insert(Results {
            events: pointers::place(rule, "eventHandlingNeeded", eventHandlingNeeded)?,
            terminate: pointers::place(rule, "terminateSimulation", terminateSimulation)?,
            early: pointers::place(rule, "earlyReturn", earlyReturn)?,
            last: pointers::place(rule, "lastSuccessfulTime", lastSuccessfulTime)?,
        });
        let own = &mut inner.instance;
        own.begin_step(currentCommunicationPoint, communicationStepSize)?;
        if inner.update.is_some() {
            inner.instance.report_steps();
        }
        question = proceed(inner, results, None);
        Ok(Status::Ok)
    });
    let Some(mut results) = results else {
        return status;
    };
    let mut until = None;
    while let Some(asked) = question.take() {
        let answer = guard::outside(instance, || asked.ask());
        until = answer.flatten().or(until);
        status = guard::resume(instance, rule, |inner, _| {
            question = take_up(inner, &mut results, (&asked, until))?;
            Ok(Status::Ok)
        });
    }
    status
}

/// Integrates until the step ends or the callback is due. `until` is the time of a requested early return; once it is
/// set, the callback cannot request another one.
fn proceed(inner: &mut Inner, results: &mut Results<'_>, until: Option<f64>) -> Option<Question> {
    loop {
        let end = inner.instance.integrate();
        if let Some(end) = &end {
            results.put(end, inner.early_return);
            if end.stopped {
                return None;
            }
        }
        if let Some(update) = inner.update {
            let instance = &mut inner.instance;
            instance.pause();
            return Some(Question {
                update,
                time: instance.time(),
                tolerance: POINT_TOLERANCE * instance.step_size(),
                can_return: inner.early_return && end.is_none() && until.is_none(),
                end,
            });
        }
        if end.is_some() {
            return None;
        }
    }
}

/// Goes on after the callback.
fn take_up(
    inner: &mut Inner,
    results: &mut Results<'_>,
    (asked, until): (&Question, Option<f64>),
) -> Result<Option<Question>, Refusal> {
    inner.instance.take_back()?;
    if asked.end.is_some() {
        return Ok(None);
    }
    if until.is_some_and(|until| asked.time >= until - asked.tolerance) {
        let end = inner.instance.return_early();
        results.put(&end, inner.early_return);
        return Ok(None);
    }
    Ok(proceed(inner, results, until))
}

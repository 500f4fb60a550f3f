//! Control plane: entering an instance through its C handle, and leaving it again.
//!
//! A handle is the address of a [`Handle`]. Entering refuses null, an instance that is already in use (a callback
//! that calls back, a second thread), and an instance that has panicked. No panic crosses the border: it is caught
//! and logged once, and from then on the instance accepts only `FreeInstance`.

use std::any::Any;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::fmi3::step::Update;
use super::heap::Pages;
use crate::instance::Instance;
use crate::instance::log::{Category, LogSink};
use crate::instance::mode::Rule;
use crate::instance::status::{CallResult, Status};

/// The instance behind a handle.
pub(super) struct Inner {
    /// The instance.
    pub(super) instance: Instance,
    /// FMI 3: may a step end early?
    pub(super) early_return: bool,
    /// FMI 3: the importer's callback between integration steps.
    pub(super) update: Option<Update>,
}

/// The same, before it has its place.
pub(super) struct Made {
    /// The instance.
    pub(super) instance: Box<Instance>,
    /// FMI 3: may a step end early?
    pub(super) early_return: bool,
    /// FMI 3: the importer's callback between integration steps.
    pub(super) update: Option<Update>,
}

struct Handle {
    /// A call is active in the instance.
    busy: AtomicBool,
    /// A step waits for the importer's callback to return.
    waiting: AtomicBool,
    /// A panic has left the instance in an unknown state.
    lost: AtomicBool,
    inner: UnsafeCell<Inner>,
}

/// Leaves a handle however the call ends.
struct Inside<'a>(&'a Handle);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Release);
    }
}

impl Handle {
    fn enter(&self) -> Option<Inside<'_>> {
        let taken = self.busy.swap(true, Ordering::Acquire);
        (!taken).then(|| Inside(self))
    }
}

/// Makes an instance reachable from C; a panic during this yields null.
pub(super) fn create(make: impl FnOnce() -> Option<Made>) -> *mut c_void {
    match catch_unwind(AssertUnwindSafe(make)) {
        Ok(Some(made)) => placed(made),
        _ => ptr::null_mut(),
    }
}

/// The handle of an instance. Never inlined, since moving an instance takes stack.
#[inline(never)]
fn placed(made: Made) -> *mut c_void {
    let handle = || {
        Box::new(Handle {
            busy: AtomicBool::new(false),
            waiting: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            inner: UnsafeCell::new(Inner {
                instance: *made.instance,
                early_return: made.early_return,
                update: made.update,
            }),
        })
    };
    // In separate pages, since these may be locked later: a handle never moves.
    let handle = match Pages::new(size_of::<Handle>()) {
        Some(pages) => pages.hold(handle).0,
        None => handle(),
    };
    Box::into_raw(handle).cast()
}

/// Refuses an instance: null, and a message that says why.
pub(super) fn decline(rule: Rule, sink: &dyn LogSink) -> *mut c_void {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let text = format!("{} is not available: {}", rule.function, rule.never);
        sink.write(Status::Error, Category::Error.name(), &text);
    }));
    ptr::null_mut()
}

/// Ends an instance. Null is ignored, and so is an instance in which a call is active or a step waits.
pub(super) fn destroy(pointer: *mut c_void) {
    let Some(handle) = handle_of(pointer) else {
        return;
    };
    let Some(inside) = handle.enter() else {
        return;
    };
    if handle.waiting.load(Ordering::Acquire) {
        return;
    }
    // The box is freed with the handle: no call is left that could leave it.
    std::mem::drop(inside);
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `pointer` came from `create`, and the importer frees an instance once.
        let handle = unsafe { Box::from_raw(pointer.cast::<Handle>()) };
        drop(handle);
    }));
}

/// Runs a C function on an instance: mode check, body, log.
pub(super) fn call(
    pointer: *mut c_void,
    rule: Rule,
    body: impl FnOnce(&mut Inner, Rule) -> CallResult,
) -> Status {
    let mut body = Some(body);
    call_once(pointer, rule, &mut |inner, rule| {
        inner.instance.begin(rule)?;
        match body.take() {
            Some(body) => body(inner, rule),
            None => Ok(Status::Ok),
        }
    })
}

/// Continues a C function that was left for the importer's callback, without a mode check.
pub(super) fn resume(
    pointer: *mut c_void,
    rule: Rule,
    mut body: impl FnMut(&mut Inner, Rule) -> CallResult,
) -> Status {
    call_once(pointer, rule, &mut body)
}

/// Runs the importer's callback while a C function waits: no call is active, and the instance cannot be freed.
pub(super) fn outside<T>(pointer: *mut c_void, callback: impl FnOnce() -> T) -> Option<T> {
    let handle = handle_of(pointer)?;
    handle.waiting.store(true, Ordering::Release);
    let answer = callback();
    handle.waiting.store(false, Ordering::Release);
    Some(answer)
}

/// The part of [`call`] that is the same for all functions: a hundred copies of it would make up most of the library.
/// The body is called once.
#[inline(never)]
fn call_once(
    pointer: *mut c_void,
    rule: Rule,
    body: &mut dyn FnMut(&mut Inner, Rule) -> CallResult,
) -> Status {
    let Some(handle) = handle_of(pointer) else {
        return Status::Error;
    };
    let Some(_inside) = handle.enter() else {
        return Status::Error;
    };
    if handle.lost.load(Ordering::Relaxed) {
        return Status::Fatal;
    }
    // SAFETY: `busy` keeps everybody else out until `_inside` is dropped.
    let inner = unsafe { &mut *handle.inner.get() };
    let outcome = catch_unwind(AssertUnwindSafe(|| answer(inner, rule, body)));
    outcome.unwrap_or_else(|panic| {
        handle.lost.store(true, Ordering::Relaxed);
        let function = rule.function;
        let why = message(&*panic);
        let text = format!("{function}: internal error, the instance is lost: {why}");
        let _ = catch_unwind(AssertUnwindSafe(|| inner.instance.tell_fatal(&text)));
        Status::Fatal
    })
}

fn answer(
    inner: &mut Inner,
    rule: Rule,
    body: &mut dyn FnMut(&mut Inner, Rule) -> CallResult,
) -> Status {
    match body(inner, rule) {
        Ok(status) => status,
        Err(refusal) => inner.instance.refuse(&refusal),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    let formatted = || panic.downcast_ref::<String>().map(String::as_str);
    literal.or_else(formatted).unwrap_or("no message")
}

fn handle_of<'a>(pointer: *mut c_void) -> Option<&'a Handle> {
    // SAFETY: a pointer that is not null came from `create` and is in use until `destroy`.
    unsafe { pointer.cast::<Handle>().as_ref() }
}

#[cfg(test)]
mod tests;

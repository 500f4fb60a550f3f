//! Control plane: saved states through C, the same for both versions.
//!
//! The pointer that C holds is a number; it is looked up, never dereferenced.

use std::ffi::c_void;
use std::ptr;

use super::guard::Inner;
use super::pointers::{input, output, place};
use crate::instance::mode::Rule;
use crate::instance::status::{CallResult, Refusal, Status};

/// Saves into the state that `*state` names, or into a new one if it is null.
pub(super) fn get(inner: &mut Inner, rule: Rule, state: *mut *mut c_void) -> CallResult {
    let before = input(rule, "FMUstate", state, 1)?[0].addr();
    let handle = inner.instance.save_state(before)?;
    place(rule, "FMUstate", state)?.put(0, ptr::without_provenance_mut(handle));
    Ok(Status::Ok)
}

/// Frees a state and sets `*state` to null; null is ignored.
pub(super) fn free(inner: &mut Inner, rule: Rule, state: *mut *mut c_void) -> CallResult {
    if state.is_null() {
        return Ok(Status::Ok);
    }
    let handle = input(rule, "FMUstate", state, 1)?[0].addr();
    inner.instance.free_state(handle)?;
    place(rule, "FMUstate", state)?.put(0, ptr::null_mut());
    Ok(Status::Ok)
}

/// Length of a state as bytes.
pub(super) fn size(inner: &Inner, rule: Rule, state: *mut c_void, size: *mut usize) -> CallResult {
    let mut place = place(rule, "size", size)?;
    place.put(0, inner.instance.serialized_size(state.addr())?);
    Ok(Status::Ok)
}

/// Writes a state as bytes; the buffer must have exactly its size.
pub(super) fn serialize(
    inner: &Inner,
    rule: Rule,
    state: *mut c_void,
    to: *mut u8,
    size: usize,
) -> CallResult {
    let needed = inner.instance.serialized_size(state.addr())?;
    if size < needed {
        return Err(Refusal::error(format!(
            "{}: there is room for {size} bytes, but the state has {needed}",
            rule.function
        )));
    }
    let mut out = output(rule, "serializedState", to, size)?;
    let bytes = inner.instance.serialize(state.addr())?;
    for (at, byte) in bytes.into_iter().enumerate() {
        out.put(at, byte);
    }
    Ok(Status::Ok)
}

/// Reads a state from bytes, into the state that `*state` names, or into a new one if it is null.
pub(super) fn deserialize(
    inner: &mut Inner,
    rule: Rule,
    from: *const u8,
    size: usize,
    state: *mut *mut c_void,
) -> CallResult {
    let before = input(rule, "FMUstate", state, 1)?[0].addr();
    let bytes = input(rule, "serializedState", from, size)?;
    let handle = inner.instance.deserialize(bytes, before)?;
    place(rule, "FMUstate", state)?.put(0, ptr::without_provenance_mut(handle));
    Ok(Status::Ok)
}

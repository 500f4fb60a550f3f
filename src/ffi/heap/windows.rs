//! Control plane: pages of memory and their locks, on Windows.
//!
//! A process may lock as many pages as its minimum working set, about 200 kB by default. The library raises the
//! minimum by the bytes to be locked and never lowers it, since that would take memory from other instances.

use std::ffi::c_void;
use std::io;
use std::ptr;

/// Pages are given addresses and memory at once.
const RESERVED_AND_COMMITTED: u32 = 0x3000;
/// Pages are given back as a whole.
const RELEASED: u32 = 0x8000;
/// They may be read and written.
const WRITABLE: u32 = 4;
/// The minimum working set has no room for the bytes to be locked.
const NO_ROOM: i32 = 1453;
/// The part of the working set that the process itself needs.
const SPARE: usize = 1 << 17;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualAlloc(at: *mut c_void, length: usize, kind: u32, rights: u32) -> *mut c_void;
    fn VirtualFree(at: *mut c_void, length: usize, kind: u32) -> i32;
    fn VirtualLock(at: *mut c_void, length: usize) -> i32;
    fn GetCurrentProcess() -> *mut c_void;
    fn GetProcessWorkingSetSize(process: *mut c_void, least: *mut usize, most: *mut usize) -> i32;
    fn SetProcessWorkingSetSize(process: *mut c_void, least: usize, most: usize) -> i32;
}

/// New pages of zeros.
pub(in crate::ffi) fn obtain(length: usize) -> Option<usize> {
    // SAFETY: new pages at a place that the system chooses.
    let at = unsafe { VirtualAlloc(ptr::null_mut(), length, RESERVED_AND_COMMITTED, WRITABLE) };
    (!at.is_null()).then(|| at.expose_provenance())
}

/// Gives pages back, and their lock.
pub(in crate::ffi) fn give_back(first: usize, _length: usize) {
    // SAFETY: pages that were obtained, and that hold nothing any more; 0: all of them.
    unsafe { VirtualFree(ptr::with_exposed_provenance_mut(first), 0, RELEASED) };
}

/// Locks the pages of a range of addresses in memory, as long as they are mapped.
pub(in crate::ffi) fn lock(first: usize, length: usize) -> io::Result<()> {
    match try_lock(first, length) {
        Err(error) if error.raw_os_error() == Some(NO_ROOM) => {
            make_room(length)?;
            try_lock(first, length)
        }
        done => done,
    }
}

fn try_lock(first: usize, length: usize) -> io::Result<()> {
    // SAFETY: the contents of pages are not touched; a range that is not mapped is an error.
    let done = unsafe { VirtualLock(ptr::with_exposed_provenance_mut(first), length) };
    checked(done)
}

/// Raises the smallest working set of this process.
fn make_room(length: usize) -> io::Result<()> {
    // SAFETY: a number that denotes this process.
    let process = unsafe { GetCurrentProcess() };
    let (mut least, mut most) = (0, 0);
    // SAFETY: places for the two answers.
    checked(unsafe { GetProcessWorkingSetSize(process, &raw mut least, &raw mut most) })?;
    let more = length + SPARE;
    // SAFETY: two sizes.
    checked(unsafe { SetProcessWorkingSetSize(process, least + more, most + more) })
}

/// Converts the answer of a system function.
fn checked(done: i32) -> io::Result<()> {
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Number of bytes that this process may lock; `None`: unlimited.
pub(in crate::ffi) fn limit() -> Option<u64> {
    None
}

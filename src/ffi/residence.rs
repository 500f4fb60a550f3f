//! Control plane: brings this library's code and constants, and an instance's memory, into physical memory before the
//! steps.
//!
//! The loader maps a library without reading it. Code or data that is used for the first time, such as a rare branch
//! of a step years into a run, costs a page fault. Each page is therefore read once at the start. If the model asks
//! for it, these pages and those of the instance are locked too.

use std::io;
use std::ptr;

use super::guard::Inner;
use super::heap::{self, Pages};
use crate::instance::status::Status;

/// No page is smaller.
const PAGE: usize = 4096;

/// Reads a byte of every page of the loaded library, and the clock. Locks memory if the model asks for it, or warns.
pub(super) fn settle(inner: &mut Inner) -> Status {
    read_pages();
    // The page that the clock is read from.
    std::hint::black_box(std::time::Instant::now());
    if !inner.instance.locks_memory() {
        return Status::Ok;
    }
    match lock(inner) {
        Ok(()) => Status::Ok,
        Err(reason) => inner.instance.warn(&format!(
            "solver.lock_memory: {reason}; the simulation goes on without"
        )),
    }
}

/// Moves an instance into separate pages, and locks these, its handle and the library.
fn lock(inner: &mut Inner) -> Result<(), String> {
    if !heap::is_global() {
        let text =
            "only the shared library can lock memory; this program has an allocator of its own";
        return Err(text.to_owned());
    }
    let instance = &mut inner.instance;
    let room = heap::measured(|| instance.relocate());
    let none = || refused("the instance", room, &io::ErrorKind::OutOfMemory.into());
    let pages = Pages::new(room).ok_or_else(none)?;
    let locked = pages.lock();
    locked.map_err(|error| refused("the instance", room, &error))?;
    let ((), outside) = pages.hold(|| instance.relocate());
    if outside > 0 {
        return Err(format!("{outside} parts of the instance had no room"));
    }
    let length = size_of::<Inner>();
    let locked = heap::lock_around(ptr::from_mut(inner).addr());
    locked.map_err(|error| refused("the instance", length, &error))?;
    for range in segments::own() {
        let locked = heap::lock(range.start, range.len());
        locked.map_err(|error| refused("the library", range.len(), &error))?;
    }
    Ok(())
}

/// Why memory could not be locked, and the remedy.
fn refused(what: &str, length: usize, error: &io::Error) -> String {
    let bytes = format!("{length} bytes of {what} cannot be locked ({error})");
    if cfg!(windows) {
        return format!(
            "{bytes}; the account of the host needs the privilege \"Increase a process working set\", and the machine \
             as much memory"
        );
    }
    let Some(limit) = heap::limit() else {
        return bytes;
    };
    format!(
        "{bytes}; this process may lock {limit} bytes (RLIMIT_MEMLOCK): raise that with `ulimit -l`, with memlock in \
         /etc/security/limits.conf or with LimitMEMLOCK of a service, or give the host CAP_IPC_LOCK"
    )
}

/// Reads a byte of every page of the loaded library.
fn read_pages() {
    for at in segments::own()
        .into_iter()
        .flat_map(|range| range.step_by(PAGE))
    {
        // SAFETY: within a segment that is mapped to be read, as long as the library is loaded.
        unsafe { ptr::with_exposed_provenance::<u8>(at).read_volatile() };
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod segments {
    use std::ffi::{c_int, c_void};
    use std::ops::Range;
    use std::slice;

    use libc::{Elf64_Phdr, PF_R, PT_LOAD, dl_iterate_phdr, dl_phdr_info, size_t};

    /// The readable memory of the loaded object that contains this function.
    pub(super) fn own() -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let ranges = (&raw mut found).cast();
        // SAFETY: `visit` keeps none of its arguments, and writes its answer to `ranges`.
        unsafe { dl_iterate_phdr(Some(visit), ranges) };
        found
    }

    /// Called for each loaded object until it returns a value other than 0.
    unsafe extern "C" fn visit(
        object: *mut dl_phdr_info,
        _size: size_t,
        found: *mut c_void,
    ) -> c_int {
        // SAFETY: the loader passes an object that lives during the call.
        let object = unsafe { &*object };
        if object.dlpi_phdr.is_null() {
            return 0;
        }
        // SAFETY: that many headers are there.
        let headers =
            unsafe { slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
        let own: fn() -> Vec<Range<usize>> = own;
        let here = own as usize;
        let loaded = || headers.iter().filter(|header| header.p_type == PT_LOAD);
        let range = |header: &Elf64_Phdr| {
            let first = object.dlpi_addr as usize + header.p_vaddr as usize;
            first..first + header.p_memsz as usize
        };
        if !loaded().any(|header| range(header).contains(&here)) {
            return 0;
        }
        // SAFETY: `own` passes its list, which no other code uses meanwhile.
        let found = unsafe { &mut *found.cast::<Vec<Range<usize>>>() };
        let readable = loaded().filter(|header| header.p_flags & PF_R != 0);
        found.extend(readable.map(range));
        1
    }
}

#[cfg(windows)]
mod segments {
    use std::ops::Range;
    use std::ptr;

    use crate::ffi::module;

    /// Offset in the header of a module of the offset of its second header.
    const SECOND: usize = 0x3c;
    /// Offset in the second header of the length of the module in memory.
    const LENGTH: usize = 0x50;

    /// The module that contains this function: all of it may be read.
    pub(super) fn own() -> Vec<Range<usize>> {
        let Some(first) = module::base() else {
            return Vec::new();
        };
        let length = number(first + number(first + SECOND) + LENGTH);
        vec![first..first + length]
    }

    /// A 32-bit number in a header of the module.
    fn number(at: usize) -> usize {
        // SAFETY: the headers of a loaded module are in memory before its code.
        unsafe { ptr::with_exposed_provenance::<u32>(at).read_unaligned() as usize }
    }
}

#[cfg(not(any(all(target_os = "linux", target_pointer_width = "64"), windows)))]
mod segments {
    use std::ops::Range;

    /// On other systems the pages are loaded at their first use, and are not locked.
    pub(super) fn own() -> Vec<Range<usize>> {
        Vec::new()
    }
}

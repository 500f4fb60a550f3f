//! Control plane: pages of memory and their locks, by POSIX.

use std::io;
use std::ptr;

/// New pages of zeros.
pub(in crate::ffi) fn obtain(length: usize) -> Option<usize> {
    let (rights, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANON,
    );
    // SAFETY: new pages at a place that the system chooses.
    let at = unsafe { libc::mmap(ptr::null_mut(), length, rights, kind, -1, 0) };
    (at != libc::MAP_FAILED).then(|| at.expose_provenance())
}

/// Gives pages back, and their lock.
pub(in crate::ffi) fn give_back(first: usize, length: usize) {
    // SAFETY: pages that were obtained, and that hold nothing any more.
    unsafe { libc::munmap(ptr::with_exposed_provenance_mut(first), length) };
}

/// Locks the pages of a range of addresses in memory, as long as they are mapped.
pub(in crate::ffi) fn lock(first: usize, length: usize) -> io::Result<()> {
    // SAFETY: the contents of pages are not touched; a range that is not mapped is an error.
    let failed = unsafe { libc::mlock(ptr::with_exposed_provenance(first), length) } != 0;
    if failed {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Number of bytes that this process may lock; `None`: unlimited.
pub(in crate::ffi) fn limit() -> Option<u64> {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: a place for the answer.
    unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &raw mut limit) };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

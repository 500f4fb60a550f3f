//! Control plane: C functions that return the counts of the allocator, in builds for the proofs.
#![expect(unsafe_code, reason = "C functions have names of their own")]

use std::ffi::c_int;

use fixstep::ffi::heap;

/// Begins or ends counting.
// SAFETY: no other symbol of the library has this name.
#[unsafe(no_mangle)]
extern "C" fn fixstep_arm(on: c_int) {
    heap::arm(on != 0);
}

/// Number of allocations (0) or frees (1) while armed.
// SAFETY: no other symbol of the library has this name.
#[unsafe(no_mangle)]
extern "C" fn fixstep_counted(kind: c_int) -> u64 {
    let index = usize::try_from(kind).unwrap_or(usize::MAX);
    heap::counted().get(index).copied().unwrap_or(0)
}

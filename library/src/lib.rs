//! Control plane: the shared library that every FMU carries. Its C functions are those of the crate `fixstep`; this
//! crate adds only the allocator. A Rust program that links `fixstep` keeps its own allocator.

use fixstep::ffi::heap::Heap;

/// The allocator, without which memory cannot be locked (`solver.lock_memory`).
#[global_allocator]
static HEAP: Heap = Heap;

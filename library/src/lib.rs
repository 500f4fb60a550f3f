//! Control plane: the shared library that every FMU carries. Its C functions are those of the crate `fixstep`; here is
//! what belongs to the library alone, its allocator. A Rust program that links that crate keeps its own.

use fixstep::ffi::heap::Heap;

/// The allocator, without which memory cannot be locked (`solver.lock_memory`).
#[global_allocator]
static HEAP: Heap = Heap;

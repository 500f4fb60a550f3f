//! Control plane: a second build of the FMUs' shared library, with C functions that return the counts of its
//! allocator, for the proof that steps do not allocate (tests/real_time).

mod counts;

use fixstep::ffi::heap::Heap;

/// The allocator of the library in FMUs.
#[global_allocator]
static HEAP: Heap = Heap;

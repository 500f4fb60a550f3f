//! Control plane: the shared library of FMUs once more, with C functions that tell what its allocator counts, for the
//! proof that steps do not allocate (tests/real_time).

mod counts;

use fixstep::ffi::heap::Heap;

/// The allocator of the library in FMUs.
#[global_allocator]
static HEAP: Heap = Heap;

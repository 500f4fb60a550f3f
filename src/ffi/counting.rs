//! Control plane: an allocator that counts while it is armed, in builds for the proof that steps do not
//! allocate. Its functions exist in such builds alone.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts, and leaves the work to the system's allocator.
struct Counting;

static ARMED: AtomicBool = AtomicBool::new(false);
/// Memory obtained or made larger or smaller.
static OBTAINED: AtomicU64 = AtomicU64::new(0);
/// Memory given back.
static FREED: AtomicU64 = AtomicU64::new(0);

fn count(counter: &AtomicU64) {
    if ARMED.load(Ordering::Relaxed) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: all calls go to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(&OBTAINED);
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(&OBTAINED);
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(&FREED);
        // SAFETY: the caller's contract is passed on.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(&OBTAINED);
        // SAFETY: the caller's contract is passed on.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Begins or ends counting.
#[unsafe(no_mangle)]
extern "C" fn fixstep_arm(on: c_int) {
    ARMED.store(on != 0, Ordering::SeqCst);
}

/// How often memory was obtained (0) or given back (1) while armed.
#[unsafe(no_mangle)]
extern "C" fn fixstep_counted(kind: c_int) -> u64 {
    match kind {
        0 => OBTAINED.load(Ordering::SeqCst),
        1 => FREED.load(Ordering::SeqCst),
        _ => 0,
    }
}

//! Control plane: the library's memory, from the system's allocator or in separate pages of its own.
//!
//! An instance consists of hundreds of boxes that the system's allocator spreads among those of the host. Locking the
//! pages of these boxes would lock memory of the host too, and unlocking them could unlock memory that the host or
//! another instance has locked, since page locks are not counted. Data to be locked is therefore created again within
//! [`Pages::hold`], in pages that hold nothing else. The pages return to the system, and their lock with them, when
//! their last box is freed. No page is ever unlocked separately.
//!
//! While it is armed the allocator also counts, for the proofs that steps do not allocate.
//!
//! Only the shared library (`library/`) makes this the global allocator. A program that links this crate has its own;
//! there [`is_global`] returns false, and nothing is locked.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Where the memory of the shared library comes from.
#[derive(Debug)]
pub struct Heap;

/// Largest number of page groups at once, two for an instance. Further instances lock nothing.
const PLACES: usize = 512;
/// All addresses of pages are multiples of it.
const UNIT: usize = 4096;
/// Bits of a place that hold its length; the others hold its beginning, both in [`UNIT`]s.
const LENGTH_BITS: u32 = 28;
/// Space before the first box for the number of boxes, with one more for the owner of the pages.
const HEAD: usize = 64;

/// Begin and length in one word, so that no thread sees one without the other; 0: free.
static TAKEN: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
/// Places that have ever been taken; no later one is.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Threads that measure or hold.
static HOLDING: AtomicUsize = AtomicUsize::new(0);

static ARMED: AtomicBool = AtomicBool::new(false);
/// Memory obtained or made larger or smaller.
static OBTAINED: AtomicU64 = AtomicU64::new(0);
/// Memory given back.
static FREED: AtomicU64 = AtomicU64::new(0);

/// Where the next box of a thread goes.
#[derive(Clone, Copy)]
struct Scope {
    /// Address, or what has been measured.
    next: usize,
    /// Address of the end; 0: boxes are only measured.
    end: usize,
    /// Boxes that had no room.
    spilled: usize,
}

thread_local! {
    static SCOPE: Cell<Option<Scope>> = const { Cell::new(None) };
}

/// Begins or ends counting.
pub fn arm(on: bool) {
    ARMED.store(on, Ordering::SeqCst);
}

/// How often memory was obtained and given back while armed.
pub fn counted() -> [u64; 2] {
    [&OBTAINED, &FREED].map(|counter| counter.load(Ordering::SeqCst))
}

fn count(counter: &AtomicU64) {
    if ARMED.load(Ordering::Relaxed) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// A box in the pages that this thread holds; null if none is held, or there is no room.
fn placed(layout: Layout) -> *mut u8 {
    if HOLDING.load(Ordering::Relaxed) == 0 {
        return ptr::null_mut();
    }
    let Some(mut scope) = SCOPE.get() else {
        return ptr::null_mut();
    };
    let at = scope.next.next_multiple_of(layout.align());
    let after = at + layout.size();
    let fits = after <= scope.end;
    if fits || scope.end == 0 {
        scope.next = after;
    } else {
        scope.spilled += 1;
    }
    SCOPE.set(Some(scope));
    if !fits {
        return ptr::null_mut();
    }
    if let Some(place) = place_of(at) {
        boxes(place).fetch_add(1, Ordering::Relaxed);
    }
    ptr::with_exposed_provenance_mut(at)
}

/// The place that an address is in.
fn place_of(at: usize) -> Option<&'static AtomicU64> {
    let used = USED.load(Ordering::Acquire);
    let unit = (at / UNIT) as u64;
    TAKEN[..used].iter().find(|place| {
        let (first, length) = parts(place.load(Ordering::Acquire));
        unit.wrapping_sub(first) < length
    })
}

/// Begin and length of a place.
fn parts(place: u64) -> (u64, u64) {
    (place >> LENGTH_BITS, place & ((1 << LENGTH_BITS) - 1))
}

/// Begin and length of a place in bytes.
fn bytes(place: &AtomicU64) -> (usize, usize) {
    let (first, length) = parts(place.load(Ordering::Acquire));
    (first as usize * UNIT, length as usize * UNIT)
}

/// How many boxes are in a place.
fn boxes(place: &AtomicU64) -> &AtomicUsize {
    let head = ptr::with_exposed_provenance::<AtomicUsize>(bytes(place).0);
    // SAFETY: a place that is taken begins with the count, which is written before the place is taken. The caller
    // owns one of the counted boxes, so the place remains valid.
    unsafe { &*head }
}

/// Removes one box from a place; the last box frees the pages.
fn leave(place: &AtomicU64) {
    if boxes(place).fetch_sub(1, Ordering::AcqRel) == 1 {
        let (first, length) = bytes(place);
        place.store(0, Ordering::Release);
        pages::give_back(first, length);
    }
}

// SAFETY: boxes are those of the system's allocator, or disjoint parts of pages that stay until the last of them is
// freed; the address alone decides which of the two a box is. The functions are not inlined into every drop, which
// would make the library a fifth larger.
unsafe impl GlobalAlloc for Heap {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(&OBTAINED);
        let at = placed(layout);
        if at.is_null() {
            // SAFETY: the caller's contract is passed on.
            return unsafe { System.alloc(layout) };
        }
        at
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(&OBTAINED);
        // Pages are zero at first, and no part of them is given out twice.
        let at = placed(layout);
        if at.is_null() {
            // SAFETY: the caller's contract is passed on.
            return unsafe { System.alloc_zeroed(layout) };
        }
        at
    }

    #[inline(never)]
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(&FREED);
        match place_of(at.addr()) {
            Some(place) => leave(place),
            // SAFETY: the caller's contract is passed on.
            None => unsafe { System.dealloc(at, layout) },
        }
    }

    #[inline(never)]
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(&OBTAINED);
        let place = place_of(at.addr());
        // SAFETY: the caller vouches for the size.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let mut new = placed(wanted);
        if new.is_null() {
            if place.is_none() {
                // SAFETY: the caller's contract is passed on.
                return unsafe { System.realloc(at, layout, size) };
            }
            // SAFETY: the caller's contract is passed on.
            new = unsafe { System.alloc(wanted) };
        }
        if !new.is_null() {
            // SAFETY: two boxes of at least that length.
            unsafe { ptr::copy_nonoverlapping(at, new, size.min(layout.size())) };
            match place {
                Some(place) => leave(place),
                // SAFETY: it came from there.
                None => unsafe { System.dealloc(at, layout) },
            }
        }
        new
    }
}

/// Runs some work with another scope for this thread; returns also the scope afterwards.
fn within<T>(scope: Scope, work: impl FnOnce() -> T) -> (T, Scope) {
    /// Ends the scope, however the work ends.
    struct Outer(Option<Scope>);
    impl Drop for Outer {
        fn drop(&mut self) {
            SCOPE.set(self.0);
            HOLDING.fetch_sub(1, Ordering::Relaxed);
        }
    }
    HOLDING.fetch_add(1, Ordering::Relaxed);
    let _outer = Outer(SCOPE.replace(Some(scope)));
    let done = work();
    (done, SCOPE.get().unwrap_or(scope))
}

/// Does all memory of the program come from here? A test box decides: one from another allocator is not measured.
pub(super) fn is_global() -> bool {
    // The compiler may remove a box whose value is not used.
    measured(|| drop(black_box(Box::new(0_u8)))) > 0
}

/// Bytes of the boxes that some work makes.
pub(super) fn measured(work: impl FnOnce()) -> usize {
    let scope = Scope {
        next: 0,
        end: 0,
        spilled: 0,
    };
    within(scope, work).1.next
}

/// Pages in which nothing is yet.
pub(super) struct Pages {
    place: &'static AtomicU64,
}

impl Pages {
    /// Pages for this number of bytes; `None`: the system has none, too many are in use, or boxes would not go there.
    pub(super) fn new(room: usize) -> Option<Self> {
        if !is_global() {
            return None;
        }
        let length = (HEAD + room).div_ceil(UNIT) as u64 + 1;
        let first = pages::obtain(length as usize * UNIT)?;
        let head = ptr::with_exposed_provenance_mut::<AtomicUsize>(first);
        // SAFETY: new pages, aligned and nobody else's.
        unsafe { head.write(AtomicUsize::new(1)) };
        let word = (first / UNIT) as u64;
        let fits = word >> (u64::BITS - LENGTH_BITS) == 0 && length >> LENGTH_BITS == 0;
        let free = |place: &&AtomicU64| {
            let word = (word << LENGTH_BITS) | length;
            let (done, not) = (Ordering::AcqRel, Ordering::Relaxed);
            place.compare_exchange(0, word, done, not).is_ok()
        };
        let found = fits.then(|| TAKEN.iter().enumerate().find(|(_, place)| free(place)));
        let Some(Some((at, place))) = found else {
            pages::give_back(first, length as usize * UNIT);
            return None;
        };
        USED.fetch_max(at + 1, Ordering::AcqRel);
        Some(Self { place })
    }

    /// Locks them in memory.
    pub(super) fn lock(&self) -> io::Result<()> {
        let (first, length) = bytes(self.place);
        pages::lock(first, length)
    }

    /// Runs some work whose boxes go to the pages; returns how many had no room.
    pub(super) fn hold<T>(self, work: impl FnOnce() -> T) -> (T, usize) {
        let (first, length) = bytes(self.place);
        let scope = Scope {
            next: first + HEAD,
            end: first + length,
            spilled: 0,
        };
        let (done, scope) = within(scope, work);
        (done, scope.spilled)
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        leave(self.place);
    }
}

/// Locks the pages of an address, which must be our own.
pub(super) fn lock_around(at: usize) -> io::Result<()> {
    let place = place_of(at).ok_or(io::ErrorKind::Unsupported)?;
    let (first, length) = bytes(place);
    pages::lock(first, length)
}

pub(super) use pages::{limit, lock};

/// The system's functions for pages.
#[cfg(unix)]
#[path = "heap/unix.rs"]
mod pages;
#[cfg(windows)]
#[path = "heap/windows.rs"]
mod pages;

#[cfg(test)]
mod tests;

//! Measures how much stack the library needs, because threads of hosts may have little.

use std::any::Any;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use libloading::Library;

use crate::case::Case;
use crate::fmu::Fmu;
use crate::host::Verdict;
use crate::run::Run;

/// What the library keeps to before a run, in it, and where derivatives are asked for, as it goes into FMUs \[bytes\]
/// (docs/real-time.md).
const RELEASE: [usize; 3] = [64 << 10, 16 << 10, 16 << 10];
/// The same of a build for tests, which does little to frames.
const OTHER: [usize; 3] = [96 << 10, 64 << 10, 64 << 10];

/// Room of the stacks \[bytes\].
const ROOM: usize = 4 << 20;
/// What untouched memory holds.
const UNTOUCHED: u64 = 0x5AFE_57AC_5AFE_57AC;

/// Work for a thread, and what came of it.
struct Task<'a> {
    work: Option<Box<dyn FnOnce() + 'a>>,
    /// Address of something that stood on the stack when it began.
    entry: usize,
    failed: Option<Box<dyn Any + Send>>,
}

extern "C" fn begin(task: *mut c_void) -> *mut c_void {
    // SAFETY: the task waits for the end of this thread.
    let task = unsafe { &mut *task.cast::<Task<'_>>() };
    let mark = 0_u8;
    task.entry = ptr::from_ref(std::hint::black_box(&mark)).addr();
    if let Some(work) = task.work.take() {
        task.failed = catch_unwind(AssertUnwindSafe(work)).err();
    }
    ptr::null_mut()
}

/// Does a task in a thread on this stack.
fn run_on(stack: *mut c_void, task: &mut Task<'_>) {
    let (mut attributes, mut thread) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let (attributes, task) = (attributes.as_mut_ptr(), ptr::from_mut(task).cast());
    // SAFETY: a place of the right type.
    let made = unsafe { libc::pthread_attr_init(attributes) };
    // SAFETY: the stack is that large and outlives the thread.
    let set = unsafe { libc::pthread_attr_setstack(attributes, stack, ROOM) };
    // SAFETY: a place of the right type; the task outlives the thread.
    let begun = unsafe { libc::pthread_create(thread.as_mut_ptr(), attributes, begin, task) };
    assert_eq!([made, set, begun], [0; 3]);
    // SAFETY: the thread has begun.
    let thread = unsafe { thread.assume_init() };
    // SAFETY: it is joined once.
    let joined = unsafe { libc::pthread_join(thread, ptr::null_mut()) };
    // SAFETY: nothing uses them any more.
    let freed = unsafe { libc::pthread_attr_destroy(attributes) };
    assert_eq!([joined, freed], [0; 2]);
}

/// Does work on a stack of its own; how many bytes of it were touched.
fn depth(work: impl FnOnce()) -> usize {
    let mut task = Task {
        work: Some(Box::new(work)),
        entry: 0,
        failed: None,
    };
    let (read_write, private) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: new memory, which nothing else knows.
    let stack = unsafe { libc::mmap(ptr::null_mut(), ROOM, read_write, private, -1, 0) };
    assert_ne!(stack, libc::MAP_FAILED);
    // SAFETY: the memory is that long and aligned to pages.
    let words = unsafe { std::slice::from_raw_parts_mut(stack.cast::<u64>(), ROOM / 8) };
    words.fill(UNTOUCHED);
    run_on(stack, &mut task);
    // SAFETY: the thread is over.
    let words = unsafe { std::slice::from_raw_parts(stack.cast::<u64>(), ROOM / 8) };
    let untouched = words.iter().take_while(|word| **word == UNTOUCHED).count();
    let deepest = words[untouched..].as_ptr().addr();
    // SAFETY: nothing uses it any more.
    assert_eq!(unsafe { libc::munmap(stack, ROOM) }, 0);
    assert!(task.failed.is_none(), "it failed on a stack of its own");
    task.entry - deepest
}

/// From the instantiation to the end, each on a stack of its own.
pub(crate) fn needed(library: &Library, case: &Case, version: u32) -> Verdict {
    let mut fmu = None;
    let made = depth(|| fmu = Some(Fmu::instantiate(library, case, version, false)));
    let Some(fmu) = fmu else {
        return ("no instance".to_owned(), false);
    };
    let mut done = (1, 1);
    let started = depth(|| done = fmu.initialize(library, case, version));
    let mut run = Run::of(fmu, case);
    let mut rounds = 0;
    let stepped = depth(|| rounds = run.exercise(100));
    let mut differentiated = false;
    let derived = depth(|| differentiated = run.differentiate());
    let mut again = 1;
    let reset = depth(|| again = run.fmu.reset(library, version));
    let repeated = run.fmu.initialize(library, case, version);
    let mut terminated = 1;
    let ended = depth(|| {
        terminated = run.fmu.terminate(library, version);
        drop(run);
    });
    let fine = [done, repeated] == [(0, 0); 2]
        && (rounds, again, terminated) == (100, 0, 0)
        && differentiated;
    let [before, within, between] = if std::env::var_os("FIXSTEP_LIBRARY").is_some() {
        RELEASE
    } else {
        OTHER
    };
    let text = format!(
        "bytes of stack: instantiation {made}, initialization {started}, step, get, set {stepped}, derivatives {derived}, \
         reset {reset}, end {ended}"
    );
    // The counters do count: a host's own array is seen.
    let seen = depth(|| {
        let own = [1_u8; 10_000];
        std::hint::black_box(&own);
    });
    let before_or_after = [made, started, reset, ended];
    let small = before_or_after.iter().all(|found| *found <= before)
        && stepped <= within
        && derived <= between;
    (text, fine && small && (10_000..12_000).contains(&seen))
}

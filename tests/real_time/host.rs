//! Runs one proof on one model through one version of the standard, in a process of its own.

use std::fmt::Write as _;
use std::path::Path;
use std::thread;

use libloading::Library;

use crate::bits;
use crate::case::{Case, case};
use crate::cost;
#[cfg(target_arch = "x86_64")]
use crate::counts;
use crate::filter;
use crate::functions::{function, load};
use crate::locked;
use crate::run::Run;
use crate::stack;
#[cfg(target_arch = "x86_64")]
use crate::traps;

/// Rounds of a proof.
pub(crate) const ROUNDS: u32 = 1000;

/// What is counted, by the numbers of `preload.c`.
const KINDS: [&str; 5] = ["allocations", "frees", "locks", "waits", "calls by number"];

unsafe extern "C" {
    /// `struct rusage`: two times of two words, then 14 words.
    fn getrusage(whose: i32, usage: *mut [i64; 18]) -> i32;
}

/// What a proof found: text, and whether that is as promised.
pub(crate) type Verdict = (String, bool);

/// `host PROOF MODEL VERSION LIBRARY`
pub(crate) fn main(words: &[String]) -> bool {
    let [proof, name, version, path] = words else {
        unreachable!("host PROOF MODEL VERSION LIBRARY, not {words:?}");
    };
    let (case, version) = (case(name), version.parse().unwrap());
    let library = load(Path::new(path));
    let (text, sound) = match proof.as_str() {
        "allocations" => allocations(&library, &library, &case, version),
        "preload" => allocations(&Library::from(this()), &library, &case, version),
        "filter" => filtered(&library, &case, version),
        "faults" => faults(&library, &case, version),
        "stack" => stack::needed(&library, &case, version),
        #[cfg(target_arch = "x86_64")]
        "traps" => traps::whole_life(&library, &case, version),
        #[cfg(target_arch = "x86_64")]
        "division" => traps::division(),
        "locked" => locked::all(&library, &case, version),
        "refused" => locked::refused(&library, &case, version),
        "call" => call(),
        "page" => page(),
        "cost" => cost::measure(&library, &case, version),
        "plain" => bits::plain(&library, &case, version),
        "bits" => bits::all(&library, &case, version),
        #[cfg(target_arch = "x86_64")]
        other => counts::count(&library, &case, other),
        #[cfg(not(target_arch = "x86_64"))]
        other => unreachable!("no proof {other}"),
    };
    println!("{} {text}", if sound { "ok" } else { "FAILED" });
    sound
}

/// The process itself, with what was loaded before it.
fn this() -> libloading::os::unix::Library {
    libloading::os::unix::Library::this()
}

/// Nothing is obtained, given back, locked or waited for, in the thread that initialized the FMU and in
/// another one. The counters are in the library of the FMU or in one loaded before it.
fn allocations(counters: &Library, library: &Library, case: &Case, version: u32) -> Verdict {
    let arm: extern "C" fn(i32) = function(counters, "fixstep_arm");
    let counted: extern "C" fn(i32) -> u64 = function(counters, "fixstep_counted");
    let mut run = Run::start(library, case, version);
    arm(1);
    let mut done = run.exercise(ROUNDS / 2);
    arm(0);
    let rest = &mut run;
    let other = thread::scope(|scope| {
        let thread = scope.spawn(move || {
            arm(1);
            let done = rest.exercise(ROUNDS / 2);
            arm(0);
            done
        });
        thread.join().unwrap()
    });
    done += other;
    let found: [u64; KINDS.len()] = std::array::from_fn(|kind| counted(kind as i32));
    let mut text = format!("{done} rounds");
    for (number, name) in found.iter().zip(KINDS) {
        let _ = write!(text, ", {number} {name}");
    }
    // The counters do count: bytes of a state are made in memory of the library.
    arm(1);
    let bytes = run.bytes().len();
    arm(0);
    let counts = bytes > 0 && counted(0) > found[0];
    (text, done == ROUNDS && counts && found == [0; KINDS.len()])
}

/// No system call but of the clock.
fn filtered(library: &Library, case: &Case, version: u32) -> Verdict {
    let mut run = Run::start(library, case, version);
    let mut text = String::with_capacity(200);
    filter::close();
    let done = run.exercise(ROUNDS);
    let word = if done == ROUNDS { "ok" } else { "FAILED" };
    let _ = writeln!(text, "{word} {done} rounds");
    filter::say(text.as_bytes());
    filter::leave(i32::from(done != ROUNDS))
}

/// Page faults of this thread so far: without and with reading from a disk.
fn page_faults() -> [i64; 2] {
    let mut usage = [0; 18];
    // SAFETY: a place as large as the structure; 1: of this thread.
    let asked = unsafe { getrusage(1, &raw mut usage) };
    assert_eq!(asked, 0);
    [usage[8], usage[9]]
}

/// A system call behind the filter, which must not come to its end.
fn call() -> Verdict {
    filter::close();
    let [minor, _] = page_faults();
    (format!("the filter lets {minor} through"), true)
}

/// A page that is touched for the first time, which must be counted.
fn page() -> Verdict {
    let [before, _] = page_faults();
    let room = std::hint::black_box(vec![0_u8; 1 << 24]);
    let read = i64::from(room[1 << 23]);
    let [after, _] = page_faults();
    let new = after - before;
    (format!("{new} page faults"), new == read)
}

/// No page is new to a step, the first included.
fn faults(library: &Library, case: &Case, version: u32) -> Verdict {
    let mut run = Run::start(library, case, version);
    run.rehearse();
    let mut at = [0; 2];
    let mut done = 0;
    let before = page_faults();
    for (count, after) in [1, ROUNDS - 1].into_iter().zip(&mut at) {
        done += run.exercise(count);
        let [minor, major] = page_faults();
        *after = minor - before[0] + major - before[1];
    }
    let text = format!(
        "{done} rounds, {} page faults, {} of them in the first",
        at[1], at[0]
    );
    (text, done == ROUNDS && at[1] == 0)
}

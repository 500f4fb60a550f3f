//! Proofs of locked memory: how much is locked, when it is unlocked, and the message if it is not allowed.

use libloading::Library;

use crate::case::Case;
use crate::fmu::{Fmu, WARNED};
use crate::host::{ROUNDS, Verdict};
use crate::run::Run;

/// `RLIMIT_MEMLOCK` of Linux.
const MEMORY_LOCK: i32 = 8;
/// Bytes that may be locked where it is refused: fewer than an instance has.
const FEW: u64 = 8192;
/// `CAP_IPC_LOCK`: a process with it may lock memory whatever the limit.
const ANYWAY: u32 = 1 << 14;
/// Third version of the structures of capabilities.
const THIRD: u32 = 0x2008_0522;

/// Which version of the structures, and of which process: 0, this one.
#[repr(C)]
struct Head {
    version: u32,
    process: i32,
}

unsafe extern "C" {
    fn getrlimit(kind: i32, limit: *mut [u64; 2]) -> i32;
    fn setrlimit(kind: i32, limit: *const [u64; 2]) -> i32;
    fn capget(head: *mut Head, sets: *mut [[u32; 3]; 2]) -> i32;
    fn capset(head: *mut Head, sets: *const [[u32; 3]; 2]) -> i32;
}

/// Memory of this process that is locked \[kB\].
fn locked() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmLck:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.unwrap().parse().unwrap()
}

/// The reference of the parameter.
fn parameter(case: &Case) -> u32 {
    let mut names = (0..).zip(&case.table.variables);
    let found = names.find(|(_, variable)| variable.name == "solver.lock_memory");
    found.unwrap().0
}

/// An instance that was asked to lock its memory; what the end of its initialization returned.
fn asked(library: &Library, case: &Case, version: u32) -> (Fmu, i32) {
    let fmu = Fmu::instantiate(library, case, version, true);
    assert_eq!(fmu.set_flag(parameter(case), true), 0);
    let (entered, exited) = fmu.initialize(library, case, version);
    assert_eq!(entered, 0);
    (fmu, exited)
}

/// The limit is as high as this process may set it.
fn raise() {
    let mut limits = [0; 2];
    // SAFETY: a place for two numbers.
    assert_eq!(unsafe { getrlimit(MEMORY_LOCK, &raw mut limits) }, 0);
    limits[0] = limits[1];
    // SAFETY: two numbers.
    assert_eq!(unsafe { setrlimit(MEMORY_LOCK, &raw const limits) }, 0);
}

/// Nothing is locked without the option. Two instances have their own, each as much as the other, and give it back
/// alone; the library's stays as long as it is loaded. Steps run as ever.
pub(crate) fn all(library: &Library, case: &Case, version: u32) -> Verdict {
    raise();
    let plain = Fmu::start(library, case, version);
    let none = locked();
    let (first, done) = asked(library, case, version);
    if done != 0 {
        return (format!("refused: {}", WARNED.lock().unwrap()), false);
    }
    let one = locked();
    let (second, _) = asked(library, case, version);
    let two = locked();
    let each = two - one;
    drop(first);
    let back = locked();
    let mut run = Run::of(second, case);
    let rounds = run.exercise(ROUNDS);
    let reset = run.fmu.reset(library, version);
    let after_reset = locked();
    drop(run);
    let kept = locked();
    let (again, _) = asked(library, case, version);
    let third = locked();
    drop((again, plain));
    let found = [none, one, two, back, after_reset, kept, third, locked()];
    let counted = none == 0 && kept > 0 && each > 0 && one == kept + each && back == one;
    // The handle keeps its pages until it is freed.
    let given = (kept..kept + each / 2).contains(&after_reset) && third == one && locked() == kept;
    let text = format!("{rounds} rounds, kB locked: {found:?}");
    (text, counted && given && rounds == ROUNDS && reset == 0)
}

/// What may not be locked is said, with the limit, and the FMU runs.
pub(crate) fn refused(library: &Library, case: &Case, version: u32) -> Verdict {
    let mut sets = [[0; 3]; 2];
    let mut head = Head {
        version: THIRD,
        process: 0,
    };
    // SAFETY: structures of the third version.
    assert_eq!(unsafe { capget(&raw mut head, &raw mut sets) }, 0);
    sets[0][0] &= !ANYWAY;
    // SAFETY: as above.
    assert_eq!(unsafe { capset(&raw mut head, &raw const sets) }, 0);
    let few = [FEW; 2];
    // SAFETY: two numbers.
    assert_eq!(unsafe { setrlimit(MEMORY_LOCK, &raw const few) }, 0);
    let (fmu, exited) = asked(library, case, version);
    let said = WARNED.lock().unwrap().clone();
    let mut run = Run::of(fmu, case);
    let rounds = run.exercise(ROUNDS);
    let named = [
        "solver.lock_memory",
        "may lock 8192 bytes",
        "RLIMIT_MEMLOCK",
    ];
    let clear = named.iter().all(|word| said.contains(word));
    let text = format!("{rounds} rounds, {} kB locked, warned: {said}", locked());
    (
        text,
        exited == 1 && clear && locked() == 0 && rounds == ROUNDS,
    )
}

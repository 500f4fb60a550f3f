//! Proves that nothing in a sound run divides by zero, overflows or makes a NaN, since hosts may trap these.
#![expect(clippy::print_stderr, reason = "a process that ends tells where")]

use std::arch::asm;
use std::backtrace::Backtrace;

use libloading::Library;

use crate::case::Case;
use crate::fmu::Fmu;
use crate::host::Verdict;
use crate::run::Run;

/// Rounds of the proof.
const ROUNDS: u32 = 200;
/// Bits of MXCSR that keep the processor from trapping invalid operations, divisions by zero and overflow.
const MASKS: u32 = 1 << 7 | 1 << 9 | 1 << 10;
/// Bits that tell what has happened.
const FLAGS: u32 = 0x3f;

fn control() -> u32 {
    let mut word = 0_u32;
    // SAFETY: writes to the place that it is given.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word) };
    word
}

fn set_control(word: u32) {
    // SAFETY: a word that was read, with other masks.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word) };
}

/// Says where it happened, and ends.
extern "C" fn trapped(_signal: libc::c_int) {
    eprintln!("trapped at\n{}", Backtrace::force_capture());
    std::process::abort();
}

/// A whole life with everything trapped; and a division by zero, which must be.
pub(crate) fn whole_life(library: &Library, case: &Case, version: u32) -> Verdict {
    let handler: extern "C" fn(libc::c_int) = trapped;
    // SAFETY: the handler never returns.
    unsafe { libc::signal(libc::SIGFPE, handler as libc::sighandler_t) };
    let before = control();
    set_control(before & !(MASKS | FLAGS));
    eprintln!("instantiation");
    let fmu = Fmu::instantiate(library, case, version, true);
    eprintln!("initialization");
    let done = fmu.initialize(library, case, version);
    eprintln!("steps");
    let mut run = Run::of(fmu, case);
    let rounds = run.exercise(ROUNDS);
    eprintln!("end");
    let ended = run.fmu.terminate(library, version);
    drop(run);
    let kept = control() & !FLAGS == before & !(MASKS | FLAGS);
    set_control(before);
    let text = format!("{rounds} rounds");
    (
        text,
        done == (0, 0) && rounds == ROUNDS && ended == 0 && kept,
    )
}

/// A division by zero, which must not come to its end.
pub(crate) fn division() -> Verdict {
    let handler: extern "C" fn(libc::c_int) = trapped;
    // SAFETY: as above.
    unsafe { libc::signal(libc::SIGFPE, handler as libc::sighandler_t) };
    set_control(control() & !(MASKS | FLAGS));
    let infinite = 1.0 / std::hint::black_box(0.0);
    (format!("nothing traps {infinite}"), true)
}

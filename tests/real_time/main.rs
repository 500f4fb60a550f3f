//! Proves the promises of the real-time path on the shared library, in separate processes: no
//! allocation, no lock, no system call except to read the clock, no page fault, and always the same bits.
//!
//! The library is the one that `FIXSTEP_LIBRARY` names, or else one of the same build as this program.
#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
#![expect(unsafe_code, reason = "the tests call C functions and the kernel")]
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test without harness"
)]

mod bits;
#[path = "../abi/built.rs"]
mod built;
mod case;
mod cost;
#[cfg(target_arch = "x86_64")]
mod counts;
mod filter;
mod fmu;
#[path = "../abi/functions.rs"]
mod functions;
mod host;
mod locked;
mod run;
mod stack;
mod suite;
#[cfg(target_arch = "x86_64")]
mod traps;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let sound = match words.first().map(String::as_str) {
        Some("host") => host::main(&words[1..]),
        #[cfg(target_arch = "x86_64")]
        Some("counts") => counts::main(&words[1..]),
        Some("cost") => cost::main(),
        filter => suite::main(filter.unwrap_or_default()),
    };
    if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

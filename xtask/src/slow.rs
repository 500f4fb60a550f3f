//! `cargo xtask test --slow`: tests that take an hour: hostile callers, models and archives, a long run, the
//! packed library under tools that check memory and threads, and studies on clusters. Control plane.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::install;
use crate::products;
use crate::report::{Outcome, Report};
use crate::sections::{counted, not_here, packed_library};
use crate::shell::{self, Result, unusable};
use crate::wheel;

/// Whether tools that watch run here.
const HERE: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// How much of each.
#[derive(Debug, PartialEq, Eq)]
struct Amounts {
    /// Calls of both interfaces together.
    calls: u64,
    /// Altered models.
    models: u64,
    /// Altered mechanisms.
    files: u64,
    /// Altered archives.
    archives: u64,
    /// Steps of the long run.
    steps: u64,
    /// Sequences of inputs of each example.
    sequences: u64,
    /// Steps of each run that the guard reads.
    readings: u64,
}

impl Amounts {
    /// The default numbers, replaced by those of the command line.
    fn read(words: &[&str]) -> Result<Self> {
        let mut amounts = Self {
            calls: 10_000_000,
            models: 200_000,
            files: 1_000_000,
            archives: 100_000,
            steps: 10_000_000,
            sequences: 200,
            readings: 600,
        };
        for pair in words.chunks(2) {
            let (place, number) = match pair {
                ["--calls", number] => (&mut amounts.calls, number),
                ["--models", number] => (&mut amounts.models, number),
                ["--files", number] => (&mut amounts.files, number),
                ["--archives", number] => (&mut amounts.archives, number),
                ["--steps", number] => (&mut amounts.steps, number),
                ["--sequences", number] => (&mut amounts.sequences, number),
                ["--readings", number] => (&mut amounts.readings, number),
                _ => {
                    return Err(format!(
                        "unknown option `{}`; valid: --calls, --models, --files, --archives, --steps, --sequences, --readings, \
                         each with a number",
                        pair.join(" ")
                    ));
                }
            };
            *place = number
                .parse()
                .map_err(|_| format!("{}: `{number}` is not a whole number", pair[0]))?;
        }
        Ok(amounts)
    }
}

/// Runs the sections.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let amounts = Amounts::read(words)?;
    let packages = install::debian_packages();
    let mut report = Report::default();
    let mut built = None;
    report.section("release build", || {
        built = Some(products::build()?);
        Ok(Outcome::pass())
    });
    let Some(products) = built else {
        return report.finish();
    };
    let library = packed_library(&products, "3");
    let library = library.as_path();
    report.section("calls in any order", || {
        let mut command = interface(library, &["any_calls"]);
        command.env("FIXSTEP_CALLS", (amounts.calls / 2).to_string());
        counted(command)
    });
    report.section("instances from thread to thread", || {
        let mut command = interface(library, &["crowd"]);
        command.env("FIXSTEP_CALLS", (amounts.calls / 20).to_string());
        counted(command)
    });
    report.section("altered models", || {
        let mut command = interface(library, &["altered_models"]);
        command.env("FIXSTEP_MUTANTS", amounts.models.to_string());
        counted(command)
    });
    report.section("altered mechanisms", || {
        let mut command = interface(library, &["altered_mechanisms"]);
        command.env("FIXSTEP_FILES", amounts.files.to_string());
        counted(command)
    });
    report.section("altered archives", || {
        let mut command = shell::cargo(&["test", "--workspace", "--test", "it", "--"]);
        command.args(["altered_archives", "--nocapture"]);
        command.env("FIXSTEP_ARCHIVES", amounts.archives.to_string());
        counted(command)
    });
    report.section("long run", || {
        let mut command = interface(library, &["a_long_run"]);
        command.env("FIXSTEP_STEPS", amounts.steps.to_string());
        counted(command)
    });
    report.section("inputs at random", || {
        let mut command = mechanics("no_inputs_end_a_run");
        command.env("FIXSTEP_SEQUENCES", amounts.sequences.to_string());
        counted(command)
    });
    report.section("readings of the guard", || {
        let mut command = mechanics("guard_readings_of_all");
        command.env("FIXSTEP_GUARD_STEPS", amounts.readings.to_string());
        counted(command)
    });
    report.section(
        "memory of the packed file under valgrind",
        || match &packages {
            Err(reason) if !install::valgrind() => Ok(not_here(reason)),
            _ => valgrind(library),
        },
    );
    report.section("threads under ThreadSanitizer", threads);
    report.section(wheel::CLUSTERS, wheel::clusters);
    report.finish()
}

/// A test of mechanics, with what it prints.
fn mechanics(test: &str) -> Command {
    let mut command = shell::cargo(&["test", "-p", "fixstep", "--test", "it", "--"]);
    command.args([test, "--nocapture"]);
    command
}

/// Tests of the C interface with some words in their names, on this library.
fn interface(library: &Path, words: &[&str]) -> Command {
    let mut command = shell::cargo(&["test", "--workspace", "--test", "abi", "--"]);
    command.args(words).arg("--nocapture");
    command.env("FIXSTEP_LIBRARY", library);
    command
}

/// Runs all tests of the C interface under valgrind, which checks every address that is read or written, every branch
/// on uninitialised memory, and every leak.
fn valgrind(library: &Path) -> Result<Outcome> {
    if !HERE {
        return Ok(not_here(
            "the tests are put under valgrind on Linux on x86-64 only",
        ));
    }
    let mut command = interface(library, &["--test-threads=1"]);
    let watch = "valgrind -q --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
                 --error-exitcode=9 --num-callers=30";
    command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", watch);
    for (name, few) in [
        ("FIXSTEP_TEST_WATCHED", "1"),
        ("FIXSTEP_CALLS", "3000"),
        ("FIXSTEP_MUTANTS", "30"),
        ("FIXSTEP_STEPS", "2000"),
    ] {
        command.env(name, few);
    }
    counted(command)
}

/// Moves instances between threads, with everything built to detect data races. Only Rust's nightly compiler can do
/// that.
fn threads() -> Result<Outcome> {
    if !HERE {
        return Ok(not_here("ThreadSanitizer is run on Linux on x86-64 only"));
    }
    let mut nightly = shell::program("rustc");
    nightly.args(["+nightly", "--version"]);
    if !shell::succeeds(nightly) {
        return Ok(not_here(
            "there is no nightly Rust: rustup toolchain install nightly",
        ));
    }
    let folder = shell::target().join("thread-sanitizer");
    fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    // The harness passes a result on through the standard library, which is not instrumented.
    let passed_over = folder.join("suppressions");
    fs::write(&passed_over, "race:test::event::CompletedTest\n").map_err(unusable(&passed_over))?;
    shell::run(watched(&folder, &["build", "-p", "fixstep-library"]))?;
    let mut command = watched(&folder, &["test", "--test", "abi"]);
    command.args(["--", "crowd", "--nocapture"]);
    let options = format!("suppressions={}", passed_over.display());
    command.env("TSAN_OPTIONS", options);
    command.env("FIXSTEP_CALLS", "10000");
    counted(command)
}

/// The nightly Cargo, with a compiler that has threads watched.
fn watched(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = shell::program("cargo");
    command.arg("+nightly").args(arguments);
    command.args(["--target", "x86_64-unknown-linux-gnu"]);
    command.env(
        "RUSTFLAGS",
        "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer -Clink-arg=-rdynamic",
    );
    command.env("CARGO_TARGET_DIR", folder);
    // The compiler that runs this program is not the one.
    for name in ["RUSTC", "RUSTUP_TOOLCHAIN", "CARGO"] {
        command.env_remove(name);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read() {
        let read = Amounts::read(&["--calls", "7", "--steps", "8"]);
        assert_eq!(
            read,
            Ok(Amounts {
                calls: 7,
                models: 200_000,
                files: 1_000_000,
                archives: 100_000,
                steps: 8,
                sequences: 200,
                readings: 600
            })
        );
        let message = Amounts::read(&["--calls", "many"]);
        assert_eq!(
            message,
            Err("--calls: `many` is not a whole number".to_owned())
        );
        assert!(Amounts::read(&["--steps"]).is_err());
        assert!(Amounts::read(&["--hours", "2"]).is_err());
    }
}

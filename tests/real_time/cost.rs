//! Measures the time of a step whose numbers have nearly all decayed to zero, for docs/real-time.md.

use std::process::Command;
use std::time::Instant;

use libloading::Library;

use crate::built::path;
use crate::case::Case;
use crate::host::Verdict;
use crate::run::Run;

/// Steps of which the median counts.
const STEPS: u32 = 2000;

/// Steps after which all that decays is far below what a number can hold.
const LONG_AFTER: u32 = 20_000;

/// Median time of steps \[µs\], each after setting a value.
fn median(run: &mut Run<'_>, value: f64) -> f64 {
    let mut times: Vec<u128> = (0..STEPS)
        .map(|_| {
            assert!(run.set_all(value));
            let begun = Instant::now();
            assert!(run.step());
            begun.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2] as f64 * 1e-3
}

/// In a process of its own: steps that move, that have come to rest, and with inputs next to nothing.
pub(crate) fn measure(library: &Library, case: &Case, version: u32) -> Verdict {
    let mut run = Run::start(library, case, version);
    let moving = median(&mut run, 1.0);
    for _ in 0..LONG_AFTER {
        if !(run.set_all(0.0) && run.step()) {
            return ("the run fails".to_owned(), false);
        }
    }
    let resting = median(&mut run, 0.0);
    let hinted = median(&mut run, 3e-310);
    (format!("{moving:.2} {resting:.2} {hinted:.2}"), true)
}

/// `cost`: a row for the page.
pub(crate) fn main() -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["host", "cost", "decay", "3"]).arg(path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let words: Vec<&str> = said.split_whitespace().collect();
    let ["ok", moving, resting, hinted] = words[..] else {
        println!("FAILED {said} {}", String::from_utf8_lossy(&output.stderr));
        return false;
    };
    for (what, time) in [
        ("moves, inputs 1", moving),
        ("has come to rest, inputs 0", resting),
        ("has come to rest, inputs 3e-310", hinted),
    ] {
        println!("row | {what} | {time} |");
    }
    true
}

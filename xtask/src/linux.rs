//! What benchmarks ask of Linux: one processor core for a program, the load and the name of the processor. Control
//! plane.

use std::fs;
use std::path::Path;

use crate::shell::{self, Result};

/// The load average, whose first word is that of the last minute.
const LOAD: &str = "/proc/loadavg";
/// A description of every processor core.
const PROCESSORS: &str = "/proc/cpuinfo";
/// The program that keeps another on one core.
const TASKSET: &str = "taskset";

/// Whether a benchmark can run here; otherwise what is missing.
pub(crate) fn check() -> Result<()> {
    let files = [LOAD, PROCESSORS].map(Path::new);
    let missing = files.into_iter().find(|file| !file.exists());
    match missing {
        Some(file) => Err(format!(
            "benchmarks run on Linux only: there is no {}",
            file.display()
        )),
        None if !shell::exists(TASKSET) => Err(format!(
            "benchmarks need {TASKSET}, of the package util-linux"
        )),
        None => Ok(()),
    }
}

/// Words before a command that keep it on the last core.
pub(crate) fn on_last_core() -> Vec<String> {
    let core = std::thread::available_parallelism().map_or(0, |n| n.get() - 1);
    [TASKSET, "-c", &core.to_string()]
        .map(str::to_owned)
        .to_vec()
}

/// Runnable threads, averaged over the last minute.
pub(crate) fn load() -> String {
    let text = fs::read_to_string(LOAD).unwrap_or_default();
    let load = text.split_whitespace().next();
    load.unwrap_or("unknown").to_owned()
}

/// Name of the processor and number of its cores.
pub(crate) fn processor() -> String {
    let text = fs::read_to_string(PROCESSORS).unwrap_or_default();
    let model = text.lines().find(|line| line.starts_with("model name"));
    let name = model
        .and_then(|line| line.split(':').nth(1))
        .unwrap_or("unknown processor");
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{} ({cores} cores)", name.trim())
}

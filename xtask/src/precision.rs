//! `cargo xtask precision`: error against work of the variable step, beside programs that integrate the same
//! equations; writes docs/work-precision.md and its figures. Control plane.
//!
//! The scripts are in `tests/work_precision`. What they print is kept in `target/precision/results.jsonl`.

mod chart;
mod page;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::bench::lines::Lines;
use crate::install;
use crate::linux;
use crate::shell::{self, Result, unusable};

/// The folder of the scripts.
fn scripts() -> PathBuf {
    shell::root().join("tests/work_precision")
}

/// What is built and measured.
fn folder() -> PathBuf {
    shell::target().join("precision")
}

/// The packages of the other programs.
fn environment() -> PathBuf {
    shell::target().join("venv-precision")
}

fn results() -> PathBuf {
    folder().join("results.jsonl")
}

/// Measures these problems, or all, and writes the page.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    linux::check()?;
    install::sundials()?;
    install::packages(&environment(), &scripts().join("requirements.txt"))?;
    fs::create_dir_all(folder()).map_err(unusable(&folder()))?;
    let arguments = ["build", "--release", "-p", "fmu-build", "--bin", "fixstep"];
    shell::run(shell::cargo(&arguments))?;
    let mut lines = Lines::default();
    // Other problems keep what was measured last.
    if !names.is_empty() && results().exists() {
        let old = Lines::read(&results())?;
        let kept = old.iter().filter(|line| {
            line.text("problem")
                .is_some_and(|problem| !names.contains(&problem))
        });
        kept.for_each(|line| lines.push(line.clone()));
    }
    let program = shell::target().join("release/fixstep");
    let mut measure = python("measure.py");
    measure.arg(&program).arg(folder()).args(names);
    lines.add("", &heard(measure)?);
    for problem in ["andrews", "heavy_top"] {
        if names.is_empty() || names.contains(&problem) {
            let mut bodies = python("bodies.py");
            bodies.arg(problem);
            lines.add("", &heard(bodies)?);
        }
    }
    lines.write(&results())?;
    page::write(&lines)
}

/// The page once more, from what was measured last.
pub(crate) fn publish() -> Result<()> {
    page::write(&Lines::read(&results())?)
}

/// A script, on one core like the programs it starts.
fn python(script: &str) -> Command {
    let pin = linux::on_last_core();
    let mut words = pin.clone();
    words.push(install::python_of(&environment()).display().to_string());
    let mut command = shell::program(&words[0]);
    command.args(&words[1..]).arg(scripts().join(script));
    // Exudyn writes files where it runs.
    command.current_dir(folder());
    command
}

/// What a script says; its errors are shown.
fn heard(mut command: Command) -> Result<String> {
    command.stderr(std::process::Stdio::inherit());
    let output = command
        .output()
        .map_err(|error| format!("python: {error}"))?;
    if !output.status.success() {
        return Err("a script of tests/work_precision failed".into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

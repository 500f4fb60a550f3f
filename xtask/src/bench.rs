//! `cargo xtask bench`: measures our own steps and those of other programs, the C interface, the growth of cost, and
//! the Real Time Index of the examples; writes one page and its figures. Control plane.
//!
//! Programs take turns, round by round, each in its own process on the same core, so that their ratios are those of
//! one run. Their output is kept in `target/bench/results.jsonl`.

pub(crate) mod chart;
mod goals;
pub(crate) mod growth;
pub(crate) mod lines;
mod page;
mod peers;
mod rti;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::install;
use crate::linux;
use crate::products::{self, Products};
use crate::shell::{self, Result, unusable};
use lines::Lines;

/// Rounds, and those of a quick run.
const ROUNDS: usize = 3;
const QUICK: usize = 1;

/// The mechanisms of our own benchmark, in the order of the page.
const CASES: [&str; 9] = [
    "chain 1",
    "chain 10",
    "chain 40",
    "chain 100",
    "chain 400",
    "andrews",
    "vehicle",
    "slider-crank 16",
    "slider-crank 46",
];

/// The extent of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All rounds.
    Full,
    /// One round.
    Quick,
    /// The page once more, from what was measured last.
    Page,
}

/// Where results are kept.
fn results() -> PathBuf {
    shell::target().join("bench/results.jsonl")
}

/// Measures and writes the page.
pub(crate) fn run(extent: Extent) -> Result<()> {
    if extent != Extent::Page {
        let rounds = if extent == Extent::Quick {
            QUICK
        } else {
            ROUNDS
        };
        measure(rounds)?.write(&results())?;
    }
    let lines = Lines::read(&results())?;
    page::write(&lines)
}

fn measure(rounds: usize) -> Result<Lines> {
    linux::check()?;
    let products = products::build()?;
    let folder = shell::target().join("bench");
    fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    let [step, interface] = ["step", "interface"].map(build);
    let (step, interface) = (step?, interface?);
    let prepared = peers::prepare();
    let mut lines = Lines::default();
    once(&products, &mut lines)?;
    if let Err(reason) = &prepared {
        let reason = reason.replace('"', "'");
        lines.add(r#""run": "no peers""#, &format!(r#"{{"why": "{reason}"}}"#));
    }
    let pin = linux::on_last_core();
    lines.add(r#""run": "begin""#, &state());
    let all = if prepared.is_ok() {
        peers::all()
    } else {
        Vec::new()
    };
    for round in 0..rounds {
        for case in CASES {
            run_benchmark(&step, &[case, "--rounds", "1"], &pin, &mut lines)?;
            for peer in all.iter().filter(|peer| peer.case == case) {
                peer.measure(&pin, round == 0, &mut lines)?;
            }
            println!("round {} of {rounds}: {case}", round + 1);
        }
        let library = products.library.display().to_string();
        run_benchmark(&interface, &[&library], &pin, &mut lines)?;
        // A run that is broken off leaves whole rounds.
        lines.write(&results())?;
    }
    lines.add(r#""run": "end""#, &state());
    Ok(lines)
}

/// Measurements without rounds: sizes, counts, the examples.
fn once(products: &Products, lines: &mut Lines) -> Result<()> {
    let library = &products.library;
    let bytes = fs::metadata(library).map_err(unusable(library))?.len();
    lines.add(r#""case": "library""#, &format!(r#"{{"bytes": {bytes}}}"#));
    if install::valgrind() {
        for curve in growth::curves(products, false)? {
            let fields = format!(r#""growth": "{}""#, curve.series.name);
            for (size, count) in &curve.points {
                let line = format!(r#"{{"size": {size}, "instructions": {count}}}"#);
                lines.add(&fields, &line);
            }
        }
    }
    rti::measure(products, lines)
}

/// The processor, and the load of the machine.
fn state() -> String {
    let (processor, load) = (linux::processor(), linux::load());
    format!(r#"{{"machine": "{processor}", "load": "{load}"}}"#)
}

/// Builds one of our benchmarks, in the folder and with the code of the shared library; returns a copy that later
/// builds do not touch.
fn build(name: &str) -> Result<PathBuf> {
    let mut cargo = shell::cargo(&["bench", "--no-run", "-p", "fixstep", "--bench", name]);
    cargo.arg("--message-format=json-render-diagnostics");
    cargo
        .arg("--target-dir")
        .arg(shell::target().join("library"));
    cargo.stderr(Stdio::inherit());
    let output = cargo.output().map_err(|error| format!("cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let found = text.split("\"executable\":\"").skip(1);
    let made = found.last().and_then(|rest| rest.split('"').next());
    let made = made.ok_or_else(|| format!("the benchmark {name} was not built"))?;
    let copy = shell::target().join("bench").join(name);
    fs::copy(made, &copy).map_err(|error| format!("{made}: {error}"))?;
    Ok(copy)
}

/// Runs a benchmark of ours on the core; its lines.
fn run_benchmark(program: &Path, words: &[&str], pin: &[String], lines: &mut Lines) -> Result<()> {
    let file = program.with_extension("jsonl");
    let mut all: Vec<&OsStr> = pin.iter().map(OsStr::new).collect();
    all.push(program.as_os_str());
    all.extend(words.iter().map(OsStr::new));
    let mut command = shell::program(all[0]);
    command.args(&all[1..]).arg("--json").arg(&file);
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        return Err(format!(
            "{} {} failed: {said}",
            program.display(),
            words.join(" ")
        ));
    }
    lines.add("", &fs::read_to_string(&file).map_err(unusable(&file))?);
    Ok(())
}

/// A figure of the page.
fn figure(name: &str) -> PathBuf {
    shell::root().join("docs/figures").join(name)
}

/// Writes a file of the page.
fn put(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(unusable(path))?;
    println!("written {}", path.display());
    Ok(())
}

//! `cargo xtask bench --counts`: the instructions of every step of the examples, counted by
//! callgrind in the packed binary. Control plane.
//!
//! Collection is on inside `fmi3DoStep` only, and a part is dumped whenever that function is entered:
//! each part is one step, and nothing of the program around it, of the outputs it reads or of the
//! files it writes is in it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use crate::bench;
use crate::install;
use crate::products::{self, Products};
use crate::report::Outcome;
use crate::shell::{self, Result, unusable};

/// The most steps of an example.
const STEPS: u32 = 3000;

/// The largest variation over a run that the examples may show \[%\].
const LIMIT: f64 = 2.0;

/// The function that is counted.
const STEP: &str = "fmi3DoStep";

/// Runs at a time.
const WORKERS: usize = 2;

/// How far the car falls that is counted in the air and on its tyres \[m\].
const FALL: f64 = 0.2;

/// What is counted: an example, or one that is changed.
struct Case {
    /// Of its files.
    name: String,
    /// In the table.
    title: String,
    model: PathBuf,
    input: Option<PathBuf>,
}

/// Instructions of the steps of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Figures {
    steps: usize,
    min: u64,
    median: u64,
    max: u64,
}

impl Figures {
    /// Of the steps of a run.
    fn of(counts: &[u64]) -> Result<Self> {
        let mut sorted = counts.to_vec();
        sorted.sort_unstable();
        match (sorted.first(), sorted.get(sorted.len() / 2), sorted.last()) {
            (Some(&min), Some(&median), Some(&max)) => Ok(Self {
                steps: counts.len(),
                min,
                median,
                max,
            }),
            _ => Err("no step was counted".into()),
        }
    }

    /// (max − min)/median \[%\].
    fn variation(self) -> f64 {
        100.0 * (self.max - self.min) as f64 / self.median as f64
    }

    /// A line of the table.
    fn row(self, title: &str) -> String {
        format!(
            "| {title} | {} | {} | {} | {} | {:.2} % |",
            self.steps,
            self.min,
            self.median,
            self.max,
            self.variation()
        )
    }
}

/// Counts every example and writes the page `docs/fixed-work.md`.
pub(crate) fn run() -> Result<()> {
    if !install::valgrind() {
        install::debian_packages()?;
    }
    let products = products::build()?;
    let mut table = heading();
    for (case, figures) in count_all(&products)? {
        let row = figures.row(&case.title);
        writeln!(table, "{row}").map_err(|error| error.to_string())?;
    }
    let page = shell::root().join("docs/fixed-work.md");
    fs::write(&page, &table).map_err(|error| format!("{}: {error}", page.display()))?;
    println!("\n{table}\nwritten to {}", page.display());
    Ok(())
}

/// Every example's steps differ by less than the limit; a section of `cargo xtask test`.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for (case, figures) in count_all(products)? {
        let text = format!(
            "{}: {} instructions a step, {:.2} % variation over {} steps",
            case.name,
            figures.median,
            figures.variation(),
            figures.steps
        );
        if figures.variation() < LIMIT {
            println!("ok {text}");
            outcome.add(Outcome::pass());
        } else {
            println!("FAILED {text}");
            outcome.counts.failed += 1;
            outcome.notes.push(format!("failed: {text}"));
        }
    }
    Ok(outcome)
}

/// What the page says before its table.
fn heading() -> String {
    format!(
        "# Fixed work\n\n\
         Instructions of a communication step, `{STEP}` from entry to return, of the packed FMI 3.0 \
         binary, for each\nexample with its own solver settings over the first {STEPS} steps of its \
         experiment at most: large motion,\nreversal, and in the bouncer contact that comes and \
         goes. The first step is among them. Counted by callgrind;\n\
         `cargo xtask bench --counts` writes this page, and `cargo xtask test` holds the variation, \
         (max − min)/median,\nbelow {LIMIT} %. The counts are those of the compiler that built the \
         binary; their constancy is not.\n\n\
         | example | steps | min | median | max | variation |\n|---|---|---|---|---|---|\n"
    )
}

/// All examples, the car dropped from above the road, and a crane with many modes.
fn cases() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for example in products::examples()? {
        let (name, model) = (example.name, example.model);
        let title = format!("[{name}](../models/{name}/README.md)");
        if name == "vehicle" {
            let title = format!("{title}, dropped {FALL} m");
            cases.push(dropped(&model, title)?);
        }
        cases.push(Case {
            name,
            title,
            model,
            input: example.input,
        });
    }
    cases.push(Case {
        name: "truck_crane".to_owned(),
        title: "two flexible bodies of 20 modes each among 15 parts".to_owned(),
        model: shell::root().join("tests/mechanisms/truck_crane/model.json"),
        input: None,
    });
    Ok(cases)
}

/// A car on a flat road, with the road further down.
fn dropped(model: &Path, title: String) -> Result<Case> {
    let text = fs::read_to_string(model).map_err(unusable(model))?;
    let flat = "\"shape\": {\"type\": \"flat\"}";
    if text.matches(flat).count() != 1 {
        return Err(format!("{}: no flat road to move", model.display()));
    }
    let lower = format!("{flat}, \"position\": [0, 0, {}]", -FALL);
    let folder = shell::target().join("bench/dropped");
    fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    let tyre = "tyre.tir";
    fs::copy(model.with_file_name(tyre), folder.join(tyre)).map_err(unusable(model))?;
    let file = folder.join("model.json");
    fs::write(&file, text.replace(flat, &lower)).map_err(unusable(&file))?;
    Ok(Case {
        name: "vehicle_dropped".into(),
        title,
        model: file,
        input: None,
    })
}

/// Counts every case, some at a time; in their order.
fn count_all(products: &Products) -> Result<Vec<(Case, Figures)>> {
    let mut waiting = cases()?;
    let order: Vec<String> = waiting.iter().map(|case| case.name.clone()).collect();
    waiting.reverse();
    let (waiting, counted) = (Mutex::new(waiting), Mutex::new(Vec::new()));
    let next = || waiting.lock().ok()?.pop();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(case) = next() {
                    let figures = count(products, &case);
                    if let Ok(mut counted) = counted.lock() {
                        counted.push((case, figures));
                    }
                }
            });
        }
    });
    let counted = counted.into_inner().map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (case, figures) in counted {
        all.push((case, figures?));
    }
    all.sort_by_key(|(case, _)| order.iter().position(|name| *name == case.name));
    Ok(all)
}

/// Runs a case under callgrind.
fn count(products: &Products, case: &Case) -> Result<Figures> {
    let fmu = products.pack(&case.name, &case.model, "3")?;
    let folder = shell::target().join("bench/counts").join(&case.name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(unusable(&folder))?;
    }
    fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    let model = fs::read_to_string(&case.model)
        .map_err(|error| format!("{}: {error}", case.model.display()))?;
    let (stop, steps) = span(&model)?;
    let mut command = shell::program("valgrind");
    command
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--toggle-collect={STEP}"))
        .arg(format!("--dump-before={STEP}"))
        .arg(format!(
            "--callgrind-out-file={}",
            folder.join("part").display()
        ))
        // Functions of the C library are bound before the first step, not within it.
        .env("LD_BIND_NOW", "1")
        .arg(&products.program)
        .arg("run")
        .arg(&fmu)
        .args(["--stop", &stop.to_string()]);
    if let Some(input) = &case.input {
        command.arg("--input").arg(input);
    }
    shell::run(command)?;
    let counts = read(&folder)?;
    fs::remove_dir_all(&folder).map_err(unusable(&folder))?;
    if counts.len() != steps as usize {
        return Err(format!(
            "{}: callgrind has seen {} calls of {STEP}, the run has {steps} steps",
            case.name,
            counts.len()
        ));
    }
    Figures::of(&counts)
}

/// Where a run stops, in the model's unit of time, and its number of steps.
fn span(model: &str) -> Result<(f64, u32)> {
    let (_, experiment) = model
        .rsplit_once("\"experiment\"")
        .ok_or("the example has no experiment")?;
    let value = |key: &str| -> Result<f64> {
        let text = bench::number(experiment, key)?;
        text.parse()
            .map_err(|error| format!("`{key}` of the experiment: {error}"))
    };
    let (start, stop, step) = (value("start")?, value("stop")?, value("step")?);
    let whole = ((stop - start) / step).round();
    if whole <= f64::from(STEPS) {
        Ok((stop, whole as u32))
    } else {
        Ok((start + f64::from(STEPS) * step, STEPS))
    }
}

/// The totals of all parts in which the function ran.
fn read(folder: &Path) -> Result<Vec<u64>> {
    let mut counts = Vec::new();
    let unreadable = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let count = total(&text).ok_or_else(|| format!("{}: no total", path.display()))?;
        if count > 0 {
            counts.push(count);
        }
    }
    Ok(counts)
}

/// The total of a part; a part in which nothing ran has none or zero.
fn total(part: &str) -> Option<u64> {
    let line = part.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_their_variation() {
        let figures =
            Figures::of(&[103, 100, 101, 100, 102]).unwrap_or_else(|e| unreachable!("{e}"));
        assert_eq!((figures.min, figures.median, figures.max), (100, 101, 103));
        assert!((figures.variation() - 300.0 / 101.0).abs() < 1e-12);
        assert!(Figures::of(&[]).is_err());
    }

    #[test]
    fn parts_have_totals_and_runs_a_span() {
        assert_eq!(total("events: Ir\nsummary: 12\n\ntotals: 12\n"), Some(12));
        assert_eq!(total("events: Ir\n"), None);
        let model = r#"{"step": 7, "experiment": {"start": 1, "stop": 3, "step": 0.5}}"#;
        assert_eq!(span(model), Ok((3.0, 4)));
        let model = r#"{"experiment": {"start": 0, "stop": 30, "step": 0.001}}"#;
        assert_eq!(span(model), Ok((3.0, 3000)));
    }
}

//! Reads, validates and simulates every packed example through the crate fmi-rs; the trajectories
//! equal those of `fixstep run` bit for bit.
//!
//! Called as `fmi-rs-client FMUS REFERENCES MODELS`; prints `ok NAME` or `FAILED NAME: why`.

mod fmi2;
mod fmi3;
mod reference;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use fmi_rs::zip::extract_zip_archive;
use reference::Reference;

/// Whatever went wrong.
type Failure = Box<dyn Error>;

/// Outputs by name and row, as a client recorded them.
struct Trajectory {
    times: Vec<f64>,
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

/// Times of the default experiment [s].
#[derive(Clone, Copy)]
struct Experiment {
    start: f64,
    stop: f64,
    step: f64,
}

/// Reads the experiment of either version's description.
fn experiment(
    given: Option<&fmi_rs::model_description::DefaultExperiment>,
) -> Result<Experiment, Failure> {
    let given = given.ok_or("no DefaultExperiment")?;
    let number = |text: &Option<String>, name: &str| -> Result<f64, Failure> {
        let text = text
            .as_ref()
            .ok_or_else(|| format!("DefaultExperiment has no {name}"))?;
        Ok(text.parse()?)
    };
    let start = number(&given.startTime, "startTime")?;
    let stop = number(&given.stopTime, "stopTime")?;
    let step = number(&given.stepSize, "stepSize")?;
    // fmi-rs wants the quotient of duration and step whole to the last bit.
    let stop = start + ((stop - start) / step).round() * step;
    Ok(Experiment { start, stop, step })
}

/// An error with what the FMU logged.
fn with_log(error: &dyn Error, folder: &Path) -> Failure {
    let log = fs::read_to_string(folder.join("log.txt")).unwrap_or_default();
    format!("{error}; log: {}", log.trim()).into()
}

/// One example in one version.
fn check(fmu: &Path, reference: &Path, version: &str) -> Result<usize, Failure> {
    let reference = Reference::read(&fs::read_to_string(reference)?)?;
    let folder = tempfile::tempdir()?;
    extract_zip_archive(fmu, folder.path())?;
    let trajectory = match version {
        "2" => fmi2::simulate(folder.path())?,
        _ => fmi3::simulate(folder.path())?,
    };
    reference.compare(&trajectory)?;
    Ok(trajectory.rows.len() * trajectory.names.len())
}

/// Names of the examples in alphabetical order.
fn examples(models: &Path) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in fs::read_dir(models)? {
        let entry = entry?;
        if entry.path().join("model.json").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn main() -> ExitCode {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [fmus, references, models] = paths.as_slice() else {
        println!("FAILED usage: fmi-rs-client FMUS REFERENCES MODELS");
        return ExitCode::FAILURE;
    };
    let names = match examples(models) {
        Ok(names) if !names.is_empty() => names,
        _ => {
            println!("FAILED examples: none in {}", models.display());
            return ExitCode::FAILURE;
        }
    };
    let mut code = ExitCode::SUCCESS;
    for name in names {
        for version in ["2", "3"] {
            let fmu = fmus
                .join(format!("fmi{version}"))
                .join(format!("{name}.fmu"));
            let reference = references.join(format!("{name}.csv"));
            match check(&fmu, &reference, version) {
                Ok(values) => println!(
                    "ok {name}, FMI {version}.0 is read and simulated: {values} equal values"
                ),
                Err(error) => {
                    println!("FAILED {name}, FMI {version}.0 is read and simulated: {error}");
                    code = ExitCode::FAILURE;
                }
            }
        }
    }
    code
}

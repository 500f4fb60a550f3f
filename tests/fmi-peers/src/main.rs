//! Our C interface against that of the crates fmi and fmi-sys, whose types bindgen makes from the
//! official headers.
//!
//! Called as `fmi-peers FMUS REFERENCES MODELS`; prints `ok NAME` or `FAILED NAME: why`.

mod drive;
mod functions;
mod packed;
mod signature;
mod types;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Whatever went wrong.
type Failure = Box<dyn Error>;

/// A way to drive an FMU of one version: from its file and its reference to compared rows.
type Drive = fn(&Path, &Path) -> Result<usize, Failure>;

const DRIVES: [(&str, &str, Drive); 3] = [
    ("FMI 2.0 runs with fmi-sys", "fmi2", drive::raw2),
    ("FMI 3.0 runs with fmi-sys", "fmi3", drive::raw3),
    ("FMI 2.0 runs with fmi", "fmi2", drive::typed2),
];

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
    if names.is_empty() {
        Err("no examples".into())
    } else {
        Ok(names)
    }
}

/// Drives every example in every way; the number of failures.
fn drive_all(fmus: &Path, references: &Path, models: &Path) -> Result<u32, Failure> {
    let mut failures = 0;
    for name in examples(models)? {
        let reference = references.join(format!("{name}.csv"));
        for (way, folder, drive) in DRIVES {
            let fmu = fmus.join(folder).join(format!("{name}.fmu"));
            match drive(&fmu, &reference) {
                Ok(rows) => println!("ok {name}, {way}: {rows} equal rows"),
                Err(error) => {
                    println!("FAILED {name}, {way}: {error}");
                    failures += 1;
                }
            }
        }
    }
    Ok(failures)
}

/// Prints one comparison of the interfaces; the number of failures.
fn report(what: &str, (compared, differences): (usize, Vec<String>)) -> u32 {
    for difference in &differences {
        println!("    {difference}");
    }
    if differences.is_empty() && compared > 0 {
        println!("ok {compared} {what}");
        0
    } else {
        println!("FAILED {what}: {} of {compared} differ", differences.len());
        1
    }
}

fn main() -> ExitCode {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [fmus, references, models] = paths.as_slice() else {
        println!("FAILED usage: fmi-peers FMUS REFERENCES MODELS");
        return ExitCode::FAILURE;
    };
    let failures = report(
        "sizes, alignments, offsets and numbers of types",
        types::compare(),
    ) + report("signatures of functions", functions::compare());
    match drive_all(fmus, references, models) {
        Ok(0) if failures == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            println!("FAILED examples: {error}");
            ExitCode::FAILURE
        }
    }
}

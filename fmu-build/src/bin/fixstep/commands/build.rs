//! Control plane: `fixstep build`.

use std::path::PathBuf;

use fixstep::variables::model_identifier;
use fmu_build::package::library::Library;
use fmu_build::{check, package};
use model_description::parse::FmiVersion;

use super::Done;
use crate::args;
use crate::console::{Console, write_file};
use crate::source::model;

/// `fixstep build`
pub(crate) fn build(args: &args::Build, console: &mut Console) -> Done {
    let (text, model) = model(&args.model)?;
    let libraries = Library::all(&args.library)?;
    let version = match args.fmi {
        args::Fmi::Two => FmiVersion::V2,
        args::Fmi::Three => FmiVersion::V3,
    };
    let bytes = package::pack(&text, &model, version, &libraries)?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.fmu", model_identifier(&model.name))));
    write_file(&output, &bytes)?;
    let problems = check::fmu(&output, true, false)?;
    for problem in &problems {
        console.note(&problem.to_string());
    }
    let sound = problems.iter().all(|problem| !problem.error);
    let size = bytes.len() as f64 / 1e6;
    let verdict = if sound { "checked" } else { "with problems" };
    console.say(&format!("{} ({size:.1} MB, {verdict})", output.display()))?;
    Ok(sound)
}

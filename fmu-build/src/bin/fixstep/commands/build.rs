//! Control plane: `fixstep build`, which packs a model as an FMU.

use std::path::PathBuf;

use fixstep_variables::model_identifier;
use fmu_build::package::library::Library;
use fmu_build::{check, package};

use super::{Done, written};
use crate::args;
use crate::console::Console;
use crate::places::Places;
use crate::source::{files, model};

/// `fixstep build`
pub(crate) fn build(args: &args::Build, console: &mut Console) -> Done {
    let (text, model) = model(&args.model)?;
    let output = args.output.clone().unwrap_or_else(|| {
        PathBuf::from(format!("{}.fmu", model_identifier(&model.mechanism.name)))
    });
    Places::default()
        .reads("MODEL.json", [&args.model])
        .reads("a file of the model", &files(&args.model, &model))
        .reads("--library", &args.packing.library)
        .writes("--output", [&output])
        .check()?;
    let libraries = Library::all(&args.packing.library)?;
    let bytes = package::pack(&text, &model, args.packing.with(&libraries))?;
    written(&output, &bytes, console, |file| {
        check::fmu(file, true, false)
    })
}

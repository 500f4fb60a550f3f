//! Control plane: `fixstep ssp`.

use std::path::PathBuf;

use fixstep_variables::model_identifier;
use fmu_build::archive::write::write;
use fmu_build::package::Packing;
use fmu_build::package::library::Library;
use fmu_build::ssp;

use super::{Done, written};
use crate::args;
use crate::console::{Console, write_file};
use crate::kinds::require;
use crate::places::Places;

/// `fixstep ssp`
pub(crate) fn ssp(args: &args::Ssp, console: &mut Console) -> Done {
    require(&args.system, "json")?;
    let components = ssp::components(&args.system);
    let places = || {
        Places::default()
            .reads("SYSTEM.json", [&args.system])
            .reads("the file of a component", &components)
            .reads("--library", &args.library)
    };
    places().writes("--output", &args.output).check()?;
    let libraries = Library::all(&args.library)?;
    let (name, files) = ssp::build(
        &args.system,
        Packing {
            version: args.fmi.version(),
            libraries: &libraries,
            protect: args.protect,
        },
    )?;
    let bytes = write(&files)?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.ssp", model_identifier(&name))));
    places().writes("--output", [&output]).check()?;
    write_file(&output, &bytes)?;
    written(
        &output,
        bytes.len(),
        &ssp::problems(&output, true, false)?,
        console,
    )
}

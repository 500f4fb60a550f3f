//! Control plane: `fixstep ssp`, which packs a system of models and FMUs.

use std::path::{Path, PathBuf};

use fixstep_variables::model_identifier;
use fmu_build::archive::write::write;
use fmu_build::check::Problem;
use fmu_build::package::library::Library;
use fmu_build::package::own;
use fmu_build::ssp;

use super::{Done, written};
use crate::args;
use crate::console::Console;
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
            .reads("--library", &args.packing.library)
    };
    places().writes("--output", &args.output).check()?;
    let libraries = Library::all(&args.packing.library)?;
    let (name, files) = ssp::build(&args.system, args.packing.with(&libraries))?;
    let bytes = write(&files)?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.ssp", model_identifier(&name))));
    places().writes("--output", [&output]).check()?;
    written(&output, &bytes, console, |file| {
        let mut problems = ssp::problems(file, true, false)?;
        if args.packing.protect {
            problems.extend(components.iter().filter_map(|file| readable(file)));
        }
        Ok(problems)
    })
}

/// The warning about a component that is packed unchanged although it contains a readable model.
fn readable(component: &Path) -> Option<Problem> {
    let is_readable = own::is_readable(component).unwrap_or(false);
    is_readable.then(|| Problem {
        error: false,
        ..Problem::error(
            &component.display().to_string(),
            "--protect leaves FMUs as they are, and this one has its model in it; build it with --protect",
        )
    })
}

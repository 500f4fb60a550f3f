//! Control plane: `fixstep expand`, `fixstep fmt` and `fixstep doc`, which work on the text of models.

use std::path::Path;

use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::resources::{Resources, folder};
use fixstep_model::{ModelErrors, documentation, expanded, formatted};
use fmu_build::slave::Failure;

use super::Done;
use crate::args;
use crate::console::{Console, write_file};
use crate::kinds::require;
use crate::places::Places;
use crate::source::{parent, text};

/// `fixstep expand`
pub(crate) fn expand(args: &args::Expand, console: &mut Console) -> Done {
    made((&args.model, &args.output), console, expanded)
}

/// `fixstep doc`
pub(crate) fn doc(args: &args::Doc, console: &mut Console) -> Done {
    made((&args.model, &args.output), console, documentation)
}

/// Writes what is made of a model.
fn made(
    (path, output): (&Path, &Path),
    console: &mut Console,
    make: impl Fn(&str, &str, &Resources<'_>) -> Result<String, ModelErrors>,
) -> Done {
    Places::default()
        .reads("MODEL.json", [path])
        .prints("--output", [output])
        .check()?;
    require(path, "json")?;
    let read = text(path, MODEL_BYTES)?;
    let made = make(&name(path), &read, &folder(parent(path)));
    console.write(output, &made.map_err(|e| invalid(path, &e))?)?;
    Ok(true)
}

/// `fixstep fmt`
pub(crate) fn fmt(args: &args::Fmt, console: &mut Console) -> Done {
    let mut texts = Vec::new();
    for path in &args.files {
        require(path, "json")?;
        let old = text(path, MODEL_BYTES)?;
        let new = formatted(&name(path), &old).map_err(|e| invalid(path, &e))?;
        texts.push((path, old, new));
    }
    let mut as_it_should = true;
    for (path, old, new) in texts {
        if old == new {
            continue;
        }
        as_it_should = false;
        if args.check {
            console.say(&format!("{}: has another form", path.display()))?;
        } else {
            write_file(path, new.as_bytes())?;
            console.note(&format!("{}: written", path.display()));
        }
    }
    Ok(as_it_should || !args.check)
}

/// The name of a file in messages.
fn name(path: &Path) -> String {
    path.display().to_string()
}

fn invalid(path: &Path, errors: &ModelErrors) -> Failure {
    Failure(format!("{} is not a valid model\n{errors}", path.display()))
}

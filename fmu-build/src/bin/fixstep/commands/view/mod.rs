//! Control plane: `fixstep view`, which shows a model while it is written.

mod serve;
mod watch;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::resources::folder;
use fixstep_pictures::payload::{Grade, Warning};
use fmu_build::slave::Failure;
use fmu_build::view::{self, Look};

use super::Done;
use crate::args;
use crate::console::Console;
use crate::kinds::require;
use crate::places::Places;
use crate::source::{is_archive, parent, text};

/// `fixstep view`
pub(crate) fn view(args: &args::View, console: &mut Console) -> Done {
    if is_archive(&args.model)? {
        return Err(Failure(format!(
            "{} is no model: it is a Zip archive, such as an FMU; valid here: a model (.json)",
            args.model.display()
        ))
        .into());
    }
    require(&args.model, "json")?;
    let places = Places::default().reads("MODEL.json", [&args.model]);
    places.prints("--output", &args.output).check()?;
    let Some(path) = &args.output else {
        return serve::serve(args, console);
    };
    let (look, _) = looked(args);
    console.write(path, &view::page(&name(args), (&look, None), None)?)?;
    for finding in &look.findings {
        console.note(&line(finding));
    }
    Ok(!has_errors(&look))
}

/// The file's name, as messages and the title have it.
fn name(args: &args::View) -> String {
    let name = args.model.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The model, and all files that were asked for while it was read.
fn looked(args: &args::View) -> (Look, BTreeSet<PathBuf>) {
    let model = &args.model;
    let near = parent(model).to_owned();
    let read = RefCell::new(BTreeSet::from([model.clone()]));
    let from = folder(&near);
    let files = |path: &str| {
        read.borrow_mut().insert(near.join(path));
        from(path)
    };
    let look = match text(model, MODEL_BYTES) {
        Ok(text) => view::look(&name(args), &text, &files),
        Err(failure) => lost(failure),
    };
    (look, read.into_inner())
}

/// Nothing but why there is nothing.
fn lost(Failure(text): Failure) -> Look {
    let finding = Warning {
        grade: Grade::Error,
        text,
        ..Warning::default()
    };
    Look {
        drawn: None,
        findings: vec![finding],
    }
}

fn has_errors(look: &Look) -> bool {
    { look.findings.iter() }.any(|finding| finding.grade == Grade::Error)
}

/// A finding as a line of text.
fn line(finding: &Warning) -> String {
    let grade = match finding.grade {
        Grade::Error => "error",
        Grade::Warning => "warning",
        Grade::Note => "note",
    };
    let Warning {
        place,
        source,
        text,
        ..
    } = finding;
    // The text of an error may name its place itself.
    let place = if text.starts_with(place.as_str()) {
        ""
    } else {
        place.as_str()
    };
    let places = [source.as_str(), place]
        .into_iter()
        .filter(|own| !own.is_empty());
    let all = std::iter::once(grade).chain(places).chain([text.as_str()]);
    all.collect::<Vec<_>>().join(": ")
}

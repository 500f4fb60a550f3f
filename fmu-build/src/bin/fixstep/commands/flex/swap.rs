//! Control plane: `fixstep flex swap`, which replaces a rigid part by a flexible body.

use std::path::Path;

use flexible_bodies::swap::{Swap, swap as swap_part};
use fmu_build::slave::Failure;

use super::super::Done;
use super::body;
use crate::args::FlexSwap;
use crate::console::{Console, write_file};
use crate::places::Places;
use crate::source::{files, flat, model, parent};

/// `fixstep flex swap`
pub(super) fn swap(args: &FlexSwap, console: &mut Console) -> Done {
    let (text, model) = model(&args.model)?;
    let text = flat(&args.model, text)?;
    Places::default()
        .reads("MODEL.json", [&args.model])
        .reads("a file of the model", &files(&args.model, &model))
        .reads("--with", [&args.body])
        .writes("--output", [&args.output])
        .check()?;
    let ask = Swap {
        part: args.part.clone(),
        file: beside(&args.body, &args.output)?,
        attach: args.attach.clone(),
        tolerance: args.tolerance,
    };
    let swapped = swap_part(&text, &model, &body::read(&args.body)?, &ask)
        .map_err(|error| body::about(&args.model, &error))?;
    write_file(&args.output, swapped.text.as_bytes())?;
    for marker in &swapped.markers {
        let far = marker.offset.norm();
        let place = if far > 0.0 {
            format!(", {far:.6} m beside it")
        } else {
            String::new()
        };
        console.say(&format!(
            "marker {:<24} node {}{place}",
            marker.marker, marker.node
        ))?;
    }
    console.say(swapped.difference.to_string().trim_end())?;
    Ok(true)
}

/// The path of a file as a model writes it: relative to its folder, with `/`.
fn beside(file: &Path, model: &Path) -> Result<String, Failure> {
    let folder = parent(model);
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let whole = |path: &Path| {
        path.canonicalize()
            .map_err(|error| body::about(path, &error))
    };
    let (file, folder) = (whole(file)?, whole(folder)?);
    let Ok(relative) = file.strip_prefix(&folder) else {
        return Err(Failure(format!(
            "{}: a model reads files from its own folder; valid: a file in or below {}",
            file.display(),
            folder.display()
        )));
    };
    let parts = relative
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    Ok(parts.collect::<Vec<_>>().join("/"))
}

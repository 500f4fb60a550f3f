//! Control plane: `fixstep flex beam`, which makes a flexible body, or a chain of rigid segments, from beams.

use std::path::Path;

use fixstep_kernel::fingerprint::Fingerprint;
use fixstep_model::Model;
use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::resources::folder;
use flexible_bodies::beam::{Beams, discrete, reduced};
use flexible_bodies::reduce::{NormalModes, Options};
use fmu_build::slave::Failure;

use super::super::Done;
use super::body;
use crate::args::FlexBeam;
use crate::console::Console;
use crate::kinds::require;
use crate::places::Places;
use crate::source::{files, flat, model, parent, text};

/// `fixstep flex beam`
pub(super) fn beam(args: &FlexBeam, console: &mut Console) -> Done {
    require(&args.file, "json")?;
    let description = text(&args.file, MODEL_BYTES)?;
    let beams = Beams::read(&description, &args.file.display().to_string())
        .map_err(|error| Failure(error.to_string()))?;
    let ending = if args.discrete.is_some() {
        "json"
    } else {
        "flex"
    };
    let output = body::output(args.output.as_ref(), &beams.name, ending);
    let places = Places::default()
        .reads("BEAM.json", [&args.file])
        .reads("--into", &args.into);
    match args.discrete {
        Some(_) => places.prints("--output", [&output]),
        None => places.writes("--output", [&output]),
    }
    .check()?;
    if let Some(segments) = args.discrete {
        return chain(args, console, &beams, segments, &output);
    }
    let options = Options {
        normal_modes: NormalModes::Count(args.modes),
        orthonormalise: !args.plain,
        keep_frequency: args.keep_frequency,
        ..Options::default()
    };
    let done = body::staged(console, |progress| reduced::body(&beams, options, progress));
    let (mut flexible, report) = done.map_err(|error| body::about(&args.file, &error))?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    flexible.sources = vec![(name.into_owned(), Fingerprint::of(description.as_bytes()))];
    let bytes = body::write(&output, &flexible, &args.file)?;
    body::tell(console, &report.to_string(), (&output, &flexible, &bytes))?;
    Ok(true)
}

/// Writes a model of rigid segments, or adds them to a model.
fn chain(
    args: &FlexBeam,
    console: &mut Console,
    beams: &Beams,
    segments: usize,
    output: &Path,
) -> Done {
    let Some(host) = &args.into else {
        let ends = [args.start, args.end].map(Option::unwrap_or_default);
        let chain = discrete::chain(beams, segments, ends)
            .map_err(|error| body::about(&args.file, &error))?;
        console.write(output, &chain.text())?;
        console.note(&format!("{}: {} parts", output.display(), chain.len()));
        return Ok(true);
    };
    let (text, model) = model(host)?;
    let text = flat(host, text)?;
    Places::default()
        .reads("a file of the model", &files(host, &model))
        .prints("--output", [output])
        .check()?;
    let ask = discrete::Ask {
        segments,
        ends: [args.start, args.end],
        at: args.at.clone(),
    };
    let joined = discrete::into(&text, &model, beams, &ask)
        .map_err(|error| body::about(&args.file, &error))?;
    // The result must be a valid model: names may be taken already.
    let whole = Model::read(&joined, &folder(parent(host))).map_err(|errors| {
        Failure(format!(
            "{} with the chain is not a valid model\n{errors}",
            host.display()
        ))
    })?;
    console.write(output, &joined)?;
    console.note(&format!(
        "{}: {} parts more",
        output.display(),
        whole.mechanism.bodies.len() - model.mechanism.bodies.len()
    ));
    Ok(true)
}

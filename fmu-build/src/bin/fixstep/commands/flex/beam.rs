//! Control plane: `fixstep flex beam`.

use std::path::{Path, PathBuf};

use fixstep::fingerprint::Fingerprint;
use fixstep::flex::format;
use flexible_bodies::beam::{Beams, discrete, reduced};
use flexible_bodies::reduce::{NormalModes, Options};
use fmu_build::slave::Failure;

use super::super::Done;
use crate::args::FlexBeam;
use crate::console::{Console, write_file};
use crate::source::text;

/// `fixstep flex beam`
pub(super) fn beam(args: &FlexBeam, console: &mut Console) -> Done {
    let file = args.file.display().to_string();
    let description = text(&args.file)?;
    let beams = Beams::read(&description, &file).map_err(|error| Failure(error.to_string()))?;
    let fail = |error: String| Failure(format!("{file}: {error}"));
    if let Some(segments) = args.discrete {
        let chain = discrete::chain(&beams, segments, [args.start, args.end]).map_err(fail)?;
        let output = output(args, &beams, "json");
        console.write(&output, &chain.text())?;
        console.note(&format!("{}: {} parts", output.display(), chain.len()));
        return Ok(true);
    }
    let options = Options {
        normal_modes: NormalModes::Count(args.modes),
        orthonormalise: !args.plain,
        keep_frequency: args.keep_frequency,
        ..Options::default()
    };
    let mut stage = String::new();
    let done = reduced::body(&beams, options, &mut |name, share| {
        if name != stage {
            name.clone_into(&mut stage);
            console.stage(name);
        }
        console.progress(share);
    });
    console.end();
    let (mut body, report) = done.map_err(|error| fail(error.to_string()))?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy();
    body.sources = vec![(name.into_owned(), Fingerprint::of(description.as_bytes()))];
    let bytes = format::write(&body);
    // What is written must be what the solver reads.
    format::read(&bytes).map_err(|error| fail(error.to_string()))?;
    let output = output(args, &beams, "flex");
    write_file(&output, &bytes)?;
    console.say(report.to_string().trim_end())?;
    let (modes, nodes) = (body.modes.len(), body.nodes.len());
    console.say(&format!(
        "{}: {modes} modes, {nodes} nodes, {} bytes",
        output.display(),
        bytes.len()
    ))?;
    Ok(true)
}

fn output(args: &FlexBeam, beams: &Beams, extension: &str) -> PathBuf {
    let named = || Path::new(&format!("{}.{extension}", beams.name)).to_path_buf();
    args.output.clone().unwrap_or_else(named)
}

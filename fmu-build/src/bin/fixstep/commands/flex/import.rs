//! Control plane: `fixstep flex import`.

use std::path::{Path, PathBuf};

use fixstep::flex::{FlexData, Mode, format};
use flexible_bodies::mnf::{self, Choice};
use fmu_build::slave::Failure;

use super::super::Done;
use crate::args::FlexImport;
use crate::console::{Console, write_file};

/// `fixstep flex import`
pub(super) fn import(args: &FlexImport, console: &mut Console) -> Done {
    let fail = |error: &dyn std::fmt::Display| Failure(error.to_string());
    console.stage("reading");
    let opened = mnf::open(&args.file);
    console.end();
    let mnf = opened.map_err(|error| fail(&error))?;
    let choice = Choice {
        nodes: args.nodes.iter().flatten().cloned().collect(),
        modes: args.modes.clone().map(|numbers| numbers.0),
        stresses: args
            .stress
            .iter()
            .flat_map(|numbers| numbers.0.clone())
            .collect(),
        outline: args.outline,
    };
    let (body, notes) = mnf.body(&choice).map_err(|error| fail(&error))?;
    for note in &notes {
        console.note(&format!("note: {note}"));
    }
    let bytes = format::write(&body);
    // What is written must be what the solver reads.
    format::read(&bytes).map_err(|error| Failure(format!("{}: {error}", args.file.display())))?;
    let output = output(args);
    write_file(&output, &bytes)?;
    console.say(&summary(&body))?;
    let (modes, nodes) = (body.modes.len(), body.nodes.len());
    console.say(&format!(
        "{}: {modes} modes, {nodes} nodes, {} bytes",
        output.display(),
        bytes.len()
    ))?;
    Ok(true)
}

fn output(args: &FlexImport) -> PathBuf {
    args.output.clone().unwrap_or_else(|| {
        let name = args.file.file_stem().unwrap_or_default();
        Path::new(name).with_extension("flex")
    })
}

/// Mass, centre and frequencies.
fn summary(body: &FlexData) -> String {
    let (mass, center) = (body.invariants.mass, body.invariants.center());
    let head = format!(
        "{}\nmass {mass:.6} kg, centre {:.6} {:.6} {:.6} m",
        body.description, center.x, center.y, center.z
    );
    let mode = |mode: &Mode| format!("{:>14.4} Hz  {}", mode.frequency, mode.label);
    let lines: Vec<String> = std::iter::once(head)
        .chain(body.modes.iter().map(mode))
        .collect();
    lines.join("\n")
}

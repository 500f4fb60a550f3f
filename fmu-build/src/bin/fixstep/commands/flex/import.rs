//! Control plane: `fixstep flex import`, which makes a flexible body from a modal neutral file.

use fixstep_kernel::flex::{FlexData, Mode};
use flexible_bodies::mnf::{self, Choice};
use fmu_build::slave::Failure;

use super::super::Done;
use super::body;
use crate::args::FlexImport;
use crate::console::Console;
use crate::places::Places;

/// `fixstep flex import`
pub(super) fn import(args: &FlexImport, console: &mut Console) -> Done {
    let fail = |error: &dyn std::fmt::Display| Failure(error.to_string());
    let output = body::output(args.output.as_ref(), &body::stem(&args.file), "flex");
    Places::default()
        .reads("FILE.mnf", [&args.file])
        .writes("--output", [&output])
        .check()?;
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
        surface: args.surface,
    };
    let (flexible, notes) = mnf.body(&choice).map_err(|error| fail(&error))?;
    for note in &notes {
        console.note(&format!("note: {note}"));
    }
    let bytes = body::write(&output, &flexible, &args.file)?;
    body::tell(console, &summary(&flexible), (&output, &flexible, &bytes))?;
    Ok(true)
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

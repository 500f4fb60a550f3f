//! Control plane: `fixstep flex inspect`, which describes and draws a flexible body.

use std::path::{Path, PathBuf};

use flexible_bodies::inspect::Inspection;
use fmu_build::flex_page;
use fmu_build::shapes::Wire;

use super::super::{Done, json};
use super::body;
use crate::args::FlexInspect;
use crate::console::{Console, write_file};
use crate::places::{Places, Stop};

/// `fixstep flex inspect`
pub(super) fn inspect(args: &FlexInspect, console: &mut Console) -> Done {
    Places::default()
        .reads("FILE.flex", [&args.file])
        .prints("--svg", &args.svg)
        .writes("--png", &args.png)
        .prints("--html", &args.html)
        .check()?;
    let data = body::read(&args.file)?;
    let inspection = Inspection::of(&data);
    let text = if args.json {
        json(&inspection)?
    } else {
        inspection.to_string()
    };
    let printed = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    if args.json && (printed(&args.svg) || printed(&args.html)) {
        return Err(Stop::CommandLine(
            "--json and a picture both write to standard output; give the picture a file"
                .to_owned(),
        ));
    }
    if !printed(&args.svg) && !printed(&args.html) {
        console.say(text.trim_end())?;
    }
    let wire = Wire::of(&data, &args.modes)?;
    if let Some(path) = &args.svg {
        console.write(path, &wire.svg())?;
    }
    if let Some(path) = &args.png {
        write_file(path, &wire.png()?)?;
    }
    if let Some(path) = &args.html {
        console.write(path, &flex_page::page(&data, &args.modes, &inspection)?)?;
    }
    Ok(true)
}

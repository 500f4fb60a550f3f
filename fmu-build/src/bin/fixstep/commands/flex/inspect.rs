//! Control plane: `fixstep flex inspect`, which describes and draws a flexible body.

use std::path::{Path, PathBuf};

use flexible_bodies::inspect::Inspection;
use fmu_build::flex;

use super::super::{Done, json};
use super::body;
use crate::args::FlexInspect;
use crate::console::{Console, write_file};
use crate::places::{Places, Stop};

/// `fixstep flex inspect`
pub(super) fn inspect(args: &FlexInspect, console: &mut Console) -> Done {
    Places::default()
        .reads("FILE.flex", [&args.file])
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
    if args.json && printed(&args.html) {
        return Err(Stop::CommandLine(
            "--json and a page both write to standard output; give the page a file".to_owned(),
        ));
    }
    if !printed(&args.html) {
        console.say(text.trim_end())?;
    }
    flex::chosen(&data, &args.modes)?;
    if let Some(path) = &args.png {
        write_file(path, &flex::sheet::png(&data, &args.modes)?)?;
    }
    if let Some(path) = &args.html {
        console.write(path, &flex::page::page(&data, &args.modes, &inspection)?)?;
    }
    Ok(true)
}

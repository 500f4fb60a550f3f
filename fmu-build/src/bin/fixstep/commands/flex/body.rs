//! Control plane: reads and writes flexible bodies, and shows the progress of long work on them.

use std::path::{Path, PathBuf};

use fixstep_kernel::flex::FlexData;
use fixstep_model::flex_file;
use fixstep_model::limits::FILE_BYTES;
use fixstep_model::resources::read_bounded;
use fmu_build::slave::Failure;

use crate::console::{Console, write_file};

/// A failure of a file.
pub(super) fn about(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure(format!("{}: {error}", path.display()))
}

/// Reads a flexible body.
pub(super) fn read(path: &Path) -> Result<FlexData, Failure> {
    let bytes = read_bounded(path, FILE_BYTES).map_err(|error| about(path, &error))?;
    flex_file::read(&bytes).map_err(|error| about(path, &error))
}

/// The file that the user names, or one of this name in the current folder.
pub(super) fn output(given: Option<&PathBuf>, name: &str, extension: &str) -> PathBuf {
    given.map_or_else(
        || PathBuf::from(format!("{name}.{extension}")),
        Clone::clone,
    )
}

/// The name of a file without folder and ending.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Writes a body made from a file and returns its bytes; checks that the solver can read them.
pub(super) fn write(path: &Path, body: &FlexData, of: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = flex_file::write(body);
    flex_file::read(&bytes).map_err(|error| about(of, &error))?;
    write_file(path, &bytes)?;
    Ok(bytes)
}

/// Reports what was written, after the report on the body.
pub(super) fn tell(
    console: &mut Console,
    report: &str,
    (path, body, bytes): (&Path, &FlexData, &[u8]),
) -> Result<(), Failure> {
    console.say(report.trim_end())?;
    console.say(&format!(
        "{}: {} {}, {} nodes, {} bytes",
        path.display(),
        body.modes.len(),
        if body.modes.len() == 1 {
            "mode"
        } else {
            "modes"
        },
        body.nodes.len(),
        bytes.len()
    ))
}

/// Does long work with named stages, and shows the progress of each.
pub(super) fn staged<T>(
    console: &mut Console,
    work: impl FnOnce(&mut dyn FnMut(&str, f64)) -> T,
) -> T {
    let mut stage = String::new();
    let done = work(&mut |name, share| {
        if name != stage {
            name.clone_into(&mut stage);
            console.stage(name);
        }
        console.progress(share);
    });
    console.end();
    done
}

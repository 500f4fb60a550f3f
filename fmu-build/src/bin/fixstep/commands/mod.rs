//! Control plane: runs each command. `Ok(false)` is a failed check or limit that has already been reported.

mod advise;
mod build;
mod check;
mod drawing;
mod filming;
mod flex;
mod inspect;
mod linearize;
mod modes;
mod of_form;
mod point;
mod remarks;
mod report;
mod response;
mod rti;
mod run;
mod schema;
mod shown;
mod ssp;
mod text;
mod variable_step;
mod view;

pub(crate) use advise::advise;
pub(crate) use build::build;
pub(crate) use check::check;
pub(crate) use flex::flex;
pub(crate) use inspect::inspect;
pub(crate) use linearize::linearize;
pub(crate) use modes::modes;
pub(crate) use response::response;
pub(crate) use rti::rti;
pub(crate) use run::run;
pub(crate) use schema::schema;
pub(crate) use ssp::ssp;
pub(crate) use text::{doc, expand, fmt};
pub(crate) use view::view;

use std::path::Path;

use fmu_build::check::Problem;
use fmu_build::slave::Failure;
use serde::Serialize;

use crate::console::{Console, write_checked};
use crate::places::Stop;

/// How a command ended.
type Done = Result<bool, Stop>;

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure(format!("JSON: {error}")))
}

/// Writes a packed file after it was opened and checked; if it has errors, an existing file is kept.
fn written(
    path: &Path,
    bytes: &[u8],
    console: &mut Console,
    check: impl FnOnce(&Path) -> Result<Vec<Problem>, Failure>,
) -> Done {
    let is_sound = |problems: &[Problem]| problems.iter().all(|problem| !problem.error);
    let problems = write_checked(path, bytes, |file| {
        let problems = check(file)?;
        let sound = is_sound(&problems);
        Ok((problems, sound))
    })?;
    let sound = is_sound(&problems);
    for problem in &problems {
        console.note(&problem.to_string());
    }
    let (place, size) = (path.display(), bytes.len() as f64 / 1e6);
    if sound {
        console.say(&format!("{place} ({size:.1} MB, checked)"))?;
    } else {
        console.complain(&format!(
            "{place} is not written, because of the errors above"
        ));
    }
    Ok(sound)
}

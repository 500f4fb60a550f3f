//! Control plane: what each command does. `Ok(false)` is a failed check or limit, already told.

mod build;
mod check;
mod flex;
mod inspect;
mod remarks;
mod rti;
mod run;
mod schema;
mod ssp;

pub(crate) use build::build;
pub(crate) use check::check;
pub(crate) use flex::flex;
pub(crate) use inspect::inspect;
pub(crate) use rti::rti;
pub(crate) use run::run;
pub(crate) use schema::schema;
pub(crate) use ssp::ssp;

use std::path::Path;

use fmu_build::check::Problem;
use fmu_build::slave::Failure;
use serde::Serialize;

use crate::console::Console;
use crate::places::Stop;

/// How a command ended.
type Done = Result<bool, Stop>;

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure(format!("JSON: {error}")))
}

/// Tells of a packed file of so many bytes, opened again and checked.
fn written(path: &Path, bytes: usize, problems: &[Problem], console: &mut Console) -> Done {
    for problem in problems {
        console.note(&problem.to_string());
    }
    let sound = problems.iter().all(|problem| !problem.error);
    let verdict = if sound { "checked" } else { "with problems" };
    let size = bytes as f64 / 1e6;
    console.say(&format!("{} ({size:.1} MB, {verdict})", path.display()))?;
    Ok(sound)
}

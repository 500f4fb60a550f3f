//! Control plane: what each command does. `Ok(false)` is a failed check or limit, already told.

mod build;
mod check;
mod flex;
mod inspect;
mod rti;
mod run;
mod schema;

pub(crate) use build::build;
pub(crate) use check::check;
pub(crate) use flex::flex;
pub(crate) use inspect::inspect;
pub(crate) use rti::rti;
pub(crate) use run::run;
pub(crate) use schema::schema;

use fmu_build::slave::Failure;
use serde::Serialize;

/// How a command ended.
type Done = Result<bool, Failure>;

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure(format!("JSON: {error}")))
}

//! The model format: turns JSON text into a resolved [`Mechanism`] and its variable table.
//!
//! JSON text → schema → [`Model`]. Every problem is collected, with path, name and remedy.

mod asked;
pub mod csv;
mod errors;
pub mod expr;
pub mod flex_file;
mod frames;
mod json;
pub mod limits;
mod meshes;
mod names;
mod newton;
mod plan;
mod read;
mod resolve;
pub mod resources;
mod schema;
pub mod table;
#[cfg(test)]
mod tests;
mod tir;
mod units;
mod validate;

pub use asked::{Asked, AskedValue};
pub use errors::{ModelError, ModelErrors};
pub use units::unit_factor;

use self::resources::{Files, Resources};
use crate::limits::MODEL_BYTES;
use fixstep_kernel::mechanism::Mechanism;
use fixstep_variables::file::section::Fault;
use fixstep_variables::file::{Packed, pack};
use std::path::Path;

/// The contents of a model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Files to which the model refers.
    pub files: Files,
}

impl Model {
    /// [`Self::read`] of a text that refers to no files.
    pub fn from_json(text: &str) -> Result<Self, ModelErrors> {
        Self::read(text, &resources::none)
    }

    /// Reads and validates a model; `files` reads the files to which it refers. All problems are returned, not only
    /// the first.
    pub fn read(text: &str, files: &Resources<'_>) -> Result<Self, ModelErrors> {
        Self::read_with(text, files, &[])
    }

    /// The same with other settings of the solver than those of the text.
    pub fn read_with(
        text: &str,
        files: &Resources<'_>,
        asked: &[Asked],
    ) -> Result<Self, ModelErrors> {
        let mut report = errors::Report::default();
        let model = json::parse(text, &mut report)
            .and_then(|tree| schema::Document::read(tree, &mut report))
            .and_then(|document| validate::validate(&document, files, asked, &mut report));
        match (model, report.finish()) {
            (Some(mut model), None) => {
                let found = table::findings(&model.mechanism);
                model.mechanism.findings.extend(found);
                Ok(model)
            }
            (_, Some(errors)) => Err(errors),
            (None, None) => Err(ModelErrors::single("the model could not be read")),
        }
    }

    /// The file of the mechanism and its table of variables, and its token. A model beyond the limits of such a file
    /// is an error.
    pub fn packed(&self) -> Result<Packed, Fault> {
        pack(&self.mechanism, &table::of(&self.mechanism))
    }

    /// [`Self::read`] of a file's text, with the files beside it.
    pub fn from_file(path: &Path) -> Result<Self, ModelErrors> {
        let fail = |what: String| ModelErrors::single(&format!("{}: {what}", path.display()));
        let bytes = resources::read_bounded(path, MODEL_BYTES).map_err(|e| fail(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|e| {
            fail(format!(
                "not UTF-8 text: byte {} is invalid; save the file as UTF-8",
                e.utf8_error().valid_up_to()
            ))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::read(&text, &resources::folder(folder))
    }
}

/// The JSON Schema of the model format, from the types that read it.
pub fn json_schema() -> serde_json::Value {
    schema::json_schema()
}

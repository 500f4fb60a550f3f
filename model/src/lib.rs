//! The model format: turns JSON text into a resolved [`Mechanism`] and its variable table.
//!
//! Text → tree of values → templates expanded, units resolved → schema → [`Model`]. Every problem is collected, with its
//! place in the text, path, name and remedy.

mod asked;
pub mod csv;
mod doc;
mod errors;
mod expand;
pub mod expr;
mod flat;
pub mod flex_file;
mod frames;
pub mod limits;
mod measure;
mod mesh_mass;
mod meshes;
mod names;
mod newton;
mod places;
mod plain;
mod plan;
mod read;
mod resolve;
pub mod resources;
mod schema;
mod shape;
pub mod shapes;
pub mod table;
#[cfg(test)]
mod tests;
mod text;
mod tir;
mod units;
mod validate;

pub use asked::{Asked, AskedValue};
pub use errors::{ModelError, ModelErrors};
pub use places::{Place, Places};
pub use plain::Plain;
pub use text::DIALECT;
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
    /// What bodies look like.
    pub shapes: Vec<shapes::Shape>,
    /// The flat text of a model with templates or includes: it means the same and needs no other file of models. `None`:
    /// the text has none.
    pub portable: Option<String>,
    /// What the solids of parts weigh, and what meshes enclose: a line each, for people.
    pub solids: Vec<String>,
    /// Where its entities stand in the texts.
    pub places: Places,
}

impl Model {
    /// A model whose text has no templates.
    fn of(mechanism: Mechanism, files: Files, shapes: Vec<shapes::Shape>) -> Self {
        Self {
            mechanism,
            files,
            shapes,
            portable: None,
            solids: Vec::new(),
            places: Places::default(),
        }
    }
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
        Self::read_named("", text, files, asked)
    }

    /// The same of a text with a name for messages: the file that the user named.
    pub fn read_named(
        name: &str,
        text: &str,
        files: &Resources<'_>,
        asked: &[Asked],
    ) -> Result<Self, ModelErrors> {
        let mut report = errors::Report::default();
        let flat = flat::read(name, text, files, &mut report);
        let model = flat
            .tree
            .as_ref()
            .and_then(|tree| schema::Document::read(tree.to_value(), &mut report))
            .and_then(|document| validate::validate(&document, files, asked, &mut report));
        let doubts = report.take_doubts(&flat.sources);
        match (model, report.finish()) {
            (Some(mut model), None) => {
                model.mechanism.findings.extend(doubts);
                let found = table::findings(&model.mechanism);
                model.mechanism.findings.extend(found);
                let expanded = flat.tree.as_ref().filter(|_| flat.expanded);
                model.portable = expanded.map(flat::text);
                model.places = Places::new(flat.tree, flat.sources);
                Ok(model)
            }
            (_, Some(errors)) => Err(errors.located(&flat.sources, flat.tree.as_ref())),
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
        let name = path.display().to_string();
        Self::read_named(&name, &text, &resources::folder(folder), &[])
    }
}

/// The text of a model in its one form, with its comments. `name` is what messages call it.
pub fn formatted(name: &str, text: &str) -> Result<String, ModelErrors> {
    text::format::formatted(text).map_err(|(offset, message)| {
        let mut report = errors::Report::default();
        let at = errors::At::default().marked(text::Mark::new(0, offset));
        report.add(&at, message);
        let errors = report.finish().unwrap_or(ModelErrors(Vec::new()));
        errors.located(&text::Sources::new(name, text), None)
    })
}

/// The text of a model as plain JSON: without its comments, and nothing else changed.
pub fn without_comments(name: &str, text: &str) -> Result<String, ModelErrors> {
    let sources = text::Sources::new(name, text);
    let mut report = errors::Report::default();
    let tree = text::parse(&sources, 0, &mut report);
    match (tree, report.finish()) {
        (Some(tree), None) => Ok(flat::text(&tree)),
        (tree, errors) => {
            let errors =
                errors.unwrap_or_else(|| ModelErrors::single("the model could not be read"));
            Err(errors.located(&sources, tree.as_ref()))
        }
    }
}

/// The flat text of a model: includes read, templates expanded, units resolved. The flat model means the same.
pub fn expanded(name: &str, text: &str, files: &Resources<'_>) -> Result<String, ModelErrors> {
    let mut report = errors::Report::default();
    let flat = flat::read(name, text, files, &mut report);
    match (&flat.tree, report.finish()) {
        (Some(tree), None) => Ok(flat::text(tree)),
        (tree, errors) => {
            let errors =
                errors.unwrap_or_else(|| ModelErrors::single("the model could not be read"));
            Err(errors.located(&flat.sources, tree.as_ref()))
        }
    }
}

/// The flat text of a model if it says anything that a flat model says otherwise: templates, includes, numbers with units.
pub fn flattened(
    name: &str,
    text: &str,
    files: &Resources<'_>,
) -> Result<Option<String>, ModelErrors> {
    let sources = text::Sources::new(name, text);
    let own = text::parse(&sources, 0, &mut errors::Report::default());
    let flat = flat::read(name, text, files, &mut errors::Report::default());
    let value = |tree: &Option<text::Node>| tree.as_ref().map(text::Node::to_value);
    if value(&own) == value(&flat.tree) {
        return Ok(None);
    }
    expanded(name, text, files).map(Some)
}

/// Tables of the parameters, inputs, outputs and templates of a model, or of a file of templates, as Markdown.
pub fn documentation(name: &str, text: &str, files: &Resources<'_>) -> Result<String, ModelErrors> {
    let model = if doc::is_model(text) {
        Some(Model::read_named(name, text, files, &[])?)
    } else {
        None
    };
    let mechanism = model.as_ref().map(|model| &model.mechanism);
    doc::page(name, text, files, mechanism)
}

/// The JSON Schema of the model format, from the types that read it.
pub fn json_schema() -> serde_json::Value {
    let mut schema = schema::json_schema();
    // For programs that make classes of the schema: fields whose texts name other entities.
    schema["x-references"] = serde_json::json!(expand::REFERENCES);
    schema
}

//! The model format as a whole: examples, broken models, damaged text.

#![expect(clippy::unwrap_used, reason = "tests")]

mod angles;
mod bad;
mod defaults;
mod examples;
mod expressions;
mod files;
mod foreign;
mod instances;
mod limits;
mod mirrors;
mod newton;
mod noise;
mod quantities;
mod random_templates;
mod si;
mod templates;
mod typed;

use crate::Model;
use std::path::PathBuf;

/// A file of the repository.
fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(name)
}

/// The text of a file of the repository.
pub(crate) fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

/// The problems of a text, one line each; empty if there are none.
fn problems(text: &str) -> String {
    Model::from_json(text).map_or_else(|e| e.to_string(), |_| String::new())
}

/// A model with one part `rod`, its marker `m`, and more fields.
fn with(fields: &str) -> String {
    format!(
        r#"{{"fixstep": 1, "name": "test",
            "units": {{"length": "mm", "mass": "kg", "force": "N", "time": "ms", "angle": "deg"}},
            "parts": [{{"name": "rod", "mass": 2, "inertia": {{"xx": 3, "yy": 3, "zz": 3}}}}],
            "markers": [{{"name": "m", "part": "rod"}}, {{"name": "n", "part": "rod", "position": [1, 0, 0]}}],
            {fields}}}"#
    )
}

//! `cargo xtask pictures`: draws the examples' pictures from runs of the models: curves for all, and an animation if
//! the page shows one. Control plane.

use std::fs;

use crate::products;
use crate::shell::{self, Result};

/// The option of how large deformations are drawn.
const DEFORMATION_SCALE: &str = "--deformation-scale";

/// The option that names what curves are drawn over.
const OVER: &str = "--over";

/// Runs every example over its default experiment, with its `input.csv` if it has one.
pub(crate) fn run() -> Result<()> {
    let products = products::build()?;
    for example in products::examples()? {
        let picture = example.model.with_file_name("picture.svg");
        let mut command = shell::program(&products.program);
        command.arg("run").arg(&example.model);
        if let Some(input) = &example.input {
            command.arg("--input").arg(input);
        }
        command.arg("--plot").arg(&picture);
        let page = example.model.with_file_name("README.md");
        let page =
            fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
        if let Some(column) = word_after(&page, OVER) {
            command.args([OVER, column]);
        }
        if page.contains("](motion.svg)") {
            let motion = example.model.with_file_name("motion.svg");
            command.arg("--animate").arg(&motion);
            if let Some(scale) = word_after(&page, DEFORMATION_SCALE) {
                command.args([DEFORMATION_SCALE, scale]);
            }
        }
        shell::run(command)?;
    }
    Ok(())
}

/// What a page gives for an option.
fn word_after<'a>(page: &'a str, option: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(option)?;
    rest.split_whitespace().next()
}

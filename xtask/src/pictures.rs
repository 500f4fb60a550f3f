//! `cargo xtask pictures`: draws the examples' pictures from runs of the models: curves for all, and an animation if
//! the page shows one. Control plane.

use std::fs;

use crate::products;
use crate::shell::{self, Result};

/// The option of how large deformations are drawn.
const DEFORMATION_SCALE: &str = "--deformation-scale";

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
        if page.contains("](motion.svg)") {
            let motion = example.model.with_file_name("motion.svg");
            command.arg("--animate").arg(&motion);
            if let Some(scale) = deformation_scale(&page) {
                command.args([DEFORMATION_SCALE, scale]);
            }
        }
        shell::run(command)?;
    }
    Ok(())
}

/// How large a page says that deformations are drawn.
fn deformation_scale(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once(DEFORMATION_SCALE)?;
    rest.split_whitespace().next()
}

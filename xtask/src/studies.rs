//! `cargo xtask studies`: makes the studies of `docs/studies`, and their pages and pictures. Control plane.

use crate::products;
use crate::shell::{self, Result};

/// The folder of the examples.
const FOLDER: &str = "docs/studies";

/// Makes all studies anew.
pub(crate) fn run() -> Result<()> {
    let products = products::build()?;
    for study in shell::files(&shell::root().join(FOLDER))? {
        let Some(name) = study
            .file_stem()
            .filter(|_| study.extension().is_some_and(|it| it == "json"))
        else {
            continue;
        };
        let name = name.to_string_lossy();
        let results = shell::target().join("studies").join(&*name);
        let mut command = shell::program(&products.program);
        command.current_dir(shell::root());
        command.args(["study", &format!("{FOLDER}/{name}.json")]);
        command.args(["--page", &format!("{FOLDER}/{name}.md"), "--fresh"]);
        command.arg("-o").arg(&results);
        std::fs::create_dir_all(&results).map_err(shell::unusable(&results))?;
        shell::run(command)?;
    }
    Ok(())
}

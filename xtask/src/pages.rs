//! Tests pages of the program `fixstep` in Chromium. Control plane.

use crate::install;
use crate::products::Products;
use crate::report::Outcome;
use crate::sections::counted;
use crate::shell::{self, Result};
use crate::viewer;

/// Tests pages of some examples: they load, move, and show the right numbers.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let browser = install::chromium().ok_or("no Chromium")?;
    let mut python = shell::program(install::python());
    python.arg(shell::root().join("tests/pages/pages.py"));
    python.arg(&products.program);
    python.arg(shell::root().join("models"));
    python.arg(shell::target().join("pages"));
    python.arg(browser);
    counted(python)
}

/// Tests pages of runs of examples: bodies are where the engine says.
pub(crate) fn check_runs(products: &Products) -> Result<Outcome> {
    let browser = install::chromium().ok_or("no Chromium")?;
    let mut python = shell::program(install::python());
    python.arg(shell::root().join("tests/pages/runs.py"));
    python.arg(&products.program);
    python.arg(shell::root().join("models"));
    python.arg(shell::target().join("pages/runs"));
    python.arg(browser);
    counted(python)
}

/// Tests pages of models while they are written.
pub(crate) fn check_views(products: &Products) -> Result<Outcome> {
    let browser = install::chromium().ok_or("no Chromium")?;
    let mut python = shell::program(install::python());
    python.arg(shell::root().join("tests/pages/views.py"));
    python.arg(&products.program);
    python.arg(shell::root().join("models"));
    python.arg(shell::target().join("pages/views"));
    python.arg(browser);
    counted(python)
}

/// Checks films as glTF with what other programs make of them: a made-up scene with everything in it, then runs of examples.
pub(crate) fn check_films(products: &Products) -> Result<Outcome> {
    let script = shell::root().join("fmu-build/pictures/tests/gltf.mjs");
    let packages = viewer::packages()?;
    let gallery = shell::target().join("pages/gallery");
    // The tests of the workspace have built it.
    let mut example = shell::program(shell::target().join("debug/examples/gallery"));
    example.arg(&gallery);
    shell::run(example)?;
    let mut node = shell::program("node");
    node.arg(&script)
        .arg(&gallery)
        .env("NODE_MODULES", &packages);
    shell::run(node)?;
    let mut python = shell::program(install::python());
    python.arg(shell::root().join("tests/pages/glb.py"));
    python.arg(&products.program);
    python.arg(shell::root().join("models"));
    python.arg(shell::target().join("pages/glb"));
    python.args([&script, &packages]);
    counted(python)
}

/// Tests the viewer on runs that are made up, so that every pose and number is known.
pub(crate) fn check_viewer() -> Result<Outcome> {
    let browser = install::chromium().ok_or("no Chromium")?;
    let mut python = shell::program(install::python());
    python.arg(shell::root().join("viewer/tests/viewer.py"));
    python.arg(shell::target().join("viewer/pages"));
    python.arg(browser);
    counted(python)
}

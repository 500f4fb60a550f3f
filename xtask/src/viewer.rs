//! `cargo xtask viewer`: bundles the third-party code of the page of a run into `target/viewer`, with its licences.
//! Control plane.

use std::fs;
use std::path::PathBuf;

use crate::install;
use crate::shell::{self, Result, unusable};

/// What determines the bundle.
const SOURCES: [&str; 4] = [
    "package.json",
    "package-lock.json",
    "vendor.js",
    "build.mjs",
];

fn folder() -> PathBuf {
    shell::root().join("viewer")
}

/// Where the bundle lies: the build of the program looks there.
fn made() -> PathBuf {
    shell::root().join("target/viewer")
}

/// Makes the bundle, unless it is there, made from the present sources.
pub(crate) fn bundle() -> Result<()> {
    let mut sources = String::new();
    for name in SOURCES {
        let path = folder().join(name);
        sources += &fs::read_to_string(&path).map_err(unusable(&path))?;
    }
    let stamp = made().join("sources.stamp");
    let is_there = ["vendor.b64", "vendor.js", "LEGAL.txt"].map(|name| made().join(name).is_file());
    if is_there == [true; 3] && fs::read_to_string(&stamp).is_ok_and(|built| built == sources) {
        shell::say("the bundle of the viewer is up to date");
        return Ok(());
    }
    install::node()?;
    npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    npm(&["run", "--silent", "build"])?;
    fs::write(&stamp, sources).map_err(unusable(&stamp))
}

/// The folder of the packages of the viewer, installed if they are not there.
pub(crate) fn packages() -> Result<PathBuf> {
    let packages = folder().join("node_modules");
    if !packages.join("gltf-validator").is_dir() {
        install::node()?;
        npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    }
    Ok(packages)
}

/// Makes the bundle before a build of the program; without Node it is built without the bundle.
pub(crate) fn bundle_if_possible() {
    if let Err(why) = bundle() {
        shell::say(&format!(
            "note: without the bundle of the viewer, pages have a mechanism in 2-D and plain plots: {why}"
        ));
    }
}

fn npm(arguments: &[&str]) -> Result<()> {
    let mut npm = shell::program("npm");
    npm.args(arguments).current_dir(folder());
    shell::run(npm)
}

//! Tests the way from a mesh to a running FMU with tools from the Debian archive: gmsh, CalculiX,
//! `fixstep flex reduce`. Control plane.

use std::fs;
use std::path::Path;

use crate::install;
use crate::products::{self, Products};
use crate::report::Outcome;
use crate::sections::counted;
use crate::shell::{self, Result, unusable};

/// The script beside an example that makes its flexible bodies again.
const SCRIPT: &str = "reduce.py";

/// Tests a beam against known numbers, then every example whose flexible bodies a script makes.
pub(crate) fn check(products: &Products) -> Result<Outcome> {
    let folder = shell::target().join("finite-elements");
    let mut chain = shell::program(install::python());
    chain.arg(shell::root().join("tests/finite-elements/chain.py"));
    chain.arg(&products.program).arg(folder.join("beam"));
    let mut outcome = counted(chain)?;
    for example in products::examples()? {
        if example.model.with_file_name(SCRIPT).is_file() {
            outcome.add(remade(products, &example, &folder.join(&example.name))?);
        }
    }
    Ok(outcome)
}

/// Makes the flexible bodies of an example again in a copy of its folder, packs the copy and runs it.
fn remade(products: &Products, example: &products::Example, copy: &Path) -> Result<Outcome> {
    if copy.exists() {
        fs::remove_dir_all(copy).map_err(unusable(copy))?;
    }
    fs::create_dir_all(copy).map_err(unusable(copy))?;
    let original = example.model.parent().unwrap_or(&example.model);
    for name in shell::files(original)? {
        let path = original.join(&name);
        fs::copy(&path, copy.join(&name)).map_err(unusable(&path))?;
    }
    let mut python = shell::program(install::python());
    python.arg(copy.join(SCRIPT)).arg(&products.program);
    python.arg("--against").arg(original);
    let mut outcome = counted(python)?;
    let name = format!("{}-remade", example.name);
    let fmu = products.pack(&name, &copy.join("model.json"), "3")?;
    let mut run = shell::program(&products.program);
    run.arg("run").arg(&fmu);
    shell::run(run)?;
    println!("ok {} made anew runs as an FMU", example.name);
    outcome.add(Outcome::pass());
    Ok(outcome)
}

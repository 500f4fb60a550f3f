//! Importers that are not ours, run on the packed examples. Control plane.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::install;
use crate::products::{self, Products};
use crate::report::Outcome;
use crate::sections::counted;
use crate::shell::{self, Result};

/// What a client needs on the machine.
#[derive(Clone, Copy)]
pub(crate) enum Needs {
    /// Cargo alone.
    Nothing,
    /// The Python environment.
    Python,
    /// The Python environment and Intel's threading library.
    PythonAndTbb,
    /// libclang, for bindgen.
    Libclang,
    /// The Python environment and libclang.
    PythonAndLibclang,
}

/// A client of the packed FMUs.
pub(crate) struct Client {
    /// Heading of its section.
    pub(crate) title: &'static str,
    /// What must be installed.
    pub(crate) needs: Needs,
    /// Runs it.
    pub(crate) run: fn(&Products) -> Result<Outcome>,
}

/// All clients.
pub(crate) const CLIENTS: [Client; 6] = [
    Client {
        title: "client: FMPy",
        needs: Needs::Python,
        run: |p| script(p, "fmpy_client.py"),
    },
    Client {
        title: "client: Ecos",
        needs: Needs::PythonAndTbb,
        run: |p| script(p, "ecos_client.py"),
    },
    Client {
        title: "client: libcosim (FMI 2.0)",
        needs: Needs::Python,
        run: |p| script(p, "libcosim_client.py"),
    },
    Client {
        title: "client: fmi-rs",
        needs: Needs::Nothing,
        run: |p| package(p, "fmi-rs-client"),
    },
    Client {
        title: "client: fmi-sim",
        needs: Needs::PythonAndLibclang,
        run: |p| script_with(p, "fmi_sim_client.py", &[&install::fmi_sim()?]),
    },
    Client {
        title: "peers: fmi and fmi-sys",
        needs: Needs::Libclang,
        run: |p| package(p, "fmi-peers"),
    },
];

/// Folder of the trajectories that `fixstep run` makes of the models: `NAME.csv` with inputs at
/// rest, where there is an input table `NAME.driven.csv` with it, and `NAME.system.csv` of a system.
fn references(products: &Products) -> Result<PathBuf> {
    static MADE: OnceLock<Result<PathBuf>> = OnceLock::new();
    MADE.get_or_init(|| make_references(products)).clone()
}

/// They are the same for all clients.
fn make_references(products: &Products) -> Result<PathBuf> {
    let folder = shell::target().join("reference");
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    for example in products::examples()? {
        let run = |file: &Path, name: String| {
            let mut command = shell::program(&products.program);
            command
                .arg("run")
                .arg(file)
                .arg("-o")
                .arg(folder.join(name));
            command
        };
        shell::run(run(&example.model, format!("{}.csv", example.name)))?;
        if let Some(input) = &example.input {
            let mut driven = run(&example.model, format!("{}.driven.csv", example.name));
            driven.arg("--input").arg(input);
            shell::run(driven)?;
        }
        if example.system.is_some() {
            let packed = products::fmus().join(format!("fmi3/{}.ssp", example.name));
            shell::run(run(&packed, format!("{}.system.csv", example.name)))?;
        }
    }
    Ok(folder)
}

/// Runs a script of `tests/clients` in the Python environment.
fn script(products: &Products, name: &str) -> Result<Outcome> {
    script_with(products, name, &[])
}

/// The same with more arguments.
fn script_with(products: &Products, name: &str, more: &[&Path]) -> Result<Outcome> {
    let mut command = shell::program(install::python());
    command.arg(shell::root().join("tests/clients").join(name));
    command
        .arg(products::fmus())
        .arg(references(products)?)
        .arg(shell::root().join("models"))
        .args(more);
    command
        .env("PYTHONUNBUFFERED", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    counted(command)
}

/// Runs a test package of its own below `tests`, built below our target folder.
fn package(products: &Products, name: &str) -> Result<Outcome> {
    let manifest = shell::root().join("tests").join(name).join("Cargo.toml");
    let mut command = shell::cargo(&["run", "--quiet"]);
    command.arg("--manifest-path").arg(manifest);
    command
        .arg("--target-dir")
        .arg(shell::target().join(name))
        .arg("--");
    command
        .arg(products::fmus())
        .arg(references(products)?)
        .arg(shell::root().join("models"));
    counted(command)
}

//! Runs importers from other projects on the packed examples. Control plane.

pub(crate) mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::ahead::{self, Coming, Lanes};
use crate::install;
use crate::products::{self, Products};
use crate::report::{Outcome, Report};
use crate::sections::{self, heard};
use crate::shell::{self, Result};
use table::Table;

/// The requirements of a client.
#[derive(Clone, Copy)]
enum Needs {
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
struct Client {
    /// Heading of its section.
    title: &'static str,
    /// Its requirements.
    needs: Needs,
    /// Compiles it, where that takes long.
    build: fn() -> Result<()>,
    /// Runs it.
    run: fn(&Products) -> Result<Said>,
}

/// The output of a client, in figures and in words.
struct Said {
    outcome: Outcome,
    /// Name and version of a client that does not report them itself.
    known: Option<(String, String)>,
    lines: Vec<String>,
}

/// A client that runs, or what it lacks here.
type Running = std::result::Result<Coming<Said>, String>;

/// The clients that run in the lanes of a test run.
pub(crate) struct Begun(Vec<(&'static str, Running)>);

/// Adds all clients to the lanes, as far as they can run here.
pub(crate) fn add_all(
    lanes: &mut Lanes,
    products: &Products,
    packages: &Result<()>,
    python: &Result<()>,
) -> Begun {
    let begin = |client: &'static Client| {
        let obstacle = match client.needs {
            Needs::PythonAndTbb if !install::tbb() => packages.as_ref().err(),
            Needs::Libclang | Needs::PythonAndLibclang if !install::libclang() => {
                packages.as_ref().err()
            }
            Needs::Nothing | Needs::Libclang => None,
            Needs::Python | Needs::PythonAndTbb | Needs::PythonAndLibclang => python.as_ref().err(),
        };
        let products = products.clone();
        let running = obstacle.map_or_else(
            || Ok(lanes.add(move || (client.run)(&products))),
            |reason| Err(reason.clone()),
        );
        (client.title, running)
    };
    Begun(CLIENTS.iter().map(begin).collect())
}

impl Begun {
    /// Waits for all clients, each in its own section; returns the table of their results, if none was left out.
    pub(crate) fn report(self, report: &mut Report) -> Option<Table> {
        let mut table = Some(Table::default());
        for (title, running) in self.0 {
            report.section(title, || {
                let said = match running {
                    Ok(coming) => ahead::wait(&coming).inspect_err(|_| table = None)?,
                    Err(reason) => {
                        table = None;
                        return Ok(sections::not_here(&reason));
                    }
                };
                if let Some(table) = &mut table {
                    table.add(said.known, &said.lines);
                }
                Ok(said.outcome)
            });
        }
        table
    }
}

/// Compiles the clients that need it, as far as this machine can; their own sections report what prevents it.
pub(crate) fn build_all() {
    for client in &CLIENTS {
        if let Err(reason) = (client.build)() {
            shell::say(&reason);
        }
    }
}

/// `cargo xtask clients`: builds, packs, runs all clients and writes their page.
pub(crate) fn run() -> Result<()> {
    let mut report = Report::default();
    let packages = install::debian_packages();
    let products = products::build()?;
    report.section("examples packed", || sections::pack_examples(&products));
    let python = install::python_environment();
    let mut lanes = Lanes::default();
    let clients = add_all(&mut lanes, &products, &packages, &python);
    lanes.begin();
    match clients.report(&mut report) {
        Some(table) => table.write()?,
        None => println!("not all clients can run here: the page stays as it is"),
    }
    report.finish()
}

/// All clients.
static CLIENTS: [Client; 6] = [
    Client {
        title: "client: FMPy",
        needs: Needs::Python,
        build: || Ok(()),
        run: |p| script(p, "fmpy_client.py"),
    },
    Client {
        title: "client: Ecos",
        needs: Needs::PythonAndTbb,
        build: || Ok(()),
        run: |p| script(p, "ecos_client.py"),
    },
    Client {
        title: "client: libcosim (FMI 2.0)",
        needs: Needs::Python,
        build: || Ok(()),
        run: |p| script(p, "libcosim_client.py"),
    },
    Client {
        title: "client: fmi-rs",
        needs: Needs::Nothing,
        build: || shell::run(cargo("build", "fmi-rs-client")),
        run: |p| package(p, "fmi-rs-client", &["fmi-rs"]),
    },
    Client {
        title: "client: fmi-sim",
        needs: Needs::PythonAndLibclang,
        build: || install::fmi_sim().map(drop),
        run: |p| script_with(p, "fmi_sim_client.py", &[&install::fmi_sim()?]),
    },
    Client {
        title: "peers: fmi and fmi-sys",
        needs: Needs::Libclang,
        build: || shell::run(cargo("build", "fmi-peers")),
        run: |p| package(p, "fmi-peers", &["fmi", "fmi-sys"]),
    },
];

/// Folder of the trajectories that `fixstep run` makes of the models: `NAME.csv` with inputs at rest,
/// `NAME.driven.csv` with the input table if there is one, and `NAME.system.csv` of a system.
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
                .args(["--no-trial", "-o"])
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
fn script(products: &Products, name: &str) -> Result<Said> {
    script_with(products, name, &[])
}

/// The same with more arguments.
fn script_with(products: &Products, name: &str, more: &[&Path]) -> Result<Said> {
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
    let (outcome, lines) = heard(command)?;
    Ok(Said {
        outcome,
        known: None,
        lines,
    })
}

/// Runs Cargo on a separate test package below `tests`, built below our target folder.
fn cargo(verb: &str, name: &str) -> Command {
    let manifest = shell::root().join("tests").join(name).join("Cargo.toml");
    let mut command = shell::cargo(&[verb, "--quiet", "--manifest-path"]);
    command.arg(manifest);
    command.arg("--target-dir").arg(install::clients());
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    command
}

/// Runs a test package of its own below `tests`.
fn package(products: &Products, name: &str, crates: &[&str]) -> Result<Said> {
    let mut command = cargo("run", name);
    command
        .arg("--")
        .arg(products::fmus())
        .arg(references(products)?)
        .arg(shell::root().join("models"));
    let (outcome, lines) = heard(command)?;
    Ok(Said {
        outcome,
        known: Some(table::locked(name, crates)?),
        lines,
    })
}

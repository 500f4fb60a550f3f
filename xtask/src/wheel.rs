//! `cargo xtask wheel`: makes wheels of the Python package, and the section of the tests that installs one. Control plane.
//!
//! A wheel is the module as Cargo builds it, the sources in `python/fixstep` and the libraries that FMUs carry, zipped by
//! `python/pack.py`, since this program uses only the standard library.

use std::fs;
use std::path::{Path, PathBuf};

use crate::dist::{self, Libraries, Module};
use crate::install;
use crate::report::{Outcome, Report};
use crate::sections::counted;
use crate::shell::{self, Result, unusable};
use crate::viewer;

/// Most bytes of a wheel.
const MOST: u64 = 15_000_000;

/// The section of studies on clusters.
pub(crate) const CLUSTERS: &str = "Python: studies on clusters";

/// What makes the rows of a study on several computers: the name of its environment, and the class of its tests.
const ENGINES: [(&str, &str); 2] = [("dask", "Dask"), ("ray", "Ray")];

/// Folder of the wheels.
fn folder() -> PathBuf {
    shell::target().join("wheels")
}

/// `cargo xtask wheel [--here]`
pub(crate) fn run(here: bool) -> Result<()> {
    viewer::bundle_if_possible();
    let (libraries, modules) = if here {
        (own_library()?, vec![dist::own_module()?])
    } else {
        let libraries = match dist::libraries()? {
            Libraries::Built(_) => dist::named_libraries(),
            Libraries::NotHere(reason) => return Err(reason),
        };
        (libraries, dist::modules()?)
    };
    for module in modules {
        let found = module.inspect()?;
        if found.counts.failed > 0 {
            return Err(found.notes.join("\n"));
        }
        let wheel = pack(&module, &libraries)?;
        let size = fs::metadata(&wheel).map_err(unusable(&wheel))?.len();
        println!("{} ({:.1} MB)", wheel.display(), size as f64 / 1e6);
    }
    Ok(())
}

/// `cargo xtask wheel --check`
pub(crate) fn run_check() -> Result<()> {
    let mut report = Report::default();
    report.section("Python: the wheel", || {
        check(&Libraries::NotHere("for this computer alone".to_owned()))
    });
    report.finish()
}

/// `cargo xtask wheel --clusters`
pub(crate) fn run_clusters() -> Result<()> {
    let mut report = Report::default();
    report.section(CLUSTERS, clusters);
    report.finish()
}

/// The section of the slow tests: studies on clusters of this computer, each engine in an environment of its own.
pub(crate) fn clusters() -> Result<Outcome> {
    viewer::bundle_if_possible();
    let wheel = pack(&dist::own_module()?, &own_library()?)?;
    let mut outcome = Outcome::default();
    for (engine, class) in ENGINES {
        let python = install::python_of(&environment_of(engine, &wheel)?);
        let mut command = tests(&python, "python/tests/with_clusters");
        command.arg(class);
        outcome.add(counted(command)?);
    }
    Ok(outcome)
}

/// An environment with an engine and the wheel.
fn environment_of(engine: &str, wheel: &Path) -> Result<PathBuf> {
    let environment = shell::target().join(format!("venv-{engine}"));
    let list = shell::root().join(format!("python/tests/with_clusters/{engine}.txt"));
    install::packages(&environment, &list)?;
    let python = install::python_of(&environment);
    install_with_pip(&python, &[wheel])?;
    let anew = ["--force-reinstall", "--no-deps"].map(Path::new);
    install_with_pip(&python, &[anew[0], anew[1], wheel])?;
    Ok(environment)
}

/// `cargo xtask bench --python`: the package beside others, called from Python on one machine in one run.
pub(crate) fn bench() -> Result<()> {
    viewer::bundle_if_possible();
    let wheel = pack(&dist::own_module()?, &own_library()?)?;
    let environment = shell::target().join("venv-peers");
    let list = shell::root().join("benches/peers/requirements.txt");
    install::packages(&environment, &list)?;
    let python = install::python_of(&environment);
    let anew = ["--force-reinstall", "--no-deps"].map(Path::new);
    install_with_pip(&python, &[anew[0], anew[1], wheel.as_path()])?;
    for script in ["from_python.py", "batch.py"] {
        let mut command = shell::program(&python);
        command.arg(shell::root().join("benches").join(script));
        shell::run(command)?;
    }
    Ok(())
}

/// `cargo xtask bench --scale`: what many runs cost on one computer, and from that on many: `docs/scale.md`.
pub(crate) fn scale() -> Result<()> {
    viewer::bundle_if_possible();
    let wheel = pack(&dist::own_module()?, &own_library()?)?;
    let folder = shell::target().join("scale");
    fs::create_dir_all(&folder).map_err(unusable(&folder))?;
    let script = shell::root().join("benches/scale.py");
    let mut page = None;
    let mut figures = Vec::new();
    for (engine, _) in ENGINES {
        let python = install::python_of(&environment_of(engine, &wheel)?);
        // What needs no engine is measured in the first environment.
        let own = page.is_none().then_some(["program", "processes"]);
        for what in own.into_iter().flatten().chain([engine]) {
            let file = folder.join(format!("{what}.json"));
            let mut command = shell::program(&python);
            command.arg(&script).args(["measure", what]).arg(&file);
            shell::run(command)?;
            figures.push(file);
        }
        page.get_or_insert(python);
    }
    let path = shell::root().join("docs/scale.md");
    let mut command = shell::program(page.ok_or("there is no engine")?);
    command.arg(&script).arg("page").arg(&path).args(&figures);
    shell::run(command)?;
    println!("written to {}", path.display());
    Ok(())
}

/// The library for this computer, for old systems too if it can be built so.
fn own_library() -> Result<Vec<(&'static str, PathBuf)>> {
    let library = dist::own_library().or_else(|_| crate::products::library())?;
    let own = format!("{}-linux", std::env::consts::ARCH);
    let mut all = dist::PLATFORMS.iter().map(dist::Platform::name);
    let name = all.find(|name| *name == own);
    let name = name.ok_or_else(|| format!("wheels hold no library for {own}"))?;
    Ok(vec![(name, library)])
}

/// Zips a wheel.
fn pack(module: &Module, libraries: &[(&'static str, PathBuf)]) -> Result<PathBuf> {
    let mut python = shell::program("python3");
    python.arg(shell::root().join("python/pack.py"));
    python.arg(folder()).arg(env!("CARGO_PKG_VERSION"));
    python.arg(&module.tag).arg(&module.file);
    for (name, path) in libraries {
        python.arg(format!("{name}={}", path.display()));
    }
    let output = python
        .output()
        .map_err(|error| format!("cannot start `python3`: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(PathBuf::from(text.trim()));
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Installs what the words name.
fn install_with_pip(python: &Path, words: &[&Path]) -> Result<()> {
    let mut pip = shell::program(python);
    pip.args(["-m", "pip", "install", "--quiet"]);
    pip.arg("--disable-pip-version-check").args(words);
    shell::run(pip)
}

/// The section of the tests: a wheel for this computer, in an environment that has nothing else, and all that its documents
/// say.
pub(crate) fn check(libraries: &Libraries) -> Result<Outcome> {
    viewer::bundle_if_possible();
    let module = dist::own_module()?;
    let named = match libraries {
        Libraries::Built(_) => dist::named_libraries(),
        Libraries::NotHere(_) => own_library()?,
    };
    let wheel = pack(&module, &named)?;
    let size = fs::metadata(&wheel).map_err(unusable(&wheel))?.len();
    let text = format!("{} has {:.1} MB", file_name(&wheel), size as f64 / 1e6);
    let mut outcome = Outcome::judge(size <= MOST, &text);
    outcome.add(module.inspect()?);
    let environment = shell::target().join("venv-wheel");
    let _ = fs::remove_dir_all(&environment);
    let mut make = shell::program("python3");
    make.args(["-m", "venv"]).arg(&environment);
    shell::run(make)?;
    let python = install::python_of(&environment);
    install_with_pip(&python, &[wheel.as_path()])?;
    // First with NumPy alone, then with all that the package can use and what checks its types.
    outcome.add(counted(tests(&python, "python/tests"))?);
    let list = shell::root().join("python/tests/requirements.txt");
    install_with_pip(&python, &[Path::new("-r"), list.as_path()])?;
    outcome.add(counted(tests(&python, "python/tests/with_others"))?);
    let mut documents = shell::program(&python);
    documents.arg(shell::root().join("python/tests/documents.py"));
    outcome.add(counted(documents)?);
    Ok(outcome)
}

/// The tests of a folder, away from the sources of the package.
fn tests(python: &Path, folder: &str) -> std::process::Command {
    let mut command = shell::program(python);
    command.arg(shell::root().join("python/tests/all.py"));
    command.arg(shell::root().join(folder));
    command
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

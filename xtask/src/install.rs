//! Installs what the tests need beyond Rust: Debian packages and a Python environment. Control plane.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::shell::{self, Result, unusable};

/// A Debian package, and the test that it is no longer needed.
struct Package {
    name: &'static str,
    present: fn() -> bool,
}

const PACKAGES: [Package; 11] = [
    Package {
        name: "libxml2-utils",
        present: || shell::exists("xmllint"),
    },
    Package {
        name: "valgrind",
        present: valgrind,
    },
    Package {
        name: "libclang-dev",
        present: libclang,
    },
    Package {
        name: "libtbb12",
        present: tbb,
    },
    Package {
        name: "gmsh",
        present: || shell::exists("gmsh"),
    },
    Package {
        name: "calculix-ccx",
        present: || shell::exists("ccx"),
    },
    Package {
        name: "chromium",
        present: || chromium().is_some(),
    },
    Package {
        name: "nodejs",
        present: || shell::exists("node"),
    },
    Package {
        name: "npm",
        present: || shell::exists("npm"),
    },
    Package {
        name: "octave",
        present: || shell::exists("octave-cli"),
    },
    Package {
        name: "python3-venv",
        present: || environment_module(),
    },
];

/// Python of the environment of the clients.
pub(crate) fn python() -> PathBuf {
    python_of(&environment())
}

/// Where the packages of the clients go.
fn environment() -> PathBuf {
    shell::root().join(".venv")
}

/// Python of an environment.
pub(crate) fn python_of(environment: &Path) -> PathBuf {
    environment.join("bin/python")
}

/// Installs the missing Debian packages if that needs no password; otherwise the error is the one line to run.
pub(crate) fn debian_packages() -> Result<()> {
    let missing: Vec<&str> = PACKAGES
        .iter()
        .filter(|package| !(package.present)())
        .map(|package| package.name)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if administrator().is_none() {
        return Err(format!(
            "to run these tests: sudo apt-get install -y {list}"
        ));
    }
    apt(&["update"])?;
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(missing);
    apt(&install)
}

/// Installs Node and its package manager, if that needs no password; otherwise the error is the one line to run.
pub(crate) fn node() -> Result<()> {
    if shell::exists("node") && shell::exists("npm") {
        return Ok(());
    }
    let packages = ["install", "-y", "--no-install-recommends", "nodejs", "npm"];
    apt(&["update"])
        .and_then(|()| apt(&packages))
        .map_err(|_| "for solids in pages: sudo apt-get install -y nodejs npm".into())
}

/// Installs the solvers of SUNDIALS, which only the page of work and precision needs.
pub(crate) fn sundials() -> Result<()> {
    if Path::new("/usr/include/ida/ida.h").exists() {
        return Ok(());
    }
    apt(&["update"])
        .and_then(|()| {
            apt(&[
                "install",
                "-y",
                "--no-install-recommends",
                "libsundials-dev",
            ])
        })
        .map_err(|_| "to measure SUNDIALS: sudo apt-get install -y libsundials-dev".into())
}

/// Updates the lists of Debian's packages, if that needs no password.
pub(crate) fn update_lists() -> Result<()> {
    apt(&["update"]).map_err(|_| "to find packages: sudo apt-get update".into())
}

/// Runs `apt-get` where it needs no question.
fn apt(arguments: &[&str]) -> Result<()> {
    let prefix = administrator().ok_or("apt-get would ask for a password")?;
    let mut words: Vec<&str> = prefix.to_vec();
    words.extend(["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]);
    words.extend(arguments);
    let (first, rest) = words.split_first().unwrap_or((&"apt-get", &[]));
    let mut command = shell::program(first);
    command.args(rest).env("DEBIAN_FRONTEND", "noninteractive");
    shell::run(command)
}

/// Words before `apt-get` that make it run without a password; `None`: not possible here.
fn administrator() -> Option<&'static [&'static str]> {
    if !shell::exists("apt-get") {
        return None;
    }
    let mut id = shell::program("id");
    id.arg("-u");
    if id
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
    {
        return Some(&[]);
    }
    let mut sudo = shell::program("sudo");
    sudo.args(["-n", "true"]);
    if shell::succeeds(sudo) {
        Some(&["sudo", "-n"])
    } else {
        None
    }
}

/// Whether instructions can be counted.
pub(crate) fn valgrind() -> bool {
    shell::exists("valgrind")
}

/// Whether bindgen would find libclang.
pub(crate) fn libclang() -> bool {
    let versions = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let llvm = versions.map(|entry| entry.path().join("lib"));
    let known = |name: &str| {
        name.starts_with("libclang") && !name.starts_with("libclang-cpp") && name.contains(".so")
    };
    std::env::var_os("LIBCLANG_PATH").is_some()
        || llvm
            .chain(library_folders())
            .any(|folder| holds(&folder, known))
}

/// The importer fmi-sim from the registry, built once at the first request. It is built without optimisation and
/// debug information, which would take most of the time.
pub(crate) fn fmi_sim() -> Result<PathBuf> {
    const VERSION: &str = "0.7.0";
    static BUILDING: Mutex<()> = Mutex::new(());
    let _alone = BUILDING.lock();
    let root = shell::target().join(format!("fmi-sim-{VERSION}"));
    let program = root.join("bin/fmi-sim");
    if !program.exists() {
        let mut install = shell::cargo(&["install", "--quiet", "--locked", "--debug"]);
        install
            .args(["fmi-sim", "--version", VERSION, "--root"])
            .arg(&root)
            .arg("--target-dir")
            .arg(clients())
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        shell::run(install)?;
    }
    Ok(program)
}

/// Where clients in Rust are built, so that crates that several of them use are built once.
pub(crate) fn clients() -> PathBuf {
    shell::target().join("clients")
}

/// Whether the threading library that Ecos needs is installed.
pub(crate) fn tbb() -> bool {
    library_folders().any(|folder| holds(&folder, |name| name == "libtbb.so.12"))
}

/// Whether parts can be meshed, and their matrices made.
pub(crate) fn finite_elements() -> bool {
    shell::exists("gmsh") && shell::exists("ccx")
}

/// A browser of the kind that the pages are opened in.
pub(crate) fn chromium() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| shell::exists(name))
}

/// Where the system keeps libraries.
fn library_folders() -> impl Iterator<Item = PathBuf> {
    let machine = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    ["/usr/lib", "/usr/lib64", &machine]
        .map(PathBuf::from)
        .into_iter()
}

/// Whether a folder contains a file whose name satisfies a condition.
fn holds(folder: &Path, wanted: impl Fn(&str) -> bool) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name())
        .any(|name| wanted(&name.to_string_lossy()))
}

/// Whether Python can make environments.
fn environment_module() -> bool {
    let mut command = shell::program("python3");
    command.args(["-c", "import venv, ensurepip"]);
    shell::succeeds(command)
}

/// Makes `.venv` with the pinned packages of the clients.
pub(crate) fn python_environment() -> Result<()> {
    packages(
        &environment(),
        &shell::root().join("tests/clients/requirements.txt"),
    )
}

/// Makes a Python environment with the packages of a list, once for each list.
pub(crate) fn packages(environment: &Path, list: &Path) -> Result<()> {
    let wanted = fs::read_to_string(list).map_err(unusable(list))?;
    let stamp = environment.join("requirements.stamp");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        shell::say(&format!("{} is up to date", environment.display()));
        return Ok(());
    }
    if !shell::exists("python3") {
        return Err("this needs python3 (3.11 or later) with venv and pip".into());
    }
    let mut make = shell::program("python3");
    make.args(["-m", "venv"]).arg(environment);
    shell::run(make)?;
    let mut pip = shell::program(python_of(environment));
    pip.args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "-r"])
        .arg(list);
    shell::run(pip)?;
    fs::write(&stamp, wanted).map_err(unusable(&stamp))
}

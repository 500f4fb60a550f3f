//! Finds the shared library that tests load.
//!
//! Cargo builds no shared library for tests: of what a test is linked with, none is one. So the tests build it
//! themselves where it is missing or older than its sources, with the profile and in the folder that they were built
//! with and in. `cargo xtask test` has built it before.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where the library under test is: what `FIXSTEP_LIBRARY` names, or what stands beside the folder of this program.
pub(crate) fn path() -> PathBuf {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    let found = FOUND.get_or_init(|| match env::var_os("FIXSTEP_LIBRARY") {
        Some(path) => PathBuf::from(path),
        None => built("fixstep-library", "fixstep"),
    });
    found.clone()
}

/// The library of a package, of the same build as this program.
pub(crate) fn built(package: &str, name: &str) -> PathBuf {
    // …/debug/deps/abi-0123
    let own = env::current_exe().unwrap();
    let profile = own.ancestors().nth(2).unwrap();
    let library = profile.join(libloading::library_filename(name));
    if !is_fresh(&library) {
        build(package, profile);
        assert!(library.is_file(), "the build left no {}", library.display());
    }
    library
}

/// Is a library there, and none of its sources newer? Cargo lists them beside it.
fn is_fresh(library: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|data| data.modified());
    let list = fs::read_to_string(library.with_extension("d"));
    let (Ok(made), Ok(list)) = (changed(library), list) else {
        return false;
    };
    // `library: source source …`, where a space within a name has a backslash before it. A list of that name may also
    // be the one of the crate that the library wraps.
    let list = list.replace("\\ ", "\0");
    let mut names = list.split_whitespace().map(|name| name.replace('\0', " "));
    let own = format!("{}:", library.display());
    names.next().is_some_and(|name| name == own)
        && names.all(|source| changed(Path::new(&source)).is_ok_and(|time| time <= made))
}

/// Builds it in the folder of a profile.
fn build(package: &str, profile: &Path) {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "-p", package]);
    // The folder of the profile `dev` has another name.
    match profile.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => {}
        Some(name) => {
            command.args(["--profile", name]);
        }
    }
    command.arg("--target-dir").arg(profile.parent().unwrap());
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

//! Control plane: finds the shared library that goes into an FMU.

use std::path::{Path, PathBuf};

use fixstep_model::resources::read_file;
use object::{NameOrOrdinal, Object as _};

use crate::layout::{Platform, cut_off};
use crate::slave::Failure;

/// The environment variable that names the shared library.
pub const VARIABLE: &str = "FIXSTEP_LIBRARY";

/// Largest library that is packed, in bytes; a debug build has 60 MB.
const MOST_BYTES: u64 = 1 << 30;

/// A shared library for one platform.
#[derive(Clone, Debug)]
pub struct Library {
    /// Its platform.
    pub platform: Platform,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Library {
    /// Reads a shared library.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = read_file(path, MOST_BYTES)
            .map_err(|error| Failure(format!("shared library {}: {error}", path.display())))?;
        let fail = |reason: &str| Failure(format!("shared library {}: {reason}", path.display()));
        let platform = Platform::of_library(&bytes).ok_or_else(|| match cut_off(&bytes) {
            Some(reason) => fail(&reason),
            None => {
                fail("is not a shared library for Linux, Windows or macOS on x86-64 or 64-bit Arm")
            }
        })?;
        if let Some(reason) = unusable(&bytes) {
            return Err(fail(&format!(
                "{reason}; valid: {}, as cargo build --release -p fixstep-library makes it",
                platform.library_name()
            )));
        }
        Ok(Self { platform, bytes })
    }

    /// The libraries to pack: those given, or the one that [`find`] finds.
    pub fn all(given: &[PathBuf]) -> Result<Vec<Self>, Failure> {
        if given.is_empty() {
            let variable = std::env::var_os(VARIABLE).map(PathBuf::from);
            let program = std::env::current_exe().ok();
            return Ok(vec![Self::read(&find(variable, program.as_deref())?)?]);
        }
        let libraries: Vec<Self> = given
            .iter()
            .map(|path| Self::read(path))
            .collect::<Result<_, _>>()?;
        for (at, library) in libraries.iter().enumerate() {
            if libraries[..at]
                .iter()
                .any(|other| other.platform == library.platform)
            {
                let path = given[at].display();
                return Err(Failure(format!(
                    "{path}: a second library for the same platform"
                )));
            }
        }
        Ok(libraries)
    }
}

/// The reason if these bytes are not the solver's library. Only the symbol table is read; no code in it runs.
fn unusable(bytes: &[u8]) -> Option<String> {
    if let Some(reason) = cut_off(bytes) {
        return Some(reason);
    }
    let exports = object::File::parse(bytes)
        .and_then(|file| file.exports()?.collect::<Result<Vec<_>, _>>())
        .unwrap_or_default();
    // macOS writes an underscore before names of C.
    let named = |export: &object::Export<'_>, wanted: &str| match export.name() {
        NameOrOrdinal::Name(name) => name.strip_prefix(b"_").unwrap_or(name) == wanted.as_bytes(),
        NameOrOrdinal::Ordinal(_) => false,
    };
    let missing = ["fmi2Instantiate", "fmi3InstantiateCoSimulation"]
        .into_iter()
        .find(|wanted| !exports.iter().any(|export| named(export, wanted)))?;
    Some(format!(
        "is not the library of the solver: it does not export {missing}"
    ))
}

/// The library that `variable` names, or the one near the program: in its folder (a build or an unpacked release), in
/// `../lib` (an installed program), or where `cargo xtask` builds it, in `../library/release`.
pub fn find(variable: Option<PathBuf>, program: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(path) = variable.filter(|path| !path.as_os_str().is_empty()) {
        return if path.is_file() {
            Ok(path)
        } else {
            Err(Failure(format!(
                "{VARIABLE} names {}, which is not a file",
                path.display()
            )))
        };
    }
    let name = Platform::HOST.library_name();
    let folder = program.and_then(Path::parent).unwrap_or(Path::new("."));
    let mut candidates = vec![folder.join(name)];
    if let Some(above) = folder.parent() {
        // Tests and examples run from a folder below that of the build.
        candidates.push(above.join(name));
        candidates.push(above.join("lib").join(name));
        candidates.push(above.join("library/release").join(name));
    }
    candidates.iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        let tried: Vec<String> =
            candidates.iter().map(|path| format!("  {}", path.display())).collect();
        Failure(format!(
            "the shared library of the solver was not found; looked for\n{}\nGive --library PATH, \
             set {VARIABLE}, or build it with: cargo build --release -p fixstep-library",
            tried.join("\n")
        ))
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_variable_comes_before_the_programs_folder() {
        let folder = tempfile::tempdir().unwrap();
        let name = Platform::HOST.library_name();
        let beside = folder.path().join(name);
        std::fs::write(&beside, "").unwrap();
        let named = folder.path().join("named.so");
        std::fs::write(&named, "").unwrap();
        let program = folder.path().join("fixstep");
        assert_eq!(find(None, Some(&program)), Ok(beside));
        assert_eq!(find(Some(named.clone()), Some(&program)), Ok(named));
        assert!(find(Some(folder.path().join("none.so")), Some(&program)).is_err());
    }

    /// `cargo xtask demo` leaves `target/release/fixstep`, and the library in a folder of its own (xtask/src/products.rs).
    #[test]
    fn what_the_demo_built_is_found() {
        let target = tempfile::tempdir().unwrap();
        let program = target.path().join("release/fixstep");
        let built = target.path().join("library/release");
        std::fs::create_dir_all(&built).unwrap();
        let built = built.join(Platform::HOST.library_name());
        std::fs::write(&built, "").unwrap();
        assert_eq!(find(None, Some(&program)), Ok(built));
        // A library beside the program comes first.
        std::fs::create_dir_all(target.path().join("release")).unwrap();
        let beside = program.with_file_name(Platform::HOST.library_name());
        std::fs::write(&beside, "").unwrap();
        assert_eq!(find(None, Some(&program)), Ok(beside));
    }

    #[test]
    fn a_missing_library_is_reported_with_the_places_searched() {
        let folder = tempfile::tempdir().unwrap();
        let Failure(text) = find(None, Some(&folder.path().join("bin/fixstep"))).unwrap_err();
        assert!(
            text.contains("--library") && text.contains(VARIABLE),
            "{text}"
        );
        assert!(
            text.contains(&folder.path().join("lib").display().to_string()),
            "{text}"
        );
    }

    #[test]
    fn a_script_is_no_library() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "#!/bin/sh").unwrap();
        assert!(Library::read(file.path()).is_err());
    }
}

//! Builds the products of the repository: the shared library, the command-line program, packed examples. Control
//! plane.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::shell::{self, Result};
use crate::viewer;

/// The two products.
#[derive(Clone)]
pub(crate) struct Products {
    /// The command-line program `fixstep`.
    pub(crate) program: PathBuf,
    /// The shared library that every FMU carries.
    pub(crate) library: PathBuf,
}

/// An example of `models/`.
pub(crate) struct Example {
    /// Folder name.
    pub(crate) name: String,
    /// Its `model.json`.
    pub(crate) model: PathBuf,
    /// Its `input.csv`, where it has one.
    pub(crate) input: Option<PathBuf>,
    /// Its `system.json`, where it is also a system of FMUs.
    pub(crate) system: Option<PathBuf>,
}

/// Folder of packed FMUs: `fmi2/` and `fmi3/` below it.
pub(crate) fn fmus() -> PathBuf {
    shell::target().join("fmus")
}

/// How the program is built.
const PROGRAM: [&str; 6] = ["build", "--release", "-p", "fmu-build", "--bin", "fixstep"];

/// Builds both, and says where they are.
pub(crate) fn build_on_request() -> Result<()> {
    let Products { program, library } = build()?;
    for file in [program, library] {
        shell::say(&format!("built: {}", file.display()));
    }
    Ok(())
}

/// Builds both in release mode, each in its own folder. If they were built together, the library would include
/// features that its companions request from crates; in one folder, each build would undo the other. They are built
/// at the same time, since the last crates of either leave a core idle.
pub(crate) fn build() -> Result<Products> {
    viewer::bundle_if_possible();
    let program = shell::cargo(&PROGRAM);
    let (program, library) = thread::scope(|scope| {
        let program = scope.spawn(|| shell::run(program));
        let library = library();
        (program.join(), library)
    });
    program.map_err(|_| "the build of the program panicked".to_owned())??;
    Products::of("release", library?)
}

/// A library with the program that the tests of the workspace have built.
pub(crate) fn with_tests_program(library: PathBuf) -> Result<Products> {
    viewer::bundle_if_possible();
    // If selected alone, packages would have other features and be compiled once more.
    shell::run(shell::cargo(&[
        "test",
        "--workspace",
        "--no-run",
        "--quiet",
    ]))?;
    Products::of("debug", library)
}

/// The library in release, for this system.
pub(crate) fn library() -> Result<PathBuf> {
    let folder = shell::target().join("library");
    let mut build = shell::cargo(&[
        "build",
        "--release",
        "-p",
        "fixstep-library",
        "--target-dir",
    ]);
    build.arg(&folder);
    shell::run(build)?;
    Ok(folder.join("release/libfixstep.so"))
}

/// All examples in alphabetical order.
pub(crate) fn examples() -> Result<Vec<Example>> {
    let folder = shell::root().join("models");
    let unreadable = |error| format!("cannot read {}: {error}", folder.display());
    let mut examples = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let model = path.join("model.json");
        if model.is_file() {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let [input, system] = ["input.csv", "system.json"]
                .map(|name| Some(path.join(name)).filter(|file| file.is_file()));
            examples.push(Example {
                name,
                model,
                input,
                system,
            });
        }
    }
    if examples.is_empty() {
        return Err(format!("no model in {}", folder.display()));
    }
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(examples)
}

/// The example of a name.
pub(crate) fn example(name: &str) -> Result<Example> {
    let examples = examples()?;
    let names: Vec<String> = examples
        .iter()
        .map(|example| example.name.clone())
        .collect();
    let found = examples.into_iter().find(|example| example.name == name);
    found.ok_or_else(|| format!("no example `{name}`; there are: {}", names.join(", ")))
}

/// Writes the README's model, its first block of JSON, to a file.
pub(crate) fn readme_model() -> Result<PathBuf> {
    let readme = fs::read_to_string(shell::root().join("README.md"))
        .map_err(|error| format!("README.md: {error}"))?;
    let block = readme
        .split("```json\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let text = block.ok_or("README.md shows no model")?;
    let path = fmus().join("readme.json");
    fs::create_dir_all(fmus()).map_err(|error| error.to_string())?;
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

impl Products {
    /// The program of a profile, by its folder, and a library.
    fn of(profile: &str, library: PathBuf) -> Result<Self> {
        let program = shell::target().join(profile).join("fixstep");
        for file in [&program, &library] {
            if !file.is_file() {
                return Err(format!("the build left no {}", file.display()));
            }
        }
        Ok(Self { program, library })
    }

    /// Packs a model as `target/fmus/fmi{version}/{name}.fmu`.
    pub(crate) fn pack(&self, name: &str, model: &Path, version: &str) -> Result<PathBuf> {
        self.pack_with(
            std::slice::from_ref(&self.library),
            &fmus(),
            name,
            model,
            version,
        )
    }

    /// Packs a system of FMUs as `target/fmus/fmi{version}/{name}.ssp`.
    pub(crate) fn pack_system(&self, name: &str, system: &Path, version: &str) -> Result<PathBuf> {
        let file = fmus().join(format!("fmi{version}/{name}.ssp"));
        let mut command = shell::program(&self.program);
        command.arg("ssp").arg(system).arg("-o").arg(&file);
        command
            .args(["--fmi", version])
            .arg("--library")
            .arg(&self.library);
        shell::run(command)?;
        Ok(file)
    }

    /// Packs a model with some libraries as `fmi{version}/{name}.fmu` in a folder.
    pub(crate) fn pack_with(
        &self,
        libraries: &[PathBuf],
        folder: &Path,
        name: &str,
        model: &Path,
        version: &str,
    ) -> Result<PathBuf> {
        let folder = folder.join(format!("fmi{version}"));
        fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let fmu = folder.join(format!("{name}.fmu"));
        let mut command = shell::program(&self.program);
        command
            .arg("build")
            .arg(model)
            .arg("-o")
            .arg(&fmu)
            .args(["--fmi", version]);
        for library in libraries {
            command.arg("--library").arg(library);
        }
        shell::run(command)?;
        Ok(fmu)
    }
}

/// `cargo xtask fmu MODEL [--fmi 2|3]`: an example by name or a model by path.
pub(crate) fn pack_on_request(model: &str, versions: &[&str]) -> Result<()> {
    let (name, path) = named(model)?;
    let products = build()?;
    for version in versions {
        let fmu = products.pack(&name, &path, version)?;
        println!("FMI {version}.0: {}", fmu.display());
    }
    Ok(())
}

/// Name and file of an example or of a model by path.
pub(crate) fn named(model: &str) -> Result<(String, PathBuf)> {
    let path = Path::new(model);
    if path.is_file() {
        let path = fs::canonicalize(path).map_err(|error| format!("{model}: {error}"))?;
        return Ok((name_of(&path), path));
    }
    let example = example(model)?;
    Ok((example.name, example.model))
}

/// Name for a model file: its own, or its folder's when it is called `model.json`.
fn name_of(path: &Path) -> String {
    let stem = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy());
    match folder {
        Some(folder) if stem == "model" => folder.into_owned(),
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_by_file_or_folder() {
        assert_eq!(name_of(Path::new("/a/pendulum/model.json")), "pendulum");
        assert_eq!(name_of(Path::new("/a/crank.json")), "crank");
    }
}

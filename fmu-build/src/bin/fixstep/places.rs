//! Control plane: checks the outputs of a command: none may replace a file that is read, or another output.

use std::fs;
use std::path::{Path, PathBuf};

use fmu_build::slave::Failure;

use crate::console::probe;

/// Why a command stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The command line is wrong.
    CommandLine(String),
    /// The command failed.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// The files of a command, each with the option or argument that names it.
#[derive(Default)]
pub(crate) struct Places<'a> {
    inputs: Vec<(&'a str, &'a Path)>,
    outputs: Vec<(&'a str, &'a Path)>,
    /// Options that may write to standard output.
    printing: Vec<&'a str>,
    /// Does --json write to standard output?
    json: bool,
}

impl<'a> Places<'a> {
    /// Files that the command reads.
    pub(crate) fn reads<P: AsRef<Path> + ?Sized + 'a>(
        mut self,
        option: &'a str,
        paths: impl IntoIterator<Item = &'a P>,
    ) -> Self {
        let named = |path: &'a P| (option, path.as_ref());
        self.inputs.extend(paths.into_iter().map(named));
        self
    }

    /// Files that the command writes.
    pub(crate) fn writes<P: AsRef<Path> + ?Sized + 'a>(
        mut self,
        option: &'a str,
        paths: impl IntoIterator<Item = &'a P>,
    ) -> Self {
        let named = |path: &'a P| (option, path.as_ref());
        self.outputs.extend(paths.into_iter().map(named));
        self
    }

    /// Files that the command writes, or standard output.
    pub(crate) fn prints<P: AsRef<Path> + ?Sized + 'a>(
        mut self,
        option: &'a str,
        paths: impl IntoIterator<Item = &'a P>,
    ) -> Self {
        self.printing.push(option);
        self.writes(option, paths)
    }

    /// Whether --json writes to standard output.
    pub(crate) fn json(mut self, json: bool) -> Self {
        self.json = json;
        self
    }

    /// Refuses a second output to standard output.
    fn check_printed(&self) -> Result<(), Stop> {
        let outputs = self.outputs.iter();
        let mut printed = outputs
            .filter(|(_, path)| *path == Path::new("-"))
            .map(|(option, _)| *option);
        let Some(first) = printed.next() else {
            return Ok(());
        };
        if let Some(second) = printed.next() {
            return Err(Stop::CommandLine(format!(
                "{first} and {second} both write to standard output; give one of them a file"
            )));
        }
        if self.json {
            return Err(Stop::CommandLine(format!(
                "{first} - and --json both write to standard output; give {first} a file"
            )));
        }
        if self.printing.contains(&first) {
            return Ok(());
        }
        Err(Stop::CommandLine(format!(
            "{first} -: this is not written to standard output; give {first} a file (one of that name is ./-)"
        )))
    }

    /// Called before anything runs: checks that every output is a separate file that can be written.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        self.check_printed()?;
        for (at, (option, path)) in self.outputs.iter().enumerate() {
            let Some(place) = identity(path) else {
                continue;
            };
            let same = |(_, other): &&(&str, &Path)| identity(other).as_ref() == Some(&place);
            if let Some((other, _)) = self.outputs[..at].iter().find(same) {
                return Err(Stop::CommandLine(format!(
                    "{other} and {option} both write {}; give each a file of its own",
                    path.display()
                )));
            }
            if let Some((other, _)) = self.inputs.iter().find(same) {
                return Err(Stop::CommandLine(format!(
                    "{option} would replace {}, which is read as {other}; give {option} another file",
                    path.display()
                )));
            }
        }
        self.outputs.iter().try_for_each(|(option, path)| {
            writable(path).map_err(|Failure(reason)| Failure(format!("{option} {reason}")).into())
        })
    }
}

/// The file that a path leads to, through links; `None` for standard output, devices, pipes and paths that cannot
/// exist.
fn identity(path: &Path) -> Option<PathBuf> {
    if path == Path::new("-") {
        return None;
    }
    match fs::metadata(path) {
        Ok(there) if there.is_file() => fs::canonicalize(path).ok(),
        Ok(_) => None,
        Err(_) => Some(fs::canonicalize(folder(path)).ok()?.join(path.file_name()?)),
    }
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    let folder = path.parent();
    let named = folder.filter(|folder| !folder.as_os_str().is_empty());
    named.unwrap_or(Path::new("."))
}

/// Can a file be written there?
fn writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(());
    }
    let fail = |reason: &str| Err(Failure(format!("{}: {reason}", path.display())));
    if path.is_dir() {
        return fail("is a folder; valid: a file");
    }
    let folder = folder(path);
    if path.exists() || folder.is_dir() {
        return probe(path);
    }
    let what = if folder.exists() {
        "is no folder"
    } else {
        "does not exist"
    };
    fail(&format!(
        "the folder {} {what}; valid: one that is there",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn one_option_at_most_prints() {
        let said = |places: Places<'_>| match places.check() {
            Err(Stop::CommandLine(text)) => text,
            other => format!("{other:?}"),
        };
        let one = || Places::default().prints("--output", ["-"]);
        assert_eq!(said(one()), "Ok(())");
        let two = said(one().prints("--plot", ["-"]));
        assert!(
            two.contains("--output and --plot both write to standard output"),
            "{two}"
        );
        let none = said(Places::default().writes("--png", ["-"]));
        assert!(none.starts_with("--png -: this is not written"), "{none}");
    }

    #[test]
    fn one_file_under_two_names_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let at = |name: &str| folder.path().join(name);
        for (input, output) in [("a", "a"), ("a", "sub/../a"), ("b", "./b")] {
            let (input, output) = ([at(input)], [at(output)]);
            let places = || Places::default().writes("--output", &output);
            let Err(Stop::CommandLine(text)) = places().reads("FILE", &input).check() else {
                unreachable!("{input:?} {output:?}");
            };
            assert!(text.contains("FILE") && text.contains("--output"), "{text}");
            let twice = places().writes("--plot", &input).check();
            assert!(matches!(twice, Err(Stop::CommandLine(_))));
            assert!(places().reads("FILE", &[at("c")]).check().is_ok());
        }
        let out = [at("none/c"), at("sub")];
        for out in &out {
            let wrong = Places::default().writes("--output", [out]).check();
            assert!(matches!(wrong, Err(Stop::Failed(_))), "{out:?}");
        }
        let both = Places::default().reads("FILE", ["-"]);
        assert!(both.prints("--output", ["-"]).check().is_ok());
    }
}

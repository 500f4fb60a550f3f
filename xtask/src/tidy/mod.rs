//! The house rules that neither the compiler nor Clippy checks. Control plane.

mod documents;
mod equations;
mod headings;
mod layers;
mod names;
mod rust;
mod strip;

use std::fmt;
use std::fs;
use std::path::Path;

use crate::report::{Counts, Outcome};
use crate::shell::{Result, root};

/// A text file of the repository.
pub(crate) struct SourceFile {
    /// Path from the root, with `/`.
    pub(crate) path: String,
    /// Contents.
    pub(crate) text: String,
}

impl SourceFile {
    /// Whether the file's name ends in `.` and this.
    pub(crate) fn is(&self, ending: &str) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|own| own == ending)
    }
}

/// A broken rule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Path from the root.
    pub(crate) path: String,
    /// Line, from 1; 0: the whole file.
    pub(crate) line: usize,
    /// The fault, and what would be right.
    pub(crate) message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// Folders that hold nothing of ours.
const FOREIGN: [&str; 5] = ["target", ".git", ".venv", "__pycache__", "node_modules"];

/// Endings of the text files that are read.
const TEXT: [&str; 9] = ["rs", "toml", "md", "json", "py", "txt", "yml", "yaml", "sh"];

/// A rule: its name, and what breaks it.
type Rule = (&'static str, fn(&[SourceFile]) -> Vec<Problem>);

const RULES: [Rule; 10] = [
    ("every .rs file opens with a module doc", rust::module_docs),
    ("no .rs file over 500 lines", rust::file_sizes),
    ("unsafe only where it belongs", rust::unsafe_places),
    ("layers use only what lies below them", layers::check),
    ("equation tags are defined and used", equations::check),
    ("documents name files that exist", documents::paths),
    ("links of documents find their headings", headings::links),
    ("documents quote names that the code has", names::quoted),
    ("no paths of one machine", documents::machine_paths),
    (
        "the gallery shows the examples as they are",
        crate::gallery::current,
    ),
];

/// `cargo xtask tidy`.
pub(crate) fn run() -> Result<()> {
    let outcome = check()?;
    match outcome.counts.failed {
        0 => Ok(()),
        failed => Err(format!("{failed} house rules are broken")),
    }
}

/// Checks every rule; one count for each.
pub(crate) fn check() -> Result<Outcome> {
    let files = read_files()?;
    println!("{} text files", files.len());
    let mut outcome = Outcome::default();
    for (name, rule) in RULES {
        let problems = rule(&files);
        for problem in &problems {
            println!("{problem}");
        }
        if problems.is_empty() {
            println!("ok {name}");
            outcome.add(Outcome::pass());
        } else {
            println!("FAILED {name}: {} places", problems.len());
            let counts = Counts {
                failed: 1,
                ..Counts::default()
            };
            let notes = vec![format!("failed: {name}: {} places", problems.len())];
            outcome.add(Outcome { counts, notes });
        }
    }
    Ok(outcome)
}

/// All text files of the repository in a fixed order.
pub(crate) fn read_files() -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    visit(&root(), "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Collects the text files below a folder.
fn visit(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) -> Result<()> {
    let unreadable = |error| format!("cannot read {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() && !FOREIGN.contains(&name.as_str()) {
            visit(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() && is_text(&name) {
            let text = fs::read_to_string(entry.path())
                .map_err(|error| format!("{path}: {error}; text files are UTF-8"))?;
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}

/// Whether a file's ending marks it as text.
fn is_text(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| TEXT.contains(&ending))
}

//! Rules about documents: everything that they name exists, and nothing refers to one particular machine. Control
//! plane.

use std::path::Path;

use super::{Problem, SourceFile};
use crate::shell::root;

/// Our folders: a path in backquotes that begins with one must exist. Other paths, such as those inside an FMU, do
/// not belong to the repository.
const OURS: [&str; 12] = [
    "src/",
    "library/",
    "kernel/",
    "variables/src/",
    "model/src/",
    "modelDescription/",
    "fmu-build/",
    "xtask/",
    "tests/",
    "benches/",
    "docs/",
    "models/",
];

/// Checks that these exist: every relative link of a document, every path in backquotes of ARCHITECTURE.md, and those
/// of other documents that begin with one of our folders.
pub(crate) fn paths(files: &[SourceFile]) -> Vec<Problem> {
    let root = root();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is("md")) {
        let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
        for (index, line) in file.text.lines().enumerate() {
            let mut named: Vec<_> = links(line).map(|link| (folder.join(link), link)).collect();
            let map = file.path == "ARCHITECTURE.md";
            let meant = |path: &&str| map || OURS.iter().any(|folder| path.starts_with(folder));
            let quoted = quoted_paths(line).filter(meant);
            named.extend(quoted.map(|path| (Path::new(path).into(), path)));
            for (path, name) in named {
                let each = alternatives(&path.to_string_lossy());
                if !each.iter().all(|path| root.join(path).exists()) {
                    let message = format!("`{name}` does not exist");
                    problems.push(Problem {
                        path: file.path.clone(),
                        line: index + 1,
                        message,
                    });
                }
            }
        }
    }
    problems
}

/// Targets of `[text](target)` that are files of the repository.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .map(|target| target.split('#').next().unwrap_or_default())
        .filter(|target| !target.is_empty() && !target.contains(':'))
}

/// Words in backquotes that are paths: with a slash, or a file at the root.
fn quoted_paths(line: &str) -> impl Iterator<Item = &str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/{},".contains(c);
    let ending = |word: &str| {
        [".rs", ".toml", ".md", ".txt", ".json"]
            .iter()
            .any(|end| word.ends_with(end))
    };
    line.split('`')
        .skip(1)
        .step_by(2)
        .filter(move |word| word.chars().all(plain) && (word.contains('/') || ending(word)))
        .filter(|word| !word.starts_with("target/") && !word.starts_with('/'))
}

/// The paths that `a/{b,c}.rs` abbreviates: `a/b.rs` and `a/c.rs`.
fn alternatives(path: &str) -> Vec<String> {
    let group = path.split_once('{').and_then(|(start, rest)| {
        rest.split_once('}')
            .map(|(inside, end)| (start, inside, end))
    });
    match group {
        Some((start, inside, end)) => inside
            .split(',')
            .flat_map(|one| alternatives(&format!("{start}{one}{end}")))
            .collect(),
        None => vec![path.to_owned()],
    }
}

/// Folders of one person's machine, written in halves so that this file does not name them.
const MACHINE: [&str; 4] = [
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Use", "rs/"),
    concat!("C:\\Use", "rs\\"),
];

/// No file names a folder of one person's machine.
pub(crate) fn machine_paths(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        for (index, line) in file.text.lines().enumerate() {
            for place in MACHINE.iter().filter(|place| line.contains(*place)) {
                let message = format!("names `{place}`, a folder of one machine");
                problems.push(Problem {
                    path: file.path.clone(),
                    line: index + 1,
                    message,
                });
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_paths_are_found() {
        let line = "[a](docs/a.md#x), [b](https://b.example/c) and [c](#here)";
        assert_eq!(links(line).collect::<Vec<_>>(), ["docs/a.md"]);
        let line = "`src/ffi/` holds `Instance`, see `Cargo.toml`, not `a b/c` or `target/fmus/`";
        assert_eq!(
            quoted_paths(line).collect::<Vec<_>>(),
            ["src/ffi/", "Cargo.toml"]
        );
    }

    #[test]
    fn a_stale_path_is_a_problem() {
        let text = "`Cargo.toml` `src/no_such_folder/`\n[x](no_such.md)\n";
        let file = SourceFile {
            path: "ARCHITECTURE.md".into(),
            text: text.into(),
        };
        assert_eq!(
            paths(&[file]).iter().map(|p| p.line).collect::<Vec<_>>(),
            [1, 2]
        );
    }

    #[test]
    fn groups_of_paths_are_looked_at_one_by_one() {
        assert_eq!(alternatives("a/{b,c}.rs"), ["a/b.rs", "a/c.rs"]);
        let file = |text: &str| SourceFile {
            path: "docs/a.md".into(),
            text: text.into(),
        };
        let stale = |text: &str| paths(&[file(text)]).len();
        assert_eq!(
            stale("`xtask/src/{main,shell}.rs` `resources/model.json`"),
            0
        );
        assert_eq!(stale("`xtask/src/{main,no_such}.rs` `src/no_such.rs`"), 2);
    }

    #[test]
    fn machine_paths_are_problems() {
        let text = format!("ok /opt/x\n{}me/x\n", MACHINE[1]);
        let file = SourceFile {
            path: "a.toml".into(),
            text,
        };
        assert_eq!(
            machine_paths(&[file])
                .iter()
                .map(|p| p.line)
                .collect::<Vec<_>>(),
            [2]
        );
    }
}

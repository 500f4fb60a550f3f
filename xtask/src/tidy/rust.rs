//! Rules about single Rust files. Control plane.

use super::strip::strip;
use super::{Problem, SourceFile};

/// Longest file in lines, its tests included.
const FILE_LINES: usize = 500;

/// Places where `unsafe` is allowed: the C interface, the program that calls it, the tests and benchmarks of both, an
/// allocator that counts, and the choice of the processor's instruction set.
const UNSAFE: [&str; 7] = [
    "src/ffi/",
    "library/counting/src/",
    "kernel/src/linalg/lanes/",
    "kernel/tests/no_alloc.rs",
    "fmu-build/src/client/",
    "tests/",
    "benches/interface/",
];

fn rust_files(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    files.iter().filter(|file| file.is("rs"))
}

fn problem(file: &SourceFile, line: usize, message: impl Into<String>) -> Problem {
    Problem {
        path: file.path.clone(),
        line,
        message: message.into(),
    }
}

/// Every file says in its first line what it is; for a module's `tests.rs` the name says it. A file that others
/// include by `include!` says it in a plain comment, the only kind allowed there.
pub(crate) fn module_docs(files: &[SourceFile]) -> Vec<Problem> {
    let included = |file: &SourceFile| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let taken =
            |line: &str| line.starts_with("include!(") && line.contains(&format!("/{name}\""));
        rust_files(files).any(|other| other.text.lines().any(taken))
    };
    rust_files(files)
        .filter(|file| !file.path.ends_with("/tests.rs"))
        .filter(|file| !file.text.trim_start().starts_with("//!"))
        .filter(|file| !(file.text.starts_with("// ") && included(file)))
        .map(|file| problem(file, 1, "opens without a `//!` line that says what it is"))
        .collect()
}

/// Files stay readable in one sitting.
pub(crate) fn file_sizes(files: &[SourceFile]) -> Vec<Problem> {
    rust_files(files)
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > FILE_LINES)
        .map(|(file, lines)| problem(file, 0, format!("{lines} lines; at most {FILE_LINES}")))
        .collect()
}

/// The compiler refuses `unsafe`, unless an attribute allows it: such attributes stay where they are reviewed as such.
pub(crate) fn unsafe_places(files: &[SourceFile]) -> Vec<Problem> {
    let allowed = |file: &&SourceFile| UNSAFE.iter().any(|place| file.path.starts_with(place));
    let mut problems = Vec::new();
    for file in rust_files(files).filter(|file| !allowed(file)) {
        for (index, line) in strip(&file.text).lines().enumerate() {
            if line.contains("unsafe_code") {
                let message = format!("`unsafe` belongs only under {}", UNSAFE.join(", "));
                problems.push(problem(file, index + 1, message));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> Vec<SourceFile> {
        vec![SourceFile {
            path: path.into(),
            text: text.into(),
        }]
    }

    #[test]
    fn a_missing_module_doc_is_found() {
        assert_eq!(module_docs(&file("src/a.rs", "fn f() {}\n")).len(), 1);
        assert!(module_docs(&file("src/a.rs", "//! A.\nfn f() {}\n")).is_empty());
        assert!(module_docs(&file("notes.md", "text")).is_empty());
        assert_eq!(module_docs(&file("src/a.rs", "// A.\n")).len(), 1);
        let mut included = file("src/part.rs", "// A part.\n");
        included.extend(file("src/b.rs", "//! B.\ninclude!(\"../part.rs\");\n"));
        assert!(module_docs(&included).is_empty());
    }

    #[test]
    fn long_files_are_found() {
        assert!(file_sizes(&file("src/a.rs", &"x\n".repeat(500))).is_empty());
        assert_eq!(file_sizes(&file("src/a.rs", &"x\n".repeat(501))).len(), 1);
    }

    #[test]
    fn attributes_that_allow_unsafe_are_found() {
        let text = "// unsafe_code\n#![expect(unsafe_code)]\nunsafe fn f() {}\n";
        let problems = unsafe_places(&file("src/a.rs", text));
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), vec![2]);
        assert!(unsafe_places(&file("src/ffi/a.rs", text)).is_empty());
    }
}

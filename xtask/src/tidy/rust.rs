//! Control plane: the rules of `cargo xtask tidy` that look at one Rust file at a time.

use super::strip::{is_word, strip};
use super::{Problem, SourceFile};

/// Longest file in lines, its tests included.
const FILE_LINES: usize = 500;

/// Longest function body, in lines that hold code.
const FUNCTION_LINES: usize = 70;

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

/// Functions stay on one screen.
pub(crate) fn function_sizes(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in rust_files(files) {
        for function in functions(&strip(&file.text)) {
            if function.lines > FUNCTION_LINES {
                let Function { name, line, lines } = function;
                let message = format!("function `{name}` has {lines} lines; at most 70");
                problems.push(problem(file, line, message));
            }
        }
    }
    problems
}

/// Nothing unfinished is left.
pub(crate) fn leftovers(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in rust_files(files) {
        for (line, word) in words(&strip(&file.text)) {
            if matches!(word.as_str(), "todo!" | "unimplemented!" | "dbg!") {
                problems.push(problem(file, line, format!("`{word}` is left over")));
            }
        }
    }
    problems
}

/// `unsafe` stays in the places that are reviewed for it.
pub(crate) fn unsafe_places(files: &[SourceFile]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in rust_files(files) {
        if UNSAFE.iter().any(|place| file.path.starts_with(place)) {
            continue;
        }
        for (line, word) in words(&strip(&file.text)) {
            if word == "unsafe" {
                let message = format!("`unsafe` belongs only under {}", UNSAFE.join(", "));
                problems.push(problem(file, line, message));
            }
        }
    }
    problems
}

/// The words of stripped source with their lines; a macro call keeps its `!`.
pub(crate) fn words(code: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let mut word = String::new();
        for c in line.chars().chain(std::iter::once(' ')) {
            if is_word(c) {
                word.push(c);
            } else if !word.is_empty() {
                if c == '!' {
                    word.push(c);
                }
                words.push((index + 1, std::mem::take(&mut word)));
            }
        }
    }
    words
}

/// A function and the lines of its body that hold code.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    line: usize,
    lines: usize,
}

/// All functions with a body in stripped source.
fn functions(code: &str) -> Vec<Function> {
    let lines: Vec<&str> = code.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else {
            continue;
        };
        if let Some(length) = body_lines(&lines, index) {
            found.push(Function {
                name,
                line: index + 1,
                lines: length,
            });
        }
    }
    found
}

/// The name of the function that a line declares.
fn function_name(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    words.by_ref().find(|word| *word == "fn")?;
    let name: String = words.next()?.chars().take_while(|c| is_word(*c)).collect();
    if name.is_empty() { None } else { Some(name) }
}

/// Lines with code between the braces of the function declared at `start`; `None` without a body.
fn body_lines(lines: &[&str], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut parentheses = 0_i32;
    let mut count = 0;
    for line in lines.iter().skip(start) {
        let inside = depth > 0;
        for c in line.chars() {
            match c {
                '(' | '[' => parentheses += 1,
                ')' | ']' => parentheses -= 1,
                ';' if depth == 0 && parentheses == 0 => return None,
                '{' => depth += 1,
                '}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 && parentheses == 0 {
                        return Some(count);
                    }
                }
                _ => {}
            }
        }
        if inside && !line.trim().is_empty() {
            count += 1;
        }
    }
    None
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
    fn functions_are_measured_by_their_code() {
        let code = "impl A {\n    fn f(\n        x: [f64; 3],\n    ) -> u8 {\n        a;\n\n        b\n    }\n    fn g();\n}\n";
        let expected = Function {
            name: "f".into(),
            line: 2,
            lines: 2,
        };
        assert_eq!(functions(code), vec![expected]);
        let long = format!("fn f() {{\n{}}}\n", "    a;\n".repeat(71));
        assert_eq!(function_sizes(&file("src/a.rs", &long)).len(), 1);
        let fits = format!("fn f() {{\n{}}}\n", "    a; // {\n    // {\n".repeat(70));
        assert!(function_sizes(&file("src/a.rs", &fits)).is_empty());
    }

    #[test]
    fn leftovers_and_unsafe_are_found_in_code_only() {
        let text = "//! todo!\nfn f() { todo!() }\n";
        assert_eq!(leftovers(&file("src/a.rs", text)).len(), 1);
        let text = "// unsafe\n#![deny(unsafe_code)]\nunsafe fn f() {}\n";
        let problems = unsafe_places(&file("src/a.rs", text));
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), vec![3]);
        assert!(unsafe_places(&file("src/ffi/a.rs", text)).is_empty());
    }
}

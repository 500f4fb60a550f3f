//! Rule about layers: which crate may use which, and which module of a crate, by the table `xtask/layers.txt`.
//! Control plane.

use std::collections::{BTreeMap, BTreeSet};

use super::strip::{is_word, strip};
use super::{Problem, SourceFile};

const TABLE: &str = "xtask/layers.txt";

/// Name → names it may use, its own among them.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// A section of the table.
#[derive(Debug)]
struct Crate {
    /// Name in source.
    name: String,
    /// Folder of its source, with `/` at its end.
    folder: String,
    /// Its modules; empty: the table leaves them to themselves.
    modules: Edges,
}

/// The whole table.
#[derive(Debug, Default)]
struct Table {
    /// Sections, in the order of the file.
    crates: Vec<Crate>,
    /// Which crate may use which.
    uses: Edges,
}

/// Checks that every `crate::x`, every `super` that reaches the root of its crate and every `other_crate::` is an
/// edge of the table, and that every module of the table exists.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Problem> {
    let Some(table) = files.iter().find(|file| file.path == TABLE) else {
        return vec![problem(TABLE, 0, "is missing".into())];
    };
    let (table, mut problems) = read_table(&table.text);
    for file in files {
        for section in &table.crates {
            if let Some(place) = place(&file.path, &section.folder) {
                check_file(file, &place, section, &table, &mut problems);
            }
        }
    }
    problems.extend(stale(&table, files));
    problems
}

/// The edges of one file at a place of a crate.
fn check_file(
    file: &SourceFile,
    place: &[&str],
    section: &Crate,
    table: &Table,
    problems: &mut Vec<Problem>,
) {
    let code = without_tests(&strip(&file.text));
    let among_crates = crate_edges(&code, &table.uses);
    refuse(file, &section.name, among_crates, &table.uses, problems);
    let module = place.first().copied().unwrap_or("lib");
    if section.modules.is_empty() || module == "lib" {
        return;
    }
    if section.modules.contains_key(module) {
        let inside = edges(&code, place.len());
        refuse(file, module, inside, &section.modules, problems);
    } else {
        let message = format!(
            "module `{module}` of `{}` is not in {TABLE}",
            section.folder
        );
        problems.push(problem(&file.path, 0, message));
    }
}

/// The edges from `user` that are not allowed. A name that is not in the table is not a module.
fn refuse(
    file: &SourceFile,
    user: &str,
    edges: Vec<(usize, String)>,
    allowed: &Edges,
    problems: &mut Vec<Problem>,
) {
    let Some(listed) = allowed.get(user) else {
        return;
    };
    for (line, used) in edges {
        if allowed.contains_key(&used) && !listed.contains(&used) {
            let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
            let message = format!(
                "`{user}` may not use `{used}`; it may use: {}",
                listed.join(" ")
            );
            problems.push(problem(&file.path, line, message));
        }
    }
}

/// Folders and modules of the table that hold no file.
fn stale(table: &Table, files: &[SourceFile]) -> Vec<Problem> {
    let exists = |start: &str| files.iter().any(|file| file.path.starts_with(start));
    let mut problems = Vec::new();
    for Crate {
        folder, modules, ..
    } in &table.crates
    {
        if !exists(folder) {
            problems.push(problem(TABLE, 0, format!("`{folder}` does not exist")));
            continue;
        }
        for module in modules.keys() {
            let path = format!("{folder}{module}");
            if !exists(&format!("{path}.rs")) && !exists(&format!("{path}/")) {
                problems.push(problem(TABLE, 0, format!("`{path}` does not exist")));
            }
        }
    }
    problems
}

fn problem(path: &str, line: usize, message: String) -> Problem {
    Problem {
        path: path.into(),
        line,
        message,
    }
}

/// Reads sections `[folder crate: used used]` with lines `module: used used`, or `several modules: used used` for one
/// layer. A name may use only names above it, in its section or among the crates, and those of its own line, so the
/// table cannot contain a circle.
fn read_table(text: &str) -> (Table, Vec<Problem>) {
    let mut table = Table::default();
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let section = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
        let Some((names, used)) = section.unwrap_or(line).split_once(':') else {
            if !line.is_empty() {
                let message = format!("`{line}` is no `name: used used`");
                problems.push(problem(TABLE, index + 1, message));
            }
            continue;
        };
        let names: Vec<&str> = names.split_whitespace().collect();
        let unknown = match (section, names.as_slice(), table.crates.last_mut()) {
            (Some(_), [folder, name], _) => {
                let unknown = add(&mut table.uses, &[name], used);
                table.crates.push(Crate {
                    name: (*name).into(),
                    folder: format!("{folder}/"),
                    modules: Edges::new(),
                });
                unknown
            }
            (None, names, Some(section)) => add(&mut section.modules, names, used),
            _ => {
                let message = format!("`{line}` is not in a section `[folder crate: used used]`");
                problems.push(problem(TABLE, index + 1, message));
                continue;
            }
        };
        for used in unknown {
            let message = format!("`{}` uses `{used}`, which is not above it", names.join(" "));
            problems.push(problem(TABLE, index + 1, message));
        }
    }
    (table, problems)
}

/// Adds a line to the edges; returns the names that it uses and that are not above it.
fn add(edges: &mut Edges, names: &[&str], used: &str) -> Vec<String> {
    let mut used: BTreeSet<String> = used.split_whitespace().map(str::to_owned).collect();
    let unknown = used.iter().filter(|name| !edges.contains_key(*name));
    let unknown = unknown.cloned().collect();
    used.extend(names.iter().map(|name| (*name).to_owned()));
    for name in names {
        edges.insert((*name).into(), used.clone());
    }
    unknown
}

/// Module path of a source file of the crate in `folder`: `a/b.rs` and `a/b/mod.rs` are `a::b`. Files of tests, and
/// files that they share, are exempt.
fn place<'a>(path: &'a str, folder: &str) -> Option<Vec<&'a str>> {
    let inner = path.strip_prefix(folder)?.strip_suffix(".rs")?;
    let mut parts: Vec<&str> = inner.split('/').collect();
    if parts.last() == Some(&"mod") {
        parts.pop();
    }
    if parts.iter().any(|part| ["tests", "testing"].contains(part)) {
        None
    } else {
        Some(parts)
    }
}

/// The crates of the table that stripped source names, with lines.
fn crate_edges(code: &str, crates: &Edges) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for name in crates.keys() {
        let path = format!("{name}::");
        for (position, _) in code.match_indices(&path) {
            let before = code[..position].chars().next_back();
            if !before.is_some_and(is_word) {
                let line = code[..position].matches('\n').count() + 1;
                found.push((line, name.clone()));
            }
        }
    }
    found
}

/// The source up to the first `#[cfg(test)]` that opens a module with a body.
fn without_tests(code: &str) -> String {
    let mut kept = String::new();
    let mut lines = code.lines().peekable();
    while let Some(line) = lines.next() {
        let body = lines
            .peek()
            .is_some_and(|next| next.trim_end().ends_with('{'));
        if line.trim() == "#[cfg(test)]" && body {
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// The root modules that stripped source at module depth `depth` names, with lines.
fn edges(code: &str, depth: usize) -> Vec<(usize, String)> {
    let climb = "super::".repeat(depth);
    let mut found = Vec::new();
    for prefix in ["crate::", climb.as_str()] {
        for (position, _) in code.match_indices(prefix) {
            let before = code[..position].chars().next_back();
            let outer = prefix != "crate::" && code[..position].ends_with("super::");
            if before.is_some_and(is_word) || outer {
                continue;
            }
            let line = code[..position].matches('\n').count() + 1;
            let rest = &code[position + prefix.len()..];
            found.extend(heads(rest).into_iter().map(|name| (line, name)));
        }
    }
    found
}

/// First segments of a path or of a group of paths: `{a::b, c::{d, e}}` gives `a`, `c`.
fn heads(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![rest.chars().take_while(|c| is_word(*c)).collect()];
    };
    let mut depth = 0;
    let mut heads = vec![String::new()];
    let mut open = true;
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                heads.push(String::new());
                open = true;
            }
            c if depth == 0 && open && is_word(c) => {
                if let Some(head) = heads.last_mut() {
                    head.push(c);
                }
            }
            c if c.is_whitespace() => {}
            _ => open = false,
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "# comment\n[core/src core:]\nids:\nmath: ids # why\nstep: math ids\n\
                          [src skin: core]\nffi:\n[tool/src tool: skin]\n";

    /// The problems of one file beside the sample.
    fn broken(path: &str, text: &str) -> Vec<Problem> {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let present = [
            "core/src/ids.rs",
            "core/src/math/mod.rs",
            "core/src/step/mod.rs",
        ];
        let mut files = vec![file(TABLE, SAMPLE), file(path, text)];
        files.extend(present.map(|path| file(path, "")));
        files.extend(["src/ffi.rs", "tool/src/lib.rs"].map(|path| file(path, "")));
        check(&files)
    }

    #[test]
    fn upward_edges_are_found() {
        let text = "use crate::math::sin;\nuse crate::{\n    ids::A,\n    step::{b, c},\n};\n";
        let problems = broken("core/src/math/a.rs", text);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].line, 2);
        assert!(problems[0].message.contains("`math` may not use `step`"));
        assert!(broken("core/src/step/newton.rs", text).is_empty());
    }

    #[test]
    fn paths_and_climbing_supers_count() {
        let count = |path: &str, text: &str| broken(path, text).len();
        assert_eq!(
            count("core/src/ids/a.rs", "fn f() { crate::math::sin() }"),
            1
        );
        assert_eq!(
            count("core/src/ids/a.rs", "use super::super::math::sin;"),
            1
        );
        assert_eq!(count("core/src/ids/a.rs", "use super::math::sin;"), 0);
        assert_eq!(count("core/src/ids/a.rs", "// crate::math\n"), 0);
    }

    #[test]
    fn crates_use_only_what_is_above_them() {
        let text = "use core::ids::A;\nuse skin::B;\nuse tool::C;\n";
        let lines = |path: &str| {
            let problems = broken(path, text);
            problems.iter().map(|p| p.line).collect::<Vec<_>>()
        };
        assert_eq!(lines("core/src/math/a.rs"), [2, 3]);
        assert_eq!(lines("core/src/lib.rs"), [2, 3]);
        assert_eq!(lines("src/ffi/a.rs"), [3]);
        assert_eq!(lines("tool/src/anything.rs"), [1]);
        assert!(broken("src/ffi/a.rs", "use my_tool::C;\n").is_empty());
    }

    #[test]
    fn tests_may_use_anything() {
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::step;\n}\n";
        assert!(broken("core/src/ids/a.rs", text).is_empty());
        assert!(broken("core/src/ids/tests.rs", "use crate::step;").is_empty());
        assert!(broken("core/tests/a.rs", "use tool::step;").is_empty());
    }

    #[test]
    fn unknown_modules_and_circles_are_refused() {
        assert_eq!(broken("core/src/stray.rs", "").len(), 1);
        assert_eq!(broken("src/math.rs", "").len(), 1);
        let problems = |text: &str| read_table(text).1.len();
        assert_eq!(problems("[a a:]\nb: c\nc: b\n"), 1);
        assert_eq!(problems("[a a: b]\n[b b: a]\n"), 1);
        assert_eq!(problems("a:\n"), 1);
        assert_eq!(problems("[a a:]\nb\n"), 1);
        let (table, problems) = read_table("[x x:]\na b:\nc: a\n");
        let modules = &table.crates[0].modules;
        assert!(problems.is_empty());
        assert!(modules["a"].contains("b") && !modules["c"].contains("b"));
    }

    #[test]
    fn what_the_table_names_exists() {
        let (table, _) = read_table("[x x:]\na:\nb:\n[y y:]\n");
        let file = SourceFile {
            path: "x/a/mod.rs".into(),
            text: String::new(),
        };
        let found: Vec<String> = stale(&table, &[file])
            .into_iter()
            .map(|p| p.message)
            .collect();
        assert_eq!(found, ["`x/b` does not exist", "`y/` does not exist"]);
    }
}

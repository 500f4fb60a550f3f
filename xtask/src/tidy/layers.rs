//! Which module of the root crate may use which: the table is `xtask/layers.txt`. Control plane.

use std::collections::{BTreeMap, BTreeSet};

use super::strip::{is_word, strip};
use super::{Problem, SourceFile};

const TABLE: &str = "xtask/layers.txt";

/// Module → modules it may use.
type Table = BTreeMap<String, BTreeSet<String>>;

/// Every `crate::x` and every `super` that climbs to the root must be an edge of the table.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Problem> {
    let Some(table) = files.iter().find(|file| file.path == TABLE) else {
        return vec![Problem {
            path: TABLE.into(),
            line: 0,
            message: "is missing".into(),
        }];
    };
    let (table, mut problems) = read_table(&table.text);
    for file in files {
        let Some(place) = place(&file.path) else {
            continue;
        };
        let Some(allowed) = table.get(place[0]) else {
            let message = format!("module `{}` is not in {TABLE}", place[0]);
            problems.push(Problem {
                path: file.path.clone(),
                line: 0,
                message,
            });
            continue;
        };
        for (line, used) in edges(&without_tests(&strip(&file.text)), place.len()) {
            if table.contains_key(&used) && !allowed.contains(&used) {
                let listed: Vec<&str> = allowed.iter().map(String::as_str).collect();
                let message = format!(
                    "`{}` may not use `{used}`; it may use: {}",
                    place[0],
                    listed.join(" ")
                );
                problems.push(Problem {
                    path: file.path.clone(),
                    line,
                    message,
                });
            }
        }
    }
    problems
}

/// Reads `module: used used`, or `several modules: used used` for one layer. A module may use only
/// modules above it in the file and those of its own line, so that no circle can be written down.
fn read_table(text: &str) -> (Table, Vec<Problem>) {
    let mut table = Table::new();
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let Some((modules, used)) = line.split_once(':') else {
            continue;
        };
        let modules: Vec<String> = modules.split_whitespace().map(str::to_owned).collect();
        let mut used: BTreeSet<String> = used.split_whitespace().map(str::to_owned).collect();
        for name in used.iter().filter(|name| !table.contains_key(*name)) {
            let message = format!(
                "`{}` uses `{name}`, which is not above it",
                modules.join(" ")
            );
            problems.push(Problem {
                path: TABLE.into(),
                line: index + 1,
                message,
            });
        }
        used.extend(modules.iter().cloned());
        for module in modules {
            table.insert(module, used.clone());
        }
    }
    (table, problems)
}

/// Module path of a source file of the root crate: `src/a/b.rs` and `src/a/b/mod.rs` are `a::b`.
/// `lib.rs` and files of tests are free.
fn place(path: &str) -> Option<Vec<&str>> {
    let inner = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let mut parts: Vec<&str> = inner.split('/').collect();
    if parts.last() == Some(&"mod") {
        parts.pop();
    }
    let free = parts.is_empty() || parts == ["lib"] || parts.contains(&"tests");
    if free { None } else { Some(parts) }
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

    fn files(path: &str, text: &str) -> Vec<SourceFile> {
        let table = "# comment\nids:\nmath: ids # why\nstep: math ids\n";
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        vec![file(TABLE, table), file(path, text)]
    }

    #[test]
    fn upward_edges_are_found() {
        let text = "use crate::math::sin;\nuse crate::{\n    ids::A,\n    step::{b, c},\n};\n";
        let problems = check(&files("src/math/mod.rs", text));
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].line, 2);
        assert!(problems[0].message.contains("`math` may not use `step`"));
        assert!(check(&files("src/step/newton.rs", text)).is_empty());
    }

    #[test]
    fn paths_and_climbing_supers_count() {
        assert_eq!(
            check(&files("src/ids.rs", "fn f() { crate::math::sin() }")).len(),
            1
        );
        assert_eq!(
            check(&files("src/ids/a.rs", "use super::super::math::sin;")).len(),
            1
        );
        assert!(check(&files("src/ids/a.rs", "use super::math::sin;")).is_empty());
        assert!(check(&files("src/ids.rs", "// crate::math\n")).is_empty());
    }

    #[test]
    fn tests_may_use_anything() {
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    use crate::step;\n}\n";
        assert!(check(&files("src/ids.rs", text)).is_empty());
        assert!(check(&files("src/ids/tests.rs", "use crate::step;")).is_empty());
    }

    #[test]
    fn unknown_modules_and_circles_are_refused() {
        assert_eq!(check(&files("src/stray.rs", "")).len(), 1);
        assert_eq!(read_table("a: b\nb: a\n").1.len(), 1);
        let (table, problems) = read_table("a b:\nc: a\n");
        assert!(problems.is_empty() && table["a"].contains("b") && !table["c"].contains("b"));
    }
}

//! Checks licences and sources of our dependencies against `deny.toml`, without an extra tool. If cargo-deny is
//! installed it runs as well. Control plane.

use std::collections::BTreeSet;
use std::fs;

use crate::report::{Counts, Outcome};
use crate::shell::{self, Result};

/// The only registry.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Licences, sources and banned crates.
pub(crate) fn check() -> Result<Outcome> {
    let policy = read("deny.toml")?;
    let mut outcome = Outcome::default();
    outcome.add(verdict("licences are allowed", &licences(&policy)?));
    outcome.add(verdict(
        "all crates come from crates.io",
        &sources(&read("Cargo.lock")?),
    ));
    outcome.add(verdict(
        "nothing banned is in the shared library",
        &banned(&policy)?,
    ));
    if shell::succeeds(shell::cargo(&["deny", "--version"])) {
        let mut arguments = vec!["deny", "--offline", "--log-level", "error", "check"];
        arguments.extend(["licenses", "bans", "sources"]);
        shell::run(shell::cargo(&arguments))?;
        outcome.add(Outcome::pass());
    } else {
        println!("cargo-deny is not installed; the checks above read the same deny.toml");
    }
    Ok(outcome)
}

fn read(name: &str) -> Result<String> {
    fs::read_to_string(shell::root().join(name)).map_err(|error| format!("{name}: {error}"))
}

fn verdict(name: &str, problems: &[String]) -> Outcome {
    if problems.is_empty() {
        println!("ok {name}");
        return Outcome::pass();
    }
    for problem in problems {
        println!("FAILED {name}: {problem}");
    }
    let counts = Counts {
        failed: 1,
        ..Counts::default()
    };
    Outcome {
        counts,
        notes: vec![format!("failed: {name}: {}", problems.join("; "))],
    }
}

/// Crates whose licence expression the list does not satisfy.
fn licences(policy: &str) -> Result<Vec<String>> {
    let allowed: BTreeSet<String> = strings(policy, "allow").into_iter().collect();
    let mut arguments = vec![
        "tree",
        "--workspace",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
    ];
    arguments.extend(["--format", "{p};{l}"]);
    let refused = |line: &&str| {
        let licence = line.split(';').nth(1).unwrap_or_default();
        !satisfied(licence, &allowed)
    };
    let listing = listing(&arguments)?;
    let lines = listing.lines().filter(|line| !line.trim().is_empty());
    let problems: BTreeSet<String> = lines.filter(refused).map(str::to_owned).collect();
    Ok(problems.into_iter().collect())
}

/// Cargo's output for a question about the dependency tree.
fn listing(arguments: &[&str]) -> Result<String> {
    let output = shell::cargo(arguments)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether the allowed licences satisfy an expression of AND, OR and parentheses.
fn satisfied(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.trim_end_matches(" (*)").replace('/', " OR ");
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace(" WITH ", "+");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let held = any(&words, &mut at, allowed);
    held && at == words.len()
}

/// `term OR term …`
fn any(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut held = all(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        held |= all(words, at, allowed);
    }
    held
}

/// `licence AND licence …`
fn all(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut held = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        held &= one(words, at, allowed);
    }
    held
}

/// A licence or an expression in parentheses.
fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let Some(word) = words.get(*at) else {
        return false;
    };
    *at += 1;
    if *word != "(" {
        return allowed.contains(&word.replace('+', " WITH "));
    }
    let held = any(words, at, allowed);
    let closed = words.get(*at) == Some(&")");
    *at += 1;
    held && closed
}

/// Packages of a lock file that come from elsewhere than the registry or this repository.
fn sources(lock: &str) -> Vec<String> {
    lock.lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .map(|source| source.trim_matches('"').to_owned())
        .filter(|source| source != REGISTRY)
        .collect()
}

/// Banned crates among those in the shared library.
fn banned(policy: &str) -> Result<Vec<String>> {
    let banned: BTreeSet<String> = strings(policy, "name").into_iter().collect();
    let arguments = [
        "tree",
        "-p",
        "fixstep-library",
        "--edges",
        "normal",
        "--prefix",
        "none",
    ];
    let listing = listing(&arguments)?;
    let names: BTreeSet<&str> = listing
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    println!("the shared library is made of {} crates", names.len());
    Ok(names
        .into_iter()
        .filter(|name| banned.contains(*name))
        .map(str::to_owned)
        .collect())
}

/// All strings of the values `key = "…"` and `key = ["…", …]` in a TOML text.
fn strings(toml: &str, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    let code: String = toml
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .flat_map(|line| [line, "\n"])
        .collect();
    for (position, _) in code.match_indices(&format!("{key} = ")) {
        let value = &code[position + key.len() + 3..];
        let value = match value.strip_prefix('[') {
            Some(list) => list.split(']').next(),
            None => value.split([',', '}', '\n']).next(),
        };
        let pieces = value.unwrap_or_default().split('"');
        found.extend(pieces.skip(1).step_by(2).map(str::to_owned));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_expressions_are_evaluated() {
        let allowed = strings("allow = [\n  \"MIT\", # yes\n  \"A WITH B\",\n]\n", "allow");
        let allowed: BTreeSet<String> = allowed.into_iter().collect();
        for held in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0 OR MIT (*)",
            "GPL-3.0/MIT",
            "(X OR MIT) AND A WITH B",
        ] {
            assert!(satisfied(held, &allowed), "{held}");
        }
        for refused in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT", "", "A", "MIT X"] {
            assert!(!satisfied(refused, &allowed), "{refused}");
        }
    }

    #[test]
    fn foreign_sources_are_found() {
        let lock = format!("source = \"{REGISTRY}\"\nsource = \"git+https://a.example/b\"\n");
        assert_eq!(sources(&lock), ["git+https://a.example/b"]);
    }

    #[test]
    fn names_are_read_from_inline_tables() {
        let text = "deny = [{ name = \"rayon\", reason = \"x\" }, { name = \"b\" }]";
        assert_eq!(strings(text, "name"), ["rayon", "b"]);
    }
}

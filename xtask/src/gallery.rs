//! `cargo xtask gallery`: draws the pictures of `docs/gallery.md` by the commands in it, and records of which models they
//! are; `cargo xtask tidy` finds without drawing what is missing or old. Control plane.

use std::collections::BTreeMap;
use std::fs;

use crate::products;
use crate::shell::{self, Result, root};
use crate::tidy::{Problem, SourceFile};

/// The page.
const PAGE: &str = "docs/gallery.md";
/// What its pictures show: each example with the fingerprint of its models.
const RECORD: &str = "docs/gallery/models.txt";
/// Commands that draw.
const COMMAND: &str = "fixstep run ";

/// Draws all pictures, or those whose names are given.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let products = products::build()?;
    let read = |path: &str| {
        fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))
    };
    let page = read(PAGE)?;
    let mut drawn = 0;
    for (name, words) in commands(&page) {
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        let mut command = shell::program(&products.program);
        command.current_dir(root()).args(words);
        shell::run(command)?;
        drawn += 1;
    }
    if drawn == 0 {
        return Err(format!("no command in {PAGE} draws {}", names.join(", ")));
    }
    let files = crate::tidy::read_files()?;
    let before = read(RECORD).unwrap_or_default();
    let drawn = |name: &str| names.is_empty() || names.contains(&name);
    let text = record(&fingerprints(&files), &before, drawn);
    fs::write(root().join(RECORD), text).map_err(|error| format!("{RECORD}: {error}"))?;
    Ok(())
}

/// The example that each command of the page is about, and the command's words behind `fixstep`.
fn commands(page: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    let lines = page.lines().filter(|line| line.starts_with(COMMAND));
    lines.filter_map(|line| Some((example(line)?, line.split_whitespace().skip(1).collect())))
}

/// The folder behind `models/`.
fn example(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("models/")?;
    rest.split_once('/').map(|(name, _)| name)
}

/// Of each example: 64 bits of FNV-1a (Fowler, Noll, Vo) over its files, without its page.
fn fingerprints(files: &[SourceFile]) -> BTreeMap<&str, u64> {
    let mut all = BTreeMap::new();
    for file in files.iter().filter(|file| file.is("json")) {
        let inside = file.path.strip_prefix("models/").is_some();
        if let (true, Some(name)) = (inside, example(&file.path)) {
            let hash = all.entry(name).or_insert(0xcbf2_9ce4_8422_2325_u64);
            for byte in file.path.bytes().chain(file.text.bytes()) {
                *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    all
}

/// The record of what was drawn; other examples keep their lines.
fn record(now: &BTreeMap<&str, u64>, before: &str, drawn: impl Fn(&str) -> bool) -> String {
    let line = |(name, hash): (&&str, &u64)| {
        if drawn(name) {
            return Some(format!("{name} {hash:016x}\n"));
        }
        let old = before
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")))?;
        Some(format!("{old}\n"))
    };
    now.iter().filter_map(line).collect()
}

/// Examples that the page does not show, and pictures of models as they were.
pub(crate) fn current(files: &[SourceFile]) -> Vec<Problem> {
    let text = |path: &str| {
        files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.text.as_str())
    };
    let (page, recorded) = (text(PAGE).unwrap_or(""), text(RECORD).unwrap_or(""));
    let problem = |path: &str, message: String| Problem {
        path: path.to_owned(),
        line: 0,
        message,
    };
    let shown: Vec<&str> = commands(page).map(|(name, _)| name).collect();
    let mut problems = Vec::new();
    for (name, hash) in fingerprints(files) {
        let picture = format!("](gallery/{name}.png)");
        if !shown.contains(&name) || !page.contains(&picture) {
            let message =
                format!("shows no picture of models/{name}, with the command that draws it");
            problems.push(problem(PAGE, message));
        } else if !recorded
            .lines()
            .any(|line| line == format!("{name} {hash:016x}"))
        {
            let message = format!(
                "models/{name} has changed since its picture was drawn; `cargo xtask gallery` draws it"
            );
            problems.push(problem(RECORD, message));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_model_and_a_missing_one_are_found() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let model = |text| file("models/a/model.json", text);
        let page =
            "![a](gallery/a.png)\nfixstep run models/a/model.json --png docs/gallery/a.png\n";
        let recorded = record(&fingerprints(&[model("1")]), "", |_| true);
        let found = |files: Vec<SourceFile>| -> Vec<String> {
            current(&files)
                .into_iter()
                .map(|problem| problem.path)
                .collect()
        };
        let all = |text| vec![model(text), file(PAGE, page), file(RECORD, &recorded)];
        assert!(found(all("1")).is_empty());
        assert_eq!(found(all("2")), [RECORD]);
        let mut more = all("1");
        more.push(file("models/b/model.json", "1"));
        assert_eq!(found(more), [PAGE]);
        // What is not drawn keeps its line; what never was has none.
        let now = [model("2"), file("models/b/model.json", "1")];
        assert_eq!(record(&fingerprints(&now), &recorded, |_| false), recorded);
        let drawn: Vec<_> = commands(page).collect();
        assert_eq!(
            drawn,
            [(
                "a",
                vec!["run", "models/a/model.json", "--png", "docs/gallery/a.png"]
            )]
        );
    }
}

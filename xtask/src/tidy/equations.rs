//! Rule about equation tags such as (HHT-3): each tag that code cites is defined in `docs/theory/*.md`, and each one
//! defined there is cited and defined once. Control plane.

use std::collections::BTreeMap;

use super::{Problem, SourceFile};

/// Beginnings of words that look like tags but are not.
const NO_TAGS: [&str; 5] = ["UTF-", "ISO-", "IEEE-", "CC-", "FNV-"];

/// The first place of each tag: path and line.
type Places = BTreeMap<String, (String, usize)>;

/// Finds tags that are cited but not defined, defined but not cited, or defined twice.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Problem> {
    let defined = collect(files, |file| {
        file.path.starts_with("docs/theory/") && file.is("md")
    });
    let cited = collect(files, |file| {
        let ours = ["src/", "kernel/src/", "model/src/", "fmu-build/"]
            .iter()
            .any(|folder| file.path.starts_with(folder));
        ours && file.is("rs")
    });
    let dangling = missing(
        &cited,
        &defined,
        "is cited, but docs/theory does not define it",
    );
    let unused = missing(&defined, &cited, "is defined, but no code cites it");
    dangling
        .into_iter()
        .chain(unused)
        .chain(twice(files))
        .collect()
}

/// Finds tags at the end of two equations. An equation is a line between code fences.
fn twice(files: &[SourceFile]) -> Vec<Problem> {
    let mut known = Places::new();
    let mut found = Vec::new();
    let theory = |file: &&SourceFile| file.path.starts_with("docs/theory/") && file.is("md");
    for file in files.iter().filter(theory) {
        let mut fenced = false;
        for (index, line) in file.text.lines().enumerate() {
            if line.starts_with("```") {
                fenced = !fenced;
            }
            let line = line.trim_end();
            let tag = tags(line).pop();
            let Some(tag) = tag.filter(|tag| fenced && line.ends_with(&format!("({tag})"))) else {
                continue;
            };
            let here = (file.path.clone(), index + 1);
            if let Some((path, line)) = known.get(&tag) {
                found.push(Problem {
                    path: here.0,
                    line: here.1,
                    message: format!("equation ({tag}) is already defined in {path}, line {line}"),
                });
            } else {
                known.insert(tag, here);
            }
        }
    }
    found
}

/// First places of all tags in the chosen files.
fn collect(files: &[SourceFile], chosen: impl Fn(&SourceFile) -> bool) -> Places {
    let mut places = Places::new();
    for file in files.iter().filter(|file| chosen(file)) {
        for (index, line) in file.text.lines().enumerate() {
            for tag in tags(line) {
                places
                    .entry(tag)
                    .or_insert_with(|| (file.path.clone(), index + 1));
            }
        }
    }
    places
}

/// Problems for the tags of `those` that are not in `these`.
fn missing(those: &Places, these: &Places, what: &str) -> Vec<Problem> {
    those
        .iter()
        .filter(|(tag, _)| !these.contains_key(*tag))
        .map(|(tag, (path, line))| Problem {
            path: path.clone(),
            line: *line,
            message: format!("equation ({tag}) {what}"),
        })
        .collect()
}

/// Tags in a line: in parentheses, two or more capitals, a hyphen, a number, at most one small
/// letter. A list (`(HHT-3, HHT-4)`) and a range (`(HHT-3)…(HHT-5)`) cite what they name.
fn tags(line: &str) -> Vec<String> {
    line.split('(')
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .flat_map(|(inside, _)| inside.split([',', ';']))
        .map(str::trim)
        .filter(|word| is_tag(word) && !NO_TAGS.iter().any(|no| word.starts_with(no)))
        .map(str::to_owned)
        .collect()
}

fn is_tag(word: &str) -> bool {
    let Some((letters, number)) = word.split_once('-') else {
        return false;
    };
    let number = number
        .strip_suffix(|c: char| c.is_ascii_lowercase())
        .unwrap_or(number);
    let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    letters.len() >= 2
        && letters.starts_with(|c: char| c.is_ascii_uppercase())
        && letters.chars().all(capital)
        && !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_recognised() {
        assert_eq!(
            tags("x (HHT-3) and (I3-1b, GST-2)."),
            ["HHT-3", "I3-1b", "GST-2"]
        );
        assert!(tags("(UTF-8) (A-1) (x-1) (ABC-x) HHT-3 (FMI 2)").is_empty());
    }

    #[test]
    fn dangling_and_unused_tags_are_found() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let files = [
            file("docs/theory/a.md", "y = x (AB-1)\nz = x (AB-2)\n"),
            file("src/a.rs", "//! (AB-1)\n//! (AB-3)\n"),
        ];
        let problems = check(&files);
        let found: Vec<(&str, usize)> =
            problems.iter().map(|p| (p.path.as_str(), p.line)).collect();
        assert_eq!(found, [("src/a.rs", 2), ("docs/theory/a.md", 2)]);
    }

    #[test]
    fn a_tag_of_two_equations_is_found() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let files = [
            file(
                "docs/theory/a.md",
                "```text\ny = x   (AB-1)\n```\nBy (AB-1)\n",
            ),
            file(
                "docs/theory/b.md",
                "```text\nz = y of (AB-1)   (AB-2)\nw = z   (AB-1)\n```\n",
            ),
            file("src/a.rs", "//! (AB-1), (AB-2)\n"),
        ];
        let problems = check(&files);
        let found: Vec<(&str, usize)> =
            problems.iter().map(|p| (p.path.as_str(), p.line)).collect();
        assert_eq!(found, [("docs/theory/b.md", 3)]);
    }
}

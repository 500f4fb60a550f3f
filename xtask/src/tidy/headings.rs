//! Rule about documents: a link to a heading, `[text](page.md#heading)`, finds it. Control plane.

use std::collections::{BTreeMap, BTreeSet};

use super::{Problem, SourceFile};

/// Checks that every link between documents that names a heading names one of that page.
pub(crate) fn links(files: &[SourceFile]) -> Vec<Problem> {
    let pages: BTreeMap<&str, BTreeSet<String>> = files
        .iter()
        .filter(|file| file.is("md"))
        .map(|file| (file.path.as_str(), anchors(&file.text)))
        .collect();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is("md")) {
        for (index, line) in file.text.lines().enumerate() {
            for (page, anchor) in targets(line) {
                let path = match page {
                    "" => file.path.clone(),
                    page => joined(&file.path, page),
                };
                let known = pages.get(path.as_str());
                if known.is_some_and(|known| !known.contains(anchor)) {
                    problems.push(Problem {
                        path: file.path.clone(),
                        line: index + 1,
                        message: format!("`{page}#{anchor}`: {path} has no such heading"),
                    });
                }
            }
        }
    }
    problems
}

/// Pages and headings of the links in a line; the page is empty if it is the same.
fn targets(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains(':'))
        .filter_map(|target| target.split_once('#'))
}

/// The path of a page that a link in a file names.
fn joined(file: &str, page: &str) -> String {
    let mut folders: Vec<&str> = file.split('/').collect();
    folders.pop();
    for name in page.split('/') {
        match name {
            ".." => {
                folders.pop();
            }
            "." => {}
            name => folders.push(name),
        }
    }
    folders.join("/")
}

/// The names by which links find the headings of a page: in small letters, with `-` for blanks, without punctuation; the
/// second heading of one name has `-1` behind it.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeMap::<String, usize>::new());
    let mut code = false;
    for line in text.lines() {
        code ^= line.starts_with("```");
        let title = line.trim_start_matches('#');
        if code || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = |c: char| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        };
        let name: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter_map(kept)
            .collect();
        let count = seen.entry(name.clone()).or_default();
        found.insert(if *count == 0 {
            name
        } else {
            format!("{name}-{count}")
        });
        *count += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_names_of_links() {
        let text = "# A page\n## `fixstep run FILE`\n```sh\n# no heading\n```\n## Settings, for A & B\n### Forces\n## Forces\n#no\n";
        let all = [
            "a-page",
            "fixstep-run-file",
            "forces",
            "forces-1",
            "settings-for-a--b",
        ];
        assert!(anchors(text).iter().map(String::as_str).eq(all));
    }

    #[test]
    fn a_link_to_no_heading_is_a_problem() {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let one = file(
            "docs/theory/a.md",
            "# A\n[b](../b.md#here), [a](#a)\n[c](../b.md#there)\n[d](#d) [e](https://e.example/#e)\n",
        );
        let two = file("docs/b.md", "# B\n\n## Here\n\n[a](theory/a.md#b)\n");
        let found = links(&[one, two]);
        let found: Vec<_> = found.iter().map(|p| (p.path.as_str(), p.line)).collect();
        assert_eq!(
            found,
            [
                ("docs/theory/a.md", 3),
                ("docs/theory/a.md", 4),
                ("docs/b.md", 5)
            ]
        );
    }
}

//! Rule about documents: names of code that they quote, `Type::member` or `module::function`, exist in the code.
//! Control plane.

use super::strip::is_word;
use super::{Problem, SourceFile};

/// Keywords before the name of an item in its definition.
const KEYWORDS: [&str; 9] = [
    "fn", "struct", "enum", "trait", "mod", "const", "static", "type", "union",
];

/// Checks that every such name in backquotes is defined where its first part is known.
pub(crate) fn quoted(files: &[SourceFile]) -> Vec<Problem> {
    let code: Vec<&SourceFile> = files.iter().filter(|file| file.is("rs")).collect();
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is("md")) {
        for (index, line) in file.text.lines().enumerate() {
            for name in line.split('`').skip(1).step_by(2) {
                let missing = names(name)
                    .into_iter()
                    .filter(|(owner, member)| !is_known(&code, owner, member));
                problems.extend(missing.map(|(owner, member)| Problem {
                    path: file.path.clone(),
                    line: index + 1,
                    message: format!("the code has no `{owner}::{member}`"),
                }));
            }
        }
    }
    problems
}

/// `Weights::{x, u}` as (Weights, x) and (Weights, u), `a::b::c(…)` as (b, c). Empty: no name of code.
fn names(text: &str) -> Vec<(String, String)> {
    let text = text.split('(').next().unwrap_or_default();
    let Some((path, last)) = text.rsplit_once("::") else {
        return Vec::new();
    };
    let owner = path.rsplit("::").next().unwrap_or_default();
    let members = last.trim_start_matches('{').trim_end_matches('}');
    let members: Vec<&str> = members.split(',').map(str::trim).collect();
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_word);
    if !is_name(owner) || !members.iter().all(|member| is_name(member)) {
        return Vec::new();
    }
    { members.into_iter() }
        .map(|member| (owner.to_owned(), member.to_owned()))
        .collect()
}

/// Is a member defined in a file that belongs to its owner: by name, as a module, or as the crate?
fn is_known(code: &[&SourceFile], owner: &str, member: &str) -> bool {
    let knows = |file: &SourceFile| {
        owner.starts_with("fixstep")
            || file.path.ends_with(&format!("/{owner}.rs"))
            || file.path.contains(&format!("/{owner}/"))
            || has(&file.text, owner, |_, _| true)
    };
    code.iter()
        .any(|file| has(&file.text, member, is_definition) && knows(file))
}

/// Does a text have a word at a place that `will_do` accepts, by the text before and after it?
fn has(text: &str, word: &str, will_do: impl Fn(&str, &str) -> bool) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let alone = !before.ends_with(is_word) && !after.starts_with(is_word);
        alone && will_do(before, after)
    })
}

/// `fn member`, `member: …` or, alone in its line, `Member(…)`, `Member {`, `Member,`.
fn is_definition(before: &str, after: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let keyword = line.split_whitespace().next_back().unwrap_or_default();
    let is_field = after.starts_with(':') && !after.starts_with("::");
    let is_variant = line.trim().is_empty() && after.trim_start().starts_with(['(', '{', ',']);
    KEYWORDS.contains(&keyword) || is_field || is_variant
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stale(document: &str) -> usize {
        let file = |path: &str, text: &str| SourceFile {
            path: path.into(),
            text: text.into(),
        };
        let code = "pub struct Weights {\n    pub x: f64,\n    pub u: f64,\n}\nenum Row {\n    Angle(u8),\n}\nfn step() {}\n";
        let files = [file("kernel/src/engine.rs", code), file("a.md", document)];
        quoted(&files).len()
    }

    #[test]
    fn names_that_are_there() {
        assert_eq!(
            stale("`Weights::{x, u}`, `Row::Angle(0)`, `engine::step`"),
            0
        );
        assert_eq!(
            stale("`fixstep_kernel::Row`, `see a::b c`, a `-D x::` flag"),
            0
        );
    }

    #[test]
    fn names_that_are_gone() {
        assert_eq!(stale("`Weights::{x, y}` and `Row::Distance`"), 2);
        assert_eq!(stale("`motor::step`"), 1);
    }
}

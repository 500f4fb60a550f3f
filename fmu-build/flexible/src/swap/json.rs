//! Control plane: JSON with the position of each value in the text, so that a file can be changed in places and stay
//! unchanged elsewhere.

use std::ops::Range;

use fixstep_model::DIALECT;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};

/// A value and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned {
    /// The bytes of the value.
    pub span: Range<usize>,
    /// Its kind.
    pub kind: Kind,
}

/// The kind of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Members in the order of the file.
    Object(Vec<Member>),
    /// Elements.
    Array(Vec<Spanned>),
    /// A string, a number, a word.
    Scalar,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub key: String,
    /// The range from its name to the end of its value.
    pub span: Range<usize>,
    /// Its value.
    pub value: Spanned,
}

impl Spanned {
    /// The positions in a text, which must be JSON, with comments and what else a model may have; `None`: it is not.
    pub fn of(text: &str) -> Option<Self> {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &DIALECT).ok()?;
        parsed.value.as_ref().map(spanned)
    }

    /// The members of an object.
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array.
    pub fn elements(&self) -> &[Spanned] {
        match &self.kind {
            Kind::Array(elements) => elements,
            _ => &[],
        }
    }

    /// A member by its name.
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members().iter().find(|member| member.key == key)
    }

    /// A member's value, if it is a string.
    pub fn string(&self, key: &str, text: &str) -> Option<String> {
        let value = &self.member(key)?.value;
        serde_json::from_str(&text[value.span.clone()]).ok()
    }

    /// A member's value, if it is three numbers.
    pub fn vector(&self, key: &str, text: &str) -> Option<[f64; 3]> {
        let value = &self.member(key)?.value;
        serde_json::from_str(&text[value.span.clone()]).ok()
    }
}

/// A value of the parser's tree.
fn spanned(value: &Value<'_>) -> Spanned {
    let kind = match value {
        Value::Object(object) => {
            let members = object.properties.iter().map(|property| Member {
                key: property.name.as_str().to_owned(),
                span: property.start()..property.end(),
                value: spanned(&property.value),
            });
            Kind::Object(members.collect())
        }
        Value::Array(array) => Kind::Array(array.elements.iter().map(spanned).collect()),
        _ => Kind::Scalar,
    };
    Spanned {
        span: value.start()..value.end(),
        kind,
    }
}

/// The blanks at the end of a text, from the last line on that has something else: where a member or an element begins.
pub fn blanks(text: &str) -> &str {
    let blank = &text[text.trim_end().len()..];
    blank.rfind('\n').map_or(blank, |at| &blank[at..])
}

/// Changes of a text, each a range and its replacement.
#[derive(Clone, Debug, Default)]
pub struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    /// Something else in a range.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.0.push((range, text.into()));
    }

    /// Takes an element of a list out, with its comma.
    pub fn remove(&mut self, list: &[Range<usize>], k: usize) {
        let range = match (list.get(k + 1), k.checked_sub(1)) {
            (Some(next), _) => list[k].start..next.start,
            (None, Some(before)) => list[before].end..list[k].end,
            (None, None) => list[k].clone(),
        };
        self.replace(range, "");
    }

    /// Appends elements to a list of the outermost object, in the style of the existing ones; a missing list is added
    /// at the end.
    pub fn append(&mut self, text: &str, root: &Spanned, key: &str, elements: &[String]) {
        if elements.is_empty() {
            return;
        }
        let Some(list) = root.member(key) else {
            let members = root.members();
            let spans: Vec<_> = members.iter().map(|m| m.span.clone()).collect();
            let before = spans
                .first()
                .map(|first| blanks(&text[root.span.start + 1..first.start]));
            let before = before.unwrap_or_default();
            let (comma, end) = match spans.last() {
                Some(last) => (",", last.end),
                None => ("", root.span.start + 1),
            };
            let indent = if before.contains('\n') { "  " } else { "" };
            let inner = format!("{before}{indent}");
            let all = elements.join(&format!(",{inner}"));
            self.replace(
                end..end,
                format!("{comma}{before}\"{key}\": [{inner}{all}{before}]"),
            );
            return;
        };
        let known = list.value.elements();
        let (place, before) = match (known.first(), known.last()) {
            (Some(first), Some(last)) => (
                last.span.end,
                blanks(&text[list.value.span.start + 1..first.span.start]),
            ),
            _ => (list.value.span.start + 1, ""),
        };
        let mut added = String::new();
        for (k, element) in elements.iter().enumerate() {
            if k > 0 || !known.is_empty() {
                added.push(',');
                added.push_str(if before.is_empty() { " " } else { before });
            }
            added.push_str(element);
        }
        self.replace(place..place, added);
    }

    /// The changed text of a part of the whole.
    pub fn apply(mut self, text: &str, within: Range<usize>) -> String {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut out, mut at) = (String::new(), within.start);
        for (range, new) in self.0 {
            if range.start < at || range.end > within.end {
                continue;
            }
            out.push_str(&text[at..range.start]);
            out.push_str(&new);
            at = range.end;
        }
        out.push_str(&text[at..within.end]);
        out
    }
}

/// The text between two members of an object or elements of a list, as the file has it: a comma and white space.
pub fn separator(list: &[Range<usize>], text: &str) -> String {
    match list {
        [first, second, ..] => text[first.end..second.start].to_owned(),
        _ => ", ".to_owned(),
    }
}

#[cfg(test)]
mod tests;

//! Control plane: the one form of a model's text, with its comments.
//!
//! What fits on a line of 120 characters is on one line, unless it holds a comment. An object whose members each fit on a line
//! fills lines with them, but for the model itself; else every entry has a line of its own. Keys are in quotes and no comma is behind the last entry, so that the text without its comments is plain JSON. An empty
//! line between entries stays one. The words of numbers and texts stay as they are.

use super::{DIALECT, syntax};
use jsonc_parser::ast::{Comment, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, CommentMap, parse_to_ast};
use std::fmt::Write as _;

/// Characters of a line.
const WIDTH: usize = 120;

/// The text in its one form, or the place and the message of what cannot be read.
pub(crate) fn formatted(text: &str) -> Result<String, (usize, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(fault) = syntax::broken_text(text) {
        return Err((fault.offset, fault.message));
    }
    let options = CollectOptions {
        comments: CommentCollectionStrategy::Separate,
        tokens: false,
    };
    let parsed = parse_to_ast(text, &options, &DIALECT).map_err(|error| {
        let fault = syntax::fault(text, &error);
        (fault.offset, fault.message)
    })?;
    let Some(value) = parsed.value else {
        return Err((0, "the text is empty; a model begins with \"{\"".to_owned()));
    };
    let comments = parsed.comments.unwrap_or_default();
    let mut printer = Printer {
        text,
        comments: sorted(&comments),
        next: 0,
        out: String::new(),
    };
    printer.before(value.start(), 0);
    printer.value(&value, 0, 0);
    printer.behind(value.end(), text.len());
    printer.last(text.len(), 0);
    let out = printer.out;
    Ok(format!("{}\n", out.trim_end()))
}

/// A comment: where it is and its text with its signs.
struct Remark {
    start: usize,
    end: usize,
    text: String,
    is_line: bool,
}

/// All comments in order.
fn sorted(map: &CommentMap<'_>) -> Vec<Remark> {
    let mut all: Vec<Remark> = map
        .values()
        .flat_map(|list| list.iter())
        .map(|comment| {
            let (text, is_line) = match comment {
                Comment::Line(line) => (format!("//{}", line.text.trim_end()), true),
                Comment::Block(block) => (format!("/*{}*/", block.text), false),
            };
            Remark {
                start: comment.start(),
                end: comment.end(),
                text,
                is_line,
            }
        })
        .collect();
    all.sort_by_key(|remark| remark.start);
    // Each is in the map under the token before it and the one behind it.
    all.dedup_by_key(|remark| remark.start);
    all
}

struct Printer<'a> {
    text: &'a str,
    comments: Vec<Remark>,
    /// The next comment to print.
    next: usize,
    out: String,
}

/// An entry of a list or an object.
struct Entry<'a, 'b> {
    key: Option<String>,
    start: usize,
    value: &'a Value<'b>,
}

impl Printer<'_> {
    /// Is there a comment in a part of the text?
    fn has_comment(&self, start: usize, end: usize) -> bool {
        let mut later = self.comments[self.next..].iter();
        later.any(|remark| remark.start >= start && remark.start < end)
    }

    /// Prints the comments before a place, a line each.
    fn before(&mut self, place: usize, indent: usize) {
        let mut last = None;
        while let Some(remark) = self.comments.get(self.next).filter(|r| r.start < place) {
            if let Some(end) = last
                && self.has_gap(end, remark.start)
            {
                self.out.push('\n');
            }
            self.out.push_str(&" ".repeat(indent));
            self.out.push_str(&remark.text);
            self.out.push('\n');
            last = Some(remark.end);
            self.next += 1;
        }
        if let Some(end) = last
            && self.has_gap(end, place)
        {
            self.out.push('\n');
        }
    }

    /// Prints the comments behind an entry that are on its line.
    fn behind(&mut self, end: usize, limit: usize) {
        while let Some(remark) = self.comments.get(self.next).filter(|r| r.start < limit) {
            let from = end.min(remark.start);
            if self.text[from..remark.start].contains('\n') {
                break;
            }
            self.out.push(' ');
            self.out.push_str(&remark.text);
            let is_line = remark.is_line;
            self.next += 1;
            if is_line {
                break;
            }
        }
    }

    /// Prints the comments before a closing bracket, or at the end.
    fn last(&mut self, place: usize, indent: usize) {
        while let Some(remark) = self.comments.get(self.next).filter(|r| r.start < place) {
            self.out.push('\n');
            self.out.push_str(&" ".repeat(indent));
            self.out.push_str(&remark.text);
            self.next += 1;
        }
    }

    /// Is there an empty line between two places?
    fn has_gap(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|between| {
            let lines: Vec<&str> = between.split('\n').collect();
            lines.len() > 2
                && lines[1..lines.len() - 1]
                    .iter()
                    .any(|line| line.trim().is_empty())
        })
    }

    /// Prints a value at an indentation, after `used` characters of its line.
    fn value(&mut self, value: &Value<'_>, indent: usize, used: usize) {
        let flat = self.flat(value);
        let fits = used + flat.chars().count() < WIDTH;
        if fits && !self.has_comment(value.start(), value.end()) {
            self.out.push_str(&flat);
            return;
        }
        match value {
            Value::Object(object)
                if !object.properties.is_empty()
                    || self.has_comment(value.start(), value.end()) =>
            {
                let entries = entries(self.text, object);
                let place = (value.start(), value.end());
                match self.filled(&entries, place, indent) {
                    Some(lines) => self.out.push_str(&lines),
                    None => self.entries(('{', '}'), &entries, place, indent),
                }
            }
            Value::Array(array)
                if !array.elements.is_empty() || self.has_comment(value.start(), value.end()) =>
            {
                let entries: Vec<Entry<'_, '_>> = array
                    .elements
                    .iter()
                    .map(|value| Entry {
                        key: None,
                        start: value.start(),
                        value,
                    })
                    .collect();
                let plain = |entry: &Entry<'_, '_>| matches!(entry.value, Value::NumberLit(_));
                if entries.iter().all(plain) && !self.has_comment(value.start(), value.end()) {
                    self.numbers(&entries, indent);
                } else {
                    self.entries(('[', ']'), &entries, (value.start(), value.end()), indent);
                }
            }
            _ => self.out.push_str(&flat),
        }
    }

    /// An object within the model: as many members on a line as fit; `None`: a member needs several lines, or there are
    /// comments or empty lines between them.
    fn filled(
        &self,
        entries: &[Entry<'_, '_>],
        (start, end): (usize, usize),
        indent: usize,
    ) -> Option<String> {
        let pad = " ".repeat(indent + 2);
        let gap = |pair: &[Entry<'_, '_>]| self.has_gap(pair[0].value.end(), pair[1].start);
        if indent == 0 || self.has_comment(start, end) || entries.windows(2).any(gap) {
            return None;
        }
        let mut lines = vec![String::new()];
        for (k, entry) in entries.iter().enumerate() {
            let comma = if k + 1 < entries.len() { "," } else { "" };
            let key = entry.key.as_deref().unwrap_or_default();
            let word = format!("{key}: {}{comma}", self.flat(entry.value));
            let length = word.chars().count();
            if pad.len() + length > WIDTH {
                return None;
            }
            let line = lines.last_mut()?;
            if line.is_empty() {
                *line = word;
            } else if pad.len() + line.chars().count() + 1 + length <= WIDTH {
                line.push(' ');
                line.push_str(&word);
            } else {
                lines.push(word);
            }
        }
        let inner = lines.join(&format!("\n{pad}"));
        Some(format!("{{\n{pad}{inner}\n{}}}", " ".repeat(indent)))
    }

    /// A long list of numbers: as many on a line as fit.
    fn numbers(&mut self, entries: &[Entry<'_, '_>], indent: usize) {
        let pad = " ".repeat(indent + 2);
        self.out.push('[');
        let mut line = String::new();
        for (k, entry) in entries.iter().enumerate() {
            let comma = if k + 1 < entries.len() { "," } else { "" };
            let word = format!("{}{comma}", self.flat(entry.value));
            if line.is_empty() || line.len() + 1 + word.len() + pad.len() > WIDTH {
                if !line.is_empty() {
                    let _ = write!(self.out, "\n{pad}{line}");
                }
                line = word;
            } else {
                line.push(' ');
                line.push_str(&word);
            }
        }
        let _ = write!(self.out, "\n{pad}{line}\n{}]", " ".repeat(indent));
    }

    fn entries(
        &mut self,
        (open, close): (char, char),
        entries: &[Entry<'_, '_>],
        (start, end): (usize, usize),
        indent: usize,
    ) {
        let inner = indent + 2;
        self.out.push(open);
        let mut from = start + 1;
        let first = entries.first().map_or(end - 1, |entry| entry.start);
        self.behind(from, first.min(self.line_end(from)));
        for (k, entry) in entries.iter().enumerate() {
            self.out.push('\n');
            if k > 0 && self.has_gap(from, self.first_of(entry.start)) {
                self.out.push('\n');
            }
            self.before(entry.start, inner);
            self.out.push_str(&" ".repeat(inner));
            let mut used = inner;
            if let Some(key) = &entry.key {
                self.out.push_str(key);
                self.out.push_str(": ");
                used += key.chars().count() + 2;
                self.inline(entry.value.start());
            }
            self.value(entry.value, inner, used + 1);
            let next = entries.get(k + 1).map_or(end - 1, |next| next.start);
            if k + 1 < entries.len() {
                self.out.push(',');
            }
            from = entry.value.end();
            self.behind(from, next);
        }
        self.last(end - 1, inner);
        self.out.push('\n');
        self.out.push_str(&" ".repeat(indent));
        self.out.push(close);
    }

    /// Comments between a key and its value, as blocks on its line.
    fn inline(&mut self, place: usize) {
        while let Some(remark) = self.comments.get(self.next).filter(|r| r.start < place) {
            let text = if remark.is_line {
                format!("/*{} */ ", remark.text.trim_start_matches('/'))
            } else {
                format!("{} ", remark.text)
            };
            self.out.push_str(&text);
            self.next += 1;
        }
    }

    fn line_end(&self, from: usize) -> usize {
        self.text[from..]
            .find('\n')
            .map_or(self.text.len(), |at| from + at)
    }

    /// The start of an entry with the comments before it.
    fn first_of(&self, start: usize) -> usize {
        let next = self.comments.get(self.next);
        next.map_or(start, |remark| remark.start.min(start))
    }

    /// A value on one line, without comments.
    fn flat(&self, value: &Value<'_>) -> String {
        match value {
            Value::Object(object) if object.properties.is_empty() => "{}".to_owned(),
            Value::Object(object) => {
                let entries = entries(self.text, object);
                let pairs: Vec<String> = entries
                    .iter()
                    .map(|entry| {
                        let key = entry.key.as_deref().unwrap_or_default();
                        format!("{key}: {}", self.flat(entry.value))
                    })
                    .collect();
                format!("{{{}}}", pairs.join(", "))
            }
            Value::Array(array) => {
                let items: Vec<String> =
                    array.elements.iter().map(|item| self.flat(item)).collect();
                format!("[{}]", items.join(", "))
            }
            other => self.text[other.start()..other.end()].to_owned(),
        }
    }
}

/// The entries of an object, keys in quotes.
fn entries<'a, 'b>(text: &str, object: &'a Object<'b>) -> Vec<Entry<'a, 'b>> {
    let properties = object.properties.iter();
    properties
        .map(|property| {
            let written = &text[property.name.start()..property.name.end()];
            let key = if written.starts_with('"') {
                written.to_owned()
            } else {
                format!("\"{written}\"")
            };
            Entry {
                key: Some(key),
                start: property.start(),
                value: &property.value,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::tests::text;

    #[test]
    fn comments_stay_where_they_are() {
        let text = "// head\n{ a: 1, // one\n/* two */ b: [1,2,\n // inside\n 3,], c: /* which */ {},\n\n\n  d: 4\n // end\n}\n// foot";
        let expected = "// head\n{\n  \"a\": 1, // one\n  /* two */\n  \"b\": [\n    1,\n    2,\n    // inside\n    3\n  ],\n  \
                        \"c\": /* which */ {},\n\n  \"d\": 4\n  // end\n}\n// foot\n";
        assert_eq!(formatted(text).unwrap(), expected);
        assert_eq!(formatted(expected).unwrap(), expected);
    }

    #[test]
    fn the_form_of_the_form_is_the_form_and_means_the_same() {
        for name in [
            "pendulum",
            "vehicle",
            "chain",
            "robot_arm",
            "press",
            "quarter_car",
        ] {
            let text = text(&format!("models/{name}/model.json"));
            let once = formatted(&text).unwrap();
            assert_eq!(formatted(&once).unwrap(), once, "{name}");
            let value = |text: &str| {
                let sources = super::super::Sources::new("", text);
                let mut report = crate::errors::Report::default();
                super::super::parse(&sources, 0, &mut report)
                    .unwrap()
                    .to_value()
            };
            assert_eq!(value(&once), value(&text), "{name}");
            assert!(
                once.lines()
                    .all(|line| line.chars().count() <= 120 || line.contains('"'))
            );
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        assert!(formatted("{a 1}").is_err_and(|(at, _)| at == 3));
        assert!(formatted("").is_err());
    }
}

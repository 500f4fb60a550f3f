//! Control plane: describes a JSON syntax error, its position, and what to write instead.

use crate::limits::JSON_NESTING;

/// `line 3, column 14: expected ...`, with a remedy if the cause is a common one.
pub(super) fn message(text: &str, error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    let what = full
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&full);
    if what.starts_with("recursion limit") {
        return format!(
            "line {line}, column {column}: nested too deeply; valid: at most {JSON_NESTING} levels"
        );
    }
    if text.trim().is_empty() {
        return "line 1: the text is empty; a model begins with \"{\"".to_owned();
    }
    if line == 0 {
        return what.to_owned();
    }
    let place = Place::new(text, line, column);
    if column == 0 && what.starts_with("control character") {
        return format!(
            "line {}: a text in double quotes goes on beyond the end of the line; is its closing quote missing?",
            line - 1
        );
    }
    if what.starts_with("EOF") {
        return place.too_short(line);
    }
    let advice = advice(what, &place).map_or_else(String::new, |advice| format!("; {advice}"));
    format!("line {line}, column {column}: {what}{advice}")
}

/// Where reading stopped.
struct Place<'a> {
    /// The text before.
    before: &'a str,
    /// The rest of the line, from the word or sign at which it stopped.
    rest: &'a str,
}

/// May a character be part of a bare word?
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'a> Place<'a> {
    fn new(text: &'a str, line: usize, column: usize) -> Self {
        let above: usize = text
            .split_inclusive('\n')
            .take(line.saturating_sub(1))
            .map(str::len)
            .sum();
        let mut at = (above + column.saturating_sub(1)).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        // The reader may stop amid a word.
        let start = text[above.min(at)..at].trim_end_matches(is_word).len() + above.min(at);
        let inside = text[at..].starts_with(is_word);
        let at = if inside { start } else { at };
        Self {
            before: &text[..at],
            rest: text[at..].lines().next().unwrap_or(""),
        }
    }

    /// The last character before that is not a space.
    fn last(&self) -> Option<char> {
        self.before.trim_end().chars().next_back()
    }

    /// Is anything before?
    fn is_first(&self) -> bool {
        self.before.trim().is_empty()
    }

    /// The innermost open bracket there, with its line; `true`: a text is open.
    fn open(&self) -> (Option<(char, usize)>, bool) {
        let mut open = Vec::new();
        let (mut line, mut quoted, mut escaped) = (1, false, false);
        for c in self.before.chars() {
            line += usize::from(c == '\n');
            if quoted {
                quoted = escaped || c != '"';
                escaped = !escaped && c == '\\';
                continue;
            }
            match c {
                '"' => quoted = true,
                '{' | '[' => open.push((c, line)),
                '}' | ']' => {
                    open.pop();
                }
                _ => {}
            }
        }
        (open.last().copied(), quoted)
    }

    /// The message for a text that ends too early.
    fn too_short(&self, line: usize) -> String {
        let whole = Self {
            before: self.before,
            rest: "",
        };
        let what = match whole.open() {
            (_, true) => "a text in double quotes is never closed".to_owned(),
            (Some((bracket, opened)), false) => {
                format!("the \"{bracket}\" of line {opened} is never closed")
            }
            (None, false) => "a value is missing".to_owned(),
        };
        format!("line {line}: the file ends too early: {what}")
    }
}

/// The text to write instead.
fn advice(what: &str, place: &Place<'_>) -> Option<String> {
    let rest = place.rest;
    let first = rest.chars().next();
    if what.starts_with("number out of range") {
        return Some("numbers must be finite and below 1.8e308".to_owned());
    }
    if rest.starts_with(['/', '#']) {
        return Some("JSON has no comments: use the \"description\" fields".to_owned());
    }
    if rest.starts_with(['“', '”', '„', '‘', '’', '«', '»']) {
        return Some("the quotes of JSON are plain double quotes: \"name\"".to_owned());
    }
    if rest.starts_with('\'') {
        return Some("JSON strings need double quotes".to_owned());
    }
    if place.is_first() && !rest.starts_with(['{', '[']) {
        return Some("the file is no model in JSON, which begins with \"{\"".to_owned());
    }
    match what {
        "key must be a string" => key(place),
        "expected `:`" => Some("a \":\" stands between a key and its value".to_owned()),
        "trailing comma" => Some("remove the comma before it".to_owned()),
        "trailing characters" if first.is_some_and(|c| c == '}' || c == ']') => Some(format!(
            "this \"{}\" closes nothing",
            first.unwrap_or_default()
        )),
        "trailing characters" => Some("the model ends before it".to_owned()),
        "expected value" | "expected ident" | "invalid number" => value(place),
        _ if what.starts_with("expected `,`") => separator(place),
        _ if what.starts_with("control character") => {
            Some("a tab within a text is written \\t".to_owned())
        }
        _ if what.starts_with("invalid escape") => Some("a backslash is written \\\\".to_owned()),
        _ => None,
    }
}

/// Where a key belongs.
fn key(place: &Place<'_>) -> Option<String> {
    let rest = place.rest;
    let digit = |c: char| c.is_ascii_digit();
    let comma = place.before.trim_end().strip_suffix(',');
    if let Some(before) = comma
        && rest.starts_with(digit)
        && before.ends_with(digit)
    {
        let word = |c: char| c.is_ascii_digit() || c == '-';
        let whole = &before[before.trim_end_matches(word).len()..];
        let fraction: String = rest.chars().take_while(char::is_ascii_digit).collect();
        return Some(format!(
            "is the comma before it a decimal comma? Decimals follow a point: {whole}.{fraction}"
        ));
    }
    if rest.starts_with(is_word) {
        let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
        return Some(format!("keys need double quotes: \"{word}\""));
    }
    None
}

/// Where a value belongs.
fn value(place: &Place<'_>) -> Option<String> {
    let rest = place.rest;
    let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
    let number = |text: &str| {
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'));
        text[..end.unwrap_or(text.len())].to_owned()
    };
    if rest.starts_with('.') {
        return Some(format!(
            "a digit stands before the point: 0{}",
            number(rest)
        ));
    }
    if let Some(positive) = rest.strip_prefix('+') {
        return Some(format!("a number has no plus sign: {}", number(positive)));
    }
    if place.last() == Some('.') {
        return Some("a digit follows the point: 2.0".to_owned());
    }
    let small = word.to_lowercase();
    match small.trim_start_matches('-') {
        "nan" | "inf" | "infinity" => {
            return Some(
                "NaN and infinity are not numbers of a model: every number must be finite"
                    .to_owned(),
            );
        }
        "true" | "false" | "null" => return Some(format!("it is written {small}")),
        "none" | "nil" => return Some("it is written null".to_owned()),
        _ => {}
    }
    if rest.starts_with('-') {
        return Some("every number must be finite, with a digit behind its sign: -0.5".to_owned());
    }
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return Some("a number has no zeros before it and no letters but e: 0.5, 1e-3".to_owned());
    }
    if !word.is_empty() {
        return Some("texts and expressions need double quotes".to_owned());
    }
    rest.starts_with([',', '}', ']'])
        .then(|| "a value is missing before it".to_owned())
}

/// Finds where a list or an object continues or ends.
fn separator(place: &Place<'_>) -> Option<String> {
    let rest = place.rest;
    if rest.starts_with(['"', '{', '[']) {
        return Some("a comma is missing before it".to_owned());
    }
    if rest.starts_with(';') {
        return Some("entries are separated by commas".to_owned());
    }
    if rest.starts_with(is_word) {
        return Some("write numbers without a unit and texts in double quotes".to_owned());
    }
    match place.open() {
        (Some((bracket, line)), false) => Some(format!(
            "the \"{bracket}\" of line {line} is still open here"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::message;
    use serde_json::{Value, from_str};

    fn told(text: &str) -> String {
        match from_str::<Value>(text) {
            Err(error) => message(text, &error),
            Ok(_) => "sound".to_owned(),
        }
    }

    /// Each text with what is said of it.
    const CASES: &[(&str, &str)] = &[
        (
            "{\n // x\n}",
            "line 2, column 2: key must be a string; JSON has no comments: use the \"description\" fields",
        ),
        (
            "{\"a\": 1} # x",
            "line 1, column 10: trailing characters; JSON has no comments: use the \"description\" fields",
        ),
        (
            "{\"a\": \"b,\n \"c\": 1}",
            "line 1: a text in double quotes goes on beyond the end of the line; is its closing quote missing?",
        ),
        (
            "{\"a\": \"b",
            "line 1: the file ends too early: a text in double quotes is never closed",
        ),
        (
            "{\"a\": [\n1\n",
            "line 3: the file ends too early: the \"[\" of line 1 is never closed",
        ),
        (
            "{a: 1}",
            "line 1, column 2: key must be a string; keys need double quotes: \"a\"",
        ),
        (
            "{\"a\": 1,5}",
            "line 1, column 9: key must be a string; is the comma before it a decimal comma? Decimals follow a point: 1.5",
        ),
        (
            "{“a”: 1}",
            "line 1, column 2: key must be a string; the quotes of JSON are plain double quotes: \"name\"",
        ),
        (
            "{'a': 1}",
            "line 1, column 2: key must be a string; JSON strings need double quotes",
        ),
        (
            "{\"a\" = 1}",
            "line 1, column 6: expected `:`; a \":\" stands between a key and its value",
        ),
        (
            "{\"a\": .5}",
            "line 1, column 7: expected value; a digit stands before the point: 0.5",
        ),
        (
            "{\"a\": 5.}",
            "line 1, column 9: invalid number; a digit follows the point: 2.0",
        ),
        (
            "{\"a\": +5}",
            "line 1, column 7: expected value; a number has no plus sign: 5",
        ),
        (
            "{\"a\": True}",
            "line 1, column 7: expected value; it is written true",
        ),
        (
            "{\"a\": none}",
            "line 1, column 8: expected ident; it is written null",
        ),
        (
            "{\"a\": x + 1}",
            "line 1, column 7: expected value; texts and expressions need double quotes",
        ),
        (
            "{\"a\": ,}",
            "line 1, column 7: expected value; a value is missing before it",
        ),
        (
            "{\"a\": 1\n\"b\": 2}",
            "line 2, column 1: expected `,` or `}`; a comma is missing before it",
        ),
        (
            "{\"a\": 2 kg}",
            "line 1, column 9: expected `,` or `}`; write numbers without a unit and texts in double quotes",
        ),
        (
            "{\"a\": [1\n, \"b\": 2}",
            "line 2, column 6: expected `,` or `]`; the \"[\" of line 1 is still open here",
        ),
        (
            "{\"a\": [1,]}",
            "line 1, column 10: trailing comma; remove the comma before it",
        ),
        (
            "{}}",
            "line 1, column 3: trailing characters; this \"}\" closes nothing",
        ),
        (
            "fixstep: 1",
            "line 1, column 2: expected ident; the file is no model in JSON, which begins with \"{\"",
        ),
        (
            "<xml/>",
            "line 1, column 1: expected value; the file is no model in JSON, which begins with \"{\"",
        ),
        (
            "{\"a\": \"C:\\x\"}",
            "line 1, column 11: invalid escape; a backslash is written \\\\",
        ),
        (
            " \n",
            "line 1: the text is empty; a model begins with \"{\"",
        ),
    ];

    #[test]
    fn what_is_wrong_comes_with_what_is_right() {
        for (text, expected) in CASES {
            assert_eq!(told(text), *expected, "{text}");
        }
    }
}

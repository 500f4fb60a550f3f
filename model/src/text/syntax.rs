//! Control plane: describes a JSON syntax error, its position, and what to write instead.

use crate::limits::JSON_NESTING;
use jsonc_parser::ParseStringErrorKind;
use jsonc_parser::errors::{ParseError, ParseErrorKind};

/// The message for a number that no `f64` holds.
pub(super) const OUT_OF_RANGE: &str =
    "number out of range; numbers must be finite and below 1.8e308";

/// The message for brackets within brackets.
pub(super) fn too_deep() -> String {
    format!("nested too deeply; valid: at most {JSON_NESTING} levels")
}

/// What is wrong with a text, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) offset: usize,
    pub(super) message: String,
}

/// A text in double quotes that goes on beyond its line, or has another control character. The parser would take both.
pub(super) fn broken_text(text: &str) -> Option<Fault> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'/', Some(b'/')) => at += text[at..].find('\n')?,
            (b'/', Some(b'*')) => at += text[at..].find("*/")? + 2,
            (b'"', _) => {
                let start = at;
                at += 1;
                loop {
                    match bytes.get(at)? {
                        b'"' => break,
                        b'\\' => at += 1,
                        b'\n' | b'\r' => {
                            let message = "a text in double quotes goes on beyond the end of the line; is its closing \
                                           quote missing?";
                            let message = message.to_owned();
                            return Some(Fault {
                                offset: start,
                                message,
                            });
                        }
                        0..0x20 => {
                            let message = "control character within a text; a tab within a text is written \\t";
                            let message = message.to_owned();
                            return Some(Fault {
                                offset: at,
                                message,
                            });
                        }
                        _ => {}
                    }
                    at += 1;
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    None
}

/// What is wrong with the key at a place, if it has no quotes.
pub(super) fn bare_key(text: &str, offset: usize) -> Option<String> {
    let rest = &text[offset.min(text.len())..];
    let digit = |c: char| c.is_ascii_digit() || c == '-' || c == '.' || c == '+';
    rest.starts_with(digit).then(|| {
        let place = Place::at(text, offset);
        let advice = key(&place).map_or(String::new(), |advice| format!("; {advice}"));
        format!("key must be a string{advice}")
    })
}

/// What the parser found, with a remedy if the cause is a common one.
pub(super) fn fault(text: &str, error: &ParseError) -> Fault {
    use ParseErrorKind as E;
    let start = error.range().start;
    let (offset, what) = match error.kind() {
        E::UnterminatedArray
        | E::UnterminatedObject
        | E::ExpectedObjectValue
        | E::String(ParseStringErrorKind::UnterminatedStringLiteral) => return too_short(text),
        E::UnterminatedCommentBlock => {
            let message = "this comment is never closed; it ends with */".to_owned();
            return Fault {
                offset: start,
                message,
            };
        }
        E::NestingDepthExceeded => {
            let message = too_deep();
            return Fault {
                offset: start,
                message,
            };
        }
        E::ExpectedColonAfterObjectKey if rest_is_empty(text, start) => return too_short(text),
        E::ExpectedColonAfterObjectKey => match bare_word(text, start) {
            Some(word) if text[word..].starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
                (word, "key must be a string")
            }
            _ => (start, "expected `:`"),
        },
        E::MultipleRootJsonValues => (start, "trailing characters"),
        E::ExpectedComma => (after_blanks(text, start), "expected `,`"),
        E::UnexpectedTokenInObject => (start, in_object(text, start)),
        E::UnexpectedColon => (start, "expected `,`"),
        E::String(_) => (start, "invalid escape"),
        E::ExpectedDigit | E::ExpectedPlusMinusOrDigitInNumberLiteral => (start, "invalid number"),
        _ => (start, in_value(text, start)),
    };
    let place = Place::at(text, offset);
    let what = match (what, place.open()) {
        ("expected `,`", (Some(('[', _)), _)) => "expected `,` or `]`",
        ("expected `,`", _) => "expected `,` or `}`",
        (what, _) => what,
    };
    let advice = advice(what, &place).map_or_else(String::new, |advice| format!("; {advice}"));
    Fault {
        offset: place.before.len(),
        message: format!("{what}{advice}"),
    }
}

/// Is there nothing but blanks and comments from here on?
fn rest_is_empty(text: &str, offset: usize) -> bool {
    after_blanks(text, offset) >= text.len()
}

/// The first place from here on that is neither blank nor comment.
fn after_blanks(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    loop {
        let rest = &text[at..];
        let blanks = rest.len() - rest.trim_start().len();
        let comment = match rest.trim_start() {
            rest if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            rest if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => 0,
        };
        at += blanks + comment;
        if comment == 0 {
            return at;
        }
    }
}

/// The start of the word without quotes that ends before a place.
fn bare_word(text: &str, offset: usize) -> Option<usize> {
    let before = text[..offset.min(text.len())].trim_end();
    let word = before.trim_end_matches(|c: char| is_word(c) || c == '-' || c == '.');
    (word.len() < before.len()).then_some(word.len())
}

/// Within an object: is a key missing here, or a comma?
fn in_object(text: &str, offset: usize) -> &'static str {
    let place = Place::at(text, offset);
    match place.last() {
        Some('{' | ',') => "key must be a string",
        _ => "expected `,`",
    }
}

/// Where a word or sign cannot be understood: is a value missing here, a key, or a comma?
fn in_value(text: &str, offset: usize) -> &'static str {
    let place = Place::at(text, offset);
    if place.follows_key() {
        return "expected `:`";
    }
    match (place.last(), place.open().0) {
        (Some('{'), _) | (Some(','), Some(('{', _))) => "key must be a string",
        (Some(',' | ':' | '[') | None, _) => "expected value",
        (_, None) => "trailing characters",
        (Some('.' | '-' | '+'), _) => "invalid number",
        _ => "expected `,`",
    }
}

/// The message for a text that ends too early.
fn too_short(text: &str) -> Fault {
    let end = text.trim_end().len();
    let whole = Place {
        before: &text[..end],
        rest: "",
    };
    let what = match whole.open() {
        (_, true) => "a text in double quotes is never closed".to_owned(),
        (Some((bracket, opened)), false) => {
            format!("the \"{bracket}\" of line {opened} is never closed")
        }
        (None, false) => "a value is missing".to_owned(),
    };
    Fault {
        offset: end,
        message: format!("the file ends too early: {what}"),
    }
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
    fn at(text: &'a str, offset: usize) -> Self {
        let mut at = offset.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        // The reader may stop amid a word.
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let start = text[line..at].trim_end_matches(is_word).len() + line;
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

    /// Is a key in double quotes just before, in an object?
    fn follows_key(&self) -> bool {
        let before = self.before.trim_end();
        let Some(text) = before.strip_suffix('"') else {
            return false;
        };
        let start = text.rfind('"').map_or("", |at| text[..at].trim_end());
        matches!(self.open().0, Some(('{', _))) && start.ends_with(['{', ','])
    }

    /// The innermost open bracket there, with its line; `true`: a text is open.
    fn open(&self) -> (Option<(char, usize)>, bool) {
        let mut open = Vec::new();
        let (mut line, mut quoted, mut escaped) = (1, false, false);
        let mut comment = None;
        let mut last = ' ';
        for c in self.before.chars() {
            line += usize::from(c == '\n');
            let before = std::mem::replace(&mut last, c);
            match comment {
                Some('/') if c != '\n' => continue,
                Some('*') if (before, c) != ('*', '/') => continue,
                Some(_) => {
                    (comment, last) = (None, ' ');
                    continue;
                }
                None => {}
            }
            if quoted {
                quoted = escaped || c != '"';
                escaped = !escaped && c == '\\';
                continue;
            }
            match c {
                '"' => quoted = true,
                '/' | '*' if before == '/' => {
                    (comment, last) = (Some(c), ' ');
                }
                '{' | '[' => open.push((c, line)),
                '}' | ']' => {
                    open.pop();
                }
                _ => {}
            }
        }
        (open.last().copied(), quoted)
    }
}

/// The text to write instead.
fn advice(what: &str, place: &Place<'_>) -> Option<String> {
    let rest = place.rest;
    let first = rest.chars().next();
    if rest.starts_with(['/', '#']) {
        return Some("a comment begins with //, or stands between /* and */".to_owned());
    }
    if rest.starts_with(['“', '”', '„', '‘', '’', '«', '»']) {
        return Some("the quotes of JSON are plain double quotes: \"name\"".to_owned());
    }
    if rest.starts_with('\'') {
        return Some("JSON strings must be in double quotes".to_owned());
    }
    if place.is_first() && !rest.starts_with(['{', '[']) {
        return Some("the file is not a model in JSON, which begins with \"{\"".to_owned());
    }
    match what {
        "key must be a string" => key(place),
        "expected `:`" => Some("write \":\" between a key and its value".to_owned()),
        "trailing characters" if first.is_some_and(|c| c == '}' || c == ']') => Some(format!(
            "this \"{}\" closes nothing",
            first.unwrap_or_default()
        )),
        "trailing characters" => Some("the model ends before it".to_owned()),
        "expected value" | "invalid number" => value(place),
        _ if what.starts_with("expected `,`") => separator(place),
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
        return Some(format!("keys must be in double quotes: \"{word}\""));
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
        return Some(format!("write a digit before the point: 0{}", number(rest)));
    }
    if let Some(positive) = rest.strip_prefix('+') {
        return Some(format!("a number has no plus sign: {}", number(positive)));
    }
    let whole = number(rest);
    if let Some(whole) = whole.strip_suffix('.').filter(|whole| !whole.is_empty()) {
        return Some(format!("a digit follows the point: {whole}.0"));
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
        return Some("texts and expressions must be in double quotes".to_owned());
    }
    rest.starts_with([',', '}', ']'])
        .then(|| "a value is missing before it".to_owned())
}

/// Finds where a list or an object continues or ends.
fn separator(place: &Place<'_>) -> Option<String> {
    let rest = place.rest;
    if rest.starts_with(|c: char| "\"{[-".contains(c) || c.is_ascii_digit()) {
        return Some("a comma is missing before it".to_owned());
    }
    if rest.starts_with(';') {
        return Some("entries are separated by commas".to_owned());
    }
    if rest.starts_with(is_word) {
        return Some(
            "write a number with its unit, and every text, in double quotes: \"12 mm\"".to_owned(),
        );
    }
    match place.open() {
        (Some((bracket, line)), false) => Some(format!(
            "the \"{bracket}\" of line {line} is still open here"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

//! Control plane: splits the text of an expression into tokens.

use std::f64::consts::PI;

use super::error::Fault;
use crate::limits::EXPRESSION_BYTES;

/// A token and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token<'a> {
    /// Its kind.
    pub(super) kind: Kind<'a>,
    /// Column in characters from 1.
    pub(super) column: usize,
}

/// The kinds of token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    /// A number, degrees turned into radians.
    Number(f64),
    /// A bare name.
    Name(&'a str),
    /// A name in quotes.
    Quoted(String),
    Plus,
    Minus,
    Star,
    Slash,
    Power,
    Open,
    Close,
    Comma,
    Colon,
    /// Behind the last token.
    End,
}

impl Kind<'_> {
    /// The token in words, for messages.
    pub(super) fn describe(&self) -> String {
        let sign = match self {
            Self::Number(_) => return "a number".to_owned(),
            Self::Name(name) => return format!("\"{name}\""),
            Self::Quoted(name) => return format!("'{name}'"),
            Self::End => return "the end of the expression".to_owned(),
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Star => "*",
            Self::Slash => "/",
            Self::Power => "**",
            Self::Open => "(",
            Self::Close => ")",
            Self::Comma => ",",
            Self::Colon => ":",
        };
        format!("\"{sign}\"")
    }
}

/// The tokens of a text; the last is [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Fault> {
    if text.len() > EXPRESSION_BYTES {
        let message = format!(
            "the expression is {} bytes long; the limit is {EXPRESSION_BYTES}: split it into variables",
            text.len()
        );
        return Err(Fault::new(1, message));
    }
    let mut lexer = Lexer {
        rest: text,
        column: 1,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.take_while(char::is_whitespace);
        let column = lexer.column;
        let kind = lexer.next_kind()?;
        let done = kind == Kind::End;
        tokens.push(Token { kind, column });
        if done {
            return Ok(tokens);
        }
    }
}

/// The text that is still to be read.
struct Lexer<'a> {
    rest: &'a str,
    column: usize,
}

impl<'a> Lexer<'a> {
    /// Takes `characters` characters of `bytes` bytes together.
    fn take(&mut self, bytes: usize, characters: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.column += characters;
        taken
    }

    /// Takes characters as long as they please.
    fn take_while(&mut self, pleases: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !pleases(c)).unwrap_or(self.rest.len());
        let characters = self.rest[..end].chars().count();
        self.take(end, characters)
    }

    /// Takes the token that comes next.
    fn next_kind(&mut self) -> Result<Kind<'a>, Fault> {
        let Some(c) = self.rest.chars().next() else {
            return Ok(Kind::End);
        };
        let kind = match c {
            '0'..='9' | '.' => return self.number(),
            'a'..='z' | 'A'..='Z' | '_' => {
                let length = name_length(self.rest);
                return Ok(Kind::Name(self.take(length, length)));
            }
            '\'' => return self.quoted(),
            '*' if self.rest.starts_with("**") => {
                self.take(2, 2);
                return Ok(Kind::Power);
            }
            '+' => Kind::Plus,
            '-' => Kind::Minus,
            '*' => Kind::Star,
            '/' => Kind::Slash,
            '(' => Kind::Open,
            ')' => Kind::Close,
            ',' => Kind::Comma,
            ':' => Kind::Colon,
            '=' if self.column == 1 => {
                let message = "an expression in this field has no \"=\" before it";
                return Err(Fault::new(1, message));
            }
            _ => return Err(Fault::new(self.column, unexpected(c))),
        };
        self.take(1, 1);
        Ok(kind)
    }

    /// A number: digits with at most one point, an exponent, the suffix D for degrees.
    fn number(&mut self) -> Result<Kind<'a>, Fault> {
        let column = self.column;
        let bytes = self.rest.as_bytes();
        let digits = |from: usize| {
            bytes[from..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count()
        };
        let at = |index: usize| bytes.get(index).copied().unwrap_or(b' ');
        let mut end = digits(0);
        let mut mantissa = end;
        if at(end) == b'.' {
            let fraction = digits(end + 1);
            mantissa += fraction;
            end += 1 + fraction;
        }
        let mut sound = mantissa > 0;
        if matches!(at(end), b'e' | b'E') {
            end += 1 + usize::from(matches!(at(end + 1), b'+' | b'-'));
            let exponent = digits(end);
            sound &= exponent > 0;
            end += exponent;
        }
        let number = self.take(end, end);
        let degrees = matches!(at(end), b'd' | b'D');
        let suffix = self.take_while(is_name);
        if !sound || suffix.len() != usize::from(degrees) {
            let is_name = suffix.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            let message = if number == "." && is_name {
                format!(
                    "\"{number}{suffix}\" begins with a point; write names without a path, as the file has them"
                )
            } else if sound && is_name && !degrees {
                format!(
                    "\"{number}{suffix}\" is not a number; a product is written {number}*{suffix}"
                )
            } else {
                bad_number(&format!("{number}{suffix}"), degrees)
            };
            return Err(Fault::new(column, message));
        }
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Kind::Number(if degrees {
                value * (PI / 180.0)
            } else {
                value
            })),
            _ => Err(Fault::new(
                column,
                format!("\"{number}\" is too large for a number"),
            )),
        }
    }

    /// A name in quotes; a quote within it is doubled.
    fn quoted(&mut self) -> Result<Kind<'a>, Fault> {
        let column = self.column;
        let mut name = String::new();
        loop {
            self.take(1, 1);
            name.push_str(self.take_while(|c| c != '\''));
            if self.rest.is_empty() {
                return Err(Fault::new(column, "this quote is never closed"));
            }
            self.take(1, 1);
            if !self.rest.starts_with('\'') {
                break;
            }
            name.push('\'');
        }
        if name.is_empty() {
            return Err(Fault::new(column, "a name in quotes must not be empty"));
        }
        Ok(Kind::Quoted(name))
    }
}

/// May this character be part of a bare name?
fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

/// The length of the bare name at the beginning of a text: letters, digits, `_` and `.`, and numbers in brackets, as in
/// `legs[3].foot`.
pub fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        if is_name(char::from(*byte)) {
            end += 1;
            continue;
        }
        let digits = bytes[end..]
            .iter()
            .skip(1)
            .take_while(|b| b.is_ascii_digit())
            .count();
        if *byte != b'[' || end == 0 || digits == 0 || bytes.get(end + 1 + digits) != Some(&b']') {
            break;
        }
        end += digits + 2;
    }
    end
}

/// Message for a character that starts no token.
fn unexpected(c: char) -> String {
    match c {
        '^' => "\"^\" is no operator; a power is written \"**\"".to_owned(),
        '%' => "\"%\" is no operator; the remainder of a division is MOD(a, b)".to_owned(),
        '[' | ']' | '{' | '}' => {
            format!("\"{c}\" is no bracket of expressions, which have only \"(\" and \")\"")
        }
        '°' => "\"°\" is not valid here; degrees are written 30D, which is PI/6".to_owned(),
        '"' => "names are quoted with ', not with \"".to_owned(),
        ';' => "\";\" separates nothing; arguments are separated by \",\"".to_owned(),
        '<' | '>' | '=' | '!' | '&' | '|' => format!(
            "\"{c}\" is no operator; conditions are written IF(e: a, b, c), \
             which is a where e < 0, b where e = 0, c where e > 0"
        ),
        _ if c.is_alphabetic() => {
            format!("\"{c}\" is not valid in a bare name; put the name in quotes: 'name'")
        }
        _ => format!("unexpected character {c:?}"),
    }
}

/// Message for a word that begins like a number but is not one.
fn bad_number(text: &str, degrees: bool) -> String {
    let advice = if degrees {
        "; the suffix D means degrees, an exponent is written with E"
    } else {
        ", such as 1, .5, 2.5e-3 or 30D (degrees)"
    };
    format!("\"{text}\" is not a number{advice}")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn kinds(text: &str) -> Vec<Kind<'_>> {
        tokens(text)
            .unwrap()
            .into_iter()
            .map(|token| token.kind)
            .collect()
    }

    fn number(text: &str) -> f64 {
        match kinds(text).as_slice() {
            [Kind::Number(value), Kind::End] => *value,
            other => unreachable!("{text}: {other:?}"),
        }
    }

    fn fault(text: &str) -> (usize, String) {
        let fault = tokens(text).unwrap_err();
        (fault.column, fault.message)
    }

    #[test]
    fn numbers_in_every_form() {
        for (text, value) in [
            ("1", 1.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("2.5e-3", 0.0025),
            ("1E+2", 100.0),
            ("1.e3", 1000.0),
            ("0.1", 0.1),
            ("4.9e-324", 5e-324),
        ] {
            assert_eq!(number(text), value, "{text}");
        }
    }

    #[test]
    fn degrees_become_radians() {
        assert_eq!(number("180D"), PI);
        assert_eq!(number("90d"), PI / 2.0);
        assert_eq!(number("1.5d"), 1.5 * (PI / 180.0));
        assert_eq!(number("1e1D"), 10.0 * (PI / 180.0));
    }

    #[test]
    fn columns_count_characters() {
        let columns: Vec<usize> = tokens(" 'äö' **\tx_1.y")
            .unwrap()
            .iter()
            .map(|token| token.column)
            .collect();
        assert_eq!(columns, [2, 7, 10, 15]);
    }

    #[test]
    fn names_bare_and_quoted() {
        let quoted = |text: &str| Kind::Quoted(text.to_owned());
        assert_eq!(kinds("a_1.b"), [Kind::Name("a_1.b"), Kind::End]);
        assert_eq!(kinds("'any name'"), [quoted("any name"), Kind::End]);
        assert_eq!(kinds("'it''s'"), [quoted("it's"), Kind::End]);
    }

    #[test]
    fn stars_pair_up() {
        assert_eq!(
            kinds("* ** ***"),
            [Kind::Star, Kind::Power, Kind::Power, Kind::Star, Kind::End]
        );
    }

    #[test]
    fn faults_have_a_place_and_advice() {
        for (text, column, part) in [
            ("1 + 2x", 5, "\"2x\" is not a number"),
            ("1.2.3", 1, "\"1.2.3\" is not a number"),
            ("3 * 1e", 5, "\"1e\" is not a number"),
            ("1e+", 1, "\"1e+\" is not a number"),
            (".", 1, "\".\" is not a number"),
            ("2D3", 1, "an exponent is written with E"),
            ("1e999", 1, "too large"),
            ("a ^ 2", 3, "\"**\""),
            ("a < 2", 3, "IF(e: a, b, c)"),
            ("x; y", 2, "separated by \",\""),
            ("1 + \"a\"", 5, "quoted with '"),
            ("2*'abc", 3, "never closed"),
            ("''", 1, "must not be empty"),
            ("ä", 1, "put the name in quotes"),
            ("1 $ 2", 3, "unexpected character '$'"),
        ] {
            let (at, message) = fault(text);
            assert_eq!(at, column, "{text}: {message}");
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn length_is_limited() {
        let longest = "1".repeat(20) + &" ".repeat(EXPRESSION_BYTES - 20);
        assert_eq!(kinds(&longest).len(), 2);
        assert!(fault(&(longest + " ")).1.contains("65537 bytes"));
    }
}

//! Control plane: names of FMI variables and of the model, as C, the file system and the standard require them.
//!
//! FMI's structured naming convention (FMI 3.0, section 2.4.7.5.1; the same grammar in FMI 2.0,
//! section 2.2.9):
//!
//! ```text
//! name         = identifier | "der(" identifier [ "," unsignedInteger ] ")"
//! identifier   = B-name [ arrayIndices ] { "." B-name [ arrayIndices ] }
//! B-name       = nondigit { digit | nondigit } | Q-name
//! Q-name       = "'" ( Q-char | escape ) { Q-char | escape } "'"
//! arrayIndices = "[" unsignedInteger { "," unsignedInteger } "]"
//! ```

use alloc::borrow::ToOwned;
use alloc::string::String;

/// How the names of the FMU's own variables begin.
pub const RESERVED: [&str; 8] = [
    "solver.",
    "rti.",
    "energy.",
    "power.",
    "equations.",
    "sampled.",
    "sensors.",
    "flexible_bodies.",
];

/// How the variables of a table are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamingConvention {
    /// Names follow the grammar above.
    Structured,
    /// Names are plain strings: at least one has characters that the grammar cannot express.
    Flat,
}

impl NamingConvention {
    /// Value of the attribute `variableNamingConvention`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Flat => "flat",
        }
    }

    /// The convention that can carry all the names.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        if names.into_iter().all(is_structured) {
            Self::Structured
        } else {
            Self::Flat
        }
    }
}

/// A user's name in the structured convention: unchanged if it fits, else quoted (`'front axle'`). A name with
/// characters outside the grammar (such as Greek) stays unchanged and makes the table [`NamingConvention::Flat`].
pub fn structured_name(name: &str) -> String {
    if is_structured(name) {
        return name.to_owned();
    }
    let mut quoted = String::from("'");
    for c in name.chars() {
        let escape = match c {
            '\'' | '"' | '\\' => Some(c),
            '\n' => Some('n'),
            '\r' => Some('r'),
            '\t' => Some('t'),
            _ => None,
        };
        if let Some(escape) = escape {
            quoted.extend(['\\', escape]);
        } else if is_quotable(c) {
            quoted.push(c);
        } else {
            return name.to_owned();
        }
    }
    quoted.push('\'');
    if name.is_empty() {
        name.to_owned()
    } else {
        quoted
    }
}

/// Is a name reserved by the table: `time`, `solver.…` and the other [`RESERVED`] ones?
pub fn is_reserved(name: &str) -> bool {
    name == "time" || RESERVED.iter().any(|prefix| name.starts_with(prefix))
}

/// Does a name follow the structured convention?
pub fn is_structured(name: &str) -> bool {
    let derivative = name
        .strip_prefix("der(")
        .and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = derivative else {
        return is_identifier(name);
    };
    match inner.rsplit_once(',') {
        Some((identifier, order)) if is_unsigned(order.trim_start()) => is_identifier(identifier),
        _ => is_identifier(inner),
    }
}

fn is_identifier(text: &str) -> bool {
    let mut rest = text;
    loop {
        let Some(after) = skip_b_name(rest).and_then(skip_indices) else {
            return false;
        };
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None => return after.is_empty(),
        }
    }
}

/// The text after a leading B-name.
fn skip_b_name(text: &str) -> Option<&str> {
    if let Some(quoted) = text.strip_prefix('\'') {
        return skip_q_name(quoted);
    }
    if !text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) {
        return None;
    }
    let end = text
        .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
        .unwrap_or(text.len());
    Some(&text[end..])
}

/// The text after a Q-name whose opening quote has been removed.
fn skip_q_name(text: &str) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            if !matches!(
                c,
                '\'' | '"' | '?' | '\\' | 'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v'
            ) {
                return None;
            }
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == '\'' {
            return (at > 0).then(|| &text[at + 1..]);
        } else if !is_quotable(c) {
            return None;
        }
    }
    None
}

/// The text after optional array indices.
fn skip_indices(text: &str) -> Option<&str> {
    let Some(inner) = text.strip_prefix('[') else {
        return Some(text);
    };
    let (indices, rest) = inner.split_once(']')?;
    indices
        .split(',')
        .all(|index| is_unsigned(index.trim_start()))
        .then_some(rest)
}

fn is_unsigned(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Q-char of the grammar.
fn is_quotable(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_!#$%&()*+,-./:;<>=?@[]^{}|~ ".contains(c)
}

/// A valid C identifier from a model's name; it is also a valid file name on every platform.
pub fn model_identifier(name: &str) -> String {
    const LONGEST: usize = 128;
    let mut identifier: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .take(LONGEST)
        .collect();
    if identifier.is_empty() {
        identifier.push_str("model");
    }
    if identifier.starts_with(|c: char| c.is_ascii_digit()) {
        identifier.insert(0, '_');
    }
    if is_c_keyword(&identifier) || is_device_name(&identifier) {
        identifier.push('_');
    }
    identifier
}

/// Is a word an identifier of C, and no keyword?
pub fn is_c_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && word.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        && !is_c_keyword(word)
}

fn is_c_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 37] = [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "_Bool",
        "_Complex",
        "_Imaginary",
    ];
    KEYWORDS.contains(&word)
}

/// File names that Windows reserves for devices, whatever their extension.
fn is_device_name(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    let numbered = |prefix: &str| {
        upper
            .strip_prefix(prefix)
            .is_some_and(|digit| digit.len() == 1 && is_unsigned(digit))
    };
    matches!(upper.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammar_of_structured_names() {
        for good in [
            "x",
            "_x1",
            "a.b.c",
            "a[1].r[2,3]",
            "der(x)",
            "der(a.x,2)",
            "'front axle'.x",
            r"'it\'s'",
            "'1+1'",
            "der('x y')",
        ] {
            assert!(is_structured(good), "{good}");
        }
        for bad in [
            "", "1x", "a b", "a.", ".a", "a[", "a[]", "a[x]", "''", "'a", "'a'b", "der(x", "f(x)",
            "a-b", r"'\q'", "α", "'α'",
        ] {
            assert!(!is_structured(bad), "{bad}");
        }
    }

    #[test]
    fn names_outside_the_grammar_are_quoted_or_make_the_table_flat() {
        assert_eq!(structured_name("gap.z"), "gap.z");
        assert_eq!(structured_name("front axle"), "'front axle'");
        assert_eq!(structured_name("it's"), r"'it\'s'");
        assert_eq!(structured_name(r"a\b"), r"'a\\b'");
        assert_eq!(structured_name("a\nb"), r"'a\nb'");
        for name in ["front axle", "it's", r"a\b", "1x", "f(x)"] {
            assert!(is_structured(&structured_name(name)), "{name}");
        }
        assert_eq!(structured_name("Öse"), "Öse");
        assert_eq!(
            NamingConvention::of(["a", "'b c'"]),
            NamingConvention::Structured
        );
        assert_eq!(NamingConvention::of(["a", "Öse"]), NamingConvention::Flat);
    }

    #[test]
    fn identifiers_are_c_and_file_names() {
        for (name, identifier) in [
            ("quarter_car", "quarter_car"),
            ("Quarter car (v2)", "Quarter_car__v2_"),
            ("4bar", "_4bar"),
            ("", "model"),
            ("int", "int_"),
            ("con", "con_"),
            ("COM1", "COM1_"),
            ("Öse", "_se"),
        ] {
            assert_eq!(model_identifier(name), identifier);
            assert!(is_c_identifier(identifier), "{identifier}");
        }
        for bad in ["", "4bar", "a b", "int", "Öse", "a.b"] {
            assert!(!is_c_identifier(bad), "{bad}");
        }
        assert_eq!(model_identifier(&"x".repeat(500)).len(), 128);
    }

    #[test]
    fn own_names_are_reserved() {
        assert!(is_reserved("time") && is_reserved("solver.fixit") && is_reserved("rti.x"));
        assert!(!is_reserved("timer") && !is_reserved("solver"));
    }
}

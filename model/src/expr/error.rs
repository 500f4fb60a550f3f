//! Control plane: a fault in the text of an expression, with its position.

use std::error::Error;
use std::fmt;

/// Number of characters that a message shows before and after the place.
const CONTEXT: usize = 60;

/// A fault of an expression. Displayed, it shows the text with a caret under the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprError {
    /// Column of the place, in characters from 1.
    pub column: usize,
    /// The fault, and what would be valid.
    pub message: String,
    /// The text around the place.
    excerpt: String,
    /// Characters of the excerpt before the place.
    indent: usize,
}

/// A fault found by a stage of the compiler, which need not carry the text.
#[derive(Debug)]
pub(super) struct Fault {
    /// Column in characters from 1.
    pub(super) column: usize,
    /// The fault.
    pub(super) message: String,
}

impl Fault {
    /// A fault at a column.
    pub(super) fn new(column: usize, message: impl Into<String>) -> Self {
        Self {
            column,
            message: message.into(),
        }
    }

    /// The fault with its text.
    pub(super) fn in_text(self, text: &str) -> ExprError {
        let place = self.column - 1;
        let start = place.saturating_sub(CONTEXT);
        let mut window = text.chars().skip(start);
        let excerpt = window
            .by_ref()
            .take(place - start + CONTEXT)
            .map(|c| if c.is_control() { ' ' } else { c });
        let mut shown = String::from(if start > 0 { "..." } else { "" });
        let indent = shown.len() + place - start;
        shown.extend(excerpt);
        if window.next().is_some() {
            shown.push_str("...");
        }
        ExprError {
            column: self.column,
            message: self.message,
            excerpt: shown,
            indent,
        }
    }
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} (column {})", self.message, self.column)?;
        writeln!(f, "    {}", self.excerpt)?;
        write!(f, "    {:indent$}^", "", indent = self.indent)
    }
}

impl Error for ExprError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caret_stands_under_the_place() {
        let error = Fault::new(5, "odd sign").in_text("1 + $ - 2");
        assert_eq!(
            error.to_string(),
            "odd sign (column 5)\n    1 + $ - 2\n        ^"
        );
    }

    #[test]
    fn long_texts_are_cut_around_the_place() {
        let text = format!("{}${}", "a".repeat(100), "b".repeat(100));
        let shown = Fault::new(101, "odd sign").in_text(&text).to_string();
        let lines: Vec<&str> = shown.lines().collect();
        let expected = format!("    ...{}${}...", "a".repeat(60), "b".repeat(59));
        assert_eq!(lines[1], expected);
        assert_eq!(lines[1].find('$'), lines[2].find('^'));
    }

    #[test]
    fn control_characters_do_not_break_the_lines() {
        let shown = Fault::new(3, "m").in_text("1\n+").to_string();
        assert_eq!(shown, "m (column 3)\n    1 +\n      ^");
    }
}

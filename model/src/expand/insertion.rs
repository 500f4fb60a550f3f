//! Control plane: how a value stands in a longer text: as an operand of an expression, as an angle in radians, or as it is.

use crate::expr::Measure;
use crate::text::Node;
use fixstep_kernel::mechanism::UnitSystem;

/// What a text is that numbers are inserted in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// An expression, in which what is inserted is one operand.
    Expression,
    /// A value: an expression if it looks like one.
    Value,
    /// A name or another text for people.
    Text,
}

impl Place {
    /// Do angles in a text of this place count in radians, as in expressions?
    pub(super) fn in_radians(self, text: &str) -> bool {
        let outside = || {
            let parts = text.split("${").enumerate();
            parts.map(|(k, part)| {
                if k == 0 {
                    part
                } else {
                    part.split_once('}').map_or("", |p| p.1)
                }
            })
        };
        match self {
            Self::Expression => true,
            Self::Value => {
                text.starts_with('=')
                    || outside()
                        .any(|part| part.contains(['*', '/', '+', '(']) || part.contains(" - "))
            }
            Self::Text => false,
        }
    }
}

/// A number as an expression counts it, in which angles are radians: with the suffix D what has degrees in the file.
pub(super) fn in_an_expression(
    value: f64,
    measure: Measure,
    units: &UnitSystem,
) -> (f64, &'static str) {
    match measure {
        Measure::Quantity { exponents, .. } if units.angle.factor != 1.0 => match exponents[4] {
            0 => (value, ""),
            1 => (value, "D"),
            n => (value * units.angle.factor.powi(n), ""),
        },
        _ => (value, ""),
    }
}

/// Is a text one operand of an expression wherever it is inserted: a name, a number, what is in parentheses?
pub(super) fn is_operand(text: &str) -> bool {
    let text = text.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
    text.chars().all(plain) || {
        let mut open = 0;
        let closes = |(at, c): (usize, char)| {
            open += i32::from(c == '(') - i32::from(c == ')');
            open == 0 && at + 1 < text.len()
        };
        text.starts_with('(') && !text.char_indices().any(closes)
    }
}

/// A number between what stands before and behind it in a text. Negative ones are in parentheses where the text may be an
/// expression.
pub(super) fn printed(
    (value, suffix): (f64, &str),
    before: &str,
    behind: &str,
) -> Result<String, &'static str> {
    let node = Node::number(value, crate::text::Mark::new(0, 0));
    let text = format!("{}{suffix}", node.to_value());
    if value >= 0.0 {
        return Ok(text);
    }
    if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return Err("and a negative number cannot be part of a name");
    }
    if before.is_empty() && !behind.trim_start().starts_with("**") {
        return Ok(text);
    }
    Ok(format!("({text})"))
}

//! Control plane: from a unit string to base units.

use super::atoms::{ATOMS, Atom, PREFIXES};
use super::{BASE_UNITS, UnitDefinition, UnitError};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Largest exponent that is believed.
const MAX_EXPONENT: i32 = 12;
/// Deepest nesting of parentheses.
const MAX_DEPTH: u32 = 8;

/// Reads a unit string.
pub fn parse_unit(text: &str) -> Result<UnitDefinition, UnitError> {
    let mut parser = Parser {
        rest: text,
        depth: 0,
    };
    let fail = |reason: String| UnitError {
        text: text.to_owned(),
        reason,
    };
    let product = parser.unit().map_err(fail)?;
    if !parser.rest.is_empty() {
        return Err(fail(format!(
            "cannot read \"{}\"; factors are joined by \".\" or \"*\" and divided by \"/\", as in N.s/mm",
            parser.rest
        )));
    }
    let factor = product.factor;
    if !(factor.is_finite() && factor > 0.0) {
        return Err(fail("its factor to base units is out of range".to_owned()));
    }
    Ok(UnitDefinition {
        name: text.to_owned(),
        exponents: product.exponents,
        factor,
        offset: product.offset,
    })
}

/// A product of powers.
#[derive(Clone, Copy)]
struct Product {
    exponents: [i32; BASE_UNITS],
    factor: f64,
    offset: f64,
}

impl Product {
    const ONE: Self = Self {
        exponents: [0; BASE_UNITS],
        factor: 1.0,
        offset: 0.0,
    };

    /// `self * other` or `self / other`; a scale with its own zero stands alone.
    fn times(self, other: Self, divide: bool) -> Result<Self, String> {
        if self.offset != 0.0 || other.offset != 0.0 {
            return Err(
                "a temperature scale (degC, degF) cannot be combined with other units; use K in products".to_owned(),
            );
        }
        let sign = if divide { -1 } else { 1 };
        let mut exponents = self.exponents;
        for (mine, theirs) in exponents.iter_mut().zip(other.exponents) {
            *mine += sign * theirs;
            if mine.abs() > MAX_EXPONENT {
                return Err(format!("an exponent is larger than {MAX_EXPONENT}"));
            }
        }
        Ok(Self {
            exponents,
            factor: if divide {
                self.factor / other.factor
            } else {
                self.factor * other.factor
            },
            offset: 0.0,
        })
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Parser<'a> {
    /// unit = group { "/" factor }
    fn unit(&mut self) -> Result<Product, String> {
        let mut product = self.factor()?;
        let mut divided = false;
        loop {
            if self.eat('/') {
                product = product.times(self.factor()?, true)?;
                divided = true;
            } else if self.rest.starts_with(['.', '*']) {
                if divided {
                    return Err(
                        "after \"/\" several factors need parentheses, as in J/(kg.K)".to_owned(),
                    );
                }
                self.rest = &self.rest[1..];
                product = product.times(self.factor()?, false)?;
            } else {
                return Ok(product);
            }
        }
    }

    /// factor = ( atom | "1" | "(" unit ")" ) [ exponent ]
    fn factor(&mut self) -> Result<Product, String> {
        let base = if self.eat('(') {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err("too many parentheses".to_owned());
            }
            let inner = self.unit()?;
            if !self.eat(')') {
                return Err("a closing parenthesis is missing".to_owned());
            }
            self.depth -= 1;
            inner
        } else if self.eat('1') {
            return Ok(Product::ONE);
        } else {
            self.atom()?
        };
        let Some(exponent) = self.exponent()? else {
            return Ok(base);
        };
        let mut power = Product::ONE;
        for _ in 0..exponent.unsigned_abs() {
            power = power.times(base, exponent < 0)?;
        }
        Ok(power)
    }

    fn atom(&mut self) -> Result<Product, String> {
        let end = self
            .rest
            .find(|c: char| c.is_ascii_digit() || ".*/^()+- ".contains(c))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if word.is_empty() {
            return Err("a unit symbol is missing; no unit is written \"1\"".to_owned());
        }
        look_up(word).ok_or_else(|| unknown(word))
    }

    /// Optional `^`, optional sign, digits.
    fn exponent(&mut self) -> Result<Option<i32>, String> {
        let caret = self.eat('^');
        let sign = if self.eat('-') {
            Some(-1)
        } else if self.eat('+') {
            Some(1)
        } else {
            None
        };
        let digits = self.digits();
        if digits.is_empty() {
            return if caret || sign.is_some() {
                Err("an exponent must be a whole number, as in m^2".to_owned())
            } else {
                Ok(None)
            };
        }
        match digits.parse::<i32>() {
            Ok(magnitude) if magnitude <= MAX_EXPONENT => Ok(Some(sign.unwrap_or(1) * magnitude)),
            _ => Err(format!("an exponent is larger than {MAX_EXPONENT}")),
        }
    }

    fn digits(&mut self) -> &'a str {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits
    }

    fn eat(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// The whole word is an atom, or a prefix and an atom.
fn look_up(word: &str) -> Option<Product> {
    let product = |atom: &Atom, scale: f64| Product {
        exponents: atom.exponents,
        factor: scale * atom.factor,
        offset: atom.offset,
    };
    if let Some(atom) = ATOMS.iter().find(|atom| atom.symbol == word) {
        return Some(product(atom, 1.0));
    }
    PREFIXES.iter().find_map(|(prefix, scale)| {
        let symbol = word.strip_prefix(prefix)?;
        let atom = ATOMS
            .iter()
            .find(|atom| atom.prefixed && atom.symbol == symbol)?;
        Some(product(atom, *scale))
    })
}

/// Words that people write, and the symbols that they mean.
const MEANT: &[(&str, &str)] = &[
    ("meter", "m"),
    ("metre", "m"),
    ("millimeter", "mm"),
    ("millimetre", "mm"),
    ("kilogram", "kg"),
    ("gram", "g"),
    ("second", "s"),
    ("sec", "s"),
    ("millisecond", "ms"),
    ("newton", "N"),
    ("nm", "N.m"),
    ("nmm", "N.mm"),
    ("knm", "kN.m"),
    ("radian", "rad"),
    ("degree", "deg"),
    ("hertz", "Hz"),
    ("watt", "W"),
    ("joule", "J"),
    ("pascal", "Pa"),
    ("kph", "km/h"),
    ("kmh", "km/h"),
    ("percent", "%"),
];

fn unknown(word: &str) -> String {
    let lower = word.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    let meant = MEANT
        .iter()
        .find(|(other, _)| *other == lower || *other == singular);
    if let Some((_, symbol)) = meant {
        return format!("\"{word}\" is not a unit symbol; did you mean \"{symbol}\"?");
    }
    let list = |prefixed: bool| {
        let symbols: Vec<&str> = ATOMS
            .iter()
            .filter(|atom| atom.prefixed == prefixed)
            .map(|atom| atom.symbol)
            .collect();
        symbols.join(" ")
    };
    format!(
        "\"{word}\" is not a unit symbol; known are, with SI prefixes: {}; and without: {}",
        list(true),
        list(false)
    )
}

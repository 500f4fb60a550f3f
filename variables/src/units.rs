//! Control plane: unit strings such as `N.s/mm`, `kg.m2`, `m/s^2`, `1/s`, `km/h`, `%`.
//!
//! Grammar (Modelica's unit expressions, a little wider):
//!
//! ```text
//! unit   = group { "/" factor }            a denominator of several factors needs parentheses
//! group  = factor { ( "." | "*" ) factor }
//! factor = ( atom | "1" | "(" unit ")" ) [ [ "^" ] [ "-" | "+" ] digits ]
//! ```
//!
//! An atom is a symbol of `atoms`, with an SI prefix where it takes one.

use alloc::string::String;

mod atoms;
mod parse;

pub use parse::parse_unit;

/// Number of base units.
pub const BASE_UNITS: usize = 8;

/// Names of the base units, in the order of [`UnitDefinition::exponents`] and of FMI's attributes.
pub const BASE_UNIT_NAMES: [&str; BASE_UNITS] = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];

/// A unit in terms of base units: `base value = factor * value + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitDefinition {
    /// The text as given.
    pub name: String,
    /// Exponents of kg, m, s, A, K, mol, cd, rad.
    pub exponents: [i32; BASE_UNITS],
    /// Base units per unit.
    pub factor: f64,
    /// Base value of zero (temperatures only).
    pub offset: f64,
}

/// A unit string that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unit \"{text}\": {reason}")]
pub struct UnitError {
    /// The text.
    pub text: String,
    /// The fault, and what would be valid.
    pub reason: String,
}

/// Do two units measure the same quantity, so that one may display the other?
pub fn compatible(a: &UnitDefinition, b: &UnitDefinition) -> bool {
    a.exponents == b.exponents
}

/// How a display unit shows a unit: FMI's `display value = factor * value + offset`.
pub fn display_conversion(unit: &UnitDefinition, display: &UnitDefinition) -> (f64, f64) {
    (
        unit.factor / display.factor,
        (unit.offset - display.offset) / display.factor,
    )
}

#[cfg(test)]
mod tests;

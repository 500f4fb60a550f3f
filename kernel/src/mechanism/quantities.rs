//! Control plane: units, numbers of elements, and the named quantities of the FMU interface.

use crate::ids::{ExprId, ValueId};
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// The user's units as factors to SI: `si = user * factor`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnitSystem {
    /// Metres per length unit, with its name.
    pub length: Unit,
    /// Kilograms per mass unit.
    pub mass: Unit,
    /// Newtons per force unit.
    pub force: Unit,
    /// Seconds per time unit.
    pub time: Unit,
    /// Radians per angle unit (of JSON fields; expressions use radians).
    pub angle: Unit,
}

/// One unit: its name as the user wrote it and the factor to SI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Name, such as `mm`.
    pub name: String,
    /// `si = user * factor`.
    pub factor: f64,
}

/// A number of an element \[SI\]: constant, or an expression of parameters only.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Value {
    /// The source of the number.
    pub source: ValueSource,
    /// Its place in the model, for messages: `forces[2] "spring": stiffness`.
    pub path: String,
    /// The rule that it must satisfy.
    pub rule: ValueRule,
}

/// The source of a [`Value`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ValueSource {
    /// A constant \[SI\].
    Constant(f64),
    /// An expression whose leaves are parameters only.
    Expression(ScaledExpr),
}

/// A rule that a [`Value`] must satisfy, also whenever its parameters change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueRule {
    /// Any finite number.
    Finite,
    /// Zero or more.
    NonNegative,
    /// More than zero.
    Positive,
    /// One or more.
    OneOrMore,
    /// More than zero, at most one.
    Fraction,
}

impl ValueRule {
    /// Does a number satisfy it?
    pub fn allows(self, number: f64) -> bool {
        number.is_finite()
            && match self {
                Self::Finite => true,
                Self::NonNegative => number >= 0.0,
                Self::Positive => number > 0.0,
                Self::OneOrMore => number >= 1.0,
                Self::Fraction => number > 0.0 && number <= 1.0,
            }
    }
}

/// Two numbers, the first of which must be less than the second, also whenever their parameters change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ValueOrder {
    /// The number that must be less.
    pub less: ValueId,
    /// The other.
    pub than: ValueId,
    /// The message if it is not.
    pub message: String,
}

/// An expression with the factor that turns its value (user units) into SI.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScaledExpr {
    /// The expression.
    pub expr: ExprId,
    /// `si = value * to_si`.
    pub to_si: f64,
}

/// An FMU input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Input {
    /// Name, unit, bounds and start.
    pub quantity: Quantity,
}

/// A parameter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parameter {
    /// Name, unit, bounds and start.
    pub quantity: Quantity,
    /// May it change between steps?
    pub tunable: bool,
}

/// A named quantity of the FMU interface. Its value is in its own declared unit, never converted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// Name.
    pub name: String,
    /// Text for users.
    pub description: String,
    /// FMI unit such as `N.m` or `mm/s`; empty for none.
    pub unit: String,
    /// Display unit; empty for none.
    pub display_unit: String,
    /// Lower bound.
    pub min: Option<f64>,
    /// Upper bound.
    pub max: Option<f64>,
    /// Value at the start.
    pub start: f64,
}

/// A variable or output: a named expression in user units.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NamedExpr {
    /// Name and unit; `start` is unused.
    pub quantity: Quantity,
    /// The expression.
    pub expr: ExprId,
}

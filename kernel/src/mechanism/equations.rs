//! Control plane: unknowns with an equation of their own, solved together with the mechanism.

use super::quantities::{Quantity, ScaledExpr};
use crate::ids::{EquationId, ValueId};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// An unknown with its equation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Equation {
    /// How messages call it: `differential equation "lag"`.
    pub label: String,
    /// What element it belongs to: `differential equation`.
    pub kind: Cow<'static, str>,
    /// The field that gives the equation: `derivative`.
    pub field: Cow<'static, str>,
    /// Name of the element that it belongs to, and unit of the unknown; `start` is unused.
    pub quantity: Quantity,
    /// How the FMU shows it.
    pub shown: Shown,
    /// The equation.
    pub law: Law,
    /// The unknown at the start, or where the search for it begins.
    pub initial: ValueId,
    /// Where the unknown begins.
    pub start: StateStart,
    /// Numbers of its element that must keep their rules whenever parameters change.
    pub checked: Vec<ValueId>,
}

/// What an equation says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Law {
    /// dz/dt = g; `to_si` turns g into the rate per second (z stays in its own unit).
    Rate {
        /// g.
        derivative: ScaledExpr,
        /// Where g is nothing but another unknown: that one, which a residual gives.
        unknown: Option<EquationId>,
    },
    /// 0 = r, in whatever unit.
    Residual(ScaledExpr),
}

impl Law {
    /// The expression, g or r.
    pub fn expression(&self) -> ScaledExpr {
        match self {
            Self::Rate { derivative, .. } => *derivative,
            Self::Residual(residual) => *residual,
        }
    }
}

/// Under which name the FMU shows an unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shown {
    /// `equations.NAME.value`.
    Value,
    /// `equations.NAME.state[k]`, from 1.
    State(u32),
    /// `equations.NAME.WORD`.
    Word(Cow<'static, str>),
    /// Not at all.
    Hidden,
}

/// Where a state begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateStart {
    /// At its initial value; where the model asks for static equilibrium, where it rests.
    Given,
    /// At its initial value, also in static equilibrium.
    Held,
    /// Where its rate is zero.
    Steady,
}

//! Control plane: states of differential equations and implicit variables: unknowns that are solved together with the
//! mechanism.

use super::quantities::{Quantity, ScaledExpr};
use crate::ids::{EquationId, ValueId};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// An unknown with its equation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Equation {
    /// Its name in messages: `differential equation "lag"`.
    pub label: String,
    /// Kind of the element that it belongs to: `differential equation`.
    pub kind: Cow<'static, str>,
    /// The field that gives the equation: `derivative`.
    pub field: Cow<'static, str>,
    /// Name of the element that it belongs to, and unit of the unknown; `start` is unused.
    pub quantity: Quantity,
    /// Its name in the FMU.
    pub shown: Shown,
    /// The equation.
    pub law: Law,
    /// Start value of the unknown, or of the search for it.
    pub initial: ValueId,
    /// How the unknown starts.
    pub start: StateStart,
    /// Numbers of its element that must satisfy their rules whenever parameters change.
    pub checked: Vec<ValueId>,
}

/// The kind of an equation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Law {
    /// dz/dt = g; `to_si` turns g into the rate per second (z stays in its own unit).
    Rate {
        /// g.
        derivative: ScaledExpr,
        /// If g is simply another unknown, which a residual determines: that unknown.
        unknown: Option<EquationId>,
    },
    /// 0 = r, in any unit.
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

/// The name of an unknown in the FMU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shown {
    /// `equations.NAME.value`.
    Value,
    /// `equations.NAME.state[k]`, from 1.
    State(u32),
    /// `equations.NAME.WORD`.
    Word(Cow<'static, str>),
    /// Not shown.
    Hidden,
}

/// How a state starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateStart {
    /// At its initial value; if the model asks for static equilibrium, at rest.
    Given,
    /// At its initial value, even with static equilibrium.
    Held,
    /// At rest: where its rate is zero.
    Steady,
}

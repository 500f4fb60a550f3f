//! Control plane: the function calls of an expression with their arguments, for lint and other analyses.

use super::ops::Register;
use crate::ids::LeafId;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A call of a mathematical function that affects the result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Name in capitals.
    pub function: Cow<'static, str>,
    /// Its arguments.
    pub operands: Vec<Operand>,
    /// Is the function's kink removed by a factor that is zero there, as in x·ABS(x), wherever it is used?
    #[serde(rename = "tamed")]
    pub kink_cancelled: bool,
}

/// An argument of a [`Call`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Operand {
    /// The value, if it is constant.
    pub value: Option<f64>,
    /// The register of the value, if it is computed.
    pub register: Option<Register>,
    /// The leaves that it reads.
    pub leaves: Vec<LeafId>,
}

impl Operand {
    /// The value after the program was evaluated into these registers; `None` if it is not computed.
    pub fn after(&self, registers: &[f64]) -> Option<f64> {
        let at = |register: Register| registers.get(register as usize).copied();
        self.value.or_else(|| self.register.and_then(at))
    }
}

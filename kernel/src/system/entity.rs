//! Data plane: what a failed start or step is about, for messages.

use crate::ids::{BodyId, EquationId};
use crate::linalg::BlockId;
use crate::mechanism::called;
use crate::system::BodyEntry;
use alloc::format;
use alloc::string::String;

/// What a message of a failed start or step names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entity {
    /// The mechanism as a whole.
    #[default]
    Mechanism,
    /// What owns a block of unknowns: a part, a constraint group, or all equations whose unknowns share the block.
    Block(BlockId),
    /// A flexible body, by one of its modal coordinates.
    Modal(BodyId),
    /// The equation of a state or implicit variable.
    Equation(EquationId),
}

impl From<BlockId> for Entity {
    fn from(block: BlockId) -> Self {
        Self::Block(block)
    }
}

impl From<EquationId> for Entity {
    fn from(equation: EquationId) -> Self {
        Self::Equation(equation)
    }
}

impl BodyEntry {
    /// The body as messages call it: `part "rod"`. Control plane.
    pub fn call(&self) -> String {
        let kind = self.flexible.map_or("part", |_| "flexible body");
        format!("{kind} {}", called(&self.name))
    }
}

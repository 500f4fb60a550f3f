//! Control plane: numbers in a program around whose zeros its value may be a bell or a short ramp.

use super::ops::{Binary, Operation, Register, Unary};
use super::program::Program;
use crate::ids::LeafId;
use alloc::vec::Vec;

/// A number that is zero where a function may have a bell, or where a ramp begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bell {
    /// A register.
    At(Register),
    /// The difference of two.
    Between(Register, Register),
}

impl Bell {
    /// The number after an evaluation into these registers.
    pub fn number(self, registers: &[f64]) -> f64 {
        let at = |register: Register| registers[register as usize];
        match self {
            Self::At(a) => at(a),
            Self::Between(a, b) => at(a) - at(b),
        }
    }
}

impl Program {
    /// The arguments of EXP, COSH, TANH, ATAN and powers, squared factors, and the ends of smooth ramps, where they read a
    /// leaf that moves.
    pub fn bells(&self, moves: impl Fn(LeafId) -> bool) -> Vec<Bell> {
        let mut moving: Vec<bool> = Vec::with_capacity(self.registers());
        moving.extend(self.constants.iter().map(|_| false));
        moving.extend(self.leaves.iter().map(|id| moves(*id)));
        let mut found = Vec::new();
        for (k, operation) in self.operations.iter().enumerate() {
            match *operation {
                Operation::Unary(Unary::Exp | Unary::Cosh | Unary::Tanh | Unary::Atan, a)
                | Operation::Binary(Binary::Power | Binary::PowerConstant, a, _) => {
                    found.push(Bell::At(a));
                }
                Operation::Binary(Binary::Multiply, a, b) if a == b => found.push(Bell::At(a)),
                Operation::Ramp([x, x0, x1]) if self.is_smoothed(k) => {
                    found.extend([Bell::Between(x, x0), Bell::Between(x, x1)]);
                }
                _ => {}
            }
            let mut any = false;
            operation.map(|register| {
                any |= moving[register as usize];
                register
            });
            moving.push(any);
        }
        found.retain(|bell| match *bell {
            Bell::At(a) => moving[a as usize],
            Bell::Between(a, b) => moving[a as usize] || moving[b as usize],
        });
        let mut kept: Vec<Bell> = Vec::new();
        for bell in found {
            if !kept.contains(&bell) {
                kept.push(bell);
            }
        }
        kept
    }
}

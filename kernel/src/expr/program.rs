//! Data plane: a compiled program, and the evaluation of its value.

use super::calls::Call;
use super::ops::{Operation, Register};
use crate::ids::LeafId;
use crate::math::spline::Curve;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A compiled expression. Its registers are its constants, then its leaves, then the results of its operations, each
/// of which reads only earlier registers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Constants.
    pub constants: Vec<f64>,
    /// Leaves, each once.
    pub leaves: Vec<LeafId>,
    /// Curves that operations evaluate.
    #[serde(with = "crate::shared::list")]
    pub curves: Vec<Arc<Curve>>,
    /// Operations.
    pub operations: Vec<Operation>,
    /// The register of the result.
    pub result: Register,
    /// The functions that were called.
    pub calls: Vec<Call>,
}

impl Program {
    /// The program that yields a constant.
    pub fn constant(value: f64) -> Self {
        Self {
            constants: vec![value],
            leaves: Vec::new(),
            curves: Vec::new(),
            operations: Vec::new(),
            result: 0,
            calls: Vec::new(),
        }
    }

    /// Is the program valid: does every operation read only earlier registers, and is the result written?
    pub fn is_sound(&self) -> bool {
        let first = self.constants.len() + self.leaves.len();
        let sound = |(k, operation): (usize, &Operation)| {
            let mut before = true;
            operation.map(|register| {
                before &= (register as usize) < first + k;
                register
            });
            let known = match operation {
                Operation::Curve(curve, ..) => (*curve as usize) < self.curves.len(),
                _ => true,
            };
            before && known
        };
        (self.result as usize) < self.registers()
            && self.operations.iter().enumerate().all(sound)
            && self.curves.iter().all(|curve| curve.is_sound())
    }

    /// Number of scratch registers that evaluation needs.
    pub fn registers(&self) -> usize {
        self.constants.len() + self.leaves.len() + self.operations.len()
    }

    /// The leaves that the program reads, each once, in the order of its gradient.
    pub fn leaves(&self) -> &[LeafId] {
        &self.leaves
    }

    /// Does the program read this leaf?
    pub fn depends_on(&self, leaf: LeafId) -> bool {
        self.leaves.contains(&leaf)
    }

    /// The leaf, if the program is nothing but that leaf.
    pub fn leaf(&self) -> Option<LeafId> {
        let at = (self.result as usize).checked_sub(self.constants.len())?;
        self.leaves.get(at).copied()
    }

    /// The mathematical functions that it calls.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The value, if it does not depend on leaves.
    pub fn constant_value(&self) -> Option<f64> {
        self.constants.get(self.result as usize).copied()
    }

    /// The value. `leaf_values` is indexed by [`LeafId`]; `registers` must have at least [`Self::registers`] entries.
    /// Slices that are too short give NaN.
    pub fn value(&self, leaf_values: &[f64], registers: &mut [f64]) -> f64 {
        debug_assert!(registers.len() >= self.registers(), "registers too short");
        if self.operations.is_empty() {
            let leaf = self.leaf().and_then(|leaf| leaf_values.get(leaf.index()));
            return leaf.copied().or(self.constant_value()).unwrap_or(f64::NAN);
        }
        let Some(registers) = registers.get_mut(..self.registers()) else {
            return f64::NAN;
        };
        self.load(leaf_values, registers, f64::NAN, |constant| constant);
        let first = self.constants.len() + self.leaves.len();
        for (k, operation) in self.operations.iter().enumerate() {
            registers[first + k] = operation.value(registers, &self.curves);
        }
        registers[self.result as usize]
    }

    /// Copies constants and leaves to their registers; `missing` replaces leaves out of range.
    pub(super) fn load<T: Copy>(
        &self,
        leaf_values: &[T],
        registers: &mut [T],
        missing: T,
        constant: impl Fn(f64) -> T,
    ) {
        let (constants, rest) = registers.split_at_mut(self.constants.len());
        for (register, value) in constants.iter_mut().zip(&self.constants) {
            *register = constant(*value);
        }
        for (register, leaf) in rest.iter_mut().zip(&self.leaves) {
            debug_assert!(leaf.index() < leaf_values.len(), "leaf values too short");
            *register = leaf_values.get(leaf.index()).copied().unwrap_or(missing);
        }
    }
}

//! Expressions of the model: parsed once, compiled to a flat register program, evaluated in a step
//! without allocation and with a fixed sequence of operations.

use crate::ids::LeafId;

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Program {
    _private: (),
}

/// Value with first and second time derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeJet {
    /// Value.
    pub value: f64,
    /// First derivative in time.
    pub first: f64,
    /// Second derivative in time.
    pub second: f64,
}

impl Program {
    /// Number of scratch registers that evaluation needs.
    pub fn registers(&self) -> usize {
        0
    }

    /// The leaves that the program reads, each once, in the order of its gradient.
    pub fn leaves(&self) -> &[LeafId] {
        &[]
    }

    /// The value. `leaf_values` is indexed by [`LeafId`]; `registers` has at least
    /// [`Self::registers`] entries.
    pub fn value(&self, _leaf_values: &[f64], _registers: &mut [f64]) -> f64 {
        0.0
    }

    /// The value, and in `gradient[k]` its derivative with respect to `self.leaves()[k]`.
    /// `adjoints` is scratch as long as `registers`.
    pub fn gradient(
        &self,
        leaf_values: &[f64],
        registers: &mut [f64],
        _adjoints: &mut [f64],
        _gradient: &mut [f64],
    ) -> f64 {
        self.value(leaf_values, registers)
    }

    /// The value with two time derivatives, from leaves given as jets.
    pub fn time_jet(&self, _leaf_jets: &[TimeJet], _registers: &mut [TimeJet]) -> TimeJet {
        TimeJet::default()
    }
}

//! Data plane: evaluates a program with its first and second time derivative, by second-order Taylor arithmetic.
//!
//! For y = f(a, b), with dots for time:
//! ```text
//!     ẏ = f_a ȧ + f_b ḃ
//!     ÿ = f_a ä + f_b b̈ + f_aa ȧ² + 2 f_ab ȧ ḃ + f_bb ḃ²
//! ```

use super::ops::{Binary, Operation, Unary, blend, product, ramp};
use super::program::Program;
use crate::math::spline::Curve;
use alloc::sync::Arc;

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

impl TimeJet {
    /// An unknown value: NaN.
    const UNKNOWN: Self = Self {
        value: f64::NAN,
        first: f64::NAN,
        second: f64::NAN,
    };

    /// A value that does not change.
    pub const fn constant(value: f64) -> Self {
        Self {
            value,
            first: 0.0,
            second: 0.0,
        }
    }
}

impl Program {
    /// The value with two time derivatives, from leaves given as jets. `registers` must have at least
    /// [`Self::registers`] entries. Slices that are too short give NaN.
    pub fn time_jet(&self, leaf_jets: &[TimeJet], registers: &mut [TimeJet]) -> TimeJet {
        debug_assert!(registers.len() >= self.registers(), "registers too short");
        let Some(registers) = registers.get_mut(..self.registers()) else {
            return TimeJet::UNKNOWN;
        };
        self.load(leaf_jets, registers, TimeJet::UNKNOWN, TimeJet::constant);
        let first = self.constants.len() + self.leaves.len();
        for (k, operation) in self.operations.iter().enumerate() {
            registers[first + k] = operation.jet(registers, &self.curves);
        }
        registers[self.result as usize]
    }
}

impl Operation {
    /// The jet from the registers of the operands.
    fn jet(&self, registers: &[TimeJet], curves: &[Arc<Curve>]) -> TimeJet {
        match *self {
            Self::Unary(op, a) => unary(op, registers[a as usize]),
            Self::Binary(op, a, b) => binary(op, registers[a as usize], registers[b as usize]),
            Self::Ramp(operands) => ramp_jet(operands.map(|operand| registers[operand as usize])),
            Self::Blend(operands) => blend_jet(operands.map(|operand| registers[operand as usize])),
            Self::Select([e, a, b, c]) => {
                let e = registers[e as usize].value;
                if e < 0.0 {
                    registers[a as usize]
                } else if e > 0.0 {
                    registers[c as usize]
                } else if e == 0.0 {
                    registers[b as usize]
                } else {
                    TimeJet::UNKNOWN
                }
            }
            Self::Curve(curve, order, operands) => {
                let operands = operands.map(|operand| registers[operand as usize]);
                curve_jet(&curves[curve as usize], order, operands)
            }
        }
    }
}

/// Chain rule for one operand.
fn unary(op: Unary, x: TimeJet) -> TimeJet {
    let value = op.value(x.value);
    let slope = op.slope(x.value, value);
    let curvature = op.curvature(x.value, value, slope);
    TimeJet {
        value,
        first: product(slope, x.first),
        second: product(slope, x.second) + product(curvature, x.first * x.first),
    }
}

/// Chain rule for two operands.
fn binary(op: Binary, a: TimeJet, b: TimeJet) -> TimeJet {
    let value = op.value(a.value, b.value);
    let [by_a, by_b] = op.slopes(a.value, b.value, value);
    let [by_aa, by_ab, by_bb] = op.curvatures(a.value, b.value, value);
    let linear = product(by_a, a.second) + product(by_b, b.second);
    let squares = product(by_aa, a.first * a.first) + product(by_bb, b.first * b.first);
    TimeJet {
        value,
        first: product(by_a, a.first) + product(by_b, b.first),
        second: linear + squares + product(by_ab, 2.0 * product(a.first, b.first)),
    }
}

/// The quotient (x − x0)/(x1 − x0), clamped to 0 … 1; constant at and beyond both ends.
fn ramp_jet([x, x0, x1]: [TimeJet; 3]) -> TimeJet {
    let value = ramp(x.value, x0.value, x1.value);
    if value == 0.0 || value == 1.0 {
        return TimeJet::constant(value);
    }
    let rise = binary(Binary::Subtract, x, x0);
    let width = binary(Binary::Subtract, x1, x0);
    binary(Binary::Divide, rise, width)
}

/// Chain rule for a derivative of a curve or surface, which is linear in z.
fn curve_jet(curve: &Curve, order: u8, [x, z]: [TimeJet; 2]) -> TimeJet {
    let (value, by_z) = curve.value(x.value, z.value, order);
    let (by_x, by_xz) = curve.value(x.value, z.value, order + 1);
    let (by_xx, _) = curve.value(x.value, z.value, order + 2);
    let linear = product(by_x, x.second) + product(by_z, z.second);
    let squares = product(by_xx, x.first * x.first);
    TimeJet {
        value,
        first: product(by_x, x.first) + product(by_z, z.first),
        second: linear + squares + product(by_xz, 2.0 * product(x.first, z.first)),
    }
}

/// h0 + (h1 − h0) s.
fn blend_jet([h0, h1, s]: [TimeJet; 3]) -> TimeJet {
    let step = binary(Binary::Multiply, binary(Binary::Subtract, h1, h0), s);
    let value = blend(h0.value, h1.value, s.value);
    TimeJet {
        value,
        first: h0.first + step.first,
        second: h0.second + step.second,
    }
}

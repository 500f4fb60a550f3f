//! Data plane: the derivatives of a program in its leaves, by one reverse sweep over the operations.
//!
//! The adjoint of a register is ∂result/∂register. The sweep runs from the last operation to the first. When it
//! reaches the operation that wrote a register, the adjoint of that register is complete; times the partial
//! derivatives, it is added to the adjoints of the operands.

use super::ops::{Operation, product, ramp_slopes};
use super::program::Program;
use crate::math::spline::Curve;
use alloc::sync::Arc;

impl Program {
    /// Returns the value; `gradient[k]` receives its derivative with respect to `self.leaves()[k]`. `adjoints` is
    /// scratch, as long as `registers`. Slices that are too short give NaN.
    pub fn gradient(
        &self,
        leaf_values: &[f64],
        registers: &mut [f64],
        adjoints: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        debug_assert!(adjoints.len() >= self.registers(), "adjoints too short");
        debug_assert!(gradient.len() >= self.leaves.len(), "gradient too short");
        let value = self.value(leaf_values, registers);
        let count = self.registers();
        let (Some(registers), Some(adjoints)) = (registers.get(..count), adjoints.get_mut(..count))
        else {
            gradient.fill(f64::NAN);
            return f64::NAN;
        };
        adjoints.fill(0.0);
        adjoints[self.result as usize] = 1.0;
        let first = self.constants.len() + self.leaves.len();
        for (k, operation) in self.operations.iter().enumerate().rev() {
            operation.propagate(first + k, registers, adjoints, &self.curves);
        }
        let leaves = &adjoints[self.constants.len()..first];
        for (entry, adjoint) in gradient.iter_mut().zip(leaves) {
            *entry = *adjoint;
        }
        value
    }
}

impl Operation {
    /// Adds the adjoint of register `own`, times the partial derivatives, to those of the operands.
    #[inline]
    fn propagate(
        &self,
        own: usize,
        registers: &[f64],
        adjoints: &mut [f64],
        curves: &[Arc<Curve>],
    ) {
        let (adjoint, y) = (adjoints[own], registers[own]);
        match *self {
            Self::Unary(op, a) => {
                let a = a as usize;
                adjoints[a] += product(adjoint, op.slope(registers[a], y));
            }
            Self::Binary(op, a, b) => {
                let (a, b) = (a as usize, b as usize);
                let [by_a, by_b] = op.slopes(registers[a], registers[b], y);
                adjoints[a] += product(adjoint, by_a);
                adjoints[b] += product(adjoint, by_b);
            }
            Self::Ramp(operands) => {
                let [_, x0, x1] = operands.map(|operand| registers[operand as usize]);
                let slopes = ramp_slopes(y, x0, x1);
                for (operand, slope) in operands.into_iter().zip(slopes) {
                    adjoints[operand as usize] += product(adjoint, slope);
                }
            }
            Self::Blend(operands) => {
                let [h0, h1, s] = operands.map(|operand| registers[operand as usize]);
                for (operand, slope) in operands.into_iter().zip([1.0 - s, s, h1 - h0]) {
                    adjoints[operand as usize] += product(adjoint, slope);
                }
            }
            Self::Select([e, a, b, c]) => {
                let e = registers[e as usize];
                let taken = if e < 0.0 {
                    a
                } else if e > 0.0 {
                    c
                } else {
                    b
                };
                adjoints[taken as usize] += adjoint;
            }
            Self::Curve(curve, order, [x, z]) => {
                let (x, z) = (x as usize, z as usize);
                let curve = &curves[curve as usize];
                let (by_x, _) = curve.value(registers[x], registers[z], order + 1);
                let (_, by_z) = curve.value(registers[x], registers[z], order);
                adjoints[x] += product(adjoint, by_x);
                adjoints[z] += product(adjoint, by_z);
            }
        }
    }
}

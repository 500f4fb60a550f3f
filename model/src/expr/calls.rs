//! Control plane: lists the functions that an expression calls and their arguments, for the warnings.

use super::lower::{Builder, Content};
use fixstep_kernel::expr::ops::{Binary, Operation, Register, Unary};
use fixstep_kernel::expr::{Call, Operand};

/// A call while the expression is being built: name, arguments, result.
pub(super) type Noted = (&'static str, Vec<Register>, Register);

impl Builder {
    /// The calls that affect `result`; `needed` marks the registers that do.
    pub(super) fn calls(&self, needed: &[bool], place: &[Register], result: Register) -> Vec<Call> {
        let varies = |register: Register| matches!(self.content(register), Content::Operation(_));
        let live = |noted: &&Noted| needed[noted.2 as usize] && varies(noted.2);
        let call = |(function, arguments, value): &Noted| Call {
            function: (*function).into(),
            operands: arguments
                .iter()
                .map(|a| self.operand(*a, needed[*a as usize].then(|| place[*a as usize])))
                .collect(),
            kink_cancelled: self.cancels_kink(*value, needed, result),
        };
        self.noted().iter().filter(live).map(call).collect()
    }

    fn operand(&self, register: Register, place: Option<Register>) -> Operand {
        let mut leaves = Vec::new();
        let mut read = vec![false; register as usize + 1];
        read[register as usize] = true;
        for k in (0..=register as usize).rev() {
            match self.content(k as Register) {
                Content::Leaf(leaf) if read[k] => leaves.push(leaf),
                Content::Operation(operation) if read[k] => {
                    operation.map(|operand| {
                        read[operand as usize] = true;
                        operand
                    });
                }
                _ => {}
            }
        }
        leaves.sort_unstable();
        Operand {
            value: self.value(register),
            register: place,
            leaves,
        }
    }

    /// Is a function with a kink at zero always multiplied by something that is zero there?
    fn cancels_kink(&self, value: Register, needed: &[bool], result: Register) -> bool {
        let zero = |register: Register| self.value(register) == Some(0.0);
        let at = match self.content(value) {
            Content::Operation(Operation::Unary(Unary::Abs, x)) => x,
            Content::Operation(Operation::Binary(Binary::Sign, a, b)) => {
                return self.has_factor(a, b);
            }
            Content::Operation(Operation::Binary(Binary::Max | Binary::Min, a, b)) if zero(b) => a,
            Content::Operation(Operation::Binary(Binary::Max | Binary::Min, a, b)) if zero(a) => b,
            _ => return false,
        };
        let factors = [self.without_factor(at), value];
        self.uses_vanish((value, true), factors, needed, result)
    }

    /// Is `value` always multiplied by one of the factors, or raised to a power above 1? `zero`: it is zero at its
    /// kink, as the factors are.
    fn uses_vanish(
        &self,
        (value, zero): (Register, bool),
        factors: [Register; 2],
        needed: &[bool],
        result: Register,
    ) -> bool {
        let further = |k: Register, zero| self.uses_vanish((k, zero), factors, needed, result);
        let vanishes = |(k, operation): (Register, Operation)| match operation {
            Operation::Unary(Unary::Negate, _) => further(k, zero),
            Operation::Unary(Unary::Sqrt, _) => {
                zero && self.uses_vanish((k, true), [value; 2], needed, result)
            }
            Operation::Binary(Binary::Multiply, a, b) => {
                let other = if a == value { b } else { a };
                factors.iter().any(|f| self.has_factor(other, *f)) || further(k, zero)
            }
            // A factor of a sum multiplies its terms.
            Operation::Binary(Binary::Add | Binary::Subtract, a, b) => a != b && further(k, false),
            Operation::Binary(Binary::Divide, a, b) => a == value && b != value && further(k, zero),
            Operation::Binary(Binary::PowerConstant, a, b) => {
                zero && a == value && self.value(b).is_some_and(|exponent| exponent > 1.0)
            }
            _ => false,
        };
        value != result && self.uses(value, needed).all(vanishes)
    }

    /// A register with the same zeros, without sign and constant factors.
    fn without_factor(&self, register: Register) -> Register {
        let is_factor = |r: Register| self.value(r).is_some_and(|x| x != 0.0);
        match self.content(register) {
            Content::Operation(Operation::Unary(Unary::Negate, a)) => self.without_factor(a),
            Content::Operation(Operation::Binary(Binary::Multiply | Binary::Divide, a, b))
                if is_factor(b) =>
            {
                self.without_factor(a)
            }
            Content::Operation(Operation::Binary(Binary::Multiply, a, b)) if is_factor(a) => {
                self.without_factor(b)
            }
            _ => register,
        }
    }

    /// The operations that read a register.
    fn uses(
        &self,
        value: Register,
        needed: &[bool],
    ) -> impl Iterator<Item = (Register, Operation)> {
        let reads = move |operation: &Operation| {
            let mut found = false;
            operation.map(|operand| {
                found |= operand == value;
                operand
            });
            found
        };
        let first = value as usize + 1;
        let rest = (first..needed.len()).filter(|k| needed[*k]);
        rest.filter_map(move |k| match self.content(k as Register) {
            Content::Operation(operation) if reads(&operation) => Some((k as Register, operation)),
            _ => None,
        })
    }

    /// Is a register a product with this factor?
    fn has_factor(&self, register: Register, factor: Register) -> bool {
        register == factor
            || match self.content(register) {
                Content::Operation(
                    Operation::Unary(Unary::Negate | Unary::Sqrt, a)
                    | Operation::Binary(Binary::Divide, a, _),
                ) => self.has_factor(a, factor),
                Content::Operation(Operation::Binary(Binary::Multiply, a, b)) => {
                    self.has_factor(a, factor) || self.has_factor(b, factor)
                }
                Content::Operation(Operation::Binary(Binary::PowerConstant, a, b)) => {
                    self.value(b).is_some_and(|exponent| exponent > 0.0)
                        && self.has_factor(a, factor)
                }
                Content::Operation(Operation::Binary(Binary::Subtract, a, b)) => {
                    let reverse = Operation::Binary(Binary::Subtract, b, a);
                    self.content(factor) == Content::Operation(reverse)
                }
                _ => false,
            }
    }
}

//! Control plane: where the value of a program bends or jumps, and the same program with its branches held.
//!
//! A function such as IF has branches. An integrator with a variable step keeps one branch during a step, looks for the
//! instant at which another one begins, and ends the step there: then every step sees a smooth function.

use super::ops::{Binary, Operation, Register, Unary};
use super::program::Program;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use alloc::vec::Vec;

/// An operation with branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its place among the operations.
    pub operation: usize,
    /// Does its value jump between branches? Otherwise it bends, and cannot be held.
    pub jumps: bool,
}

impl Program {
    /// The operations with branches, but for ramps of STEP and its like, which end smoothly.
    pub fn branches(&self) -> Vec<Branch> {
        let all = self.operations.iter().enumerate();
        all.filter_map(|(operation, op)| {
            let jumps = match op {
                Operation::Select(_)
                | Operation::Binary(Binary::Sign | Binary::Mod, ..)
                | Operation::Unary(Unary::Truncate | Unary::Round, _) => true,
                Operation::Unary(Unary::Abs, _)
                | Operation::Binary(Binary::Min | Binary::Max, ..) => false,
                Operation::Ramp(_) if !self.is_smoothed(operation) => false,
                _ => return None,
            };
            self.varies(operation)
                .then_some(Branch { operation, jumps })
        })
        .collect()
    }

    /// Is the result of a ramp read by smooth steps alone?
    pub(super) fn is_smoothed(&self, ramp: usize) -> bool {
        let register = self.register(ramp);
        let mut smooth = register != self.result;
        for operation in &self.operations {
            let reads = reads(operation, register);
            let steps = matches!(
                operation,
                Operation::Unary(Unary::Smooth3 | Unary::Smooth5 | Unary::SmoothCos, _)
            );
            smooth &= !reads || steps;
        }
        smooth
    }

    /// The register of an operation.
    fn register(&self, operation: usize) -> Register {
        (self.constants.len() + self.leaves.len() + operation) as Register
    }

    /// Does what decides the branch depend on leaves at all?
    fn varies(&self, operation: usize) -> bool {
        let constant = |register: Register| (register as usize) < self.constants.len();
        match self.operations[operation] {
            Operation::Select([e, ..]) | Operation::Binary(Binary::Sign, _, e) => !constant(e),
            Operation::Unary(_, a) => !constant(a),
            Operation::Binary(_, a, b) => !(constant(a) && constant(b)),
            Operation::Ramp([x, ..]) => !constant(x),
            _ => false,
        }
    }

    /// The number of the branch after an evaluation into these registers.
    pub fn branch(&self, branch: Branch, registers: &[f64]) -> f64 {
        let at = |register: Register| registers[register as usize];
        let sign = |x: f64| f64::from(i8::from(x > 0.0) - i8::from(x < 0.0));
        match self.operations[branch.operation] {
            Operation::Select([e, ..]) => sign(at(e)),
            Operation::Binary(Binary::Sign, _, b) => {
                if at(b) < 0.0 {
                    -1.0
                } else {
                    1.0
                }
            }
            Operation::Unary(Unary::Truncate, a) => at(a).trunc(),
            Operation::Unary(Unary::Round, a) => at(a).round(),
            Operation::Binary(Binary::Mod, a, b) => (at(a) / at(b)).trunc(),
            Operation::Unary(_, a) => {
                if at(a) < 0.0 {
                    -1.0
                } else {
                    1.0
                }
            }
            Operation::Binary(_, a, b) => {
                if at(a) < at(b) {
                    -1.0
                } else {
                    1.0
                }
            }
            Operation::Ramp([x, x0, x1]) => sign(at(x) - at(x0)) + sign(at(x) - at(x1)),
            _ => 0.0,
        }
    }

    /// A number that is zero between two branches, where there is one.
    pub fn margin(&self, branch: Branch, registers: &[f64]) -> Option<f64> {
        let at = |register: Register| registers[register as usize];
        match self.operations[branch.operation] {
            Operation::Select([e, ..]) | Operation::Binary(Binary::Sign, _, e) => Some(at(e)),
            Operation::Unary(Unary::Abs, a) => Some(at(a)),
            Operation::Binary(Binary::Min | Binary::Max, a, b) => Some(at(a) - at(b)),
            _ => None,
        }
    }

    /// The same program, held in the given branches of operations that jump.
    #[must_use]
    pub fn held(&self, branches: &[(Branch, f64)]) -> Self {
        let jumping = branches.iter().filter(|(branch, _)| branch.jumps);
        let first = self.constants.len() as Register;
        let more = jumping.clone().count() as Register;
        let mut map: Vec<Register> = (0..first).collect();
        map.extend((0..self.leaves.len() as Register).map(|k| first + more + k));
        let mut held = Self {
            constants: self.constants.clone(),
            operations: Vec::with_capacity(self.operations.len() + 1),
            ..self.clone()
        };
        held.constants.extend(jumping.clone().map(|(_, at)| *at));
        let from = first + more + self.leaves.len() as Register;
        for (k, operation) in self.operations.iter().enumerate() {
            let operation = operation.map(|register| map[register as usize]);
            let place = jumping
                .clone()
                .position(|(branch, _)| branch.operation == k);
            let next = |held: &Self| from + held.operations.len() as Register;
            let Some(constant) = place.map(|place| first + place as Register) else {
                map.push(next(&held));
                held.operations.push(operation);
                continue;
            };
            let operation = match operation {
                Operation::Select([_, a, b, c]) => Operation::Select([constant, a, b, c]),
                Operation::Binary(Binary::Sign, a, _) => {
                    Operation::Binary(Binary::Sign, a, constant)
                }
                Operation::Binary(Binary::Mod, a, b) => {
                    // The remainder is what the whole multiples leave.
                    let whole = next(&held);
                    let multiply = Operation::Binary(Binary::Multiply, b, constant);
                    held.operations.push(multiply);
                    Operation::Binary(Binary::Subtract, a, whole)
                }
                _ => {
                    map.push(constant);
                    continue;
                }
            };
            map.push(next(&held));
            held.operations.push(operation);
        }
        held.result = map[self.result as usize];
        for call in &mut held.calls {
            for operand in &mut call.operands {
                operand.register = operand.register.map(|register| map[register as usize]);
            }
        }
        held
    }
}

/// Does an operation read a register?
fn reads(operation: &Operation, register: Register) -> bool {
    let mut found = false;
    operation.map(|own| {
        found |= own == register;
        own
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LeafId;
    use alloc::vec;

    /// IF(x: −1, 0, MOD(x, 3)) + SIGN(2, x) + INT(x) + ABS(x), with x the only leaf.
    fn program() -> Program {
        Program {
            constants: vec![-1.0, 0.0, 3.0, 2.0],
            leaves: vec![LeafId(0)],
            curves: vec![],
            operations: vec![
                Operation::Binary(Binary::Mod, 4, 2),
                Operation::Select([4, 0, 1, 5]),
                Operation::Binary(Binary::Sign, 3, 4),
                Operation::Unary(Unary::Truncate, 4),
                Operation::Unary(Unary::Abs, 4),
                Operation::Binary(Binary::Add, 6, 7),
                Operation::Binary(Binary::Add, 10, 8),
                Operation::Binary(Binary::Add, 11, 9),
            ],
            result: 12,
            calls: vec![],
        }
    }

    fn value(program: &Program, x: f64) -> (f64, Vec<f64>) {
        let mut registers = vec![0.0; program.registers()];
        (program.value(&[x], &mut registers), registers)
    }

    fn held_at(x: f64) -> Program {
        let program = program();
        let (_, registers) = value(&program, x);
        let all = program.branches().into_iter();
        let cells: Vec<_> = all
            .map(|branch| (branch, program.branch(branch, &registers)))
            .collect();
        program.held(&cells)
    }

    #[test]
    fn a_held_program_is_the_same_within_its_branch_and_continues_beyond() {
        assert_eq!(program().branches().len(), 5);
        for x in [-7.3, -0.5, 0.4, 2.9, 3.1, 11.7] {
            let held = held_at(x);
            assert!(held.is_sound());
            assert_eq!(value(&held, x).0, value(&program(), x).0);
        }
        // From 2.9: 1·MOD without its jump at 3, INT stays 2; at 3.5 that is 3.5 + 2 + 2 + 3.5.
        assert_eq!(value(&held_at(2.9), 3.5).0, 11.0);
        // Below zero IF stays −1 and SIGN −2; INT stays 0, and ABS is not held.
        assert_eq!(value(&held_at(-0.5), 4.0).0, -1.0 - 2.0 + 0.0 + 4.0);
    }
}

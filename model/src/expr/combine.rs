//! Control plane: programs that are made of other programs: products, sums and roots of what these compute.

use super::lower::Builder;
use fixstep_kernel::expr::Program;
use fixstep_kernel::expr::ops::{Binary, Operation, Register, Unary};
use std::sync::Arc;

/// A value among [`Terms`].
#[derive(Clone, Copy, Debug)]
pub struct Term(Register);

/// Values that programs compute, to be combined to one program.
#[derive(Clone, Debug, Default)]
pub struct Terms(Builder);

impl Terms {
    /// A number.
    pub fn constant(&mut self, value: f64) -> Term {
        Term(self.0.constant(value))
    }

    /// What a program computes; `None` if all together read too many splines.
    pub fn program(&mut self, program: &Program) -> Option<Term> {
        let constants = program.constants.iter();
        let mut place: Vec<Register> = constants.map(|value| self.0.constant(*value)).collect();
        place.extend(program.leaves.iter().map(|leaf| self.0.leaf(*leaf)));
        for operation in &program.operations {
            let register = match operation.map(|operand| place[operand as usize]) {
                Operation::Curve(curve, order, operands) => {
                    let curve = Arc::clone(&program.curves[usize::from(curve)]);
                    self.0.curve(curve, order, operands)?
                }
                operation => self.0.operation(operation),
            };
            place.push(register);
        }
        Some(Term(place[program.result as usize]))
    }

    /// a + b.
    pub fn sum(&mut self, a: Term, b: Term) -> Term {
        Term(self.0.binary(Binary::Add, a.0, b.0))
    }

    /// a − b.
    pub fn difference(&mut self, a: Term, b: Term) -> Term {
        Term(self.0.binary(Binary::Subtract, a.0, b.0))
    }

    /// a · b.
    pub fn product(&mut self, a: Term, b: Term) -> Term {
        Term(self.0.binary(Binary::Multiply, a.0, b.0))
    }

    /// a · b of vectors.
    pub fn dot(&mut self, a: [Term; 3], b: [Term; 3]) -> Term {
        let [x, y, z] = [0, 1, 2].map(|k| self.product(a[k], b[k]));
        let sum = self.sum(x, y);
        self.sum(sum, z)
    }

    /// a × b.
    pub fn cross(&mut self, a: [Term; 3], b: [Term; 3]) -> [Term; 3] {
        [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
            let one = self.product(a[i], b[j]);
            let other = self.product(a[j], b[i]);
            self.difference(one, other)
        })
    }

    /// |a|.
    pub fn norm(&mut self, a: [Term; 3]) -> Term {
        let square = self.dot(a, a);
        Term(self.0.unary(Unary::Sqrt, square.0))
    }

    /// a/|a|: not a number if a is zero.
    pub fn unit(&mut self, a: [Term; 3]) -> [Term; 3] {
        let norm = self.norm(a);
        a.map(|x| Term(self.0.binary(Binary::Divide, x.0, norm.0)))
    }

    /// Sine and cosine.
    pub fn sine_cosine(&mut self, angle: Term) -> (Term, Term) {
        let mut of = |function| Term(self.0.unary(function, angle.0));
        (of(Unary::Sin), of(Unary::Cos))
    }

    /// The program that computes one of the values; `None` if it is too long.
    pub fn finish(&self, result: Term) -> Option<Program> {
        self.0.clone().finish(result.0)
    }
}

//! Control plane: collects operations without repetition, and expresses functions by operations.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::Arc;

use super::calls::Noted;
use super::library::Rule;
use crate::limits::EXPRESSION_REGISTERS;
use fixstep_kernel::expr::Program;
use fixstep_kernel::expr::ops::{Binary, CurveId, Operation, Register, Unary};
use fixstep_kernel::ids::LeafId;
use fixstep_kernel::math::spline::Curve;

/// The content of a register. Numbers are compared by their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Content {
    /// Bits of a number.
    Constant(u64),
    /// A value that is read.
    Leaf(LeafId),
    /// A value that is computed.
    Operation(Operation),
}

/// Collects operations. An operation that already exists is reused, and a constant one is computed.
#[derive(Clone, Debug, Default)]
pub(super) struct Builder {
    contents: Vec<Content>,
    known: BTreeMap<Content, Register>,
    curves: Vec<Arc<Curve>>,
    noted: Vec<Noted>,
}

impl Builder {
    /// A constant.
    pub(super) fn constant(&mut self, value: f64) -> Register {
        self.intern(Content::Constant(value.to_bits()))
    }

    /// A leaf.
    pub(super) fn leaf(&mut self, leaf: LeafId) -> Register {
        self.intern(Content::Leaf(leaf))
    }

    /// An operation on one operand.
    pub(super) fn unary(&mut self, op: Unary, a: Register) -> Register {
        if op == Unary::Negate
            && let Content::Operation(Operation::Unary(Unary::Negate, inner)) = self.content(a)
        {
            return inner;
        }
        self.operation(Operation::Unary(op, a))
    }

    /// An operation on two operands.
    pub(super) fn binary(&mut self, op: Binary, a: Register, b: Register) -> Register {
        let (left, right) = (self.value(a), self.value(b));
        match (op, left, right) {
            // Neutral elements; zero times anything stays, for infinity and NaN.
            (Binary::Add, Some(0.0), _) | (Binary::Multiply, Some(1.0), _) => b,
            (Binary::Add | Binary::Subtract, _, Some(0.0))
            | (Binary::Multiply | Binary::Divide, _, Some(1.0)) => a,
            // The same whichever comes first, so written once.
            (Binary::Add | Binary::Multiply, ..) if a > b => {
                self.operation(Operation::Binary(op, b, a))
            }
            (Binary::Power, None, Some(exponent)) => self.constant_power(a, b, exponent),
            _ => self.operation(Operation::Binary(op, a, b)),
        }
    }

    /// A power with a constant exponent: products and roots if a few suffice.
    fn constant_power(&mut self, a: Register, b: Register, exponent: f64) -> Register {
        if exponent == 1.0 {
            a
        } else if exponent == 2.0 {
            self.binary(Binary::Multiply, a, a)
        } else if exponent == 3.0 {
            let square = self.binary(Binary::Multiply, a, a);
            self.binary(Binary::Multiply, square, a)
        } else if exponent == 0.5 {
            self.unary(Unary::Sqrt, a)
        } else if exponent == 1.5 {
            let root = self.unary(Unary::Sqrt, a);
            self.binary(Binary::Multiply, a, root)
        } else {
            self.operation(Operation::Binary(Binary::PowerConstant, a, b))
        }
    }

    /// One of three by the sign of `e`.
    fn select(&mut self, e: Register, branches: [Register; 3]) -> Register {
        let [a, b, c] = branches;
        match self.value(e) {
            Some(e) if e < 0.0 => a,
            Some(e) if e > 0.0 => c,
            Some(0.0) => b,
            _ => self.operation(Operation::Select([e, a, b, c])),
        }
    }

    /// An operation, or its value if that is constant.
    pub(super) fn operation(&mut self, operation: Operation) -> Register {
        let mut values = [0.0; 4];
        let mut count = 0;
        let mut constant = true;
        let placed = operation.map(|operand| {
            let value = self.value(operand);
            constant &= value.is_some();
            values[count] = value.unwrap_or(f64::NAN);
            count += 1;
            count as Register - 1
        });
        if constant {
            return self.constant(placed.value(&values, &self.curves));
        }
        self.intern(Content::Operation(operation))
    }

    /// The element of a list with a given index, counted from 1, or the nearest element if there is none. If the list
    /// has several elements, all are evaluated.
    pub(super) fn element(&mut self, leaves: &[LeafId], arguments: &[Register]) -> Register {
        let (Some(&index), Some((&first, rest))) = (arguments.get(1), leaves.split_first()) else {
            return self.constant(f64::NAN);
        };
        let mut found = self.leaf(first);
        for (k, &leaf) in rest.iter().enumerate() {
            let border = self.constant(k as f64 + 1.5);
            let beyond = self.binary(Binary::Subtract, index, border);
            let next = self.leaf(leaf);
            found = self.select(beyond, [found, next, next]);
        }
        found
    }

    /// A derivative of a curve; `None` if there are too many.
    pub(super) fn curve(
        &mut self,
        curve: Arc<Curve>,
        order: u8,
        operands: [Register; 2],
    ) -> Option<Register> {
        let known = self.curves.iter().position(|c| Arc::ptr_eq(c, &curve));
        let place = known.unwrap_or_else(|| {
            self.curves.push(curve);
            self.curves.len() - 1
        });
        let place = CurveId::try_from(place).ok()?;
        Some(self.operation(Operation::Curve(place, order, operands)))
    }

    /// The content of a register.
    pub(super) fn content(&self, register: Register) -> Content {
        self.contents[register as usize]
    }

    /// Remembers a call for [`Program::calls`].
    pub(super) fn note(&mut self, call: Noted) {
        self.noted.push(call);
    }

    /// All calls so far.
    pub(super) fn noted(&self) -> &[Noted] {
        &self.noted
    }

    /// The value of a constant.
    pub(super) fn value(&self, register: Register) -> Option<f64> {
        match self.content(register) {
            Content::Constant(bits) => Some(f64::from_bits(bits)),
            Content::Leaf(_) | Content::Operation(_) => None,
        }
    }

    fn intern(&mut self, content: Content) -> Register {
        let contents = &mut self.contents;
        *self.known.entry(content).or_insert_with(|| {
            contents.push(content);
            contents.len() as Register - 1
        })
    }

    /// The program that computes `result` and nothing else; `None` if it is too long.
    pub(super) fn finish(self, result: Register) -> Option<Program> {
        let mut needed = vec![false; self.contents.len()];
        needed[result as usize] = true;
        for (k, content) in self.contents.iter().enumerate().rev() {
            if let (true, Content::Operation(operation)) = (needed[k], content) {
                operation.map(|operand| {
                    needed[operand as usize] = true;
                    operand
                });
            }
        }
        let live = || self.contents.iter().enumerate().filter(|(k, _)| needed[*k]);
        if live().count() > EXPRESSION_REGISTERS {
            return None;
        }
        let mut program = Program {
            constants: vec![],
            leaves: vec![],
            curves: vec![],
            operations: vec![],
            result: 0,
            calls: Vec::new(),
        };
        let mut place = vec![0; self.contents.len()];
        for (k, content) in live() {
            if let Content::Constant(bits) = content {
                place[k] = program.constants.len() as Register;
                program.constants.push(f64::from_bits(*bits));
            }
        }
        for (k, content) in live() {
            if let Content::Leaf(leaf) = content {
                place[k] = (program.constants.len() + program.leaves.len()) as Register;
                program.leaves.push(*leaf);
            }
        }
        for (k, content) in live() {
            if let Content::Operation(operation) = content {
                place[k] = program.registers() as Register;
                program
                    .operations
                    .push(operation.map(|operand| place[operand as usize]));
            }
        }
        program.calls = self.calls(&needed, &place, result);
        program.curves = self.curves;
        program.result = place[result as usize];
        Some(program)
    }
}

impl Builder {
    /// A function of the library; `None` if the number of arguments does not fit.
    pub(super) fn function(&mut self, rule: Rule, arguments: &[Register]) -> Option<Register> {
        use Binary::{Max, Subtract};
        let register = match (rule, arguments) {
            (Rule::Unary(op), &[x]) => self.unary(op, x),
            (Rule::Binary(op), &[first, ref rest @ ..]) => rest
                .iter()
                .fold(first, |value, &next| self.binary(op, value, next)),
            (Rule::Dim, &[a, b]) => {
                let zero = self.constant(0.0);
                let difference = self.binary(Subtract, a, b);
                self.binary(Max, difference, zero)
            }
            (Rule::If, &[e, a, b, c]) => self.select(e, [a, b, c]),
            (Rule::Step(profile), &[x, x0, h0, x1, h1]) => self.step(profile, x, [x0, h0, x1, h1]),
            (Rule::Shf, &[x, x0, a, w, ref rest @ ..]) => {
                let zero = self.constant(0.0);
                let phi = rest.first().copied().unwrap_or(zero);
                let b = rest.get(1).copied().unwrap_or(zero);
                self.shf([x, x0, a, w, phi, b])
            }
            (Rule::Poly, &[x, x0, ref coefficients @ ..]) => {
                let t = self.binary(Subtract, x, x0);
                self.poly(t, coefficients)
            }
            (Rule::Cheby, &[x, x0, ref coefficients @ ..]) => {
                let t = self.binary(Subtract, x, x0);
                self.cheby(t, coefficients)
            }
            (Rule::Fourier(op), &[x, x0, w, a0, ref coefficients @ ..]) => {
                let t = self.binary(Subtract, x, x0);
                let angle = self.binary(Binary::Multiply, w, t);
                self.fourier(op, angle, a0, coefficients)
            }
            (Rule::Sweep, &[x, a, x0, f0, x1, f1, dx]) => self.sweep(x, a, [x0, f0, x1, f1, dx]),
            (Rule::Impact, &[x, v, x1, k, e, c, d]) => {
                let start = self.binary(Subtract, x1, d);
                let depth = self.binary(Subtract, x1, x);
                let zero = self.constant(0.0);
                let damping = self.step(Unary::Smooth3, x, [start, c, x1, zero]);
                let drag = self.binary(Binary::Multiply, damping, v);
                self.contact(depth, k, e, drag)
            }
            (Rule::Bistop, &[x, v, x1, x2, k, e, c, d]) => {
                let low = self.function(Rule::Impact, &[x, v, x1, k, e, c, d])?;
                let end = self.binary(Binary::Add, x2, d);
                let depth = self.binary(Subtract, x, x2);
                let zero = self.constant(0.0);
                let damping = self.step(Unary::Smooth3, x, [x2, zero, end, c]);
                let drag = self.binary(Binary::Multiply, damping, v);
                let drag = self.unary(Unary::Negate, drag);
                let high = self.contact(depth, k, e, drag);
                self.binary(Subtract, low, high)
            }
            _ => return None,
        };
        Some(register)
    }

    /// h0 + (h1 − h0) S(D), D = (x − x0)/(x1 − x0) limited to 0 … 1, with the profile S.
    fn step(&mut self, profile: Unary, x: Register, [x0, h0, x1, h1]: [Register; 4]) -> Register {
        let d = self.operation(Operation::Ramp([x, x0, x1]));
        let s = self.unary(profile, d);
        self.operation(Operation::Blend([h0, h1, s]))
    }

    /// a sin(w (x − x0) − φ) + b.
    fn shf(&mut self, [x, x0, a, w, phi, b]: [Register; 6]) -> Register {
        let t = self.binary(Binary::Subtract, x, x0);
        let angle = self.binary(Binary::Multiply, w, t);
        let angle = self.binary(Binary::Subtract, angle, phi);
        let sine = self.unary(Unary::Sin, angle);
        let swing = self.binary(Binary::Multiply, a, sine);
        self.binary(Binary::Add, swing, b)
    }

    /// a S(x/dx) sin 2πφ with (EXP-1).
    fn sweep(&mut self, x: Register, a: Register, [x0, f0, x1, f1, dx]: [Register; 5]) -> Register {
        use Binary::{Add, Max, Multiply, Subtract};
        let (zero, half) = (self.constant(0.0), self.constant(0.5));
        let (one, turn) = (self.constant(1.0), self.constant(TAU));
        let width = self.binary(Subtract, x1, x0);
        let d = self.operation(Operation::Ramp([x, x0, x1]));
        let square = self.binary(Multiply, d, d);
        let area = self.binary(Multiply, half, width);
        let within = self.binary(Multiply, area, square);
        let past = self.binary(Subtract, x, x1);
        let past = self.binary(Max, past, zero);
        let lead = self.binary(Add, within, past);
        let rise = self.binary(Subtract, f1, f0);
        let gained = self.binary(Multiply, rise, lead);
        let steady = self.binary(Multiply, f0, x);
        let phase = self.binary(Add, steady, gained);
        let angle = self.binary(Multiply, turn, phase);
        let wave = self.unary(Unary::Sin, angle);
        let grown = self.step(Unary::Smooth5, x, [zero, zero, dx, one]);
        let amplitude = self.binary(Multiply, a, grown);
        self.binary(Multiply, amplitude, wave)
    }

    /// Σ aⱼ tʲ by Horner's rule.
    fn poly(&mut self, t: Register, coefficients: &[Register]) -> Register {
        let zero = self.constant(0.0);
        let Some((&last, rest)) = coefficients.split_last() else {
            return zero;
        };
        rest.iter().rev().fold(last, |sum, &coefficient| {
            let product = self.binary(Binary::Multiply, sum, t);
            self.binary(Binary::Add, product, coefficient)
        })
    }

    /// Σ aⱼ Tⱼ(t) with T₀ = 1, T₁ = t, Tⱼ₊₁ = 2t Tⱼ − Tⱼ₋₁.
    fn cheby(&mut self, t: Register, coefficients: &[Register]) -> Register {
        let two = self.constant(2.0);
        let double = self.binary(Binary::Multiply, two, t);
        let mut before = self.constant(1.0);
        let mut current = t;
        let mut sum = self.constant(0.0);
        for (k, &coefficient) in coefficients.iter().enumerate() {
            if k == 0 {
                sum = coefficient;
                continue;
            }
            let term = self.binary(Binary::Multiply, coefficient, current);
            sum = self.binary(Binary::Add, sum, term);
            let risen = self.binary(Binary::Multiply, double, current);
            let next = self.binary(Binary::Subtract, risen, before);
            before = current;
            current = next;
        }
        sum
    }

    /// a₀ + Σ aⱼ f(j θ).
    fn fourier(
        &mut self,
        function: Unary,
        angle: Register,
        a0: Register,
        coefficients: &[Register],
    ) -> Register {
        let mut sum = a0;
        for (k, &coefficient) in coefficients.iter().enumerate() {
            let order = self.constant(k as f64 + 1.0);
            let multiple = self.binary(Binary::Multiply, order, angle);
            let wave = self.unary(function, multiple);
            let term = self.binary(Binary::Multiply, coefficient, wave);
            sum = self.binary(Binary::Add, sum, term);
        }
        sum
    }

    /// max(0, k depthᵉ − drag) where the depth is positive, else 0.
    fn contact(&mut self, depth: Register, k: Register, e: Register, drag: Register) -> Register {
        let zero = self.constant(0.0);
        let power = self.binary(Binary::Power, depth, e);
        let spring = self.binary(Binary::Multiply, k, power);
        let force = self.binary(Binary::Subtract, spring, drag);
        let push = self.binary(Binary::Max, force, zero);
        self.select(depth, [zero, zero, push])
    }
}

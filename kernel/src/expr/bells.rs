//! Control plane: numbers in a program around whose zeros its value may be a bell or a short ramp, and the splines of what
//! moves.

use super::ops::{Binary, Operation, Register, Unary};
use super::program::Program;
use crate::ids::LeafId;
use crate::math::spline::Curve;
use alloc::sync::Arc;
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

/// A spline that a program evaluates.
#[derive(Clone, Debug)]
pub struct Table {
    curve: Arc<Curve>,
    order: u8,
    /// The registers of its arguments and of its value.
    arguments: [Register; 2],
    value: Register,
    /// The largest value at its points.
    largest: f64,
}

/// Where a spline is evaluated, and its value there.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// x.
    pub x: f64,
    z: f64,
    /// f.
    pub value: f64,
}

impl Table {
    /// The largest value at its points.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// What is read after an evaluation into these registers.
    pub fn reading(&self, registers: &[f64]) -> Reading {
        let [x, z, value] = [self.arguments[0], self.arguments[1], self.value]
            .map(|register| registers[register as usize]);
        Reading { x, z, value }
    }

    /// The points between two readings, from the first one on, each with the value there.
    pub fn between<'a>(
        &'a self,
        a: &Reading,
        b: &Reading,
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let points = self.curve.points();
        let (low, high, z) = (a.x.min(b.x), a.x.max(b.x), a.z);
        let from = points.partition_point(|x| *x <= low);
        let to = points.partition_point(|x| *x < high).max(from);
        let backwards = b.x < a.x;
        (0..to - from).map(move |k| {
            let x = points[if backwards { to - 1 - k } else { from + k }];
            (x, self.curve.value(x, z, self.order).0)
        })
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

    /// The splines of what moves.
    pub fn tables(&self, moves: impl Fn(LeafId) -> bool) -> Vec<Table> {
        let mut moving: Vec<bool> = Vec::with_capacity(self.registers());
        moving.extend(self.constants.iter().map(|_| false));
        moving.extend(self.leaves.iter().map(|id| moves(*id)));
        let mut found = Vec::new();
        for operation in &self.operations {
            if let Operation::Curve(curve, order, arguments) = *operation
                && moving[arguments[0] as usize]
            {
                let curve = Arc::clone(&self.curves[curve as usize]);
                let values = { curve.points().iter() }.map(|x| curve.value(*x, 0.0, order).0.abs());
                let largest = values.fold(0.0, f64::max);
                found.push(Table {
                    curve,
                    order,
                    arguments,
                    value: moving.len() as Register,
                    largest,
                });
            }
            let mut any = false;
            operation.map(|register| {
                any |= moving[register as usize];
                register
            });
            moving.push(any);
        }
        found
    }
}

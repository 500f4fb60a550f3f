//! Control plane: infers the dimension of an expression from those of its leaves.
//!
//! A number in the text may have any dimension: a conversion factor, a stiffness. Nothing is therefore inferred of a
//! product with a number, and a mismatch is found only where both sides are known.

use fixstep_kernel::expr::Program;
use fixstep_kernel::expr::ops::{Binary, Operation, Register, Unary};
use fixstep_kernel::ids::LeafId;

/// Number of base units: kg, m, s, A, K, mol, cd. Angles have none.
pub const BASES: usize = 7;

/// Relative difference of factors that counts.
const SAME: f64 = 1e-9;

/// The dimension of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimension {
    /// Exponents of the base units.
    pub exponents: [i32; BASES],
    /// Base units per unit.
    pub factor: f64,
    /// A leaf that it comes from.
    pub leaf: Option<LeafId>,
}

/// Two values that are added or compared but have different dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clash {
    /// One side.
    pub left: Dimension,
    /// The other.
    pub right: Dimension,
}

impl Dimension {
    /// A plain number.
    const NUMBER: Self = Self {
        exponents: [0; BASES],
        factor: 1.0,
        leaf: None,
    };

    /// Is this the same quantity in the same unit?
    pub fn agrees(&self, other: &Self) -> bool {
        let factor = (self.factor - other.factor).abs() <= SAME * self.factor.abs();
        self.exponents == other.exponents && factor
    }

    /// Is this the result of a function such as SIN, and not a quantity without unit?
    pub fn is_number(&self) -> bool {
        *self == Self::NUMBER
    }

    /// self · otherⁿ.
    fn times(&self, other: &Self, n: i32) -> Self {
        Self {
            exponents: std::array::from_fn(|k| self.exponents[k] + n * other.exponents[k]),
            factor: self.factor * other.factor.powi(n),
            leaf: self.leaf.or(other.leaf),
        }
    }

    fn root(&self) -> Option<Self> {
        let even = self.exponents.iter().all(|n| n % 2 == 0);
        even.then(|| Self {
            exponents: self.exponents.map(|n| n / 2),
            factor: self.factor.sqrt(),
            leaf: self.leaf,
        })
    }
}

/// The dimensions of the registers found so far.
struct Inference {
    known: Vec<Option<Dimension>>,
    clashes: Vec<Clash>,
}

impl Inference {
    /// The common dimension of values that must have the same one.
    fn same(&mut self, values: &[Register]) -> Option<Dimension> {
        let mut found: Option<Dimension> = None;
        for value in values {
            let Some(next) = self.known[*value as usize] else {
                continue;
            };
            match found {
                None => found = Some(next),
                Some(first) if !first.agrees(&next) => self.clashes.push(Clash {
                    left: first,
                    right: next,
                }),
                Some(_) => {}
            }
        }
        found
    }
}

/// The dimension of the value, if it can be found, and every place where two sides differ.
pub fn infer(
    program: &Program,
    leaf: &dyn Fn(LeafId) -> Option<Dimension>,
) -> (Option<Dimension>, Vec<Clash>) {
    let mut inference = Inference {
        known: vec![None; program.constants.len()],
        clashes: Vec::new(),
    };
    for id in &program.leaves {
        let measured = leaf(*id).map(|dimension| Dimension {
            leaf: Some(*id),
            ..dimension
        });
        inference.known.push(measured);
    }
    for operation in &program.operations {
        let measured = measured(program, operation, &mut inference);
        inference.known.push(measured);
    }
    let value = inference.known.get(program.result as usize);
    (value.copied().flatten(), inference.clashes)
}

fn measured(
    program: &Program,
    operation: &Operation,
    inference: &mut Inference,
) -> Option<Dimension> {
    let known = |register: Register| inference.known[register as usize];
    match *operation {
        Operation::Unary(op, a) => match op {
            Unary::Negate | Unary::Abs | Unary::Truncate | Unary::Round => known(a),
            Unary::Sqrt => known(a)?.root(),
            _ => Some(Dimension::NUMBER),
        },
        Operation::Binary(op, a, b) => match op {
            Binary::Add | Binary::Subtract | Binary::Min | Binary::Max | Binary::Mod => {
                inference.same(&[a, b])
            }
            Binary::Sign => known(a),
            Binary::Multiply => Some(known(a)?.times(&known(b)?, 1)),
            Binary::Divide => Some(known(a)?.times(&known(b)?, -1)),
            Binary::PowerConstant => {
                let exponent = program.constants.get(b as usize)?;
                let whole = exponent.fract() == 0.0 && exponent.abs() < 10.0;
                let power = Dimension::NUMBER.times(&known(a)?, *exponent as i32);
                whole.then_some(power)
            }
            Binary::Power => None,
            Binary::Atan2 => {
                inference.same(&[a, b]);
                Some(Dimension::NUMBER)
            }
        },
        Operation::Ramp(operands) => {
            inference.same(&operands);
            Some(Dimension::NUMBER)
        }
        Operation::Blend([h0, h1, _]) => inference.same(&[h0, h1]),
        Operation::Select([_, a, b, c]) => inference.same(&[a, b, c]),
        Operation::Curve(..) => None,
    }
}

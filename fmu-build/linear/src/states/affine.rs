//! Checks whether an expression is a sum of constant multiples of what it reads.

use fixstep_kernel::expr::ops::{Binary, Operation, Register, Unary};
use fixstep_kernel::ids::{ExprId, LeafId};
use fixstep_kernel::mechanism::{Leaf, Mechanism};
use std::collections::BTreeMap;

/// c + Σ slope · leaf.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Affine {
    pub(super) constant: f64,
    pub(super) slopes: BTreeMap<LeafId, f64>,
    /// Numbers that are set at the start, and the time: allowed as terms, but not as factors.
    open: bool,
}

impl Affine {
    fn constant(constant: f64) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }

    fn times(mut self, factor: f64) -> Self {
        self.constant *= factor;
        for slope in self.slopes.values_mut() {
            *slope *= factor;
        }
        self
    }

    fn plus(mut self, other: &Self) -> Self {
        self.constant += other.constant;
        self.open |= other.open;
        for (leaf, slope) in &other.slopes {
            *self.slopes.entry(*leaf).or_default() += slope;
        }
        self
    }

    fn number(&self) -> Option<f64> {
        (self.slopes.is_empty() && !self.open).then_some(self.constant)
    }
}

/// The sum that an expression is, through variables as well; otherwise, a description of what it reads instead.
pub(super) fn of_program(mechanism: &Mechanism, expr: ExprId) -> Result<Affine, String> {
    let program = &mechanism.expressions[expr.index()];
    let constants = program.constants.iter().map(|x| Ok(Affine::constant(*x)));
    let leaves = program.leaves.iter().map(|leaf| of_leaf(mechanism, *leaf));
    let mut registers: Vec<Affine> = constants.chain(leaves).collect::<Result<_, String>>()?;
    for operation in &program.operations {
        let at = |register: Register| registers[register as usize].clone();
        let curved = || String::from("a function that is not linear");
        let value = match *operation {
            Operation::Unary(Unary::Negate, a) => at(a).times(-1.0),
            Operation::Binary(Binary::Add, a, b) => at(a).plus(&at(b)),
            Operation::Binary(Binary::Subtract, a, b) => at(a).plus(&at(b).times(-1.0)),
            Operation::Binary(Binary::Multiply, a, b) => match (at(a).number(), at(b).number()) {
                (Some(factor), _) => at(b).times(factor),
                (_, Some(factor)) => at(a).times(factor),
                _ => return Err(String::from("a product of two things that change")),
            },
            Operation::Binary(Binary::Divide, a, b) => {
                let by = at(b).number().ok_or_else(curved)?;
                at(a).times(1.0 / by)
            }
            _ => return Err(curved()),
        };
        registers.push(value);
    }
    let mut value = registers[program.result as usize].clone();
    value.slopes.retain(|_, slope| *slope != 0.0);
    Ok(value)
}

fn of_leaf(mechanism: &Mechanism, leaf: LeafId) -> Result<Affine, String> {
    match &mechanism.leaves[leaf.index()] {
        Leaf::Variable(v) => of_program(mechanism, mechanism.variables[v.index()].expr),
        Leaf::Parameter(_) => Ok(Affine {
            open: true,
            ..Affine::default()
        }),
        of @ Leaf::Kinematic { .. } if super::rates_of(of).is_some() => {
            let slopes = BTreeMap::from([(leaf, 1.0)]);
            Ok(Affine {
                slopes,
                ..Affine::default()
            })
        }
        other => Err(words(other).to_owned()),
    }
}

/// A description of a leaf.
pub(super) fn words(leaf: &Leaf) -> &'static str {
    match leaf {
        Leaf::Time { .. } => "the time",
        Leaf::Input(_) => "an input",
        Leaf::State(_) | Leaf::StateRate(_) => "the state of a differential equation",
        Leaf::Kinematic { .. } => "a measure whose rates are not measures",
        Leaf::Reaction { .. } | Leaf::Multiplier { .. } => "a force",
        Leaf::Energy { .. } => "an energy or a power",
        _ => "neither a displacement nor an angle between markers",
    }
}

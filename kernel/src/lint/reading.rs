//! Control plane: what expressions read, directly and through variables.

use crate::ids::{ExprId, LeafId};
use crate::mechanism::{Leaf, Mechanism};
use alloc::vec;
use alloc::vec::Vec;

/// An expression that an evaluation reaches, and the variable through which it is read.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'a> {
    /// The expression.
    pub expr: ExprId,
    /// The variable; `None` for the root expression.
    pub variable: Option<&'a str>,
}

/// An expression, and those of the variables that it reads.
pub fn reached(mechanism: &Mechanism, root: ExprId) -> Vec<Reached<'_>> {
    let mut found = vec![Reached {
        expr: root,
        variable: None,
    }];
    let mut next = 0;
    while let Some(reached) = found.get(next) {
        for leaf in mechanism.expressions[reached.expr.index()].leaves() {
            if let Leaf::Variable(v) = mechanism.leaves[leaf.index()] {
                let variable = &mechanism.variables[v.index()];
                if found.iter().all(|known| known.expr != variable.expr) {
                    found.push(Reached {
                        expr: variable.expr,
                        variable: Some(&variable.quantity.name),
                    });
                }
            }
        }
        next += 1;
    }
    found
}

/// Does any of the leaves satisfy a condition, or any leaf of the variables among them?
pub fn any(mechanism: &Mechanism, leaves: &[LeafId], is: &dyn Fn(&Leaf) -> bool) -> bool {
    leaves
        .iter()
        .any(|leaf| match &mechanism.leaves[leaf.index()] {
            Leaf::Variable(v) => {
                let expr = mechanism.variables[v.index()].expr;
                any(mechanism, mechanism.expressions[expr.index()].leaves(), is)
            }
            leaf => is(leaf),
        })
}

/// Does a leaf change during a run?
pub fn changes(leaf: &Leaf) -> bool {
    !matches!(leaf, Leaf::Parameter(_))
}

/// Is a leaf a velocity?
pub fn is_velocity(leaf: &Leaf) -> bool {
    matches!(leaf, Leaf::Kinematic { measure, .. } if measure.order() == 1)
}

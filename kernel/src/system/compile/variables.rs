//! Control plane: the variables that an expression needs.

use crate::ids::{ExprId, LeafId};
use crate::mechanism::{Leaf, Mechanism};
use alloc::vec;
use alloc::vec::Vec;

/// Variables that an expression needs, in order of evaluation, each with the leaves that stand for it.
pub fn variables_of(mechanism: &Mechanism, roots: &[ExprId]) -> Vec<(ExprId, Vec<LeafId>)> {
    let mut needed = vec![false; mechanism.variables.len()];
    let mark = |expr: ExprId, needed: &mut Vec<bool>| {
        for leaf in mechanism.expressions[expr.index()].leaves() {
            if let Leaf::Variable(v) = mechanism.leaves[leaf.index()] {
                needed[v.index()] = true;
            }
        }
    };
    for root in roots {
        mark(*root, &mut needed);
    }
    for v in (0..mechanism.variables.len()).rev() {
        if needed[v] {
            mark(mechanism.variables[v].expr, &mut needed);
        }
    }
    let leaves_of = |v: usize| {
        let stands = |leaf: &Leaf| matches!(leaf, Leaf::Variable(w) if w.index() == v);
        let all = mechanism
            .leaves
            .iter()
            .enumerate()
            .filter(|(_, leaf)| stands(leaf));
        all.map(|(k, _)| LeafId::from(k)).collect()
    };
    (0..mechanism.variables.len())
        .filter(|v| needed[*v])
        .map(|v| (mechanism.variables[v].expr, leaves_of(v)))
        .collect()
}

/// Those that motions need.
pub(super) fn of_motions(mechanism: &Mechanism) -> Vec<(ExprId, Vec<LeafId>)> {
    let functions: Vec<_> = mechanism.motions.iter().map(|m| m.function.expr).collect();
    variables_of(mechanism, &functions)
}

//! Control plane: a mechanism whose inputs are states, and whose outputs are equations.

use crate::expr::Program;
use crate::ids::{EquationId, ExprId, InputId, LeafId};
use crate::mechanism::{Equation, Law, Leaf, Mechanism, ScaledExpr, Shown, StateStart};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// The mechanism with a state in the place of each input that something reads, and the leaves that were
/// inputs, in the order of these states, which stand behind all others. The rates of the states are zero.
///
/// The tangents by states are then those by inputs as well, through every element that reads an expression.
/// Motions, general constraints and gravity have no tangents by states: what they make of inputs is the
/// caller's.
pub fn inputs_as_states(mechanism: &Mechanism) -> (Mechanism, Vec<(LeafId, InputId)>) {
    let mut freed = mechanism.clone();
    let mut leaves = Vec::new();
    freed.expressions.push(Program::constant(0.0));
    let rate = ScaledExpr {
        expr: ExprId::from(mechanism.expressions.len()),
        to_si: 1.0,
    };
    for (at, leaf) in freed.leaves.iter_mut().enumerate() {
        let Leaf::Input(input) = *leaf else { continue };
        *leaf = Leaf::State(EquationId::from(freed.equations.len()));
        leaves.push((LeafId::from(at), input));
        freed.equations.push(Equation {
            label: String::new(),
            kind: Cow::Borrowed("input"),
            field: Cow::Borrowed("derivative"),
            quantity: mechanism.inputs[input.index()].quantity.clone(),
            shown: Shown::Hidden,
            law: Law::Rate {
                derivative: rate,
                unknown: None,
            },
            // Any number: nobody starts this mechanism.
            initial: mechanism.gravity.numbers[0],
            start: StateStart::Given,
            checked: Vec::new(),
        });
    }
    (freed, leaves)
}

/// Adds, behind all other equations, one for each of some outputs: 0 = y, which is not to be solved. Its row of the
/// tangents is that of the output.
pub fn outputs_as_equations(mechanism: &Mechanism, outputs: &[usize], freed: &mut Mechanism) {
    for &k in outputs {
        let output = &mechanism.outputs[k];
        let law = ScaledExpr {
            expr: output.expr,
            to_si: 1.0,
        };
        freed.equations.push(Equation {
            label: String::new(),
            kind: Cow::Borrowed("output"),
            field: Cow::Borrowed("expression"),
            quantity: output.quantity.clone(),
            shown: Shown::Hidden,
            law: Law::Residual(law),
            initial: mechanism.gravity.numbers[0],
            start: StateStart::Given,
            checked: Vec::new(),
        });
    }
}

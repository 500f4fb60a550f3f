//! Control plane: rewrites a mechanism so that inputs become states and outputs become equations. Its Jacobian then
//! contains all derivatives in inputs and of outputs.

use crate::expr::Program;
use crate::ids::{EquationId, ExprId, InputId, LeafId};
use crate::mechanism::{Equation, Law, Leaf, Mechanism, Quantity, ScaledExpr, Shown, StateStart};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// The mechanism with a state in place of each input that something reads. Also returns the leaves that were inputs,
/// in the order of these states, which follow all other states. Their rates are zero.
///
/// Tangents in these states are the tangents in inputs, through every element that reads an expression. Motions,
/// general constraints and gravity have no tangents in states: the caller must add their derivatives in inputs.
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
        let quantity = mechanism.inputs[input.index()].quantity.clone();
        freed
            .equations
            .push(constant(mechanism, ("input", quantity), rate));
    }
    (freed, leaves)
}

/// The same for each delayed value that something reads; it counts as an input after those of the mechanism.
pub fn delays_as_states(
    mechanism: &Mechanism,
    freed: &mut Mechanism,
    leaves: &mut Vec<(LeafId, InputId)>,
) {
    let rate = ScaledExpr {
        expr: ExprId::from(mechanism.expressions.len()),
        to_si: 1.0,
    };
    for (at, leaf) in freed.leaves.iter_mut().enumerate() {
        let Leaf::Delay(delay) = *leaf else { continue };
        *leaf = Leaf::State(EquationId::from(freed.equations.len()));
        let input = InputId::from(mechanism.inputs.len() + delay.index());
        leaves.push((LeafId::from(at), input));
        freed
            .equations
            .push(constant(mechanism, ("delay", nameless()), rate));
    }
}

/// A state that stays constant: its rate is an expression that is zero.
fn constant(
    mechanism: &Mechanism,
    (kind, quantity): (&'static str, Quantity),
    rate: ScaledExpr,
) -> Equation {
    Equation {
        label: String::new(),
        kind: Cow::Borrowed(kind),
        field: Cow::Borrowed("derivative"),
        quantity,
        shown: Shown::Hidden,
        law: Law::Rate {
            derivative: rate,
            unknown: None,
        },
        // Any number will do: this mechanism is never started.
        initial: mechanism.gravity.numbers[0],
        start: StateStart::Given,
        checked: Vec::new(),
    }
}

fn nameless() -> Quantity {
    Quantity {
        name: String::new(),
        description: String::new(),
        unit: String::new(),
        display_unit: String::new(),
        min: None,
        max: None,
        start: 0.0,
    }
}

/// Appends one equation for each of the given outputs: 0 = y, which is never solved. Its row of the tangents is that
/// of the output.
pub fn outputs_as_equations(mechanism: &Mechanism, outputs: &[usize], freed: &mut Mechanism) {
    for &k in outputs {
        let output = &mechanism.outputs[k];
        let what = (output.expr, output.quantity.clone());
        freed.equations.push(read(mechanism, what));
    }
}

/// The same for the expressions that delays read.
pub fn delayed_as_equations(mechanism: &Mechanism, freed: &mut Mechanism) {
    for delay in &mechanism.memory.delays {
        let what = (delay.value, nameless());
        freed.equations.push(read(mechanism, what));
    }
}

/// 0 = y.
fn read(mechanism: &Mechanism, (expr, quantity): (ExprId, Quantity)) -> Equation {
    Equation {
        label: String::new(),
        kind: Cow::Borrowed("output"),
        field: Cow::Borrowed("expression"),
        quantity,
        shown: Shown::Hidden,
        law: Law::Residual(ScaledExpr { expr, to_si: 1.0 }),
        initial: mechanism.gravity.numbers[0],
        start: StateStart::Given,
        checked: Vec::new(),
    }
}

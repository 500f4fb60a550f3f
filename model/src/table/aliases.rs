//! Control plane: finds outputs that are another name of an earlier output.

use crate::expr::Program;
use fixstep_kernel::ids::ExprId;
use fixstep_kernel::mechanism::{Leaf, Mechanism};
use fixstep_variables::element;
use fixstep_variables::{Slot, Variable, VariableKind};

/// Marks outputs with the same expression, unit and bounds as an earlier output: their values are the same to the
/// bit. Elements of arrays are excluded.
pub(super) fn mark(variables: &mut [Variable], model: &Mechanism) {
    let outputs: Vec<(usize, ExprId)> = variables
        .iter()
        .enumerate()
        .filter(|(_, variable)| element(&variable.name).is_none())
        .filter_map(|(at, variable)| match variable.slot {
            Slot::Output(output) => {
                Some((at, meant(model, model.outputs.get(output.index())?.expr)))
            }
            _ => None,
        })
        .collect();
    for (k, &(at, expr)) in outputs.iter().enumerate() {
        let program = program(model, expr);
        let earlier = outputs[..k].iter().find(|(other, other_expr)| {
            let same = *other_expr == expr
                || program.is_some_and(|it| self::program(model, *other_expr) == Some(it));
            same && variables[*other].alias.is_none()
                && alike(&variables[*other].kind, &variables[at].kind)
        });
        variables[at].alias = earlier.map(|(other, _)| *other as u32);
    }
}

fn program(model: &Mechanism, expr: ExprId) -> Option<&Program> {
    model.expressions.get(expr.index())
}

/// The expression of which an expression is another name, or itself.
fn meant(model: &Mechanism, expr: ExprId) -> ExprId {
    let leaf = program(model, expr).and_then(Program::leaf);
    match leaf.and_then(|leaf| model.leaves.get(leaf.index())) {
        // Variables read only earlier ones.
        Some(Leaf::Variable(id)) => match model.variables.get(id.index()) {
            Some(variable) => meant(model, variable.expr),
            None => expr,
        },
        _ => expr,
    }
}

/// The same unit and bounds; display units may differ.
fn alike(a: &VariableKind, b: &VariableKind) -> bool {
    match (a, b) {
        (
            VariableKind::Real { unit, min, max, .. },
            VariableKind::Real {
                unit: b_unit,
                min: b_min,
                max: b_max,
                ..
            },
        ) => (unit, min, max) == (b_unit, b_min, b_max),
        _ => false,
    }
}

//! Control plane: restricts energies, powers and largest deformations to outputs; forces, derivatives and gravity
//! cannot read them.

use super::builder::Builder;
use crate::errors::At;
use crate::schema::Document;
use fixstep_kernel::ids::ExprId;
use fixstep_kernel::mechanism::{Equation, Force, Leaf, NamedExpr};

/// Reports forces and derivatives that read them, also through variables.
pub(super) fn check(
    b: &mut Builder<'_>,
    document: &Document,
    forces: &[Option<Force>],
    equations: &[Option<Equation>],
    variables: Option<&[NamedExpr]>,
) {
    let mut fields: Vec<(At, ExprId)> = Vec::new();
    for (item, force) in document.forces.0.iter().zip(forces) {
        for (field, scaled) in force.iter().flat_map(|f| f.kind.expressions()) {
            fields.push((item.at.field(field), scaled.expr));
        }
    }
    for equation in equations.iter().flatten() {
        let at = place(document, equation).field(&equation.field);
        fields.push((at, equation.law.expression().expr));
    }
    for (at, expr) in fields {
        if reads_energy(b, expr, variables.unwrap_or_default()) {
            b.report.add(
                &at,
                "KE, PE, SE, POWER, DISSIPATION and DEFORMATION are for outputs: forces and derivatives \
                 cannot read them",
            );
        }
    }
}

/// The place of an equation's element in the file.
fn place(document: &Document, equation: &Equation) -> At {
    let name = Some(equation.quantity.name.as_str());
    let equations = document.differential_equations.0.iter();
    let equations = equations.map(|item| (item.name.as_deref(), &item.at));
    let variables = document.variables.0.iter();
    let variables = variables.map(|item| (item.name.as_deref(), &item.at));
    let found = match equation.kind.as_ref() {
        "differential equation" => equations.clone().find(|item| item.0 == name),
        "variable" => variables.clone().find(|item| item.0 == name),
        _ => None,
    };
    found.map_or_else(
        || At::default().named(&equation.kind, name),
        |item| item.1.clone(),
    )
}

/// Does an expression read one, also through variables?
fn reads_energy(b: &Builder<'_>, root: ExprId, variables: &[NamedExpr]) -> bool {
    let mut open = vec![root];
    let mut known = vec![root];
    while let Some(expr) = open.pop() {
        for leaf in b.leaves_of(expr) {
            match leaf {
                Leaf::Energy { .. } | Leaf::Deformation { .. } => return true,
                Leaf::Variable(file) => {
                    let place = b.places.get(file.index());
                    let read = place.and_then(|place| variables.get(place.index()));
                    if let Some(read) = read.filter(|read| !known.contains(&read.expr)) {
                        known.push(read.expr);
                        open.push(read.expr);
                    }
                }
                _ => {}
            }
        }
    }
    false
}

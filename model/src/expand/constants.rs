//! Control plane: named constants of a model.

use super::eval::{self, Scope, Value};
use super::order::order;
use super::{Context, parameters};
use crate::errors::{At, quote};
use crate::measure;
use crate::text::{Field, Kind, Node};

/// The constants of a model. Each can read all others.
pub(super) fn read(node: Option<Node>, context: &mut Context<'_>) -> Scope {
    let mut scope = Scope::default();
    let Some(node) = node else { return scope };
    let at = At::default().field("constants").marked(node.mark);
    let Some(fields) = node.as_object() else {
        context.report.add(
            &at,
            "expected an object of names and values: {\"wheelbase\": \"2.7 m\"}",
        );
        return scope;
    };
    let named: Vec<(&str, Option<&Node>)> = fields
        .iter()
        .map(|field| (field.key.as_str(), Some(&field.node)))
        .collect();
    let (order, circle) = order(&named, &|_| false);
    if let Some(first) = circle.first() {
        let words: Vec<&str> = circle.iter().map(|k| fields[*k].key.as_str()).collect();
        let message = format!(
            "the constant {} follows from itself: {}",
            quote(words[0]),
            words.join(" reads ")
        );
        context.report.add(&place(&fields[*first]), message);
    }
    for k in order {
        let field = &fields[k];
        let before = context.report.count();
        let value =
            parameters::name_fault(&field.key).map_or_else(|| one(field, &scope, context), Err);
        match value {
            Ok(Some(value)) => scope.set(&field.key, value),
            Err(message) if context.report.count() == before => {
                context.report.add(&place(field), message);
            }
            Ok(None) | Err(_) => {}
        }
    }
    scope
}

fn place(field: &Field) -> At {
    At::default()
        .field("constants")
        .field(&field.key)
        .marked(field.node.mark)
}

/// The value of a constant; `None`: a problem is reported.
fn one(field: &Field, scope: &Scope, context: &mut Context<'_>) -> Result<Option<Value>, String> {
    let before = context.report.count();
    let mut node = field.node.clone();
    eval::substitute(&mut node, scope, &place(field), context);
    if context.report.count() > before {
        return Ok(None);
    }
    let of = || format!("the constant {}", quote(&field.key));
    if matches!(node.value, Kind::Null | Kind::Object(_)) {
        return Err(format!(
            "{} is a number, a text, true or false, or a list of these; found {}",
            of(),
            node.to_value()
        ));
    }
    if let Some(doubt) = node.as_str().and_then(measure::doubt) {
        return Err(format!("{}: {doubt}", of()));
    }
    let (number, measure) = parameters::number(&node, None, &context.units)
        .map_err(|message| format!("{}: {message}", of()))?;
    Ok(Some(Value {
        node,
        number,
        measure,
    }))
}

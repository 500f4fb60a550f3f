//! Control plane: named constants of a model.

use super::eval::{self, Scope, Value};
use super::{Context, parameters};
use crate::errors::{At, quote};
use crate::text::Node;

/// The constants of a model, in their order; each can read those before it.
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
    for field in fields {
        let at = At::default()
            .field("constants")
            .field(&field.key)
            .marked(field.node.mark);
        if let Some(fault) = parameters::name_fault(&field.key) {
            context.report.add(&at, fault);
            continue;
        }
        let mut node = field.node.clone();
        eval::substitute(&mut node, &scope, context);
        match parameters::number(&node, None, &context.units) {
            Ok(number) => {
                let angle = parameters::is_angle(&node, None);
                let value = Value {
                    node,
                    number,
                    angle,
                };
                scope.set(&field.key, value);
            }
            Err(message) => {
                let message = format!("the constant {}: {message}", quote(&field.key));
                context.report.add(&at, message);
            }
        }
    }
    scope
}

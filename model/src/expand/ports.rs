//! Control plane: what the instances of a template connect to its ports.

use super::Context;
use super::body::{Body, Taken, is_name};
use super::template::{Template, has_no};
use crate::errors::{At, quote};
use crate::measure::{self, Reading};
use crate::text::{Field, Kind, Node, Powers};
use fixstep_kernel::mechanism::UnitSystem;
use serde_json::Number;
use std::collections::BTreeMap;

/// What stands for each port: a name, or the text of an expression.
pub(super) fn connected(
    (given, instance): (Option<&Node>, &At),
    template: &Template,
    all: &mut Body,
    context: &mut Context<'_>,
) -> BTreeMap<String, String> {
    let place = instance.field("ports");
    if let Some(given) = given.filter(|given| given.as_object().is_none()) {
        let at = place.clone().marked(given.mark);
        let message =
            "expected an object of names and what they are connected to: {\"frame\": \"body\"}";
        context.report.add(&at, message);
    }
    let fields = given.and_then(Node::as_object).unwrap_or(&[]);
    check_names(fields, template, &place, context);
    let mut ports = BTreeMap::new();
    for port in &template.ports {
        let Some(field) = fields.iter().find(|field| field.key == port.name) else {
            let message = format!(
                "the port {} of the template {} is open: give a {} in \"ports\"",
                quote(&port.name),
                quote(&template.name),
                port.kind.replace('_', " ")
            );
            context.report.add(instance, message);
            continue;
        };
        let at = place.field(&port.name).marked(field.node.mark);
        let text = match text(&field.node, port.kind, &context.units) {
            Ok(text) => text,
            Err(message) => {
                context.report.add(&at, message);
                continue;
            }
        };
        all.add_taken(Taken {
            kind: port.kind,
            name: text.clone(),
            at,
        });
        let expression = port.kind == "signal" && !is_name(&text);
        let text = if expression {
            format!("({text})")
        } else {
            text
        };
        ports.insert(port.name.clone(), text);
    }
    ports
}

/// Reports ports that the template does not have.
fn check_names(fields: &[Field], template: &Template, place: &At, context: &mut Context<'_>) {
    let names = || template.ports.iter().map(|port| port.name.as_str());
    for field in fields {
        if names().any(|name| name == field.key) {
            continue;
        }
        let at = place.field(&field.key).marked(field.node.mark);
        let message = has_no(&template.name, ("port", &field.key), names);
        context.report.add(&at, message);
    }
}

/// The text that is connected to a port of a kind, or why it cannot be.
fn text(node: &Node, kind: &str, units: &UnitSystem) -> Result<String, String> {
    match &node.value {
        Kind::Text(text) if kind == "signal" && text.trim_start().starts_with('=') => Err(format!(
            "a signal is an expression without \"=\" before it; found {}",
            quote(text)
        )),
        Kind::Text(text)
            if kind == "signal" && matches!(measure::read(text), Reading::Quantity(_)) =>
        {
            Err(format!(
                "a signal is an expression, whose numbers have no units; found {}",
                quote(text)
            ))
        }
        Kind::Text(text) => Ok(text.clone()),
        Kind::Number(number) if kind == "signal" => Ok(signal(number, node.of, units)),
        _ => Err(format!(
            "expected the name of a {kind}, found {}",
            node.to_value()
        )),
    }
}

/// A number as an expression counts it: an angle in degrees has the suffix D.
fn signal(number: &Number, of: Option<Powers>, units: &UnitSystem) -> String {
    let turns = of.filter(|powers| !powers.radians && units.angle.factor != 1.0);
    match turns.map_or(0, |powers| powers.exponents[3]) {
        0 => number.to_string(),
        1 => format!("{number}D"),
        n => {
            let value = number.as_f64().unwrap_or_default();
            (value * units.angle.factor.powi(i32::from(n))).to_string()
        }
    }
}

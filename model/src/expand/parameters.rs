//! Control plane: parameters of templates: their declarations, and the values that instances give.

use super::eval::{Scope, Value};
use super::template::has_no;
use super::{Context, eval};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::measure::{self, Dimensions, Reading};
use crate::text::{Kind, Node};
use fixstep_kernel::mechanism::UnitSystem;
use fixstep_variables::units::{UnitDefinition, parse_unit};

/// Names that mean something else in `${…}`.
const TAKEN: [&str; 3] = ["side", "index", "count"];

/// A declared parameter of a template.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// `None`: every instance must give it.
    pub(crate) default: Option<Node>,
    pub(crate) unit: Option<UnitDefinition>,
    /// The values that are valid; empty: all.
    pub(crate) values: Vec<Node>,
    pub(crate) description: String,
    /// Is it the path of a file?
    pub(crate) file: bool,
}

/// Why a name cannot stand in `${…}`.
pub(super) fn name_fault(name: &str) -> Option<String> {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.starts_with(first) || !name.chars().all(rest) {
        return Some(format!(
            "{} is no name for a value; valid: letters, digits and _, a letter first",
            quote(name)
        ));
    }
    if TAKEN.contains(&name) {
        return Some(format!(
            "{} has its meaning already: {} are there without being declared",
            quote(name),
            quote_all(TAKEN)
        ));
    }
    let constant = crate::expr::CONSTANTS
        .iter()
        .any(|(constant, ..)| constant.eq_ignore_ascii_case(name));
    constant.then(|| {
        format!(
            "{} is a constant of expressions; take another name",
            quote(name)
        )
    })
}

/// Reads the declarations of a template.
pub(super) fn declared(node: &Node, of: &At, context: &mut Context<'_>) -> Vec<Parameter> {
    let Some(fields) = node.as_object() else {
        let at = of.clone().field("parameters").marked(node.mark);
        context.report.add(
            &at,
            "expected an object of names and default values: {\"length\": \"300 mm\"}",
        );
        return Vec::new();
    };
    let mut all = Vec::new();
    for field in fields {
        let at = of
            .clone()
            .field("parameters")
            .field(&field.key)
            .marked(field.node.mark);
        if let Some(fault) = name_fault(&field.key) {
            context.report.add(&at, fault);
            continue;
        }
        all.push(one(&field.key, &field.node, &at, context));
    }
    all
}

fn one(name: &str, node: &Node, at: &At, context: &mut Context<'_>) -> Parameter {
    const KNOWN: [&str; 5] = ["default", "unit", "values", "file", "description"];
    let mut parameter = Parameter {
        name: name.to_owned(),
        default: None,
        unit: None,
        values: Vec::new(),
        description: String::new(),
        file: false,
    };
    let Some(fields) = node.as_object() else {
        parameter.default = (node.value != Kind::Null).then(|| node.clone());
        return parameter;
    };
    for field in fields {
        let at = at.field(&field.key).marked(field.node.mark);
        match field.key.as_str() {
            "default" => parameter.default = Some(field.node.clone()),
            "unit" => match parse_unit(field.node.as_str().unwrap_or_default()) {
                Ok(unit) => parameter.unit = Some(unit),
                Err(error) => context.report.add(&at, error.to_string()),
            },
            "values" => parameter.values = field.node.as_list().unwrap_or(&[]).to_vec(),
            "file" => match field.node.value {
                Kind::Bool(is) => parameter.file = is,
                _ => context.report.add(&at, "expected true or false"),
            },
            "description" => {
                let words = field.node.as_str().unwrap_or_default();
                words.clone_into(&mut parameter.description);
            }
            other => {
                let message = format!(
                    "unknown field {}{}; valid here: {}",
                    quote(other),
                    hint(other, KNOWN),
                    KNOWN.join(", ")
                );
                context.report.add(&at, message);
            }
        }
    }
    parameter
}

/// The number of a value in the units of the file: a number counts in `unit`, if there is one; `None`: it is no number.
pub(super) fn number(
    node: &Node,
    unit: Option<&UnitDefinition>,
    units: &UnitSystem,
) -> Result<Option<f64>, String> {
    let to_file = |value: f64, own: &UnitDefinition| {
        let dimensions = Dimensions::of(own);
        let quantity = measure::Quantity {
            value,
            unit: own.clone(),
        };
        measure::convert(&quantity, dimensions.guess(units), dimensions.angle != 0)
    };
    if let Some(value) = node.as_f64() {
        return Ok(Some(unit.map_or(value, |unit| to_file(value, unit))));
    }
    match node.as_str().map(measure::read) {
        Some(Reading::Quantity(quantity)) => {
            let fits =
                unit.is_none_or(|unit| Dimensions::of(unit) == Dimensions::of(&quantity.unit));
            if !fits {
                return Err(format!(
                    "the unit {} does not fit; units that fit are those like {}",
                    quote(&quantity.unit.name),
                    quote(unit.map_or("", |unit| &unit.name))
                ));
            }
            Ok(Some(to_file(quantity.value, &quantity.unit)))
        }
        Some(Reading::Unknown(reason)) => Err(format!(
            "{} is no number with a unit: {reason}",
            quote(node.as_str().unwrap_or_default())
        )),
        _ => Ok(None),
    }
}

/// Is a value an angle, by its unit?
pub(super) fn is_angle(node: &Node, unit: Option<&UnitDefinition>) -> bool {
    let is = |unit: &UnitDefinition| Dimensions::of(unit).is_angle();
    match node.as_str().map(measure::read) {
        Some(Reading::Quantity(quantity)) => is(&quantity.unit),
        _ => unit.is_some_and(is),
    }
}

/// Sets the parameters of an instance: the values that it gives, the defaults of the others.
pub(super) fn set(
    scope: &mut Scope,
    declared: &[Parameter],
    (given, template, at): (Option<&Node>, &str, &At),
    context: &mut Context<'_>,
) {
    let names = || declared.iter().map(|parameter| parameter.name.as_str());
    let given_fields = given.and_then(Node::as_object).unwrap_or(&[]);
    if let Some(given) = given.filter(|given| given.as_object().is_none()) {
        let at = at.clone().field("parameters").marked(given.mark);
        context.report.add(
            &at,
            "expected an object of names and values: {\"length\": \"300 mm\"}",
        );
    }
    for field in given_fields {
        if !names().any(|name| name == field.key) {
            let at = at
                .clone()
                .field("parameters")
                .field(&field.key)
                .marked(field.node.mark);
            let message = has_no(template, ("parameter", &field.key), &names);
            context.report.add(&at, message);
        }
    }
    for parameter in declared {
        let own = given_fields
            .iter()
            .find(|field| field.key == parameter.name);
        let Some(node) = own.map(|field| &field.node).or(parameter.default.as_ref()) else {
            let message = format!(
                "the parameter {} of the template {} has no default: give it in \"parameters\"",
                quote(&parameter.name),
                quote(template)
            );
            context.report.add(at, message);
            continue;
        };
        let mut node = node.clone();
        eval::substitute(&mut node, scope, context);
        let at = at
            .clone()
            .field("parameters")
            .field(&parameter.name)
            .marked(node.mark);
        match valued(parameter, node, context) {
            Ok(value) => scope.set(&parameter.name, value),
            Err(message) => context.report.add(&at, message),
        }
    }
}

fn valued(parameter: &Parameter, mut node: Node, context: &Context<'_>) -> Result<Value, String> {
    let number = number(&node, parameter.unit.as_ref(), &context.units)?;
    if parameter.unit.is_some() && number.is_none() && node.as_list().is_none() {
        return Err(format!(
            "the parameter {} is a number, as it has a unit; found {}",
            quote(&parameter.name),
            node.to_value()
        ));
    }
    if let (Some(unit), Kind::Number(value)) = (&parameter.unit, &node.value) {
        // With its unit, so that the field that takes it can check it.
        node.value = Kind::Text(format!("{value} {}", unit.name));
    }
    let same = |valid: &&Node| match (
        number,
        self::number(valid, parameter.unit.as_ref(), &context.units),
    ) {
        (Some(a), Ok(Some(b))) => a == b,
        _ => valid.value == node.value,
    };
    if !parameter.values.is_empty() && !parameter.values.iter().any(|valid| same(&valid)) {
        let valid: Vec<String> = parameter
            .values
            .iter()
            .map(|v| v.to_value().to_string())
            .collect();
        return Err(format!(
            "{} is no value of the parameter {}; valid: {}",
            node.to_value(),
            quote(&parameter.name),
            valid.join(", ")
        ));
    }
    let angle = is_angle(&node, parameter.unit.as_ref());
    Ok(Value {
        node,
        number,
        angle,
    })
}

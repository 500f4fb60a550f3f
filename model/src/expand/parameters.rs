//! Control plane: parameters of templates: their declarations, and the values that instances give.

use super::eval::{Scope, Value, measure_of};
use super::order::order;
use super::template::has_no;
use super::{Context, eval};
use crate::errors::{At, quote, quote_all};
use crate::expr::Measure;
use crate::expr::suggest::hint;
use crate::measure::{self, Dimensions, Reading};
use crate::text::{Kind, Mark, Node, Powers};
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
    /// Its place.
    pub(crate) mark: Mark,
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
    known(name)
}

/// Why a name is that of something that expressions always know.
pub(super) fn known(name: &str) -> Option<String> {
    let constants = crate::expr::CONSTANTS
        .iter()
        .map(|(constant, ..)| *constant);
    let mut always = constants.chain(["TIME"]);
    always
        .find(|word| word.eq_ignore_ascii_case(name))
        .map(|word| {
            format!(
                "{} is {word} of expressions; take another name",
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
        mark: node.mark,
        file: false,
    };
    let Some(fields) = node.as_object() else {
        parameter.default = (node.value != Kind::Null).then(|| node.clone());
        return parameter;
    };
    for field in fields {
        let at = at.field(&field.key).marked(field.node.mark);
        match field.key.as_str() {
            "default" => {
                let given = (field.node.value != Kind::Null).then(|| field.node.clone());
                parameter.default = given;
            }
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

/// The number of a value in the units of the file, and what it measures. A number that was not computed of quantities counts
/// in `unit`, if there is one. `None`: it is no number.
pub(super) fn number(
    node: &Node,
    unit: Option<&UnitDefinition>,
    units: &UnitSystem,
) -> Result<(Option<f64>, Measure), String> {
    let to_file = |value: f64, own: &UnitDefinition| {
        let dimensions = Dimensions::of(own);
        let quantity = measure::Quantity {
            value,
            unit: own.clone(),
        };
        let value = measure::convert(&quantity, dimensions.guess(units), dimensions.angle != 0);
        (Some(value), measure_of(Some(dimensions), true))
    };
    if let Some(value) = node.as_f64() {
        return match (node.of, unit) {
            (Some(powers), None) if powers.radians => {
                Ok((Some(value), Measure::Radians { sure: powers.sure }))
            }
            (Some(powers), Some(unit)) if powers.radians => Ok(to_file(plain(value, unit), unit)),
            (Some(powers), Some(unit)) => computed(value, powers, unit, units),
            (Some(powers), None) => {
                let dimensions = Dimensions::of_powers(powers);
                Ok((Some(value), measure_of(Some(dimensions), powers.sure)))
            }
            (None, Some(unit)) => Ok(to_file(value, unit)),
            (None, None) => Ok((Some(value), Measure::Open)),
        };
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
            Ok(to_file(quantity.value, &quantity.unit))
        }
        Some(Reading::Unknown(reason)) => Err(format!(
            "{} is no number with a unit: {reason}",
            quote(node.as_str().unwrap_or_default())
        )),
        _ => Ok((None, Measure::Open)),
    }
}

/// A number in radians as it counts in the unit of a parameter: in that, if it is one of angle.
fn plain(value: f64, unit: &UnitDefinition) -> f64 {
    if Dimensions::of(unit).is_angle() {
        let own = value / unit.factor;
        measure::digits(own, own)
    } else {
        value
    }
}

/// A number that was computed of quantities, for a parameter with a unit: it is one of them, in the units of the file.
fn computed(
    value: f64,
    powers: Powers,
    unit: &UnitDefinition,
    units: &UnitSystem,
) -> Result<(Option<f64>, Measure), String> {
    let (own, wanted) = (Dimensions::of_powers(powers), Dimensions::of(unit));
    // Without a unit of one of its factors, it is only clear where the file counts in the unit too.
    if own.same(&wanted, units) || !powers.sure && unit.factor == wanted.guess(units) {
        return Ok((Some(value), measure_of(Some(wanted), true)));
    }
    let mut message = format!(
        "the value {value} was computed in the units of the file and is {}, but the parameter has the unit {}",
        own.guessed().words(),
        quote(&unit.name)
    );
    if !powers.sure {
        message.push_str(
            "; a number without unit is among what it was computed of: give that its unit",
        );
    }
    Err(message)
}

/// Reports values that an instance gives and its template does not know.
fn check_given(
    declared: &[Parameter],
    (given, template, at): (Option<&Node>, &str, &At),
    context: &mut Context<'_>,
) {
    let names = || declared.iter().map(|parameter| parameter.name.as_str());
    let Some(given) = given else { return };
    let at = at.field("parameters");
    let Some(fields) = given.as_object() else {
        context.report.add(
            &at.marked(given.mark),
            "expected an object of names and values: {\"length\": \"300 mm\"}",
        );
        return;
    };
    for field in fields {
        if !names().any(|name| name == field.key) {
            let at = at.field(&field.key).marked(field.node.mark);
            let message = has_no(template, ("parameter", &field.key), names);
            context.report.add(&at, message);
        }
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
    check_given(declared, (given, template, at), context);
    let value_of = |parameter: &Parameter| {
        let own = given_fields
            .iter()
            .find(|field| field.key == parameter.name);
        own.map(|field| field.node.clone())
            .or_else(|| parameter.default.clone())
    };
    let nodes: Vec<Option<Node>> = declared.iter().map(value_of).collect();
    let named: Vec<(&str, Option<&Node>)> = names().zip(nodes.iter().map(Option::as_ref)).collect();
    let (order, circle) = order(&named, &|name| scope.get(name).is_some());
    if !circle.is_empty() {
        let words: Vec<&str> = circle.iter().map(|k| declared[*k].name.as_str()).collect();
        let message = format!(
            "the parameter {} of the template {} follows from itself: {}",
            quote(words[0]),
            quote(template),
            words.join(" reads ")
        );
        context.report.add(at, message);
    }
    let outer = scope.clone();
    for k in order {
        let parameter = &declared[k];
        let Some(node) = &nodes[k] else {
            let message = format!(
                "the parameter {} of the template {} has no default: give it in \"parameters\"",
                quote(&parameter.name),
                quote(template)
            );
            context.report.add(at, message);
            continue;
        };
        let before = context.report.count();
        let mut node = node.clone();
        let at = at.clone().field("parameters").field(&parameter.name);
        let readable = read_by(&declared[k..], scope, &outer);
        eval::substitute(&mut node, &readable, &at, context);
        if context.report.count() > before {
            continue;
        }
        let at = at.marked(node.mark);
        match valued(parameter, node, context) {
            Ok(value) => scope.set(&parameter.name, value),
            Err(message) => context.report.add(&at, message),
        }
    }
}

/// What a parameter reads: constants where itself and those behind it have their names.
fn read_by(behind: &[Parameter], scope: &Scope, outer: &Scope) -> Scope {
    let mut read = scope.clone();
    for parameter in behind {
        read.take_over(&parameter.name, outer);
    }
    read
}

/// Lets the numbers of a list count in a unit.
fn with_unit(node: &mut Node, unit: &UnitDefinition, units: &UnitSystem) -> Result<(), String> {
    if let Kind::List(items) = &mut node.value {
        for item in items {
            with_unit(item, unit, units)?;
        }
    } else {
        if number(node, Some(unit), units)?.0.is_none() {
            return Err(format!(
                "expected numbers, as the parameter has the unit {}; found {}",
                quote(&unit.name),
                node.to_value()
            ));
        }
        if node.of.is_some_and(|powers| powers.radians)
            && let Some(value) = node.as_f64()
        {
            *node = Node::number(plain(value, unit), node.mark);
        }
        if let (Kind::Number(value), None) = (&node.value, node.of) {
            // With its unit, so that the field that takes it can check it.
            node.value = Kind::Text(format!("{value} {}", unit.name));
        }
    }
    Ok(())
}

fn valued(parameter: &Parameter, mut node: Node, context: &Context<'_>) -> Result<Value, String> {
    if node.value == Kind::Null {
        return Err(format!(
            "null is no value of the parameter {}; without the entry it has its default",
            quote(&parameter.name)
        ));
    }
    if let Some(doubt) = node.as_str().and_then(measure::doubt) {
        return Err(doubt);
    }
    let unit = parameter.unit.as_ref();
    let (number, measure) = number(&node, unit, &context.units)?;
    if parameter.unit.is_some() && number.is_none() && node.as_list().is_none() {
        return Err(format!(
            "the parameter {} is a number, as it has a unit; found {}",
            quote(&parameter.name),
            node.to_value()
        ));
    }
    if let Some(unit) = unit {
        with_unit(&mut node, unit, &context.units)?;
    }
    let same = |valid: &&Node| match (number, self::number(valid, unit, &context.units)) {
        (Some(a), Ok((Some(b), _))) => a == b,
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
    Ok(Value {
        node,
        number,
        measure,
    })
}

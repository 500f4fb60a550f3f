//! Control plane: values of variables of all types, read and set by name.

use crate::errors::{Fault, Kind, refused};
use crate::variables::{Names, Start};
use fixstep::instance::Instance;
use fixstep::instance::access::Kind as Type;
use fixstep::instance::mode::{Fmi2, Rule};
use fixstep::instance::status::CallResult;
use fixstep_variables::{Enumeration, VariableKind};

/// A rule whose messages name Python's function.
pub(crate) const fn called(rule: Rule, function: &'static str) -> Rule {
    Rule { function, ..rule }
}

/// Calls a function of the instance in its mode. A refusal changes nothing, unlike one of an importer's call.
fn call(
    instance: &mut Instance,
    rule: Rule,
    body: impl FnOnce(&mut Instance, Rule) -> CallResult,
) -> Result<(), Fault> {
    let rule = called(rule, "simulation");
    let begun = instance.begin(rule);
    let done = begun.and_then(|()| body(instance, rule));
    done.map(drop).map_err(refused)
}

/// Sets a variable, or all elements of an array to one value.
pub(crate) fn set(
    instance: &mut Instance,
    names: &Names,
    name: &str,
    value: &Start,
) -> Result<(), Fault> {
    let references = names.find(name)?;
    let first = { references.first() }.and_then(|at| names.table.variables.get(*at as usize));
    let Some(variable) = first else {
        return Ok(());
    };
    match (&variable.kind, value) {
        (VariableKind::Real { .. }, Start::Real(number)) => {
            let numbers = vec![*number; references.len()];
            call(instance, Fmi2::SetReal.rule(), |own, rule| {
                own.set_real(rule, references, &numbers)
            })
        }
        (VariableKind::Real { .. }, Start::Integer(number)) => {
            set(instance, names, name, &Start::Real(*number as f64))
        }
        (VariableKind::Integer { .. }, Start::Integer(number)) => {
            call(instance, Fmi2::SetInteger.rule(), |own, rule| {
                own.set_integer(rule, &[Type::Integer], references, |_| *number)
            })
        }
        (VariableKind::Boolean { .. }, Start::Boolean(flag)) => {
            call(instance, Fmi2::SetBoolean.rule(), |own, rule| {
                own.set_boolean(rule, references, |_| *flag)
            })
        }
        (VariableKind::String { .. }, Start::Text(text)) => {
            let texts = vec![text.clone(); references.len()];
            call(instance, Fmi2::SetString.rule(), |own, rule| {
                own.set_string(rule, references, &texts)
            })
        }
        (VariableKind::Enumeration { of, .. }, value) => {
            let item = item(*of, value).ok_or_else(|| mistyped(name, &variable.kind, value))?;
            call(instance, Fmi2::SetInteger.rule(), |own, rule| {
                own.set_integer(rule, &[Type::Enumeration], references, |_| item)
            })
        }
        (kind, value) => Err(mistyped(name, kind, value)),
    }
}

/// An item of an enumeration, by its name or number.
fn item(of: Enumeration, value: &Start) -> Option<i64> {
    match value {
        Start::Text(text) => {
            let mut items = of.items().iter();
            let at = items.position(|(item, _)| item.eq_ignore_ascii_case(text))?;
            Some(at as i64 + 1)
        }
        Start::Integer(number) => Some(*number),
        Start::Real(_) | Start::Boolean(_) => None,
    }
}

/// The error for a value of another type.
fn mistyped(name: &str, kind: &VariableKind, value: &Start) -> Fault {
    let valid = match kind {
        VariableKind::Real { .. } => "a number".to_owned(),
        VariableKind::Integer { .. } => "a whole number".to_owned(),
        VariableKind::Boolean { .. } => "True or False".to_owned(),
        VariableKind::String { .. } => "a text".to_owned(),
        VariableKind::Enumeration { of, .. } => {
            let items: Vec<&str> = of.items().iter().map(|(item, _)| *item).collect();
            format!("one of {}", items.join(", "))
        }
    };
    let given = match value {
        Start::Real(number) => number.to_string(),
        Start::Integer(number) => number.to_string(),
        Start::Boolean(true) => "True".to_owned(),
        Start::Boolean(false) => "False".to_owned(),
        Start::Text(text) => format!("\"{text}\""),
    };
    Kind::General.fault(format!("variable \"{name}\" takes {valid}, not {given}"))
}

/// The value of the variable at a position.
pub(crate) fn value(instance: &mut Instance, names: &Names, at: u32) -> Result<Start, Fault> {
    let Some(variable) = names.table.variables.get(at as usize) else {
        return Ok(Start::Real(f64::NAN));
    };
    let own = [at];
    let mut found = Start::Real(f64::NAN);
    match &variable.kind {
        VariableKind::Real { .. } => call(instance, Fmi2::GetReal.rule(), |of, rule| {
            of.get_real(rule, &own, |_, value| found = Start::Real(value))
        }),
        VariableKind::Integer { .. } => call(instance, Fmi2::GetInteger.rule(), |of, rule| {
            let put = |_, value| found = Start::Integer(value);
            of.get_integer(rule, &[Type::Integer], &own, put)
        }),
        VariableKind::Enumeration { of: items, .. } => {
            call(instance, Fmi2::GetInteger.rule(), |of, rule| {
                let put = |_, value: i64| {
                    let item = items.items().get((value - 1).max(0) as usize);
                    found = Start::Text(item.map_or_else(String::new, |item| item.0.to_owned()));
                };
                of.get_integer(rule, &[Type::Enumeration], &own, put)
            })
        }
        VariableKind::Boolean { .. } => call(instance, Fmi2::GetBoolean.rule(), |of, rule| {
            of.get_boolean(rule, &own, |_, value| found = Start::Boolean(value))
        }),
        VariableKind::String { .. } => call(instance, Fmi2::GetString.rule(), |of, rule| {
            of.get_string(rule, &own, |_, text| {
                found = Start::Text(text.to_string_lossy().into_owned());
            })
        }),
    }?;
    Ok(found)
}

/// Reads real variables.
pub(crate) fn read(
    instance: &mut Instance,
    references: &[u32],
    put: impl FnMut(usize, f64),
) -> Result<(), Fault> {
    call(instance, Fmi2::GetReal.rule(), |own, rule| {
        own.get_real(rule, references, put)
    })
}

/// Sets real variables.
pub(crate) fn write(
    instance: &mut Instance,
    references: &[u32],
    values: &[f64],
) -> Result<(), Fault> {
    call(instance, Fmi2::SetReal.rule(), |own, rule| {
        own.set_real(rule, references, values)
    })
}

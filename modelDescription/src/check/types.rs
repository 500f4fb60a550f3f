//! Checks units and type definitions.

use std::collections::BTreeSet;

use fixstep_variables::units::parse_unit;

use super::interfaces::unique;
use super::{Report, Subject};
use crate::parse::{FmiVersion, TypeDefinition, Unit, read_number};
use crate::tree::Element;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let units = subject.root.children_of("UnitDefinitions");
    unique(units, "unit", report);
    for (element, unit) in units.iter().zip(&subject.description.units) {
        unique(&element.children, "display unit of this unit", report);
        check_unit(element, unit, report);
    }
    let types = subject.root.children_of("TypeDefinitions");
    unique(types, "type", report);
    for (element, definition) in types.iter().zip(&subject.description.types) {
        check_type(subject, element, definition, report);
    }
    if subject.version == FmiVersion::V2 {
        type_names(subject, types, report);
    }
}

/// FMI 2.0, section 2.2.3: a type has no variable's name.
fn type_names(subject: &Subject<'_>, types: &[Element], report: &mut Report) {
    let variables: BTreeSet<&str> = subject
        .description
        .variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    for element in types {
        if variables.contains(element.text("name").as_str()) {
            report.error(element, "name", "a variable has this name");
        }
    }
}

fn check_unit(element: &Element, unit: &Unit, report: &mut Report) {
    let Some((exponents, factor, offset)) = unit.base else {
        report.warning(
            element,
            "",
            "has no <BaseUnit>: importers cannot convert it",
        );
        return;
    };
    for scaled in element
        .children
        .iter()
        .filter(|child| matches!(child.name.as_str(), "BaseUnit" | "DisplayUnit"))
    {
        if scaled.attribute("factor").and_then(read_number) == Some(0.0) {
            report.error(scaled, "factor", "must not be 0");
        }
    }
    // Angles may count as numbers (rad left out), so only the other exponents are compared.
    if let Ok(known) = parse_unit(&unit.name) {
        let differs = known.exponents[..7] != exponents[..7]
            || (known.factor - factor).abs() > 1e-6 * known.factor
            || (known.offset - offset).abs() > 1e-6 * known.offset.abs();
        if differs {
            report.warning(
                element,
                "",
                format!(
                    "its <BaseUnit> is not what \"{}\" usually means (factor {}, offset {})",
                    unit.name, known.factor, known.offset
                ),
            );
        }
    }
}

fn check_type(
    subject: &Subject<'_>,
    element: &Element,
    definition: &TypeDefinition,
    report: &mut Report,
) {
    let body = match subject.version {
        FmiVersion::V2 => element.children.first().unwrap_or(element),
        FmiVersion::V3 => element,
    };
    let units = (definition.unit.as_str(), definition.display_unit.as_str());
    check_unit_names(subject, body, units, report);
    check_bounds(
        body,
        (definition.min.as_deref(), definition.max.as_deref()),
        report,
    );
    let (mut names, mut values) = (BTreeSet::new(), BTreeSet::new());
    for (element, item) in body.all("Item").zip(&definition.items) {
        if !names.insert(&item.name) {
            report.error(element, "name", "another item has this name");
        }
        if !values.insert(item.value) {
            report.error(element, "value", "another item has this value");
        }
    }
}

/// Unit and display unit are defined.
pub(super) fn check_unit_names(
    subject: &Subject<'_>,
    element: &Element,
    (unit, display_unit): (&str, &str),
    report: &mut Report,
) {
    if unit.is_empty() {
        if !display_unit.is_empty() {
            report.error(element, "displayUnit", "needs a unit");
        }
        return;
    }
    let Some(definition) = subject.description.units.iter().find(|it| it.name == unit) else {
        let message = format!("\"{unit}\" is not in <UnitDefinitions>");
        report.error(element, "unit", message);
        return;
    };
    let defined = definition
        .display_units
        .iter()
        .any(|it| it.name == display_unit);
    if !display_unit.is_empty() && !defined {
        let message = format!("\"{display_unit}\" is not a <DisplayUnit> of unit \"{unit}\"");
        report.error(element, "displayUnit", message);
    }
}

/// Lower below upper bound.
pub(super) fn check_bounds(
    element: &Element,
    (min, max): (Option<&str>, Option<&str>),
    report: &mut Report,
) {
    if let (Some(min), Some(max)) = (min, max)
        && less(max, min)
    {
        report.error(element, "min", format!("{min} is above max {max}"));
    }
}

/// `a < b` for numbers as written: whole ones exactly, others as floating-point numbers.
pub(super) fn less(a: &str, b: &str) -> bool {
    match (a.trim().parse::<i128>(), b.trim().parse::<i128>()) {
        (Ok(a), Ok(b)) => a < b,
        _ => match (read_number(a.trim()), read_number(b.trim())) {
            (Some(a), Some(b)) => a < b,
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_compare_exactly() {
        assert!(less("9007199254740992", "9007199254740993"));
        assert!(!less("9007199254740993", "9007199254740992"));
        assert!(less("-INF", "1e300") && !less("x", "1"));
    }
}

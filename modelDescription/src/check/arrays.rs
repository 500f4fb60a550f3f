//! Checks dimensions and the number of start values.

use std::collections::BTreeMap;

use super::{Report, Subject};
use crate::parse::{Causality, Dimension, Type, Variability, Variable};
use crate::tree::Element;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let by_reference: BTreeMap<u32, &Variable> = subject
        .description
        .variables
        .iter()
        .map(|variable| (variable.reference, variable))
        .collect();
    for (element, variable) in subject.variables() {
        if variable.is_array() {
            let size = size(element, variable, &by_reference, report);
            array_start(element, variable, size, report);
        } else if variable.start.len() > 1 {
            let message = format!("{} values for a scalar", variable.start.len());
            report.error(subject.body(element), "start", message);
        }
    }
}

/// Number of elements at the start, if every dimension is known.
fn size(
    element: &Element,
    variable: &Variable,
    by_reference: &BTreeMap<u32, &Variable>,
    report: &mut Report,
) -> Option<u64> {
    let mut size = Some(1_u64);
    let whole = element;
    for (element, dimension) in element.all("Dimension").zip(&variable.dimensions) {
        let length = match dimension {
            Dimension::Fixed(0) => {
                let message =
                    "start: is 0, but no dimension is empty at the start; valid: 1 or more";
                report.error(whole, "Dimension", message);
                None
            }
            Dimension::Fixed(length) => Some(*length),
            Dimension::Variable(reference) => {
                let parameter = by_reference.get(reference).filter(|parameter| {
                    parameter.kind == Type::UInt64
                        && (parameter.causality == Causality::StructuralParameter
                            || parameter.variability == Variability::Constant)
                });
                if parameter.is_none() {
                    let message =
                        format!("{reference} is not a structural parameter of type UInt64");
                    report.error(element, "valueReference", message);
                }
                let start = parameter
                    .and_then(|parameter| parameter.start.first())
                    .and_then(|start| start.parse().ok());
                if start == Some(0) {
                    let message = format!(
                        "valueReference: {reference} starts at 0, but no dimension is empty at the start; valid: a \
                         start of 1 or more"
                    );
                    report.error(whole, "Dimension", message);
                }
                start.filter(|start| *start > 0)
            }
        };
        size = match (size, length) {
            (Some(size), Some(length)) => size.checked_mul(length),
            _ => None,
        };
    }
    size
}

/// As many start values as elements.
fn array_start(element: &Element, variable: &Variable, size: Option<u64>, report: &mut Report) {
    let count = variable.start.len() as u64;
    let Some(size) = size else {
        return;
    };
    if count == 0 || count == size {
        return;
    }
    let message = format!("{count} values for {size} elements");
    if count == 1 {
        let message = format!("{message}: only some importers repeat a single value");
        report.warning(element, "start", message);
    } else {
        report.error(element, "start", message);
    }
}

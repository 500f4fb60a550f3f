//! Checks attributes that only some variables have: `previous`, `intermediateUpdate`, `reinit` and
//! `canHandleMultipleSetPerTimeInstant` (FMI 2.0 section 2.2.7, FMI 3.0 section 2.4.7.4).

use std::collections::{BTreeMap, BTreeSet};

use super::{Report, Subject};
use crate::parse::{Causality, FmiVersion, Type, Variability, Variable, read_flag};
use crate::tree::Element;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    let states = states(subject);
    let by_reference: BTreeMap<u32, &Variable> = subject
        .variables()
        .map(|(_, variable)| (variable.reference, variable))
        .collect();
    let mut stored = BTreeMap::new();
    for (position, (element, variable)) in (1..).zip(subject.variables()) {
        let number = match subject.version {
            FmiVersion::V2 => position,
            FmiVersion::V3 => variable.reference,
        };
        reinit(subject, element, states.contains(&number), report);
        multiple_set(subject, element, variable, report);
        if subject.version == FmiVersion::V3 {
            intermediate_update(element, variable, report);
            previous(element, variable, &by_reference, &mut stored, report);
        }
    }
}

/// Numbers of the variables of which another one is the derivative.
fn states(subject: &Subject<'_>) -> BTreeSet<u32> {
    let derivative = |element| subject.attribute(element, "derivative");
    let referred = subject.variables().filter_map(|(it, _)| derivative(it));
    referred
        .filter_map(|text| text.trim().parse().ok())
        .collect()
}

fn reinit(subject: &Subject<'_>, element: &Element, state: bool, report: &mut Report) {
    let Some(value) = subject.attribute(element, "reinit") else {
        return;
    };
    let message =
        "is only for a continuous state, which is a variable that another one is the derivative of";
    match (state, read_flag(value.trim())) {
        (false, Some(false)) => report.warning(element, "reinit", message),
        (false, _) => report.error(element, "reinit", message),
        (true, _) => only_model_exchange(subject, element, "reinit", report),
    }
}

fn multiple_set(
    subject: &Subject<'_>,
    element: &Element,
    variable: &Variable,
    report: &mut Report,
) {
    let name = "canHandleMultipleSetPerTimeInstant";
    if element.attribute(name).is_none() {
        return;
    }
    if variable.causality == Causality::Input {
        only_model_exchange(subject, element, name, report);
    } else {
        let message = format!(
            "is only for an input; the causality is {:?}",
            variable.causality
        );
        report.error(element, name, message);
    }
}

/// FMI 2.0 has some attributes for Model Exchange alone.
fn only_model_exchange(subject: &Subject<'_>, element: &Element, name: &str, report: &mut Report) {
    if subject.version == FmiVersion::V2 && subject.description.model_exchange.is_none() {
        let message = "is only for FMUs with <ModelExchange>; leave it out";
        report.warning(element, name, message);
    }
}

fn intermediate_update(element: &Element, variable: &Variable, report: &mut Report) {
    let flag = element.attribute("intermediateUpdate");
    let set = flag.and_then(|text| read_flag(text.trim())) == Some(true);
    if set && variable.causality == Causality::Parameter {
        let message = "does not go with a parameter, which stays as it is during a step";
        report.error(element, "intermediateUpdate", message);
    }
}

/// A clocked state and the variable that keeps its previous value.
fn previous<'a>(
    element: &'a Element,
    variable: &Variable,
    by_reference: &BTreeMap<u32, &Variable>,
    stored: &mut BTreeMap<u32, &'a str>,
    report: &mut Report,
) {
    let mut fail = |message: String| report.error(element, "previous", message);
    // A value that is not a number violates the schema and is reported there.
    let Some(reference) = element
        .attribute("previous")
        .and_then(|text| text.trim().parse().ok())
    else {
        return;
    };
    if element.attribute("clocks").is_none() || variable.variability != Variability::Discrete {
        fail("is only for a discrete variable with the attribute clocks".to_owned());
    }
    let name = element.attribute("name").unwrap_or_default();
    if let Some(other) = stored.insert(reference, name) {
        fail(format!("{reference} is that of \"{other}\" already"));
    }
    let Some(other) = by_reference.get(&reference) else {
        return fail(format!(
            "there is no variable with the value reference {reference}"
        ));
    };
    if reference == variable.reference {
        fail("is the variable itself".to_owned());
    } else if other.kind != variable.kind
        || other.kind == Type::Clock
        || other.variability != Variability::Discrete
        || other.causality == Causality::Input
    {
        fail(format!(
            "{reference} is \"{}\"; valid: a discrete variable of the same type that is no input",
            other.name
        ));
    }
}

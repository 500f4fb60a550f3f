//! Checks root, interfaces, log categories and default experiment.

use std::collections::BTreeSet;

use fixstep_variables::model_identifier;
use fixstep_variables::naming::is_c_identifier;

use super::{Report, Subject};
use crate::parse::{FmiVersion, read_flag, read_number};
use crate::tree::Element;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    root(subject, report);
    for interface in &subject.root.children {
        if matches!(
            interface.name.as_str(),
            "ModelExchange" | "CoSimulation" | "ScheduledExecution"
        ) {
            identifier(interface, report);
            capabilities(interface, subject.version, report);
        }
    }
    log_categories(subject.root, report);
    if let Some(experiment) = subject.root.child("DefaultExperiment") {
        default_experiment(experiment, report);
    }
}

fn root(subject: &Subject<'_>, report: &mut Report) {
    let description = subject.description;
    let (token, exact) = match subject.version {
        FmiVersion::V2 => ("guid", "2.0"),
        FmiVersion::V3 => ("instantiationToken", "3.0"),
    };
    if description.token.trim().is_empty() {
        report.error(subject.root, token, "is empty");
    }
    if description.fmi_version != exact {
        let message = format!(
            "\"{}\" names a release of the text; descriptions say \"{exact}\"",
            description.fmi_version
        );
        report.warning(subject.root, "fmiVersion", message);
    }
    let has_interface = description.co_simulation.is_some()
        || description.model_exchange.is_some()
        || description.scheduled_execution.is_some();
    if !has_interface {
        report.error(
            subject.root,
            "",
            "has no interface: <ModelExchange>, <CoSimulation> or, in FMI 3, <ScheduledExecution>",
        );
    }
}

fn identifier(interface: &Element, report: &mut Report) {
    let Some(identifier) = interface.attribute("modelIdentifier") else {
        return;
    };
    if !is_c_identifier(identifier) {
        let message = format!(
            "\"{identifier}\" is not a C identifier; \"{}\" would be",
            model_identifier(identifier)
        );
        report.error(interface, "modelIdentifier", message);
    }
}

fn capabilities(interface: &Element, version: FmiVersion, report: &mut Report) {
    let is = |name: &str| interface.attribute(name).and_then(read_flag) == Some(true);
    let (state, serialize) = match version {
        FmiVersion::V2 => ("canGetAndSetFMUstate", "canSerializeFMUstate"),
        FmiVersion::V3 => ("canGetAndSetFMUState", "canSerializeFMUState"),
    };
    for (flag, needs) in [
        (serialize, state),
        (
            "canReturnEarlyAfterIntermediateUpdate",
            "providesIntermediateUpdate",
        ),
    ] {
        if is(flag) && !is(needs) {
            report.error(interface, flag, format!("needs {needs}=\"true\""));
        }
    }
    let step = interface.attribute("fixedInternalStepSize");
    if step
        .and_then(read_number)
        .is_some_and(|step| step <= 0.0 || !step.is_finite())
    {
        report.error(interface, "fixedInternalStepSize", "must be above 0");
    }
}

fn log_categories(root: &Element, report: &mut Report) {
    unique(root.children_of("LogCategories"), "log category", report);
}

/// Reports duplicate names.
pub(super) fn unique(elements: &[Element], what: &str, report: &mut Report) {
    let mut names = BTreeSet::new();
    for element in elements {
        if let Some(name) = element.attribute("name")
            && !names.insert(name)
        {
            report.error(element, "name", format!("another {what} has this name"));
        }
    }
}

fn default_experiment(experiment: &Element, report: &mut Report) {
    let number = |name: &str| experiment.attribute(name).and_then(read_number);
    let start = number("startTime").unwrap_or(0.0);
    if let Some(stop) = number("stopTime")
        && stop < start
    {
        let message = format!("{stop} is before startTime {start}");
        report.error(experiment, "stopTime", message);
    }
    for name in ["stepSize", "tolerance"] {
        if number(name).is_some_and(|value| value.is_nan() || value <= 0.0) {
            report.error(experiment, name, "must be above 0");
        }
    }
}

//! Checks names, value references, types, causality with variability and initial, starts, bounds, units.

use std::collections::{BTreeMap, BTreeSet};

use fixstep_variables::naming::is_structured;

use super::types::{check_bounds, check_unit_names, less};
use super::{Report, Subject};
use crate::parse::{Causality, FmiVersion, Initial, Type, Variability, Variable, read_number};
use crate::tree::Element;

pub(super) fn check(subject: &Subject<'_>, report: &mut Report) {
    names(subject, report);
    references(subject, report);
    independents(subject, report);
    let clocks: BTreeSet<u32> = subject
        .description
        .variables
        .iter()
        .filter(|variable| variable.kind == Type::Clock)
        .map(|variable| variable.reference)
        .collect();
    for (element, variable) in subject.variables() {
        combination(subject, element, variable, report);
        start(subject, element, variable, report);
        range(subject, element, variable, report);
        let body = subject.body(element);
        let units = (variable.unit.as_str(), variable.display_unit.as_str());
        check_unit_names(subject, body, units, report);
        for (element, alias) in body.all("Alias").zip(&variable.aliases) {
            let units = (variable.unit.as_str(), alias.display_unit.as_str());
            check_unit_names(subject, element, units, report);
        }
        declared_type(subject, body, variable, report);
        derivative(subject, body, report);
        clock_list(body, &clocks, report);
    }
}

fn names(subject: &Subject<'_>, report: &mut Report) {
    let structured = subject.root.attribute("variableNamingConvention") == Some("structured");
    let mut seen = BTreeSet::new();
    for (element, variable) in subject.variables() {
        let aliases = subject.body(element).all("Alias");
        let aliases = aliases.zip(variable.aliases.iter().map(|alias| alias.name.as_str()));
        for (element, name) in [(element, variable.name.as_str())]
            .into_iter()
            .chain(aliases)
        {
            if !seen.insert(name) {
                report.error(element, "name", "another variable has this name");
            }
            if name.is_empty() {
                report.error(element, "name", "is empty");
            } else if structured && !is_structured(name) {
                let message = "is not a structured name; quote it ('like this') or use the flat \
                               convention";
                report.error(element, "name", message);
            } else if name.contains(['\r', '\n', '\t']) {
                report.error(element, "name", "has a line break or a tab");
            }
        }
    }
}

/// FMI 3: value references are unique. FMI 2: variables with the same reference and type are aliases; at most one of
/// them may have a start value, and all must have the same unit.
fn references(subject: &Subject<'_>, report: &mut Report) {
    let mut first: BTreeMap<(u32, Type), &Variable> = BTreeMap::new();
    let mut started: BTreeSet<(u32, Type)> = BTreeSet::new();
    for (element, variable) in subject.variables() {
        let key = match subject.version {
            FmiVersion::V2 if variable.kind == Type::Enumeration => {
                (variable.reference, Type::Int32)
            }
            FmiVersion::V2 => (variable.reference, variable.kind),
            FmiVersion::V3 => (variable.reference, Type::Float64),
        };
        let has_start = !variable.start.is_empty() && variable.variability != Variability::Constant;
        let starts_twice = has_start && !started.insert(key);
        let Some(other) = first.get(&key) else {
            first.insert(key, variable);
            continue;
        };
        let name = &other.name;
        if subject.version == FmiVersion::V3 {
            let message = format!("variable \"{name}\" has it already; use <Alias>");
            report.error(element, "valueReference", message);
        } else if starts_twice {
            let message =
                format!("alias of \"{name}\": at most one variable of an alias set has a start");
            report.error(element, "valueReference", message);
        } else if other.unit != variable.unit {
            let message = format!("alias of \"{name}\", which has another unit");
            report.error(element, "valueReference", message);
        }
    }
}

fn independents(subject: &Subject<'_>, report: &mut Report) {
    let independents: Vec<&Element> = subject
        .variables()
        .filter(|(_, variable)| variable.causality == Causality::Independent)
        .map(|(element, variable)| {
            if !variable.kind.is_float() {
                report.error(
                    element,
                    "causality",
                    "an independent variable is a real number",
                );
            }
            element
        })
        .collect();
    for element in independents.iter().skip(1) {
        report.error(
            element,
            "causality",
            "there is another independent variable",
        );
    }
    if independents.is_empty() && subject.version == FmiVersion::V3 {
        let element = subject.root.child("ModelVariables").unwrap_or(subject.root);
        report.error(element, "", "has no independent variable (time)");
    }
}

/// The values of `initial` that are allowed for a combination of causality and variability, the default first (FMI
/// 2.0 section 2.2.7, FMI 3.0 section 2.4.7.5); `None`: the combination is not allowed.
fn initials(causality: Causality, variability: Variability) -> Option<&'static [Initial]> {
    use Causality as C;
    use Initial::{Approx, Calculated, Exact};
    use Variability as V;
    Some(match (causality, variability) {
        (C::Parameter | C::StructuralParameter, V::Fixed | V::Tunable)
        | (C::Output | C::Local, V::Constant)
        | (C::Input, V::Discrete | V::Continuous) => &[Exact],
        (C::CalculatedParameter | C::Local, V::Fixed | V::Tunable) => &[Calculated, Approx],
        (C::Output | C::Local, V::Discrete | V::Continuous) => &[Calculated, Exact, Approx],
        (C::Independent, V::Continuous) => &[],
        _ => return None,
    })
}

/// `initial`, or what it is by default.
pub(super) fn effective_initial(variable: &Variable) -> Option<Initial> {
    variable.initial.or_else(|| {
        initials(variable.causality, variable.variability)
            .and_then(|allowed| allowed.first().copied())
    })
}

fn combination(subject: &Subject<'_>, element: &Element, variable: &Variable, report: &mut Report) {
    if variable.variability == Variability::Continuous && !variable.kind.is_float() {
        report.error(element, "variability", "only real numbers are continuous");
        return;
    }
    let (causality, variability) = (variable.causality, variable.variability);
    if subject.version == FmiVersion::V2 && causality == Causality::StructuralParameter {
        report.error(element, "causality", "structuralParameter is of FMI 3");
    }
    let Some(allowed) = initials(causality, variability) else {
        let message = format!("{variability:?} does not go with causality {causality:?}");
        report.error(element, "variability", message);
        return;
    };
    let Some(initial) = variable.initial else {
        return;
    };
    let v2_input = subject.version == FmiVersion::V2 && causality == Causality::Input;
    if v2_input || !allowed.contains(&initial) {
        let message = format!(
            "{initial:?} does not go with causality {causality:?} and variability {variability:?}"
        );
        report.error(element, "initial", message);
    }
}

fn start(subject: &Subject<'_>, element: &Element, variable: &Variable, report: &mut Report) {
    let body = subject.body(element);
    let given = !variable.start.is_empty() || body.attribute("start").is_some();
    if variable.causality == Causality::Independent {
        if given {
            report.error(body, "start", "an independent variable has none");
        }
        return;
    }
    match effective_initial(variable) {
        Some(Initial::Exact | Initial::Approx) if !given && variable.kind != Type::Clock => {
            report.error(body, "start", "is missing");
        }
        Some(Initial::Calculated) if given => {
            report.error(body, "start", "does not go with initial=\"calculated\"");
        }
        _ => {}
    }
}

fn range(subject: &Subject<'_>, element: &Element, variable: &Variable, report: &mut Report) {
    let body = subject.body(element);
    let bounds = (variable.min.as_deref(), variable.max.as_deref());
    check_bounds(body, bounds, report);
    if variable.kind.is_number() {
        for value in &variable.start {
            if let Some(min) = bounds.0
                && less(value, min)
            {
                report.error(body, "start", format!("{value} is below min {min}"));
            }
            if let Some(max) = bounds.1
                && less(max, value)
            {
                report.error(body, "start", format!("{value} is above max {max}"));
            }
        }
    }
    if let Some((lowest, highest)) = type_range(variable.kind) {
        let written = [bounds.0, bounds.1].into_iter().flatten();
        for value in written.chain(variable.start.iter().map(String::as_str)) {
            if less(value, lowest) || less(highest, value) {
                let message = format!("{value} does not fit into {:?}", variable.kind);
                report.error(body, "start", message);
            }
        }
    }
    let nominal = subject.attribute(element, "nominal").and_then(read_number);
    if nominal.is_some_and(|nominal| nominal.is_nan() || nominal <= 0.0) {
        report.error(body, "nominal", "must be above 0");
    }
}

const fn type_range(kind: Type) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        Type::Int8 => ("-128", "127"),
        Type::UInt8 => ("0", "255"),
        Type::Int16 => ("-32768", "32767"),
        Type::UInt16 => ("0", "65535"),
        Type::Int32 => ("-2147483648", "2147483647"),
        Type::UInt32 => ("0", "4294967295"),
        Type::Int64 => ("-9223372036854775808", "9223372036854775807"),
        Type::UInt64 => ("0", "18446744073709551615"),
        _ => return None,
    })
}

fn declared_type(subject: &Subject<'_>, body: &Element, variable: &Variable, report: &mut Report) {
    if variable.declared_type.is_empty() {
        return;
    }
    let types = subject.root.children_of("TypeDefinitions");
    let named = types
        .iter()
        .find(|it| it.attribute("name") == Some(&variable.declared_type));
    let Some(definition) = named else {
        let message = format!("\"{}\" is not in <TypeDefinitions>", variable.declared_type);
        report.error(body, "declaredType", message);
        return;
    };
    let of_type = match subject.version {
        FmiVersion::V2 => definition.children.first().map(|it| it.name.clone()),
        FmiVersion::V3 => definition.name.strip_suffix("Type").map(str::to_owned),
    };
    if of_type.as_deref() != Some(&body.name) {
        let message = format!("\"{}\" is of another type", variable.declared_type);
        report.error(body, "declaredType", message);
    }
    let items = subject.description.type_definition(&variable.declared_type);
    let items = items.map_or(&[][..], |definition| &definition.items);
    if variable.kind == Type::Enumeration {
        for value in &variable.start {
            if items.iter().all(|item| item.value.to_string() != *value) {
                report.error(
                    body,
                    "start",
                    format!("{value} is not the value of an item"),
                );
            }
        }
    }
}

/// Checks that the variable of which this one is the derivative exists and is a continuous real number.
fn derivative(subject: &Subject<'_>, body: &Element, report: &mut Report) {
    let Some(reference) = body.attribute("derivative").and_then(|it| it.parse().ok()) else {
        return;
    };
    let state = find(subject, reference);
    let good = state
        .is_some_and(|state| state.kind.is_float() && state.variability == Variability::Continuous);
    if !good {
        let message = format!("{reference} is not a continuous real variable");
        report.error(body, "derivative", message);
    }
}

/// A variable by the number that `derivative` uses: in FMI 2 the index from 1,
/// in FMI 3 the value reference.
fn find<'a>(subject: &Subject<'a>, number: u32) -> Option<&'a Variable> {
    let variables = &subject.description.variables;
    match subject.version {
        FmiVersion::V2 => variables.get((number as usize).checked_sub(1)?),
        FmiVersion::V3 => variables.iter().find(|it| it.reference == number),
    }
}

fn clock_list(body: &Element, clocks: &BTreeSet<u32>, report: &mut Report) {
    let list = body.attribute("clocks").unwrap_or_default();
    for reference in list.split_whitespace().filter_map(|it| it.parse().ok()) {
        if !clocks.contains(&reference) {
            report.error(body, "clocks", format!("{reference} is not a <Clock>"));
        }
    }
}

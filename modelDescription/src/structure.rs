//! The parts that both versions share: root attributes, units, enumerations, values, log categories, experiment.

use std::collections::BTreeMap;

use fixstep_variables::units::{
    BASE_UNIT_NAMES, UnitDefinition, compatible, display_conversion, parse_unit,
};
use fixstep_variables::{
    Causality, Enumeration, Initial, LOG_CATEGORIES, Variability, Variable, VariableKind,
    VariableTable,
};

use crate::header::Header;
use crate::quantities::Quantities;
use crate::tree::Element;
use crate::write::number;

/// Display units that are offered with a unit, besides those that variables use.
const USUAL_DISPLAYS: &[(&str, &str)] = &[
    ("rad", "deg"),
    ("rad/s", "deg/s"),
    ("rad/s", "rpm"),
    ("rad/s2", "deg/s2"),
    ("m", "mm"),
    ("m/s", "km/h"),
    ("N", "kN"),
    ("Pa", "MPa"),
    ("s", "ms"),
];

/// The root element with its attributes; `token` is the name of the token's attribute.
pub(crate) fn root(header: &Header, version: &str, token: &str, table: &VariableTable) -> Element {
    Element::new("fmiModelDescription")
        .with("fmiVersion", version)
        .with("modelName", &header.name)
        .with(token, &header.token)
        .with_some("description", &header.description)
        .with_some("author", &header.author)
        .with_some("version", &header.version)
        .with_some("copyright", &header.copyright)
        .with_some("license", &header.license)
        .with_some("generationTool", &header.tool)
        .with_option("generationDateAndTime", header.generation_date.clone())
        .with(
            "variableNamingConvention",
            table.naming_convention().as_str(),
        )
}

/// `<Unit>` for every unit of the table, by name, with its display units.
pub(crate) fn units(table: &VariableTable) -> Vec<Element> {
    let mut displays: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for variable in &table.variables {
        if !variable.unit().is_empty() {
            let known = displays.entry(variable.unit()).or_default();
            known.extend(display_unit(variable));
        }
    }
    for (unit, display) in USUAL_DISPLAYS {
        if let Some(known) = displays.get_mut(unit) {
            known.push(display);
        }
    }
    displays
        .into_iter()
        .map(|(name, mut displays)| {
            displays.sort_unstable();
            displays.dedup();
            unit(name, &displays)
        })
        .collect()
}

fn unit(name: &str, displays: &[&str]) -> Element {
    let element = Element::new("Unit").with("name", name);
    let Ok(definition) = parse_unit(name) else {
        return element;
    };
    let displays = displays.iter().filter_map(|display| {
        let (factor, offset) = display_conversion(&definition, &parse_unit(display).ok()?);
        Some(scaled(
            Element::new("DisplayUnit").with("name", display),
            factor,
            offset,
        ))
    });
    element
        .containing([base_unit(&definition)])
        .containing(displays)
}

fn base_unit(definition: &UnitDefinition) -> Element {
    let mut element = Element::new("BaseUnit");
    for (name, exponent) in BASE_UNIT_NAMES.iter().zip(definition.exponents) {
        if exponent != 0 {
            element = element.with(name, &exponent.to_string());
        }
    }
    scaled(element, definition.factor, definition.offset)
}

fn scaled(element: Element, factor: f64, offset: f64) -> Element {
    let factor = (factor != 1.0).then(|| number(factor));
    let offset = (offset != 0.0).then(|| number(offset));
    element
        .with_option("factor", factor)
        .with_option("offset", offset)
}

/// A variable's display unit, if it differs from its unit and can show it.
pub(crate) fn display_unit(variable: &Variable) -> Option<&str> {
    let (unit, display) = (variable.unit(), variable.display_unit());
    if display.is_empty() || display == unit {
        return None;
    }
    let shows = compatible(&parse_unit(unit).ok()?, &parse_unit(display).ok()?);
    shows.then_some(display)
}

/// The enumerations of a table, each once, in the order of their first use.
pub(crate) fn enumerations(table: &VariableTable) -> Vec<Enumeration> {
    let mut all = Vec::new();
    for variable in &table.variables {
        if let VariableKind::Enumeration { of, .. } = variable.kind
            && !all.contains(&of)
        {
            all.push(of);
        }
    }
    all
}

/// `<Item>` for every item, counted from 1.
pub(crate) fn items(of: Enumeration) -> impl Iterator<Item = Element> {
    (1..).zip(of.items()).map(|(at, (name, description))| {
        Element::new("Item")
            .with("name", name)
            .with("value", &i32::to_string(&at))
            .with_some("description", description)
    })
}

/// `<Category>` for every log category.
pub(crate) fn log_categories() -> Vec<Element> {
    LOG_CATEGORIES
        .iter()
        .map(|(name, description)| {
            Element::new("Category")
                .with("name", name)
                .with("description", description)
        })
        .collect()
}

/// `<DefaultExperiment>`.
pub(crate) fn default_experiment(header: &Header) -> Element {
    let experiment = header.experiment;
    Element::new("DefaultExperiment")
        .with("startTime", &number(experiment.start))
        .with("stopTime", &number(experiment.stop))
        .with("stepSize", &number(experiment.step))
}

/// With causality, variability and initial.
pub(crate) fn with_role(element: Element, variable: &Variable) -> Element {
    let initial = variable.initial.map(|initial| match initial {
        Initial::Exact => "exact".to_owned(),
        Initial::Calculated => "calculated".to_owned(),
    });
    element
        .with(
            "causality",
            match variable.causality {
                Causality::Independent => "independent",
                Causality::Parameter => "parameter",
                Causality::Input => "input",
                Causality::Output => "output",
                Causality::Local => "local",
            },
        )
        .with(
            "variability",
            match variable.variability {
                Variability::Fixed => "fixed",
                Variability::Tunable => "tunable",
                Variability::Discrete => "discrete",
                Variability::Continuous => "continuous",
                Variability::Constant => "constant",
            },
        )
        .with_option("initial", initial)
}

/// Adds type, unit, bounds and start, as far as both versions agree. `elements` is the variable, or all elements of
/// the array whose first element it is.
pub(crate) fn with_values(
    element: Element,
    elements: &[Variable],
    quantities: &Quantities,
) -> Element {
    let [variable, ..] = elements else {
        return element;
    };
    let start = |text: String| variable.has_start().then_some(text);
    match &variable.kind {
        VariableKind::Real { unit, min, max, .. } => element
            .with_option("declaredType", quantities.name(variable).map(str::to_owned))
            .with_some("unit", unit)
            .with_option("displayUnit", display_unit(variable).map(str::to_owned))
            .with_option("min", min.map(number))
            .with_option("max", max.map(number))
            .with_option("start", start(reals(elements))),
        VariableKind::Integer {
            min,
            max,
            start: value,
        } => element
            .with_option("min", min.map(|min| min.to_string()))
            .with_option("max", max.map(|max| max.to_string()))
            .with_option("start", start(value.to_string())),
        VariableKind::Boolean { start: value } => {
            element.with_option("start", start(value.to_string()))
        }
        VariableKind::String { start: value } => element.with_option("start", start(value.clone())),
        VariableKind::Enumeration { of, start: value } => element
            .with("declaredType", of.type_name())
            .with_option("start", start(value.to_string())),
    }
}

/// The start values of real variables, as a list.
fn reals(elements: &[Variable]) -> String {
    let starts = elements.iter().filter_map(|variable| match variable.kind {
        VariableKind::Real { start, .. } => Some(number(start)),
        _ => None,
    });
    starts.collect::<Vec<_>>().join(" ")
}

/// The outputs with their value references.
pub(crate) fn outputs(table: &VariableTable) -> impl Iterator<Item = (u32, &Variable)> {
    table
        .iter()
        .filter(|(_, variable)| variable.causality == Causality::Output)
}

/// The unknowns of the initialization: exactly the outputs that are computed (there are neither
/// calculated parameters nor exposed states).
pub(crate) fn initial_unknowns(table: &VariableTable) -> impl Iterator<Item = (u32, &Variable)> {
    outputs(table).filter(|(_, variable)| variable.initial == Some(Initial::Calculated))
}

/// A list of numbers, each raised by `shift`.
pub(crate) fn list(references: &[u32], shift: u32) -> String {
    let texts: Vec<String> = references
        .iter()
        .map(|reference| (reference + shift).to_string())
        .collect();
    texts.join(" ")
}

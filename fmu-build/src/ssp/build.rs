//! Control plane: makes the files of an `.ssp` from a description in JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fixstep_kernel::seconds::Seconds;
use fixstep_model::limits::{FILES_BYTES, MODEL_BYTES};
use fixstep_model::resources::{folder, read_bounded};
use fixstep_model::{Model, ModelErrors};
use model_description::header::TOOL;
use model_description::parse::{self, Causality, Description, FmiVersion, Type, Unit, Variable};
use model_description::ssp::{
    self, Component, Connection, Connector, Kind, Parameter, Port, System,
};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::archive::{read, write::Files};
use crate::csv;
use crate::package;
use crate::package::Packing;
use crate::slave::{Failure, Value, read_values};
use crate::suggest::unknown;

/// A description of a system as a user writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    /// Version of this format.
    fixstep_system: u32,
    name: String,
    #[serde(default)]
    description: String,
    components: Vec<SourceComponent>,
    #[serde(default)]
    connections: Vec<SourceConnection>,
    /// Values of parameters and start values of inputs, by `component.variable`.
    #[serde(default)]
    parameters: BTreeMap<String, Json>,
    experiment: Option<SourceExperiment>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceComponent {
    name: String,
    /// A model, or an FMU of any vendor; relative to the description.
    file: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceConnection {
    from: String,
    to: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceExperiment {
    #[serde(default)]
    start: f64,
    stop: f64,
}

/// A component and the description of its FMU.
struct Part {
    name: String,
    content: Content,
    description: Description,
}

/// The contents of a component.
enum Content {
    /// An FMU's bytes.
    Fmu(Vec<u8>),
    /// A model with its text, to be packed.
    Model(String, Box<Model>),
}

/// The name of the system, and the files of an `.ssp`, from a description in a file. Models are packed as FMUs; FMUs
/// are taken unchanged.
pub fn build(path: &Path, packing: Packing<'_>) -> Result<(String, Files), Failure> {
    let fail = |reason: &dyn std::fmt::Display| Failure(format!("{}: {reason}", path.display()));
    let text = read_bounded(path, MODEL_BYTES).map_err(|error| fail(&error))?;
    let text = String::from_utf8(text).map_err(|error| fail(&error))?;
    let source: Source = serde_json::from_str(&text).map_err(|error| fail(&error))?;
    let mut problems = names(&source);
    if !problems.is_empty() {
        return Err(fail(&problems.join("\n")));
    }
    let beside = path.parent().unwrap_or(Path::new(""));
    let mut parts = Vec::new();
    for component in &source.components {
        match part(component, beside, packing.version) {
            Ok(part) => parts.push(part),
            Err(Failure(reason)) => {
                problems.push(format!("component \"{}\": {reason}", component.name));
            }
        }
    }
    if !problems.is_empty() {
        return Err(fail(&problems.join("\n")));
    }
    let connections = connections(&source, &parts, &mut problems);
    let parameters = parameters(&source, &parts, &mut problems);
    if !problems.is_empty() {
        return Err(fail(&problems.join("\n")));
    }
    let mut files = files(&source, &parts, connections, &parameters);
    for Part { name, content, .. } in parts {
        let bytes = match content {
            Content::Fmu(bytes) => bytes,
            Content::Model(text, model) => package::pack(&text, &model, packing)?,
        };
        files.insert(resource(&name, "fmu"), bytes);
    }
    Ok((source.name, files))
}

/// The files of the components in a description; empty for those that cannot be read.
pub fn components(path: &Path) -> Vec<PathBuf> {
    let text = read_bounded(path, MODEL_BYTES).unwrap_or_default();
    let Ok(source) = serde_json::from_slice::<Source>(&text) else {
        return Vec::new();
    };
    let beside = path.parent().unwrap_or(Path::new(""));
    let components = source.components.iter();
    components.map(|it| beside.join(&it.file)).collect()
}

/// The path of a component's file.
fn resource(name: &str, ending: &str) -> String {
    format!("resources/{name}.{ending}")
}

/// The faults that can be found without reading any FMU.
fn names(source: &Source) -> Vec<String> {
    let mut problems = Vec::new();
    if source.fixstep_system != 1 {
        problems.push(format!(
            "fixstep_system: {} is not 1",
            source.fixstep_system
        ));
    }
    if source.name.trim().is_empty() {
        problems.push("name: is empty".to_owned());
    }
    if source.components.is_empty() {
        problems.push("components: there are none".to_owned());
    }
    let mut taken = BTreeSet::new();
    for SourceComponent { name, .. } in &source.components {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) || !name.chars().all(plain) {
            problems.push(format!(
                "components: the name \"{name}\" must be letters, digits and _, and begin with a letter"
            ));
        }
        if !taken.insert(name.to_lowercase()) {
            problems.push(format!("components: the name \"{name}\" occurs twice"));
        }
    }
    if let Some(SourceExperiment { start, stop }) = &source.experiment
        && stop < start
    {
        let [start, stop] = [*start, *stop].map(Seconds);
        problems.push(format!(
            "experiment: stop {stop} s is before start {start} s"
        ));
    }
    problems
}

/// Reads a component's model or FMU.
fn part(component: &SourceComponent, beside: &Path, version: FmiVersion) -> Result<Part, Failure> {
    let path = beside.join(&component.file);
    let fail = |reason: &dyn std::fmt::Display| Failure(format!("{}: {reason}", path.display()));
    let bytes = read_bounded(&path, FILES_BYTES).map_err(|error| fail(&error))?;
    let name = component.name.clone();
    if bytes.starts_with(b"PK") {
        let description = parse::description(&read::read_xml(&path)?);
        let description = description.map_err(|error| fail(&error))?;
        if description.co_simulation.is_none() {
            return Err(fail(&"no co-simulation interface"));
        }
        return Ok(Part {
            name,
            content: Content::Fmu(bytes),
            description,
        });
    }
    let text = String::from_utf8(bytes).map_err(|error| fail(&error))?;
    let files = folder(path.parent().unwrap_or(Path::new("")));
    let invalid = |errors: ModelErrors| fail(&format!("is not a valid model\n{errors}"));
    let file = path.display().to_string();
    let model = Model::read_named(&file, &text, &files, &[]).map_err(invalid)?;
    Ok(Part {
        name,
        description: package::description(&model, version)?,
        content: Content::Model(text, Box::new(model)),
    })
}

/// Component and variable of a name `component.variable`.
fn place<'a>(parts: &'a [Part], name: &str) -> Result<(usize, &'a Variable), String> {
    let Some((component, variable)) = name.split_once('.') else {
        return Err(format!("\"{name}\" is not COMPONENT.VARIABLE"));
    };
    let known = || parts.iter().map(|part| part.name.as_str());
    let at = parts.iter().position(|part| part.name == component);
    let at = at.ok_or_else(|| unknown("component", component, known()))?;
    let description = &parts[at].description;
    let found = description.variable(variable).ok_or_else(|| {
        let names = description.variables.iter().map(|it| it.name.as_str());
        format!(
            "component \"{component}\": {}",
            unknown("variable", variable, names)
        )
    })?;
    Ok((at, found))
}

/// The SSP type of a scalar, if SSP has it.
fn kind(variable: &Variable) -> Option<Kind> {
    Some(match variable.kind {
        _ if !variable.dimensions.is_empty() => return None,
        Type::Float32 | Type::Float64 => Kind::Real,
        Type::Boolean => Kind::Boolean,
        Type::String => Kind::String,
        Type::Enumeration => Kind::Enumeration,
        Type::Binary | Type::Clock => return None,
        _ => Kind::Integer,
    })
}

/// The type of a scalar that can be connected.
fn connectable(variable: &Variable) -> Option<Kind> {
    let usable = |kind: &Kind| matches!(kind, Kind::Real | Kind::Integer | Kind::Boolean);
    kind(variable).filter(usable)
}

fn connections(source: &Source, parts: &[Part], problems: &mut Vec<String>) -> Vec<Connection> {
    let mut taken = BTreeSet::new();
    let mut connections = Vec::new();
    for (at, SourceConnection { from, to }) in source.connections.iter().enumerate() {
        let mut problem = |reason: String| problems.push(format!("connections[{at}]: {reason}"));
        let mut end = |name: &str, causality: Causality, what: &str| {
            let found = place(parts, name).and_then(|(part, variable)| {
                let kind = connectable(variable).filter(|_| variable.causality == causality);
                let kind = kind.ok_or_else(|| {
                    format!("\"{name}\" is not {what} that is a number or a boolean, and no array")
                })?;
                Ok((part, variable, kind))
            });
            found.map_err(&mut problem).ok()
        };
        let from = end(from, Causality::Output, "an output");
        let to = end(to, Causality::Input, "an input");
        let (Some((start, from, kind)), Some((stop, to, wanted))) = (from, to) else {
            continue;
        };
        let port = |part: usize, variable: &Variable| -> Port {
            (parts[part].name.clone(), variable.name.clone())
        };
        let (from_port, to_port) = (port(start, from), port(stop, to));
        let path = |port: &Port| format!("{}.{}", port.0, port.1);
        if kind != wanted {
            let (from, to) = (path(&from_port), path(&to_port));
            problem(format!(
                "\"{from}\" is {kind:?}, but \"{to}\" is {wanted:?}"
            ));
        } else if !taken.insert(to_port.clone()) {
            problem(format!("\"{}\" is connected already", path(&to_port)));
        } else {
            match conversion((&parts[start], from), (&parts[stop], to)) {
                Ok((factor, offset)) => connections.push(Connection {
                    from: from_port,
                    to: to_port,
                    factor,
                    offset,
                }),
                Err(reason) => problem(format!(
                    "\"{}\" to \"{}\": {reason}",
                    path(&from_port),
                    path(&to_port)
                )),
            }
        }
    }
    connections
}

/// Factor and offset from the unit of one variable to that of another.
fn conversion(
    (start, from): (&Part, &Variable),
    (stop, to): (&Part, &Variable),
) -> Result<(f64, f64), String> {
    if from.unit == to.unit || from.unit.is_empty() || to.unit.is_empty() {
        return Ok((1.0, 0.0));
    }
    let base = |part: &Part, name: &str| unit(part, name).and_then(|unit| unit.base);
    match (base(start, &from.unit), base(stop, &to.unit)) {
        (Some((left, factor, offset)), Some((right, to_factor, to_offset))) if left == right => {
            Ok((factor / to_factor, (offset - to_offset) / to_factor))
        }
        _ => Err(format!(
            "the unit \"{}\" cannot be converted to \"{}\"",
            from.unit, to.unit
        )),
    }
}

/// A unit of a component's FMU.
fn unit<'a>(part: &'a Part, name: &str) -> Option<&'a Unit> {
    part.description.units.iter().find(|unit| unit.name == name)
}

/// Parameters of each component.
fn parameters(source: &Source, parts: &[Part], problems: &mut Vec<String>) -> Vec<Vec<Parameter>> {
    let mut all = vec![Vec::new(); parts.len()];
    for (name, value) in &source.parameters {
        let found = place(parts, name).and_then(|(at, variable)| {
            Ok((at, parameter(&parts[at].description, variable, value)?))
        });
        match found {
            Ok((at, parameter)) => all[at].push(parameter),
            Err(reason) => problems.push(format!("parameters: \"{name}\": {reason}")),
        }
    }
    all
}

/// A value of a parameter, or a start value, for a parameter set.
fn parameter(
    description: &Description,
    variable: &Variable,
    value: &Json,
) -> Result<Parameter, String> {
    let settable = matches!(variable.causality, Causality::Parameter | Causality::Input);
    let kind = kind(variable).filter(|_| settable);
    let kind = kind.ok_or("is neither a parameter nor an input with a single value")?;
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(_) | Json::Bool(_) => value.to_string(),
        _ => return Err(format!("{value} is not a number, a boolean or a text")),
    };
    let read = read_values(description, (variable, None), &text);
    let read = read.map_err(|Failure(reason)| reason)?;
    within(variable, &text)?;
    let value = match read.as_slice() {
        [Value::Real(value)] => format!("{value:?}"),
        [Value::Integer(value)] if kind == Kind::Enumeration => {
            let types = description.type_definition(&variable.declared_type);
            let items = types.map_or(&[][..], |definition| &definition.items);
            let item = items.iter().find(|item| item.value == *value);
            item.map_or_else(|| value.to_string(), |item| item.name.clone())
        }
        [Value::Integer(value)] => value.to_string(),
        [Value::Boolean(value)] => value.to_string(),
        _ => text,
    };
    let unit = if kind == Kind::Real {
        variable.unit.clone()
    } else {
        String::new()
    };
    let name = variable.name.clone();
    Ok(Parameter {
        name,
        kind,
        value,
        unit,
    })
}

/// Is a number within the bounds that the variable has?
fn within(variable: &Variable, text: &str) -> Result<(), String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let Some(value) = number(text).filter(|_| variable.kind.is_number()) else {
        return Ok(());
    };
    let bound = |text: &Option<String>| text.as_deref().and_then(number);
    let (min, max) = (bound(&variable.min), bound(&variable.max));
    if min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max) {
        return Ok(());
    }
    let told = |bound: Option<f64>, none: &str| bound.map_or(none.to_owned(), csv::number);
    Err(format!(
        "{text} is out of range; valid: from {} to {}",
        told(min, "any"),
        told(max, "any")
    ))
}

/// The archive's files, except for the FMUs.
fn files(
    source: &Source,
    parts: &[Part],
    connections: Vec<Connection>,
    parameters: &[Vec<Parameter>],
) -> Files {
    let mut files = Files::new();
    let mut units = BTreeMap::new();
    let mut components = Vec::new();
    for (part, parameters) in parts.iter().zip(parameters) {
        let connectors = connectors(part, &connections);
        let named = connectors.iter().map(|connector| connector.unit.as_str());
        units.extend(of_names(part, named));
        let mut parameter_sets = Vec::new();
        if !parameters.is_empty() {
            let named = parameters.iter().map(|parameter| parameter.unit.as_str());
            let units: Vec<Unit> = of_names(part, named).into_values().collect();
            let text = ssp::parameter_set(&source.name, parameters, &units, TOOL);
            files.insert(resource(&part.name, "ssv"), text.into_bytes());
            parameter_sets.push(resource(&part.name, "ssv"));
        }
        components.push(Component {
            name: part.name.clone(),
            source: resource(&part.name, "fmu"),
            connectors,
            parameter_sets,
        });
    }
    let system = System {
        name: source.name.clone(),
        description: source.description.clone(),
        components,
        connections,
        units: units.into_values().collect(),
        start: source
            .experiment
            .as_ref()
            .map(|experiment| experiment.start),
        stop: source.experiment.as_ref().map(|experiment| experiment.stop),
    };
    files.insert(
        ssp::DESCRIPTION.to_owned(),
        system.document(TOOL).into_bytes(),
    );
    files
}

/// All outputs of a component that can be connected, and the inputs that are connected.
fn connectors(part: &Part, connections: &[Connection]) -> Vec<Connector> {
    let connected = |variable: &Variable| {
        let is = |port: &Port| port.0 == part.name && port.1 == variable.name;
        connections.iter().any(|connection| is(&connection.to))
    };
    let seen = part.description.variables.iter().filter_map(|variable| {
        let output = variable.causality == Causality::Output;
        let kind = connectable(variable).filter(|_| output || connected(variable))?;
        Some(Connector {
            name: variable.name.clone(),
            output,
            kind,
            unit: if kind == Kind::Real {
                variable.unit.clone()
            } else {
                String::new()
            },
        })
    });
    seen.collect()
}

/// The units of these names.
fn of_names<'a>(part: &Part, names: impl Iterator<Item = &'a str>) -> BTreeMap<String, Unit> {
    let known = names.filter_map(|name| unit(part, name));
    known
        .map(|unit| (unit.name.clone(), unit.clone()))
        .collect()
}

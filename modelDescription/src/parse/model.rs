//! The description without its variables: header, interfaces, units, types, structure.

use super::variables::{self, Variable};
use super::{ParseError, bad, flag, number, optional, required, unsigned};
use crate::tree::Element;

/// FMI versions that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FmiVersion {
    /// FMI 2.0.
    V2,
    /// FMI 3.0.
    V3,
}

/// A model description.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Version.
    pub version: FmiVersion,
    /// Version as written.
    pub fmi_version: String,
    /// Name of the model.
    pub name: String,
    /// The description, as free text; empty: none.
    pub description: String,
    /// `guid` or `instantiationToken`.
    pub token: String,
    /// The exporter; empty: not given.
    pub generation_tool: String,
    /// Co-Simulation interface, if there is one.
    pub co_simulation: Option<CoSimulation>,
    /// Model identifier for Model Exchange, if there is such an interface.
    pub model_exchange: Option<String>,
    /// Model identifier for Scheduled Execution, if there is such an interface.
    pub scheduled_execution: Option<String>,
    /// Units.
    pub units: Vec<Unit>,
    /// Type definitions.
    pub types: Vec<TypeDefinition>,
    /// Names of the log categories.
    pub log_categories: Vec<String>,
    /// Default experiment.
    pub default_experiment: DefaultExperiment,
    /// Variables, in order.
    pub variables: Vec<Variable>,
    /// Outputs of the model structure.
    pub outputs: Vec<Unknown>,
    /// Unknowns of the initialization.
    pub initial_unknowns: Vec<Unknown>,
}

/// The Co-Simulation interface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoSimulation {
    /// Name of the binary and prefix of source code's functions.
    pub model_identifier: String,
    /// The FMU is only an interface to a tool that must be installed.
    pub needs_execution_tool: bool,
    /// Communication steps may differ in size.
    pub can_handle_variable_step: bool,
    /// Internal step \[s\] (FMI 3).
    pub fixed_internal_step: Option<f64>,
    /// At most one instance per process.
    pub only_once_per_process: bool,
    /// States can be saved and restored.
    pub can_get_and_set_state: bool,
    /// Saved states can be turned into bytes.
    pub can_serialize_state: bool,
    /// Directional derivatives are there.
    pub provides_directional_derivatives: bool,
    /// Highest order of output derivatives.
    pub max_output_derivative_order: u32,
    /// The FMU may use Event Mode (FMI 3).
    pub has_event_mode: bool,
    /// The FMU may return early from a step (FMI 3).
    pub might_return_early: bool,
    /// Intermediate updates are there (FMI 3).
    pub provides_intermediate_update: bool,
}

/// Default experiment; values that are not given are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DefaultExperiment {
    /// Start time \[s\].
    pub start: Option<f64>,
    /// Stop time \[s\].
    pub stop: Option<f64>,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// Preferred communication step \[s\].
    pub step: Option<f64>,
}

/// A unit: `base value = factor * value + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Name.
    pub name: String,
    /// Exponents of kg, m, s, A, K, mol, cd, rad with factor and offset; `None`: not given.
    pub base: Option<([i32; 8], f64, f64)>,
    /// Display units.
    pub display_units: Vec<DisplayUnit>,
}

/// A display unit: `display value = factor * value + offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplayUnit {
    /// Name.
    pub name: String,
    /// Factor.
    pub factor: f64,
    /// Offset.
    pub offset: f64,
    /// The display value is the reciprocal of the value (FMI 3).
    pub inverse: bool,
}

/// A type definition, as far as it gives variables their defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDefinition {
    /// Name.
    pub name: String,
    /// Unit; empty: none.
    pub unit: String,
    /// Display unit; empty: none.
    pub display_unit: String,
    /// It is a difference.
    pub relative_quantity: bool,
    /// Lower bound, as written.
    pub min: Option<String>,
    /// Upper bound, as written.
    pub max: Option<String>,
    /// Items of an enumeration.
    pub items: Vec<EnumerationItem>,
}

/// An item of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumerationItem {
    /// Name.
    pub name: String,
    /// Number.
    pub value: i64,
    /// The description, as free text.
    pub description: String,
}

/// An unknown of the model structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Position of the variable in [`Description::variables`] (FMI 2), or its value reference (FMI 3).
    pub reference: u32,
    /// The same kind of numbers for what it depends on; `None`: on everything.
    pub dependencies: Option<Vec<u32>>,
}

impl Description {
    /// The variable of a name; an alias' name finds its variable.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| {
            variable.name == name || variable.aliases.iter().any(|alias| alias.name == name)
        })
    }

    /// The type definition of a name.
    pub fn type_definition(&self, name: &str) -> Option<&TypeDefinition> {
        self.types.iter().find(|definition| definition.name == name)
    }
}

/// The version of a root element.
pub(super) fn version(root: &Element) -> Result<FmiVersion, ParseError> {
    if root.name != "fmiModelDescription" {
        return Err(ParseError::Root(root.name.clone()));
    }
    let text = root.text("fmiVersion");
    if text == "2.0" {
        Ok(FmiVersion::V2)
    } else if text == "3.0" || text.starts_with("3.0.") || text.starts_with("3.0-") {
        Ok(FmiVersion::V3)
    } else {
        Err(ParseError::Version(text))
    }
}

/// A description from its root element.
pub(super) fn description(root: &Element) -> Result<Description, ParseError> {
    let version = version(root)?;
    let token = match version {
        FmiVersion::V2 => required(root, "guid")?,
        FmiVersion::V3 => required(root, "instantiationToken")?,
    };
    let types = types(root, version)?;
    let variables = root
        .children_of("ModelVariables")
        .iter()
        .map(|element| variables::variable(element, version, &types))
        .collect::<Result<_, _>>()?;
    let identifier = |name: &str| match root.child(name) {
        Some(interface) => required(interface, "modelIdentifier").map(|it| Some(it.to_owned())),
        None => Ok(None),
    };
    let (outputs, initial_unknowns) = structure(root, version)?;
    Ok(Description {
        version,
        fmi_version: root.text("fmiVersion"),
        name: required(root, "modelName")?.to_owned(),
        description: root.text("description"),
        token: token.to_owned(),
        generation_tool: root.text("generationTool"),
        co_simulation: match root.child("CoSimulation") {
            Some(element) => Some(co_simulation(element, version)?),
            None => None,
        },
        model_exchange: identifier("ModelExchange")?,
        scheduled_execution: identifier("ScheduledExecution")?,
        units: root
            .children_of("UnitDefinitions")
            .iter()
            .map(unit)
            .collect::<Result<_, _>>()?,
        types,
        log_categories: root
            .children_of("LogCategories")
            .iter()
            .map(|category| category.text("name"))
            .collect(),
        default_experiment: match root.child("DefaultExperiment") {
            Some(element) => DefaultExperiment {
                start: number(element, "startTime")?,
                stop: number(element, "stopTime")?,
                tolerance: number(element, "tolerance")?,
                step: number(element, "stepSize")?,
            },
            None => DefaultExperiment::default(),
        },
        variables,
        outputs,
        initial_unknowns,
    })
}

fn co_simulation(element: &Element, version: FmiVersion) -> Result<CoSimulation, ParseError> {
    let (state, serialize, derivatives) = match version {
        FmiVersion::V2 => (
            "canGetAndSetFMUstate",
            "canSerializeFMUstate",
            "providesDirectionalDerivative",
        ),
        FmiVersion::V3 => (
            "canGetAndSetFMUState",
            "canSerializeFMUState",
            "providesDirectionalDerivatives",
        ),
    };
    let order = unsigned(element, "maxOutputDerivativeOrder")?;
    Ok(CoSimulation {
        model_identifier: required(element, "modelIdentifier")?.to_owned(),
        needs_execution_tool: flag(element, "needsExecutionTool")?,
        can_handle_variable_step: flag(element, "canHandleVariableCommunicationStepSize")?,
        fixed_internal_step: number(element, "fixedInternalStepSize")?,
        only_once_per_process: flag(element, "canBeInstantiatedOnlyOncePerProcess")?,
        can_get_and_set_state: flag(element, state)?,
        can_serialize_state: flag(element, serialize)?,
        provides_directional_derivatives: flag(element, derivatives)?,
        max_output_derivative_order: order.unwrap_or(0),
        has_event_mode: flag(element, "hasEventMode")?,
        might_return_early: flag(element, "mightReturnEarlyFromDoStep")?,
        provides_intermediate_update: flag(element, "providesIntermediateUpdate")?,
    })
}

fn unit(element: &Element) -> Result<Unit, ParseError> {
    let base = match element.child("BaseUnit") {
        None => None,
        Some(base) => {
            let mut exponents = [0; 8];
            let names = fixstep_variables::units::BASE_UNIT_NAMES;
            for (exponent, name) in exponents.iter_mut().zip(names) {
                let read = optional(base, name, "a whole number", |text| text.parse().ok())?;
                *exponent = read.unwrap_or(0);
            }
            let factor = number(base, "factor")?.unwrap_or(1.0);
            Some((exponents, factor, number(base, "offset")?.unwrap_or(0.0)))
        }
    };
    let display_units = element
        .all("DisplayUnit")
        .map(|display| {
            Ok(DisplayUnit {
                name: required(display, "name")?.to_owned(),
                factor: number(display, "factor")?.unwrap_or(1.0),
                offset: number(display, "offset")?.unwrap_or(0.0),
                inverse: matches!(display.attribute("inverse"), Some("true" | "1")),
            })
        })
        .collect::<Result<_, ParseError>>()?;
    Ok(Unit {
        name: required(element, "name")?.to_owned(),
        base,
        display_units,
    })
}

/// FMI 2 wraps the type in `<SimpleType>`, FMI 3 has `<Float64Type>` and so on.
fn types(root: &Element, version: FmiVersion) -> Result<Vec<TypeDefinition>, ParseError> {
    let definition = |element: &Element| {
        let body = match version {
            FmiVersion::V2 => element.children.first().unwrap_or(element),
            FmiVersion::V3 => element,
        };
        let items = body.all("Item").map(|item| {
            let value = optional(item, "value", "a whole number", |text| text.parse().ok())?;
            Ok(EnumerationItem {
                name: required(item, "name")?.to_owned(),
                value: value.ok_or_else(|| bad(item, "value", "is missing".to_owned()))?,
                description: item.text("description"),
            })
        });
        Ok(TypeDefinition {
            name: required(element, "name")?.to_owned(),
            unit: body.text("unit"),
            display_unit: body.text("displayUnit"),
            relative_quantity: matches!(body.attribute("relativeQuantity"), Some("true" | "1")),
            min: body.attribute("min").map(str::to_owned),
            max: body.attribute("max").map(str::to_owned),
            items: items.collect::<Result<_, ParseError>>()?,
        })
    };
    root.children_of("TypeDefinitions")
        .iter()
        .map(definition)
        .collect()
}

type Unknowns = (Vec<Unknown>, Vec<Unknown>);

fn structure(root: &Element, version: FmiVersion) -> Result<Unknowns, ParseError> {
    let Some(structure) = root.child("ModelStructure") else {
        return Ok(Unknowns::default());
    };
    match version {
        FmiVersion::V2 => {
            let list = |name: &str| {
                structure
                    .children_of(name)
                    .iter()
                    .map(|element| unknown(element, "index", 1))
                    .collect::<Result<_, _>>()
            };
            Ok((list("Outputs")?, list("InitialUnknowns")?))
        }
        FmiVersion::V3 => {
            let list = |name: &str| {
                structure
                    .all(name)
                    .map(|element| unknown(element, "valueReference", 0))
                    .collect::<Result<_, _>>()
            };
            Ok((list("Output")?, list("InitialUnknown")?))
        }
    }
}

/// `first` is the number of the first variable in the XML.
fn unknown(element: &Element, attribute: &str, first: u32) -> Result<Unknown, ParseError> {
    let position = |text: &str| text.parse::<u32>().ok()?.checked_sub(first);
    required(element, attribute)?;
    let reference = optional(element, attribute, "a number of a variable", position)?;
    let dependencies = optional(element, "dependencies", "a list of numbers", |text| {
        text.split_whitespace().map(position).collect()
    })?;
    Ok(Unknown {
        reference: reference.unwrap_or_default(),
        dependencies,
    })
}

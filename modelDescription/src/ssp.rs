//! System Structure and Parameterization, SSP 1.0: writes and reads `SystemStructure.ssd` and parameter sets (SSV).
//! Systems are flat: components that are FMUs, connections between them, values for their parameters.

mod read;

pub use read::{SspError, system, values};

use crate::parse::Unit;
use crate::tree::Element;
use crate::write::number;

/// The place of the description in an `.ssp`.
pub const DESCRIPTION: &str = "SystemStructure.ssd";

/// The version that is written, and whose namespaces are read.
const VERSION: &str = "1.0";

/// Names of namespaces begin with this.
const NAMESPACE: &str = "http://ssp-standard.org/SSP1/SystemStructure";

/// A system of FMUs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// Name.
    pub name: String,
    /// The description, as free text; empty: none.
    pub description: String,
    /// The FMUs.
    pub components: Vec<Component>,
    /// The connections.
    pub connections: Vec<Connection>,
    /// Units of connectors.
    pub units: Vec<Unit>,
    /// Start time \[s\].
    pub start: Option<f64>,
    /// Stop time \[s\].
    pub stop: Option<f64>,
}

/// An FMU in a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Component {
    /// Name.
    pub name: String,
    /// The FMU in the archive.
    pub source: String,
    /// Variables that others see.
    pub connectors: Vec<Connector>,
    /// Its parameter sets in the archive; if a parameter has two values, the later one counts.
    pub parameter_sets: Vec<String>,
}

/// A variable that others see.
#[derive(Clone, Debug, PartialEq)]
pub struct Connector {
    /// Name of the FMU's variable.
    pub name: String,
    /// An output? Otherwise an input.
    pub output: bool,
    /// Type.
    pub kind: Kind,
    /// Unit of a real number; empty: none.
    pub unit: String,
}

/// Types of connectors and parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Floating-point number.
    Real,
    /// Whole number.
    Integer,
    /// Boolean.
    Boolean,
    /// Text.
    String,
    /// Item of an enumeration, by name.
    Enumeration,
}

impl Kind {
    /// All kinds.
    const ALL: [Self; 5] = [
        Self::Real,
        Self::Integer,
        Self::Boolean,
        Self::String,
        Self::Enumeration,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Real => "Real",
            Self::Integer => "Integer",
            Self::Boolean => "Boolean",
            Self::String => "String",
            Self::Enumeration => "Enumeration",
        }
    }
}

/// Component and connector.
pub type Port = (String, String);

/// A connection: the input gets `factor` · value + `offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// Where the value comes from.
    pub from: Port,
    /// Where it goes.
    pub to: Port,
    /// Factor.
    pub factor: f64,
    /// Offset.
    pub offset: f64,
}

/// A value for a parameter, or a start value.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name of the variable.
    pub name: String,
    /// Type.
    pub kind: Kind,
    /// The value as XML has it.
    pub value: String,
    /// Unit of a real number; empty: that of the variable.
    pub unit: String,
}

impl System {
    /// The system as `SystemStructure.ssd`, made by `tool`.
    pub fn document(&self, tool: &str) -> String {
        let components = self.components.iter().map(component).collect();
        let connections = self.connections.iter().map(connection).collect();
        let system = Element::new("ssd:System")
            .with("name", &self.name)
            .with_some("description", &self.description)
            .containing_group("ssd:Elements", components)
            .containing_group("ssd:Connections", connections);
        let experiment = Element::new("ssd:DefaultExperiment")
            .with_option("startTime", self.start.map(number))
            .with_option("stopTime", self.stop.map(number));
        root("Description", "ssd", &self.name, tool)
            .with("xmlns:ssv", &format!("{NAMESPACE}ParameterValues"))
            .containing([system])
            .containing_group("ssd:Units", self.units.iter().filter_map(unit).collect())
            .containing([experiment])
            .document()
    }
}

/// A parameter set, made by `tool`.
pub fn parameter_set(name: &str, parameters: &[Parameter], units: &[Unit], tool: &str) -> String {
    let values = parameters.iter().map(|parameter| {
        let Parameter {
            name, kind, value, ..
        } = parameter;
        let value = Element::new(&format!("ssv:{}", kind.name()))
            .with("value", value)
            .with_some("unit", &parameter.unit);
        Element::new("ssv:Parameter")
            .with("name", name)
            .containing([value])
    });
    root("ParameterValues", "ssv", name, tool)
        .containing([Element::new("ssv:Parameters").containing(values)])
        .containing_group("ssv:Units", units.iter().filter_map(unit).collect())
        .document()
}

/// A root element with its namespaces.
fn root(what: &str, prefix: &str, name: &str, tool: &str) -> Element {
    let element = match prefix {
        "ssv" => "ssv:ParameterSet".to_owned(),
        _ => format!("{prefix}:SystemStructure{what}"),
    };
    Element::new(&element)
        .with(&format!("xmlns:{prefix}"), &format!("{NAMESPACE}{what}"))
        .with("xmlns:ssc", &format!("{NAMESPACE}Common"))
        .with("version", VERSION)
        .with("name", name)
        .with("generationTool", tool)
}

fn component(component: &Component) -> Element {
    let connectors = component.connectors.iter().map(|connector| {
        let kind = Element::new(&format!("ssc:{}", connector.kind.name()));
        Element::new("ssd:Connector")
            .with("name", &connector.name)
            .with("kind", if connector.output { "output" } else { "input" })
            .containing([kind.with_some("unit", &connector.unit)])
    });
    let bindings = component.parameter_sets.iter();
    let bindings =
        bindings.map(|source| Element::new("ssd:ParameterBinding").with("source", source));
    Element::new("ssd:Component")
        .with("name", &component.name)
        .with("type", "application/x-fmu-sharedlibrary")
        .with("source", &component.source)
        .with("implementation", "CoSimulation")
        .containing_group("ssd:Connectors", connectors.collect())
        .containing_group("ssd:ParameterBindings", bindings.collect())
}

fn connection(connection: &Connection) -> Element {
    let Connection {
        from,
        to,
        factor,
        offset,
    } = connection;
    let element = Element::new("ssd:Connection")
        .with("startElement", &from.0)
        .with("startConnector", &from.1)
        .with("endElement", &to.0)
        .with("endConnector", &to.1);
    if (*factor, *offset) == (1.0, 0.0) {
        return element;
    }
    // The transformation is complete: importers must not convert units in addition.
    let transformation = Element::new("ssc:LinearTransformation")
        .with("factor", &number(*factor))
        .with("offset", &number(*offset));
    element
        .with_flag("suppressUnitConversion", true)
        .containing([transformation])
}

/// A unit whose base is known.
fn unit(unit: &Unit) -> Option<Element> {
    let (exponents, factor, offset) = unit.base?;
    let mut base = Element::new("ssc:BaseUnit");
    let names = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];
    for (name, exponent) in names.into_iter().zip(exponents) {
        if exponent != 0 {
            base = base.with(name, &exponent.to_string());
        }
    }
    let base = base
        .with("factor", &number(factor))
        .with("offset", &number(offset));
    Some(
        Element::new("ssc:Unit")
            .with("name", &unit.name)
            .containing([base]),
    )
}

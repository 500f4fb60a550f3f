//! Parses the variables of a model description.

use super::model::{FmiVersion, TypeDefinition};
use super::{ParseError, bad, optional, read_flag, read_number, required, unsigned};
use crate::tree::Element;

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// The description, as free text; empty: none.
    pub description: String,
    /// Value reference.
    pub reference: u32,
    /// Type.
    pub kind: Type,
    /// Causality.
    pub causality: Causality,
    /// Variability.
    pub variability: Variability,
    /// `initial`, as written.
    pub initial: Option<Initial>,
    /// Start values as written, one per element; empty: none.
    pub start: Vec<String>,
    /// Name of the type definition; empty: none.
    pub declared_type: String,
    /// Unit, also if it comes from the type definition; empty: none.
    pub unit: String,
    /// Display unit, likewise.
    pub display_unit: String,
    /// It is a difference, to which the offset of a unit does not apply; likewise.
    pub relative_quantity: bool,
    /// Lower bound, likewise, as written.
    pub min: Option<String>,
    /// Upper bound, likewise, as written.
    pub max: Option<String>,
    /// Dimensions (FMI 3); empty: a scalar.
    pub dimensions: Vec<Dimension>,
    /// Other names of the variable (FMI 3).
    pub aliases: Vec<Alias>,
    /// MIME type of a binary variable (FMI 3); empty: none.
    pub mime_type: String,
    /// Line in the text, from 1.
    pub line: u32,
}

/// Another name of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Name.
    pub name: String,
    /// The description, as free text; empty: none.
    pub description: String,
    /// Display unit; empty: none.
    pub display_unit: String,
}

/// A dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A constant number.
    Fixed(u64),
    /// The number that the structural parameter with this value reference gives.
    Variable(u32),
}

/// Types of variables: FMI 3's; FMI 2 has Float64 (Real), Int32 (Integer), Boolean, String and
/// Enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// 32-bit floating point.
    Float32,
    /// 64-bit floating point.
    Float64,
    /// 8-bit integer.
    Int8,
    /// 8-bit natural number.
    UInt8,
    /// 16-bit integer.
    Int16,
    /// 16-bit natural number.
    UInt16,
    /// 32-bit integer.
    Int32,
    /// 32-bit natural number.
    UInt32,
    /// 64-bit integer.
    Int64,
    /// 64-bit natural number.
    UInt64,
    /// Boolean.
    Boolean,
    /// Text.
    String,
    /// Bytes.
    Binary,
    /// Enumeration.
    Enumeration,
    /// Clock.
    Clock,
}

/// Causality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Causality {
    /// Parameter.
    Parameter,
    /// Computed from parameters.
    CalculatedParameter,
    /// Input.
    Input,
    /// Output.
    Output,
    /// Local.
    Local,
    /// Usually time.
    Independent,
    /// Sizes arrays (FMI 3).
    StructuralParameter,
}

/// Variability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variability {
    /// Never changes.
    Constant,
    /// Fixed after initialization.
    Fixed,
    /// May be changed between steps.
    Tunable,
    /// Changes at events.
    Discrete,
    /// Changes continuously.
    Continuous,
}

/// How the initial value is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Initial {
    /// By the start value.
    Exact,
    /// By the start value, as a guess.
    Approx,
    /// Computed.
    Calculated,
}

impl Type {
    /// The type of an element of FMI 2 or FMI 3.
    pub(crate) fn of_element(name: &str) -> Option<Self> {
        Some(match name {
            "Float32" => Self::Float32,
            "Real" | "Float64" => Self::Float64,
            "Int8" => Self::Int8,
            "UInt8" => Self::UInt8,
            "Int16" => Self::Int16,
            "UInt16" => Self::UInt16,
            "Integer" | "Int32" => Self::Int32,
            "UInt32" => Self::UInt32,
            "Int64" => Self::Int64,
            "UInt64" => Self::UInt64,
            "Boolean" => Self::Boolean,
            "String" => Self::String,
            "Binary" => Self::Binary,
            "Enumeration" => Self::Enumeration,
            "Clock" => Self::Clock,
            _ => return None,
        })
    }

    /// Is it a floating-point type?
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }

    /// Is it a type whose values are numbers?
    pub const fn is_number(self) -> bool {
        !matches!(
            self,
            Self::Boolean | Self::String | Self::Binary | Self::Clock
        )
    }
}

impl Variable {
    /// Is it an array?
    pub fn is_array(&self) -> bool {
        !self.dimensions.is_empty()
    }

    /// Number of elements if all dimensions are fixed; 1 for a scalar.
    pub fn fixed_size(&self) -> Option<u64> {
        self.dimensions
            .iter()
            .try_fold(1_u64, |size, dimension| match dimension {
                Dimension::Fixed(length) => size.checked_mul(*length),
                Dimension::Variable(_) => None,
            })
    }

    /// The start values as numbers (booleans count 0 and 1); texts and unreadable ones are left out.
    pub fn start_numbers(&self) -> Vec<f64> {
        self.start
            .iter()
            .filter_map(|text| {
                if self.kind == Type::Boolean {
                    read_flag(text).map(|value| f64::from(u8::from(value)))
                } else {
                    read_number(text)
                }
            })
            .collect()
    }
}

/// A variable from its element; missing attributes come from its type definition.
pub(super) fn variable(
    element: &Element,
    version: FmiVersion,
    types: &[TypeDefinition],
) -> Result<Variable, ParseError> {
    let body = match version {
        FmiVersion::V3 => element,
        FmiVersion::V2 => element
            .children
            .iter()
            .find(|child| Type::of_element(&child.name).is_some())
            .ok_or_else(|| {
                bad(
                    element,
                    "type",
                    "no Real, Integer, Boolean, String or Enumeration is inside".to_owned(),
                )
            })?,
    };
    let kind = Type::of_element(&body.name)
        .ok_or_else(|| bad(body, "type", "is not a type of FMI 3".to_owned()))?;
    let causality =
        optional(element, "causality", "a causality", read_causality)?.unwrap_or(Causality::Local);
    let variability = optional(element, "variability", "a variability", read_variability)?
        .unwrap_or_else(|| default_variability(version, kind, causality));
    let declared_type = body.text("declaredType");
    let definition = types.iter().find(|it| it.name == declared_type);
    let inherited = |own: &str, of_type: fn(&TypeDefinition) -> String| {
        body.attribute(own)
            .map(str::to_owned)
            .or_else(|| definition.map(of_type))
            .unwrap_or_default()
    };
    let bound = |own: &str, of_type: fn(&TypeDefinition) -> Option<String>| {
        let own = body.attribute(own).map(str::to_owned);
        own.or_else(|| definition.and_then(of_type))
    };
    Ok(Variable {
        name: required(element, "name")?.to_owned(),
        description: element.text("description"),
        reference: unsigned(element, "valueReference")?
            .ok_or_else(|| bad(element, "valueReference", "is missing".to_owned()))?,
        kind,
        causality,
        variability,
        initial: optional(
            element,
            "initial",
            "exact, approx or calculated",
            read_initial,
        )?,
        start: start(body, kind),
        unit: inherited("unit", |definition| definition.unit.clone()),
        display_unit: inherited("displayUnit", |definition| definition.display_unit.clone()),
        relative_quantity: read_flag(&inherited("relativeQuantity", |definition| {
            definition.relative_quantity.to_string()
        }))
        .unwrap_or(false),
        min: bound("min", |definition| definition.min.clone()),
        max: bound("max", |definition| definition.max.clone()),
        declared_type,
        dimensions: body
            .all("Dimension")
            .map(dimension)
            .collect::<Result<_, _>>()?,
        aliases: body.all("Alias").map(alias).collect::<Result<_, _>>()?,
        mime_type: body.text("mimeType"),
        line: element.line,
    })
}

/// Texts and bytes of FMI 3 start in child elements, everything else in a list.
fn start(body: &Element, kind: Type) -> Vec<String> {
    match (kind, body.attribute("start")) {
        (Type::String | Type::Binary, Some(text)) => vec![text.to_owned()],
        (Type::String | Type::Binary, None) => {
            body.all("Start").map(|start| start.text("value")).collect()
        }
        (_, Some(text)) => text.split_whitespace().map(str::to_owned).collect(),
        (_, None) => Vec::new(),
    }
}

fn dimension(element: &Element) -> Result<Dimension, ParseError> {
    let fixed = optional(element, "start", "a whole number from 0 on", |text| {
        text.parse().ok()
    })?;
    match (fixed, unsigned(element, "valueReference")?) {
        (Some(length), None) => Ok(Dimension::Fixed(length)),
        (None, Some(reference)) => Ok(Dimension::Variable(reference)),
        _ => Err(bad(
            element,
            "start",
            "either start or valueReference is needed".to_owned(),
        )),
    }
}

fn alias(element: &Element) -> Result<Alias, ParseError> {
    Ok(Alias {
        name: required(element, "name")?.to_owned(),
        description: element.text("description"),
        display_unit: element.text("displayUnit"),
    })
}

/// FMI 3.0, section 2.4.7.4: parameters are fixed, floats continuous, all else discrete; the schema
/// of FMI 2.0 makes everything continuous.
fn default_variability(version: FmiVersion, kind: Type, causality: Causality) -> Variability {
    use Causality as C;
    match (version, causality) {
        (FmiVersion::V2, _) => Variability::Continuous,
        (FmiVersion::V3, C::Parameter | C::CalculatedParameter | C::StructuralParameter) => {
            Variability::Fixed
        }
        (FmiVersion::V3, _) if kind.is_float() => Variability::Continuous,
        (FmiVersion::V3, _) => Variability::Discrete,
    }
}

fn read_causality(text: &str) -> Option<Causality> {
    Some(match text {
        "parameter" => Causality::Parameter,
        "calculatedParameter" => Causality::CalculatedParameter,
        "input" => Causality::Input,
        "output" => Causality::Output,
        "local" => Causality::Local,
        "independent" => Causality::Independent,
        "structuralParameter" => Causality::StructuralParameter,
        _ => return None,
    })
}

fn read_variability(text: &str) -> Option<Variability> {
    Some(match text {
        "constant" => Variability::Constant,
        "fixed" => Variability::Fixed,
        "tunable" => Variability::Tunable,
        "discrete" => Variability::Discrete,
        "continuous" => Variability::Continuous,
        _ => return None,
    })
}

fn read_initial(text: &str) -> Option<Initial> {
    Some(match text {
        "exact" => Initial::Exact,
        "approx" => Initial::Approx,
        "calculated" => Initial::Calculated,
        _ => return None,
    })
}

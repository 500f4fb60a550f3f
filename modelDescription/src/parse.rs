//! Reads a `modelDescription.xml` of FMI 2.0 or 3.0, of any vendor.
//!
//! The reader is lenient: faults that do not prevent an importer from running the FMU are left to [`crate::check`].

mod model;
mod variables;

pub use crate::tree::XmlError;
pub use model::{
    CoSimulation, DefaultExperiment, Description, DisplayUnit, EnumerationItem, FmiVersion,
    TypeDefinition, Unit, Unknown,
};
pub use variables::{Alias, Causality, Dimension, Initial, Type, Variability, Variable};

use crate::tree::Element;

/// Why a description could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Not well-formed XML.
    #[error("modelDescription.xml, {0}")]
    Xml(#[from] XmlError),
    /// Not a model description.
    #[error("modelDescription.xml: the root element is <{0}>, expected <fmiModelDescription>")]
    Root(String),
    /// A version that this reader does not know.
    #[error("modelDescription.xml: fmiVersion=\"{0}\" is not supported; 2.0 and 3.0 are")]
    Version(String),
    /// An attribute is missing or cannot be read.
    #[error("modelDescription.xml, line {line}: <{element}> attribute {attribute}: {reason}")]
    Attribute {
        /// Line in the text, from 1.
        line: u32,
        /// The element.
        element: String,
        /// The attribute.
        attribute: String,
        /// The fault, and what would be valid.
        reason: String,
    },
}

/// Reads a description.
pub fn description(xml_text: &str) -> Result<Description, ParseError> {
    description_of(&Element::parse(xml_text)?)
}

/// A description from its root element.
pub(crate) fn description_of(root: &Element) -> Result<Description, ParseError> {
    model::description(root)
}

/// The version of a description.
pub fn version(xml_text: &str) -> Result<FmiVersion, ParseError> {
    version_of(&Element::parse(xml_text)?)
}

/// The version of a root element.
pub(crate) fn version_of(root: &Element) -> Result<FmiVersion, ParseError> {
    model::version(root)
}

/// An attribute that must be there.
fn required<'a>(element: &'a Element, attribute: &str) -> Result<&'a str, ParseError> {
    element
        .attribute(attribute)
        .ok_or_else(|| bad(element, attribute, "is missing".to_owned()))
}

/// An optional attribute, read with `read`.
fn optional<T>(
    element: &Element,
    attribute: &str,
    expected: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ParseError> {
    let Some(text) = element.attribute(attribute) else {
        return Ok(None);
    };
    match read(text.trim()) {
        Some(value) => Ok(Some(value)),
        None => Err(bad(
            element,
            attribute,
            format!("\"{text}\" is not {expected}"),
        )),
    }
}

fn bad(element: &Element, attribute: &str, reason: String) -> ParseError {
    ParseError::Attribute {
        line: element.line,
        element: element.name.clone(),
        attribute: attribute.to_owned(),
        reason,
    }
}

fn number(element: &Element, attribute: &str) -> Result<Option<f64>, ParseError> {
    optional(element, attribute, "a number", read_number)
}

fn unsigned(element: &Element, attribute: &str) -> Result<Option<u32>, ParseError> {
    optional(element, attribute, "a whole number from 0 on", |text| {
        text.parse().ok()
    })
}

fn flag(element: &Element, attribute: &str) -> Result<bool, ParseError> {
    Ok(optional(element, attribute, "true or false", read_flag)?.unwrap_or(false))
}

/// `xs:double`: besides Rust's spelling, INF and NaN in capitals.
pub(crate) fn read_number(text: &str) -> Option<f64> {
    match text {
        "INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ if text.contains(|c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E')) => None,
        _ => text.parse().ok(),
    }
}

/// `xs:boolean`.
pub(crate) fn read_flag(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

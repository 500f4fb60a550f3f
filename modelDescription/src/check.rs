//! Finds what is wrong with a `modelDescription.xml` of any vendor: violations of the schemas, and faults that the
//! schemas and the common validators miss.
//!
//! Passes: [`shape`] (elements and attributes as in the schemas, misspelt ones included), then on what was read
//! [`interfaces`], [`types`], [`variables`], [`attributes`], [`arrays`] and [`structure`]. [`terminals()`] checks the
//! terminals beside it.

mod arrays;
mod attributes;
mod interfaces;
mod schema;
mod shape;
mod structure;
mod terminals;
mod types;
mod variables;

use core::fmt;

use crate::parse::{self, Description, FmiVersion};
use crate::tree::Element;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Against the standard.
    Error,
    /// Legal, but importers will stumble or lose something.
    Warning,
}

/// A problem of a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Line in the text, from 1.
    pub line: u32,
    /// The element, with its name if it has one: `Float64 "x"`.
    pub element: String,
    /// The attribute; empty: the element as a whole.
    pub attribute: String,
    /// The fault, and what would be valid.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "line {}: {severity}: <{}>", self.line, self.element)?;
        if !self.attribute.is_empty() {
            write!(f, " {}", self.attribute)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The problems of a description that should be of `version`, in the order of their lines.
pub fn description(xml_text: &str, version: FmiVersion) -> Vec<Problem> {
    of_text(xml_text, |root, report| check(root, version, report))
}

/// The problems of a `terminalsAndIcons.xml` beside a description.
pub fn terminals(xml_text: &str, description: &Description) -> Vec<Problem> {
    of_text(xml_text, |root, report| {
        terminals::check(root, description, report);
    })
}

fn of_text(xml_text: &str, check: impl FnOnce(&Element, &mut Report)) -> Vec<Problem> {
    let mut report = Report::default();
    match Element::parse(xml_text) {
        Ok(root) => check(&root, &mut report),
        Err(error) => report.problems.push(Problem {
            severity: Severity::Error,
            line: error.line,
            element: "?".to_owned(),
            attribute: String::new(),
            message: format!("not well-formed XML: {}", error.message),
        }),
    }
    report.problems.sort_by_key(|problem| problem.line);
    report.problems
}

fn check(root: &Element, version: FmiVersion, report: &mut Report) {
    match parse::version_of(root) {
        Err(error) => return report.error(root, "fmiVersion", error.to_string()),
        Ok(found) if found != version => {
            let expected = match version {
                FmiVersion::V2 => "2.0",
                FmiVersion::V3 => "3.0",
            };
            return report.error(root, "fmiVersion", format!("{expected} was expected"));
        }
        Ok(_) => {}
    }
    shape::check(root, version, report);
    let description = match parse::description_of(root) {
        Ok(description) => description,
        Err(error) => {
            // Text that cannot be read normally violates the schema too; this covers cases where the schema is lax.
            if report.problems.is_empty() {
                report.error(root, "", error.to_string());
            }
            return;
        }
    };
    let subject = Subject {
        root,
        description: &description,
        version,
    };
    interfaces::check(&subject, report);
    types::check(&subject, report);
    variables::check(&subject, report);
    attributes::check(&subject, report);
    arrays::check(&subject, report);
    structure::check(&subject, report);
}

/// The data that the passes check.
struct Subject<'a> {
    root: &'a Element,
    description: &'a Description,
    version: FmiVersion,
}

impl<'a> Subject<'a> {
    /// The variables with their elements.
    fn variables(&self) -> impl Iterator<Item = (&'a Element, &'a parse::Variable)> {
        self.root
            .children_of("ModelVariables")
            .iter()
            .zip(&self.description.variables)
    }

    /// The element that carries type, unit and start: in FMI 2 the one inside.
    fn body(&self, element: &'a Element) -> &'a Element {
        match self.version {
            FmiVersion::V2 => element.children.first().unwrap_or(element),
            FmiVersion::V3 => element,
        }
    }

    /// An attribute of a variable, in any of its elements.
    fn attribute(&self, element: &'a Element, name: &str) -> Option<&'a str> {
        self.body(element).attribute(name)
    }
}

/// The problems so far.
#[derive(Default)]
struct Report {
    problems: Vec<Problem>,
}

impl Report {
    fn error(&mut self, element: &Element, attribute: &str, message: impl Into<String>) {
        self.add(Severity::Error, element, attribute, message.into());
    }

    fn warning(&mut self, element: &Element, attribute: &str, message: impl Into<String>) {
        self.add(Severity::Warning, element, attribute, message.into());
    }

    fn add(&mut self, severity: Severity, element: &Element, attribute: &str, message: String) {
        let name = ["name", "valueReference", "index"]
            .iter()
            .find_map(|key| element.attribute(key));
        self.problems.push(Problem {
            severity,
            line: element.line,
            element: match name {
                Some(name) => format!("{} \"{name}\"", element.name),
                None => element.name.clone(),
            },
            attribute: attribute.to_owned(),
            message,
        });
    }
}

//! Checks elements and attributes against the tables of the schemas.

use std::collections::BTreeMap;

use fixstep_model::expr::suggest;

use super::{Report, Severity, schema};
use crate::parse::{FmiVersion, read_flag, read_number};
use crate::tree::Element;

/// The contents of a line of a table.
struct Shape {
    attributes: Vec<Attribute>,
    children: Vec<Child>,
    /// Holds anything.
    open: bool,
}

struct Attribute {
    name: &'static str,
    kind: &'static str,
    required: bool,
}

/// A place for child elements.
struct Child {
    names: Vec<&'static str>,
    at_least_one: bool,
    at_most_one: bool,
}

type Table = BTreeMap<&'static str, Shape>;

/// Largest number of unknown attributes and children of one element that are reported by name.
const TOLD: usize = 20;

/// Reports every element and attribute that the schema does not know or cannot read.
pub(super) fn check(root: &Element, version: FmiVersion, report: &mut Report) {
    let text = match version {
        FmiVersion::V2 => schema::FMI2,
        FmiVersion::V3 => schema::FMI3,
    };
    against(text, root, report);
}

/// The same with another schema.
pub(super) fn against(schema: &'static str, root: &Element, report: &mut Report) {
    check_element(root, "", &table(schema), report);
}

fn table(text: &'static str) -> Table {
    let mut table = Table::new();
    for line in text.lines() {
        let mut columns = line.split('|');
        let names = columns.next().unwrap_or_default();
        let attributes = columns.next().unwrap_or_default();
        let children = columns.next().unwrap_or_default();
        for name in names.split_whitespace() {
            let shape = Shape {
                attributes: attributes.split_whitespace().map(attribute).collect(),
                children: children.split_whitespace().map(child).collect(),
                open: children.trim() == "...",
            };
            table.insert(name, shape);
        }
    }
    table
}

fn attribute(text: &'static str) -> Attribute {
    let (name, kind) = text.split_once(':').unwrap_or((text, "text"));
    Attribute {
        name,
        kind: kind.trim_end_matches('!'),
        required: kind.ends_with('!'),
    }
}

fn child(text: &'static str) -> Child {
    let bare = text.trim_end_matches(['?', '*', '+']);
    let names: Vec<&str> = bare.split('/').collect();
    // The one choice that is not repeated is FMI 2's type inside a variable or type definition.
    let any_number = text.ends_with(['*', '+']) || names.len() > 5;
    Child {
        at_least_one: !text.ends_with(['?', '*']),
        at_most_one: !any_number,
        names,
    }
}

fn check_element(element: &Element, parent: &str, table: &Table, report: &mut Report) {
    let within = format!("{parent}>{}", element.name);
    let shape = table
        .get(within.as_str())
        .or_else(|| table.get(element.name.as_str()));
    let Some(shape) = shape else {
        // The unknown element has been reported with its parent.
        return;
    };
    if shape.open {
        return;
    }
    attributes(element, shape, report);
    children(element, shape, report);
    for child in &element.children {
        check_element(child, &element.name, table, report);
    }
}

fn attributes(element: &Element, shape: &Shape, report: &mut Report) {
    let names = || shape.attributes.iter().map(|attribute| attribute.name);
    let mut unknown = 0;
    for (name, value) in &element.attributes {
        if name.contains(':') || name == "xmlns" {
            continue;
        }
        if let Some(known) = shape.attributes.iter().find(|known| known.name == name) {
            if let Some(expected) = unreadable(known.kind, value) {
                let message = format!("\"{value}\" is not {expected}");
                report.error(element, name, message);
            }
            continue;
        }
        unknown += 1;
        if unknown <= TOLD {
            unknown_attribute(element, name, names(), report);
        }
    }
    if unknown > TOLD {
        let message = format!(
            "has {} more attributes that the standard does not know",
            unknown - TOLD
        );
        report.error(element, "", message);
    }
    for required in shape.attributes.iter().filter(|it| it.required) {
        if element.attribute(required.name).is_none() {
            report.error(element, required.name, "is missing");
        }
    }
}

/// The schema of FMI 3 lets interfaces have any attribute, so a misspelt capability goes unnoticed and counts as
/// false. Here it is an error if a known name is similar.
fn unknown_attribute<'a>(
    element: &Element,
    name: &str,
    known: impl Iterator<Item = &'a str>,
    report: &mut Report,
) {
    let lax = matches!(
        element.name.as_str(),
        "ModelExchange" | "CoSimulation" | "ScheduledExecution"
    );
    let near = suggest::nearest(name, known);
    let severity = if lax && near.is_none() {
        Severity::Warning
    } else {
        Severity::Error
    };
    let hint = near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
    let message = format!("the standard knows no such attribute here, importers ignore it{hint}");
    report.add(severity, element, name, message);
}

fn children(element: &Element, shape: &Shape, report: &mut Report) {
    let place = |child: &Element| {
        shape
            .children
            .iter()
            .position(|place| place.names.contains(&child.name.as_str()))
    };
    let mut counts = vec![0_u32; shape.children.len()];
    let (mut furthest, mut unknown) = (0, 0);
    for child in &element.children {
        let Some(at) = place(child) else {
            unknown += 1;
            if unknown > TOLD {
                continue;
            }
            let known = shape.children.iter().flat_map(|place| place.names.clone());
            let hint = suggest::hint(&child.name, known);
            let message = format!("does not belong into <{}>{hint}", element.name);
            report.error(child, "", message);
            continue;
        };
        if at < furthest {
            let message = format!(
                "stands after <{}> but belongs before it",
                shape.children[furthest].names.join("> or <")
            );
            report.error(child, "", message);
        }
        furthest = furthest.max(at);
        counts[at] += 1;
        if counts[at] == 2 && shape.children[at].at_most_one {
            report.error(child, "", format!("occurs twice in <{}>", element.name));
        }
    }
    if unknown > TOLD {
        let message = format!(
            "holds {} more elements that do not belong into it",
            unknown - TOLD
        );
        report.error(element, "", message);
    }
    for (place, count) in shape.children.iter().zip(counts) {
        if place.at_least_one && count == 0 {
            let message = format!("has no <{}>", place.names.join("> or <"));
            report.error(element, "", message);
        }
    }
}

/// The expected form of a value that cannot be read as its type.
fn unreadable(kind: &str, value: &str) -> Option<&'static str> {
    let value = value.trim();
    let all = |readable: fn(&str) -> bool| value.split_whitespace().all(readable);
    let integer = |text: &str| text.parse::<i128>().is_ok();
    let unsigned = |text: &str| text.parse::<u64>().is_ok();
    let (readable, expected) = match kind {
        "flag" => (read_flag(value).is_some(), "true or false"),
        "flags" => (
            all(|it| read_flag(it).is_some()),
            "a list of true and false",
        ),
        "number" => (read_number(value).is_some(), "a number"),
        "numbers" => (all(|it| read_number(it).is_some()), "a list of numbers"),
        "integer" => (integer(value), "a whole number"),
        "integers" => (all(integer), "a list of whole numbers"),
        "unsigned" => (unsigned(value), "a whole number from 0 on"),
        "unsigneds" => (all(unsigned), "a list of whole numbers from 0 on"),
        "date" => (is_date(value), "a date such as 2026-01-31T12:00:00Z"),
        "convention" => (one_of("flat structured", value), "flat or structured"),
        "initial" => (
            one_of("exact approx calculated", value),
            "exact, approx or calculated",
        ),
        "variability" => (
            one_of("constant fixed tunable discrete continuous", value),
            "constant, fixed, tunable, discrete or continuous",
        ),
        "causality" => (
            one_of(
                "parameter calculatedParameter input output local independent structuralParameter",
                value,
            ),
            "a causality (parameter, calculatedParameter, input, output, local, independent; \
             in FMI 3 also structuralParameter)",
        ),
        "interval" => (
            one_of("constant fixed tunable changing countdown triggered", value),
            "constant, fixed, tunable, changing, countdown or triggered",
        ),
        "kinds" => (
            all(|it| one_of("dependent constant fixed tunable discrete", it)),
            "a list of dependent, constant, fixed, tunable and discrete",
        ),
        _ => (true, ""),
    };
    (!readable).then_some(expected)
}

fn one_of(words: &str, value: &str) -> bool {
    words.split(' ').any(|word| word == value)
}

/// `xs:dateTime`, as far as digits and separators go.
fn is_date(value: &str) -> bool {
    const PATTERN: &str = "0000-00-00T00:00:00";
    let mut rest = value.chars();
    let shaped = PATTERN.chars().all(|wanted| {
        rest.next().is_some_and(|c| {
            if wanted == '0' {
                c.is_ascii_digit()
            } else {
                c == wanted
            }
        })
    });
    let zone = rest.as_str();
    let zone = match zone.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => zone,
    };
    shaped && (matches!(zone, "" | "Z") || zone.len() == 6 && zone.starts_with(['+', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every child that a table names has a line of its own.
    #[test]
    fn tables_are_complete() {
        for text in [schema::FMI2, schema::FMI3, schema::TERMINALS] {
            let table = table(text);
            for (name, shape) in &table {
                if shape.open {
                    continue;
                }
                for child in shape.children.iter().flat_map(|place| &place.names) {
                    let within = format!("{name}>{child}");
                    assert!(
                        table.contains_key(child) || table.contains_key(within.as_str()),
                        "<{name}> names <{child}>"
                    );
                }
                for attribute in &shape.attributes {
                    let known =
                        attribute.kind == "text" || unreadable(attribute.kind, "~").is_some();
                    assert!(known, "{name} {}: {}", attribute.name, attribute.kind);
                }
            }
        }
    }

    #[test]
    fn dates() {
        for good in [
            "2026-01-31T12:00:00Z",
            "2026-01-31T12:00:00",
            "2026-01-31T12:00:00.125+01:00",
        ] {
            assert!(is_date(good), "{good}");
        }
        for bad in [
            "",
            "2026-01-31",
            "31.1.2026 12:00",
            "2026-01-31T12:00:00 UTC",
        ] {
            assert!(!is_date(bad), "{bad}");
        }
    }
}

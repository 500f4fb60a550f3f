//! Reads `SystemStructure.ssd` and parameter sets of any vendor, as far as a flat system of FMUs needs it. An element
//! that is not read but would change the result is an error, and is never ignored.

use super::{Component, Connection, Connector, Kind, NAMESPACE, Parameter, Port, System};
use crate::parse::{Unit, XmlError, read_number};
use crate::tree::Element;

/// Why a description or a parameter set could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SspError {
    /// Not well-formed XML.
    #[error(transparent)]
    Xml(#[from] XmlError),
    /// Something is missing, cannot be read, or is not read here.
    #[error("line {line}: <{element}> {reason}")]
    Element {
        /// Line in the text, from 1.
        line: u32,
        /// The element.
        element: String,
        /// The fault, and what would be valid.
        reason: String,
    },
}

type Result<T> = std::result::Result<T, SspError>;

/// Reads `SystemStructure.ssd`.
pub fn system(xml_text: &str) -> Result<System> {
    let root = parse(xml_text, "SystemStructureDescription")?;
    let system = root
        .child("System")
        .ok_or_else(|| bad(&root, "holds no <System>"))?;
    refuse(system, &["ParameterBindings", "SignalDictionaries"])?;
    for element in system.children_of("Elements") {
        if element.name != "Component" {
            return Err(bad(element, "is not read here; components are"));
        }
    }
    let components = system.children_of("Elements").iter().map(component);
    let connections = system.children_of("Connections").iter().map(connection);
    let experiment = root.child("DefaultExperiment");
    let time = |name| experiment.map_or(Ok(None), |element| real(element, name));
    Ok(System {
        name: root.text("name"),
        description: system.text("description"),
        components: components.collect::<Result<_>>()?,
        connections: connections.collect::<Result<_>>()?,
        units: root
            .children_of("Units")
            .iter()
            .map(unit)
            .collect::<Result<_>>()?,
        start: time("startTime")?,
        stop: time("stopTime")?,
    })
}

/// Reads a parameter set: name and values.
pub fn values(xml_text: &str) -> Result<(String, Vec<Parameter>)> {
    let root = parse(xml_text, "ParameterSet")?;
    let parameters = root.children_of("Parameters").iter().map(|parameter| {
        let known = |value: &&Element| kind(&value.name).is_some();
        let value = parameter.children.iter().find(known);
        let value =
            value.ok_or_else(|| bad(parameter, "holds no value of a type that is read here"))?;
        Ok(Parameter {
            name: required(parameter, "name")?,
            kind: kind(&value.name).unwrap_or(Kind::Real),
            value: required(value, "value")?,
            unit: value.text("unit"),
        })
    });
    Ok((root.text("name"), parameters.collect::<Result<_>>()?))
}

/// The root element, which must have a given name and a namespace of version 1; prefixes are removed.
fn parse(xml_text: &str, name: &str) -> Result<Element> {
    let mut root = Element::parse(xml_text)?;
    let known =
        |(key, value): &(String, String)| key.starts_with("xmlns") && value.starts_with(NAMESPACE);
    if !root.attributes.iter().any(known) {
        return Err(bad(&root, "is not in a namespace of SSP 1"));
    }
    strip(&mut root);
    if root.name != name {
        return Err(bad(
            &root,
            &format!("is the root element, expected <{name}>"),
        ));
    }
    Ok(root)
}

fn strip(element: &mut Element) {
    if let Some((_, name)) = element.name.split_once(':') {
        element.name = name.to_owned();
    }
    element.children.iter_mut().for_each(strip);
}

fn component(element: &Element) -> Result<Component> {
    let connectors = element
        .children_of("Connectors")
        .iter()
        .filter_map(connector);
    let mut parameter_sets = Vec::new();
    for binding in element.children_of("ParameterBindings") {
        refuse(binding, &["ParameterValues", "ParameterMapping"])?;
        if binding.text("sourceBase") == "component" || !binding.text("prefix").is_empty() {
            return Err(bad(
                binding,
                "has a prefix or another base, which is not read here",
            ));
        }
        parameter_sets.push(required(binding, "source")?);
    }
    Ok(Component {
        name: required(element, "name")?,
        source: required(element, "source")?,
        connectors: connectors.collect::<Result<_>>()?,
        parameter_sets,
    })
}

/// Inputs and outputs; connectors of other kinds are not connected here.
fn connector(element: &Element) -> Option<Result<Connector>> {
    let output = match element.text("kind").as_str() {
        "output" => true,
        "input" => false,
        _ => return None,
    };
    let value = element
        .children
        .iter()
        .find_map(|value| Some((kind(&value.name)?, value)));
    Some(required(element, "name").map(|name| {
        Connector {
            name,
            output,
            kind: value.map_or(Kind::Real, |(kind, _)| kind),
            unit: value
                .map(|(_, value)| value.text("unit"))
                .unwrap_or_default(),
        }
    }))
}

fn connection(element: &Element) -> Result<Connection> {
    let port = |side: &str| -> Result<Port> {
        let component = element.text(&format!("{side}Element"));
        if component.is_empty() {
            return Err(bad(
                element,
                "leads out of the system, which is not read here",
            ));
        }
        Ok((component, required(element, &format!("{side}Connector"))?))
    };
    for kind in ["Boolean", "Integer", "Enumeration"] {
        refuse(element, &[&format!("{kind}MappingTransformation")])?;
    }
    let linear = element.child("LinearTransformation");
    let figure = |name| linear.map_or(Ok(None), |linear| real(linear, name));
    Ok(Connection {
        from: port("start")?,
        to: port("end")?,
        factor: figure("factor")?.unwrap_or(1.0),
        offset: figure("offset")?.unwrap_or(0.0),
    })
}

fn unit(element: &Element) -> Result<Unit> {
    let base = element
        .child("BaseUnit")
        .ok_or_else(|| bad(element, "holds no <BaseUnit>"))?;
    let mut exponents = [0; 8];
    let names = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];
    for (name, exponent) in names.into_iter().zip(&mut exponents) {
        if let Some(text) = base.attribute(name) {
            let fail = |_| {
                bad(
                    base,
                    &format!("attribute {name}: \"{text}\" is not a whole number"),
                )
            };
            *exponent = text.trim().parse().map_err(fail)?;
        }
    }
    let factor = real(base, "factor")?.unwrap_or(1.0);
    Ok(Unit {
        name: required(element, "name")?,
        base: Some((exponents, factor, real(base, "offset")?.unwrap_or(0.0))),
        display_units: Vec::new(),
    })
}

fn kind(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}

/// Fails if one of these children is there.
fn refuse(element: &Element, names: &[&str]) -> Result<()> {
    let found = names.iter().find_map(|name| element.child(name));
    found.map_or(Ok(()), |child| Err(bad(child, "is not read here")))
}

fn required(element: &Element, attribute: &str) -> Result<String> {
    let value = element.attribute(attribute).map(str::to_owned);
    value.ok_or_else(|| bad(element, &format!("has no attribute {attribute}")))
}

fn real(element: &Element, attribute: &str) -> Result<Option<f64>> {
    let Some(text) = element.attribute(attribute) else {
        return Ok(None);
    };
    let value = read_number(text.trim()).filter(|value| value.is_finite());
    let fail = || {
        bad(
            element,
            &format!("attribute {attribute}: \"{text}\" is not a finite number"),
        )
    };
    value.map(Some).ok_or_else(fail)
}

fn bad(element: &Element, reason: &str) -> SspError {
    SspError::Element {
        line: element.line,
        element: element.name.clone(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::ssp::parameter_set;

    fn sample() -> System {
        let connector = |name: &str, output, unit: &str| Connector {
            name: name.to_owned(),
            output,
            kind: Kind::Real,
            unit: unit.to_owned(),
        };
        let component = |name: &str, connectors, parameter_sets| Component {
            name: name.to_owned(),
            source: format!("resources/{name}.fmu"),
            connectors,
            parameter_sets,
        };
        let port = |component: &str, name: &str| (component.to_owned(), name.to_owned());
        System {
            name: "a <loop>".to_owned(),
            description: "closed".to_owned(),
            components: vec![
                component(
                    "a",
                    vec![connector("x", true, "mm"), connector("u", false, "N")],
                    vec![],
                ),
                component(
                    "b",
                    vec![connector("y", false, "m")],
                    vec!["resources/b.ssv".to_owned()],
                ),
            ],
            connections: vec![Connection {
                from: port("a", "x"),
                to: port("b", "y"),
                factor: 0.001,
                offset: 0.0,
            }],
            units: vec![Unit {
                name: "mm".to_owned(),
                base: Some(([0, 1, 0, 0, 0, 0, 0, 0], 0.001, 0.0)),
                display_units: Vec::new(),
            }],
            start: Some(0.0),
            stop: Some(2.5),
        }
    }

    #[test]
    fn a_system_reads_back_as_written() {
        let text = sample().document("tool");
        assert_eq!(system(&text), Ok(sample()), "{text}");
        // Other vendors choose other prefixes.
        let other = text.replace("ssd:", "x:").replace("ssc:", "y:");
        assert_eq!(system(&other), Ok(sample()));
    }

    #[test]
    fn parameters_read_back_as_written() {
        let parameter = |name: &str, kind, value: &str, unit: &str| Parameter {
            name: name.to_owned(),
            kind,
            value: value.to_owned(),
            unit: unit.to_owned(),
        };
        let all = [
            parameter("k", Kind::Real, "1e-3", "N/m"),
            parameter("n", Kind::Integer, "3", ""),
            parameter("solver.integrator", Kind::Enumeration, "HHT", ""),
        ];
        let text = parameter_set("set", &all, &sample().units, "tool");
        assert_eq!(values(&text), Ok(("set".to_owned(), all.to_vec())));
    }

    #[test]
    fn what_would_change_the_result_is_refused() {
        let text = sample().document("tool");
        for (from, to, part) in [
            ("SSP1", "SSP9", "namespace of SSP 1"),
            (
                "ssd:SystemStructureDescription",
                "ssd:Other",
                "expected <SystemStructureDescription>",
            ),
            ("startElement=\"a\"", "", "leads out of the system"),
            (
                "ssc:Linear",
                "ssc:BooleanMapping",
                "<BooleanMappingTransformation> is not read",
            ),
            ("ssd:Component", "ssd:System", "components are"),
            ("source=\"resources/b.ssv\"", "", "no attribute source"),
            ("m=\"1\"", "m=\"x\"", "attribute m: \"x\""),
            ("stopTime=\"2.5\"", "stopTime=\"INF\"", "attribute stopTime"),
        ] {
            assert!(text.contains(from), "{from}");
            let message = system(&text.replace(from, to)).unwrap_err().to_string();
            assert!(message.contains(part), "{from}: {message}");
        }
    }
}

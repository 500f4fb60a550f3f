//! Control plane: what the schema says of each place of a model's tree: which values it takes, and what they mean.
//!
//! Units and references are handled before the tree is read into types. Both follow the published schema, so that a new
//! field has them without further code.

use crate::text::{Kind, Node};
use serde_json::Value;
use std::sync::OnceLock;

/// The schema, made once in a process that needs it.
fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(crate::schema::flat_schema)
}

/// A value of the tree that is neither object nor list, with what the schema says of its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'a> {
    /// The path, as messages have it.
    pub(crate) path: &'a str,
    /// The key, also of the items of a list.
    pub(crate) key: &'a str,
    /// The description of the field.
    pub(crate) description: &'a str,
    /// The indices in the lists below the key, outermost first.
    pub(crate) indices: &'a [usize],
    /// What the place takes.
    pub(crate) takes: Takes,
}

/// What a place takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Takes {
    /// A number.
    pub(crate) number: bool,
    /// A text.
    pub(crate) text: bool,
    /// An expression.
    pub(crate) expression: bool,
    /// A number or `=` with an expression of parameters.
    pub(crate) amount: bool,
}

/// What is called for each value.
type Visit<'a> = dyn FnMut(&mut Node, &Spot<'_>) + 'a;

/// Calls a function for every value of a model, as far as the schema knows its place.
pub(crate) fn visit(model: &mut Node, call: &mut Visit<'_>) {
    Walk {
        call,
        indices: Vec::new(),
    }
    .node(model, schema(), &Here::default());
}

/// The same for one entity of a list, as `parts`.
pub(crate) fn visit_entity(list: &str, entity: &mut Node, call: &mut Visit<'_>) {
    let items = &schema()["properties"][list]["items"];
    Walk {
        call,
        indices: Vec::new(),
    }
    .node(entity, items, &Here::default());
}

/// The lists of entities of a model.
pub(crate) fn lists() -> impl Iterator<Item = &'static str> {
    let properties = schema()["properties"].as_object().into_iter().flatten();
    let entities = properties
        .filter(|(_, list)| list["items"]["$ref"].is_string() && list["maxItems"].is_null());
    entities.map(|(name, _)| name.as_str())
}

/// The schemas of the entities of a list, one for each of their types.
fn entities(list: &str) -> Vec<&'static Value> {
    let items = &schema()["properties"][list]["items"];
    let mut found = Vec::new();
    variants(items, Takes::default(), &mut found);
    let objects = found.into_iter().map(|(schema, _)| schema);
    objects.filter(|s| s["properties"].is_object()).collect()
}

/// The types of the entities of a list: `bushing` of the forces.
pub(crate) fn words(list: &str) -> Vec<&'static str> {
    let words = entities(list).into_iter();
    words
        .filter_map(|schema| schema["properties"]["type"]["const"].as_str())
        .collect()
}

/// The fields of the entities of a list, or of those of one type.
pub(crate) fn fields(list: &str, word: Option<&str>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for schema in entities(list) {
        if word.is_some() && schema["properties"]["type"]["const"].as_str() != word {
            continue;
        }
        for name in schema["properties"].as_object().into_iter().flatten() {
            if !names.contains(&name.0.as_str()) {
                names.push(name.0.as_str());
            }
        }
    }
    names
}

/// The fields that the entities of a list must have, those of one type.
pub(crate) fn required(list: &str, word: Option<&str>) -> Vec<&'static str> {
    let mut found = entities(list).into_iter().filter(|schema| {
        let own = schema["properties"]["type"]["const"].as_str();
        own.is_none() || own == word
    });
    let required = found
        .next()
        .and_then(|schema| schema["required"].as_array());
    required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Where a walk is.
#[derive(Clone, Copy, Default)]
struct Here<'a> {
    path: &'a str,
    key: &'a str,
    description: &'a str,
    takes: Takes,
}

struct Walk<'a, 'b> {
    call: &'a mut Visit<'b>,
    indices: Vec<usize>,
}

impl Walk<'_, '_> {
    fn node(&mut self, node: &mut Node, schema: &Value, here: &Here<'_>) {
        let mut found = Vec::new();
        variants(schema, here.takes, &mut found);
        match &mut node.value {
            Kind::Object(_) => self.object(node, &found, here),
            Kind::List(items) => {
                let Some((schema, takes)) = found.iter().find(|(s, _)| !s["items"].is_null())
                else {
                    return;
                };
                let takes = *takes;
                for (k, item) in items.iter_mut().enumerate() {
                    let path = format!("{}[{k}]", here.path);
                    self.indices.push(k);
                    let below = Here {
                        path: &path,
                        takes,
                        ..*here
                    };
                    self.node(item, &schema["items"], &below);
                    self.indices.pop();
                }
            }
            _ => {
                let takes = found.iter().fold(here.takes, |sum, (schema, takes)| {
                    let is = |kind: &str| accepts(schema, kind);
                    Takes {
                        number: sum.number || is("number") || is("integer"),
                        text: sum.text || is("string"),
                        expression: sum.expression || takes.expression,
                        amount: sum.amount || takes.amount,
                    }
                });
                let spot = Spot {
                    path: here.path,
                    key: here.key,
                    description: here.description,
                    indices: &self.indices,
                    takes,
                };
                (self.call)(node, &spot);
            }
        }
    }

    fn object(&mut self, node: &mut Node, found: &[(&Value, Takes)], here: &Here<'_>) {
        let word = node.get("type").and_then(Node::as_str).map(str::to_owned);
        let has = |schema: &Value, key: &str| !schema["properties"][key].is_null();
        let tag = |schema: &Value| {
            schema["properties"]["type"]["const"]
                .as_str()
                .map(str::to_owned)
        };
        let mut objects = found
            .iter()
            .map(|(schema, _)| *schema)
            .filter(|schema| schema["properties"].is_object());
        let Kind::Object(fields) = &mut node.value else {
            return;
        };
        let fits = |schema: &&Value| match tag(schema) {
            Some(tag) => Some(tag) == word,
            None => fields.iter().any(|field| has(schema, &field.key)),
        };
        let Some(schema) = objects.find(fits) else {
            return;
        };
        let dot = if here.path.is_empty() { "" } else { "." };
        for field in fields {
            let property = &schema["properties"][field.key.as_str()];
            if property.is_null() || field.key == "type" && word.is_some() {
                continue;
            }
            let path = format!("{}{dot}{}", here.path, field.key);
            let below = Here {
                path: &path,
                key: &field.key,
                description: property["description"].as_str().unwrap_or_default(),
                takes: Takes::default(),
            };
            let outer = std::mem::take(&mut self.indices);
            self.node(&mut field.node, property, &below);
            self.indices = outer;
        }
    }
}

/// Is it a schema of this type?
fn accepts(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(word) => word == kind,
        Value::Array(words) => words.iter().any(|word| word == kind),
        _ => false,
    }
}

/// The schemas that a schema stands for, without references and choices.
fn variants<'a>(schema_of: &'a Value, takes: Takes, found: &mut Vec<(&'a Value, Takes)>) {
    if let Some(name) = schema_of["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or(name);
        let takes = Takes {
            expression: takes.expression || name == "Expression",
            amount: takes.amount || name == "Number",
            ..takes
        };
        variants(&schema()["$defs"][name], takes, found);
    }
    for choice in ["anyOf", "oneOf"] {
        for schema in schema_of[choice].as_array().into_iter().flatten() {
            variants(schema, takes, found);
        }
    }
    found.push((schema_of, takes));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::Report;
    use crate::text::{Sources, parse};

    #[test]
    fn every_place_has_its_description_and_what_it_takes() {
        let text = r#"{"gravity": [0, 0, "-g"], "parts": [{"name": "a", "mass": "=m", "inertia": {"xx": 1},
            "orientation": {"z_point": [0, 0, 1]}}],
            "forces": [{"type": "field", "name": "f", "stiffness": [[1, 2]]},
                {"type": "contact", "shapes": {"i": {"type": "box", "size": [1, 2, 3]}}}]}"#;
        let mut found = Vec::new();
        if let Some(mut tree) = parse(&Sources::new("", text), 0, &mut Report::default()) {
            visit(&mut tree, &mut |_, spot| {
                let Takes {
                    number,
                    expression,
                    amount,
                    ..
                } = spot.takes;
                let line = format!(
                    "{} {} {number} {expression} {amount} {:?}",
                    spot.path, spot.key, spot.indices
                );
                found.push(line);
            });
        }
        for line in [
            "gravity[2] gravity true true false [2]",
            "parts[0].mass mass true false true []",
            "parts[0].name name false false false []",
            "parts[0].inertia.xx xx true false true []",
            "parts[0].orientation.z_point[2] z_point true false true [2]",
            "forces[0].stiffness[0][1] stiffness true false true [0, 1]",
            "forces[1].shapes.i.size[1] size true false true [1]",
        ] {
            assert!(found.iter().any(|l| l == line), "{line}: {found:#?}");
        }
        assert!(
            lists().any(|list| list == "joints")
                && !lists().any(|list| ["solver", "gravity"].contains(&list))
        );
    }
}

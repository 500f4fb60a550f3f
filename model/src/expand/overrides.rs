//! Control plane: fields that an instance changes.

use super::{Context, surface};
use crate::errors::{At, quote, quote_all};
use crate::schema::FMU_PARAMETERS;
use crate::shape;
use crate::text::{Kind, Node};

/// Sets fields of one tree by those of another: objects field by field, `null` takes away.
pub(super) fn merge(into: &mut Node, from: &Node) {
    let (Kind::Object(_), Kind::Object(fields)) = (&into.value, &from.value) else {
        *into = from.clone();
        return;
    };
    for field in fields {
        match (into.get_mut(&field.key), &field.node.value) {
            (_, Kind::Null) => {
                into.take(&field.key);
            }
            (Some(node), _) => merge(node, &field.node),
            (None, _) => into.set(&field.key, field.node.clone()),
        }
    }
}

/// The ways to give axes, of which one is given.
const AXES: [&str; 3] = ["euler", "quaternion", "z_point"];

/// Checks the fields that an instance changes of an entity, where it changes them.
pub(super) fn check(list: &str, entity: &Node, from: &Node, at: &At, context: &mut Context<'_>) {
    let word = from.get("type").or(entity.get("type"));
    let word = word.and_then(Node::as_str);
    let known = shape::fields(list, word);
    if known.is_empty() || word.is_some_and(|word| word.contains("${")) {
        return;
    }
    let required = shape::required(list, word);
    for field in from.as_object().unwrap_or(&[]) {
        let key = field.key.as_str();
        let at = at.field(key).marked(field.mark);
        let own = ["when", "class"].contains(&key);
        if let Some(message) = surface::field_fault(key, &known).filter(|_| !own) {
            context.report.add(&at, message);
        } else if key == "name" {
            let message = "an entity keeps its name: others know it by that";
            context.report.add(&at, message);
        } else if field.node.value == Kind::Null && required.contains(&key) {
            let message = format!("{} cannot be taken away: it is required", quote(key));
            context.report.add(&at, message);
        }
        if key == "orientation" {
            let has = |node: Option<&Node>, word: &str| {
                node.and_then(|node| node.get(word))
                    .map(|node| node.value != Kind::Null)
            };
            let other: Vec<&str> = AXES
                .into_iter()
                .filter(|word| {
                    has(entity.get(key), word) == Some(true)
                        && has(Some(&field.node), word).is_none()
                })
                .collect();
            let given = AXES.iter().any(|word| has(Some(&field.node), word) == Some(true));
            if given && !other.is_empty() {
                let message = format!(
                    "the template gives the axes by {}: take it away with {}: null",
                    quote_all(other.iter().copied()),
                    quote_all(other.iter().copied())
                );
                context.report.add(&at, message);
            }
        }
    }
}

/// Lists and places of the entities of a template with a name.
pub(super) fn named(tree: &Node, list: Option<&str>, name: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let list = list.map(|list| match list {
        FMU_PARAMETERS => "parameters",
        list => list,
    });
    for field in tree.as_object().unwrap_or(&[]) {
        if list.is_some_and(|list| list != field.key) {
            continue;
        }
        for (k, item) in field.node.as_list().unwrap_or(&[]).iter().enumerate() {
            if item.get("name").and_then(Node::as_str) == Some(name) {
                found.push((field.key.clone(), k));
            }
        }
    }
    found
}

/// The names of the entities of a template.
pub(super) fn all_names(tree: &Node) -> Vec<String> {
    let lists = tree.as_object().unwrap_or(&[]).iter();
    let items = lists.flat_map(|field| field.node.as_list().unwrap_or(&[]));
    items
        .filter_map(|item| item.get("name").and_then(Node::as_str))
        .map(str::to_owned)
        .collect()
}

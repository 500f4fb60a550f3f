//! Control plane: fields that an instance changes.

use super::{Context, surface};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::schema::FMU_PARAMETERS;
use crate::shape;
use crate::text::{Kind, Node};
use std::collections::BTreeSet;

/// How overrides are written.
const SYNTAX: &str = r#"{"spring": {"stiffness": 5}}"#;

/// Changes entities of a template for an instance.
pub(super) fn apply(
    (overrides, at): (&Node, &At),
    template: &str,
    tree: &mut Node,
    context: &mut Context<'_>,
) {
    let Some(fields) = overrides.as_object() else {
        let message = format!(
            "expected an object of names and fields: {SYNTAX}; found {}",
            overrides.to_value()
        );
        let at = at.clone().marked(overrides.mark);
        context.report.add(&at, message);
        return;
    };
    let mut seen = BTreeSet::new();
    for field in fields {
        let at = at.clone().marked(field.mark);
        let inner = at.field(&field.key);
        if field.node.as_object().is_none() {
            let message = format!(
                "expected an object of the fields of {} that are different: {SYNTAX}; found {}",
                quote(&field.key),
                field.node.to_value()
            );
            context.report.add(&inner.marked(field.node.mark), message);
            continue;
        }
        match place(&field.key, template, tree) {
            Ok(place) if !seen.insert(place.clone()) => {
                let message = format!("{} is overridden twice: keep one", quote(&place.2));
                context.report.add(&at, message);
            }
            Ok((list, k, _)) => {
                if let Some(Kind::List(items)) = tree.get_mut(&list).map(|node| &mut node.value) {
                    check((&list, &items[k]), &field.node, &inner, context);
                    merge(&mut items[k], &field.node);
                }
            }
            Err(message) => context.report.add(&at, message),
        }
    }
}

/// The list, number and name of the entity that an override names, or why there is none.
fn place(key: &str, template: &str, tree: &Node) -> Result<(String, usize, String), String> {
    let (list, name) = match key.split_once('/') {
        Some((list, name)) => (Some(list), name),
        None => (None, key),
    };
    let found = named(tree, list, name);
    match found.as_slice() {
        [(list, k)] => Ok((list.clone(), *k, name.to_owned())),
        [] => {
            let names = all_names(tree);
            Err(format!(
                "the template {} has nothing called {}{}; an override is the name of an entity with the fields that are different, \
                 {SYNTAX}; what is in an instance within the template is changed in that instance",
                quote(template),
                quote(key),
                hint(name, names.iter().map(String::as_str))
            ))
        }
        several => {
            let ways: Vec<String> = several
                .iter()
                .map(|(list, _)| quote(&format!("{list}/{name}")))
                .collect();
            Err(format!(
                "{} is the name of several entities; valid: {}",
                quote(name),
                ways.join(", ")
            ))
        }
    }
}

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
fn check((list, entity): (&str, &Node), from: &Node, at: &At, context: &mut Context<'_>) {
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
            let given = AXES
                .iter()
                .any(|word| has(Some(&field.node), word) == Some(true));
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
fn named(tree: &Node, list: Option<&str>, name: &str) -> Vec<(String, usize)> {
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
fn all_names(tree: &Node) -> Vec<String> {
    let lists = tree.as_object().unwrap_or(&[]).iter();
    let items = lists.flat_map(|field| field.node.as_list().unwrap_or(&[]));
    items
        .filter_map(|item| item.get("name").and_then(Node::as_str))
        .map(str::to_owned)
        .collect()
}

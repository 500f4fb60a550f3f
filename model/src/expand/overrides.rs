//! Control plane: fields that an instance changes.

use crate::schema::FMU_PARAMETERS;
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

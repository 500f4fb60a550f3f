//! Control plane: the tree of a model as it is read: templates expanded, numbers with units resolved.

use crate::errors::Report;
use crate::resources::Resources;
use crate::text::{self, Kind, Node, Sources};
use crate::{expand, measure, schema, units};
use fixstep_kernel::mechanism::UnitSystem;

/// A flat model, with the texts that it came from.
#[derive(Debug)]
pub(crate) struct Flat {
    /// Its values; `None` after a report.
    pub(crate) tree: Option<Node>,
    /// Its texts.
    pub(crate) sources: Sources,
    /// Did it have templates or includes?
    pub(crate) expanded: bool,
}

/// Reads a text and makes it flat.
pub(crate) fn read(name: &str, text: &str, files: &Resources<'_>, report: &mut Report) -> Flat {
    let mut sources = Sources::new(name, text);
    let Some(mut tree) = text::parse(&sources, 0, report) else {
        return Flat {
            tree: None,
            sources,
            expanded: false,
        };
    };
    let expanded = expand::is_needed(&tree);
    let units = units_of(&tree);
    if expanded {
        match expand::flat(tree, units.clone(), (&mut sources, files), report) {
            Some(flat) => tree = flat,
            None => {
                return Flat {
                    tree: None,
                    sources,
                    expanded,
                };
            }
        }
    }
    measure::resolve(&mut tree, &units, report);
    measure::check_amounts(&mut tree, &units, report);
    Flat {
        tree: Some(tree),
        sources,
        expanded,
    }
}

/// The units of a file; what is wrong with them is reported when the model is read.
pub(crate) fn units_of(tree: &Node) -> UnitSystem {
    use crate::read::FromJson;
    let quiet = &mut Report::default();
    let units = tree.get("units").map(Node::to_value);
    let units = units
        .and_then(|units| schema::Units::from_json(&units, &crate::errors::At::default(), quiet));
    units::read(units.as_ref(), quiet)
}

/// The text of a tree, in the one form of texts.
pub(crate) fn text(tree: &Node) -> String {
    let mut plain = String::new();
    write(tree, &mut plain);
    text::format::formatted(&plain).unwrap_or(plain)
}

/// JSON in the order of the tree.
fn write(node: &Node, out: &mut String) {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    match &node.value {
        Kind::List(items) => {
            out.push('[');
            for (k, item) in items.iter().enumerate() {
                out.push_str(if k > 0 { ", " } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Kind::Object(fields) => {
            out.push('{');
            for (k, field) in fields.iter().enumerate() {
                out.push_str(if k > 0 { ", " } else { "" });
                out.push_str(&quoted(&field.key));
                out.push_str(": ");
                write(&field.node, out);
            }
            out.push('}');
        }
        _ => out.push_str(&node.to_value().to_string()),
    }
}

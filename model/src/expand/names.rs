//! Control plane: names of entities in templates become paths: `upright` in the instance `left` is `left.upright`.
//!
//! References and expressions follow: to entities of the template by their paths, to ports by what the instance gives for
//! them. Nothing else outside of a template can be named in it, except ground and what expressions always know.

use super::body::Entity;
use super::eval::Scope;
use super::fields::{REFERENCES, TEXTS, is_expression};
use super::template::Template;
use super::{Context, place};
use crate::errors::quote;
use crate::expr::suggest::hint;
use crate::shape;
use crate::text::{Kind, Node};
use std::collections::{BTreeMap, BTreeSet};

/// Names of entities by their lists.
pub(super) type Kinds = BTreeMap<String, BTreeSet<String>>;

/// The names of all entities.
pub(super) fn kinds(entities: &[Entity]) -> Kinds {
    let mut kinds = Kinds::new();
    for entity in entities {
        let names = kinds.entry(entity.list.clone()).or_default();
        names.insert(entity.name().to_owned());
    }
    kinds
}

/// What the names of a template become.
pub(super) struct Renames<'a> {
    instance: &'a str,
    template: &'a Template,
    own: BTreeSet<String>,
    ports: BTreeMap<String, String>,
    /// What `${…}` can read in it.
    values: &'a Scope,
}

/// What becomes of a name.
enum Becomes {
    /// Another name, or the text of an expression.
    Text(String),
    /// It stays: ground, or what has been reported.
    Stays,
    /// The template does not have it.
    Unknown,
}

impl<'a> Renames<'a> {
    pub(super) fn new(
        instance: &'a str,
        template: &'a Template,
        entities: &[Entity],
        (ports, values): (BTreeMap<String, String>, &'a Scope),
    ) -> Self {
        let own = entities.iter().map(|entity| entity.name().to_owned());
        Self {
            instance,
            template,
            own: own.filter(|name| !name.is_empty()).collect(),
            ports,
            values,
        }
    }

    fn path(&self, name: &str) -> String {
        format!("{}.{name}", self.instance)
    }

    fn becomes(&self, name: &str) -> Becomes {
        if self.own.contains(name) {
            Becomes::Text(self.path(name))
        } else if let Some(text) = self.ports.get(name) {
            Becomes::Text(text.clone())
        } else if name == "ground" || self.template.ports.iter().any(|port| port.name == name) {
            Becomes::Stays
        } else {
            Becomes::Unknown
        }
    }

    /// A signal of a control element, as `controller.u`, or a state of a friction, as `brake.1`.
    fn part_of(&self, name: &str) -> Option<String> {
        let (owner, signal) = name.rsplit_once('.')?;
        match self.becomes(owner) {
            Becomes::Text(text) if !text.starts_with('(') => Some(format!("{text}.{signal}")),
            _ => None,
        }
    }

    /// The message about a name that the template does not have.
    fn missing(&self, name: &str, list: Option<&&'static str>) -> String {
        let ports = self.template.ports.iter().map(|port| port.name.as_str());
        let own = self.own.iter().map(String::as_str).chain(ports);
        let remedy = match list {
            Some(list) => format!(
                "; it is one of the {list} of the model: make it a port of the template, which every instance connects"
            ),
            None => hint(name, own),
        };
        format!(
            "the template {} has no {}{remedy}",
            quote(&self.template.name),
            quote(name)
        )
    }
}

/// Renames an entity of a template and what it refers to.
pub(super) fn rename(entity: &mut Entity, renames: &Renames<'_>, context: &mut Context<'_>) {
    let list = entity.list.clone();
    let at = place(&list, list.strip_suffix('s').unwrap_or(&list), &entity.node);
    let shadowed = shadowed(entity);
    let mut problems = Vec::new();
    let outer = &context.outer;
    shape::visit_entity(&list, &mut entity.node, &mut |node, spot| {
        let mark = node.mark;
        let Kind::Text(text) = &mut node.value else {
            return;
        };
        let takes = spot.takes;
        if takes.expression || is_expression(&list, spot.key) {
            let (new, missing) = in_expression(text, renames, (&shadowed, outer));
            *text = new;
            problems.extend(
                missing
                    .into_iter()
                    .map(|message| (spot.path.to_owned(), mark, message)),
            );
        } else if takes.amount {
            if let Some(expression) = text.trim_start().strip_prefix('=') {
                let (new, missing) = in_expression(expression, renames, (&shadowed, outer));
                *text = format!("={new}");
                problems.extend(
                    missing
                        .into_iter()
                        .map(|message| (spot.path.to_owned(), mark, message)),
                );
            }
        } else if REFERENCES.contains(&spot.key) {
            match renames.becomes(text) {
                Becomes::Text(new) => *text = new,
                Becomes::Stays => {}
                Becomes::Unknown => {
                    let message = renames.missing(text, outer.get(text.as_str()));
                    problems.push((spot.path.to_owned(), mark, message));
                }
            }
        } else if TEXTS.contains(&spot.key)
            && let Some(name) = text.strip_prefix('=')
            && let Becomes::Text(new) = renames.becomes(name)
        {
            *text = format!("={new}");
        }
    });
    for (path, mark, message) in problems {
        context.report.add(&at.field(&path).marked(mark), message);
    }
    if let Some(Kind::Text(name)) = entity.node.get_mut("name").map(|node| &mut node.value) {
        *name = renames.path(name);
    }
}

/// The message about a value that stands where a name of the mechanism is expected.
fn bare(name: &str, what: &str) -> String {
    format!("{} is {what}: write ${{{name}}}", quote(name))
}

/// Is a name somewhere an argument by itself? Then it may be that of a point, a shape or another thing that a function knows.
fn is_argument(name: &str, text: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end().ends_with(['(', ',']);
        before && text[at + name.len()..].trim_start().starts_with([',', ')'])
    })
}

/// Reports constants that expressions of the model read as if they were parameters of the FMU.
pub(super) fn check_bare(entities: &mut [Entity], scope: &Scope, context: &mut Context<'_>) {
    for entity in entities {
        let list = entity.list.clone();
        let at = place(&list, list.strip_suffix('s').unwrap_or(&list), &entity.node);
        let shadowed = shadowed(entity);
        let mut problems = Vec::new();
        let outer = &context.outer;
        shape::visit_entity(&list, &mut entity.node, &mut |node, spot| {
            let takes = spot.takes;
            let text = match node.as_str() {
                Some(text) if takes.expression || is_expression(&list, spot.key) => text,
                Some(text) if takes.amount && text.trim_start().starts_with('=') => text,
                _ => return,
            };
            let _ = replaced(text, &mut |name, is_call| {
                let other = is_call
                    || shadowed.contains(name)
                    || outer.contains_key(name)
                    || is_argument(name, text);
                if !other && scope.get(name).is_some() {
                    problems.push((spot.path.to_owned(), node.mark, bare(name, "a constant")));
                }
                None
            });
        });
        for (path, mark, message) in problems {
            context.report.add(&at.field(&path).marked(mark), message);
        }
    }
}

/// Names that mean something else within an entity.
fn shadowed(entity: &Entity) -> BTreeSet<String> {
    let arguments = entity
        .node
        .get("arguments")
        .and_then(Node::as_list)
        .unwrap_or(&[]);
    let mut names: BTreeSet<String> = arguments
        .iter()
        .filter_map(Node::as_str)
        .map(str::to_owned)
        .collect();
    match entity.list.as_str() {
        "curves" => {
            names.insert("s".to_owned());
        }
        "flexible_bodies" => names.extend(["FREQUENCY", "MODE"].map(str::to_owned)),
        _ => {}
    }
    names
}

/// An expression with other names, and the messages about names that the template does not have.
fn in_expression(
    text: &str,
    renames: &Renames<'_>,
    (shadowed, outer): (&BTreeSet<String>, &BTreeMap<String, &'static str>),
) -> (String, Vec<String>) {
    let mut missing = Vec::new();
    let new = replaced(text, &mut |name, is_call| {
        if shadowed.contains(name) {
            return None;
        }
        match renames.becomes(name) {
            Becomes::Text(text) => Some(text),
            Becomes::Stays => None,
            Becomes::Unknown => {
                if let Some(new) = renames.part_of(name) {
                    return Some(new);
                }
                let other = is_call || outer.contains_key(name) || is_argument(name, text);
                if !other && renames.values.get(name).is_some() {
                    missing.push(bare(name, "a constant or a parameter of the template"));
                    return None;
                }
                // What is in an instance of the model begins with its name.
                let first = name.split(['.', '[']).next().unwrap_or(name);
                let instance = outer.get(first).filter(|list| **list == "instances");
                let list = outer.get(name).or(instance);
                if let Some(list) = list.filter(|list| !is_call || **list == "macros") {
                    missing.push(renames.missing(name, Some(list)));
                }
                None
            }
        }
    });
    (new, missing)
}

/// An expression with its names replaced; the function is told whether a name is called as a function.
pub(super) fn replaced(text: &str, by: &mut dyn FnMut(&str, bool) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            'a'..='z' | 'A'..='Z' | '_' => crate::expr::name_length(rest),
            '\'' => quoted(rest),
            '0'..='9' | '.' => number(rest),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let name = match c {
            '\'' => Some(token.trim_matches('\'').replace("''", "'")),
            c if c.is_ascii_alphabetic() || c == '_' => Some(token.to_owned()),
            _ => None,
        };
        let is_call = after.trim_start().starts_with('(');
        match name.and_then(|name| by(&name, is_call)) {
            Some(new) => out.push_str(&spelt(&new)),
            None => out.push_str(token),
        }
        rest = after;
    }
    out
}

/// A name as expressions write it: in quotes if it is not plain. The text of an expression stays as it is.
fn spelt(name: &str) -> String {
    let plain = crate::expr::name_length(name) == name.len()
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if plain || name.starts_with('(') || name.parse::<f64>().is_ok() {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "''"))
    }
}

/// The length of a name in quotes, or of what is left if it is not closed.
fn quoted(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        if bytes[at] == b'\'' {
            if bytes.get(at + 1) != Some(&b'\'') {
                return at + 1;
            }
            at += 1;
        }
        at += 1;
    }
    text.len()
}

/// The length of a number with its exponent and suffix.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let sign = matches!(byte, b'+' | b'-')
            && matches!(bytes.get(at.wrapping_sub(1)), Some(b'e' | b'E'));
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || sign && at > 0) {
            break;
        }
        at += 1;
    }
    at.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_expressions_are_replaced_and_nothing_else() {
        let by = &mut |name: &str, is_call: bool| match name {
            "a" if !is_call => Some("left.a".to_owned()),
            "any name" => Some("left.any name".to_owned()),
            "leg[2].foot" => Some("left.leg[2].foot".to_owned()),
            "brake" => Some("(0.5*x)".to_owned()),
            _ => None,
        };
        for (text, expected) in [
            ("2*DX(a, ground) - a", "2*DX(left.a, ground) - left.a"),
            ("a(1) + 1e-3a + b.a + a_1", "a(1) + 1e-3a + b.a + a_1"),
            ("'any name' + 'a'", "'left.any name' + left.a"),
            ("DX(leg[2].foot)/-brake", "DX(left.leg[2].foot)/-(0.5*x)"),
            ("'open", "'open"),
            ("5.e+3-a", "5.e+3-left.a"),
            ("30D*ä", "30D*ä"),
        ] {
            assert_eq!(replaced(text, by), expected, "{text}");
        }
    }
}

//! Control plane: the entities of a model or a template, with those of its instances.

use super::eval::Scope;
use super::names::{self, Kinds};
use super::{Context, eval, instance};
use crate::errors::{At, Report, does_not_exist, quote};
use crate::expr::suggest::hint;
use crate::limits::EXPANDED_ENTITIES;
use crate::measure;
use crate::schema::{HERE, PORTS};
use crate::shape;
use crate::text::{Kind, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// An entity on its way into the flat model. Its names and references are those of the body that it is in.
#[derive(Clone, Debug)]
pub(crate) struct Entity {
    /// Its list.
    pub(crate) list: String,
    pub(crate) node: Node,
    /// A marker whose frame is in the axes of the body it is in, not in those of its part.
    pub(crate) floating: bool,
}

impl Entity {
    pub(crate) fn name(&self) -> &str {
        self.node
            .get("name")
            .and_then(Node::as_str)
            .unwrap_or_default()
    }

    /// A field of text.
    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        self.node.get(field).and_then(Node::as_str)
    }
}

/// What an instance takes from the body that it is in, to be checked when the body is complete.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) at: At,
}

/// The entities of a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    pub(crate) entities: Vec<Entity>,
    taken: Vec<Taken>,
}

/// Expands the lists and instances of a model or a template. `open` has the templates that it is in.
pub(super) fn expand(
    tree: &Node,
    scope: &Scope,
    open: &[String],
    context: &mut Context<'_>,
) -> Option<Body> {
    let before = context.report.count();
    let mut own = own_entities(tree, scope, context);
    resolve_units(&mut own, context);
    if context.report.count() > before {
        // What follows from it needs no message.
        return None;
    }
    let mut body = Body::default();
    if let Some(instances) = tree.get("instances") {
        let Some(items) = instances.as_list() else {
            let at = At::default().field("instances").marked(instances.mark);
            context.report.add(
                &at,
                "expected a list of instances: [{\"name\": \"left\", \"template\": \"leg\"}]",
            );
            return None;
        };
        let mut names = BTreeSet::new();
        for item in items {
            if context.report.is_full() {
                return None;
            }
            let more = instance::expand(item, scope, (open, &mut names), context);
            body.append(more);
            if context.entities > EXPANDED_ENTITIES {
                let at = super::place("instances", "instance", item);
                let message = format!("the templates make more than {EXPANDED_ENTITIES} entities");
                context.report.add(&at, message);
                return None;
            }
        }
    }
    body.entities = in_order(own, body.entities);
    Some(body)
}

/// The own entities of a body, list by list; `None`: there the instances come.
fn own_entities(
    tree: &Node,
    scope: &Scope,
    context: &mut Context<'_>,
) -> Vec<(String, Option<Entity>)> {
    let mut own = Vec::new();
    let known: BTreeSet<&str> = shape::lists().collect();
    for field in tree.as_object().unwrap_or(&[]) {
        if !known.contains(field.key.as_str()) {
            continue;
        }
        for item in field.node.as_list().unwrap_or(&[]) {
            let list = field.key.clone();
            if item.as_str() == Some(HERE) {
                own.push((list, None));
                continue;
            }
            let mut node = item.clone();
            if let Some(when) = node.take("when")
                && !holds(when, scope, context)
            {
                continue;
            }
            eval::substitute(&mut node, scope, context);
            if let Kind::Object(fields) = &mut node.value {
                // The same as leaving it out.
                fields.retain(|field| field.node.value != Kind::Null);
            }
            context.entities += 1;
            let entity = Entity {
                list,
                node,
                floating: false,
            };
            own.push((field.key.clone(), Some(entity)));
        }
    }
    own
}

/// Is the condition of an entity or an instance true: a number that is not zero, or `true`?
pub(super) fn holds(mut when: Node, scope: &Scope, context: &mut Context<'_>) -> bool {
    let before = context.report.count();
    eval::substitute(&mut when, scope, context);
    match &when.value {
        Kind::Bool(flag) => *flag,
        Kind::Number(number) => number.as_f64() != Some(0.0),
        _ => {
            if context.report.count() == before {
                let at = At::default().field("when").marked(when.mark);
                let message = format!(
                    "expected true, false or a number, which is false if it is 0; found {}",
                    when.to_value()
                );
                context.report.add(&at, message);
            }
            false
        }
    }
}

/// Turns the numbers with units of a body into plain ones, before they are mirrored and moved.
fn resolve_units(own: &mut [(String, Option<Entity>)], context: &mut Context<'_>) {
    let mut model = Node::new(Kind::Object(Vec::new()), crate::text::Mark::new(0, 0));
    for (list, entity) in own.iter() {
        let Some(entity) = entity else { continue };
        let mark = entity.node.mark;
        match model.get_mut(list).map(|node| &mut node.value) {
            Some(Kind::List(items)) => items.push(entity.node.clone()),
            _ => model.set(list, Node::new(Kind::List(vec![entity.node.clone()]), mark)),
        }
    }
    measure::resolve(&mut model, &context.units, context.report);
    let mut next: BTreeMap<String, std::vec::IntoIter<Node>> = BTreeMap::new();
    if let Kind::Object(fields) = model.value {
        for field in fields {
            if let Kind::List(items) = field.node.value {
                next.insert(field.key, items.into_iter());
            }
        }
    }
    for (list, entity) in own {
        if let Some(entity) = entity
            && let Some(node) = next.get_mut(list).and_then(Iterator::next)
        {
            entity.node = node;
        }
    }
}

/// The own entities with those of the instances: at their place in a list, or behind it.
fn in_order(own: Vec<(String, Option<Entity>)>, made: Vec<Entity>) -> Vec<Entity> {
    let mut lists: BTreeMap<String, Vec<Entity>> = BTreeMap::new();
    let mut order = Vec::new();
    for entity in made {
        if !lists.contains_key(&entity.list) {
            order.push(entity.list.clone());
        }
        lists.entry(entity.list.clone()).or_default().push(entity);
    }
    let mut all = Vec::new();
    for (list, entity) in own {
        match entity {
            Some(entity) => all.push(entity),
            None => all.extend(lists.remove(&list).unwrap_or_default()),
        }
    }
    for list in order {
        all.extend(lists.remove(&list).unwrap_or_default());
    }
    all
}

impl Body {
    /// Adds what is in another body.
    pub(super) fn append(&mut self, other: Self) {
        self.entities.extend(other.entities);
        self.taken.extend(other.taken);
    }

    pub(super) fn add_taken(&mut self, taken: Taken) {
        self.taken.push(taken);
    }

    /// Checks that what instances take is there: among the entities of the body, or its own ports.
    pub(super) fn check_ports(&self, ports: &BTreeMap<&str, &str>, context: &mut Context<'_>) {
        if self.taken.is_empty() {
            return;
        }
        let kinds = names::kinds(&self.entities);
        for taken in &self.taken {
            taken.check(&kinds, ports, context.report);
        }
    }
}

impl Taken {
    fn check(&self, kinds: &Kinds, ports: &BTreeMap<&str, &str>, report: &mut Report) {
        let (_, lists) = PORTS
            .iter()
            .find(|(kind, _)| *kind == self.kind)
            .unwrap_or(&PORTS[0]);
        let ground = self.name == "ground" && ["part", "marker"].contains(&self.kind);
        if ground || ports.get(self.name.as_str()) == Some(&self.kind) {
            return;
        }
        let is = |list: &str| {
            kinds
                .get(list)
                .is_some_and(|names| names.contains(&self.name))
        };
        if lists.iter().any(|list| is(list)) {
            return;
        }
        if self.kind == "signal" && !is_name(&self.name) {
            // A number or an expression, which is compiled where it is used.
            return;
        }
        let names = || {
            let own = lists
                .iter()
                .filter_map(|list| kinds.get(*list))
                .flatten()
                .map(String::as_str);
            own.chain(
                ports
                    .iter()
                    .filter(|(_, kind)| **kind == self.kind)
                    .map(|(name, _)| *name),
            )
        };
        let mut message = does_not_exist(&self.kind.replace('_', " "), &self.name);
        let other = kinds.iter().find(|(_, names)| names.contains(&self.name));
        match other {
            Some((list, _)) => {
                let _ = write!(message, "; {} is one of the {list}", quote(&self.name));
            }
            None => message.push_str(&hint(&self.name, names())),
        }
        report.add(&self.at, message);
    }
}

/// Can a text be the name of something, rather than a number or an expression?
pub(super) fn is_name(text: &str) -> bool {
    let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | ' ');
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(rest)
}

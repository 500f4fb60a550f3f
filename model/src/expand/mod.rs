//! Control plane: makes a flat model of one with includes, constants, templates and instances.
//!
//! Everything here works on the tree of values, before it is read into types. The flat model has no trace of templates:
//! what reads it, and the FMU, know only flat models. Every value keeps the place of the template that it came from and
//! the instance that it was made for.

mod at;
mod body;
mod constants;
mod defaults;
mod elements;
mod eval;
mod fields;
mod include;
mod insertion;
mod instance;
mod mirror;
mod names;
mod order;
mod orientation;
mod overrides;
mod parameters;
mod ports;
mod pose;
mod surface;
mod template;

use crate::errors::{At, Report};
use crate::measure;
use crate::resources::Resources;
use crate::shape;
use crate::text::{Kind, Node, Sources};
use fixstep_kernel::mechanism::UnitSystem;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::body::Entity;
use self::eval::Scope;
use self::template::Template;

pub(crate) use self::fields::REFERENCES;
#[cfg(test)]
pub(crate) use self::fields::{TEXTS, WORDS};

/// The fields of a model that a flat one does not have.
pub(crate) const FIELDS: [&str; 5] = ["include", "constants", "templates", "instances", "defaults"];

/// What an expansion needs and counts.
pub(crate) struct Context<'a> {
    pub(crate) sources: &'a mut Sources,
    pub(crate) report: &'a mut Report,
    units: UnitSystem,
    templates: BTreeMap<String, Rc<Template>>,
    /// Constants, which every template can read.
    constants: Scope,
    /// Names that expressions of the model can read, by what they are; templates reach them by ports.
    outer: BTreeMap<String, &'static str>,
    /// Entities so far.
    entities: usize,
    /// The templates that instances are made of.
    used: BTreeSet<String>,
    /// Values and bytes of text that `${…}` has made so far.
    values: usize,
    bytes: usize,
}

/// Does a model have fields that a flat one does not have?
pub(crate) fn is_needed(tree: &Node) -> bool {
    FIELDS.iter().any(|field| tree.get(field).is_some()) || has_brackets(tree)
}

/// Has a tree a text with `${…}` that is no description?
fn has_brackets(node: &Node) -> bool {
    match &node.value {
        Kind::Text(text) => text.contains("${"),
        Kind::List(items) => items.iter().any(has_brackets),
        Kind::Object(fields) => fields
            .iter()
            .any(|field| field.key != "description" && has_brackets(&field.node)),
        _ => false,
    }
}

/// What a model declares for its instances.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// Names and values of constants.
    pub(crate) constants: Vec<(String, String)>,
    /// The templates.
    pub(crate) templates: Vec<Rc<Template>>,
}

/// What a model or a file that is included declares.
pub(crate) fn declared(
    mut tree: Node,
    units: UnitSystem,
    (sources, files): (&mut Sources, &Resources<'_>),
    report: &mut Report,
) -> Declared {
    include::load(&mut tree, (&mut *sources, files), report);
    let mut context = Context {
        sources,
        report,
        units,
        templates: BTreeMap::new(),
        constants: Scope::default(),
        outer: BTreeMap::new(),
        entities: 0,
        used: BTreeSet::new(),
        values: 0,
        bytes: 0,
    };
    let constants = tree.take("constants");
    context.constants = constants::read(constants.clone(), &mut context);
    let fields = constants.as_ref().and_then(Node::as_object);
    let names = fields.unwrap_or(&[]).iter().map(|field| &field.key);
    let shown = names.filter_map(|name| {
        let node = &context.constants.get(name)?.node;
        Some((name.clone(), shown(node, &context.units)))
    });
    let shown = shown.collect();
    let templates = template::read_all(tree.take("templates"), &mut context);
    Declared {
        constants: shown,
        templates: templates.into_values().collect(),
    }
}

/// A value for people: as it is written, or as it is computed, with its unit.
fn shown(node: &Node, units: &UnitSystem) -> String {
    let text = node
        .as_str()
        .map_or_else(|| node.to_value().to_string(), str::to_owned);
    let unit = node.of.filter(|powers| !powers.radians).and_then(|powers| {
        let scale = measure::Dimensions::of_powers(powers).guessed();
        scale.examples(units).into_iter().next()
    });
    unit.map_or(text.clone(), |unit| format!("{text} {unit}"))
}

/// The flat model; `None` after a report. `units` reads the units of the model.
pub(crate) fn flat(
    mut tree: Node,
    units: UnitSystem,
    (sources, files): (&mut Sources, &Resources<'_>),
    report: &mut Report,
) -> Option<Node> {
    let before = report.count();
    include::load(&mut tree, (&mut *sources, files), report);
    if report.count() > before {
        // What is missing without a file needs no message.
        return None;
    }
    let mut context = Context {
        sources,
        report,
        units,
        templates: BTreeMap::new(),
        constants: Scope::default(),
        outer: outer(&tree),
        entities: 0,
        used: BTreeSet::new(),
        values: 0,
        bytes: 0,
    };
    context.constants = constants::read(tree.take("constants"), &mut context);
    context.templates = template::read_all(tree.take("templates"), &mut context);
    if context.report.count() > before {
        // What is made with it needs no message.
        return None;
    }
    let paths = template::Paths::of(context.templates.values().map(Rc::as_ref));
    paths.settle(tree.get_mut(FIELDS[3]), context.sources);
    let scope = context.constants.clone();
    let mut body = body::expand(&tree, &scope, (&[], &BTreeMap::new()), &mut context)?;
    if context.report.count() > before {
        // What is missing without an instance needs no message.
        return None;
    }
    pose::settle(&mut body.entities, &mut context);
    body.check_ports(&BTreeMap::new(), &mut context);
    check_unused(&mut context);
    let flat = rebuild(&tree, body.entities, &scope, &mut context);
    (context.report.count() == before).then_some(flat)
}

/// Checks the templates that nothing uses.
fn check_unused(context: &mut Context<'_>) {
    let unused = context.templates.values();
    let unused: Vec<Rc<Template>> = unused
        .filter(|template| !context.used.contains(&template.name))
        .cloned()
        .collect();
    for template in unused {
        surface::check_unused(&template, context);
    }
    let all: Vec<Rc<Template>> = context.templates.values().cloned().collect();
    for template in all {
        surface::tell_idle(&template, context);
    }
}

/// Names that expressions of the model can read.
fn outer(tree: &Node) -> BTreeMap<String, &'static str> {
    let mut names = BTreeMap::new();
    for list in shape::lists().chain([FIELDS[3]]) {
        for entity in tree.get(list).and_then(Node::as_list).unwrap_or(&[]) {
            let pair = entity.get("pair").and_then(Node::as_list).unwrap_or(&[]);
            for name in entity.get("name").into_iter().chain(pair) {
                if let Some(name) = name.as_str() {
                    names.insert(name.to_owned(), list);
                }
            }
        }
    }
    names
}

/// The tree with its lists filled, and without the fields of templates.
fn rebuild(tree: &Node, entities: Vec<Entity>, scope: &Scope, context: &mut Context<'_>) -> Node {
    let mut lists: BTreeMap<String, Vec<Node>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for entity in entities {
        if !lists.contains_key(&entity.list) {
            order.push(entity.list.clone());
        }
        lists.entry(entity.list).or_default().push(entity.node);
    }
    let known: BTreeSet<&str> = shape::lists().collect();
    let mut flat = Node::new(Kind::Object(Vec::new()), tree.mark);
    for field in tree.as_object().unwrap_or(&[]) {
        if FIELDS.contains(&field.key.as_str()) {
            continue;
        }
        let mut node = field.node.clone();
        if known.contains(field.key.as_str()) && node.as_list().is_some() {
            node.value = Kind::List(lists.remove(&field.key).unwrap_or_default());
        } else {
            let at = At::default().field(&field.key);
            eval::substitute(&mut node, scope, &at, context);
        }
        flat.set(&field.key, node);
    }
    for list in order {
        if let Some(items) = lists.remove(&list) {
            flat.set(&list, Node::new(Kind::List(items), tree.mark));
        }
    }
    flat
}

/// The place of a named thing of the model, for messages.
fn place(list: &str, kind: &str, node: &Node) -> At {
    let name = node.get("name").and_then(Node::as_str);
    At::default()
        .field(list)
        .named(kind, name)
        .marked(node.mark)
}

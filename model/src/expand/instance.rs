//! Control plane: one instance of a template, or an array of them.

use super::body::{self, Body, Entity, Taken, is_name};
use super::eval::{self, Scope};
use super::names::{self, Renames};
use super::overrides::{all_names, merge, named};
use super::pose::Pose;
use super::template::Template;
use super::{Context, mirror, parameters, place, pose};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::limits::{LIST_ENTRIES, TEMPLATE_NESTING};
use crate::text::{Kind, Link, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The fields of an instance.
const KNOWN: [&str; 12] = [
    "name",
    "template",
    "description",
    "count",
    "when",
    "position",
    "orientation",
    "mirrored",
    "parameters",
    "ports",
    "overrides",
    "elements",
];

/// Expands an instance; what cannot be expanded is reported and left out.
pub(super) fn expand(
    item: &Node,
    outer: &Scope,
    (open, names): (&[String], &mut BTreeSet<String>),
    context: &mut Context<'_>,
) -> Body {
    let mut all = Body::default();
    let at = place("instances", "instance", item);
    let Some((name, template)) = head(item, &at, (open, names), context) else {
        return all;
    };
    if let Some(when) = item.get("when")
        && !body::holds(when.clone(), outer, context)
    {
        return all;
    }
    let Ok(count) = count(item, outer, &at, context) else {
        return all;
    };
    for k in 1..=count.unwrap_or(1) {
        if context.report.is_full() || context.entities > crate::limits::EXPANDED_ENTITIES {
            break;
        }
        let mut one = item.clone();
        let name = match count {
            Some(_) => format!("{name}[{k}]"),
            None => name.clone(),
        };
        element(&mut one, k, count, &at, context);
        let mut scope = outer.clone();
        if let Some(count) = count {
            scope.set_number("index", k as f64, item);
            scope.set_number("count", count as f64, item);
        }
        let making = Making {
            name,
            template: Rc::clone(&template),
            item: one,
            scope,
            open,
            at: at.clone(),
        };
        all.append(making.make(context));
    }
    all
}

/// Name and template of an instance.
fn head(
    item: &Node,
    at: &At,
    (open, names): (&[String], &mut BTreeSet<String>),
    context: &mut Context<'_>,
) -> Option<(String, Rc<Template>)> {
    for field in item.as_object().unwrap_or(&[]) {
        if !KNOWN.contains(&field.key.as_str()) {
            let message = format!(
                "unknown field {}{}; valid here: {}",
                quote(&field.key),
                hint(&field.key, KNOWN),
                KNOWN.join(", ")
            );
            context
                .report
                .add(&at.field(&field.key).marked(field.mark), message);
        }
    }
    let (Some(name), Some(of)) = (
        item.get("name").and_then(Node::as_str),
        item.get("template").and_then(Node::as_str),
    ) else {
        context.report.add(
            at,
            "an instance is an object with a \"name\" and a \"template\"",
        );
        return None;
    };
    if let Some(message) = name_fault(name, names) {
        context.report.add(&at.field("name"), message);
        return None;
    }
    match template(of, open, context) {
        Ok(template) => Some((name.to_owned(), template)),
        Err(message) => {
            let mark = item.get("template").map_or(item.mark, |node| node.mark);
            context
                .report
                .add(&at.field("template").marked(mark), message);
            None
        }
    }
}

/// Why an instance cannot have a name.
fn name_fault(name: &str, names: &mut BTreeSet<String>) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    if !name.starts_with(begins) || !name.chars().all(plain) {
        return Some(format!(
            "{} is no name for an instance; valid: letters, digits and _, a letter first: it becomes part of a path, as \
             left.upright",
            quote(name)
        ));
    }
    (!names.insert(name.to_owned())).then(|| {
        format!(
            "another instance is called {} too; each needs a name of its own",
            quote(name)
        )
    })
}

/// The template of a name, within others, or why it cannot be used.
fn template(of: &str, open: &[String], context: &Context<'_>) -> Result<Rc<Template>, String> {
    let known = || context.templates.keys().map(String::as_str);
    let Some(template) = context.templates.get(of) else {
        return Err(match known().next() {
            None => format!(
                "template {} does not exist; the model has no templates",
                quote(of)
            ),
            Some(_) => format!(
                "template {} does not exist{}; there are {}",
                quote(of),
                hint(of, known()),
                quote_all(known())
            ),
        });
    };
    let path = open.iter().map(String::as_str).chain([of]);
    let path: Vec<&str> = path.collect();
    if open.iter().any(|outer| outer == of) {
        let path = path.join(" contains ");
        return Err(format!("a template contains itself: {path}"));
    }
    if path.len() > TEMPLATE_NESTING {
        return Err(format!(
            "templates are nested more than {TEMPLATE_NESTING} deep"
        ));
    }
    Ok(Rc::clone(template))
}

/// The number of elements: `None`: it is no array; an error is reported.
fn count(
    item: &Node,
    outer: &Scope,
    at: &At,
    context: &mut Context<'_>,
) -> Result<Option<usize>, ()> {
    let Some(mut node) = item.get("count").cloned() else {
        return Ok(None);
    };
    let before = context.report.count();
    eval::substitute(&mut node, outer, context);
    let valid = 0.0..=LIST_ENTRIES as f64;
    let whole = node
        .as_f64()
        .filter(|n| *n == n.trunc() && valid.contains(n));
    if let Some(n) = whole {
        return Ok(Some(n as usize));
    }
    if context.report.count() == before {
        let message = format!(
            "expected a whole number from 0 to {LIST_ENTRIES}, found {}",
            node.to_value()
        );
        context
            .report
            .add(&at.field("count").marked(node.mark), message);
    }
    Err(())
}

/// Applies what an array says of one of its elements.
fn element(one: &mut Node, k: usize, count: Option<usize>, at: &At, context: &mut Context<'_>) {
    let Some(elements) = one.take("elements") else {
        return;
    };
    let Some(fields) = elements.as_object() else {
        let at = at.field("elements").marked(elements.mark);
        context.report.add(
            &at,
            "expected an object of numbers and fields: {\"1\": {\"ports\": { … }}}",
        );
        return;
    };
    for field in fields {
        let number = field.key.parse::<usize>().ok();
        let known = number.filter(|n| *n >= 1 && Some(*n) <= count);
        if known.is_none() && k == 1 {
            let message = format!(
                "there is no element {}; valid: 1 to {}",
                quote(&field.key),
                count.unwrap_or(0)
            );
            context
                .report
                .add(&at.field("elements").marked(field.mark), message);
        }
        if known == Some(k) {
            merge(one, &field.node);
        }
    }
}

/// One instance, or one element of an array.
struct Making<'a> {
    name: String,
    template: Rc<Template>,
    item: Node,
    /// What the fields of the instance can read.
    scope: Scope,
    open: &'a [String],
    at: At,
}

impl Making<'_> {
    fn make(mut self, context: &mut Context<'_>) -> Body {
        let mut all = Body::default();
        let overrides = self.item.take("overrides");
        let before = context.report.count();
        eval::substitute(&mut self.item, &self.scope, context);
        if context.report.count() > before {
            return all;
        }
        let mirrored = self.is_mirrored(context);
        let chain = context.sources.link(Link {
            name: self.name.clone(),
            template: self.template.name.clone(),
            at: self.item.mark,
        });
        let ports = self.ports(&mut all, context);
        let scope = self.inner_scope(mirrored, context);
        let mut tree = self.template.body.clone();
        tree.each(&mut |node| node.mark.chain = chain);
        if let Some(mut overrides) = overrides {
            eval::substitute(&mut overrides, &self.scope, context);
            self.apply(&overrides, &mut tree, context);
        }
        let mut open = self.open.to_vec();
        open.push(self.template.name.clone());
        let Some(mut inner) = body::expand(&tree, &scope, &open, context) else {
            return all;
        };
        let own_ports = self.template.ports.iter();
        let own_ports: BTreeMap<&str, &str> = own_ports
            .map(|port| (port.name.as_str(), port.kind))
            .collect();
        inner.check_ports(&own_ports, context);
        float(&mut inner.entities, &own_ports);
        pose::settle(&mut inner.entities, context);
        if mirrored {
            mirror::mirror(&mut inner.entities, context);
        }
        if let Some(pose) = Pose::of(&self.item, &self.at, context) {
            pose.apply(&mut inner.entities, context);
        }
        let renames = Renames::new(&self.name, &self.template, &inner.entities, ports);
        for entity in &mut inner.entities {
            names::rename(entity, &renames, context);
        }
        all.entities = inner.entities;
        all
    }

    fn is_mirrored(&self, context: &mut Context<'_>) -> bool {
        match self.item.get("mirrored").map(|node| (&node.value, node)) {
            None => false,
            Some((Kind::Bool(flag), _)) => *flag,
            Some((Kind::Number(number), _)) => number.as_f64() != Some(0.0),
            Some((_, node)) => {
                let message = format!("expected true or false, found {}", node.to_value());
                let at = self.at.field("mirrored").marked(node.mark);
                context.report.add(&at, message);
                false
            }
        }
    }

    /// The values that the template's texts can read.
    fn inner_scope(&self, mirrored: bool, context: &mut Context<'_>) -> Scope {
        let mut scope = context.constants.clone();
        let side = self.scope.number("side").unwrap_or(1.0);
        scope.set_number("side", if mirrored { -side } else { side }, &self.item);
        for name in ["index", "count"] {
            if let Some(value) = self.scope.get(name) {
                scope.set(name, value.clone());
            }
        }
        let given = (
            self.item.get("parameters"),
            self.template.name.as_str(),
            &self.at,
        );
        parameters::set(&mut scope, &self.template.parameters, given, context);
        scope
    }

    /// What stands for each port: a name, or the text of an expression.
    fn ports(&self, all: &mut Body, context: &mut Context<'_>) -> BTreeMap<String, String> {
        let template = &self.template;
        let names = || template.ports.iter().map(|port| port.name.as_str());
        let given = self.item.get("ports");
        let fields = given.and_then(Node::as_object).unwrap_or(&[]);
        for field in fields {
            if !names().any(|name| name == field.key) {
                let at = self
                    .at
                    .field("ports")
                    .field(&field.key)
                    .marked(field.node.mark);
                let has = match names().next() {
                    None => "it has none".to_owned(),
                    Some(_) => format!("it has: {}", quote_all(names())),
                };
                let message = format!(
                    "the template {} has no port {}{}; {has}",
                    quote(&template.name),
                    quote(&field.key),
                    hint(&field.key, names())
                );
                context.report.add(&at, message);
            }
        }
        let mut ports = BTreeMap::new();
        for port in &template.ports {
            let Some(field) = fields.iter().find(|field| field.key == port.name) else {
                let message = format!(
                    "the port {} of the template {} is open: give a {} in \"ports\"",
                    quote(&port.name),
                    quote(&template.name),
                    port.kind.replace('_', " ")
                );
                context.report.add(&self.at, message);
                continue;
            };
            let at = self
                .at
                .field("ports")
                .field(&port.name)
                .marked(field.node.mark);
            let text = match &field.node.value {
                Kind::Text(text) => text.clone(),
                Kind::Number(number) if port.kind == "signal" => number.to_string(),
                _ => {
                    let message = format!(
                        "expected the name of a {}, found {}",
                        port.kind,
                        field.node.to_value()
                    );
                    context.report.add(&at, message);
                    continue;
                }
            };
            all.add_taken(Taken {
                kind: port.kind,
                name: text.clone(),
                at,
            });
            let expression = port.kind == "signal" && !is_name(&text);
            let text = if expression {
                format!("({text})")
            } else {
                text
            };
            ports.insert(port.name.clone(), text);
        }
        ports
    }

    /// Changes entities of the template for this instance.
    fn apply(&self, overrides: &Node, tree: &mut Node, context: &mut Context<'_>) {
        let Some(fields) = overrides.as_object() else {
            let at = self.at.field("overrides").marked(overrides.mark);
            context.report.add(
                &at,
                "expected an object of names and fields: {\"spring\": {\"stiffness\": 5}}",
            );
            return;
        };
        for field in fields {
            let at = self.at.field("overrides").marked(field.mark);
            let (list, name) = match field.key.split_once('/') {
                Some((list, name)) => (Some(list), name),
                None => (None, field.key.as_str()),
            };
            let found = named(tree, list, name);
            match found.as_slice() {
                [(list, k)] => {
                    if let Some(Kind::List(items)) = tree.get_mut(list).map(|node| &mut node.value)
                    {
                        merge(&mut items[*k], &field.node);
                    }
                }
                [] => {
                    let names = all_names(tree);
                    let message = format!(
                        "the template {} has nothing called {}{}; what is in an instance of its own is changed there",
                        quote(&self.template.name),
                        quote(&field.key),
                        hint(name, names.iter().map(String::as_str))
                    );
                    context.report.add(&at, message);
                }
                several => {
                    let ways: Vec<String> = several
                        .iter()
                        .map(|(list, _)| quote(&format!("{list}/{name}")))
                        .collect();
                    let message = format!(
                        "{} is the name of several entities; valid: {}",
                        quote(name),
                        ways.join(", ")
                    );
                    context.report.add(&at, message);
                }
            }
        }
    }
}

/// Marks the markers and shapes whose part is outside: their frames are in the axes of the template.
fn float(entities: &mut [Entity], ports: &BTreeMap<&str, &str>) {
    for entity in entities {
        if ["markers", "shapes"].contains(&entity.list.as_str())
            && let Some(part) = entity.text("part")
        {
            entity.floating |= part == "ground" || ports.contains_key(part);
        }
    }
}

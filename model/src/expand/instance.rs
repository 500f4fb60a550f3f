//! Control plane: one instance of a template, or an array of them.

use super::body::{self, Bodies, Body, Entity};
use super::elements::{self, Plan};
use super::eval::{self, Scope};
use super::names::{self, Renames};
use super::pose::Pose;
use super::template::Template;
use super::{Context, at, mirror, overrides, parameters, ports, pose};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::limits::TEMPLATE_NESTING;
use crate::text::{Kind, Link, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The fields of an instance.
pub(super) const KNOWN: [&str; 14] = [
    "name",
    "pair",
    "template",
    "description",
    "count",
    "when",
    "at",
    "position",
    "orientation",
    "mirrored",
    "parameters",
    "ports",
    "overrides",
    "elements",
];

/// The names of an instance, two of a pair, and its template.
pub(super) fn head(
    item: &Node,
    at: &At,
    (open, names): (&[String], &mut BTreeSet<String>),
    context: &mut Context<'_>,
) -> Option<(Vec<String>, Rc<Template>)> {
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
    let Some(of) = item.get("template").and_then(Node::as_str) else {
        context.report.add(
            at,
            "an instance is an object with a \"name\" and a \"template\"",
        );
        return None;
    };
    let own = match elements::names_of(item) {
        Ok(own) => own,
        Err(message) => {
            context.report.add(at, message);
            return None;
        }
    };
    let field = if own.len() == 2 { "pair" } else { "name" };
    for name in &own {
        if let Some(message) = name_fault(name, names) {
            context.report.add(&at.field(field), message);
            return None;
        }
    }
    match template(of, open, context) {
        Ok(template) => Some((own, template)),
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

/// One instance, or one element of an array.
pub(super) struct Making<'a> {
    name: String,
    template: Rc<Template>,
    item: Node,
    /// What the fields of the instance can read.
    scope: Scope,
    open: &'a [String],
    at: At,
    /// Is it the second of a pair?
    image: bool,
    /// Is it the mirror image of its template?
    mirrored: bool,
    /// The side of its template: 1, or -1 in a mirror.
    side: f64,
    overrides: Option<Node>,
    /// Is it without fault?
    sound: bool,
}

impl<'a> Making<'a> {
    /// Reads the fields of an instance.
    pub(super) fn new(
        plan: &Plan,
        (mut item, mut scope): (Node, Scope),
        open: &'a [String],
        at: At,
        context: &mut Context<'_>,
    ) -> Self {
        let before = context.report.count();
        let outer = scope.number("side").unwrap_or(1.0);
        let image = plan.image() == Some(true);
        let overrides = item.take("overrides");
        let mut flag = item.take("mirrored");
        if let Some(flag) = &mut flag {
            eval::substitute(flag, &scope, &at.field("mirrored"), context);
        }
        let mirrored = is_mirrored(flag.as_ref(), &at, context) != image;
        let side = if mirrored { -outer } else { outer };
        if plan.image().is_some() {
            // What the two of a pair say of their side is different.
            scope.set_number("side", side, &item);
        }
        eval::substitute(&mut item, &scope, &at, context);
        Self {
            name: plan.name.clone(),
            template: plan.template(),
            item,
            scope,
            open,
            at,
            image,
            mirrored,
            side,
            overrides,
            sound: context.report.count() == before,
        }
    }

    /// The marker at which it is placed.
    pub(super) fn target(&self) -> Option<&str> {
        self.item.get("at").and_then(Node::as_str)
    }

    /// The place of one of its fields.
    pub(super) fn field(&self, name: &str) -> At {
        let mark = self.item.get(name).map_or(self.item.mark, |node| node.mark);
        self.at.field(name).marked(mark)
    }

    /// Makes its entities.
    pub(super) fn make(mut self, bodies: &Bodies<'_>, context: &mut Context<'_>) -> Body {
        let mut all = Body::default();
        if !self.sound {
            return all;
        }
        let overrides = self.overrides.take();
        let chain = context.sources.link(Link {
            name: self.name.clone(),
            template: self.template.name.clone(),
            at: self.item.mark,
        });
        context.used.insert(self.template.name.clone());
        let before = context.report.count();
        let given = (self.item.get("ports"), &self.at);
        let ports = ports::connected(given, &self.template, &mut all, context);
        let scope = self.inner_scope(context);
        if context.report.count() > before {
            return all;
        }
        let mut tree = self.template.body.clone();
        tree.each(&mut |node| node.mark.chain = chain);
        if let Some(mut overrides) = overrides {
            // They read what the instance reads, and what its template does.
            let mut both = scope.clone();
            both.add(&self.scope);
            eval::substitute(&mut overrides, &both, &self.at.field("overrides"), context);
            let from = (&overrides, &self.at.field("overrides"));
            overrides::apply(from, &self.template.name, &mut tree, context);
            if context.report.count() > before {
                return all;
            }
        }
        let mut open = self.open.to_vec();
        open.push(self.template.name.clone());
        let own_ports = self.template.ports.iter();
        let own_ports: BTreeMap<&str, &str> = own_ports
            .map(|port| (port.name.as_str(), port.kind))
            .collect();
        let Some(mut inner) = body::expand(&tree, &scope, (&open, &own_ports), context) else {
            return all;
        };
        if context.report.count() > before {
            return all;
        }
        inner.check_ports(&own_ports, context);
        float(&mut inner.entities, &own_ports);
        pose::settle(&mut inner.entities, context);
        if self.mirrored {
            mirror::mirror(&mut inner.entities, context);
        }
        if let Some(pose) = self.pose(bodies, context) {
            pose.apply(&mut inner.entities, context);
        }
        let renames = Renames::new(&self.name, &self.template, &inner.entities, (ports, &scope));
        for entity in &mut inner.entities {
            names::rename(entity, &renames, context);
        }
        all.entities = inner.entities;
        all
    }

    /// Where it is in the axes of what it is in; `None`: it is not moved, or a problem is reported.
    fn pose(&self, bodies: &Bodies<'_>, context: &mut Context<'_>) -> Option<Pose> {
        let own = Pose::of(&self.item, self.image, &self.at, context)?;
        let pose = match self.item.get("at") {
            None => own,
            Some(node) => {
                let Some(name) = node.as_str() else {
                    let message =
                        format!("expected the name of a marker, found {}", node.to_value());
                    context.report.add(&self.field("at"), message);
                    return None;
                };
                own.within(&at::frame(name, &self.field("at"), bodies, context)?)
            }
        };
        pose.moves().then_some(pose)
    }

    /// The values that the template's texts can read.
    fn inner_scope(&self, context: &mut Context<'_>) -> Scope {
        let mut scope = context.constants.clone();
        scope.set_number("side", self.side, &self.item);
        for name in ["index", "count"] {
            scope.take_over(name, &self.scope);
        }
        let given = (
            self.item.get("parameters"),
            self.template.name.as_str(),
            &self.at,
        );
        parameters::set(&mut scope, &self.template.parameters, given, context);
        scope
    }
}

/// Is an instance the mirror image of its template?
fn is_mirrored(flag: Option<&Node>, at: &At, context: &mut Context<'_>) -> bool {
    match flag.map(|node| (&node.value, node)) {
        // A text with a fault is null, and has been reported.
        None | Some((Kind::Null, _)) => false,
        Some((Kind::Bool(flag), _)) => *flag,
        Some((Kind::Number(number), _)) if [Some(0.0), Some(1.0)].contains(&number.as_f64()) => {
            number.as_f64() == Some(1.0)
        }
        Some((_, node)) => {
            let message = format!("expected true, false, 0 or 1, found {}", node.to_value());
            context
                .report
                .add(&at.field("mirrored").marked(node.mark), message);
            false
        }
    }
}

/// A shape at a marker, and one between two, is where they are; others are given in the axes of their part.
pub(super) fn stands_in_part(shape: &Entity) -> bool {
    let kind = shape.node.get("shape").and_then(|shape| shape.get("type"));
    shape.node.get("marker").is_none() && kind.and_then(Node::as_str) != Some("link")
}

/// Marks the markers and shapes whose part is outside: their frames are in the axes of the template.
fn float(entities: &mut [Entity], ports: &BTreeMap<&str, &str>) {
    for entity in entities {
        let own = match entity.list.as_str() {
            "markers" => true,
            "shapes" => stands_in_part(entity),
            _ => false,
        };
        if own && let Some(part) = entity.text("part") {
            entity.floating |= part == "ground" || ports.contains_key(part);
        }
    }
}

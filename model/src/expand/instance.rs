//! Control plane: one instance of a template, or an array of them.

use super::body::{self, Bodies, Body, Entity, Taken, is_name};
use super::elements::{self, Plan};
use super::eval::{self, Scope};
use super::names::{self, Renames};
use super::overrides::{all_names, check, merge, named};
use super::pose::Pose;
use super::template::Template;
use super::{Context, at, mirror, parameters, pose};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::limits::TEMPLATE_NESTING;
use crate::measure::{self, Reading};
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

/// How overrides are written.
const SYNTAX: &str = r#"{"spring": {"stiffness": 5}}"#;

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
            eval::substitute(flag, &scope, context);
        }
        let mirrored = is_mirrored(flag.as_ref(), &at, context) != image;
        let side = if mirrored { -outer } else { outer };
        if plan.image().is_some() {
            // What the two of a pair say of their side is different.
            scope.set_number("side", side, &item);
        }
        eval::substitute(&mut item, &scope, context);
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
        let ports = self.ports(&mut all, context);
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
            eval::substitute(&mut overrides, &both, context);
            self.apply(&overrides, &mut tree, context);
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

    /// What stands for each port: a name, or the text of an expression.
    fn ports(&self, all: &mut Body, context: &mut Context<'_>) -> BTreeMap<String, String> {
        let template = &self.template;
        let names = || template.ports.iter().map(|port| port.name.as_str());
        let given = self.item.get("ports");
        if let Some(given) = given.filter(|given| given.as_object().is_none()) {
            let at = self.at.field("ports").marked(given.mark);
            let message = "expected an object of names and what they are connected to: {\"frame\": \"body\"}";
            context.report.add(&at, message);
        }
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
                Kind::Text(text) if port.kind == "signal" && signal_fault(text).is_some() => {
                    let fault = signal_fault(text).unwrap_or_default();
                    context.report.add(&at, fault);
                    continue;
                }
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
            let message = format!(
                "expected an object of names and fields: {SYNTAX}; found {}",
                overrides.to_value()
            );
            context.report.add(&at, message);
            return;
        };
        let mut seen = BTreeSet::new();
        for field in fields {
            let at = self.at.field("overrides").marked(field.mark);
            if field.node.as_object().is_none() {
                let message = format!(
                    "expected an object of the fields of {} that are different: {SYNTAX}; found {}",
                    quote(&field.key),
                    field.node.to_value()
                );
                context
                    .report
                    .add(&at.field(&field.key).marked(field.node.mark), message);
                continue;
            }
            let (list, name) = match field.key.split_once('/') {
                Some((list, name)) => (Some(list), name),
                None => (None, field.key.as_str()),
            };
            let found = named(tree, list, name);
            match found.as_slice() {
                [place] if !seen.insert(place.clone()) => {
                    let message = format!("{} is overridden twice: keep one", quote(name));
                    context.report.add(&at, message);
                }
                [(list, k)] => {
                    if let Some(Kind::List(items)) = tree.get_mut(list).map(|node| &mut node.value)
                    {
                        check(list, &items[*k], &field.node, &at.field(&field.key), context);
                        merge(&mut items[*k], &field.node);
                    }
                }
                [] => {
                    let names = all_names(tree);
                    let message = format!(
                        "the template {} has nothing called {}{}; an override is the name of an entity with the fields that are different, \
                         {SYNTAX}; what is in an instance within the template is changed in that instance",
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

/// Why a text cannot be the expression of a signal.
fn signal_fault(text: &str) -> Option<String> {
    if text.trim_start().starts_with('=') {
        return Some(format!(
            "a signal is an expression without \"=\" before it; found {}",
            quote(text)
        ));
    }
    let quantity = matches!(measure::read(text), Reading::Quantity(_));
    quantity.then(|| {
        format!(
            "a signal is an expression, whose numbers have no units; found {}",
            quote(text)
        )
    })
}

/// Is an instance the mirror image of its template?
fn is_mirrored(flag: Option<&Node>, at: &At, context: &mut Context<'_>) -> bool {
    match flag.map(|node| (&node.value, node)) {
        None => false,
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

/// Marks the markers whose part is outside: their frames are in the axes of the template.
fn float(entities: &mut [Entity], ports: &BTreeMap<&str, &str>) {
    for entity in entities {
        if entity.list == "markers"
            && let Some(part) = entity.text("part")
        {
            entity.floating |= part == "ground" || ports.contains_key(part);
        }
    }
}

//! Control plane: the declarations of templates.

use super::parameters::{self, Parameter};
use super::{Context, FIELDS, place, surface};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::resources;
use crate::schema::{FMU_PARAMETERS, OF_THE_MODEL, PORTS};
use crate::shape;
use crate::text::{Kind, Node, Sources};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A port: what a template takes from outside.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) description: String,
}

/// The message about a port or a parameter that a template does not have.
pub(super) fn has_no<'a, I: Iterator<Item = &'a str>>(
    template: &str,
    (what, name): (&str, &str),
    names: impl Fn() -> I,
) -> String {
    let has = match names().next() {
        None => "it has none".to_owned(),
        Some(_) => format!("it has: {}", quote_all(names())),
    };
    format!(
        "the template {} has no {what} {}{}; {has}",
        quote(template),
        quote(name),
        hint(name, names())
    )
}

/// A template.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) ports: Vec<Port>,
    /// Its lists and its own instances.
    pub(crate) body: Node,
}

/// Reads all templates of a model.
pub(super) fn read_all(
    node: Option<Node>,
    context: &mut Context<'_>,
) -> BTreeMap<String, Rc<Template>> {
    let mut all = BTreeMap::new();
    let Some(node) = node else {
        return BTreeMap::new();
    };
    let Some(items) = node.as_list() else {
        let at = At::default().field("templates").marked(node.mark);
        context.report.add(
            &at,
            "expected a list of templates: [{\"name\": \"leg\", \"parts\": [ … ]}]",
        );
        return BTreeMap::new();
    };
    for item in items {
        let Some(template) = read(item, context) else {
            continue;
        };
        surface::check_names(&template, context);
        if all.contains_key(&template.name) {
            let named = |node: &&Node| {
                node.get("name").and_then(Node::as_str) == Some(template.name.as_str())
            };
            let other = items.iter().find(named);
            let is_other_file = other.is_some_and(|other| other.mark.file() != item.mark.file());
            let has_files = template.parameters.iter().any(|parameter| parameter.file);
            // Two libraries may bring the same one.
            if is_other_file && !has_files && other.map(Node::to_value) == Some(item.to_value()) {
                continue;
            }
            let at = place("templates", "template", item);
            let message = format!(
                "another template is called {} too{}; each needs a name of its own: rename one, with the instances that use it",
                quote(&template.name),
                other.map_or(String::new(), |other| format!(
                    ", at {}",
                    context.sources.say(other.mark)
                ))
            );
            context.report.add(&at, message);
            continue;
        }
        all.insert(template.name.clone(), template);
    }
    let paths = Paths::of(all.values());
    for template in all.values_mut() {
        for parameter in template.parameters.iter_mut().filter(|p| p.file) {
            if let Some(default) = &mut parameter.default {
                beside(default, context.sources);
            }
        }
        paths.settle(template.body.get_mut(FIELDS[3]), context.sources);
    }
    let all = all.into_iter();
    all.map(|(name, template)| (name, Rc::new(template)))
        .collect()
}

/// Parameters that are paths of files, by their templates.
pub(super) struct Paths(BTreeMap<String, Vec<String>>);

impl Paths {
    pub(super) fn of<'a>(templates: impl Iterator<Item = &'a Template>) -> Self {
        let of_one = |template: &Template| {
            let files = template.parameters.iter().filter(|p| p.file);
            files.map(|p| p.name.clone()).collect()
        };
        Self(
            templates
                .map(|template| (template.name.clone(), of_one(template)))
                .collect(),
        )
    }

    /// Lets the paths that instances give count from the folder of their file.
    pub(super) fn settle(&self, instances: Option<&mut Node>, sources: &Sources) {
        let Some(Kind::List(items)) = instances.map(|node| &mut node.value) else {
            return;
        };
        for item in items {
            let template = item.get("template").and_then(Node::as_str);
            let Some(names) = template.and_then(|name| self.0.get(name)) else {
                continue;
            };
            given(item, names, sources);
            if let Some(Kind::Object(elements)) = item.get_mut("elements").map(|e| &mut e.value) {
                for element in elements {
                    given(&mut element.node, names, sources);
                }
            }
        }
    }
}

/// The paths among the values that an instance gives.
fn given(item: &mut Node, names: &[String], sources: &Sources) {
    if let Some(values) = item.get_mut("parameters") {
        for name in names {
            if let Some(value) = values.get_mut(name) {
                beside(value, sources);
            }
        }
    }
}

/// Lets a path count from the folder of its file. One that is handed on, as `${tyre}`, does so already.
fn beside(node: &mut Node, sources: &Sources) {
    let folder = sources.folder(node.mark);
    if let Kind::Text(path) = &mut node.value
        && !folder.is_empty()
        && !path.contains("${")
        && let Ok(whole) = resources::beside(folder, path)
    {
        *path = whole;
    }
}

fn read(item: &Node, context: &mut Context<'_>) -> Option<Template> {
    let at = place("templates", "template", item);
    let Some(name) = item.get("name").and_then(Node::as_str) else {
        context
            .report
            .add(&at, "a template is an object with a \"name\"");
        return None;
    };
    let mut template = Template {
        name: name.to_owned(),
        description: String::new(),
        parameters: Vec::new(),
        ports: Vec::new(),
        body: item.clone(),
    };
    for field in item.as_object().unwrap_or(&[]) {
        let here = at.field(&field.key).marked(field.mark);
        match field.key.as_str() {
            "name" | "instances" => {}
            "description" => {
                let words = field.node.as_str().unwrap_or_default();
                words.clone_into(&mut template.description);
            }
            "parameters" => {
                template.parameters = parameters::declared(&field.node, &at, context);
            }
            "ports" => template.ports = ports(&field.node, &at, context),
            "inputs" | "variables" | "outputs" | FMU_PARAMETERS
                if field.node.as_list().is_some() => {}
            list if OF_THE_MODEL.contains(&list) => {
                let message = format!(
                    "{} belong to the model, not to a template; a template reaches them by a port",
                    quote(list)
                );
                context.report.add(&here, message);
            }
            list if list == FMU_PARAMETERS || shape::lists().any(|known| known == list) => {
                if field.node.as_list().is_none() {
                    context
                        .report
                        .add(&here, "expected a list in brackets: [{\"name\": …}]");
                }
            }
            other => {
                let own = ["name", "description", "parameters", "ports", FIELDS[3]];
                let lists = shape::lists()
                    .filter(|list| !OF_THE_MODEL.contains(list) && *list != "parameters");
                let known: Vec<&str> = own
                    .into_iter()
                    .chain(lists)
                    .chain([FMU_PARAMETERS, "defaults"])
                    .collect();
                let message = format!(
                    "unknown field {}{}; valid here: {}",
                    quote(other),
                    hint(other, known.iter().copied()),
                    known.join(", ")
                );
                context.report.add(&here, message);
            }
        }
    }
    for taken in ["parameters", "ports", "name", "description"] {
        template.body.take(taken);
    }
    if let Some(own) = template.body.take(FMU_PARAMETERS) {
        template.body.set("parameters", own);
    }
    Some(template)
}

fn ports(node: &Node, of: &At, context: &mut Context<'_>) -> Vec<Port> {
    let Some(fields) = node.as_object() else {
        let at = of.clone().field("ports").marked(node.mark);
        context.report.add(
            &at,
            "expected an object of names and kinds: {\"frame\": \"part\"}",
        );
        return Vec::new();
    };
    let mut all = Vec::new();
    for field in fields {
        let at = of
            .clone()
            .field("ports")
            .field(&field.key)
            .marked(field.node.mark);
        let kind = field
            .node
            .get("kind")
            .unwrap_or(&field.node)
            .as_str()
            .unwrap_or_default();
        let known = PORTS.iter().find(|(known, _)| *known == kind);
        let Some((kind, _)) = known else {
            let kinds = || PORTS.iter().map(|(kind, _)| *kind);
            let message = format!(
                "{} is no kind of port{}; valid: {}",
                quote(kind),
                hint(kind, kinds()),
                quote_all(kinds())
            );
            context.report.add(&at, message);
            continue;
        };
        for own in field.node.as_object().unwrap_or(&[]) {
            if !["kind", "description"].contains(&own.key.as_str()) {
                let message = format!(
                    "unknown field {}{}; valid here: kind, description",
                    quote(&own.key),
                    hint(&own.key, ["kind", "description"])
                );
                context
                    .report
                    .add(&at.field(&own.key).marked(own.mark), message);
            }
        }
        if let Some(message) = port_fault(&field.key) {
            context.report.add(&at, message);
            continue;
        }
        let description = field.node.get("description").and_then(Node::as_str);
        all.push(Port {
            name: field.key.clone(),
            kind,
            description: description.unwrap_or_default().to_owned(),
        });
    }
    all
}

/// Why a port cannot have a name.
fn port_fault(name: &str) -> Option<String> {
    if name == "ground" {
        return Some("ground is always there, without a port: take another name".to_owned());
    }
    parameters::known(name)
}

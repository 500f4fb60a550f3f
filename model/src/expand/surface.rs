//! Control plane: what can be said of a template without an instance: names that mean something else already, and, where
//! nothing uses it, fields and values that it cannot have.

use super::template::Template;
use super::{Context, names, parameters, place};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::measure;
use crate::schema::PORTS;
use crate::shape;
use crate::text::{Field, Kind, Node};
use std::collections::BTreeSet;

/// Lists whose entities are ground's kind.
const WITH_GROUND: [&str; 4] = ["parts", "point_masses", "flexible_bodies", "markers"];

/// The lists of a template with their entities.
fn entities(template: &Template) -> impl Iterator<Item = (&str, &Node)> {
    let known: BTreeSet<&str> = shape::lists().collect();
    let fields = template.body.as_object().unwrap_or(&[]).iter();
    fields
        .filter(move |field| known.contains(field.key.as_str()))
        .flat_map(|field| {
            let items = field.node.as_list().unwrap_or(&[]).iter();
            items.map(|item| (field.key.as_str(), item))
        })
}

/// Reports names of entities that mean something else in the template.
pub(super) fn check_names(template: &Template, context: &mut Context<'_>) {
    let signals = PORTS.iter().find(|(kind, _)| *kind == "signal");
    let signals = signals.map_or(&[][..], |(_, lists)| *lists);
    for (list, item) in entities(template) {
        let Some(name) = item.get("name").and_then(Node::as_str) else {
            continue;
        };
        let port = template.ports.iter().find(|port| port.name == name);
        let message = match port {
            Some(port) => Some(format!(
                "{} is the name of a port of the template (a {}) too: take another name for one of them",
                quote(name),
                port.kind.replace('_', " ")
            )),
            None if name == "ground" && WITH_GROUND.contains(&list) => {
                Some("ground is always there: take another name".to_owned())
            }
            None if signals.contains(&list) => parameters::known(name),
            None => None,
        };
        if let Some(message) = message {
            let mark = item.get("name").map_or(item.mark, |name| name.mark);
            let at = place(list, list.strip_suffix('s').unwrap_or(list), item);
            context.report.add(&at.field("name").marked(mark), message);
        }
    }
}

/// Says which parameters and ports of a template nothing in it reads.
pub(super) fn tell_idle(template: &Template, context: &mut Context<'_>) {
    let mut values = BTreeSet::new();
    let mut texts = Vec::new();
    let mut look = |node: &Node| {
        let Some(text) = node.as_str() else { return };
        for part in text.split("${").skip(1) {
            let words = part.split('}').next().unwrap_or_default();
            let _ = names::replaced(words, &mut |name, _| {
                values.insert(name.to_owned());
                None
            });
        }
        texts.push(text.to_owned());
    };
    template.body.each_of(&mut look);
    for parameter in &template.parameters {
        if let Some(default) = &parameter.default {
            default.each_of(&mut look);
        }
    }
    let name = &template.name;
    for parameter in template
        .parameters
        .iter()
        .filter(|p| !values.contains(&p.name))
    {
        let what = format!("nothing reads its parameter {}", quote(&parameter.name));
        context
            .report
            .idle(("template", name), what, parameter.mark);
    }
    for port in &template.ports {
        if !texts.iter().any(|text| text.contains(&port.name)) {
            let what = format!("nothing is connected to its port {}", quote(&port.name));
            context
                .report
                .idle(("template", name), what, template.body.mark);
        }
    }
}

/// Checks a template that nothing uses: its fields, the units of its numbers, and the names in its `${…}`.
pub(super) fn check_unused(template: &Template, context: &mut Context<'_>) {
    for (list, item) in entities(template) {
        let at = place(list, list.strip_suffix('s').unwrap_or(list), item);
        if let Some(fields) = item.as_object() {
            check_fields((list, item, fields), &at, context);
        }
        item.each_of(&mut |node| check_values(node, template, &at, context));
    }
    // Numbers with units, as far as they are written; what is computed follows from an instance.
    let mut body = template.body.clone();
    body.each(&mut |node| {
        if node.as_str().is_some_and(|text| text.contains("${")) {
            node.value = Kind::Null;
        }
    });
    // Where a unit follows from a joint or a signal, that may be a port.
    for list in ["couplers", "pid_controllers"] {
        body.take(list);
    }
    if let Some(Kind::List(forces)) = body.get_mut("forces").map(|node| &mut node.value) {
        for force in forces {
            force.take("stops");
        }
    }
    measure::resolve(&mut body, &context.units, context.report);
}

fn check_fields((list, item, fields): (&str, &Node, &[Field]), at: &At, context: &mut Context<'_>) {
    let word = item.get("type").and_then(Node::as_str);
    if word.is_some_and(|word| word.contains("${")) {
        return;
    }
    let known = shape::fields(list, word);
    if known.is_empty() {
        let words = shape::words(list);
        if let Some(word) = word.filter(|_| !words.is_empty()) {
            let message = format!(
                "{} is no type of {list}{}; valid: {}",
                quote(word),
                hint(word, words.iter().copied()),
                quote_all(words)
            );
            context.report.add(&at.field("type"), message);
        }
        return;
    }
    for field in fields.iter().filter(|field| field.key != "when") {
        if let Some(message) = field_fault(&field.key, &known) {
            context
                .report
                .add(&at.field(&field.key).marked(field.mark), message);
        }
    }
    for required in shape::required(list, word) {
        if item.get(required).is_none() {
            context
                .report
                .add(at, format!("the field {} is missing", quote(required)));
        }
    }
}

/// Why an entity cannot have a field.
pub(super) fn field_fault(key: &str, known: &[&str]) -> Option<String> {
    (!known.contains(&key)).then(|| {
        format!(
            "unknown field {}{}; valid here: {}",
            quote(key),
            hint(key, known.iter().copied()),
            known.join(", ")
        )
    })
}

/// Reports names in `${…}` that are neither constants nor parameters.
fn check_values(node: &Node, template: &Template, at: &At, context: &mut Context<'_>) {
    let Some(text) = node.as_str() else { return };
    let mut unknown = Vec::new();
    let own = || template.parameters.iter().map(|p| p.name.as_str());
    for part in text.split("${").skip(1) {
        let words = part.split('}').next().unwrap_or_default();
        let _ = names::replaced(words, &mut |name, is_call| {
            let is = is_call
                || own().any(|own| own == name)
                || ["side", "index", "count"].contains(&name)
                || context.constants.get(name).is_some()
                || parameters::known(name).is_some();
            if !is {
                unknown.push(name.to_owned());
            }
            None
        });
    }
    for name in unknown {
        let message = format!(
            "{} is no constant and no parameter of the template{}",
            quote(&name),
            hint(&name, own())
        );
        context.report.add(&at.clone().marked(node.mark), message);
    }
}

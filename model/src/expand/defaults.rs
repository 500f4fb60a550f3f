//! Control plane: defaults: fields that entities of a kind have unless they give their own.
//!
//! `parts`, `forces/bushing` and `forces/bushing:soft` are all parts, all bushings, and the bushings whose `class` is `soft`.
//! The narrower the kind, the later it counts; those of a template count after those of its file. A field that an entity
//! gives replaces the default as a whole; `null` takes it away.

use super::{FIELDS, place};
use crate::errors::{At, Report, quote, quote_all};
use crate::expr::suggest::hint;
use crate::schema::FMU_PARAMETERS;
use crate::shape;
use crate::text::{Field, Kind, Mark, Node};
use std::cell::Cell;

/// The field of a file and a template.
pub(super) const DEFAULTS: &str = "defaults";

/// Fields that an entity has for itself.
const OWN: [&str; 3] = ["name", "type", "class"];

/// Some entities, with the fields that they have by default.
struct Group {
    list: String,
    /// Their type; `None`: all.
    word: Option<String>,
    class: Option<String>,
    fields: Vec<Field>,
    /// Its place.
    mark: Mark,
    /// Does an entity have them?
    used: Cell<bool>,
}

/// Gives the entities of a file, and those of its templates, the fields that they have by default.
pub(super) fn apply(tree: &mut Node, report: &mut Report) {
    let of_file = read(tree.take(DEFAULTS), &At::default(), report);
    fill(tree, &[&of_file], report);
    if let Some(Kind::List(templates)) = tree.get_mut(FIELDS[2]).map(|node| &mut node.value) {
        for template in templates {
            let at = place(FIELDS[2], "template", template);
            let own = read(template.take(DEFAULTS), &at, report);
            fill(template, &[&own, &of_file], report);
            for group in own {
                group.tell_idle(report);
            }
        }
    }
    for group in of_file {
        group.tell_idle(report);
    }
}

impl Group {
    /// Says that nothing has its class.
    fn tell_idle(&self, report: &mut Report) {
        if let Some(class) = self.class.as_ref().filter(|_| !self.used.get()) {
            let word = self
                .word
                .as_ref()
                .map_or(String::new(), |word| format!("/{word}"));
            let name = format!("{}{word}:{class}", self.list);
            let what = format!("nothing has the class {}", quote(class));
            report.idle(("defaults", &name), what, self.mark);
        }
    }
}

/// Reads defaults.
fn read(node: Option<Node>, of: &At, report: &mut Report) -> Vec<Group> {
    let Some(node) = node else { return Vec::new() };
    let at = of.field(DEFAULTS).marked(node.mark);
    let Kind::Object(fields) = node.value else {
        report.add(
            &at,
            "expected an object of kinds and fields: {\"parts\": { … }, \"forces/bushing\": { … }}",
        );
        return Vec::new();
    };
    let mut groups = Vec::new();
    for field in fields {
        let at = at.field(&field.key).marked(field.mark);
        match group(field, &at, report) {
            Ok(group) => groups.push(group),
            Err(message) => report.add(&at, message),
        }
    }
    // What is narrower comes first: it fills a field before what is wider.
    groups.sort_by_key(|group| (group.class.is_none(), group.word.is_none()));
    groups
}

fn group(field: Field, at: &At, report: &mut Report) -> Result<Group, String> {
    let (kind, class) = match field.key.split_once(':') {
        Some((kind, class)) => (kind, Some(class.to_owned())),
        None => (field.key.as_str(), None),
    };
    let (list, word) = match kind.split_once('/') {
        Some((list, word)) => (list, Some(word.to_owned())),
        None => (kind, None),
    };
    if !shape::lists().any(|known| known == list) {
        return Err(format!(
            "{} is no list of entities{}; valid: {}, also as \"forces/bushing\" for one type and \"forces/bushing:soft\" for those \
             whose \"class\" is \"soft\"",
            quote(list),
            hint(list, shape::lists()),
            quote_all(shape::lists())
        ));
    }
    let words = shape::words(list);
    if let Some(word) = word.as_deref().filter(|word| !words.contains(word)) {
        if words.is_empty() {
            return Err(format!("{list} have no types; write {}", quote(list)));
        }
        return Err(format!(
            "{} is no type of {list}{}; valid: {}",
            quote(word),
            hint(word, words.iter().copied()),
            quote_all(words)
        ));
    }
    let Kind::Object(fields) = field.node.value else {
        return Err(format!(
            "expected an object of fields, found {}",
            field.node.to_value()
        ));
    };
    let known = shape::fields(list, word.as_deref());
    for own in &fields {
        let at = at.field(&own.key).marked(own.mark);
        if OWN.contains(&own.key.as_str()) {
            report.add(
                &at,
                format!("{} has no default: every entity gives it", quote(&own.key)),
            );
        } else if !known.contains(&own.key.as_str()) {
            let message = format!(
                "unknown field {}{}; valid here: {}",
                quote(&own.key),
                hint(&own.key, known.iter().copied()),
                known.join(", ")
            );
            report.add(&at, message);
        }
    }
    Ok(Group {
        mark: field.mark,
        used: Cell::new(false),
        list: list.to_owned(),
        word,
        class,
        fields,
    })
}

/// Gives entities their defaults, those of the first groups first.
fn fill(tree: &mut Node, levels: &[&Vec<Group>], report: &mut Report) {
    let Kind::Object(lists) = &mut tree.value else {
        return;
    };
    for list in lists {
        let own = match list.key.as_str() {
            // In a template these are its own.
            "parameters" if list.node.as_object().is_some() => continue,
            FMU_PARAMETERS => "parameters",
            own => own,
        };
        let Some(own) = shape::lists().find(|known| *known == own) else {
            continue;
        };
        let Kind::List(items) = &mut list.node.value else {
            continue;
        };
        for item in items.iter_mut().filter(|item| item.as_object().is_some()) {
            one(item, own, levels, report);
        }
    }
}

fn one(item: &mut Node, list: &str, levels: &[&Vec<Group>], report: &mut Report) {
    let at = place(list, list.strip_suffix('s').unwrap_or(list), item);
    let word = item.get("type").and_then(Node::as_str).map(str::to_owned);
    let class = item.take("class");
    let class_name = class.as_ref().and_then(Node::as_str);
    let groups = || {
        let all = levels.iter().flat_map(|groups| groups.iter());
        all.filter(|group| group.list == list && (group.word.is_none() || group.word == word))
    };
    if let Some(class) = &class
        && !groups().any(|group| group.class.is_some() && group.class.as_deref() == class_name)
    {
        let known: Vec<&str> = groups().filter_map(|g| g.class.as_deref()).collect();
        let has = match known.as_slice() {
            [] => "there are no classes of this kind".to_owned(),
            known => format!("valid: {}", quote_all(known.iter().copied())),
        };
        let said = class_name.map_or_else(|| class.to_value().to_string(), quote);
        let message = format!(
            "no defaults have the class {said}{}; {has}",
            hint(class_name.unwrap_or_default(), known.iter().copied())
        );
        report.add(&at.field("class").marked(class.mark), message);
    }
    let fields = groups()
        .filter(|group| group.class.is_none() || group.class.as_deref() == class_name)
        .inspect(|group| group.used.set(true))
        .flat_map(|group| group.fields.iter());
    for field in fields {
        if item.get(&field.key).is_none() {
            item.set(&field.key, field.node.clone());
        }
    }
}

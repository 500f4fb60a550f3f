//! Control plane: the instances that the entries of a list make: one, an array, a pair, an array of pairs.

use super::body::{self, Bodies};
use super::eval::{self, Scope};
use super::instance::{self, Making};
use super::overrides::merge;
use super::template::Template;
use super::{Context, at, place, surface};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::limits::{EXPANDED_ENTITIES, LIST_ENTRIES};
use crate::text::{Field, Kind, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// An instance that is to be made.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Its entry.
    item: usize,
    /// Its name, with its number in an array: `leg[2]`.
    pub(super) name: String,
    /// The name without the number.
    pub(super) base: String,
    /// Its number in an array and the number of all.
    number: Option<(usize, usize)>,
    /// Is it the second of a pair, the mirror image of the first? `None`: it is no pair.
    image: Option<bool>,
    template: Rc<Template>,
}

/// The instances of a list of entries, in their order.
pub(super) struct Plans<'a> {
    items: &'a [Node],
    outer: &'a Scope,
    open: &'a [String],
    all: Vec<Plan>,
    /// All names that entries give, of instances that are there or not.
    pub(super) names: BTreeSet<String>,
}

impl<'a> Plans<'a> {
    /// Reads the entries; what cannot be read is reported and left out.
    pub(super) fn read(
        items: &'a [Node],
        outer: &'a Scope,
        open: &'a [String],
        context: &mut Context<'_>,
    ) -> Self {
        let mut plans = Self {
            items,
            outer,
            open,
            all: Vec::new(),
            names: BTreeSet::new(),
        };
        for (k, item) in items.iter().enumerate() {
            if context.report.is_full() || !plans.entry(k, item, context) {
                break;
            }
        }
        plans
    }

    /// Adds the instances of an entry; `false`: there are too many.
    fn entry(&mut self, item: usize, node: &Node, context: &mut Context<'_>) -> bool {
        let place = place("instances", "instance", node);
        let Some((names, template)) =
            instance::head(node, &place, (self.open, &mut self.names), context)
        else {
            return true;
        };
        let conditions = Conditions::of(node);
        if let Some(when) = conditions.of_all
            && !body::holds(when.clone(), self.outer, &place, context)
        {
            context.sources.leave_out(&names, self.open);
            return true;
        }
        let Ok(count) = count(node, self.outer, &place, context) else {
            return true;
        };
        check_elements(node, &names, count, &place, context);
        let pair = names.len() == 2;
        for (side, base) in names.iter().enumerate() {
            for k in 1..=count.unwrap_or(1) {
                context.entities += 1;
                if context.entities > EXPANDED_ENTITIES {
                    too_many(node, context);
                    return false;
                }
                let name = match count {
                    Some(_) => format!("{base}[{k}]"),
                    None => base.clone(),
                };
                let plan = Plan {
                    item,
                    name,
                    base: base.clone(),
                    number: count.map(|count| (k, count)),
                    image: pair.then_some(side == 1),
                    template: Rc::clone(&template),
                };
                if conditions.hold(&plan, self.outer, &place, context) {
                    self.all.push(plan);
                } else {
                    context.sources.leave_out(&[plan.name], self.open);
                }
            }
        }
        true
    }

    /// Makes all instances. One whose place is a marker of another comes after it, whatever their order; in `bodies` each
    /// keeps its own.
    pub(super) fn make(&self, bodies: &mut Bodies<'_>, context: &mut Context<'_>) {
        let by_name: BTreeMap<&str, usize> = self
            .all
            .iter()
            .enumerate()
            .map(|(k, plan)| (plan.name.as_str(), k))
            .collect();
        let mut state = vec![State::Waits; self.all.len()];
        for first in 0..self.all.len() {
            // Each waits for at most one other: a path from the first to what can be made at once.
            let mut path = vec![first];
            while let Some(&last) = path.last() {
                if context.report.is_full() || context.entities > EXPANDED_ENTITIES {
                    return;
                }
                if state[last] == State::Made {
                    path.pop();
                    continue;
                }
                let making = self.making(last, context);
                let target = making
                    .target()
                    .and_then(|name| at::instance_of(name, bodies, &by_name))
                    .filter(|other| state[*other] != State::Made);
                match target {
                    Some(other) if state[other] == State::Opened || other == last => {
                        state[last] = State::Made;
                        self.circle(&path, other, &making, context);
                        path.pop();
                    }
                    Some(other) => {
                        state[last] = State::Opened;
                        path.push(other);
                    }
                    None => {
                        state[last] = State::Made;
                        let made = making.make(bodies, context);
                        bodies.add(last, made);
                        if context.entities > EXPANDED_ENTITIES {
                            too_many(&self.items[self.all[last].item], context);
                        }
                        path.pop();
                    }
                }
            }
        }
    }

    /// The plan of a number.
    pub(super) fn plan(&self, k: usize) -> &Plan {
        &self.all[k]
    }

    /// Reports instances that are placed at one another in a circle.
    fn circle(&self, path: &[usize], back: usize, making: &Making<'_>, context: &mut Context<'_>) {
        let from = path.iter().position(|k| *k == back).unwrap_or(0);
        let names = path[from..].iter().chain([&back]);
        let names: Vec<&str> = names.map(|k| self.all[*k].name.as_str()).collect();
        let message = format!(
            "the place of an instance follows from itself: {}",
            names.join(" is at ")
        );
        context.report.add(&making.field("at"), message);
    }

    /// What makes an instance, with what arrays and pairs say of it.
    fn making(&self, k: usize, context: &mut Context<'_>) -> Making<'_> {
        let plan = &self.all[k];
        let mut item = self.items[plan.item].clone();
        let scope = plan.scope(self.outer, &item);
        if let Some(elements) = item.take("elements") {
            for field in elements.as_object().unwrap_or(&[]) {
                if plan.is_named(&field.key) {
                    merge(&mut item, &field.node);
                }
            }
        }
        let place = At::default()
            .field("instances")
            .named("instance", Some(&plan.base))
            .marked(item.mark);
        Making::new(plan, (item, scope), self.open, place, context)
    }
}

/// How far an instance is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Waits,
    /// It waits for another that is looked at.
    Opened,
    Made,
}

impl Plan {
    /// Is it the element that a key names?
    fn is_named(&self, key: &str) -> bool {
        let number = || self.number.is_some_and(|(k, _)| k.to_string() == key);
        key == self.base || key == self.name || number()
    }

    /// What its fields can read.
    fn scope(&self, outer: &Scope, like: &Node) -> Scope {
        let mut scope = outer.clone();
        if let Some((k, count)) = self.number {
            scope.set_number("index", k as f64, like);
            scope.set_number("count", count as f64, like);
        }
        scope
    }

    pub(super) fn template(&self) -> Rc<Template> {
        Rc::clone(&self.template)
    }

    pub(super) fn image(&self) -> Option<bool> {
        self.image
    }
}

/// The conditions of an entry.
struct Conditions<'a> {
    /// Of all that it makes.
    of_all: Option<&'a Node>,
    /// Of each element of an array by its number.
    of_each: Option<&'a Node>,
    elements: &'a [Field],
}

impl<'a> Conditions<'a> {
    fn of(node: &'a Node) -> Self {
        let when = node.get("when");
        let by_number = when.is_some_and(|when| {
            when.as_str().is_some_and(|text| text.contains("index")) && node.get("count").is_some()
        });
        let elements = node.get("elements").and_then(Node::as_object);
        Self {
            of_all: when.filter(|_| !by_number),
            of_each: when.filter(|_| by_number),
            elements: elements.unwrap_or(&[]),
        }
    }

    /// Is an element there?
    fn hold(&self, plan: &Plan, outer: &Scope, at: &At, context: &mut Context<'_>) -> bool {
        let own = self
            .elements
            .iter()
            .filter(|field| plan.is_named(&field.key));
        let mut own = own.filter_map(|field| field.node.get("when"));
        // What an element says itself counts.
        let Some(when) = own.next_back().or(self.of_each) else {
            return true;
        };
        body::holds(when.clone(), &plan.scope(outer, when), at, context)
    }
}

/// Reports that the templates make too many entities.
fn too_many(item: &Node, context: &mut Context<'_>) {
    let at = place("instances", "instance", item);
    let message = format!("the templates make more than {EXPANDED_ENTITIES} entities");
    context.report.add(&at, message);
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
    eval::substitute(&mut node, outer, &at.field("count"), context);
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

/// Checks which elements of an array or a pair an entry speaks of.
fn check_elements(
    item: &Node,
    names: &[String],
    count: Option<usize>,
    at: &At,
    context: &mut Context<'_>,
) {
    let Some(elements) = item.get("elements") else {
        return;
    };
    let at = at.field("elements").marked(elements.mark);
    let Some(fields) = elements.as_object() else {
        context.report.add(
            &at,
            "expected an object of elements and fields: {\"1\": {\"ports\": { … }}}",
        );
        return;
    };
    let pair = names.len() == 2;
    if !pair && count.is_none() {
        context.report.add(
            &at,
            "only an array or a pair has elements: give a \"count\", or the fields themselves",
        );
        return;
    }
    for field in fields {
        let key = field.key.as_str();
        let number = |text: &str| {
            let number = text.parse::<usize>().ok();
            number.is_some_and(|n| n >= 1 && Some(n) <= count && n.to_string() == text)
        };
        let inner = key.strip_suffix(']').and_then(|key| key.split_once('['));
        let named = |name: &str| pair && names.iter().any(|own| own == name);
        let known =
            number(key) || named(key) || inner.is_some_and(|(name, k)| named(name) && number(k));
        if known {
            check_element(&field.node, &at.field(key), context);
            continue;
        }
        let numbers = count.map(|count| match count {
            0 => "none, as its count is 0".to_owned(),
            count => format!("1 to {count}"),
        });
        let words = pair.then(|| quote_all(names.iter().map(String::as_str)));
        let valid: Vec<String> = numbers.into_iter().chain(words).collect();
        let message = format!(
            "there is no element {}{}; valid: {}",
            quote(key),
            hint(key, names.iter().map(String::as_str).filter(|_| pair)),
            valid.join(", ")
        );
        context.report.add(&at.clone().marked(field.mark), message);
    }
}

/// Checks the fields of an element.
fn check_element(node: &Node, at: &At, context: &mut Context<'_>) {
    let Some(fields) = node.as_object() else {
        let message = format!(
            "expected an object of fields of the instance, found {}",
            node.to_value()
        );
        context.report.add(&at.clone().marked(node.mark), message);
        return;
    };
    let of_all = [
        "name",
        "pair",
        "template",
        "count",
        "elements",
        "description",
    ];
    let known: Vec<&str> = instance::KNOWN
        .into_iter()
        .filter(|field| !of_all.contains(field))
        .collect();
    for field in fields {
        if let Some(message) = surface::field_fault(&field.key, &known) {
            context
                .report
                .add(&at.field(&field.key).marked(field.mark), message);
        }
    }
}

/// The names that an entry gives: one, or two of a pair; or what is wrong with them.
pub(super) fn names_of(item: &Node) -> Result<Vec<String>, String> {
    let name = item.get("name").and_then(Node::as_str);
    let Some(pair) = item.get("pair") else {
        return name
            .map(|name| vec![name.to_owned()])
            .ok_or_else(|| "an instance is an object with a \"name\" and a \"template\"".into());
    };
    if name.is_some() {
        return Err("give either \"name\" or \"pair\": the names of a pair are in \"pair\"".into());
    }
    let words = match &pair.value {
        Kind::List(items) => items.iter().filter_map(Node::as_str).collect(),
        _ => Vec::new(),
    };
    match words.as_slice() {
        [one, other] => Ok(vec![(*one).to_owned(), (*other).to_owned()]),
        _ => Err(format!(
            "expected the two names of a pair: [\"left\", \"right\"]; found {}",
            pair.to_value()
        )),
    }
}

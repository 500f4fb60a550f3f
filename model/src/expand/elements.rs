//! Control plane: the instances that the entries of a list make: one, an array, a pair, an array of pairs.

use super::body::{self, Bodies};
use super::eval::{self, Scope};
use super::instance::{self, Making};
use super::overrides::merge;
use super::template::Template;
use super::{Context, at, place};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::limits::{EXPANDED_ENTITIES, LIST_ENTRIES};
use crate::text::{Kind, Node};
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
        if let Some(when) = node.get("when")
            && !body::holds(when.clone(), self.outer, context)
        {
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
                self.all.push(Plan {
                    item,
                    name,
                    base: base.clone(),
                    number: count.map(|count| (k, count)),
                    image: pair.then_some(side == 1),
                    template: Rc::clone(&template),
                });
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
        let mut scope = self.outer.clone();
        if let Some((k, count)) = plan.number {
            scope.set_number("index", k as f64, &item);
            scope.set_number("count", count as f64, &item);
        }
        if let Some(elements) = item.take("elements") {
            for field in elements.as_object().unwrap_or(&[]) {
                let number = plan.number.map(|(k, _)| k.to_string());
                if number.as_deref() == Some(field.key.as_str())
                    || field.key == plan.base
                    || field.key == plan.name
                {
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
    pub(super) fn template(&self) -> Rc<Template> {
        Rc::clone(&self.template)
    }

    pub(super) fn image(&self) -> Option<bool> {
        self.image
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
            number.is_some_and(|n| n >= 1 && Some(n) <= count)
        };
        let inner = key.strip_suffix(']').and_then(|key| key.split_once('['));
        let named = |name: &str| pair && names.iter().any(|own| own == name);
        let known =
            number(key) || named(key) || inner.is_some_and(|(name, k)| named(name) && number(k));
        if known {
            continue;
        }
        let numbers = count.map(|count| format!("1 to {count}"));
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

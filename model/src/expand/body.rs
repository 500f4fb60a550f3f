//! Control plane: the entities of a model or a template, with those of its instances.

use super::elements::Plans;
use super::eval::Scope;
use super::names::{self, Kinds};
use super::{Context, eval, parameters, place};
use crate::errors::{At, Report, does_not_exist, quote};
use crate::expr::suggest::hint;
use crate::measure;
use crate::schema::{HERE, PORTS};
use crate::shape;
use crate::text::{Kind, Mark, Node};
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

/// Where an entity is, by its list and name: the instance that made it, and its number there.
type Index = BTreeMap<(String, String), (Option<usize>, usize)>;

/// What a body has of its own, and what its instances have made so far.
pub(super) struct Bodies<'a> {
    own: Vec<Own>,
    /// What each instance made, by its number.
    made: BTreeMap<usize, Vec<Entity>>,
    taken: Vec<Taken>,
    /// The ports of the template, with their kinds.
    pub(super) ports: &'a BTreeMap<&'a str, &'a str>,
    /// Where markers and bodies are in the lists above, by their list and name, if an instance is placed at a marker.
    index: Option<Index>,
}

/// What a list has: an entity, or the place of some instances.
enum Own {
    Entity(Entity),
    /// The list, and the name of the instances; [`HERE`]: all that have no place by their names.
    Place(String, String, Mark),
}

/// Expands the lists and instances of a model or a template. `open` has the templates that it is in, `ports` its ports.
pub(super) fn expand(
    tree: &Node,
    scope: &Scope,
    (open, ports): (&[String], &BTreeMap<&str, &str>),
    context: &mut Context<'_>,
) -> Option<Body> {
    let before = context.report.count();
    let mut own = own_entities(tree, scope, context);
    if open.is_empty() {
        check_constants(&mut own, scope, context);
    }
    resolve_units(&mut own, context);
    if context.report.count() > before {
        // What follows from it needs no message.
        return None;
    }
    let instances = tree.get("instances");
    let Some(items) = instances.map_or(Some(&[][..]), Node::as_list) else {
        let mark = instances.map_or(tree.mark, |node| node.mark);
        let at = At::default().field("instances").marked(mark);
        context.report.add(
            &at,
            "expected a list of instances: [{\"name\": \"left\", \"template\": \"leg\"}]",
        );
        return None;
    };
    let plans = Plans::read(items, scope, open, context);
    check_places(&own, &plans.names, context);
    let mut bodies = Bodies {
        own,
        made: BTreeMap::new(),
        taken: Vec::new(),
        ports,
        index: None,
    };
    if items.iter().any(names_a_place) {
        bodies.number();
    }
    plans.make(&mut bodies, context);
    let taken = std::mem::take(&mut bodies.taken);
    Some(Body {
        taken,
        entities: bodies.in_order(&plans),
    })
}

/// Does an entry place an instance at a marker?
fn names_a_place(item: &Node) -> bool {
    let elements = item.get("elements").and_then(Node::as_object);
    let mut fields = elements.unwrap_or(&[]).iter();
    item.get("at").is_some() || fields.any(|field| field.node.get("at").is_some())
}

/// The lists of what an instance can be placed at.
const PLACED: [&str; 4] = ["markers", "parts", "point_masses", "flexible_bodies"];

impl Bodies<'_> {
    /// Makes the index of names.
    fn number(&mut self) {
        let mut index = BTreeMap::new();
        for (k, own) in self.own.iter().enumerate() {
            if let Own::Entity(entity) = own
                && PLACED.contains(&entity.list.as_str())
            {
                let key = (entity.list.clone(), entity.name().to_owned());
                index.entry(key).or_insert((None, k));
            }
        }
        self.index = Some(index);
    }

    /// Adds what an instance made.
    pub(super) fn add(&mut self, instance: usize, made: Body) {
        if let Some(index) = &mut self.index {
            for (k, entity) in made.entities.iter().enumerate() {
                if PLACED.contains(&entity.list.as_str()) {
                    let key = (entity.list.clone(), entity.name().to_owned());
                    index.entry(key).or_insert((Some(instance), k));
                }
            }
        }
        self.taken.extend(made.taken);
        self.made.insert(instance, made.entities);
    }

    /// An entity of a list that can be the place of an instance.
    pub(super) fn find(&self, list: &str, name: &str) -> Option<&Entity> {
        let index = self.index.as_ref()?;
        match index.get(&(list.to_owned(), name.to_owned()))? {
            (Some(instance), k) => self.made.get(instance)?.get(*k),
            (None, _) => self.own(list, name),
        }
    }

    /// The same among the body's own.
    pub(super) fn own(&self, list: &str, name: &str) -> Option<&Entity> {
        let index = self.index.as_ref()?;
        let (None, k) = index.get(&(list.to_owned(), name.to_owned()))? else {
            return None;
        };
        match self.own.get(*k)? {
            Own::Entity(entity) => Some(entity),
            Own::Place(..) => None,
        }
    }

    /// The names of a list, for messages.
    pub(super) fn names(&self, list: &str) -> Vec<String> {
        let keys = self.index.iter().flat_map(BTreeMap::keys);
        let named = keys.filter(|(of, _)| of == list);
        named.map(|(_, name)| name.clone()).collect()
    }

    /// The own entities with those of the instances: at the places of these in a list, or behind it.
    fn in_order(self, plans: &Plans<'_>) -> Vec<Entity> {
        let mut places: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for own in &self.own {
            if let Own::Place(list, name, _) = own {
                places.entry(list).or_default().insert(name);
            }
        }
        let none = BTreeSet::new();
        let mut lists: BTreeMap<(String, Option<String>), Vec<Entity>> = BTreeMap::new();
        let mut order: Vec<String> = Vec::new();
        for (instance, entities) in self.made {
            let plan = plans.plan(instance);
            for entity in entities {
                let known = places.get(entity.list.as_str()).unwrap_or(&none);
                let mut names = [plan.name.as_str(), plan.base.as_str(), HERE].into_iter();
                let place = names.find(|name| known.contains(name));
                if place.is_none() && !order.contains(&entity.list) {
                    order.push(entity.list.clone());
                }
                let key = (entity.list.clone(), place.map(str::to_owned));
                lists.entry(key).or_default().push(entity);
            }
        }
        let mut all = Vec::new();
        for own in self.own {
            match own {
                Own::Entity(entity) => all.push(entity),
                Own::Place(list, name, _) => {
                    all.extend(lists.remove(&(list, Some(name))).unwrap_or_default());
                }
            }
        }
        for list in order {
            all.extend(lists.remove(&(list, None)).unwrap_or_default());
        }
        all
    }
}

/// Checks that the places in lists are those of instances, each given once.
fn check_places(own: &[Own], names: &BTreeSet<String>, context: &mut Context<'_>) {
    let mut seen = BTreeSet::new();
    for own in own {
        let Own::Place(list, name, mark) = own else {
            continue;
        };
        let at = At::default().field(list).marked(*mark);
        let base = name.split('[').next().unwrap_or(name);
        if name != HERE && !names.contains(base) {
            let known = || names.iter().map(String::as_str).chain([HERE]);
            let message = format!(
                "{} is no entity and no instance{}; a text in a list is the place of the entities of an instance, {} that of all others",
                quote(name),
                hint(name, known()),
                quote(HERE)
            );
            context.report.add(&at, message);
        } else if !seen.insert((list, name)) {
            let message = format!("{} has its place in {list} already; keep one", quote(name));
            context.report.add(&at, message);
        }
    }
}

/// The own entities of a body, list by list.
fn own_entities(tree: &Node, scope: &Scope, context: &mut Context<'_>) -> Vec<Own> {
    let mut own = Vec::new();
    let known: BTreeSet<&str> = shape::lists().collect();
    for field in tree.as_object().unwrap_or(&[]) {
        if !known.contains(field.key.as_str()) {
            continue;
        }
        for item in field.node.as_list().unwrap_or(&[]) {
            let list = field.key.clone();
            let mut node = item.clone();
            let at = place(&list, list.strip_suffix('s').unwrap_or(&list), &node);
            if let Some(when) = node.take("when")
                && !holds(when, scope, &at, context)
            {
                continue;
            }
            eval::substitute_expressions((&list, &mut node), scope, &at, context);
            eval::substitute_texts(&mut node, scope, &at, context);
            if let Kind::Text(name) = &node.value {
                own.push(Own::Place(list, name.clone(), node.mark));
                continue;
            }
            if let Kind::Object(fields) = &mut node.value {
                // The same as leaving it out.
                fields.retain(|field| field.node.value != Kind::Null);
            }
            context.entities += 1;
            own.push(Own::Entity(Entity {
                list,
                node,
                floating: false,
            }));
        }
    }
    own
}

/// Reports constants that stand in expressions without `${…}`.
fn check_constants(own: &mut [Own], scope: &Scope, context: &mut Context<'_>) {
    for own in own {
        if let Own::Entity(entity) = own {
            names::check_bare(std::slice::from_mut(entity), scope, context);
        }
    }
}

/// Is the condition of an entity or an instance true: a number that is not zero, or `true`?
pub(super) fn holds(mut when: Node, scope: &Scope, at: &At, context: &mut Context<'_>) -> bool {
    let before = context.report.count();
    eval::substitute(&mut when, scope, &at.field("when"), context);
    match &when.value {
        Kind::Bool(flag) => *flag,
        Kind::Number(number) => number.as_f64() != Some(0.0),
        _ => {
            if context.report.count() == before {
                let at = at.field("when").marked(when.mark);
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
fn resolve_units(own: &mut [Own], context: &mut Context<'_>) {
    let mut model = Node::new(Kind::Object(Vec::new()), Mark::new(0, 0));
    for own in own.iter() {
        let Own::Entity(entity) = own else { continue };
        let mark = entity.node.mark;
        match model.get_mut(&entity.list).map(|node| &mut node.value) {
            Some(Kind::List(items)) => items.push(entity.node.clone()),
            _ => model.set(
                &entity.list,
                Node::new(Kind::List(vec![entity.node.clone()]), mark),
            ),
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
    for own in own {
        if let Own::Entity(entity) = own
            && let Some(node) = next.get_mut(&entity.list).and_then(Iterator::next)
        {
            entity.node = node;
        }
    }
}

impl Body {
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
        let always = parameters::known(&self.name).is_some();
        if self.kind == "signal" && (always || !is_name(&self.name)) {
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

//! Control plane: the mesh of a deck: nodes, sets, rigid bodies, and the lines that show its shape.

use super::Opened;
use super::deck::{Card, Deck, Row, identifier};
use super::outline::{Drawn, Outline, shape};
use super::solids::Solids;
use super::text::{ReadError, number, quote};
use crate::fe::{FeModel, FeNode, Symmetric, Unknown};
use crate::strain::Solid;
use fixstep_kernel::math::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Most nodes of one mesh.
const MAX_NODES: usize = 50_000_000;

/// The geometry in a deck.
#[derive(Debug, Default)]
pub(super) struct Mesh {
    /// Nodes in the order of the file.
    pub(super) nodes: Vec<FeNode>,
    /// Place of each node by its number.
    pub(super) places: BTreeMap<u64, usize>,
    /// Lines that show the shape.
    pub(super) drawn: Drawn,
    /// Named sets of nodes.
    pub(super) sets: Vec<(String, Vec<usize>)>,
    /// Rigid bodies: node that translates, node whose translations are the rotations.
    pub(super) rotations: BTreeMap<u64, u64>,
    /// Rigid bodies: node that translates, the nodes that follow it.
    pub(super) followers: Vec<(usize, Vec<usize>)>,
    /// Solid elements.
    pub(super) solids: Vec<Solid>,
    /// For each node of an element whose strain does not follow from its nodes: the type of that element.
    pub(super) opaque: BTreeMap<usize, String>,
    /// Notes about data that were ignored.
    pub(super) notes: Vec<String>,
}

/// Elements as they come.
#[derive(Debug, Default)]
struct Elements {
    outline: Outline,
    solids: Solids,
    /// Types that are not known.
    unknown: BTreeSet<String>,
}

impl Mesh {
    /// The mesh of a deck.
    pub(super) fn of(deck: &Deck) -> Result<Self, ReadError> {
        let mut mesh = Self::default();
        let mut sets = BTreeMap::new();
        for card in deck.cards.iter().filter(|card| card.keyword == "NODE") {
            mesh.add_nodes(deck, card, &mut sets)?;
        }
        let mut elements = Elements::default();
        for card in &deck.cards {
            match card.keyword.as_str() {
                "ELEMENT" => mesh.add_elements(deck, card, &mut elements)?,
                "NSET" => mesh.add_set(deck, card, &mut sets)?,
                "RIGID BODY" => mesh.add_rigid_body(deck, card, &sets)?,
                "TRANSFORM" => {
                    let message = "*TRANSFORM turns the directions of nodes, which is not read; \
                                   valid: all nodes in the axes of the model";
                    return Err(deck.error(card, message));
                }
                "INSTANCE" if deck.rows(card).next().is_some() => {
                    let message = "*INSTANCE moves a part, which is not read; valid: a deck without \
                                   parts and instances";
                    return Err(deck.error(card, message));
                }
                _ => {}
            }
        }
        if mesh.nodes.is_empty() {
            let file = deck.files.first().map_or("", |(name, _)| name);
            return Err(ReadError::of(
                file,
                "has no *NODE with a line `number, x, y, z`",
            ));
        }
        if !elements.unknown.is_empty() {
            let kinds: Vec<String> = elements.unknown.into_iter().collect();
            let kinds = kinds.join(", ");
            mesh.notes.push(format!("elements {kinds} are not drawn"));
        }
        mesh.drawn = elements.outline.drawn(&mesh.nodes);
        (mesh.solids, mesh.opaque) = elements.solids.finish(deck);
        mesh.sets = sets.into_iter().collect();
        Ok(mesh)
    }

    /// The place of a node that a row names.
    fn place(&self, row: &Row<'_>, id: u64) -> Result<usize, ReadError> {
        let found = self.places.get(&id).copied();
        found.ok_or_else(|| row.error(format!("there is no node {id}")))
    }

    fn add_nodes(
        &mut self,
        deck: &Deck,
        card: &Card,
        sets: &mut BTreeMap<String, Vec<usize>>,
    ) -> Result<(), ReadError> {
        if card
            .option("SYSTEM")
            .is_some_and(|system| !system.eq_ignore_ascii_case("R"))
        {
            return Err(deck.error(card, "*NODE has a SYSTEM of its own; valid: Cartesian"));
        }
        for row in deck.rows(card) {
            let mut fields = row.fields();
            let id = identifier(&row, fields.next().unwrap_or_default(), "node")?;
            let mut position = Vec3::zeros();
            for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
                // Coordinates that are left out are zero.
                let field = fields.next().unwrap_or("0");
                let field = if field.is_empty() { "0" } else { field };
                position[axis] = number(field).ok_or_else(|| {
                    let field = quote(field);
                    row.error(format!(
                        "node {id}: {letter}: {field} is not a finite number"
                    ))
                })?;
            }
            let place = self.nodes.len();
            if place >= MAX_NODES {
                return Err(row.error(format!("more than {MAX_NODES} nodes")));
            }
            if let Some(known) = self.places.get(&id) {
                if self.nodes[*known].position != position {
                    return Err(row.error(format!("node {id} is already defined elsewhere")));
                }
                continue;
            }
            self.places.insert(id, place);
            self.nodes.push(FeNode { id, position });
            if let Some(name) = card.option("NSET") {
                sets.entry(name.to_uppercase()).or_default().push(place);
            }
        }
        Ok(())
    }

    fn add_elements(
        &self,
        deck: &Deck,
        card: &Card,
        elements: &mut Elements,
    ) -> Result<(), ReadError> {
        let kind = card.option("TYPE").unwrap_or_default().to_uppercase();
        let Some((shape, count)) = shape(&kind) else {
            elements.unknown.insert(kind);
            return Ok(());
        };
        let mut rows = deck.rows(card);
        while let Some(first) = rows.next() {
            let mut numbers = Vec::with_capacity(count + 1);
            let mut row = first;
            loop {
                for field in row.fields() {
                    numbers.push(identifier(&row, field, "element")?);
                }
                // CalculiX continues without a comma if nodes are missing.
                if numbers.len() > count || !(row.continues() || numbers.len() < count + 1) {
                    break;
                }
                let Some(next) = rows.next() else { break };
                row = next;
            }
            if numbers.len() != count + 1 {
                let (id, found) = (numbers[0], numbers.len() - 1);
                let message =
                    format!("element {id} of type {kind} has {found} nodes; valid: {count}");
                return Err(first.error(message));
            }
            let nodes = numbers[1..].iter().map(|id| self.place(&first, *id));
            let nodes: Vec<usize> = nodes.collect::<Result<_, _>>()?;
            elements.outline.add(shape, &nodes);
            elements.solids.add(card, &kind, numbers[0], &nodes);
        }
        Ok(())
    }

    fn add_set(
        &self,
        deck: &Deck,
        card: &Card,
        sets: &mut BTreeMap<String, Vec<usize>>,
    ) -> Result<(), ReadError> {
        let Some(name) = card.option("NSET").filter(|name| !name.is_empty()) else {
            return Err(deck.error(card, "*NSET has no NSET=NAME"));
        };
        let mut places = sets.remove(&name.to_uppercase()).unwrap_or_default();
        for row in deck.rows(card) {
            if card.option("GENERATE").is_some() {
                places.extend(self.generated(&row)?);
                continue;
            }
            for field in row.fields() {
                if field.starts_with(|first: char| first.is_ascii_digit()) {
                    places.push(self.place(&row, identifier(&row, field, "node")?)?);
                } else {
                    let other = sets.get(&field.to_uppercase());
                    let missing = || row.error(format!("there is no set {} yet", quote(field)));
                    places.extend(other.ok_or_else(missing)?);
                }
            }
        }
        places.sort_unstable();
        places.dedup();
        sets.insert(name.to_uppercase(), places);
        Ok(())
    }

    /// `first, last, step`: nodes of the range that exist.
    fn generated(&self, row: &Row<'_>) -> Result<Vec<usize>, ReadError> {
        let numbers = row.fields().map(|field| identifier(row, field, "node"));
        let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
        let (first, last, step) = match numbers[..] {
            [first, last] => (first, last, 1),
            [first, last, step] => (first, last, step),
            _ => return Err(row.error("expected `first, last, step`")),
        };
        if last < first {
            return Err(row.error(format!("the last node {last} is below the first {first}")));
        }
        let range = self.places.range(first..=last);
        let chosen = range.filter(|(id, _)| (*id - first).is_multiple_of(step));
        Ok(chosen.map(|(_, place)| *place).collect())
    }

    /// Takes geometry to a model with nothing else.
    pub(super) fn model(self) -> FeModel {
        FeModel {
            nodes: self.nodes,
            edges: self.drawn.edges,
            faces: self.drawn.faces,
            sets: self.sets,
            solids: self.solids,
            opaque: self.opaque,
            followers: self.followers,
            ..FeModel::default()
        }
    }

    /// Combines the geometry with stiffness and mass in a model.
    pub(super) fn with_matrices(
        mut self,
        unknowns: Vec<Unknown>,
        [stiffness, mass]: [Symmetric; 2],
        sources: Vec<(String, String)>,
    ) -> Opened {
        let notes = std::mem::take(&mut self.notes);
        let model = FeModel {
            unknowns,
            stiffness,
            mass,
            sources,
            ..self.model()
        };
        Opened { model, notes }
    }

    fn add_rigid_body(
        &mut self,
        deck: &Deck,
        card: &Card,
        sets: &BTreeMap<String, Vec<usize>>,
    ) -> Result<(), ReadError> {
        let node = |option: &str| {
            let Some(value) = card.option(option) else {
                return Ok(None);
            };
            let message = || {
                let value = quote(value);
                deck.error(card, format!("{option}={value} is not a node of this deck"))
            };
            let id: u64 = value.parse().map_err(|_| message())?;
            if self.places.contains_key(&id) {
                Ok(Some(id))
            } else {
                Err(message())
            }
        };
        let reference = node("REF NODE")?;
        let rotation = node("ROT NODE")?;
        let (Some(reference), Some(rotation)) = (reference, rotation) else {
            let message = "*RIGID BODY needs REF NODE and ROT NODE: otherwise its unknowns have no \
                           nodes in this deck";
            return Err(deck.error(card, message));
        };
        if reference == rotation || self.rotations.insert(rotation, reference).is_some() {
            let message = format!("ROT NODE={rotation} serves another purpose already");
            return Err(deck.error(card, message));
        }
        let set = card
            .option("NSET")
            .and_then(|set| sets.get(&set.to_uppercase()));
        if let (Some(set), Some(leader)) = (set, self.places.get(&reference)) {
            self.followers.push((*leader, set.clone()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

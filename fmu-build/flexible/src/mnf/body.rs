//! Control plane: makes a flexible body from a modal neutral file: leaves out rigid modes, keeps the chosen nodes.

use super::Mnf;
use crate::read::ReadError;
use crate::read::outline::{Drawn, Outline, Shape};
use fixstep_kernel::flex::{FlexData, Invariants, Mode, Nodal, Node, TensorPoint};
use fixstep_kernel::math::Vec3;
use fixstep_model::limits::MODES;
use std::collections::{BTreeMap, BTreeSet};

/// Modes are rigid if their frequencies are below this part of the next one's.
const GAP: f64 = 0.01;
/// Rigid modes of a free body.
const RIGID: usize = 6;
/// Largest difference, without a note, between modal masses from nodal masses and those of the file.
const ORTHONORMAL: f64 = 1e-4;

/// The parts of a file that a body takes.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Nodes by number, with names of their own; without any, the interface nodes.
    pub nodes: Vec<(Option<String>, u64)>,
    /// Modes by number; without, all that are not rigid.
    pub modes: Option<Vec<u64>>,
    /// Nodes whose stresses are kept.
    pub stresses: Vec<u64>,
    /// Also the nodes of sharp edges, for pictures.
    pub outline: bool,
    /// Also the nodes of the whole surface, for pictures.
    pub surface: bool,
}

impl Mnf {
    /// The body, and notes for the user.
    pub fn body(&self, choice: &Choice) -> Result<(FlexData, Vec<String>), ReadError> {
        let fail = |message: String| ReadError::of(&self.source.0, message);
        let rigid = self.rigid();
        let chosen = self.chosen_modes(choice, &rigid).map_err(fail)?;
        let places: BTreeMap<u64, usize> = self.nodes.iter().map(|node| node.id).zip(0..).collect();
        let place = |id: &u64| {
            let missing = || fail(format!("there is no node {id}"));
            places.get(id).copied().ok_or_else(missing)
        };
        let drawn = self.drawn();
        let mut nodes: Vec<(Option<String>, usize)> = Vec::new();
        for (name, id) in &choice.nodes {
            nodes.push((name.clone(), place(id)?));
        }
        if choice.nodes.is_empty() {
            nodes.extend(self.interface.iter().map(|place| (None, *place)));
        }
        if choice.outline {
            nodes.extend(drawn.edges.iter().flatten().map(|place| (None, *place)));
        }
        if choice.surface {
            nodes.extend(drawn.faces.iter().flatten().map(|place| (None, *place)));
        }
        let mut seen = BTreeSet::new();
        nodes.retain(|(_, place)| seen.insert(*place));
        if nodes.is_empty() {
            return Err(fail(
                "has no interface nodes; name the nodes to keep".to_owned(),
            ));
        }
        let stresses = choice.stresses.iter().map(|id| Ok((*id, place(id)?)));
        let stresses: Vec<(u64, usize)> = stresses.collect::<Result<_, ReadError>>()?;
        let stresses = stresses
            .iter()
            .map(|(id, place)| self.stress(*id, *place, &chosen).map_err(fail));
        let stresses: Vec<TensorPoint> = stresses.collect::<Result<_, ReadError>>()?;
        let invariants = self.invariants(&chosen);
        let mut notes = self.notes.clone();
        notes.push(format!(
            "{} of {} modes are kept; {} rigid ones are left out",
            chosen.len(),
            self.modes.len(),
            rigid.len()
        ));
        self.compare_masses(&chosen, &invariants, &mut notes);
        let body = FlexData {
            description: self.description.clone(),
            sources: vec![self.source.clone()],
            modes: chosen.iter().map(|j| self.mode(*j)).collect(),
            stiffness: self.stiffness(&chosen),
            invariants,
            lines: kept(&drawn.edges, &nodes),
            faces: kept(&drawn.faces, &nodes),
            nodes: nodes
                .iter()
                .map(|(name, place)| self.node(name.clone(), *place, &chosen))
                .collect(),
            preload: None,
            loads: Vec::new(),
            stiffening: None,
            stresses,
            strains: Vec::new(),
        };
        Ok((body, notes))
    }

    /// Indices of the rigid modes: at most six, far below all others in frequency.
    pub fn rigid(&self) -> Vec<usize> {
        let frequency = |j: usize| self.modes[j].frequency();
        let mut order: Vec<usize> = (0..self.modes.len()).collect();
        order.sort_by(|a, b| frequency(*a).total_cmp(&frequency(*b)));
        let most = RIGID.min(order.len().saturating_sub(1));
        let gap = |k: &usize| frequency(order[*k - 1]) < GAP * frequency(order[*k]);
        let count = (1..=most).rev().find(gap).unwrap_or(0);
        order.truncate(count);
        order.sort_unstable();
        order
    }

    fn chosen_modes(&self, choice: &Choice, rigid: &[usize]) -> Result<Vec<usize>, String> {
        let chosen: Vec<usize> = match &choice.modes {
            None => (0..self.modes.len())
                .filter(|j| !rigid.contains(j))
                .collect(),
            Some(numbers) => {
                let distinct: BTreeSet<u64> = numbers.iter().copied().collect();
                let find = |number: &u64| {
                    let found = self.modes.iter().position(|mode| mode.number == *number);
                    let last = self.modes.last().map_or(0, |mode| mode.number);
                    let found = found
                        .ok_or_else(|| format!("there is no mode {number}; valid: 1 to {last}"))?;
                    if rigid.contains(&found) {
                        return Err(format!(
                            "mode {number} is rigid: the body's frame has its motion"
                        ));
                    }
                    Ok(found)
                };
                distinct.iter().map(find).collect::<Result<_, String>>()?
            }
        };
        if chosen.is_empty() || chosen.len() > MODES {
            return Err(format!(
                "{} elastic modes; valid: 1 to {MODES}",
                chosen.len()
            ));
        }
        if let Some(j) = chosen.iter().find(|j| self.modes[**j].eigenvalue <= 0.0) {
            let mode = &self.modes[*j];
            return Err(format!(
                "mode {} is not rigid but has the eigenvalue {:e}; valid: above 0",
                mode.number, mode.eigenvalue
            ));
        }
        Ok(chosen)
    }

    /// Translation and rotation of a node per mode.
    fn shape(&self, place: usize, chosen: &[usize]) -> (Vec<Vec3>, Vec<Vec3>) {
        let at = |j: &usize| self.shapes[j * self.nodes.len() + place];
        chosen.iter().map(|j| (at(j)[0], at(j)[1])).unzip()
    }

    fn invariants(&self, chosen: &[usize]) -> Invariants {
        let shapes: Vec<_> = (0..self.nodes.len())
            .map(|place| self.shape(place, chosen))
            .collect();
        let nodes = shapes
            .iter()
            .enumerate()
            .map(|(k, (translation, rotation))| Nodal {
                mass: self.masses[k],
                inertia: self.inertias[k],
                position: self.nodes[k].position,
                translation,
                rotation,
            });
        Invariants::lumped(chosen.len(), nodes)
    }

    fn compare_masses(&self, chosen: &[usize], invariants: &Invariants, notes: &mut Vec<String>) {
        let m = chosen.len();
        let mut worst = 0.0_f64;
        for (row, j) in chosen.iter().enumerate() {
            for (column, k) in chosen.iter().enumerate() {
                let (a, b) = (self.modes[*j].mass, self.modes[*k].mass);
                let expected = if row == column { a } else { 0.0 };
                let found = invariants.i6[row * m + column];
                worst = worst.max((found - expected).abs() / (a * b).sqrt());
            }
        }
        if worst > ORTHONORMAL {
            notes.push(format!(
                "modal masses from nodal masses differ from those of the file by up to {:.2} %: frequencies \
                 shift by half of that",
                100.0 * worst
            ));
        }
    }

    fn mode(&self, j: usize) -> Mode {
        let mode = &self.modes[j];
        Mode {
            frequency: mode.frequency(),
            label: format!("orthonormal {}", mode.number),
        }
    }

    /// Diagonal: ω² times the modal mass.
    fn stiffness(&self, chosen: &[usize]) -> Vec<f64> {
        let m = chosen.len();
        let mut stiffness = vec![0.0; m * m];
        for (k, j) in chosen.iter().enumerate() {
            stiffness[k * m + k] = self.modes[*j].eigenvalue * self.modes[*j].mass;
        }
        stiffness
    }

    fn node(&self, name: Option<String>, place: usize, chosen: &[usize]) -> Node {
        let (translation, rotation) = self.shape(place, chosen);
        // A direction in which no mode moves the node, not even a rigid one, is no freedom of the model.
        let moves = |direction: usize| {
            let value = |j: usize| {
                let shape = &self.shapes[j * self.nodes.len() + place];
                shape[direction / 3][direction % 3]
            };
            (0..self.modes.len()).any(|j| value(j) != 0.0)
        };
        Node {
            id: self.nodes[place].id,
            name,
            position: self.nodes[place].position,
            freedom: std::array::from_fn(moves),
            translation,
            rotation,
        }
    }

    /// What shows the shape.
    fn drawn(&self) -> Drawn {
        let mut outline = Outline::default();
        for face in &self.faces {
            match face.len() {
                2 => outline.add(Shape::Line, face),
                corners @ (3 | 4) => outline.add(Shape::Face(corners), face),
                _ => {}
            }
        }
        outline.drawn(&self.nodes)
    }
}

/// Lines or faces of which all corners are kept.
fn kept<const N: usize>(all: &[[usize; N]], nodes: &[(Option<String>, usize)]) -> Vec<[usize; N]> {
    let places: BTreeMap<usize, usize> = nodes.iter().map(|(_, place)| *place).zip(0..).collect();
    let corners = |one: &[usize; N]| {
        let found: Option<Vec<usize>> = one.iter().map(|k| places.get(k).copied()).collect();
        found?.try_into().ok()
    };
    all.iter().filter_map(corners).collect()
}

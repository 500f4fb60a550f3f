//! Control plane: the options of a reduction.

use std::collections::BTreeSet;

use super::ReduceError;
use crate::fe::FeModel;
use crate::sparse::Columns;
use crate::strain::{self, Material, Probe, Quantity};

/// Where other parts will be attached.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// Its name: that of the node of the flexible body.
    pub name: String,
    /// The node or point that moves there.
    pub at: Reference,
}

/// The node or point that an interface moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// A node of the model, by its index: its own unknowns.
    Node(usize),
    /// A rigid spider: nodes, by their indices, follow the six motions of a point.
    Spider {
        /// The point \[m\].
        point: fixstep_kernel::math::Vec3,
        /// The nodes.
        nodes: Vec<usize>,
    },
}

/// How many modes with held interfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NormalModes {
    /// As many.
    Count(usize),
    /// All up to a frequency \[Hz\].
    UpTo(f64),
}

/// Forces at unknowns of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Its name.
    pub name: String,
    /// Index of the model's unknown, force \[N\] or torque [N m].
    pub forces: Vec<(usize, f64)>,
    /// A residual vector is added, so that the static response to this load is exact.
    pub residual: bool,
}

/// The options of a reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Where other parts will be attached.
    pub interfaces: Vec<Interface>,
    /// Modes with held interfaces.
    pub normal_modes: NormalModes,
    /// The modes are those of the free body. Otherwise they are the modes with held interfaces and the constraint
    /// modes, and the body's frame is fixed to the first interface that has six directions.
    pub orthonormalise: bool,
    /// Keep the modes up to this frequency \[Hz\].
    pub keep_frequency: Option<f64>,
    /// Keep the modes that carry at least this share of the static compliance of an interface direction (also above
    /// `keep_frequency`).
    pub keep_participation: Option<f64>,
    /// Load cases.
    pub loads: Vec<Load>,
    /// A load case that always acts (its name is not used).
    pub preload: Option<Load>,
    /// Nodes, by place, that the body keeps besides its interfaces.
    pub record: Vec<usize>,
    /// Keep lines and faces of the model between kept nodes.
    pub lines: bool,
    /// Nodes whose strain the body knows.
    pub strains: Vec<Probe>,
    /// Nodes whose stress the body knows.
    pub stresses: Vec<Probe>,
    /// A material for stresses, instead of those of the model's elements.
    pub material: Option<Material>,
    /// A mode is rigid when its frequency is at most this share of the first elastic one.
    pub rigid_tolerance: f64,
    /// Description of the body, for users.
    pub description: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            interfaces: Vec::new(),
            normal_modes: NormalModes::Count(10),
            orthonormalise: true,
            keep_frequency: None,
            keep_participation: None,
            loads: Vec::new(),
            preload: None,
            record: Vec::new(),
            lines: true,
            strains: Vec::new(),
            stresses: Vec::new(),
            material: None,
            rigid_tolerance: 1e-2,
            description: String::new(),
        }
    }
}

impl Options {
    /// Checks the model's sizes and numbers, and the references in the options.
    pub(super) fn check(&self, model: &FeModel) -> Result<(), ReduceError> {
        check_model(model)?;
        let wrong = |text: String| Err(ReduceError::Option(text));
        for (what, value) in [
            (
                "the frequency up to which modes are kept",
                self.keep_frequency,
            ),
            (
                "the share of compliance from which modes are kept",
                self.keep_participation,
            ),
            (
                "the frequency up to which modes with held interfaces are taken",
                match self.normal_modes {
                    NormalModes::UpTo(frequency) => Some(frequency),
                    NormalModes::Count(_) => None,
                },
            ),
        ] {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return wrong(format!("{what} is {value}; valid: a number above zero"));
            }
        }
        if !(self.rigid_tolerance > 0.0 && self.rigid_tolerance < 1.0) {
            let tolerance = self.rigid_tolerance;
            return wrong(format!(
                "the tolerance of rigid modes is {tolerance}; valid: between 0 and 1"
            ));
        }
        if let Some(node) = self.record.iter().find(|node| **node >= model.nodes.len()) {
            let count = model.nodes.len();
            return wrong(format!(
                "recorded node at place {node}: the model has {count} nodes"
            ));
        }
        check_probes(model, "strain", &self.strains, Quantity::Strain)?;
        let stress = Quantity::Stress(self.material);
        check_probes(model, "stress", &self.stresses, stress)?;
        for load in self.loads.iter().chain(&self.preload) {
            let beyond =
                |(at, value): &&(usize, f64)| *at >= model.unknowns.len() || !value.is_finite();
            if let Some((at, value)) = load.forces.iter().find(beyond) {
                let (name, count) = (&load.name, model.unknowns.len());
                return wrong(format!(
                    "load {name:?}: {value} at unknown {at}; valid: finite forces at one of {count} unknowns"
                ));
            }
        }
        Ok(())
    }
}

/// Checks that names are unique, and that nodes exist and belong to elements whose strain can be computed.
fn check_probes(
    model: &FeModel,
    what: &str,
    probes: &[Probe],
    quantity: Quantity,
) -> Result<(), ReduceError> {
    let mut names = BTreeSet::new();
    for Probe { name, node } in probes {
        let message = if *node >= model.nodes.len() {
            format!(
                "{what} at place {node}: the model has {} nodes",
                model.nodes.len()
            )
        } else if !names.insert(name) {
            format!("{what} {name:?}: the name occurs twice")
        } else {
            continue;
        };
        return Err(ReduceError::Option(message));
    }
    let rest = Columns::zeros(model.unknowns.len(), 1);
    let found = strain::points(model, &rest, probes, quantity);
    found.map_err(|message| ReduceError::Option(format!("{what}: {message}")))?;
    Ok(())
}

fn check_model(model: &FeModel) -> Result<(), ReduceError> {
    let wrong = |text: String| Err(ReduceError::Model(text));
    let n = model.unknowns.len();
    if n == 0 {
        return wrong("it has no unknowns".to_owned());
    }
    for (name, matrix) in [("stiffness", &model.stiffness), ("mass", &model.mass)] {
        if matrix.size() != n {
            let size = matrix.size();
            return wrong(format!(
                "the {name} matrix has {size} rows for {n} unknowns"
            ));
        }
        let broken = |(_, _, value): &(usize, usize, f64)| !value.is_finite();
        if let Some((row, column, value)) = matrix.entries().find(broken) {
            let (row, column) = (place(model, row), place(model, column));
            return wrong(format!(
                "the {name} between {row} and {column} is {value}; valid: finite numbers"
            ));
        }
        let below = |(row, column, value): &(usize, usize, f64)| row == column && *value < 0.0;
        if let Some((row, _, value)) = matrix.entries().find(below) {
            let place = place(model, row);
            let text = format!("the {name} of {place} by itself is {value}; valid: zero or more");
            return if name == "mass" {
                Err(ReduceError::Mass(text))
            } else {
                wrong(text)
            };
        }
    }
    let unknown = |u: &&crate::fe::Unknown| u.node >= model.nodes.len() || u.direction >= 6;
    if let Some(u) = model.unknowns.iter().find(unknown) {
        return wrong(format!(
            "an unknown in direction {} of the node at place {}",
            u.direction, u.node
        ));
    }
    let mut sorted = model.unknowns.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let (id, direction) = (model.nodes[pair[0].node].id, DIRECTIONS[pair[0].direction]);
        return wrong(format!(
            "two unknowns for direction {direction} of node {id}"
        ));
    }
    Ok(())
}

/// The names of the directions.
pub(super) const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// `direction x of node 17`.
pub(super) fn place(model: &FeModel, unknown: usize) -> String {
    let unknown = model.unknowns[unknown];
    let id = model.nodes[unknown.node].id;
    format!("direction {} of node {id}", DIRECTIONS[unknown.direction])
}

//! Control plane: the data of a reduced flexible body, as stored in its file.
//!
//! A flexible body is a reduced finite-element model: mode shapes at the nodes in use, modal mass and stiffness, and
//! the nine inertia invariants. [`invariants`] has these integrals, and computes them from nodes with masses. The
//! model crate reads and writes the file itself.
//!
//! All numbers are SI, all vectors in the axes of the finite-element model, positions from its origin.

mod check;
pub mod invariants;

pub use check::check;
pub use invariants::{Invariants, Nodal, Switches};

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Why data do not describe a flexible body: where, what is wrong, what would be valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Fault {
    /// A byte offset, a header field or an array.
    pub place: String,
    /// What is wrong and what would be valid.
    pub message: String,
}

/// A [`Fault`].
pub fn fail<T>(place: impl Into<String>, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault {
        place: place.into(),
        message: message.into(),
    })
}

/// Number of components of a stress or strain: xx, yy, zz, xy, yz, zx.
pub const TENSOR: usize = 6;

/// Number of unit motions that cause geometric stiffness: accelerations along x, y, z; angular accelerations about x,
/// y, z; products of angular velocities xx, yy, zz, xy, yz, zx.
pub const STIFFENINGS: usize = 12;

/// A reduced flexible body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlexData {
    /// Text for users: what was reduced, how, and by which program.
    pub description: String,
    /// Fingerprints of the files it was made from, by name.
    pub sources: Vec<(String, String)>,
    /// Its modes.
    pub modes: Vec<Mode>,
    /// Inertia invariants about the origin of the finite-element model.
    pub invariants: Invariants,
    /// Modal stiffness, row by row [modes × modes].
    pub stiffness: Vec<f64>,
    /// The nodes in use.
    pub nodes: Vec<Node>,
    /// Pairs of nodes that a drawing connects.
    pub lines: Vec<[usize; 2]>,
    /// Faces of the surface between nodes, for drawings: four corners in sequence, of a triangle the last one twice.
    pub faces: Vec<[usize; 4]>,
    /// Constant modal forces.
    pub preload: Option<Vec<f64>>,
    /// Distributed loads that a modal force can scale.
    pub loads: Vec<LoadCase>,
    /// Geometric stiffness for each unit motion, accelerations of the origin first, row by row [12 × modes × modes].
    pub stiffening: Option<Vec<f64>>,
    /// Points with known stress.
    pub stresses: Vec<TensorPoint>,
    /// Points with known strain.
    pub strains: Vec<TensorPoint>,
}

/// A mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mode {
    /// √(k/m)/2π of the single mode \[Hz\].
    pub frequency: f64,
    /// Text for users: `fixed-interface 3`, `constraint tip z`, `orthonormal 9`, `residual`.
    pub label: String,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its number in the finite-element model.
    pub id: u64,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its position \[m\].
    pub position: Vec3,
    /// Directions (3 translations, 3 rotations) in which modes move it.
    pub freedom: [bool; 6],
    /// Translation per mode (3 × modes, a column per mode).
    pub translation: Vec<Vec3>,
    /// Rotation per mode.
    pub rotation: Vec<Vec3>,
}

/// A distributed load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadCase {
    /// Its name.
    pub name: String,
    /// Modal forces.
    pub modal: Vec<f64>,
    /// Resultant \[N\].
    pub force: Vec3,
    /// Resultant about the origin [N m].
    pub torque: Vec3,
}

/// A point where stress or strain is a linear function of the modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorPoint {
    /// Its name.
    pub name: String,
    /// xx, yy, zz, xy, yz, zx per mode.
    pub values: Vec<[f64; TENSOR]>,
}

/// How a model uses a flexible body's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The modes in use, counted from 0.
    pub modes: Vec<usize>,
    /// The invariants in use.
    pub switches: Switches,
    /// Damping ratio of each of the modes.
    pub ratios: Vec<f64>,
    /// Which of the modes are quasi-static.
    pub quasi_static: Vec<bool>,
    /// Is the file's preload applied?
    pub preload: bool,
    /// Is the file's geometric stiffness applied?
    pub stiffening: bool,
}

impl Node {
    /// Its name, or else its number.
    pub fn call(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id.to_string())
    }
}

impl FlexData {
    /// A node by its name or, if no name matches, by its number.
    pub fn node(&self, key: &str) -> Option<usize> {
        let named = |node: &Node| node.name.as_deref() == Some(key);
        let numbered = |node: &Node| node.id.to_string() == key;
        let nodes = &self.nodes;
        let found = nodes.iter().position(named);
        found.or_else(|| nodes.iter().position(numbered))
    }
}

/// √(k/m)/2π of one mode \[Hz\]; 0 for one without stiffness.
pub fn frequency(stiffness: f64, mass: f64) -> f64 {
    if stiffness > 0.0 && mass > 0.0 {
        (stiffness / mass).sqrt() / core::f64::consts::TAU
    } else {
        0.0
    }
}

//! Control plane: the data of a reduced flexible body, as its file holds them.
//!
//! A flexible body is what is left of a finite-element model: mode shapes at the nodes that are used,
//! modal mass and stiffness, and the nine inertia invariants. [`invariants`] holds the integrals and how they are
//! made from nodes with masses. The file itself is read and written by the model crate.
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

/// Why data are no flexible body: where, what is wrong, what would be valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Fault {
    /// A byte, a field of the header or an array.
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

/// How many components a stress or strain has: xx, yy, zz, xy, yz, zx.
pub const TENSOR: usize = 6;

/// How many unit motions stiffen a body: accelerations along x, y, z; angular accelerations about x,
/// y, z; products of angular velocities xx, yy, zz, xy, yz, zx.
pub const STIFFENINGS: usize = 12;

/// A reduced flexible body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlexData {
    /// For people: what was reduced, how, and by what.
    pub description: String,
    /// Fingerprints of the files it was made from, by name.
    pub sources: Vec<(String, String)>,
    /// Its modes.
    pub modes: Vec<Mode>,
    /// Inertia invariants about the origin of the finite-element model.
    pub invariants: Invariants,
    /// Modal stiffness, row by row [modes × modes].
    pub stiffness: Vec<f64>,
    /// The nodes that are used.
    pub nodes: Vec<Node>,
    /// Pairs of nodes between which a line is drawn.
    pub lines: Vec<[usize; 2]>,
    /// Constant modal forces.
    pub preload: Option<Vec<f64>>,
    /// Distributed loads that a modal force can scale.
    pub loads: Vec<LoadCase>,
    /// Geometric stiffness for each unit motion, accelerations of the origin first, row by row [12 × modes × modes].
    pub stiffening: Option<Vec<f64>>,
    /// Points where stress is known.
    pub stresses: Vec<TensorPoint>,
    /// Points where strain is known.
    pub strains: Vec<TensorPoint>,
}

/// A mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mode {
    /// √(k/m)/2π of the mode by itself \[Hz\].
    pub frequency: f64,
    /// What it is, for people: `fixed-interface 3`, `constraint tip z`, `orthonormal 9`, `residual`.
    pub label: String,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its number in the finite-element model.
    pub id: u64,
    /// Its name, for nodes that have one.
    pub name: Option<String>,
    /// Where it is \[m\].
    pub position: Vec3,
    /// Which of its directions (3 translations, 3 rotations) take part in the modes.
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

/// What a model makes of a flexible body's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Which modes, from 0.
    pub modes: Vec<usize>,
    /// Which invariants.
    pub switches: Switches,
    /// Damping ratio of each of the modes.
    pub ratios: Vec<f64>,
    /// Which of the modes are quasi-static.
    pub quasi_static: Vec<bool>,
    /// Does the preload of the file act?
    pub preload: bool,
    /// Does the geometric stiffness of the file act?
    pub stiffening: bool,
}

impl Node {
    /// Its name, or else its number.
    pub fn call(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id.to_string())
    }
}

impl FlexData {
    /// A node by its name or, where no name fits, its number.
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

//! Control plane: what is requested of bodies: numbers that the state of a run holds, in arrays.

use crate::ids::BodyId;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// An array of numbers of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyArray {
    /// Name in the FMU, without index.
    pub name: String,
    /// For people.
    pub description: String,
    /// The body.
    pub body: BodyId,
    /// What of it.
    pub quantity: BodyQuantity,
    /// Where its numbers begin among those of all arrays.
    pub first: usize,
    /// How many numbers.
    pub length: u32,
    /// FMI unit; empty: none.
    pub unit: String,
    /// User units per SI unit.
    pub scale: f64,
    /// Is it an output, rather than a local variable?
    pub output: bool,
}

/// What an array holds of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyQuantity {
    /// Its origin, ground axes.
    Position,
    /// Its axes: the unit quaternion w, x, y, z that turns body axes to ground axes.
    Orientation,
    /// Velocity of its origin, ground axes.
    Velocity,
    /// Angular velocity, ground axes.
    AngularVelocity,
    /// Modal coordinates.
    ModalCoordinates,
    /// Their rates.
    ModalVelocities,
    /// Stress at a point of the file: xx, yy, zz, xy, yz, zx in the axes of the body.
    Stress(usize),
    /// Strain at a point of the file, likewise.
    Strain(usize),
}

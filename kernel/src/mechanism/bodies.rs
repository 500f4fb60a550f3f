//! Control plane: arrays of body quantities (positions, modal coordinates, stresses, …) that a model requests for its
//! FMU.

use crate::ids::BodyId;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// An array of numbers of one body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyArray {
    /// Name in the FMU, without index.
    pub name: String,
    /// Text for users.
    pub description: String,
    /// The body.
    pub body: BodyId,
    /// Its quantity.
    pub quantity: BodyQuantity,
    /// Index of its first number among those of all arrays.
    pub first: usize,
    /// Count of its numbers.
    pub length: u32,
    /// FMI unit; empty for none.
    pub unit: String,
    /// User units per SI unit.
    pub scale: f64,
    /// Is it an output, rather than a local variable?
    pub output: bool,
}

/// The quantity of a body that an array holds.
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

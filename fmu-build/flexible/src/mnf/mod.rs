//! Control plane: modal neutral files, version 6.0: a body by its nodes, nodal masses and modes.
//!
//! All numbers are big-endian, integers of 4 bytes, others of 8. Blocks follow one another:
//!
//! ```text
//! byte 0       10 × version in the lowest byte of a whole number
//! 4, 0x204, 0x284, 0x484   title, date, input file, kind of input
//! 0x874        104 flags: which blocks exist
//! 0xa14        nodes: count, 3, (number, x, y, z)
//! then         mass, centre of mass (3), inertia about the origin (9)
//!              modes: count, (number, eigenvalue, Hz, rad/s, modal mass, modal stiffness)
//!              shapes: modes, nodes, node numbers, then per mode its number and 6 numbers per node
//!              nodal masses: count, 1, (number, mass)
//! flag 10      nodal inertias: count, (number, row 4–6, column 4–6, value)
//! flag 12      units of mass, length, time, force: 16 characters each, 4 bytes per character
//! flag 16      faces: two numbers, count, how many numbers follow, (vertices, nodes from 0)
//! flag 18      transformation of the modes: modes, modes numbers, modes² numbers
//! flag 19      interface nodes: count, nodes from 0
//! flag 20      modal stress: modes, count, nodes from 0, then per mode its number and 6 numbers per node
//! after them   data that are not read
//! ```

mod blocks;
mod body;
mod bytes;
mod stress;

pub use body::Choice;
pub use stress::Stresses;

use crate::fe::FeNode;
use crate::read::ReadError;
use fixstep_kernel::fingerprint::Fingerprint;
use fixstep_kernel::math::{Mat3, Vec3};
use std::path::Path;

/// A file's contents in SI. A modal coordinate of 1 is the shape in metres.
#[derive(Clone, Debug)]
pub struct Mnf {
    /// The text of the header, for users.
    pub description: String,
    /// Name and fingerprint of the file.
    pub source: (String, String),
    /// Nodes.
    pub nodes: Vec<FeNode>,
    /// Mass, centre of mass and inertia about the origin as the file gives them.
    pub whole: Whole,
    /// Modes.
    pub modes: Vec<MnfMode>,
    /// Translations and rotations, nodes of the first mode first.
    pub shapes: Vec<[Vec3; 2]>,
    /// Mass of each node \[kg\].
    pub masses: Vec<f64>,
    /// Inertia of each node [kg m²].
    pub inertias: Vec<Mat3>,
    /// Faces of elements by their nodes.
    pub faces: Vec<Vec<usize>>,
    /// Interface nodes.
    pub interface: Vec<usize>,
    /// Stress of some nodes or all, where the file has it.
    pub stresses: Option<Stresses>,
    /// Notes for users.
    pub notes: Vec<String>,
}

/// The body as one.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// \[kg\]
    pub mass: f64,
    /// \[m\]
    pub center: Vec3,
    /// About the origin [kg m²]; the file writes products of inertia with either sign.
    pub inertia: Mat3,
}

/// A mode.
#[derive(Clone, Copy, Debug)]
pub struct MnfMode {
    /// Its number in the file.
    pub number: u64,
    /// Square of the angular frequency [1/s²].
    pub eigenvalue: f64,
    /// Modal mass \[kg\].
    pub mass: f64,
}

impl MnfMode {
    /// Frequency \[Hz\]; rounding can make that of a rigid mode imaginary: its size then.
    pub fn frequency(&self) -> f64 {
        self.eigenvalue.abs().sqrt() / std::f64::consts::TAU
    }
}

/// Reads a file.
pub fn open(path: &Path) -> Result<Mnf, ReadError> {
    let bytes = crate::read::bytes(path)?;
    read(&path.display().to_string(), &bytes)
}

/// Reads the bytes of a file.
pub fn read(file: &str, bytes: &[u8]) -> Result<Mnf, ReadError> {
    let mut mnf = blocks::read(file, bytes)?;
    let name = Path::new(file).file_name().unwrap_or_default();
    mnf.source = (name.to_string_lossy().into_owned(), Fingerprint::of(bytes));
    mnf.compare(file)?;
    Ok(mnf)
}

impl Mnf {
    /// Do nodal masses make up the body?
    fn compare(&mut self, file: &str) -> Result<(), ReadError> {
        let sum: f64 = self.masses.iter().sum();
        let difference = (sum - self.whole.mass).abs() / self.whole.mass;
        if difference > 0.01 {
            let message = format!(
                "the nodal masses add up to {sum:e} kg, the body has {:e} kg: invariants cannot be computed",
                self.whole.mass
            );
            return Err(ReadError::of(file, message));
        }
        let mut first = Vec3::zeros();
        let mut second = Mat3::zeros();
        for (k, node) in self.nodes.iter().enumerate() {
            let (m, s) = (self.masses[k], node.position);
            first += s * m;
            second +=
                (Mat3::identity() * s.norm_squared() - s * s.transpose()) * m + self.inertias[k];
        }
        let size = second.norm();
        let center = (first / sum - self.whole.center).norm();
        // Products of inertia come with either sign.
        let inertia = (second.abs() - self.whole.inertia.abs()).norm();
        if difference > 1e-6 || inertia > 1e-4 * size || center * center * sum > 1e-8 * size {
            self.notes.push(format!(
                "nodal masses give {sum:.6e} kg with the centre {:.6} mm from that of the file, moments of \
                 inertia off by {:.2e} of their size: the invariants are those of the nodal masses",
                1e3 * center,
                inertia / size
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;

//! Control plane: flexible bodies from beams along a line of points.
//!
//! Reading order: [`input`] (the description), [`section`], [`element`] (twelve unknowns), [`mesh`] (nodes, matrices,
//! masses), [`stiffening`] (the effect of stretching on bending), [`stress`], [`reduced`] (the body), [`discrete`]
//! (the same beams as a chain of rigid parts).

pub mod discrete;
pub mod element;
pub mod input;
pub mod mesh;
pub mod reduced;
pub mod section;
pub mod statics;
pub mod stiffening;
pub mod stress;

#[cfg(test)]
mod testing;

pub use input::{BeamError, Beams};
pub use mesh::Mesh;

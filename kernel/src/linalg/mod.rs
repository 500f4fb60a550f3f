//! Linear algebra of the real-time path: the sparse solver for the Newton matrix (data plane after analysis), and its
//! offline helpers.
//!
//! The Newton matrix of a multibody system,
//!
//! ```text
//!     | M + h D + h² K   Gᵀ |
//!     | G                0  |
//! ```
//!
//! is stored as *tiles*. Unknowns form blocks of at most six scalars (a body, a joint's multipliers, a group of modal
//! coordinates or first-order states); the coupling of two blocks is a 6×6 array at a fixed place. Reading order:
//!
//! - [`pattern`]: which blocks couple; where their tile lies (control plane);
//! - [`matrix`]: the values, into which elements assemble straight (data plane);
//! - [`lanes`]: for which instruction set the loops run (data plane);
//! - [`kernels`]: the arithmetic on single tiles (data plane);
//! - `scaling`, `order`, `program`, `analyse`: analysis, once per model (control plane);
//! - `eliminate`, [`factor`]: refactor and solve with fixed work, monitor and fallback (data plane);
//! - [`dense`]: dense LU with partial pivoting (data plane after creation);
//! - [`sequence`]: solutions with one matrix after another (control plane);
//! - [`rank`]: redundant constraint rows (control plane).
//!
//! Vectors are padded in the same way: six entries per block, block `b` begins at `6 b`; entries past the block's
//! size are ignored on input and zero on output.
//!
//! The pattern alone fixes the order of all sums, and multiply-adds are fused only if the model asks for it
//! ([`lanes`]): the same input gives the same bits on every machine.

mod analyse;
pub mod dense;
mod eliminate;
pub mod factor;
pub mod kernels;
pub mod lanes;
pub mod matrix;
mod order;
pub mod pattern;
mod program;
pub mod rank;
mod scaling;
pub mod sequence;
#[cfg(test)]
mod tests;

pub use dense::DenseLu;
pub use factor::{Counters, Factorization, Quality, Singular, settle};
pub use lanes::InstructionSet;
pub use matrix::TileMatrix;
pub use pattern::{BlockId, Pattern, PatternBuilder, Slot};
pub use rank::{RankReport, SparseRow, independent_rows};
pub use sequence::Sequence;

/// Rows and columns of a tile, and entries of a block in a padded vector.
pub const TILE: usize = 6;

/// A 6×6 tile, column by column: entry (row, column) stands at `6 column + row`.
pub type Tile = [f64; TILE * TILE];

/// Index of entry (`row`, `column`) in a [`Tile`].
#[inline]
pub const fn entry(row: usize, column: usize) -> usize {
    column * TILE + row
}

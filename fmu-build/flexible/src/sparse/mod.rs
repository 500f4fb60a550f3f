//! Control plane: sparse symmetric matrix pencils K − λ M: ordering, factors, lowest modes.
//!
//! [`pencil`] holds both matrices in one pattern, [`ordering`] finds an elimination order with little fill,
//! [`factor`] factors K + s M and counts modes below a bound, [`lanczos`] finds the lowest modes, [`dense`] solves
//! the projected problem.

pub mod columns;
pub mod dense;
pub mod factor;
pub mod lanczos;
pub mod ordering;
pub mod pencil;

pub use columns::Columns;
pub use factor::{Analysis, Factor, FactorError};
pub use lanczos::{ModeError, Modes};
pub use pencil::Pencil;

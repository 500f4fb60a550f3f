//! Data plane: expressions, compiled once to programs that a step evaluates without allocation, failure or recursion.
//!
//! A program does the same operations whatever its operands: it evaluates every branch and selects one. Infinity or
//! NaN in another branch affects neither value nor derivatives. At a kink (of ABS, MAX, IF, …) the derivatives are
//! those of one side, or zero. Outside its domain a function is NaN; division by zero follows IEEE 754. Neither makes
//! the processor trap (`quiet`).
//!
//! `program`, `gradient` and `jet` evaluate; `ops` defines the operations. `branches`, `knots`, `curved` and `bells`
//! tell where a value bends, jumps or may have a pulse.

pub mod bells;
pub mod branches;
mod calls;
mod curved;
mod gradient;
mod jet;
pub mod knots;
pub mod ops;
mod program;
mod quiet;

pub use calls::{Call, Operand};
pub use jet::TimeJet;
pub use program::Program;

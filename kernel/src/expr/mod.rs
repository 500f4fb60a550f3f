//! Data plane: programs of expressions, compiled once, evaluated in a step without allocation, failure or recursion.
//!
//! A program does the same operations whatever its operands: every branch is evaluated and one is
//! selected. What the other branches hold, infinity or NaN, reaches neither value nor derivatives.
//! At a kink (of ABS, MAX, IF, …) the derivatives are those of one side or zero; outside its domain a
//! function is NaN, division by zero follows IEEE 754; neither makes the processor trap (`quiet`).
//!
//! Evaluation stands in `program`, `gradient` and `jet`, the operations themselves in `ops`.

mod calls;
mod gradient;
mod jet;
pub mod ops;
mod program;
mod quiet;

pub use calls::{Call, Operand};
pub use jet::TimeJet;
pub use program::Program;

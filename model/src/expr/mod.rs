//! Expressions of the model: compiled once by the control plane into a flat register program, which
//! the data plane evaluates without allocation, failure or recursion.
//!
//! # Language
//! Numbers (`1`, `.5`, `2e-3`; the suffix `D` means degrees: `30D` = π/6), names (`gap`, `'any name'`),
//! `+ - * / **`, parentheses, function calls, and `IF(e: a, b, c)`: `a` where e < 0, `b` where e = 0,
//! `c` where e > 0. As in Fortran, `**` groups to the right and binds more tightly than a sign:
//! `-2**2` is −4. Names of functions and constants are case-insensitive, other names are not; a name
//! that equals that of a constant must be quoted. Angles are radians.
//!
//! # Work
//! A program does the same operations whatever its operands: every branch is evaluated and one is
//! selected. What the other branches hold, infinity or NaN, reaches neither value nor derivatives.
//! At a kink (of ABS, MAX, IF, …) the derivatives are those of one side or zero; outside its domain a
//! function is NaN, division by zero follows IEEE 754.
//!
//! Text → `lex` → tokens → `parse` → tree → `compile`, with `library` and `lower` → [`Program`];
//! evaluation stands in `program`, `gradient` and `jet`, the operations themselves in `ops`.

mod calls;
mod compile;
mod dimension;
mod error;
mod lex;
mod library;
mod lower;
mod macros;
mod parse;
pub mod suggest;

pub use fixstep_kernel::expr::{Call, Operand, Program, TimeJet};

pub use compile::{Argument, DelayParts, ResolveError, Resolver, compile};
pub use dimension::{BASES, Clash, Dimension, infer};
pub use error::ExprError;
pub use library::{CONSTANTS, FUNCTIONS, Function};
pub use macros::{Macro, macro_fault};

#[cfg(test)]
mod tests;

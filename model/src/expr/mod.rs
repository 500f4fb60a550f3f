//! Control plane: expressions of the model, compiled once into the programs that the kernel runs
//! ([`fixstep_kernel::expr`], which says what work a program does).
//!
//! # Language
//! Numbers (`1`, `.5`, `2e-3`; the suffix `D` means degrees: `30D` = π/6), names (`gap`, `'any name'`),
//! `+ - * / **`, parentheses, function calls, and `IF(e: a, b, c)`: `a` where e < 0, `b` where e = 0,
//! `c` where e > 0. As in Fortran, `**` groups to the right and binds more tightly than a sign:
//! `-2**2` is −4. Names of functions and constants are case-insensitive, other names are not; a name
//! that equals that of a constant must be quoted. Angles are radians.
//!
//! Text → `lex` → tokens → `parse` → tree → `compile`, with `library` and `lower` → [`Program`].

mod calls;
mod compile;
mod degrees;
mod dimension;
mod error;
mod lex;
mod library;
mod lower;
mod macros;
mod measures;
mod noise;
mod parse;
pub mod suggest;

pub use fixstep_kernel::expr::{Call, Operand, Program, TimeJet};

pub use compile::{Argument, DelayParts, ResolveError, Resolver, compile};
pub use dimension::{BASES, Clash, Dimension, infer};
pub use error::ExprError;
pub use lex::name_length;
pub use library::{CONSTANTS, FUNCTIONS, Function};
pub use macros::{Macro, TOO_LONG, macro_fault};
pub use measures::{Clash as MeasureClash, Exponents, Measure, Rules, measured};

#[cfg(test)]
mod tests;

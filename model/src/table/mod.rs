//! The variable table of a mechanism: [`of`] builds it, with what its variables are called, what they depend on
//! and which of them belong together.

mod aliases;
mod bodies;
mod catalog;
pub mod dependencies;
mod inference;
mod memory;
mod settings;
mod terminals;
#[cfg(test)]
mod test_model;
#[cfg(test)]
mod tests;

pub use catalog::of;
pub use inference::unit_findings;
pub use terminals::Terminal;

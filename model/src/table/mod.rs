//! The variable table of a mechanism: [`of`] builds it, with names, dependencies and groups of its variables.

mod aliases;
mod bodies;
mod catalog;
pub mod dependencies;
mod inference;
mod kinks;
mod memory;
mod settings;
mod terminals;
#[cfg(test)]
mod test_model;
#[cfg(test)]
mod tests;

pub use catalog::of;
pub use inference::dimension_of;
pub use terminals::Terminal;

use fixstep_kernel::mechanism::{Finding, Mechanism};

/// Warnings about a model that do not depend on its start, step and settings.
pub fn findings(mechanism: &Mechanism) -> Vec<Finding> {
    let mut found = inference::unit_findings(mechanism);
    kinks::check(mechanism, &mut found);
    found
}

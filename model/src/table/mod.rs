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

use fixstep_kernel::mechanism::{Finding, Leaf, LintRule, Mechanism};

/// Warnings about a model that do not depend on its start, step and settings.
pub fn findings(mechanism: &Mechanism) -> Vec<Finding> {
    let mut found = inference::unit_findings(mechanism);
    kinks::check(mechanism, &mut found);
    found.extend(unread(mechanism));
    found
}

/// Parameters that nothing reads.
fn unread(mechanism: &Mechanism) -> Vec<Finding> {
    let mut read = vec![false; mechanism.parameters.len()];
    for leaf in &mechanism.leaves {
        if let Leaf::Parameter(id) = leaf {
            read[id.index()] = true;
        }
    }
    let all = mechanism.parameters.iter().enumerate();
    let idle = all.filter(|(k, _)| !read[*k]);
    // An array may have more elements than a model reads.
    let idle = idle.filter(|(_, parameter)| !parameter.quantity.name.ends_with(']'));
    idle.map(|(_, parameter)| {
        Finding::new(
            LintRule::IgnoredSetting,
            ("parameter", &parameter.quantity.name, ""),
            "nothing reads it, so that its value has no effect".to_owned(),
            "leave it out, or use it in an expression",
        )
    })
    .collect()
}

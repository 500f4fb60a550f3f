//! Control plane: strictness and allowed warnings as they are written in the file.

use crate::read::schema;

schema! {
    /// Warnings about a valid model (docs/lint.md): whether they count as errors, and which are allowed.
    Lint {
        /// Are warnings errors, which keep the model from starting? Default: false.
        strict: Option<bool>,
        /// Warnings that do not count, each with its reason. Default: none.
        allow: Option<Vec<LintAllowance>>,
    }

    /// A warning that does not count.
    LintAllowance {
        /// The rule's identifier, which stands in brackets at the end of the warning.
        #[schemars(extend("enum" = fixstep_kernel::mechanism::LintRule::ALL.iter().map(|rule| rule.id()).collect::<Vec<_>>()))]
        rule: String,
        /// Name of the entity. Default: all.
        entity: Option<String>,
        /// Why the warning does not count here.
        reason: String,
    }
}

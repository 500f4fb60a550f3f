//! Control plane: strictness and allowed warnings as they are written in the file.

use crate::read::schema;

schema! {
    /// Warnings about a model without errors (docs/lint.md): whether they count as errors, and which are
    /// allowed.
    Lint {
        /// Do warnings count as errors, so that the model does not start? Default: false.
        strict: Option<bool>,
        /// Warnings that are allowed, each with its reason. Default: none.
        allow: Option<Vec<LintAllowance>>,
    }

    /// A warning that is allowed.
    LintAllowance {
        /// Identifier of the rule, in brackets at the end of the warning.
        #[schemars(extend("enum" = fixstep_kernel::mechanism::LintRule::ALL.iter().map(|rule| rule.id()).collect::<Vec<_>>()))]
        rule: String,
        /// Name of the entity that the warning is about. Default: all.
        entity: Option<String>,
        /// Why the warning is allowed here.
        reason: String,
    }
}

//! Control plane: checks the field `lint` of a model: strictness and allowed warnings.

use super::builder::Builder;
use crate::errors::At;
use crate::schema::{Document, LintAllowance};
use fixstep_kernel::mechanism::{Allowance, LintRule, LintSettings};

/// The settings; `None`: the block could not be read.
pub(super) fn settings(b: &mut Builder<'_>, document: &Document) -> Option<LintSettings> {
    let Some(given) = document.lint.0.as_ref()? else {
        return Some(LintSettings::default());
    };
    let at = At::default().field("lint").field("allow");
    let allowed = given.allow.iter().flatten().enumerate();
    let allowed = allowed.filter_map(|(k, entry)| allowance(b, entry, &at.index(k)));
    Some(LintSettings {
        strict: given.strict.unwrap_or(false),
        allowed: allowed.collect(),
    })
}

fn allowance(b: &mut Builder<'_>, entry: &LintAllowance, at: &At) -> Option<Allowance> {
    let rules: Vec<(&str, LintRule)> = LintRule::ALL
        .iter()
        .map(|rule| (rule.id(), *rule))
        .collect();
    let rule = b.choice((Some(&entry.rule), "rule"), &rules, at)?;
    if entry.reason.trim().is_empty() {
        let message = "the reason is empty; say why the warning does not count here";
        b.report.add(&at.field("reason"), message);
    }
    Some(Allowance {
        rule,
        entities: entry.entity.iter().cloned().collect(),
        reason: entry.reason.clone(),
    })
}

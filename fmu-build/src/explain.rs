//! Control plane: selects the warnings of a model that may explain why its run stopped.

use fixstep_kernel::mechanism::LintRule;

use crate::check::Problem;
use crate::slave::Message;

/// Largest number of warnings that are named.
const NAMED: usize = 4;

/// A warning by its rule and whose it is: `force "blow", field expression`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Warning<'a> {
    rule: LintRule,
    place: &'a str,
}

impl<'a> Warning<'a> {
    /// From a line as an FMU logs it: place, text and, in brackets at the end, the rule.
    fn of_line(line: &'a str) -> Option<Self> {
        let (text, rule) = line.strip_suffix(']')?.rsplit_once('[')?;
        let (place, _) = text.split_once(": ")?;
        Self::new(rule, place)
    }

    fn new(rule: &str, place: &'a str) -> Option<Self> {
        let mut rules = LintRule::ALL.iter();
        let rule = *rules.find(|known| known.id() == rule)?;
        let (place, _) = place.split_once(", field ").unwrap_or((place, ""));
        // A line from an FMU begins with the file.
        let place = place.rsplit(": ").next().unwrap_or(place);
        Some(Self { rule, place })
    }

    /// Does it concern something that the reason names?
    fn is_named(&self, reason: &str) -> bool {
        self.place.ends_with('"') && reason.contains(self.place)
    }

    /// Is it of a kind that stops runs, whichever entity the stop names?
    fn explains(&self) -> bool {
        !matches!(
            self.rule,
            LintRule::RedundantConstraint
                | LintRule::IgnoredSetting
                | LintRule::UnusedAllowance
                | LintRule::ParameterRange
                | LintRule::LoosePart
                | LintRule::NoGravity
                | LintRule::UnevenSampling
        )
    }
}

/// The addition to the reason of a stop: the logged warnings that may explain it; empty if there are none.
pub fn of_log(reason: &str, messages: &[Message]) -> String {
    let lines = messages.iter().map(|message| message.text.as_str());
    see(reason, lines.filter_map(Warning::of_line))
}

/// The same from the warnings of a check.
pub fn of_check(reason: &str, problems: &[Problem]) -> String {
    let warnings = problems.iter().filter(|problem| !problem.error);
    let warnings = warnings.filter_map(|problem| Warning::new(problem.rule, &problem.place));
    see(reason, warnings)
}

/// Warnings about the entity in the reason come first.
fn see<'a>(reason: &str, warnings: impl Iterator<Item = Warning<'a>>) -> String {
    let mut told: Vec<Warning<'_>> = Vec::new();
    for warning in warnings {
        let concerns = warning.is_named(reason) || warning.explains();
        if concerns && !told.contains(&warning) {
            told.push(warning);
        }
    }
    told.sort_by_key(|warning| !warning.is_named(reason));
    let named = told.iter().take(NAMED).map(|warning| {
        let rule = warning.rule.id();
        match warning.place {
            "" => rule.to_owned(),
            place => format!("{rule} of {place}"),
        }
    });
    let mut named: Vec<String> = named.collect();
    if told.len() > NAMED {
        named.push(format!("{} more", told.len() - NAMED));
    }
    match told.len() {
        0 => String::new(),
        1 => format!("; see the warning {} above", named.join(", ")),
        _ => format!("; see the warnings above: {}", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slave::Level;

    fn log(lines: &[&str]) -> Vec<Message> {
        let message = |line: &&str| Message {
            level: Level::Warning,
            category: String::new(),
            text: (*line).to_owned(),
        };
        lines.iter().map(message).collect()
    }

    const STOP: &str =
        "the step to 0.005 s failed, because forces on part \"crank\" are out of balance";
    const INERTIA: &str =
        "part \"crank\", field inertia: its radius is 0.01 mm; give it in kg mm^2 [odd-inertia]";
    const MOTION: &str = "motion \"drive\", field displacement: expressions are of radians; write D [degrees-as-radians]";
    const REDUNDANT: &str =
        "joint \"pivot\": 3 of its equations follow from others; use others [redundant-constraint]";

    #[test]
    fn warnings_that_explain_a_stop_are_named_those_of_its_entity_first() {
        assert_eq!(
            of_log(STOP, &log(&[MOTION, REDUNDANT, INERTIA, INERTIA])),
            "; see the warnings above: odd-inertia of part \"crank\", degrees-as-radians of motion \"drive\""
        );
        assert_eq!(
            of_log(STOP, &log(&[INERTIA])),
            "; see the warning odd-inertia of part \"crank\" above"
        );
        // A warning that does not affect the motion explains only a stop of its own entity.
        assert_eq!(
            of_log(STOP, &log(&[REDUNDANT, "at time 1 s it slips (said once)"])),
            ""
        );
        assert_eq!(
            of_log("joint \"pivot\" is violated", &log(&[REDUNDANT])),
            "; see the warning redundant-constraint of joint \"pivot\" above"
        );
        let many: Vec<String> = (0..7)
            .map(|k| format!("force \"f{k}\": it is stiff [fast-vibration]"))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(of_log(STOP, &log(&many)).ends_with("\"f3\", 3 more"));
    }

    #[test]
    fn what_a_check_found_is_named_alike() {
        let problem = |error| Problem {
            error,
            rule: "odd-inertia",
            ..Problem::error("resources/model.json: part \"crank\", field inertia", "")
        };
        let said = "; see the warning odd-inertia of part \"crank\" above";
        assert_eq!(of_check(STOP, &[problem(false)]), said);
        assert_eq!(of_check(STOP, &[problem(true)]), "");
    }
}

//! Control plane: the advice as text for a console.

use std::fmt::{self, Display, Formatter, Write as _};

use super::Advice;
use super::choice::Choice;
use super::search::{Found, Row};
use crate::trial::{round, step_name};

/// How many reasons of settings that failed are listed.
const REASONS: usize = 4;

/// A part as `0.3 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", round(100.0 * share, 2))
}

/// What a message about a run says of its cause, without the time and what helps.
fn core_of(reason: &str) -> &str {
    let cause = reason.split_once("failed, because ");
    let cause = cause.map_or(reason, |(_, cause)| cause);
    cause.split("; ").next().unwrap_or(cause)
}

/// Do two texts differ in numbers alone?
fn is_alike(a: &str, b: &str) -> bool {
    words(a) == words(b)
}

/// The words of a text that are no numbers.
fn words(text: &str) -> Vec<&str> {
    let all = text.split(' ');
    all.filter(|word| word.parse::<f64>().is_err()).collect()
}

impl Choice {
    /// The settings as they stand in a model.
    pub fn in_model(&self) -> String {
        let all = self
            .settings
            .iter()
            .map(|(name, value)| format!("{name} {value}"));
        all.collect::<Vec<_>>().join(", ")
    }

    fn told(&self, advice: &Advice) -> String {
        let norm = advice.norm.words();
        let mut text = format!(
            "recommended: {}, step {} (hratio {} at a communication step of {})\n  {norm} {} of range (\"{}\"), predicted {}; \
             Real Time Index {:.2e} on this computer",
            self.family,
            step_name(self.step),
            self.hratio,
            step_name(advice.step),
            percent(self.measured),
            self.worst,
            percent(self.predicted),
            self.rti,
        );
        if let Some((error, rti)) = self.own {
            let _ = write!(
                text,
                "\n  the model's own settings ({}): {} and {rti:.2e}",
                advice.own,
                percent(error)
            );
        }
        let _ = write!(text, "\n  in the model: {}", self.in_model());
        text
    }
}

/// Family, step, error, order, time and iteration of a row.
pub(super) fn cells(row: &Row, own: &str) -> [String; 8] {
    let family = match row.family.as_str() {
        super::candidates::OWN => format!("{own} (the model's own)"),
        other => other.to_owned(),
    };
    let step = step_name(row.step);
    let Some(measured) = row.measured() else {
        let none = String::new;
        return [family, step, none(), none(), none(), none(), none(), none()];
    };
    let number = |x: Option<f64>| x.map_or_else(String::new, |x| round(x, 2));
    [
        family,
        step,
        percent(measured.error),
        number(measured.order),
        format!("{:.2e}", measured.rti),
        round(1e6 * measured.seconds_per_step, 2),
        { measured.instructions }.map_or_else(String::new, |count| count.to_string()),
        number(measured.contraction.map(|[typical, _]| typical)),
    ]
}

/// The headings of [`cells`].
pub(super) const HEADINGS: [&str; 8] = [
    "settings",
    "step",
    "error",
    "order",
    "RTI",
    "µs/step",
    "instructions",
    "contraction",
];

/// Which columns have an entry.
pub(super) fn filled(rows: &[[String; 8]]) -> [bool; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|k| rows.iter().any(|row| !row[k].is_empty()))
}

/// Rows as lines of equal columns; those without an entry are left out.
fn lines(rows: &[[String; 8]]) -> String {
    let mut widths = HEADINGS.map(|heading| heading.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let filled = filled(rows);
    let mut text = String::new();
    for row in std::iter::once(&HEADINGS.map(str::to_owned)).chain(rows) {
        let mut line = format!("  {:width$}", row[0], width = widths[0]);
        for (k, (cell, width)) in row.iter().zip(widths).enumerate().skip(1) {
            if !filled[k] {
                continue;
            }
            let _ = write!(line, "  {cell:>width$}");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Names and reasons as lines: the names that have the same reason, and the reason.
pub(super) fn by_reason(all: &[(String, String)]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, why) in all {
        match reasons.iter_mut().find(|(known, _)| known == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    let line = |(why, names): (&str, Vec<&str>)| format!("{}: {why}", names.join(", "));
    reasons.into_iter().map(line).collect()
}

impl Advice {
    /// Outputs that do not count, by the reason.
    fn not_judged(&self) -> Vec<String> {
        let all = by_reason(&self.left_out).into_iter();
        all.map(|line| format!("left out: {line}")).collect()
    }

    /// How many settings failed, with the most frequent reasons.
    pub(super) fn failed(&self) -> Option<String> {
        let mut reasons: Vec<(&str, usize)> = Vec::new();
        let mut count = 0;
        for row in &self.rows {
            let Found::Failed(reason) = &row.found else {
                continue;
            };
            count += 1;
            let reason = core_of(reason);
            match reasons
                .iter_mut()
                .find(|(known, _)| is_alike(known, reason))
            {
                Some((_, times)) => *times += 1,
                None => reasons.push((reason, 1)),
            }
        }
        reasons.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        let named = reasons.iter().take(REASONS);
        let mut named: Vec<String> = named
            .map(|(reason, times)| format!("{times} because {reason}"))
            .collect();
        if reasons.len() > REASONS {
            named.push(format!("{} other reasons", reasons.len() - REASONS));
        }
        let all = self.rows.len();
        (count > 0).then(|| {
            format!(
                "{count} of {all} settings gave no whole run: {}",
                named.join("; ")
            )
        })
    }
}

impl Advice {
    /// The recommendation, what limits it, and what it rests on, in paragraphs.
    pub(super) fn summary(&self) -> Vec<String> {
        let choice = self.choice.iter().map(|choice| choice.told(self));
        let mut all: Vec<String> = choice
            .flat_map(|text| {
                text.lines()
                    .map(|line| line.trim().to_owned())
                    .collect::<Vec<_>>()
            })
            .collect();
        all.extend(self.limits.iter().map(|text| format!("limit: {text}")));
        all.push(self.reference.clone());
        all.extend(self.not_judged());
        all.extend(self.failed());
        all
    }
}

impl Display for Advice {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} settings against a reference, communication step {}",
            self.model,
            self.rows.len(),
            step_name(self.step)
        )?;
        writeln!(f, "{}", self.reference)?;
        for line in self.not_judged() {
            writeln!(f, "{line}")?;
        }
        writeln!(
            f,
            "front: no other settings are both more accurate and faster ({} of the worst output, relative to its range; what is below \
             {} is not told apart)",
            self.norm.words(),
            percent(self.floor)
        )?;
        let mut shown: Vec<usize> = self.front.clone();
        let own = self
            .rows
            .first()
            .map(|_| 0)
            .filter(|own| !shown.contains(own));
        shown.extend(own);
        let rows = shown.iter().map(|k| cells(&self.rows[*k], &self.own));
        f.write_str(&lines(&rows.collect::<Vec<_>>()))?;
        if let Some(failed) = self.failed() {
            writeln!(f, "{failed}")?;
        }
        if let Some(choice) = &self.choice {
            writeln!(f, "{}", choice.told(self))?;
        }
        let limits = self.limits.iter().map(|text| format!("limit: {text}"));
        f.write_str(&limits.collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_numbers_are_one() {
        let reason = |at: &str, by: &str| {
            format!(
                "it ends at {at} s: the run stops at time {at} s: the step to 4 s failed, because forces on part \"fork\" are out \
                 of balance by {by} rad (limit 3); take a smaller step. The state is that of time {at} s"
            )
        };
        let (a, b) = (reason("3.2", "3.8e0"), reason("3.4", "10"));
        assert_eq!(
            core_of(&a),
            "forces on part \"fork\" are out of balance by 3.8e0 rad (limit 3)"
        );
        assert!(is_alike(core_of(&a), core_of(&b)));
        assert!(!is_alike("part \"a\" is 1", "part \"b\" is 1"));
        assert_eq!(core_of("solver.rho is refused"), "solver.rho is refused");
    }
}

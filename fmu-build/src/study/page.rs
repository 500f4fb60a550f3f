//! Control plane: a study in words: what the program prints, and a page in Markdown.

use std::fmt::Write as _;

use super::summary::{ResultSummary, Sensitivity, Summary};
use crate::display::Display;
use crate::trial::round;

/// Digits of numbers for people.
const DIGITS: usize = 4;
/// So many dependences of a result are told in the terminal.
const STRONGEST: usize = 3;

fn percent(share: f64) -> String {
    round(100.0 * share, 3)
}

/// `90 to 94 %`
fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {} %", percent(low), percent(high))
}

impl Summary {
    /// How the runs ended, in a line.
    pub fn ended(&self) -> String {
        let draws = self
            .seed
            .map_or_else(String::new, |seed| format!(", seed {seed}"));
        let mut line = format!("{}: {} runs ({}{draws})", self.name, self.runs, self.method);
        for (count, what) in [
            (self.failed, "failed"),
            (self.stopped, "stopped by sensors"),
            (self.warned, "with warnings"),
        ] {
            if count > 0 {
                let _ = write!(line, ", {count} {what}");
            }
        }
        line
    }

    /// The yield, in a line; none without limits.
    pub fn yield_line(&self) -> Option<String> {
        let within = self.within?;
        let mut line = format!(
            "yield: {} % ({} of {} runs are within all limits",
            percent(within.share),
            within.passed,
            self.runs
        );
        if let Some(bounds) = within.interval {
            let _ = write!(line, "; 95 % interval: {}", interval(bounds));
        }
        Some(line + ")")
    }

    /// What the program prints.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.ended()];
        for failed in &self.failures {
            lines.push(format!(
                "  {} failed{} {}: {}",
                failed.runs,
                failed.such(),
                failed.first,
                failed.reason
            ));
        }
        let names = self
            .results
            .iter()
            .map(|result| result.display.label(&result.name).chars().count());
        let width = names.max().unwrap_or(0).max("result".len());
        if !self.results.is_empty() {
            lines.push(format!(
                "  {:width$}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}",
                "result", "mean", "deviation", "least", "median", "most"
            ));
        }
        for result in &self.results {
            let mut line = format!("  {:width$}", result.display.label(&result.name));
            for cell in cells(result) {
                let _ = write!(line, "  {cell:>10}");
            }
            lines.push(line);
        }
        // Of a single thing that is varied, the picture says more.
        let several = self.factors.len() > 1;
        for result in self.results.iter().filter(|_| several) {
            let told: Vec<String> = result
                .sensitivities
                .iter()
                .take(STRONGEST)
                .filter_map(depends)
                .collect();
            if !told.is_empty() {
                lines.push(format!("  {} depends on {}", result.name, told.join(", ")));
            }
        }
        lines.extend(self.yield_line());
        if let Some(worst) = self.worst_done {
            lines.push(format!(
                "  look at the worst: fixstep study … --one {worst} --report run.html"
            ));
        }
        lines
    }

    /// A page; `command` made it, and `picture` is beside it.
    pub fn markdown(&self, command: &str, picture: &str) -> String {
        let mut page = format!("# {}\n\n", title(&self.name));
        if !self.description.is_empty() {
            let _ = writeln!(page, "{}\n", self.description);
        }
        let _ = writeln!(
            page,
            "```sh\n{command}\n```\n\n![{}]({picture})\n",
            self.ended()
        );
        let _ = writeln!(page, "{}.", self.ended());
        if let Some(line) = self.yield_line() {
            let _ = writeln!(page, "\n**{}**", capital(&line));
        }
        for failed in &self.failures {
            let _ = writeln!(
                page,
                "\n{} failed{} {}: {}.",
                if failed.runs == 1 {
                    "1 run".to_owned()
                } else {
                    format!("{} runs", failed.runs)
                },
                failed.such(),
                failed.first,
                failed.reason
            );
        }
        self.vary(&mut page);
        self.table(&mut page);
        for result in &self.results {
            sensitivities(&mut page, result);
        }
        if !self.worst.is_empty() {
            let runs: Vec<String> = self.worst.iter().map(usize::to_string).collect();
            let _ = writeln!(
                page,
                "\nThe worst runs are {}.{}",
                runs.join(", "),
                self.worst_done.map_or_else(String::new, |run| format!(
                    " `--one {run}` makes the worst that is done again."
                ))
            );
        }
        page
    }

    fn vary(&self, page: &mut String) {
        page.push_str(
            "\n## What is varied\n\n| | from | to | the model's own |\n|---|---|---|---|\n",
        );
        for factor in &self.factors {
            let [from, to] = factor.range.map_or_else(<[String; 2]>::default, |range| {
                range.map(|value| round(value, DIGITS))
            });
            let name = Display::plain(&factor.unit).label(&factor.name);
            let _ = writeln!(page, "| {name} | {from} | {to} | {} |", factor.nominal);
        }
    }

    fn table(&self, page: &mut String) {
        if self.results.is_empty() {
            return;
        }
        page.push_str(
            "\n## Results\n\n| | mean | deviation | least | median | most | limits | within |\n",
        );
        page.push_str("|---|---|---|---|---|---|---|---|\n");
        for result in &self.results {
            let shown = |value: f64| round(result.display.shown(value), DIGITS);
            let limits = match result.limits {
                [None, None] => String::new(),
                [Some(least), None] => format!("{} or more", shown(least)),
                [None, Some(most)] => format!("{} or less", shown(most)),
                [Some(least), Some(most)] => format!("{} to {}", shown(least), shown(most)),
            };
            let passed = result
                .passed
                .map(|passed| format!("{} %", percent(passed as f64 / self.runs as f64)));
            let _ = writeln!(
                page,
                "| {} | {} | {limits} | {} |",
                result.display.label(&result.name),
                cells(result).join(" | "),
                passed.unwrap_or_default()
            );
        }
    }
}

/// Mean, deviation, least, median and most, as they are shown.
fn cells(result: &ResultSummary) -> [String; 5] {
    let shown = |value: f64| {
        if value.is_finite() {
            round(result.display.shown(value), DIGITS)
        } else {
            "none".to_owned()
        }
    };
    let (factor, _) = result.display.conversion();
    let median = result.quantiles.iter().find(|(part, _)| *part == 0.5);
    let end = |end: Option<(f64, usize)>| {
        end.map_or_else(|| "none".to_owned(), |(value, _)| shown(value))
    };
    let deviation = if result.known > 1 {
        round(factor * result.deviation, DIGITS)
    } else {
        "none".to_owned()
    };
    [
        shown(result.mean),
        deviation,
        end(result.least),
        median.map_or_else(String::new, |(_, value)| shown(*value)),
        end(result.most),
    ]
}

/// What a result depends on, in a few words.
fn depends(it: &Sensitivity) -> Option<String> {
    if let Some([low, high]) = it.effect {
        return Some(format!(
            "{} ({} to {})",
            it.factor,
            round(low, 3),
            round(high, 3)
        ));
    }
    let size = it.regression.or(it.rank)?;
    Some(format!("{} ({})", it.factor, round(size, 2)))
}

fn sensitivities(page: &mut String, result: &ResultSummary) {
    let known = |it: &&Sensitivity| {
        it.effect.is_some()
            || it.regression.is_some()
            || it.rank.is_some()
            || it.first_order.is_some()
    };
    let all: Vec<&Sensitivity> = result.sensitivities.iter().filter(known).collect();
    if all.len() < 2 {
        return;
    }
    let _ = write!(page, "\n## What {} depends on\n\n", result.name);
    if let Some(explained) = result.explained {
        let _ = writeln!(
            page,
            "A linear model explains {} % of the variance.\n",
            percent(explained)
        );
    }
    let effects = all.iter().any(|it| it.effect.is_some());
    page.push_str(if effects {
        "| | change at the least value | at the largest value |\n|---|---|---|\n"
    } else {
        "| | regression | rank correlation | first order |\n|---|---|---|---|\n"
    });
    let (factor, _) = result.display.conversion();
    let cell = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.3}"));
    for it in all {
        let _ = match it.effect {
            Some([low, high]) => {
                let [low, high] = [low, high].map(|x| round(factor * x, DIGITS));
                writeln!(page, "| {} | {low} | {high} |", it.factor)
            }
            None => writeln!(
                page,
                "| {} | {} | {} | {} |",
                it.factor,
                cell(it.regression),
                cell(it.rank),
                cell(it.first_order)
            ),
        };
    }
}

/// The name of a study as a heading.
fn title(name: &str) -> String {
    capital(&name.replace('_', " "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

//! Control plane: what a run has recorded, as the lines of a page.

use fixstep_pictures::payload::{Against, Contents, Display, Group, Signal};
use model_description::parse::{Causality, Description, Variability, Variable};

use super::Told;
use crate::csv::Table;
use crate::display;
use crate::run::Outcome;
use crate::slave::{is_numeric, size};

/// A page keeps all rows of a run that has not more,
const ROWS: usize = 20_000;
/// or not more numbers.
const NUMBERS: usize = 2_000_000;
/// A longer run is cut into so many spans, of each of which a line keeps four points at most.
const SPANS: usize = 4_000;
/// Panels that are open first, and lines in each.
const PANELS: usize = 4;
const LINES: usize = 6;
/// Variables besides inputs and outputs of which a page has lines, unless they are what a run tells of itself.
const MORE: usize = 300;

/// The variables of which a page has lines besides the outputs: inputs, what the run tells of itself, and what moves
/// within, of which long lists are left out.
pub fn recorded(description: &Description) -> Vec<String> {
    let moves = |variable: &&Variable| {
        let varies = matches!(
            variable.variability,
            Variability::Continuous | Variability::Discrete
        );
        let is_line = matches!(variable.causality, Causality::Input | Causality::Local);
        varies && is_line && is_numeric(variable)
    };
    let mut room = MORE;
    let mut names = Vec::new();
    for variable in description.variables.iter().filter(moves) {
        let own = variable.causality == Causality::Input
            || !matches!(group(variable), Group::Requests | Group::Outputs);
        let lines = size(description, variable);
        if own || lines <= room {
            if !own {
                room -= lines;
            }
            names.push(variable.name.clone());
        }
    }
    names
}

/// Where a variable comes from.
fn group(variable: &Variable) -> Group {
    match variable.causality {
        Causality::Input => return Group::Inputs,
        Causality::Output => return Group::Outputs,
        _ => {}
    }
    match variable.name.split('.').next().unwrap_or_default() {
        "solver" => Group::Solver,
        "rti" => Group::Rti,
        "energy" | "power" => Group::Energy,
        _ => Group::Requests,
    }
}

/// A column of a table by its variable, whose elements have numbers.
fn variable<'a>(description: &'a Description, column: &str) -> Option<&'a Variable> {
    let of = |name: &str| { description.variables.iter() }.find(|variable| variable.name == name);
    of(column).or_else(|| of(column.rsplit_once('[')?.0))
}

/// Lines, bases and the panels that are open first.
pub(super) fn add(contents: &mut Contents<'_>, told: &Told<'_>) {
    let Outcome { table, more, .. } = told.outcome;
    let Some((times, columns)) = table.columns.split_first() else {
        return;
    };
    let mut lines = Lines::new(times, columns.len() + more.columns.len());
    let own = table.names.iter().skip(1).zip(columns);
    let all = own.chain(more.names.iter().zip(&more.columns));
    let displays = told.outcome.displays.iter().skip(1);
    let units = told.outcome.units.iter().skip(1);
    let shown = displays.zip(units);
    for ((name, values), (shown, unit)) in all.zip(shown) {
        let variable = variable(told.description, name);
        lines.push(Signal {
            name: name.clone(),
            unit: unit.clone(),
            display: display_of(shown),
            group: variable.map_or(Group::Outputs, group),
            description: variable.map_or_else(String::new, |it| it.description.clone()),
            base: 0,
            values: values.clone(),
            thinned: false,
        });
    }
    (contents.bases, contents.signals) = (lines.bases, lines.signals);
    contents.panels = panels(&contents.signals);
    contents.against =
        { told.against.as_ref() }.and_then(|(name, other)| against(name, other, &contents.signals));
}

fn display_of(shown: &display::Display) -> Display {
    let (factor, offset) = shown.conversion();
    Display {
        unit: shown.unit.clone(),
        factor,
        offset,
    }
}

/// Another table: the columns with the names of lines, in their units; such a table may be one in display units, whose
/// columns say so.
fn against(name: &str, other: &Table, signals: &[Signal]) -> Option<Against> {
    let (times, columns) = other.columns.split_first()?;
    let mut lines = Lines::new(times, columns.len());
    for (column, values) in other.names.iter().skip(1).zip(columns) {
        let same = signals.iter().find(|signal| signal.name == *column);
        let shown = || {
            signals.iter().find(|signal| {
                let Signal { name, display, .. } = signal;
                *column == format!("{name} [{}]", display.unit)
            })
        };
        let (signal, values) = match (same, shown()) {
            (Some(signal), _) => (signal, values.clone()),
            (None, Some(signal)) => {
                let Display { factor, offset, .. } = signal.display;
                let own = values.iter().map(|value| (value - offset) / factor);
                (signal, own.collect())
            }
            _ => continue,
        };
        lines.push(Signal {
            base: 0,
            values,
            thinned: false,
            ..signal.clone()
        });
    }
    Some(Against {
        name: name.to_owned(),
        bases: lines.bases,
        signals: lines.signals,
    })
}

/// Lines of the rows of a table.
struct Lines<'a> {
    times: &'a [f64],
    /// Are all rows kept?
    whole: bool,
    bases: Vec<Vec<f64>>,
    signals: Vec<Signal>,
}

impl<'a> Lines<'a> {
    /// For so many lines.
    fn new(times: &'a [f64], count: usize) -> Self {
        let whole = times.len() <= ROWS || times.len() * (count + 1) <= NUMBERS;
        Self {
            times,
            whole,
            bases: if whole { vec![times.to_vec()] } else { vec![] },
            signals: Vec::new(),
        }
    }

    /// Adds a line, thinned out if it is long: then it has times of its own.
    fn push(&mut self, mut signal: Signal) {
        if !self.whole {
            let rows = kept(&signal.values, SPANS);
            let at = |of: &[f64]| rows.iter().map(|row| of[*row]).collect();
            signal.base = self.bases.len();
            self.bases.push(at(self.times));
            signal.values = at(&signal.values);
            signal.thinned = true;
        }
        self.signals.push(signal);
    }
}

/// The rows that a line keeps: of each span the first, the last, the least and the greatest, so that no peak is lost.
fn kept(values: &[f64], spans: usize) -> Vec<usize> {
    let mut rows = Vec::with_capacity(4 * spans);
    for span in 0..spans {
        let [from, to] = [span, span + 1].map(|at| at * values.len() / spans);
        if from == to {
            continue;
        }
        let (mut least, mut greatest) = (from, from);
        for row in from..to {
            if values[row] < values[least] {
                least = row;
            }
            if values[row] > values[greatest] {
                greatest = row;
            }
        }
        let mut of_span = [from, least, greatest, to - 1];
        of_span.sort_unstable();
        rows.extend(of_span);
    }
    rows.dedup();
    rows
}

/// The panels that are open first: outputs that move, those with one unit together.
fn panels(signals: &[Signal]) -> Vec<Vec<String>> {
    let mut panels: Vec<(&str, Vec<String>)> = Vec::new();
    let moves = |signal: &&Signal| {
        let mut values = signal.values.iter();
        signal.group == Group::Outputs && values.any(|value| *value != signal.values[0])
    };
    for signal in signals.iter().filter(moves) {
        let unit = signal.display.unit.as_str();
        let has_room = |lines: &Vec<String>| lines.len() < LINES;
        let count = panels.len();
        match panels.iter_mut().find(|(of, _)| *of == unit) {
            Some((_, lines)) if has_room(lines) => lines.push(signal.name.clone()),
            None if count < PANELS => panels.push((unit, vec![signal.name.clone()])),
            _ => {}
        }
    }
    panels.into_iter().map(|(_, lines)| lines).collect()
}

#[cfg(test)]
mod tests {
    use super::kept;

    #[test]
    fn peaks_and_ends_are_kept() {
        let mut values: Vec<f64> = (0..100_000).map(|k| f64::from(k % 7)).collect();
        (values[31_234], values[78_901]) = (1e9, -1e9);
        let rows = kept(&values, 1000);
        assert!(rows.len() <= 4000);
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
        for row in [0, 31_234, 78_901, 99_999] {
            assert!(rows.contains(&row), "{row}");
        }
        // Fewer rows than spans: all of them.
        assert_eq!(kept(&values[..10], 1000), (0..10).collect::<Vec<_>>());
    }
}

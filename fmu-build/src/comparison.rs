//! Control plane: two tables of results beside each other: where they differ, since when, and by how much more than a
//! tolerance of each signal allows.
//!
//! The first table is the reference. A value of the second that is farther from it than the tolerance, or is no number where
//! the reference is one, is beyond. Times that only one of them has are differences too. Where the second lacks a time of the
//! first, it is interpolated by straight lines.

use serde::Serialize;

use crate::csv::{Table, number};
use crate::plot::{Line, Panel, Pin, Plot};
use crate::slave::Failure;
use crate::suggest;

/// Most signals in a picture.
const DRAWN: usize = 8;
/// Times of two tables that differ by this part of their size are one.
const SAME_TIME: f64 = 1e-12;

/// How far a signal may be from that of the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// In the unit of the signal.
    pub absolute: f64,
    /// As a part of the signal's range in the reference.
    pub of_range: f64,
}

impl Tolerance {
    /// `0.5`: in the signal's unit; `0.1%`: of its range.
    pub fn parse(text: &str) -> Option<Self> {
        let (digits, is_part) = match text.trim().strip_suffix('%') {
            Some(digits) => (digits.trim(), true),
            None => (text.trim(), false),
        };
        let value: f64 = digits.parse().ok()?;
        if !value.is_finite() || value < 0.0 {
            return None;
        }
        Some(if is_part {
            Self {
                of_range: 0.01 * value,
                ..Self::default()
            }
        } else {
            Self {
                absolute: value,
                ..Self::default()
            }
        })
    }

    fn allows(&self, range: f64) -> f64 {
        self.absolute + self.of_range * range
    }
}

/// Tolerances: one for all signals, and others for signals with a name, or with names that begin with the text before a `*`.
/// The last that fits counts.
#[derive(Clone, Debug, Default)]
pub struct Tolerances {
    /// For all that have none of their own.
    pub all: Tolerance,
    /// Patterns with their tolerances.
    pub own: Vec<(String, Tolerance)>,
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}

impl Tolerances {
    /// Has the reference a signal for each of those with a name?
    pub fn check(&self, reference: &Table) -> Result<(), Failure> {
        let known = || reference.names.iter().skip(1).map(String::as_str);
        for (pattern, _) in &self.own {
            if !known().any(|name| fits(pattern, name)) {
                return Err(Failure(suggest::unknown("signal", pattern, known())));
            }
        }
        Ok(())
    }

    fn of(&self, name: &str) -> Tolerance {
        let own = self
            .own
            .iter()
            .rev()
            .find(|(pattern, _)| fits(pattern, name));
        own.map_or(self.all, |(_, tolerance)| *tolerance)
    }
}

/// A place in both tables.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Place {
    /// When.
    pub time: f64,
    /// The line of the reference's file.
    pub line: usize,
    /// The reference's value.
    pub reference: f64,
    /// The other's value.
    pub value: f64,
}

impl Place {
    /// How far the values are apart; without end if one of them is no number.
    pub fn difference(&self) -> f64 {
        let (a, b) = (self.reference, self.value);
        if a == b || a.is_nan() && b.is_nan() {
            return 0.0;
        }
        let apart = (a - b).abs();
        if apart.is_nan() { f64::INFINITY } else { apart }
    }
}

/// A signal of both tables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// Its range in the reference.
    pub range: f64,
    /// The difference that is allowed.
    pub allowed: f64,
    /// Where the difference is largest; none if there is no difference.
    pub worst: Option<Place>,
    /// The first difference beyond the tolerance.
    pub first: Option<Place>,
    /// How many rows are beyond.
    pub beyond: usize,
}

/// Both tables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Rows that were compared.
    pub rows: usize,
    /// Was the second table interpolated, since it lacks times of the first?
    pub interpolated: bool,
    /// The signals, in the reference's order.
    pub signals: Vec<Signal>,
    /// What makes the tables different as a whole: columns that one lacks, other times.
    pub faults: Vec<String>,
}

impl Comparison {
    /// Are all differences allowed?
    pub fn passes(&self) -> bool {
        self.faults.is_empty() && self.signals.iter().all(|signal| signal.beyond == 0)
    }
}

/// Compares a table with a reference. The first column of both is the time. With `common`, columns and times that one of them
/// lacks do not count.
pub fn compare(
    reference: &Table,
    other: &Table,
    tolerances: &Tolerances,
    common: bool,
) -> Result<Comparison, Failure> {
    for table in [reference, other] {
        check(table)?;
    }
    tolerances.check(reference)?;
    let span = Span::new(reference, other);
    let rows = reference.columns[0]
        .iter()
        .filter(|time| span.holds(**time))
        .count();
    if rows == 0 {
        return Err(span.apart());
    }
    let mut faults = Vec::new();
    if !common {
        lacking(reference, other, &mut faults);
        lacking(other, reference, &mut faults);
        span.alone(&mut faults);
    }
    let theirs = other.names.iter().enumerate().skip(1);
    let signals: Vec<Signal> = { reference.names.iter().enumerate().skip(1) }
        .filter_map(|(k, name)| {
            let (at, _) = theirs.clone().find(|(_, own)| *own == name)?;
            Some(signal(name, &span.places(k, at), tolerances.of(name)))
        })
        .collect();
    if signals.is_empty() {
        return Err(Failure(format!(
            "{} and {} have no signal in common",
            reference.origin, other.origin
        )));
    }
    Ok(Comparison {
        rows,
        interpolated: span.interpolated(),
        signals,
        faults,
    })
}

/// Are two times one?
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME_TIME * a.abs().max(b.abs())
}

/// The times of two tables.
struct Span<'a> {
    reference: &'a Table,
    other: &'a Table,
    /// The row of the other table that belongs to each row of the reference; none at times that it lacks.
    partners: Vec<Option<usize>>,
    /// First and last time of the reference, and of the other.
    ends: [[f64; 2]; 2],
}

/// The row of the second that has the time of each row of the first, once each. Of rows with one time the last come
/// together: they are what holds after a jump.
fn partners(ours: &[f64], theirs: &[f64]) -> Vec<Option<usize>> {
    let mut found = vec![None; ours.len()];
    let (mut i, mut j) = (ours.len(), theirs.len());
    while i > 0 && j > 0 {
        let (a, b) = (ours[i - 1], theirs[j - 1]);
        if same(a, b) {
            (i, j) = (i - 1, j - 1);
            found[i] = Some(j);
        } else if a > b {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    found
}

impl<'a> Span<'a> {
    fn new(reference: &'a Table, other: &'a Table) -> Self {
        let (ours, theirs) = (&reference.columns[0], &other.columns[0]);
        Self {
            reference,
            other,
            partners: partners(ours, theirs),
            ends: [ours, theirs].map(|times| [times[0], times[times.len() - 1]]),
        }
    }

    /// Does the other table lack times of the reference between its ends?
    fn interpolated(&self) -> bool {
        let mut rows = self.reference.columns[0].iter().zip(&self.partners);
        rows.any(|(time, partner)| partner.is_none() && self.holds(*time))
    }

    /// Is this time between the ends of the other table?
    fn holds(&self, time: f64) -> bool {
        let [from, to] = self.ends[1];
        (time >= from || same(time, from)) && (time <= to || same(time, to))
    }

    fn apart(&self) -> Failure {
        let [[a, b], [c, d]] = self.ends.map(|ends| ends.map(number));
        Failure(format!(
            "{} and {} have no time in common: {a} to {b} and {c} to {d}",
            self.reference.origin, self.other.origin
        ))
    }

    /// Times that only one of the tables has.
    fn alone(&self, faults: &mut Vec<String>) {
        let mut met = vec![false; self.other.rows()];
        for row in self.partners.iter().flatten() {
            met[*row] = true;
        }
        let ours = self.partners.iter().map(Option::is_some).collect();
        for (of, by, met) in [
            (self.reference, self.other, ours),
            (self.other, self.reference, met),
        ] {
            let times = &of.columns[0];
            let mut lacks = { times.iter().zip(&met) }
                .filter(|(_, met)| !**met)
                .map(|(time, _)| *time);
            let Some(first) = lacks.next() else { continue };
            faults.push(format!(
                "{} of {} rows of {} have times that {} lacks, the first at {}",
                1 + lacks.count(),
                times.len(),
                of.origin,
                by.origin,
                number(first)
            ));
        }
    }

    /// A column of the reference beside one of the other.
    fn places(&self, k: usize, at: usize) -> Vec<Place> {
        let (times, theirs) = (&self.reference.columns[0], &self.other.columns[0]);
        let column = &self.other.columns[at];
        let rows = times.iter().enumerate();
        rows.filter(|(_, time)| self.holds(**time))
            .map(|(row, time)| Place {
                time: *time,
                line: row + 2,
                reference: self.reference.columns[k][row],
                value: self.partners[row]
                    .map_or_else(|| between(theirs, column, *time), |partner| column[partner]),
            })
            .collect()
    }
}

/// Has the table rows, and times that increase?
fn check(table: &Table) -> Result<(), Failure> {
    let Some(times) = table.columns.first().filter(|times| !times.is_empty()) else {
        return Err(Failure(format!("{} has no rows", table.origin)));
    };
    let rises = |pair: &[f64]| pair[0] <= pair[1];
    let wrong = times.windows(2).position(|pair| !rises(pair));
    if let Some(row) = wrong {
        return Err(Failure(format!(
            "{}, line {}: the time {} is less than that of the line before, {}; the first column must be the time",
            table.origin,
            row + 3,
            number(times[row + 1]),
            number(times[row])
        )));
    }
    Ok(())
}

fn lacking(of: &Table, by: &Table, faults: &mut Vec<String>) {
    for name in of.names.iter().skip(1) {
        if !by.names.iter().skip(1).any(|own| own == name) {
            faults.push(format!(
                "{} has no column \"{name}\", {} has",
                by.origin, of.origin
            ));
        }
    }
}

/// The value at a time by a straight line; where two rows have the same time, the later one at it.
fn between(times: &[f64], values: &[f64], time: f64) -> f64 {
    let after = times.partition_point(|own| *own <= time);
    if after == 0 {
        return values[0];
    }
    if after == times.len() || times[after - 1] == time {
        return values[after - 1];
    }
    let part = (time - times[after - 1]) / (times[after] - times[after - 1]);
    values[after - 1] + part * (values[after] - values[after - 1])
}

fn signal(name: &str, places: &[Place], tolerance: Tolerance) -> Signal {
    let values = || {
        places
            .iter()
            .map(|place| place.reference)
            .filter(|x| x.is_finite())
    };
    let (least, most) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
        (least.min(x), most.max(x))
    });
    let range = (most - least).max(0.0);
    let allowed = tolerance.allows(range);
    let beyond = |place: &&Place| place.difference() > allowed;
    let mut worst: Option<Place> = None;
    for place in places.iter().filter(|place| place.difference() > 0.0) {
        if worst.is_none_or(|worst| place.difference() > worst.difference()) {
            worst = Some(*place);
        }
    }
    Signal {
        name: name.to_owned(),
        range,
        allowed,
        worst,
        first: places.iter().find(beyond).copied(),
        beyond: places.iter().filter(beyond).count(),
    }
}

/// Both tables as lines, the signals that are farthest beyond their tolerance first, with a ring where each first is.
pub fn picture(comparison: &Comparison, reference: &Table, other: &Table) -> Plot {
    let mut order: Vec<&Signal> = comparison.signals.iter().collect();
    let excess = |signal: &Signal| {
        let worst = signal.worst.map_or(0.0, |place| place.difference());
        match (signal.beyond > 0, signal.range > 0.0) {
            (false, _) => 0.0,
            (true, true) => worst / signal.range,
            (true, false) => f64::INFINITY,
        }
    };
    order.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
    let line = |table: &Table, name: &str| {
        let at = table.names.iter().skip(1).position(|own| own == name);
        Line {
            name: format!("{name} ({})", table.origin),
            x: table.columns[0].clone(),
            y: at.map_or_else(Vec::new, |at| table.columns[at + 1].clone()),
            dots: false,
        }
    };
    let panels = order.iter().take(DRAWN).map(|signal| Panel {
        y_label: signal.name.clone(),
        lines: vec![line(reference, &signal.name), line(other, &signal.name)],
        pins: { signal.first.iter() }
            .map(|place| Pin {
                at: (place.time, place.value),
                text: format!("{} apart", short(place.difference())),
            })
            .collect(),
        ..Panel::default()
    });
    Plot {
        title: format!("{} and {}", reference.origin, other.origin),
        subtitle: verdict(comparison),
        x_label: reference.names[0].clone(),
        panels: panels.collect(),
        ..Plot::default()
    }
}

/// In one line.
pub fn verdict(comparison: &Comparison) -> String {
    let beyond = comparison.signals.iter().filter(|signal| signal.beyond > 0);
    match (beyond.count(), comparison.faults.len()) {
        (0, 0)
            if comparison
                .signals
                .iter()
                .all(|signal| signal.worst.is_none()) =>
        {
            "the same numbers".to_owned()
        }
        (0, 0) => "all differences are allowed".to_owned(),
        (0, _) => "the tables differ in what they have".to_owned(),
        (1, _) => "1 signal differs by more than its tolerance".to_owned(),
        (n, _) => format!("{n} signals differ by more than their tolerances"),
    }
}

/// Three digits.
pub fn short(value: f64) -> String {
    format!("{value:.2e}")
}

#[cfg(test)]
mod tests;

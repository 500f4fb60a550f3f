//! Control plane: estimates the errors at h and h/2 from runs at h, h/2 and h/4 (Richardson 1911; Hairer, Nørsett and
//! Wanner, *Solving Ordinary Differential Equations I*, 1993, section II.4).
//!
//! ```text
//! d₁ = max |y_h − y_{h/2}|,  d₂ = max |y_{h/2} − y_{h/4}|,  2^p = d₁/d₂                   (TRL-1)
//! e(h) = d₁ 2^p/(2^p − 1),   e(h/2) = d₂ 2^p/(2^p − 1)                                    (TRL-2)
//! ```
//! If p is above the order P of the scheme, part of that is chance: e(h/2) is then the geometric mean of (TRL-2) and
//! of e(h)/2^P.

use serde::Serialize;

use super::runs::{PossibleCause, TrialRuns};
use super::scales::Measure;

/// p below which there is no order: differences shrink by less than 1.8.
const LEAST: f64 = 0.85;
/// If a kink was met, p below the expected value by this is coincidence,
const MISSES: f64 = 0.15;
/// and p above the scheme's by this.
const BEYOND: f64 = 1.0;
/// Differences below this fraction of the largest value in the same unit are rounding errors.
const ROUNDING: f64 = 1e-11;
/// Differences that do not shrink and are below this fraction of the range are rounding errors too: in reactions,
/// they are divided by h².
const FINE: f64 = 1e-6;
/// An output that changes by less than this fraction of its size, or of the largest value of its kind, is at rest.
const STILL: f64 = 1e-9;
/// Ranges below this fraction of the largest one of the same kind are not used as a reference for errors.
const SMALL: f64 = 1e-3;

/// The results for an output.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// Its unit; empty: none.
    pub unit: String,
    /// The reference for its error: the distance from its least to its greatest value, or a thousandth of the longest
    /// such distance of an output of the same dimension, such as lengths in metres and in millimetres; for an output
    /// that is constant except for its error, its largest value. The energy that the run moved counts as such a distance
    /// for outputs that are energies.
    pub range: f64,
    /// The estimate.
    pub found: Found,
    /// Error at the step, and at half of it, in its unit.
    pub errors: Option<[f64; 2]>,
    /// The same as fractions of the range.
    pub shares: Option<[f64; 2]>,
    /// Where the error at the step is largest (s).
    pub at: f64,
    /// The observed order p.
    pub order: Option<f64>,
    /// d₁ and d₂.
    pub differences: [f64; 2],
}

/// The estimate for an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// An order, and hence an error.
    Order,
    /// All runs agree, except for rounding.
    Exact,
    /// All runs agree, and the output is at rest.
    Still,
    /// The differences do not shrink as an order requires.
    #[default]
    NoOrder,
}

/// The common properties of outputs with the same dimension.
#[derive(Clone, Copy, Default)]
struct Alike {
    /// The largest value.
    size: f64,
    /// The largest range.
    range: f64,
    /// Differences below this are rounding errors.
    noise: f64,
    /// An output with a smaller range is at rest.
    still: f64,
    /// The smallest range used as a reference for errors.
    least: f64,
}

/// What errors of an output refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    /// As [`Estimate::range`] says, for an output with a motion of its own; 0 for one at rest.
    pub range: f64,
    /// The same for an output that is constant except for its error; 0 if its changes are too large for that.
    pub constant: f64,
}

/// What errors of outputs with these units and measures refer to.
pub(crate) fn spans(units: &[String], measures: &[Measure], columns: &[Vec<f64>]) -> Vec<Span> {
    let span = |(k, column): (usize, &Vec<f64>)| {
        let alike = alike((units, measures), columns, k);
        let [least, most] = bounds(column);
        let size = least.abs().max(most.abs());
        if most - least <= alike.still.max(STILL * size) {
            return Span::default();
        }
        let constant = alike.constant(size);
        let small = most - least <= SMALL * constant;
        // An energy that hardly changes is one of a balance.
        let balance = small && measures.get(k).is_some_and(|own| own.moved > 0.0);
        Span {
            range: if balance {
                constant
            } else {
                (most - least).max(alike.least)
            },
            constant: if small { constant } else { 0.0 },
        }
    };
    columns.iter().enumerate().map(span).collect()
}

/// The common properties of all outputs of the kind of output k, in its unit.
fn alike((units, measures): (&[String], &[Measure]), columns: &[Vec<f64>], k: usize) -> Alike {
    let measure = |at: usize| measures.get(at).copied().unwrap_or_default();
    let own = measure(k);
    // If units are unknown, their names must be the same.
    let factor = |at: usize| {
        let Measure {
            dimension, factor, ..
        } = measure(at);
        let same = units[at] == units[k] && !units[k].is_empty();
        if at == k || same {
            Some(1.0)
        } else {
            (dimension.is_some() && dimension == own.dimension).then(|| factor / own.factor)
        }
    };
    let mut known = Alike::default();
    for (at, column) in columns.iter().enumerate() {
        let [least, most] = bounds(column);
        let unknown = |at: usize| units[at].is_empty() && measure(at).dimension.is_none();
        if unknown(at) && unknown(k) {
            known.noise = known.noise.max(least.abs()).max(most.abs());
        }
        let Some(factor) = factor(at) else { continue };
        known.size = known
            .size
            .max(factor * least.abs())
            .max(factor * most.abs());
        known.range = known.range.max(factor * (most - least));
    }
    known.range = known.range.max(own.moved);
    known.noise = ROUNDING * known.noise.max(known.size);
    known.still = own.still.max(STILL * known.size);
    known.least = own.range.max(SMALL * known.range);
    known
}

impl Alike {
    /// What errors of an output refer to that is constant except for them: its size, or a thousandth of the mechanism's
    /// own measure if that is zero.
    fn constant(&self, size: f64) -> f64 {
        size.max(self.range)
            .max(self.least)
            .max(SMALL * self.still / STILL)
    }
}

/// The orders for an estimate.
#[derive(Clone, Copy)]
struct Orders {
    /// That of the scheme.
    scheme: f64,
    /// The smallest and the largest credible order.
    least: f64,
    most: f64,
}

impl Orders {
    /// Kinks lower the order, or produce one by chance. Values that are held over communication steps make the order
    /// one with certainty if the runs pass the same kinks.
    fn of(courses: &TrialRuns, scheme: f64) -> Self {
        let met = |s: &PossibleCause| s.times > 0 && !s.owner.starts_with("output ");
        let expected = if courses.holds && courses.alike {
            1.0
        } else {
            scheme
        };
        let (least, most) = if courses.suspects.iter().any(met) {
            (LEAST.max(expected - MISSES), scheme + BEYOND)
        } else {
            (LEAST, f64::INFINITY)
        };
        Self {
            scheme,
            least,
            most,
        }
    }
}

/// All outputs.
pub(super) fn all(courses: &TrialRuns, scheme_order: f64) -> Vec<Estimate> {
    let [whole, half, quarter] = &courses.columns[..] else {
        return Vec::new();
    };
    let orders = Orders::of(courses, scheme_order);
    let named = courses.names.iter().zip(&courses.units).enumerate();
    let one = |(k, (name, unit)): (usize, (&String, &String))| {
        let runs = [&whole[k][..], &half[k][..], &quarter[k][..]];
        let kinds = (&courses.units[..], &courses.measures[..]);
        let (found, row) = estimate(runs, alike(kinds, quarter, k), orders);
        Estimate {
            name: name.clone(),
            unit: unit.clone(),
            at: courses.time(row),
            ..found
        }
    };
    let mut outputs: Vec<Estimate> = named.map(one).collect();
    let count = |found: Found| outputs.iter().filter(|o| o.found == found).count();
    // If half of the outputs with an error show no order, the others do so by chance.
    if count(Found::NoOrder) >= count(Found::Order) {
        let by_chance = outputs.iter_mut().filter(|o| o.found == Found::Order);
        by_chance.for_each(|output| {
            output.found = Found::NoOrder;
            (output.errors, output.shares, output.order) = (None, None, None);
        });
    }
    outputs
}

/// Do the ranges of the three runs shrink as an error does? An output that is constant except for its error has such
/// ranges.
fn is_error([whole, half, quarter]: [f64; 3]) -> bool {
    let shrinks = LEAST.exp2();
    whole > shrinks * half && half > shrinks * quarter
}

fn bounds(column: &[f64]) -> [f64; 2] {
    let least = column.iter().copied().fold(f64::INFINITY, f64::min);
    let most = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [least, most]
}

/// The largest difference and its row. A value that is not a number stays one.
fn difference(a: &[f64], b: &[f64]) -> (f64, usize) {
    let pairs = a.iter().zip(b).enumerate();
    pairs.fold((0.0, 0), |most, (row, (a, b))| {
        let apart = (a - b).abs();
        if apart > most.0 || apart.is_nan() {
            (apart, row)
        } else {
            most
        }
    })
}

/// The estimate for one output, and the row where the error is largest.
fn estimate(
    [whole, half, quarter]: [&[f64]; 3],
    alike: Alike,
    orders: Orders,
) -> (Estimate, usize) {
    let ((first, row), (second, _)) = (difference(whole, half), difference(half, quarter));
    let [least, most] = bounds(quarter);
    let size = least.abs().max(most.abs());
    let [low, high] = [whole, half]
        .map(bounds)
        .into_iter()
        .fold([least, most], |[low, high], [least, most]| {
            [low.min(least), high.max(most)]
        });
    let still = high - low <= alike.still.max(STILL * size);
    let ranges = [whole, half, quarter].map(|run| {
        let [least, most] = bounds(run);
        most - least
    });
    let range = if still {
        size
    } else if is_error(ranges) {
        alike.constant(size)
    } else {
        (most - least).max(alike.least)
    };
    let mut known = Estimate {
        range,
        differences: [first, second],
        ..Estimate::default()
    };
    let floor = alike.noise;
    let largest = first.max(second);
    let ratio = first / second.max(floor);
    if still && largest.is_finite() {
        known.found = Found::Still;
    } else if largest <= floor {
        known.found = Found::Exact;
    } else if ratio.is_finite() && (orders.least..=orders.most).contains(&ratio.log2()) {
        let by = ratio / (ratio - 1.0);
        let fastest = orders.scheme.exp2();
        let half = if ratio > fastest {
            (second.max(floor) * by * first * by / fastest).sqrt()
        } else {
            second * by
        };
        let errors = [first * by, half];
        known.found = Found::Order;
        known.errors = Some(errors);
        known.shares = Some(errors.map(|error| error / range));
        known.order = Some(ratio.log2());
    } else if largest <= FINE * range || high - low <= FINE * size {
        known.found = Found::Exact;
    }
    (known, row)
}

#[cfg(test)]
mod tests;

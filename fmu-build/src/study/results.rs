//! Control plane: what a run of a study tells: one number of the course of an output.

use fixstep_kernel::math;
use linear_analysis::spectra::Histories;
use serde_json::Value;

use super::fields::{Fields, kind};

/// Which number of a course.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Take {
    /// The first value.
    First,
    /// The last value.
    Last,
    /// The least value.
    Min,
    /// The largest value.
    Max,
    /// The largest size.
    AbsoluteMax,
    /// From the least to the largest value.
    Range,
    /// The mean over time.
    Mean,
    /// The root of the mean square over time.
    Rms,
    /// The standard deviation over time.
    Deviation,
    /// The integral over time.
    Integral,
    /// The time of the largest value (s).
    TimeOfMax,
    /// The time of the least value (s).
    TimeOfMin,
    /// The value at a time, between two of the course on the straight line.
    At(f64),
    /// The first time at which it crosses a level (s); NaN: it does not.
    Crossing(f64, Crossing),
    /// The integral of its power spectral density over frequencies.
    BandPower(f64, f64),
    /// The root of it.
    BandRms(f64, f64),
    /// None: another program takes it from the series.
    Elsewhere,
}

/// Which way a level is crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// Upwards.
    Rising,
    /// Downwards.
    Falling,
    /// Either.
    Either,
}

/// A limit of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The number.
    pub value: f64,
    /// Its unit; `None`: that of the result.
    pub unit: Option<String>,
}

/// A result that is wanted of each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The name of its column.
    pub name: String,
    /// An output or another variable, or an expression of the model.
    pub of: String,
    /// Which number of its course.
    pub take: Take,
    /// The part of the course that counts (s).
    pub span: (Option<f64>, Option<f64>),
    /// What it must not be below.
    pub least: Option<Bound>,
    /// What it must not be above.
    pub most: Option<Bound>,
    /// The unit for people; empty: that of the output.
    pub unit: String,
}

/// The words of a take without further fields.
const TAKES: [(&str, Option<Take>); 16] = [
    ("first", Some(Take::First)),
    ("last", Some(Take::Last)),
    ("min", Some(Take::Min)),
    ("max", Some(Take::Max)),
    ("absolute_max", Some(Take::AbsoluteMax)),
    ("range", Some(Take::Range)),
    ("mean", Some(Take::Mean)),
    ("rms", Some(Take::Rms)),
    ("deviation", Some(Take::Deviation)),
    ("integral", Some(Take::Integral)),
    ("time_of_max", Some(Take::TimeOfMax)),
    ("time_of_min", Some(Take::TimeOfMin)),
    ("at", None),
    ("crossing", None),
    ("band_power", None),
    ("band_rms", None),
];

/// Reads one entry of `results`.
pub(super) fn read(fields: Fields<'_>) -> Option<Wanted> {
    let name = fields.text("name");
    if let Some(name) = &name {
        fields.called(name);
    }
    if !fields.has("name") {
        fields.missing("name", "the name of its column");
    }
    let of = fields.text("of");
    if !fields.has("of") {
        fields.missing("of", "the name of an output, or an expression of the model");
    }
    let take = take(&fields);
    let span = (fields.number("from"), fields.number("to"));
    if let (Some(from), Some(to)) = span
        && from >= to
    {
        fields.fault("to", &format!("{to} s is not after {from} s"));
    }
    let (least, most) = (bound(&fields, "least"), bound(&fields, "most"));
    let unit = fields.text("unit").unwrap_or_default();
    fields.end();
    Some(Wanted {
        name: name?,
        of: of?,
        take: take?,
        span,
        least,
        most,
        unit,
    })
}

fn take(fields: &Fields<'_>) -> Option<Take> {
    if !fields.has("take") {
        let words: Vec<&str> = TAKES.iter().map(|(word, _)| *word).collect();
        fields.missing("take", &format!("one of {}", words.join(", ")));
    }
    let take = fields.word("take", &TAKES)?;
    if take.is_some() {
        return take;
    }
    let word = fields.any("take").and_then(Value::as_str).unwrap_or("");
    let needed = |field: &'static str, valid: &str| {
        let number = fields.number(field);
        if !fields.has(field) {
            fields.missing(field, valid);
        }
        number
    };
    match word {
        "at" => needed("time", "a time (s)").map(Take::At),
        "crossing" => {
            let words = [
                ("rising", Crossing::Rising),
                ("falling", Crossing::Falling),
                ("either", Crossing::Either),
            ];
            let direction = fields.word("direction", &words);
            let level = needed("level", "the number that is crossed")?;
            Some(Take::Crossing(level, direction.unwrap_or(Crossing::Either)))
        }
        band => {
            let low = needed("from_hz", "a frequency (Hz)");
            let high = needed("to_hz", "a frequency (Hz)");
            let (low, high) = (low?, high?);
            if !(low >= 0.0 && low < high) {
                let message =
                    format!("{low} Hz to {high} Hz is no band; valid: from 0, and upwards");
                fields.fault("to_hz", &message);
                return None;
            }
            Some(if band == "band_power" {
                Take::BandPower(low, high)
            } else {
                Take::BandRms(low, high)
            })
        }
    }
}

fn bound(fields: &Fields<'_>, field: &'static str) -> Option<Bound> {
    let value = fields.any(field)?;
    let number = |x: f64| x.is_finite().then_some(x);
    let read = match value {
        Value::Number(_) => value
            .as_f64()
            .and_then(number)
            .map(|value| Bound { value, unit: None }),
        Value::String(text) => text.trim().split_once(' ').and_then(|(value, unit)| {
            let value = number(value.parse().ok()?)?;
            let unit = Some(unit.trim().to_owned());
            Some(Bound { value, unit })
        }),
        _ => None,
    };
    if read.is_none() {
        let message = format!(
            "{} is not valid; valid: a number in the unit of the result, or one with a unit, as in \"0.5 deg\"",
            kind(value)
        );
        fields.fault(field, &message);
    }
    read
}

impl Take {
    /// Is the result in the unit of the output?
    pub const fn keeps_unit(self) -> bool {
        !matches!(
            self,
            Self::Integral
                | Self::TimeOfMax
                | Self::TimeOfMin
                | Self::Crossing(..)
                | Self::BandPower(..)
        )
    }

    /// Is it a time?
    pub const fn is_time(self) -> bool {
        matches!(self, Self::TimeOfMax | Self::TimeOfMin | Self::Crossing(..))
    }
}

impl Wanted {
    /// The number of a course; why there is none.
    pub fn of_course(&self, time: &[f64], values: &[f64]) -> Result<f64, String> {
        let from = self
            .span
            .0
            .map_or(0, |from| time.partition_point(|t| *t < from));
        let to = self
            .span
            .1
            .map_or(time.len(), |to| time.partition_point(|t| *t <= to));
        let (Some(t), Some(x)) = (time.get(from..to), values.get(from..to)) else {
            return Err("no row of the run is in its time".to_owned());
        };
        if t.is_empty() {
            return Err("no row of the run is in its time".to_owned());
        }
        let extreme = |larger: bool| {
            let mut best = 0;
            for (k, value) in x.iter().enumerate() {
                if value.is_nan() {
                    return k;
                }
                if if larger {
                    *value > x[best]
                } else {
                    *value < x[best]
                } {
                    best = k;
                }
            }
            best
        };
        let (low, high) = (extreme(false), extreme(true));
        Ok(match self.take {
            Take::First => x[0],
            Take::Last => x[x.len() - 1],
            Take::Min => x[low],
            Take::Max => x[high],
            Take::AbsoluteMax => x[low].abs().max(x[high].abs()),
            Take::Range => x[high] - x[low],
            Take::Mean => mean(t, x),
            Take::Rms => mean(t, &squares(x, 0.0)).sqrt(),
            Take::Deviation => mean(t, &squares(x, mean(t, x))).sqrt(),
            Take::Integral => integral(t, x),
            Take::TimeOfMax => t[high],
            Take::TimeOfMin => t[low],
            Take::At(at) => value_at(t, x, at)?,
            Take::Crossing(level, direction) => crossing(t, x, level, direction),
            Take::BandPower(low, high) => band(t, x, low, high)?,
            Take::BandRms(low, high) => band(t, x, low, high)?.sqrt(),
            Take::Elsewhere => return Err("another program takes it".to_owned()),
        })
    }
}

fn squares(x: &[f64], about: f64) -> Vec<f64> {
    x.iter().map(|x| (x - about) * (x - about)).collect()
}

/// By trapezia: rows may be unequally spaced.
fn integral(t: &[f64], x: &[f64]) -> f64 {
    let areas = (1..t.len()).map(|k| f64::midpoint(x[k - 1], x[k]) * (t[k] - t[k - 1]));
    areas.sum()
}

fn mean(t: &[f64], x: &[f64]) -> f64 {
    let duration = t[t.len() - 1] - t[0];
    if duration > 0.0 {
        integral(t, x) / duration
    } else {
        x[0]
    }
}

fn value_at(t: &[f64], x: &[f64], at: f64) -> Result<f64, String> {
    let last = t.len() - 1;
    // Communication points are rounded.
    let hair = 1e-9 * (t[last] - t[0]);
    if at < t[0] - hair || at > t[last] + hair {
        return Err(format!(
            "the run is not at {at} s: it is from {} s to {} s",
            t[0], t[last]
        ));
    }
    let after = t.partition_point(|time| *time < at);
    if after == 0 {
        return Ok(x[0]);
    }
    if after > last {
        return Ok(x[last]);
    }
    Ok(between(
        (t[after - 1], x[after - 1]),
        (t[after], x[after]),
        at,
    ))
}

fn between((t0, x0): (f64, f64), (t1, x1): (f64, f64), t: f64) -> f64 {
    if t1 > t0 {
        x0 + (x1 - x0) * ((t - t0) / (t1 - t0))
    } else {
        x1
    }
}

fn crossing(t: &[f64], x: &[f64], level: f64, direction: Crossing) -> f64 {
    for k in 1..t.len() {
        let (before, after) = (x[k - 1] - level, x[k] - level);
        let rises = before < 0.0 && after >= 0.0;
        let falls = before > 0.0 && after <= 0.0;
        let crosses = match direction {
            Crossing::Rising => rises,
            Crossing::Falling => falls,
            Crossing::Either => rises || falls,
        };
        if crosses {
            return t[k - 1] + (t[k] - t[k - 1]) * (before / (before - after));
        }
    }
    f64::NAN
}

/// The integral of the density over a band, which is constant around each line of the spectrum.
fn band(t: &[f64], x: &[f64], low: f64, high: f64) -> Result<f64, String> {
    let histories = Histories {
        time: t,
        channels: vec![x],
    };
    let found = histories
        .densities(None)
        .map_err(|fault| fault.to_string())?;
    let frequencies = &found.frequencies;
    let line = frequencies.get(1).copied().unwrap_or(0.0);
    let last = frequencies.last().copied().unwrap_or(0.0);
    let mut power = 0.0;
    for (f, density) in frequencies.iter().zip(&found.pairs[0]) {
        let from = math::held(f - 0.5 * line, 0.0, last).max(low);
        let to = math::held(f + 0.5 * line, 0.0, last).min(high);
        if to > from {
            // Half of the first and of the last line is beyond the spectrum.
            let whole = if *f == 0.0 || *f == last { 2.0 } else { 1.0 };
            power += whole * density.re * (to - from);
        }
    }
    Ok(power)
}

#[cfg(test)]
mod tests;

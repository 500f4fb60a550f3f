//! Control plane: the recommendation: settings for a wanted accuracy, or the best ones for the time that is there.
//!
//! The search tries few steps. Between and just beyond them the error of a family is predicted by its order p:
//!
//! ```text
//! e(h) = e₁ (h/h₁)^p,   p = ln(e₁/e₂)/ln(h₁/h₂)                                           (ADV-2)
//! ```
//! where e₁ and e₂ are the errors at the nearest steps tried, h₁ and h₂. What is recommended is then run, so that its error
//! and its time are measured.

use fixstep_kernel::math::{exp, ln};
use serde::Serialize;

use super::candidates::Candidate;
use super::errors::OutputError;
use super::reference::Reference;
use super::search::{self, Found, Row};
use super::subject::Subject;
use super::words::percent;
use super::{Judged, Question, figures};
use crate::slave::Failure;

/// Predictions reach at most this much beyond the shortest step tried.
const BEYOND: u32 = 2;
/// Orders that predictions may have.
const ORDERS: [f64; 2] = [0.5, 2.5];
/// A prediction counts as met with this margin.
const MARGIN: f64 = 1.1;
/// Times vary by this much from one run to the next.
const NOISE: f64 = 1.03;
/// Errors that differ by less are as good as each other.
const ALIKE: f64 = 1.02;
/// So many settings between those that were tried are run until one keeps its promise.
const TRIES: usize = 8;
/// An error above this multiple of its prediction breaks the promise: events, not the order, set the limit there.
const PROMISE: f64 = 2.0;

/// The recommended settings.
#[derive(Clone, Debug, Serialize)]
pub struct Choice {
    /// Scheme and solution in words, without the step.
    pub family: String,
    /// Integration steps in a communication step.
    pub hratio: u32,
    /// Integration step (s).
    pub step: f64,
    /// The settings by their names in a model.
    pub settings: Vec<(String, String)>,
    /// The error that the search has predicted, as a part of the range.
    pub predicted: f64,
    /// The error of a run of its own.
    pub measured: f64,
    /// The output with that error.
    pub worst: String,
    /// Is the step one that the search has not tried?
    pub interpolated: bool,
    /// Median wall time of a communication step by its length, and the 99th percentile.
    pub rti: f64,
    /// The 99th percentile.
    pub rti_99: f64,
    /// Does it do what was asked?
    pub met: bool,
    /// Error and Real Time Index of the model's own settings.
    pub own: Option<(f64, f64)>,
    /// Ratio of a Newton correction to the one before: the geometric mean, and the largest.
    pub contraction: Option<[f64; 2]>,
    /// The error of each output.
    pub errors: Vec<OutputError>,
}

/// Settings, with what the search says about them.
#[derive(Clone, Debug)]
struct Way {
    candidate: Candidate,
    error: f64,
    /// The largest error at this step and at shorter ones: an error that grows again where the step shrinks is small by luck,
    /// as where a contact begins just at the end of a step.
    lasting: f64,
    rti: f64,
    interpolated: bool,
}

/// What is asked, of which run.
pub(super) type Asked<'a> = (&'a Question, &'a Subject, &'a Reference, &'a Judged);

/// Chooses, and says in `limits` what could not be met.
pub(super) fn choose(
    asked: Asked<'_>,
    (candidates, rows): (&[Candidate], &[Row]),
    limits: &mut Vec<String>,
) -> Result<Option<Choice>, Failure> {
    let (question, .., judged) = asked;
    let own = rows.first().and_then(figures);
    let known = own.and_then(|own| Some((candidates.first()?, own)));
    let all = ways(candidates, rows, judged.floor);
    let allowed = question.max_rti.unwrap_or(f64::INFINITY);
    let cheap = |way: &&Way| way.rti <= allowed;
    if let Some(accuracy) = question.accuracy {
        let good = |way: &&Way| {
            let margin = if way.interpolated { MARGIN } else { 1.0 };
            way.lasting * margin <= accuracy
        };
        let mut found: Vec<&Way> = all.iter().filter(cheap).filter(good).collect();
        found.sort_by(|a, b| a.rti.total_cmp(&b.rti));
        // Of those that are as fast as the fastest one, the most accurate.
        let fastest = found.first().map_or(0.0, |way| way.rti);
        let alike = found.partition_point(|way| way.rti <= NOISE * fastest);
        found[..alike].sort_by(|a, b| a.lasting.total_cmp(&b.lasting));
        let met = |choice: &Choice| choice.measured <= accuracy && choice.rti <= allowed * NOISE;
        if let Some(choice) = tried(asked, &found, known, &met)? {
            return Ok(Some(choice));
        }
        let most = question.max_rti.map_or_else(String::new, |rti| {
            format!(" within a Real Time Index of {rti} on this computer")
        });
        limits.push(format!(
            "no settings tried reach {} of range in every output{most}",
            percent(accuracy)
        ));
    }
    // The best for the time that is there: that which is allowed, or what the model takes now.
    let time = match (question.max_rti, question.accuracy, own) {
        (Some(rti), ..) | (None, None, Some((_, rti))) => rti,
        _ => f64::INFINITY,
    };
    let mut found: Vec<&Way> = all.iter().filter(|way| way.rti <= time).collect();
    let least = |way: &Way| way.lasting.max(judged.floor);
    found.sort_by(|a, b| least(a).total_cmp(&least(b)));
    // Of those that are as good as the best one, the fastest.
    let best = found.first().map_or(0.0, |way| least(way));
    let alike = found.partition_point(|way| least(way) <= ALIKE * best);
    found[..alike].sort_by(|a, b| a.rti.total_cmp(&b.rti));
    if found.is_empty() {
        let fastest = all.iter().map(|way| way.rti).fold(f64::INFINITY, f64::min);
        limits.push(format!(
            "no settings are fast enough: the fastest have a Real Time Index of {fastest:.2e} on this computer"
        ));
        return Ok(None);
    }
    let wanted = question.accuracy.is_none();
    let met = |choice: &Choice| {
        choice.rti <= time * NOISE
            && (!wanted || own.is_none_or(|(error, _)| choice.measured < error))
    };
    let mut choice = tried(asked, &found, known, &met)?;
    if let (Some(choice), false) = (&mut choice, wanted) {
        choice.met = false;
    }
    if choice.is_none() {
        limits
            .push("no settings tried are better than the model's own in the same time".to_owned());
    }
    Ok(choice)
}

/// Runs settings in their order until some do what the search has promised.
fn tried(
    (_, subject, reference, judged): Asked<'_>,
    ways: &[&Way],
    own: Option<(&Candidate, (f64, f64))>,
    met: &dyn Fn(&Choice) -> bool,
) -> Result<Option<Choice>, Failure> {
    let mut broken = 0;
    for way in ways {
        // Settings that were run keep what they promise, but for their time.
        if broken >= TRIES && way.interpolated || broken >= 2 * TRIES {
            continue;
        }
        let candidate = &way.candidate;
        let found = search::one(subject, (reference, judged), candidate, true);
        let Found::Measured(measured) = found else {
            broken += 1;
            continue;
        };
        let step = subject.times.step;
        let [median, high] = search::time(subject, candidate)?;
        // Other work on this computer slows both alike.
        let beside = match own {
            Some((own, (_, rti))) => rti * median / search::time(subject, own)?[0],
            None => f64::INFINITY,
        };
        let choice = Choice {
            family: candidate.family.clone(),
            hratio: candidate.hratio,
            step: step / f64::from(candidate.hratio),
            settings: candidate.settings.clone(),
            predicted: way.error,
            measured: measured.error,
            worst: measured.worst.clone(),
            interpolated: way.interpolated,
            rti: (median / step).min(measured.rti).min(beside),
            rti_99: high / step,
            met: true,
            own: own.map(|(_, figures)| figures),
            contraction: measured.contraction,
            errors: measured.errors.clone(),
        };
        let promised = !way.interpolated || choice.measured <= PROMISE * way.error;
        if promised && met(&choice) {
            return Ok(Some(choice));
        }
        broken += 1;
    }
    Ok(None)
}

/// All settings that were measured, and those between them whose error follows from (ADV-2).
fn ways(candidates: &[Candidate], rows: &[Row], least: f64) -> Vec<Way> {
    let mut all = Vec::new();
    for candidate in candidates {
        let own = |row: &&Row| row.family == candidate.family;
        let mut family: Vec<(u32, f64, f64)> = { rows.iter().filter(own) }
            .filter_map(|row| {
                let (error, rti) = figures(row)?;
                Some((row.hratio, error, rti))
            })
            .collect();
        family.sort_by_key(|(hratio, ..)| *hratio);
        let place = family
            .iter()
            .position(|(hratio, ..)| *hratio == candidate.hratio);
        let Some(place) = place else { continue };
        let (hratio, error, rti) = family[place];
        all.push(Way {
            candidate: candidate.clone(),
            error,
            lasting: lasting(&family[place..]),
            rti,
            interpolated: false,
        });
        let (pair, to) = match (place.checked_sub(1), family.get(place + 1)) {
            (_, Some(next)) => ((family[place], *next), next.0),
            (Some(before), None) => ((family[before], family[place]), BEYOND * hratio + 1),
            (None, None) => continue,
        };
        for between in hratio + 1..to {
            let Some(error) = predicted(pair, between) else {
                break;
            };
            if error < least {
                break;
            }
            all.push(Way {
                candidate: candidate.divided(between),
                error,
                lasting: error.max(lasting(&family[place + 1..])),
                rti: rti * f64::from(between) / f64::from(hratio),
                interpolated: true,
            });
        }
    }
    all
}

/// The largest error of some steps of a family.
fn lasting(steps: &[(u32, f64, f64)]) -> f64 {
    steps.iter().map(|(_, error, _)| *error).fold(0.0, f64::max)
}

/// (ADV-2) from two steps of a family: divisions, errors, times.
fn predicted((a, b): ((u32, f64, f64), (u32, f64, f64)), hratio: u32) -> Option<f64> {
    let [shorter, own] = [b.0, hratio].map(|other| ln(f64::from(other) / f64::from(a.0)));
    let order = ln(a.1 / b.1) / shorter;
    if !(ORDERS[0]..=ORDERS[1]).contains(&order) {
        return None;
    }
    Some(a.1 * exp(-order * own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_between_steps_follow_the_order() {
        let pair = |error| ((1, 1.0, 0.1), (2, error, 0.2));
        assert!(predicted(pair(0.25), 4).is_some_and(|e| (e - 1.0 / 16.0).abs() < 1e-12));
        assert!(predicted(pair(0.5), 3).is_some_and(|e| (e - 1.0 / 3.0).abs() < 1e-12));
        // What does not shrink, or shrinks by chance, promises nothing.
        assert_eq!(predicted(pair(0.9), 4), None);
        assert_eq!(predicted(pair(0.01), 4), None);
    }

    #[test]
    fn an_error_that_grows_again_counts_as_what_it_grows_to() {
        let family = [(1, 0.5, 0.1), (2, 0.01, 0.2), (4, 0.2, 0.4), (8, 0.05, 0.8)];
        let all = [0, 1, 2, 3].map(|place| lasting(&family[place..]));
        assert_eq!(all, [0.5, 0.2, 0.2, 0.05]);
        assert_eq!(lasting(&family[4..]), 0.0);
    }
}

//! Control plane: what the table of a study says: yield, statistics, sensitivities, the runs to look at.

use fixstep_variables::units::{compatible, parse_unit};
use model_description::parse::Type;
use serde::Serialize;

use super::Study;
use super::results::{Bound, Take, Wanted};
use super::spec::Method;
use super::statistics::{
    correlation, deviation, first_order, first_order_of_grid, mean, quantile, ranks, regression,
    wilson,
};
use super::table::{Row, Status};
use super::vary::{Level, Target};
use crate::display::Display;
use crate::slave::Failure;

/// The quantiles that are told.
const PARTS: [f64; 7] = [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99];
/// So many runs that miss their limits by most are named.
const WORST: usize = 5;

/// A summary.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The study.
    pub name: String,
    /// Its description.
    pub description: String,
    /// The file of the model.
    pub model: String,
    /// How runs were chosen.
    pub method: &'static str,
    /// What draws follow from.
    pub seed: Option<u64>,
    /// Number of runs.
    pub runs: usize,
    /// Those that ended at their stop time.
    pub done: usize,
    /// Those that a sensor ended.
    pub stopped: usize,
    /// Those that failed.
    pub failed: usize,
    /// Why, the most frequent first.
    pub failures: Vec<FailedRuns>,
    /// Runs with warnings.
    pub warned: usize,
    /// What was varied.
    pub factors: Vec<FactorSummary>,
    /// Runs within all limits.
    #[serde(rename = "yield")]
    pub within: Option<Yield>,
    /// The runs that miss limits by most, or that failed, the worst first.
    pub worst: Vec<usize>,
    /// The first of all of these that did not fail: it has a page.
    pub worst_done: Option<usize>,
    /// The results.
    pub results: Vec<ResultSummary>,
}

/// Runs that failed for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedRuns {
    /// The reason of the first of them; others may differ in their numbers.
    pub reason: String,
    /// How many.
    pub runs: usize,
    /// The first of them.
    pub first: usize,
}

impl FailedRuns {
    /// What stands before the number of the first: the others have other numbers in their reasons.
    pub(super) fn such(&self) -> &'static str {
        if self.runs == 1 {
            ", run"
        } else {
            ", such as run"
        }
    }
}

/// What was varied.
#[derive(Clone, Debug, Serialize)]
pub struct FactorSummary {
    /// Its column.
    pub name: String,
    /// Its unit; empty: none.
    pub unit: String,
    /// What the model has itself.
    pub nominal: String,
    /// The least and the largest number; none of words.
    pub range: Option<[f64; 2]>,
}

/// Runs within limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Yield {
    /// How many.
    pub passed: usize,
    /// As a part of all runs, those that failed among them.
    pub share: f64,
    /// Its 95 % interval, as of independent draws; none if runs are not draws.
    pub interval: Option<[f64; 2]>,
}

/// A result over all runs.
#[derive(Clone, Debug, Serialize)]
pub struct ResultSummary {
    /// Its column.
    pub name: String,
    /// What it is of.
    pub of: String,
    /// Its unit; empty: none.
    pub unit: String,
    /// How people are shown it.
    #[serde(skip)]
    pub display: Display,
    /// Runs that have it.
    pub known: usize,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
    /// The least, and its run.
    pub least: Option<(f64, usize)>,
    /// The largest, and its run.
    pub most: Option<(f64, usize)>,
    /// Parts of all runs, and the numbers below which they are.
    pub quantiles: Vec<(f64, f64)>,
    /// The limits.
    pub limits: [Option<f64>; 2],
    /// Runs within them.
    pub passed: Option<usize>,
    /// The part of the variance that a linear model explains.
    pub explained: Option<f64>,
    /// What it depends on, the strongest first.
    pub sensitivities: Vec<Sensitivity>,
}

/// How a result depends on what was varied.
#[derive(Clone, Debug, Serialize)]
pub struct Sensitivity {
    /// What was varied.
    pub factor: String,
    /// Standardised regression coefficient.
    pub regression: Option<f64>,
    /// Correlation of ranks (Spearman).
    pub rank: Option<f64>,
    /// First-order index of Sobol.
    pub first_order: Option<f64>,
    /// The change of the result from the model as it is to the least and the largest value: of one at a time.
    pub effect: Option<[f64; 2]>,
}

impl Sensitivity {
    /// By which they are sorted.
    fn strength(&self) -> f64 {
        let effect = self.effect.map(|[low, high]| low.abs().max(high.abs()));
        let size = effect.or(self.regression.or(self.rank).map(f64::abs));
        size.or(self.first_order).unwrap_or(0.0)
    }
}

impl Summary {
    /// Of all rows of a study.
    pub fn of(study: &Study, rows: &[Row]) -> Result<Self, Failure> {
        let count = |status: Status| rows.iter().filter(|row| row.status == status).count();
        let results: Vec<ResultSummary> = (0..study.spec.results.len())
            .map(|k| result(study, rows, k))
            .collect::<Result<_, _>>()?;
        let limits: Vec<[Option<f64>; 2]> = results.iter().map(|it| it.limits).collect();
        let judged = limits.iter().flatten().any(Option::is_some);
        let passes = |row: &&Row| {
            let all = row.results.iter().zip(&limits);
            row.status != Status::Failed
                && all.clone().all(|(value, limits)| within(*value, limits))
        };
        let passed = rows.iter().filter(passes).count();
        let draws = study.spec.method.draws();
        let failed = |row: &Row| row.status == Status::Failed;
        let worst = if judged {
            worst(rows, &results)
        } else {
            Vec::new()
        };
        Ok(Self {
            name: study.spec.name.clone(),
            description: study.spec.description.clone(),
            model: study.subject.path.display().to_string(),
            method: study.spec.method.word(),
            seed: draws.then_some(study.spec.seed),
            runs: rows.len(),
            done: count(Status::Done),
            stopped: count(Status::Stopped),
            failed: count(Status::Failed),
            failures: failures(rows),
            warned: rows.iter().filter(|row| row.warnings > 0).count(),
            factors: factors(study, rows),
            within: judged.then(|| Yield {
                passed,
                share: passed as f64 / rows.len() as f64,
                interval: draws.then(|| wilson(passed, rows.len())),
            }),
            worst_done: { worst.iter().copied() }
                .find(|run| !rows.iter().any(|row| row.run == *run && failed(row))),
            worst: worst.into_iter().take(WORST).collect(),
            results,
        })
    }
}

/// Is a number within limits? What is not there is not.
fn within(value: f64, [least, most]: &[Option<f64>; 2]) -> bool {
    least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most)
}

/// Reasons of failures without their numbers: the same reason at other times is one.
fn failures(rows: &[Row]) -> Vec<FailedRuns> {
    let digits = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
    let kind = |reason: &str| {
        reason
            .split(digits)
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join("#")
    };
    let mut all: Vec<(String, FailedRuns)> = Vec::new();
    for row in rows.iter().filter(|row| row.status == Status::Failed) {
        let kind = kind(&row.reason);
        match all.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, failed)) => failed.runs += 1,
            None => all.push((
                kind,
                FailedRuns {
                    reason: row.reason.clone(),
                    runs: 1,
                    first: row.run,
                },
            )),
        }
    }
    all.sort_by_key(|(_, failed)| (std::cmp::Reverse(failed.runs), failed.first));
    all.into_iter().map(|(_, failed)| failed).collect()
}

/// The numbers of a factor in all rows; none of words.
fn column(rows: &[Row], k: usize) -> Option<Vec<f64>> {
    let number = |row: &Row| match row.levels.get(k)? {
        Level::Number(value) => Some(*value),
        Level::Word(_) => None,
    };
    rows.iter().map(number).collect()
}

fn factors(study: &Study, rows: &[Row]) -> Vec<FactorSummary> {
    let all = study.spec.factors.iter().enumerate();
    let of = |(k, factor): (usize, &super::vary::Factor)| {
        let unit = match &factor.target {
            Target::Parameter(name) | Target::Setting(name) | Target::Input(name) => {
                study.subject.variable(name).map(|it| it.unit.clone())
            }
            Target::Paths(_) => None,
        };
        let own = Some(factor.unit.clone()).filter(|unit| !unit.is_empty());
        let values = column(rows, k);
        let range = |values: Vec<f64>| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            [least, most]
        };
        FactorSummary {
            name: factor.name.clone(),
            unit: own.or(unit).unwrap_or_default(),
            nominal: study
                .subject
                .nominal
                .get(k)
                .map(Level::text)
                .unwrap_or_default(),
            range: values.filter(|values| !values.is_empty()).map(range),
        }
    };
    all.map(of).collect()
}

/// The unit of a result, and how people are shown it.
fn shown(study: &Study, k: usize, wanted: &Wanted) -> Display {
    let name = study.subject.columns.get(k).map_or("", String::as_str);
    let variable = study.subject.variable(name);
    let unit = variable.map_or(String::new(), |it| it.unit.clone());
    if wanted.take.is_time() {
        return Display::plain("s");
    }
    match (wanted.take, variable) {
        (Take::BandPower(..), _) if !unit.is_empty() => Display::plain(&format!("({unit})^2")),
        (Take::Integral, _) if !unit.is_empty() => Display::plain(&format!("{unit}.s")),
        (take, Some(variable)) if take.keeps_unit() && variable.kind == Type::Float64 => {
            Display::of(&study.subject.description, variable)
        }
        _ => Display::plain(&unit),
    }
}

/// A limit in the unit of its result.
fn limit(bound: &Bound, unit: &str, name: &str) -> Result<f64, Failure> {
    let Some(given) = &bound.unit else {
        return Ok(bound.value);
    };
    let wrong = |why: &str| {
        Failure(format!(
            "results \"{name}\": the limit \"{} {given}\" {why}; the unit of the result is \"{unit}\"",
            bound.value
        ))
    };
    let from = parse_unit(given)
        .map_err(|error| wrong(&format!("has no valid unit: {}", error.reason)))?;
    let to = parse_unit(unit).map_err(|_| wrong("has a unit"))?;
    if !compatible(&from, &to) {
        return Err(wrong("measures something else"));
    }
    Ok(bound.value * from.factor / to.factor)
}

/// The limits of a result in its unit.
pub fn limits(study: &Study, k: usize) -> Result<[Option<f64>; 2], Failure> {
    let wanted = &study.spec.results[k];
    let name = study.subject.columns.get(k).map_or("", String::as_str);
    let unit = if wanted.take.is_time() {
        "s".to_owned()
    } else {
        study
            .subject
            .variable(name)
            .map_or(String::new(), |it| it.unit.clone())
    };
    let of = |bound: &Option<Bound>| {
        bound
            .as_ref()
            .map(|it| limit(it, &unit, &wanted.name))
            .transpose()
    };
    Ok([of(&wanted.least)?, of(&wanted.most)?])
}

fn result(study: &Study, rows: &[Row], k: usize) -> Result<ResultSummary, Failure> {
    let wanted = &study.spec.results[k];
    let limits = limits(study, k)?;
    let known: Vec<&Row> = rows
        .iter()
        .filter(|row| row.results[k].is_finite())
        .collect();
    let values: Vec<f64> = known.iter().map(|row| row.results[k]).collect();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let extreme = |larger: bool| {
        let mut best: Option<(f64, usize)> = None;
        for row in &known {
            let value = row.results[k];
            if best.is_none_or(|(before, _)| {
                if larger {
                    value > before
                } else {
                    value < before
                }
            }) {
                best = Some((value, row.run));
            }
        }
        best
    };
    let judged = limits.iter().any(Option::is_some);
    let passes = |row: &&Row| row.status != Status::Failed && within(row.results[k], &limits);
    let (explained, sensitivities) = sensitivities(study, &known, k);
    let display = shown(study, k, wanted);
    Ok(ResultSummary {
        name: wanted.name.clone(),
        of: match wanted.take {
            Take::Elsewhere => "another program".to_owned(),
            _ => wanted.of.clone(),
        },
        unit: unit_of(study, k, wanted, &display),
        display,
        known: values.len(),
        mean: mean(&values),
        deviation: deviation(&values),
        least: extreme(false),
        most: extreme(true),
        quantiles: PARTS.map(|part| (part, quantile(&sorted, part))).to_vec(),
        limits,
        passed: judged.then(|| rows.iter().filter(passes).count()),
        explained,
        sensitivities,
    })
}

/// The unit of the column.
fn unit_of(study: &Study, k: usize, wanted: &Wanted, display: &Display) -> String {
    if !wanted.take.keeps_unit() {
        return display.unit.clone();
    }
    let name = study.subject.columns.get(k).map_or("", String::as_str);
    study
        .subject
        .variable(name)
        .map_or(String::new(), |it| it.unit.clone())
}

/// What a result depends on.
fn sensitivities(study: &Study, known: &[&Row], k: usize) -> (Option<f64>, Vec<Sensitivity>) {
    let rows: Vec<Row> = known.iter().map(|row| (*row).clone()).collect();
    let y: Vec<f64> = rows.iter().map(|row| row.results[k]).collect();
    let factors = study.spec.factors.iter().enumerate();
    let columns: Vec<(usize, String, Vec<f64>)> = factors
        .filter_map(|(at, factor)| Some((at, factor.name.clone(), column(&rows, at)?)))
        .collect();
    let method = study.spec.method;
    let numbers: Vec<Vec<f64>> = columns.iter().map(|(.., values)| values.clone()).collect();
    let fit = (method != Method::OneAtATime)
        .then(|| regression(&numbers, &y))
        .flatten();
    let ranked = ranks(&y);
    // A grid of which runs have failed is none.
    let whole = rows.len() == study.design.runs();
    let mut all: Vec<Sensitivity> = Vec::new();
    for (place, (at, name, values)) in columns.into_iter().enumerate() {
        let one = method == Method::OneAtATime;
        all.push(Sensitivity {
            factor: name,
            regression: fit.as_ref().map(|fit| fit.coefficients[place]),
            rank: if one {
                None
            } else {
                correlation(&ranks(&values), &ranked)
            },
            first_order: match method {
                Method::Grid if whole => first_order_of_grid(&values, &y),
                method if method.draws() && y.len() >= 50 => first_order(&values, &y),
                _ => None,
            },
            effect: if one {
                effect(study, &rows, at, k)
            } else {
                None
            },
        });
    }
    all.sort_by(|a, b| b.strength().total_cmp(&a.strength()));
    (fit.map(|fit| fit.explained), all)
}

/// How far a result changes at the least and at the largest value of what is varied alone.
fn effect(study: &Study, rows: &[Row], factor: usize, k: usize) -> Option<[f64; 2]> {
    let nominal = rows.iter().find(|row| row.run == 0)?.results[k];
    let alone = rows
        .iter()
        .filter(|row| study.design.varied(row.run) == Some(factor));
    let mut pairs: Vec<(f64, f64)> = alone
        .filter_map(|row| match row.levels.get(factor)? {
            Level::Number(value) => Some((*value, row.results[k] - nominal)),
            Level::Word(_) => None,
        })
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some([pairs.first()?.1, pairs.last()?.1])
}

/// The runs that miss limits by most, as a part of the spread of the result; those that failed first.
fn worst(rows: &[Row], results: &[ResultSummary]) -> Vec<usize> {
    let miss = |row: &Row| {
        if row.status == Status::Failed {
            return f64::INFINITY;
        }
        let of = |(value, result): (&f64, &ResultSummary)| {
            let [least, most] = result.limits;
            let beyond = least
                .map_or(0.0, |least| least - value)
                .max(most.map_or(0.0, |most| value - most));
            if value.is_nan() && result.passed.is_some() {
                return f64::INFINITY;
            }
            beyond / result.deviation.max(f64::MIN_POSITIVE)
        };
        row.results.iter().zip(results).map(of).fold(0.0, f64::max)
    };
    let mut all: Vec<(f64, usize)> = rows.iter().map(|row| (miss(row), row.run)).collect();
    all.retain(|(miss, _)| *miss > 0.0);
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.into_iter().map(|(_, run)| run).collect()
}

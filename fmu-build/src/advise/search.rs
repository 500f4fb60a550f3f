//! Control plane: runs all candidates, on all cores, and compares them with the reference. The order of the results does
//! not depend on which core was faster.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use fixstep_kernel::seconds::Seconds;
use serde::{Deserialize, Serialize};

use super::candidates::Candidate;
use super::errors::OutputError;
use super::kept::Kept;
use super::reference::Reference;
use super::subject::{Course, How, Subject};
use super::{Judged, Progress, Watcher};
use crate::halt;
use crate::slave::Failure;
use crate::trial::runs::Stop;

/// Results are kept at most this often.
const KEEP: Duration = Duration::from_secs(2);
/// Communication steps of a run that is only timed.
const TIMED: u64 = 1000;
/// A run that a sensor ends may end this many communication steps before the reference or after it.
const APART: usize = 2;

/// Settings, and what came of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Scheme and solution in words, without the step.
    pub family: String,
    /// Integration steps in a communication step.
    pub hratio: u32,
    /// Integration step (s).
    pub step: f64,
    /// The settings by their names in a model.
    pub settings: Vec<(String, String)>,
    /// What came of them.
    pub found: Found,
}

/// What came of settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// A whole run.
    Measured(Box<Measured>),
    /// None, for this reason.
    Failed(String),
}

/// Accuracy and cost of a whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The error that counts, of the worst output that counts, as a part of its range.
    pub error: f64,
    /// That output.
    pub worst: String,
    /// Observed order: how fast the error shrinks from the next longer step to this one.
    pub order: Option<f64>,
    /// Median wall time of a communication step by its length.
    pub rti: f64,
    /// The same of the 99th percentile.
    pub rti_99: f64,
    /// Median wall time of an integration step (s).
    pub seconds_per_step: f64,
    /// Instructions of an integration step, if they were counted.
    pub instructions: Option<u64>,
    /// Was it timed alone, or while other runs were made on other cores?
    pub timed_alone: bool,
    /// Ratio of a Newton correction to the one before: the geometric mean, and the largest.
    pub contraction: Option<[f64; 2]>,
    /// The error of each output.
    pub errors: Vec<OutputError>,
}

impl Row {
    pub(super) fn of(candidate: &Candidate, subject: &Subject, found: Found) -> Self {
        Self {
            family: candidate.family.clone(),
            hratio: candidate.hratio,
            step: subject.times.step / f64::from(candidate.hratio),
            settings: candidate.settings.clone(),
            found,
        }
    }

    /// What was measured.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.found {
            Found::Measured(measured) => Some(measured),
            Found::Failed(_) => None,
        }
    }
}

/// Runs a candidate.
pub(super) fn one(
    subject: &Subject,
    (reference, judged): (&Reference, &Judged),
    candidate: &Candidate,
    alone: bool,
) -> Found {
    let settings = candidate.variables();
    let course = subject.run(How::Fixed(&settings), u64::MAX, &mut |_| true);
    let course = match course {
        Ok(course) => course,
        Err(Failure(reason)) => return Found::Failed(reason),
    };
    if let Some(reason) = spoiled(&course, reference) {
        return Found::Failed(reason);
    }
    let errors = reference.errors(&course);
    let (worst, error) = worst(&errors, judged);
    if !error.is_finite() {
        return Found::Failed("an output is not a finite number".to_owned());
    }
    let [median, high] = times(&course);
    let step = subject.times.step;
    let contraction = course.account.contraction;
    Found::Measured(Box::new(Measured {
        error,
        worst: worst.map_or_else(String::new, |k| subject.outputs[k].name.clone()),
        order: None,
        rti: median / step,
        rti_99: high / step,
        seconds_per_step: median * course.h / step,
        instructions: None,
        timed_alone: alone,
        contraction: contraction.map(|known| [known.typical, known.worst]),
        errors,
    }))
}

/// Why a run cannot be compared.
fn spoiled(course: &Course, reference: &Reference) -> Option<String> {
    let (rows, wanted) = (course.rows(), reference.rows());
    let Stop { time, reason } = match &course.ended {
        Some(stop) if !course.asked => stop,
        Some(stop) if rows.abs_diff(wanted) > APART => stop,
        None if rows.abs_diff(wanted) > APART => {
            return Some("it does not end where a sensor ends the reference".to_owned());
        }
        _ => return None,
    };
    Some(format!("it ends at {} s: {reason}", Seconds(*time)))
}

/// The worst output that counts, and its error.
fn worst(errors: &[OutputError], judged: &Judged) -> (Option<usize>, f64) {
    let mut found = (None, 0.0);
    for k in &judged.places {
        let share = errors[*k].share(judged.norm);
        if share.is_nan() {
            return (Some(*k), share);
        }
        if found.0.is_none() || share > found.1 {
            found = (Some(*k), share);
        }
    }
    found
}

/// Median and 99th percentile of the wall times of communication steps (s), without the first one.
fn times(course: &Course) -> [f64; 2] {
    let mut sorted: Vec<f64> = match &course.seconds[..] {
        [_, rest @ ..] if !rest.is_empty() => rest.to_vec(),
        all => all.to_vec(),
    };
    sorted.sort_by(f64::total_cmp);
    [0.5, 0.99].map(|part| {
        let at = (part * sorted.len() as f64) as usize;
        let last = sorted.len().saturating_sub(1);
        sorted.get(at.min(last)).copied().unwrap_or(0.0)
    })
}

/// Runs all candidates that have no result yet.
pub(super) fn all(
    subject: &Subject,
    judge: (&Reference, &Judged),
    (candidates, kept): (&[Candidate], &mut Kept),
    watcher: &mut dyn Watcher,
) -> Result<Vec<Row>, Failure> {
    let known = |candidate: &Candidate| kept.rows.iter().any(|row| is_of(row, candidate));
    let open: Vec<usize> = { candidates.iter().enumerate() }
        .filter(|(_, candidate)| !known(candidate))
        .map(|(k, _)| k)
        .collect();
    // The work of a run grows with its steps; those with most begin, so that no core waits at the end.
    let mut order = open.clone();
    order.sort_by_key(|k| std::cmp::Reverse(candidates[*k].hratio));
    let work = |k: &usize| f64::from(candidates[*k].hratio);
    let total: f64 = open.iter().map(work).sum();
    watcher.stage(&format!("{} settings", candidates.len()));
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let flag = halt::flag();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| -> Result<(), Failure> {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..cores.min(order.len()) {
            let (sender, next, stop, order) = (sender.clone(), &next, &stop, &order);
            let flag = flag.clone();
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let Some(k) = order.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        break;
                    };
                    let found =
                        halt::under(flag.clone(), || one(subject, judge, &candidates[*k], false));
                    if sender.send((*k, found)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut done, mut saved) = (0.0, Instant::now());
        for (k, found) in receiver {
            // What was interrupted says nothing of its setting.
            halt::check().inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            done += work(&k);
            kept.rows.push(Row::of(&candidates[k], subject, found));
            watcher.progress(Progress {
                share: done / total,
            });
            if saved.elapsed() > KEEP {
                saved = Instant::now();
                watcher
                    .keep(kept)
                    .inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            }
        }
        Ok(())
    })?;
    let place = |row: &Row| candidates.iter().position(|c| is_of(row, c));
    kept.rows
        .sort_by_key(|row| place(row).unwrap_or(usize::MAX));
    watcher.keep(kept)?;
    let mut rows = kept.rows.clone();
    rows.retain(|row| place(row).is_some());
    for row in &mut rows {
        judge_again(row, subject, judge.1);
    }
    Ok(rows)
}

/// Is a row that of a candidate?
fn is_of(row: &Row, candidate: &Candidate) -> bool {
    row.hratio == candidate.hratio && row.family == candidate.family
}

/// Other outputs may count than when a row was kept.
fn judge_again(row: &mut Row, subject: &Subject, judged: &Judged) {
    if let Found::Measured(measured) = &mut row.found {
        let (output, error) = worst(&measured.errors, judged);
        measured.error = error;
        measured.worst = output.map_or_else(String::new, |k| subject.outputs[k].name.clone());
    }
}

/// The observed orders: of each row, from the next longer step of its family.
pub(super) fn orders(rows: &mut [Row]) {
    for k in 0..rows.len() {
        let longer = rows.iter().filter(|row| {
            row.family == rows[k].family && row.hratio < rows[k].hratio && row.measured().is_some()
        });
        let longer = longer.max_by_key(|row| row.hratio);
        let pair = longer.and_then(Row::measured).zip(rows[k].measured());
        let order = pair.and_then(|(long, short)| {
            let ratio = longer.map_or(1, |row| row.hratio);
            let by = f64::from(rows[k].hratio) / f64::from(ratio);
            let order = (long.error / short.error).log2() / by.log2();
            order.is_finite().then_some(order)
        });
        if let Found::Measured(measured) = &mut rows[k].found {
            measured.order = order;
        }
    }
}

/// Times some rows again, one after the other.
pub(super) fn time_again(
    subject: &Subject,
    places: impl Iterator<Item = usize>,
    (candidates, rows): (&[Candidate], &mut [Row]),
    watcher: &mut dyn Watcher,
) -> Result<(), Failure> {
    let places: Vec<usize> = places.collect();
    watcher.stage("timing of the best settings");
    for (done, k) in places.iter().enumerate() {
        let Some(candidate) = candidates.iter().find(|c| is_of(&rows[*k], c)) else {
            continue;
        };
        let timed = time(subject, candidate)?;
        if let Found::Measured(measured) = &mut rows[*k].found {
            let step = subject.times.step;
            let [median, high] = timed;
            (measured.rti, measured.rti_99) = (median / step, high / step);
            measured.seconds_per_step = median / f64::from(candidate.hratio);
            measured.timed_alone = true;
        }
        watcher.progress(Progress {
            share: (done + 1) as f64 / places.len() as f64,
        });
    }
    Ok(())
}

/// Times a run without others beside it: median and 99th percentile of a communication step (s).
pub fn time(subject: &Subject, candidate: &Candidate) -> Result<[f64; 2], Failure> {
    let settings = candidate.variables();
    let course = subject.run(How::Fixed(&settings), TIMED, &mut |_| true)?;
    Ok(times(&course))
}

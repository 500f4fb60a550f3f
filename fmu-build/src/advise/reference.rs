//! Control plane: the reference: a run that is so accurate that it no longer moves when it is made more accurate.
//!
//! It is made with a variable step, to one tenth of the tolerance again and again. A mechanism that has no variable step
//! is run with the fixed step instead, halved again and again. Either way the last two runs tell the error.

use std::time::{Duration, Instant};

use fixstep_kernel::mechanism::IntegratorKind;
use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::Tolerance;
use fixstep_kernel::variable::ORDERS;
use serde::{Deserialize, Serialize};

use super::errors::OutputError;
use super::subject::{Course, How, Subject};
use super::{Progress, Watcher};
use crate::slave::Failure;
use crate::trial::runs::Stop;
use crate::trial::{round, spans, step_name};

/// The first tolerance, and the last one.
const TOLERANCES: [f64; 2] = [1e-6, 1e-12];
/// What moves by less than this part of the range no longer moves.
const SETTLED: f64 = 1e-6;
/// What moves by more has another try, with the fixed step.
const POOR: f64 = 1e-3;
/// A try that moves by more than this part of the move before it is at the end of what numbers resolve.
const STALLED: f64 = 0.7;
/// The longest step is the run by this number,
const PARTS: f64 = 200.0;
/// and the shortest one this part of the run.
const SHORTEST: f64 = 1e-15;
/// Most Newton iterations of a variable step, and iterations of the fixed one.
const ITERATIONS: usize = 10;
/// The fixed step: the first and the most divisions of the communication step, relative to the model's own.
const DIVISIONS: [u32; 2] = [4, 1024];

/// How the reference was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Method {
    /// With a variable step, to this tolerance.
    Variable {
        /// Largest local error (length unit, rad).
        tolerance: f64,
        /// Steps made.
        steps: u64,
    },
    /// There is none yet.
    #[default]
    None,
    /// With this fixed step, since there is no variable step for the reason.
    Fixed {
        /// The step (s).
        step: f64,
        /// Why not with a variable step.
        why: String,
    },
}

/// A run, and by how much it is wrong itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// How it was made.
    pub method: Method,
    /// Each output at all communication points.
    pub columns: Vec<Vec<f64>>,
    /// What errors of each output refer to, in its unit; 0: it is at rest.
    pub ranges: Vec<f64>,
    /// Its own error of each output, in its unit.
    pub own: Vec<f64>,
    /// How far the output that moved most has moved between tries, as a part of its range.
    pub moves: Vec<f64>,
    /// Where it ended by itself, and why: time (s) and reason.
    pub ended: Option<(f64, String)>,
}

/// The most accurate runs so far.
struct Tries<'a> {
    subject: &'a Subject,
    until: Option<Instant>,
    last: Option<Course>,
    best: Reference,
    took: Duration,
}

impl Reference {
    /// Makes it; no try begins that would presumably end after the budget.
    pub fn find(
        subject: &Subject,
        budget: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let until = budget.map(|budget| Instant::now() + budget);
        let variable = Tries::new(subject, until).variable(watcher);
        let why = match variable {
            Ok(found) if found.moved() <= POOR => return Ok(found),
            Ok(found) => {
                let moved = round(100.0 * found.moved(), 2);
                let why = format!("with a variable step it still moves by {moved} % of range");
                let fixed = Tries::new(subject, until).fixed(&why, watcher)?;
                return Ok(if fixed.moved() < found.moved() { fixed } else { found });
            }
            Err(Failure(why)) => why.trim_start_matches("--error: ").to_owned(),
        };
        Tries::new(subject, until).fixed(&why, watcher)
    }

    /// By how much the output that moves most still moves, as a part of its range.
    pub fn moved(&self) -> f64 {
        let shares = self.own.iter().zip(&self.ranges);
        let shares = shares.filter(|(_, range)| **range > 0.0);
        shares.map(|(own, range)| own / range).fold(0.0, f64::max)
    }

    /// Its own error of an output, as a part of its range.
    pub fn own_share(&self, output: usize) -> f64 {
        match (self.own.get(output), self.ranges.get(output)) {
            (Some(own), Some(range)) if *range > 0.0 => own / range,
            _ => 0.0,
        }
    }

    /// Communication steps made.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len).saturating_sub(1)
    }

    /// How it was made and how good it is, in a sentence.
    pub fn words(&self) -> String {
        let good = format!(
            "it is good to {} % of range in every output",
            round(100.0 * self.moved(), 2)
        );
        match &self.method {
            Method::Variable { tolerance, steps } => format!(
                "reference: variable step, error {tolerance:e} per step, {steps} steps; {good}"
            ),
            Method::Fixed { step, why } => format!(
                "reference: fixed step of {}; {good} (no variable step: {why})",
                step_name(*step)
            ),
            Method::None => "no reference".to_owned(),
        }
    }

    /// Errors of a run.
    pub fn errors(&self, course: &Course) -> Vec<OutputError> {
        let pairs = course.columns.iter().zip(&self.columns).zip(&self.ranges);
        pairs
            .map(|((run, reference), range)| OutputError::of(run, reference, *range))
            .collect()
    }
}

impl<'a> Tries<'a> {
    fn new(subject: &'a Subject, until: Option<Instant>) -> Self {
        Self {
            subject,
            until,
            last: None,
            best: Reference::default(),
            took: Duration::ZERO,
        }
    }

    fn variable(mut self, watcher: &mut dyn Watcher) -> Result<Reference, Failure> {
        let mut error = TOLERANCES[0];
        while error >= 0.99 * TOLERANCES[1] {
            let tolerance = tolerance(self.subject, error);
            let title = format!("reference, variable step, error {error:e}");
            match self.make(How::Variable(tolerance), &title, watcher) {
                Ok(course) => {
                    let steps = course.variable.map_or(0, |report| report.steps);
                    let method = Method::Variable {
                        tolerance: error,
                        steps,
                    };
                    if self.take(course, method) {
                        break;
                    }
                }
                // A tolerance that cannot be met does not spoil the ones before it.
                Err(_) if !self.best.moves.is_empty() => break,
                Err(failure) => return Err(failure),
            }
            error *= 0.1;
        }
        self.finish()
    }

    fn fixed(mut self, why: &str, watcher: &mut dyn Watcher) -> Result<Reference, Failure> {
        let subject = self.subject;
        let mut division = DIVISIONS[0];
        while division <= DIVISIONS[1] {
            let settings = tight(subject, division);
            let title = format!("reference, step divided by {division}");
            match self.make(How::Fixed(&settings), &title, watcher) {
                Ok(course) => {
                    let method = Method::Fixed {
                        step: course.h,
                        why: why.to_owned(),
                    };
                    if self.take(course, method) {
                        break;
                    }
                }
                Err(_) if !self.best.moves.is_empty() => break,
                Err(failure) => return Err(failure),
            }
            division *= 2;
        }
        self.finish()
    }

    /// Makes a run. Errors are ends that no sensor asked for, too.
    fn make(
        &mut self,
        how: How<'_>,
        title: &str,
        watcher: &mut dyn Watcher,
    ) -> Result<Course, Failure> {
        let began = Instant::now();
        let steps = self.subject.times.steps;
        watcher.stage(title);
        let course = self.subject.run(how, steps, &mut |done| {
            watcher.progress(Progress {
                share: done as f64 / steps as f64,
            });
            true
        })?;
        self.took = began.elapsed();
        match &course.ended {
            Some(Stop { time, reason }) if !course.asked => Err(Failure(format!(
                "the reference run ended at {} s: {reason}",
                Seconds(*time)
            ))),
            _ => Ok(course),
        }
    }

    /// Compares a run with the one before; is it the last one?
    fn take(&mut self, course: Course, method: Method) -> bool {
        let units: Vec<String> = { self.subject.outputs.iter() }
            .map(|output| output.unit.clone())
            .collect();
        let ranges = spans(&units, &self.subject.measures, &course.columns);
        let mut done = false;
        if let Some(last) = &self.last {
            let both = course.columns.iter().zip(&last.columns).zip(&ranges);
            let own: Vec<f64> = both
                .map(|((a, b), range)| OutputError::of(a, b, *range).max)
                .collect();
            let mut moves = std::mem::take(&mut self.best.moves);
            let found = Reference {
                method,
                columns: course.columns.clone(),
                ranges,
                own,
                moves: Vec::new(),
                ended: course.ended.as_ref().map(|stop| (stop.time, stop.reason.clone())),
            };
            let moved = found.moved();
            let stalled = moves.last().is_some_and(|before| moved > STALLED * before);
            if !stalled || moved < self.best.moved() {
                self.best = found;
            }
            done = moved <= SETTLED || (stalled && moves.len() >= 3);
            moves.push(moved);
            self.best.moves = moves;
        }
        self.last = Some(course);
        let next = 2 * self.took;
        let late = self.until.is_some_and(|until| Instant::now() + next > until);
        done || (late && !self.best.moves.is_empty())
    }

    fn finish(self) -> Result<Reference, Failure> {
        if self.best.moves.is_empty() {
            return Err(Failure(
                "there is no reference: only one run was made".to_owned(),
            ));
        }
        Ok(self.best)
    }
}

/// A tolerance for the subject's run.
fn tolerance(subject: &Subject, error: f64) -> Tolerance {
    let duration = subject.times.stop - subject.times.start;
    let longest = duration / PARTS;
    Tolerance {
        error,
        first: None,
        longest: subject.own.hmax.map_or(longest, |hmax| hmax.min(longest)),
        shortest: SHORTEST * duration,
        order: ORDERS,
        iterations: ITERATIONS,
    }
}

/// Settings that leave nothing but the step to be improved.
fn tight(subject: &Subject, division: u32) -> Vec<(String, String)> {
    let own = &subject.own;
    let hratio = own.hratio.saturating_mul(division);
    let mut settings = vec![("hratio", hratio.to_string())];
    let implicit = [
        ("linearly_implicit", "false".to_owned()),
        ("fixit", "8".to_owned()),
        ("pattern", "T".to_owned()),
    ];
    settings.extend(implicit);
    if !matches!(own.integrator, IntegratorKind::GeneralizedAlpha) {
        settings.extend([
            ("integrator", "HHT".to_owned()),
            ("formulation", "I3".to_owned()),
            ("alpha", "-0.1".to_owned()),
        ]);
    }
    let named = settings.into_iter();
    named
        .map(|(name, value)| (format!("solver.{name}"), value))
        .collect()
}

//! Control plane: which settings of the fixed step are worth their time. A converged reference is made of the model's own
//! run; many settings of the fixed step are then run and compared with it; the accuracy–cost front, and a recommendation
//! for a wanted rate and accuracy, follow.
//!
//! Reading order: [`subject`] (the run), [`mod@reference`] (with the settings in `accurate`), [`errors`], [`candidates`], [`search`], [`kept`] (results that a
//! later call continues), [`front`], [`choice`], [`limits`], [`instructions`]; then what shows them: [`words`], [`page`], [`mod@write`], and
//! [`compare`] for a single run.

mod accurate;
pub mod candidates;
pub mod choice;
pub mod compare;
pub mod errors;
pub mod front;
pub mod instructions;
pub mod kept;
pub mod limits;
pub mod page;
pub mod reference;
pub mod search;
pub mod subject;
pub mod words;
pub mod write;

use std::time::Duration;

use fixstep_kernel::mechanism::Mode;
use fixstep_variables::file::Blueprint;
use serde::Serialize;

use crate::run::Plan;
use crate::slave::Failure;
use crate::suggest::unknown;
use candidates::Candidate;
use choice::Choice;
use errors::Norm;
use kept::Kept;
use reference::Reference;
use search::{Found, Row};
use subject::Subject;

/// An output counts if the reference is wrong by at most this part of its range.
const KNOWN: f64 = 0.01;

/// Errors below this multiple of the reference's own are not told apart.
const RESOLVED: f64 = 2.0;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The run, with its communication step.
    pub plan: Plan,
    /// The wanted error, as a part of the range of each output.
    pub accuracy: Option<f64>,
    /// The largest Real Time Index that is allowed on this computer.
    pub max_rti: Option<f64>,
    /// The outputs that count; none: all.
    pub outputs: Vec<String>,
    /// The error that counts.
    pub norm: Norm,
    /// Divisions of the communication step that are tried; none: some around the model's own.
    pub hratios: Vec<u32>,
    /// Wall time of the reference.
    pub budget: Option<Duration>,
}

/// How far a stage has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// From 0 to 1.
    pub share: f64,
}

/// Hears of the work.
pub trait Watcher {
    /// A stage begins.
    fn stage(&mut self, title: &str) {
        let _ = title;
    }
    /// It goes on.
    fn progress(&mut self, progress: Progress) {
        let _ = progress;
    }
    /// Results so far, to be kept.
    fn keep(&mut self, kept: &Kept) -> Result<(), Failure> {
        let _ = kept;
        Ok(())
    }
}

/// Hears nothing.
#[derive(Debug)]
pub struct Deaf;

impl Watcher for Deaf {}

/// The result.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// The model.
    pub model: String,
    /// From (s)
    pub start: f64,
    /// to (s).
    pub stop: f64,
    /// Communication step (s).
    pub step: f64,
    /// The error that counts.
    pub norm: Norm,
    /// The wanted error, as a part of the range.
    pub accuracy: Option<f64>,
    /// The largest allowed Real Time Index.
    pub max_rti: Option<f64>,
    /// The outputs that count.
    pub judged: Vec<String>,
    /// The outputs that do not, and why.
    pub left_out: Vec<(String, String)>,
    /// The reference in words.
    pub reference: String,
    /// Its own error, as a part of the range.
    pub reference_error: f64,
    /// The model's own settings in words.
    pub own: String,
    /// Errors below this part of the range are not told apart.
    pub floor: f64,
    /// All settings that were tried, in a fixed order.
    pub rows: Vec<Row>,
    /// The places in `rows` of those that none beats both in error and in time, the fastest first.
    pub front: Vec<usize>,
    /// The recommendation.
    pub choice: Option<Choice>,
    /// Why there is none, or what limits it.
    pub limits: Vec<String>,
    /// Outputs by name and unit, with what their errors refer to.
    pub outputs: Vec<OutputRange>,
}

/// An output and what its errors refer to.
#[derive(Clone, Debug, Serialize)]
pub struct OutputRange {
    /// Its name.
    pub name: String,
    /// Its unit; empty: none.
    pub unit: String,
    /// The range; 0: it is at rest.
    pub range: f64,
    /// The reference's own error, in the unit.
    pub reference_error: f64,
}

/// Advice, with the courses that pictures show.
#[derive(Debug)]
pub struct Advised {
    /// The result.
    pub advice: Advice,
    /// The run.
    pub subject: Subject,
    /// The reference.
    pub reference: Reference,
}

/// Which outputs count, and why others do not.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// Their places among the outputs.
    pub places: Vec<usize>,
    /// The error that counts.
    pub norm: Norm,
    /// Errors below this part of the range are not told apart, because of the reference's own.
    pub floor: f64,
    left_out: Vec<(String, String)>,
}

impl Judged {
    fn of(subject: &Subject, reference: &Reference, question: &Question) -> Result<Self, Failure> {
        let names = || subject.outputs.iter().map(|output| &*output.name);
        for name in &question.outputs {
            if !names().any(|known| known == name) {
                let text = unknown("output", name, names());
                return Err(Failure(format!("--outputs: {text}")));
            }
        }
        let mut judged = Self {
            norm: question.norm,
            ..Self::default()
        };
        for (k, name) in names().enumerate() {
            let asked = question.outputs.is_empty() || question.outputs.iter().any(|o| o == name);
            let share = reference.own_share(k);
            let why = if !asked {
                continue;
            } else if reference.ranges.get(k).is_none_or(|range| *range == 0.0) {
                "at rest".to_owned()
            } else if share > KNOWN {
                format!(
                    "the reference itself is only good to {} % of range",
                    crate::trial::round(100.0 * share, 2)
                )
            } else {
                judged.places.push(k);
                judged.floor = judged.floor.max(RESOLVED * share);
                continue;
            };
            judged.left_out.push((name.to_owned(), why));
        }
        Ok(judged)
    }

    /// Is there an output that counts?
    fn some(&self) -> Result<(), Failure> {
        if !self.places.is_empty() {
            return Ok(());
        }
        let why = words::by_reason(&self.left_out).join("; ");
        Err(Failure(format!(
            "there is no output whose error is known, so settings cannot be compared ({why}); valid: outputs that move, and a \
             time in which their motion can be predicted (--stop)"
        )))
    }
}

/// The error if the run has no fixed step.
fn has_fixed_step(mode: Mode) -> Result<(), Failure> {
    let otherwise = match mode {
        Mode::Fixed => return Ok(()),
        Mode::Variable => "variable: there the step follows from solver.error",
        Mode::Kinematic => "kinematic: every instant is solved by itself",
        Mode::Static => "static: every instant is solved by itself, and there is no motion",
    };
    Err(Failure(format!(
        "advise finds settings of a fixed step, and solver.mode is {otherwise}; valid: solver.mode = fixed (--set \
         solver.mode=fixed)"
    )))
}

/// Finds the settings for a question. Results in `kept` are not computed again.
pub fn advise(
    blueprint: &Blueprint,
    question: &Question,
    mut kept: Kept,
    watcher: &mut dyn Watcher,
) -> Result<Advised, Failure> {
    let subject = Subject::new(blueprint, &question.plan)?;
    has_fixed_step(subject.own.mode)?;
    if subject.outputs.is_empty() {
        return Err(Failure(
            "the model has no outputs that are real numbers, so there is no error to compare; valid: a model with \
             `outputs`"
                .to_owned(),
        ));
    }
    kept.check(&subject.fingerprint()?)?;
    let reference = match kept.reference.take() {
        Some(known) => known,
        None => Reference::find(&subject, question.budget, watcher)?,
    };
    kept.reference = Some(reference.clone());
    watcher.keep(&kept)?;
    let judged = Judged::of(&subject, &reference, question)?;
    judged.some()?;
    let hratios = match &question.hratios[..] {
        [] => candidates::divisions(subject.own.hratio),
        given => given.to_vec(),
    };
    let candidates: Vec<Candidate> = candidates::all(&subject.own, &hratios);
    let mut rows = search::all(
        &subject,
        (&reference, &judged),
        (&candidates, &mut kept),
        watcher,
    )?;
    search::orders(&mut rows);
    let mut front = front::of(&rows, judged.floor);
    let retimed = front.iter().copied().chain([0]);
    search::time_again(&subject, retimed, (&candidates, &mut rows), watcher)?;
    front = front::of(&rows, judged.floor);
    let mut limits = Vec::new();
    watcher.stage("recommendation");
    let asked = (question, &subject, &reference, &judged);
    let choice = choice::choose(asked, (&candidates, &rows), &mut limits)?;
    limits.extend(limits::of(&subject, choice.as_ref())?);
    let advice = Advice {
        model: subject.blueprint().mechanism.name.clone(),
        start: subject.times.start,
        stop: subject.times.stop,
        step: subject.times.step,
        norm: question.norm,
        accuracy: question.accuracy,
        max_rti: question.max_rti,
        judged: { judged.places.iter() }
            .map(|k| subject.outputs[*k].name.clone())
            .collect(),
        left_out: judged.left_out,
        reference: reference.words(),
        reference_error: reference.moved(),
        own: candidates::in_words(&subject.own),
        floor: judged.floor,
        outputs: ranges(&subject, &reference),
        rows,
        front,
        choice,
        limits,
    };
    Ok(Advised {
        advice,
        subject,
        reference,
    })
}

/// The outputs with what their errors refer to.
fn ranges(subject: &Subject, reference: &Reference) -> Vec<OutputRange> {
    let of = |numbers: &[f64], k: usize| numbers.get(k).copied().unwrap_or(0.0);
    let outputs = subject.outputs.iter().enumerate();
    let range = |(k, output): (usize, &subject::Output)| OutputRange {
        name: output.name.clone(),
        unit: output.unit.clone(),
        range: of(&reference.ranges, k),
        reference_error: of(&reference.own, k),
    };
    outputs.map(range).collect()
}

/// A row's error and Real Time Index, if it was measured.
pub(crate) fn figures(row: &Row) -> Option<(f64, f64)> {
    match &row.found {
        Found::Measured(measured) => Some((measured.error, measured.rti)),
        Found::Failed(_) => None,
    }
}

//! Control plane: makes the same run at several integration steps, alternating between them.

use std::time::Instant;

use fixstep_kernel::lint::Vibration;
use fixstep_kernel::mechanism::{FlexBody, InputCourse, Mode, SolverSettings, called};
use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::Simulation;
use fixstep_variables::file::Blueprint;
use model_description::parse::{Causality, Description, FmiVersion, Type};
use serde::Serialize;

use super::account::Account;
pub use super::events::PossibleCause;
use super::events::{self, Events};
use super::scales::Measure;
use super::words::step_name;
use super::work;
use super::{TrialSettings, measures};
use crate::native::Native;
use crate::package;
use crate::run::{Input, Times, last_words, start};
use crate::slave::{Advance, Failure, LogLevel, Slave, of_causality};

/// Least number of communication steps of a trial, if the run has as many.
const FEWEST: u64 = 10;
/// The reason if there was not even time for these.
const NO_TIME: &str = "there was no time for an estimate; fixstep check --trial=T takes the time";

/// The results.
#[derive(Clone, Debug, Default)]
pub struct TrialRuns {
    /// From (s)
    pub start: f64,
    /// to (s).
    pub stop: f64,
    /// Where the run itself would end (s).
    pub whole: f64,
    /// Communication step (s).
    pub interval: f64,
    /// Integration step of the run without refinement (s).
    pub h: f64,
    /// Has the clock ended it?
    pub cut: bool,
    /// Names of the outputs; an array has one for each element.
    pub names: Vec<String>,
    /// Their units; empty: none.
    pub units: Vec<String>,
    /// Their units and dimensions, as far as known.
    pub measures: Vec<Measure>,
    /// The outputs at all communication points, by division and output.
    pub columns: Vec<Vec<Vec<f64>>>,
    /// The settings in force.
    pub settings: SolverSettings,
    /// Why the runs cannot be compared.
    pub trouble: Option<String>,
    /// Where the runs ended by themselves, and why.
    pub ended: Option<String>,
    /// Where the run at the step itself ended early, as the run of the model would.
    pub stopped: Option<Stop>,
    /// Possible reasons why the differences have no order.
    pub suspects: Vec<PossibleCause>,
    /// Is anything held from one point to the next, such as an input or the output of a sampled system?
    pub holds: bool,
    /// Did the two finest runs pass the same kinks, equally often?
    pub alike: bool,
    /// Sensors that triggered more often in some of the runs than in others.
    pub missed: Vec<String>,
    /// Elements that vibrate, the fastest first.
    pub stiffest: Vec<Vibration>,
    /// Energy, joints and iterations of the first run.
    pub account: Account,
}

impl TrialRuns {
    /// Communication steps that all runs have made.
    pub fn rows(&self) -> usize {
        let points = self.columns.first().and_then(|columns| columns.first());
        points.map_or(0, |points| points.len().saturating_sub(1))
    }

    /// Time of a communication point (s).
    pub fn time(&self, row: usize) -> f64 {
        self.start + row as f64 * self.interval
    }
}

/// One of the runs.
struct Runner {
    slave: Native,
    outputs: Vec<usize>,
    columns: Vec<Vec<f64>>,
}

impl Runner {
    fn begin(
        (blueprint, description): (&Blueprint, &Description),
        settings: &[(String, String)],
        (input, times): (Option<&Input<'_>>, &Times),
    ) -> Result<Self, Failure> {
        let mut slave = Native::of(blueprint.clone(), description.clone(), LogLevel::Errors)?;
        start(&mut slave, settings, input, times.start, Some(times.stop))?;
        let real = |at: &usize| description.variables[*at].kind == Type::Float64;
        let outputs: Vec<usize> = of_causality(description, Causality::Output)
            .filter(real)
            .collect();
        let mut runner = Self {
            slave,
            columns: vec![Vec::new(); outputs.len()],
            outputs,
        };
        runner.read()?;
        Ok(runner)
    }

    fn read(&mut self) -> Result<(), Failure> {
        for (at, column) in self.outputs.iter().zip(&mut self.columns) {
            self.slave.read(*at, column)?;
        }
        Ok(())
    }

    fn engine(&self) -> Option<&Simulation> {
        self.slave.engine()
    }

    /// Makes the communication step from point n; returns the reason if it ended early.
    fn advance(
        &mut self,
        n: u64,
        (input, times): (Option<&Input<'_>>, &Times),
    ) -> Result<Option<End>, Failure> {
        let time = times.at(n);
        if let Some(input) = input {
            input.apply(&mut self.slave, time)?;
        }
        if let Advance::Ended { at } = self.slave.step(time, times.step)? {
            let stopped = self.engine().and_then(Simulation::stopped_by);
            let why = last_words(&self.slave.messages());
            return Ok(Some(End {
                at,
                asked: stopped.is_some(),
                why,
            }));
        }
        self.read()?;
        Ok(None)
    }
}

/// Where a run ended before its time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stop {
    /// When (s).
    pub time: f64,
    /// Why.
    pub reason: String,
}

/// Where one of the runs ended.
struct End {
    at: f64,
    /// Has a sensor requested it?
    asked: bool,
    why: String,
}

impl End {
    fn stop(&self) -> Stop {
        Stop {
            time: self.at,
            reason: self.why.clone(),
        }
    }
}

/// The error if a mode has no fixed step.
fn is_fixed(mode: Mode) -> Result<(), Failure> {
    let otherwise = match mode {
        Mode::Fixed => return Ok(()),
        Mode::Variable => "variable: there the error follows solver.error",
        Mode::Kinematic => "kinematic: every instant is solved to rounding",
        Mode::Static => "static: every instant is solved to rounding",
    };
    Err(Failure(format!(
        "a trial compares a fixed step with its half and its quarter, and solver.mode is {otherwise}; valid: solver.mode = \
         fixed"
    )))
}

/// Makes the run at the step divided by each of `divisions`, of which the first is 1.
pub fn run(
    blueprint: &Blueprint,
    order: &TrialSettings<'_>,
    divisions: &[u32],
) -> Result<TrialRuns, Failure> {
    let began = Instant::now();
    let mut blueprint = blueprint.clone();
    let Blueprint { mechanism, .. } = &mut blueprint;
    // Strictness, publishing and locked memory are switched off, since the model is only tried.
    mechanism.lint.strict = false;
    mechanism.solver.publish = false;
    mechanism.solver.lock_memory = false;
    let description = package::description_of(&blueprint, FmiVersion::V2)?;
    let times = order.plan.times(&description)?;
    let input = order.plan.input.as_ref();
    let input = input
        .map(|table| Input::new(&description, table))
        .transpose()?;
    let drive = (input.as_ref(), &times);
    let settings = &order.plan.settings;
    let mut first = Runner::begin((&blueprint, &description), settings, drive)?;
    if let Some(engine) = first.engine() {
        is_fixed(engine.settings().mode)?;
    }
    let mut side = Side {
        order,
        began,
        rows: 0,
        drive,
        courses: TrialRuns::default(),
        kept: None,
    };
    side.describe(&first, &description);
    side.rows = planned((&times, order.span), (&first, divisions));
    if side.rows == 0 {
        return Ok(side.give_up("the run has no communication step"));
    }
    if side.is_late(divisions.len() as u32) {
        return Ok(side.give_up(NO_TIME));
    }
    // From the first step on it is known how the communication step is divided.
    let end = first.advance(0, drive)?;
    let h = first.engine().map_or(times.step, Simulation::step_size);
    side.courses.h = h;
    if let Some(end) = end {
        side.courses.stopped = Some(end.stop());
        let text = format!("the run ends at {} s: {}", Seconds(end.at), end.why);
        return Ok(side.give_up(&text));
    }
    let whole = (times.step / h).round().max(1.0);
    blueprint.mechanism.experiment.step = times.step;
    let mut runners = vec![first];
    for division in divisions.iter().skip(1) {
        let hratio = (whole * f64::from(*division)).to_string();
        let mut settings = settings.clone();
        settings.push(("solver.hratio".to_owned(), hratio));
        match Runner::begin((&blueprint, &description), &settings, drive) {
            Ok(runner) => runners.push(runner),
            Err(Failure(why)) => {
                let step = step_name(h / f64::from(*division));
                side.alone(&mut runners[0], 1)?;
                return Ok(side.give_up(&format!("there is no run at {step}: {why}")));
            }
        }
    }
    side.along(&mut runners, divisions)
}

/// The number of communication steps for a trial.
fn planned((times, span): (&Times, Option<f64>), (first, divisions): (&Runner, &[u32])) -> u64 {
    let rows = match (span, first.engine()) {
        (Some(span), _) => (span / times.step).round().max(1.0) as u64,
        (None, Some(engine)) => {
            let within = (times.step / engine.step_size()).round().max(1.0);
            let runs: u32 = divisions.iter().sum();
            let work = work::of_a_step(engine.mechanism(), engine.settings());
            work::rows(times.steps, work * within * f64::from(runs)).max(FEWEST)
        }
        (None, None) => times.steps,
    };
    rows.min(times.steps)
}

/// The runs, side by side.
struct Side<'a> {
    order: &'a TrialSettings<'a>,
    began: Instant,
    /// Number of communication steps requested.
    rows: u64,
    drive: (Option<&'a Input<'a>>, &'a Times),
    courses: TrialRuns,
    /// The results to keep if the clock ends it.
    kept: Option<(u64, Account, Vec<Vibration>)>,
}

impl Side<'_> {
    fn describe(&mut self, first: &Runner, description: &Description) {
        let times = self.drive.1;
        let variables = || first.outputs.iter().map(|at| &description.variables[*at]);
        let courses = &mut self.courses;
        (courses.start, courses.stop) = (times.start, times.start);
        courses.whole = times.at(times.steps);
        (courses.interval, courses.h) = (times.step, times.step);
        courses.names = variables().map(|variable| variable.name.clone()).collect();
        courses.units = variables().map(|variable| variable.unit.clone()).collect();
        if let Some(engine) = first.engine() {
            courses.settings = engine.settings().clone();
            courses.stiffest = engine.fastest();
            courses.account.watch(engine);
            let named: Vec<(&str, &str)> = variables()
                .map(|variable| (&*variable.name, &*variable.unit))
                .collect();
            let duration = times.stop - times.start;
            courses.measures = measures(engine, description, &named, duration);
        }
    }

    /// Would this multiple of the elapsed time exceed the budget?
    fn is_late(&self, times: u32) -> bool {
        let budget = self.order.budget;
        budget.is_some_and(|budget| self.began.elapsed() * times > budget)
    }

    fn give_up(mut self, why: &str) -> TrialRuns {
        self.courses.trouble = Some(why.to_owned());
        self.courses
    }

    /// May the clock end the trial at this row? Such rows are repeated halves of the wanted number, so that the trial
    /// tends to end at the same row.
    fn is_place(&self, rows: u64) -> bool {
        let mut place = self.rows;
        while place > rows {
            place /= 2;
        }
        place == rows
    }

    fn along(mut self, runners: &mut [Runner], divisions: &[u32]) -> Result<TrialRuns, Failure> {
        let (_, times) = self.drive;
        let engines = runners.iter().filter_map(Runner::engine);
        let mut events: Vec<Events> = engines.map(Events::begin).collect();
        for row in 1..=self.rows {
            let mut ends = Vec::new();
            for (k, runner) in runners.iter_mut().enumerate() {
                // The first run has made its first step.
                if (k, row) == (0, 1) {
                    continue;
                }
                let end = runner.advance(row - 1, self.drive)?;
                ends.extend(end.map(|end| (divisions[k], end)));
            }
            if !ends.is_empty() {
                self.end(&ends);
                match ends.iter().find(|(division, _)| *division == 1) {
                    Some((_, end)) => self.courses.stopped = Some(end.stop()),
                    None => self.alone(&mut runners[0], row)?,
                }
                break;
            }
            for (engine, events) in runners.iter().filter_map(Runner::engine).zip(&mut events) {
                events.watch(engine, row);
            }
            if let Some(first) = runners[0].engine() {
                self.courses.account.watch(first);
                if self.is_place(row) {
                    self.keep(row, first);
                }
            }
            if row < self.rows && self.is_late(1) {
                self.courses.cut = true;
                break;
            }
        }
        let reached = runners
            .iter()
            .filter_map(|r| r.columns.first().map(Vec::len));
        let mut rows = reached.min().unwrap_or(1) as u64 - 1;
        if let (true, Some((kept, account, stiffest))) = (self.courses.cut, self.kept.take()) {
            (rows, self.courses.account) = (kept, account);
            self.courses.stiffest = stiffest;
            if rows < FEWEST.min(self.rows) {
                self.courses.trouble = Some(NO_TIME.to_owned());
            }
        } else if let Some(engine) = runners[0].engine() {
            self.courses
                .account
                .finish(engine, times.stop - times.start);
            merge(&mut self.courses.stiffest, engine.fastest());
        }
        let moved = self.courses.account.moved;
        for measure in &mut self.courses.measures {
            measure.take_moved(moved);
        }
        self.courses.stop = times.at(rows);
        self.blame(rows, runners, &events);
        for runner in runners {
            for column in &mut runner.columns {
                column.truncate(rows as usize + 1);
            }
            let columns = std::mem::take(&mut runner.columns);
            self.courses.columns.push(columns);
        }
        Ok(self.courses)
    }

    /// Continues the run at the step alone, from a row on: it may end early, too.
    fn alone(&mut self, first: &mut Runner, row: u64) -> Result<(), Failure> {
        for row in row..self.rows {
            if self.is_late(1) {
                break;
            }
            if let Some(end) = first.advance(row, self.drive)? {
                self.courses.stopped = Some(end.stop());
                break;
            }
            if let Some(engine) = first.engine() {
                self.courses.account.watch(engine);
            }
        }
        Ok(())
    }

    /// Collects possible reasons why the differences up to a row have no order.
    fn blame(&mut self, rows: u64, runners: &[Runner], events: &[Events]) {
        let times = self.drive.1;
        let finest = runners.last().and_then(Runner::engine);
        let (Some(engine), [.., half, quarter]) = (finest, events) else {
            return;
        };
        let inputs = self.order.plan.input.is_some();
        if !self.courses.cut && self.courses.ended.is_none() {
            self.courses.missed = events::missed(runners.iter().filter_map(Runner::engine));
        }
        self.courses.suspects = quarter.suspects(rows, times, engine);
        self.courses.alike = half.counts(rows) == quarter.counts(rows);
        self.courses.holds = inputs || !engine.mechanism().memory.sampled.is_empty();
        let mut always = |owner: String, what: &str| {
            self.courses.suspects.push(PossibleCause {
                owner,
                what: what.to_owned(),
                times: 0,
                first: times.start,
            });
        };
        if inputs {
            let what = match engine.mechanism().solver.input_course {
                InputCourse::Hold => "is held over each communication step",
                InputCourse::Linear => {
                    "follows a straight line in each communication step, and jumps where the next begins"
                }
            };
            always("the input table".to_owned(), what);
        }
        let [h, finest] = [self.courses.h, engine.step_size()];
        for body in &engine.mechanism().bodies {
            let changes = |flex: &FlexBody| flex.quasi_static(h) != flex.quasi_static(finest);
            if body.flexible.as_deref().is_some_and(changes) {
                let owner = format!("flexible body {}", called(&body.name));
                always(owner, "has more modes with inertia at a smaller step");
            }
        }
    }

    /// Handles runs that have ended.
    fn end(&mut self, ends: &[(u32, End)]) {
        let h = self.courses.h;
        let told = ends.iter().map(|(division, End { at, why, .. })| {
            let step = step_name(h / f64::from(*division));
            format!("the run at {step} ends at {} s: {why}", Seconds(*at))
        });
        // A sensor may do so a step earlier or later.
        let asked = ends.iter().all(|(_, end)| end.asked);
        let text = told.take(1).collect();
        if asked {
            self.courses.ended = Some(text);
        } else {
            self.courses.trouble = Some(text);
        }
    }

    fn keep(&mut self, row: u64, engine: &Simulation) {
        let mut account = self.courses.account.clone();
        let (_, times) = self.drive;
        account.finish(engine, times.stop - times.start);
        merge(&mut self.courses.stiffest, engine.fastest());
        self.kept = Some((row, account, self.courses.stiffest.clone()));
    }
}

/// The fastest vibration of each element.
fn merge(known: &mut Vec<Vibration>, found: Vec<Vibration>) {
    for new in found {
        match known.iter_mut().find(|old| old.owner == new.owner) {
            Some(old) => old.period = old.period.min(new.period),
            None => known.push(new),
        }
    }
    known.sort_by(|a, b| a.period.total_cmp(&b.period));
}

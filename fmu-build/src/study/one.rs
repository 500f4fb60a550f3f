//! Control plane: one run of a study. Whatever happens in it, there is a row.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::Simulation;

use super::Study;
use super::results::Take;
use super::table::{Row, Status};
use super::vary::Level;
use crate::csv::Table;
use crate::run::{self, Outcome, Plan};
use crate::slave::{Failure, Level as LogLevel, Message, Slave};

/// A row, with the series that are kept over time.
#[derive(Debug)]
pub struct Ran {
    /// The row.
    pub row: Row,
    /// Time and series, if any are wanted and the run has begun; all outputs if a study that keeps none has results that
    /// another program takes.
    pub series: Option<Table>,
}

/// Makes a run.
pub fn ran(study: &Study, run: usize) -> Ran {
    let levels = study.design.levels(run);
    let caught = catch_unwind(AssertUnwindSafe(|| attempt(study, run, &levels)));
    caught.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let reason = format!("the program panicked: {}", text.unwrap_or_default());
        Ran {
            row: failed(study, run, &levels, &reason),
            series: None,
        }
    })
}

/// The row of a run that has told nothing.
fn failed(study: &Study, run: usize, levels: &[Level], reason: &str) -> Row {
    Row {
        run,
        levels: levels.to_vec(),
        results: vec![f64::NAN; study.spec.results.len()],
        end: f64::NAN,
        status: Status::Failed,
        reason: reason.lines().map(str::trim).collect::<Vec<_>>().join("; "),
        warnings: 0,
        warning: String::new(),
        model: String::new(),
    }
}

fn attempt(study: &Study, run: usize, levels: &[Level]) -> Ran {
    let (subject, factors) = (&study.subject, &study.spec.factors);
    let none = |reason: &str| Ran {
        row: failed(study, run, levels, reason),
        series: None,
    };
    let mut slave = match subject.slave(factors, levels) {
        Ok(slave) => slave,
        Err(Failure(reason)) => return none(&reason),
    };
    let plan = Plan {
        settings: subject.settings(factors, levels),
        ..subject.plan.clone()
    };
    let model = slave.description().token.clone();
    let outcome = run::attempt(&mut slave, &plan, &mut |_, _| {});
    let asked = slave.engine().and_then(Simulation::stopped_by).is_some();
    let mut found = match outcome {
        Ok(outcome) => told(study, &outcome, asked, failed(study, run, levels, "")),
        Err(Failure(reason)) => {
            let mut found = none(&reason);
            warn(&mut found.row, &slave.messages());
            found
        }
    };
    found.row.model = model;
    found
}

/// What a run has told.
fn told(study: &Study, outcome: &Outcome, asked: bool, row: Row) -> Ran {
    let mut row = row;
    let time = outcome.table.columns.first().map_or(&[][..], Vec::as_slice);
    let column = |name: &String| {
        let at = outcome.table.names.iter().position(|it| it == name)?;
        outcome.table.columns.get(at)
    };
    row.end = time.last().copied().unwrap_or(f64::NAN);
    (row.status, row.reason) = match (&outcome.failed, &outcome.ended) {
        (Some(Failure(reason)), _) => (Status::Failed, reason.clone()),
        (None, Some((at, reason))) if asked => (
            Status::Stopped,
            format!("a sensor ended the run at {} s: {reason}", Seconds(*at)),
        ),
        (None, Some((at, reason))) => (
            Status::Failed,
            format!("the run ends at {} s: {reason}", Seconds(*at)),
        ),
        (None, None) => (Status::Done, String::new()),
    };
    row.reason = row
        .reason
        .lines()
        .map(str::trim)
        .collect::<Vec<_>>()
        .join("; ");
    if row.status != Status::Failed {
        let wanted = study.spec.results.iter().zip(&study.subject.columns);
        for ((wanted, name), result) in wanted.zip(&mut row.results) {
            if wanted.take == Take::Elsewhere {
                continue;
            }
            let found = column(name).map(|values| wanted.of_course(time, values));
            match found.unwrap_or_else(|| Err("its column is missing".to_owned())) {
                Ok(value) => *result = value,
                Err(why) => {
                    let semicolon = if row.reason.is_empty() { "" } else { "; " };
                    let _ = write!(row.reason, "{semicolon}result {}: {why}", wanted.name);
                }
            }
        }
    }
    warn(&mut row, &outcome.messages);
    let kept = &study.subject.series;
    let series = if kept.is_empty() {
        study.has_elsewhere().then(|| outcome.table.clone())
    } else {
        let names = std::iter::once("time".to_owned()).chain(kept.iter().cloned());
        let mut table = Table::new(names.collect());
        let columns = kept
            .iter()
            .map(|name| column(name).cloned().unwrap_or_default());
        table.columns = std::iter::once(time.to_vec()).chain(columns).collect();
        Some(table)
    };
    Ran { row, series }
}

/// Counts the warnings among messages.
fn warn(row: &mut Row, messages: &[Message]) {
    let mut warnings = messages.iter().filter(|it| it.level == LogLevel::Warning);
    row.warnings = warnings.clone().count();
    let first = warnings
        .next()
        .map(|it| it.text.lines().collect::<Vec<_>>().join("; "));
    row.warning = first.unwrap_or_default();
}

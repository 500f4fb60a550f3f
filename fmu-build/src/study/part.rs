//! Control plane: some runs of a study, for a program that shares it among computers, and results that such a program takes
//! itself.

use std::fmt::Write as _;
use std::path::Path;
use std::str::FromStr;

use super::Study;
use super::folder::Folder;
use super::one::{Ran, ran};
use super::results::{Take, Wanted};
use super::spec::Spec;
use super::table::{OWN, Row, Status};
use crate::csv::Table;
use crate::slave::Failure;

/// A result that another program takes from the series of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The name of its column.
    pub name: String,
    /// What says how it is taken: rows of another print are of another study.
    pub print: String,
}

impl FromStr for Elsewhere {
    type Err = String;

    /// Reads `NAME=PRINT`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.rsplit_once('=') {
            Some((name, print)) if !name.is_empty() && !print.is_empty() => Ok(Self {
                name: name.to_owned(),
                print: print.to_owned(),
            }),
            _ => Err("valid: NAME=PRINT, as in peak=1f00".to_owned()),
        }
    }
}

/// Runs that are made.
#[derive(Clone, Debug)]
pub struct Part {
    /// Their chunk.
    pub chunk: String,
    /// The tables of their series by the numbers of the runs, if the study keeps any.
    pub series: Vec<(usize, String)>,
}

/// Takes results from the series of a run: one for each column, or why there is none. A failure ends all.
pub type Taker<'a> = &'a mut dyn FnMut(&Table) -> Result<Vec<Result<f64, String>>, Failure>;

/// Adds results to a description.
pub fn add(spec: &mut Spec, elsewhere: &[Elsewhere]) -> Result<(), Failure> {
    for Elsewhere { name, print } in elsewhere {
        let factors = spec.factors.iter().map(|it| it.name.as_str());
        let results = spec.results.iter().map(|it| it.name.as_str());
        if factors.chain(results).chain(OWN).any(|it| it == name) {
            return Err(Failure(format!(
                "two columns of the table would be called \"{name}\"; give one of them another name"
            )));
        }
        spec.results.push(Wanted {
            name: name.clone(),
            of: print.clone(),
            take: Take::Elsewhere,
            span: (None, None),
            least: None,
            most: None,
            unit: String::new(),
        });
    }
    Ok(())
}

/// Makes the runs of a range.
pub fn part(study: &Study, (from, to): (usize, usize), take: Taker<'_>) -> Result<Part, Failure> {
    let runs = study.design.runs();
    if from > to || to > runs {
        return Err(Failure(format!(
            "runs {from}..{to}: the study has {runs} runs; valid: 0..{runs} or a part of it"
        )));
    }
    let (mut rows, mut series) = (Vec::with_capacity(to - from), Vec::new());
    for run in from..to {
        let found = ran(study, run);
        let Ran {
            mut row,
            series: table,
        } = found;
        if let Some(table) = &table {
            if study.has_elsewhere() && row.status != Status::Failed {
                enter(study, &mut row, take(table)?);
            }
            if !study.subject.series.is_empty() {
                series.push((run, table.to_text()));
            }
        }
        rows.push(row);
    }
    let chunk = Folder::of(Path::new(""), study).chunk(&rows);
    Ok(Part { chunk, series })
}

/// Enters results into a row. Where one is missing, the run has failed.
fn enter(study: &Study, row: &mut Row, taken: Vec<Result<f64, String>>) {
    let mut taken = taken.into_iter();
    for (wanted, result) in study.spec.results.iter().zip(&mut row.results) {
        if wanted.take != Take::Elsewhere {
            continue;
        }
        match taken
            .next()
            .unwrap_or_else(|| Err("was not taken".to_owned()))
        {
            Ok(value) => *result = value,
            Err(why) => {
                let semicolon = if row.reason.is_empty() { "" } else { "; " };
                let why = why.lines().map(str::trim).collect::<Vec<_>>().join("; ");
                let _ = write!(row.reason, "{semicolon}result {}: {why}", wanted.name);
                row.status = Status::Failed;
            }
        }
    }
}

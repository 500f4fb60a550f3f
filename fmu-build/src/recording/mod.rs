//! Control plane: the table of a run as a file for other programs, chosen by its ending: NumPy (`.npz`) or MCAP (`.mcap`).
//!
//! Numbers keep their bits and columns their names and units. Every other ending is CSV, which [`crate::csv`] writes.

mod mcap;

use std::path::Path;

use linear_analysis::numpy;

use crate::csv::Table;
use crate::run::Outcome;
use crate::slave::Failure;

/// What an archive of NumPy tells of all columns: their names, and their units.
const LISTS: [&str; 2] = ["fixstep.names", "fixstep.units"];

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An archive of NumPy: an array for each column.
    Npz,
    /// A container of messages with times: one for each row.
    Mcap,
}

/// What a file is named after in it.
#[derive(Clone, Copy, Debug)]
pub struct Recording<'a> {
    /// The name of what ran.
    pub title: &'a str,
    /// Its columns, the time first.
    pub table: &'a Table,
    /// Their units; empty: none.
    pub units: &'a [String],
}

impl Kind {
    /// By the ending of a path, in small or capital letters.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let is = |other: &str| ending.eq_ignore_ascii_case(other);
        if is("npz") {
            return Some(Self::Npz);
        }
        is("mcap").then_some(Self::Mcap)
    }
}

/// The table of a run as such a file, in display units or in those of the outputs.
pub fn file(
    kind: Kind,
    title: &str,
    outcome: &Outcome,
    displayed: bool,
) -> Result<Vec<u8>, Failure> {
    let mut table = outcome.table.clone();
    let mut units = outcome.units.clone();
    units.truncate(table.names.len());
    // The time is in seconds, whatever the rest is in.
    if let Some(time) = units.first_mut() {
        "s".clone_into(time);
    }
    if displayed {
        let columns = table.columns.iter_mut().zip(&mut units);
        for ((column, unit), display) in columns.zip(&outcome.displays).skip(1) {
            for x in column.iter_mut() {
                *x = display.shown(*x);
            }
            unit.clone_from(&display.unit);
        }
    }
    let recording = Recording {
        title,
        table: &table,
        units: &units,
    };
    match kind {
        Kind::Npz => recording.npz(),
        Kind::Mcap => recording.mcap(),
    }
}

impl Recording<'_> {
    /// An array for each column, under its name; `fixstep.names` and `fixstep.units` tell their order and units.
    pub fn npz(&self) -> Result<Vec<u8>, Failure> {
        let shape = |count: usize| format!("({count},)");
        let mut arrays: Vec<(&str, Vec<u8>)> = Vec::new();
        for (name, column) in self.table.names.iter().zip(&self.table.columns) {
            arrays.push((name, numpy::reals(&shape(column.len()), column)));
        }
        for column in &self.table.texts {
            arrays.push((&column.name, numpy::texts(&column.rows)));
        }
        for (name, list) in LISTS.into_iter().zip([&self.table.names[..], self.units]) {
            if arrays.iter().any(|(taken, _)| *taken == name) {
                return Err(Failure(format!(
                    "a column is called \"{name}\", which is the name of a list in the archive; valid: another name of \
                     the output, or .csv"
                )));
            }
            arrays.push((name, numpy::texts(list)));
        }
        numpy::archive(arrays).map_err(Failure)
    }
}

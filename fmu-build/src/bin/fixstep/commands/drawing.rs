//! Control plane: the picture of a run's table: lines over time or over a column, with those of other results.

use std::path::Path;

use fixstep_kernel::seconds::Seconds;
use fmu_build::csv::Table;
use fmu_build::plot::{Line, Plot};
use fmu_build::run::Outcome;
use fmu_build::slave::Failure;

use crate::args;
use crate::source::table;

/// The table, or the columns of it that were asked for, as lines over time or over one of its columns.
pub(super) fn plot(
    name: &str,
    outcome: &Outcome,
    step: f64,
    args: &args::Run,
) -> Result<Plot, Failure> {
    let names = &outcome.table.names;
    let shown = |k: usize| -> Vec<f64> {
        let values = outcome.table.columns[k].iter();
        let display = &outcome.displays[k];
        values.map(|value| display.shown(*value)).collect()
    };
    let find = |option: &str, name: &String| {
        names.iter().position(|n| n == name).ok_or_else(|| {
            Failure(format!(
                "{option}: the table has no column \"{name}\"; it has {}",
                names.join(", ")
            ))
        })
    };
    let at = args.over.as_ref().map(|over| find("--over", over));
    let at = at.transpose()?.unwrap_or(0);
    let chosen = args.draw.iter().map(|name| find("--draw", name));
    let mut drawn = chosen.collect::<Result<Vec<usize>, Failure>>()?;
    if drawn.is_empty() {
        drawn = (1..names.len()).filter(|k| *k != at).collect();
    }
    let unit = |k: usize| outcome.displays[k].unit.as_str();
    let label = match (at, unit(at)) {
        (0, _) => "time [s]".to_owned(),
        (_, "") => names[at].clone(),
        (_, unit) => format!("{} [{unit}]", names[at]),
    };
    let series = drawn.iter();
    let series = series.map(|k| (names[*k].as_str(), unit(*k), shown(*k)));
    let mut plot = Plot::of_series(name, &label, &shown(at), series);
    plot.subtitle = format!("communication step {} s", Seconds(step));
    for path in &args.overlay {
        overlay(&mut plot, outcome, (at, &drawn), path)?;
    }
    Ok(plot)
}

/// Adds the same columns of another table; those that it does not have are left out, but not all.
fn overlay(
    plot: &mut Plot,
    outcome: &Outcome,
    (at, drawn): (usize, &[usize]),
    path: &Path,
) -> Result<(), Failure> {
    let other = table(path)?;
    let lacks = |name: &str| {
        Failure(format!(
            "--overlay {}: the table has no column \"{name}\"; it has {}",
            path.display(),
            other.names.join(", ")
        ))
    };
    let x = column(outcome, &other, at).ok_or_else(|| lacks(&outcome.table.names[at]))?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut found = false;
    for k in drawn {
        let name = &outcome.table.names[*k];
        let Some(y) = column(outcome, &other, *k) else {
            continue;
        };
        found = true;
        let own = |line: &Line| line.name == *name;
        let mut panels = plot.panels.iter_mut();
        if let Some(panel) = panels.find(|panel| panel.lines.iter().any(own)) {
            panel.lines.push(Line {
                name: format!("{name} ({stem})"),
                x: x.clone(),
                y,
                dots: false,
            });
        }
    }
    if found {
        return Ok(());
    }
    let names: Vec<&str> = drawn
        .iter()
        .map(|k| outcome.table.names[*k].as_str())
        .collect();
    Err(lacks(&names.join("\" or \"")))
}

/// A column of another table as it is shown: that of the same name, or the one in display units, whose name says so.
fn column(outcome: &Outcome, other: &Table, k: usize) -> Option<Vec<f64>> {
    let (name, display) = (&outcome.table.names[k], &outcome.displays[k]);
    let of = |name: &str| other.names.iter().position(|own| own == name);
    if let Some(at) = of(name).or((k == 0).then_some(0)) {
        let values = other.columns[at].iter();
        return Some(values.map(|value| display.shown(*value)).collect());
    }
    let at = of(&format!("{name} [{}]", display.unit))?;
    Some(other.columns[at].clone())
}

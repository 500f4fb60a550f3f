//! Control plane: the picture of a study: of a sweep the courses, coloured by the value, and each result over it; of many
//! draws how each result is distributed, over what it depends on most.

use std::fmt::Write as _;

use super::folder::Folder;
use super::summary::{ResultSummary, Summary};
use super::table::{Row, Status};
use super::vary::Level;
use super::{Study, statistics};
use crate::csv::Table;
use crate::display::Display;
use crate::plot::{Limit, Line, Panel, Plot, stacked};
use crate::slave::Failure;

/// Most courses that a picture shows.
const COURSES: usize = 60;
/// Most results that a picture shows.
const RESULTS: usize = 4;

/// Draws all rows of a study.
pub fn draw(
    study: &Study,
    folder: &Folder,
    rows: &[Row],
    summary: &Summary,
) -> Result<String, Failure> {
    let mut plots = Vec::new();
    if let Some(courses) = courses(study, folder, rows)? {
        plots.push(courses);
    }
    let shown = summary.results.iter().enumerate().take(RESULTS);
    if study.spec.factors.len() == 1
        && !study.spec.method.draws()
        && study.spec.factors[0].is_number()
    {
        plots.extend(sweep(rows, summary));
    } else {
        for (k, result) in shown {
            plots.extend(histogram(rows, (k, result)));
            plots.extend(scatter(study, rows, summary, (k, result)));
        }
    }
    let several = plots.len() > 1;
    for (k, plot) in plots.iter_mut().enumerate() {
        plot.low = several;
        if k == 0 {
            plot.title = format!("{}: {} runs", study.spec.name, rows.len());
            if summary.failed > 0 {
                let _ = write!(plot.title, ", {} of them failed", summary.failed);
            }
        }
    }
    Ok(stacked(&plots))
}

/// The number of a factor in a row.
fn level(row: &Row, factor: usize) -> Option<f64> {
    match row.levels.get(factor)? {
        Level::Number(value) => Some(*value),
        Level::Word(_) => None,
    }
}

/// `name [unit]`
fn label(name: &str, unit: &str) -> String {
    Display::plain(unit).label(name)
}

/// The series of runs, coloured by what was varied.
fn courses(study: &Study, folder: &Folder, rows: &[Row]) -> Result<Option<Plot>, Failure> {
    let series = &study.subject.series;
    if series.is_empty() {
        return Ok(None);
    }
    let mut order: Vec<&Row> = rows
        .iter()
        .filter(|row| row.status != Status::Failed)
        .collect();
    order.sort_by(|a, b| {
        let [a, b] = [a, b].map(|row| level(row, 0).unwrap_or(0.0));
        a.total_cmp(&b)
    });
    let every = order.len().div_ceil(COURSES).max(1);
    let order: Vec<&Row> = order.into_iter().step_by(every).collect();
    let mut plot = Plot {
        x_label: "time [s]".to_owned(),
        ..Plot::default()
    };
    let displays: Vec<Display> = series.iter().map(|name| display(study, name)).collect();
    for (name, display) in series.iter().zip(&displays) {
        plot.panels.push(Panel {
            y_label: display.label(name),
            ramp: true,
            ..Panel::default()
        });
    }
    let factor = study.spec.factors.first();
    let last = order.len().saturating_sub(1);
    for (k, row) in order.iter().enumerate() {
        let path = folder.series(row.run);
        let text = super::subject::text(&path, crate::csv::TABLE_BYTES)?;
        let table =
            Table::parse(&text).map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        let named = k == 0 || k == last || k == last / 2;
        let value = row.levels.first().map(short).unwrap_or_default();
        let name = factor
            .filter(|_| named)
            .map(|it| format!("{} = {value}", it.name));
        let time = table.columns.first().cloned().unwrap_or_default();
        for (at, panel) in plot.panels.iter_mut().enumerate() {
            let values = table.columns.get(at + 1).map_or(&[][..], Vec::as_slice);
            panel.lines.push(Line {
                // One legend serves all panels.
                name: if at == 0 {
                    name.clone().unwrap_or_default()
                } else {
                    String::new()
                },
                x: time.clone(),
                y: values
                    .iter()
                    .map(|value| displays[at].shown(*value))
                    .collect(),
                dots: false,
            });
        }
    }
    Ok(Some(plot))
}

/// A value in a few digits.
fn short(level: &Level) -> String {
    match level {
        Level::Number(value) => crate::trial::round(*value, 4),
        Level::Word(text) => text.clone(),
    }
}

/// How a column of a run is shown.
fn display(study: &Study, name: &str) -> Display {
    let variable = study.subject.variable(name);
    variable.map_or_else(
        || Display::plain(""),
        |it| Display::of(&study.subject.description, it),
    )
}

/// Each result over what was varied.
fn sweep(rows: &[Row], summary: &Summary) -> Option<Plot> {
    let factor = summary.factors.first()?;
    let mut order: Vec<&Row> = rows.iter().collect();
    order.sort_by(|a, b| {
        let [a, b] = [a, b].map(|row| level(row, 0).unwrap_or(f64::NAN));
        a.total_cmp(&b)
    });
    let x: Vec<f64> = order
        .iter()
        .map(|row| level(row, 0).unwrap_or(f64::NAN))
        .collect();
    let panel = |(k, result): (usize, &ResultSummary)| {
        let y: Vec<f64> = order
            .iter()
            .map(|row| result.display.shown(row.results[k]))
            .collect();
        let line = |name: &str, dots| Line {
            name: name.to_owned(),
            x: x.clone(),
            y: y.clone(),
            dots,
        };
        Panel {
            y_label: result.display.label(&result.name),
            lines: vec![line(&result.name, false), line("", true)],
            limits: limits(result),
            ..Panel::default()
        }
    };
    let panels: Vec<Panel> = summary.results.iter().enumerate().map(panel).collect();
    (!panels.is_empty()).then(|| Plot {
        x_label: label(&factor.name, &factor.unit),
        panels,
        ..Plot::default()
    })
}

fn limits(result: &ResultSummary) -> Vec<Limit> {
    let limit = |(bound, text): (&Option<f64>, &str)| {
        bound.map(|value| Limit {
            value: result.display.shown(value),
            text: text.to_owned(),
        })
    };
    result
        .limits
        .iter()
        .zip(["least", "most"])
        .filter_map(limit)
        .collect()
}

/// How many runs have which result.
fn histogram(rows: &[Row], (k, result): (usize, &ResultSummary)) -> Option<Plot> {
    let values = rows.iter().map(|row| result.display.shown(row.results[k]));
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (*sorted.first()?, *sorted.last()?);
    // The width of Freedman and Diaconis (1981), between 8 and 60 bars.
    let spread = statistics::quantile(&sorted, 0.75) - statistics::quantile(&sorted, 0.25);
    let third = fixstep_kernel::math::pow(sorted.len() as f64, 1.0 / 3.0);
    let bars = ((high - low) * third / (2.0 * spread)).ceil();
    let bars = if bars.is_finite() {
        bars.clamp(8.0, 60.0) as usize
    } else {
        8
    };
    let width = (high - low) / bars as f64;
    let mut counts = vec![0_usize; bars];
    for value in &sorted {
        let at = ((value - low) / width) as usize;
        counts[at.min(bars - 1)] += 1;
    }
    let (mut x, mut y) = (vec![low], vec![0.0]);
    for (at, count) in counts.iter().enumerate() {
        let (left, right) = (low + at as f64 * width, low + (at + 1) as f64 * width);
        for (abscissa, height) in [(left, *count), (right, *count), (right, 0)] {
            x.push(abscissa);
            y.push(height as f64);
        }
    }
    let most = counts.iter().copied().max().unwrap_or(1) as f64;
    let mut lines = vec![Line {
        name: "runs".to_owned(),
        x,
        y,
        dots: false,
    }];
    for limit in limits(result) {
        let vertical = Line {
            name: format!("{}: {}", limit.text, crate::trial::round(limit.value, 4)),
            x: vec![limit.value, limit.value],
            y: vec![0.0, most],
            dots: false,
        };
        lines.push(vertical);
    }
    Some(Plot {
        x_label: result.display.label(&result.name),
        panels: vec![Panel {
            y_label: "runs".to_owned(),
            lines,
            ..Panel::default()
        }],
        ..Plot::default()
    })
}

/// A result over what it depends on most.
fn scatter(
    study: &Study,
    rows: &[Row],
    summary: &Summary,
    (k, result): (usize, &ResultSummary),
) -> Option<Plot> {
    let strongest = result.sensitivities.first()?;
    let at = study
        .spec
        .factors
        .iter()
        .position(|it| it.name == strongest.factor)?;
    let factor = summary.factors.get(at)?;
    let points = rows
        .iter()
        .filter_map(|row| Some((level(row, at)?, result.display.shown(row.results[k]))));
    let (x, y): (Vec<f64>, Vec<f64>) = points.filter(|(_, y)| y.is_finite()).unzip();
    Some(Plot {
        x_label: label(&factor.name, &factor.unit),
        panels: vec![Panel {
            y_label: result.display.label(&result.name),
            lines: vec![Line {
                name: result.name.clone(),
                x,
                y,
                dots: true,
            }],
            limits: limits(result),
            ..Panel::default()
        }],
        ..Plot::default()
    })
}

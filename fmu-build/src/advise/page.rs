//! Control plane: the advice as a picture and as a page.

use super::candidates::OWN;
use super::compare;
use super::search::{Found, Row};
use super::subject::How;
use super::words::{HEADINGS, cells, filled, percent};
use super::{Advice, Advised};
use crate::page::{Cell, Page, Table};
use crate::plot::{Limit, Line, Panel, Pin, Plot, Scale};
use crate::slave::Failure;
use crate::trial::step_name;

/// The beginnings of families that have a colour of their own.
const GROUPS: [&str; 6] = ["GSTIFF I3", "GSTIFF SI2", "HHT", "NEWMARK", "GENALPHA", OWN];

/// The accuracy–cost front.
pub fn front(advice: &Advice) -> Plot {
    let mut lines = vec![front_line(advice)];
    for group in GROUPS {
        let points = advice
            .rows
            .iter()
            .filter(|row| row.family.starts_with(group));
        lines.push(dots(group, points.filter_map(point)));
    }
    let pins = advice.choice.iter().map(|choice| Pin {
        at: (choice.rti, 100.0 * choice.measured),
        text: "recommended".to_owned(),
    });
    let limit = |value, text: &str| Limit {
        value,
        text: text.to_owned(),
    };
    let accuracy = advice
        .accuracy
        .map(|share| limit(100.0 * share, "wanted accuracy"));
    Plot {
        title: advice.model.clone(),
        subtitle: format!(
            "accuracy and cost of the fixed step at a communication step of {}",
            step_name(advice.step)
        ),
        x_label: "Real Time Index on this computer (median)".to_owned(),
        x_scale: Scale::Logarithmic,
        panels: vec![Panel {
            y_label: format!("{} [% of range]", advice.norm.words()),
            lines,
            limits: accuracy.into_iter().collect(),
            scale: Scale::Logarithmic,
            pins: pins.collect(),
            ..Panel::default()
        }],
        low: false,
        equal: false,
    }
}

/// The scheme in words, without how it is solved.
fn scheme_of(row: &Row) -> &str {
    row.family.split(',').next().unwrap_or(&row.family)
}

/// Real Time Index, and error in percent.
fn point(row: &Row) -> Option<(f64, f64)> {
    let measured = row.measured()?;
    Some((measured.rti, 100.0 * measured.error))
}

fn front_line(advice: &Advice) -> Line {
    let points = advice.front.iter().filter_map(|k| point(&advice.rows[*k]));
    let (x, y) = points.unzip();
    Line {
        name: "front".to_owned(),
        x,
        y,
        dots: false,
    }
}

fn dots(name: &str, points: impl Iterator<Item = (f64, f64)>) -> Line {
    let mut points: Vec<(f64, f64)> = points.collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (x, y) = points.into_iter().unzip();
    Line {
        name: name.to_owned(),
        x,
        y,
        dots: true,
    }
}

/// Error over the step: each scheme with the solution that makes it most accurate at its shortest step.
fn orders(advice: &Advice) -> Plot {
    let mut best: Vec<(&str, &str, f64, u32)> = Vec::new();
    for row in &advice.rows {
        let Some(measured) = row.measured() else {
            continue;
        };
        let found = (
            scheme_of(row),
            row.family.as_str(),
            measured.error,
            row.hratio,
        );
        match best.iter_mut().find(|(scheme, ..)| *scheme == found.0) {
            Some(known) if (found.3, -found.2) > (known.3, -known.2) => *known = found,
            Some(_) => {}
            None => best.push(found),
        }
    }
    let line = |(_, family, ..): &(&str, &str, f64, u32)| {
        let mut points: Vec<(f64, f64)> = { advice.rows.iter() }
            .filter(|row| row.family == *family)
            .filter_map(|row| Some((1e3 * row.step, point(row)?.1)))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (x, y) = points.into_iter().unzip();
        Line {
            name: (*family).to_owned(),
            x,
            y,
            dots: false,
        }
    };
    Plot {
        x_label: "integration step [ms]".to_owned(),
        x_scale: Scale::Logarithmic,
        panels: vec![Panel {
            y_label: format!("{} [% of range]", advice.norm.words()),
            lines: best.iter().map(line).collect(),
            scale: Scale::Logarithmic,
            ..Panel::default()
        }],
        ..Plot::default()
    }
}

/// The page.
pub fn page(advised: &Advised) -> Result<String, Failure> {
    let Advised {
        advice,
        subject,
        reference,
    } = advised;
    let subtitle = "Which settings of the fixed step are worth their time";
    let mut page = Page::new(&advice.model, subtitle.to_owned());
    page.tab("Recommendation");
    let summary = advice.summary();
    page.add_words("Recommendation", summary);
    page.add_chart("Accuracy and cost", &front(advice));
    page.add_table(
        "Front",
        table(advice, advice.front.iter().map(|k| &advice.rows[*k])),
    );
    page.tab("Order");
    page.add_chart("Error over the step", &orders(advice));
    if let Some(choice) = &advice.choice {
        let settings: Vec<(String, String)> = { choice.settings.iter() }
            .map(|(name, value)| (format!("solver.{name}"), value.clone()))
            .collect();
        let course = subject.run(How::Fixed(&settings), u64::MAX, &mut |_| true)?;
        let plot = compare::picture(subject, (&course, reference), &choice.errors);
        page.tab("Against the reference");
        page.add_chart("The recommended settings over the reference", &plot);
        page.add_table("Errors of the recommended settings", errors(advised));
    }
    page.tab("All settings");
    page.add_table("All settings", table(advice, advice.rows.iter()));
    page.html()
}

fn texts<const N: usize>(of: [&str; N]) -> Vec<String> {
    of.map(str::to_owned).to_vec()
}

fn table<'a>(advice: &Advice, rows: impl Iterator<Item = &'a Row>) -> Table {
    let rows: Vec<&Row> = rows.collect();
    let all: Vec<[String; 8]> = rows.iter().map(|row| cells(row, &advice.own)).collect();
    let filled = filled(&all);
    let shown = |row: &[String; 8]| -> Vec<String> {
        let pairs = row.iter().zip(filled);
        pairs
            .filter(|(_, filled)| *filled)
            .map(|(cell, _)| cell.clone())
            .collect()
    };
    let row = |(row, texts): (&&Row, &[String; 8])| {
        let last = match &row.found {
            Found::Measured(measured) => format!("\"{}\"", measured.worst),
            Found::Failed(reason) => reason.clone(),
        };
        shown(texts)
            .into_iter()
            .chain([last])
            .map(Cell::Text)
            .collect()
    };
    let mut columns = shown(&HEADINGS.map(str::to_owned));
    columns.push("worst output, or why there is no run".to_owned());
    Table {
        columns,
        rows: rows.iter().zip(&all).map(row).collect(),
        ..Table::default()
    }
}

fn errors(advised: &Advised) -> Table {
    let errors = advised
        .advice
        .choice
        .iter()
        .flat_map(|choice| &choice.errors);
    let row = |(output, error): (&super::OutputRange, &super::errors::OutputError)| {
        let figure = |x: f64| crate::trial::round(x, 2);
        let texts = [
            output.name.clone(),
            output.unit.clone(),
            figure(output.range),
            figure(error.max),
            percent(error.max_share),
            figure(error.rms),
            percent(error.rms_share),
            figure(output.reference_error),
        ];
        texts.map(Cell::Text).to_vec()
    };
    Table {
        columns: texts([
            "output",
            "unit",
            "range",
            "largest error",
            "of range",
            "rms error",
            "of range",
            "error of the reference",
        ]),
        rows: advised.advice.outputs.iter().zip(errors).map(row).collect(),
        ..Table::default()
    }
}

//! Control plane: points of curves and surfaces, from the model or from a CSV file beside it.

use super::builder::Builder;
use super::tables::Table;
use crate::csv::Header;
use crate::errors::{At, quote};
use crate::schema::{Column, Levels, Places, Values};

/// Valid points: x and z increase, every row has a value for each x.
pub(super) struct Points {
    /// Where.
    pub(super) x: Vec<f64>,
    /// Second variable; empty for a curve.
    pub(super) z: Vec<f64>,
    /// One for each z; one for a curve.
    pub(super) rows: Vec<Vec<f64>>,
}

/// The points as a model gives them.
pub(super) struct SplineSource<'a> {
    /// The file.
    pub(super) file: Option<&'a str>,
    /// Where.
    pub(super) x: Option<&'a Places>,
    /// The values.
    pub(super) y: Option<&'a Values>,
    /// Second variable.
    pub(super) z: Option<&'a Levels>,
    /// The names of these three in messages.
    pub(super) fields: [&'static str; 3],
}

impl SplineSource<'_> {
    /// The points, if they are sound.
    pub(super) fn points(&self, b: &mut Builder<'_>, at: &At) -> Option<Points> {
        let points = match self.file {
            Some(path) => from_file(b, path, self, at),
            None => from_model(b, self, at),
        }?;
        let Points { x, z, rows } = &points;
        let [fx, fy, fz] = self.fields;
        let sound = increasing(b, x, 2, &at.field(fx));
        if !sound || !(z.is_empty() || increasing(b, z, 2, &at.field(fz))) {
            return None;
        }
        let wrong = rows.iter().position(|row| row.len() != x.len());
        let Some(k) = wrong else {
            return Some(points);
        };
        let at = at.field(fy);
        let at = if z.is_empty() { at } else { at.index(k) };
        let message = format!(
            "{} values for {} places in {fx}; there must be as many",
            rows[k].len(),
            x.len()
        );
        b.report.add(&at, message);
        None
    }
}

/// The message about columns without a file.
const FILE: &str = "columns are allowed only beside a field \"file\"";

/// Points that are given in the model.
fn from_model(b: &mut Builder<'_>, data: &SplineSource<'_>, at: &At) -> Option<Points> {
    let [fx, fy, fz] = data.fields;
    let mut miss = |field: &str| {
        let message = format!("the field {} is missing", quote(field));
        b.report.add(at, message);
    };
    if data.x.is_none() {
        miss(fx);
    }
    if data.y.is_none() {
        miss(fy);
    }
    let (x, y) = (data.x?, data.y?);
    let Places::Numbers(x) = x else {
        b.report.add(&at.field(fx), FILE);
        return None;
    };
    let x = x.clone();
    let fault = match (data.z, y) {
        (Some(Levels::Word(_)), _) => {
            let message = "the header line is allowed only beside a field \"file\"";
            b.report.add(&at.field(fz), message);
            return None;
        }
        (None, Values::Curve(y)) => {
            let (z, rows) = (Vec::new(), vec![y.clone()]);
            return Some(Points { x, z, rows });
        }
        (Some(Levels::Numbers(z)), Values::Surface(rows)) => {
            if z.len() == rows.len() {
                let (z, rows) = (z.clone(), rows.clone());
                return Some(Points { x, z, rows });
            }
            &format!(
                "{} arrays for {} places in {fz}; there must be as many",
                rows.len(),
                z.len()
            )
        }
        (_, Values::Column(_) | Values::Columns(_)) => FILE,
        (None, Values::Surface(_)) => &format!(
            "an array of arrays belongs to a surface, which has a field {}",
            quote(fz)
        ),
        (Some(_), Values::Curve(_)) => &format!(
            "with {} it must be an array of arrays, one for each {fz}",
            quote(fz)
        ),
    };
    b.report.add(&at.field(fy), fault);
    None
}

/// Points in the columns of a file.
fn from_file(b: &mut Builder<'_>, path: &str, data: &SplineSource<'_>, at: &At) -> Option<Points> {
    let [fx, fy, fz] = data.fields;
    let header = match data.z {
        Some(Levels::Word(word)) if word != "header" => {
            let message = format!(
                "{}: valid: an array of numbers, or \"header\": the numbers in the header line",
                quote(word)
            );
            b.report.add(&at.field(fz), message);
            return None;
        }
        Some(Levels::Word(_)) => Header::Always,
        _ => Header::Guess,
    };
    let table = Table::open(b, path, header, at)?;
    let x = match data.x {
        None => Some(0),
        Some(Places::Column(column)) => table.column(b, column, &at.field(fx)),
        Some(Places::Numbers(_)) => {
            let message = "with a file it is the name or number of a column";
            b.report.add(&at.field(fx), message);
            None
        }
    }?;
    let columns = value_columns(b, &table, x, data, at)?;
    let z = match data.z {
        None => Vec::new(),
        Some(Levels::Numbers(z)) => z.clone(),
        Some(Levels::Word(_)) => columns
            .iter()
            .map(|column| table.level(b, *column, &at.field(fz)))
            .collect::<Option<_>>()?,
    };
    if !z.is_empty() && z.len() != columns.len() {
        let message = format!(
            "{} columns for {} places in {fz}; there must be as many",
            columns.len(),
            z.len()
        );
        b.report.add(&at.field(fy), message);
        return None;
    }
    let rows = columns.iter().map(|column| table.values(*column));
    Some(Points {
        x: table.values(x),
        z,
        rows: rows.collect(),
    })
}

/// The columns of the values: one of a curve, any number of a surface.
fn value_columns(
    b: &mut Builder<'_>,
    table: &Table,
    x: usize,
    data: &SplineSource<'_>,
    at: &At,
) -> Option<Vec<usize>> {
    let at = at.field(data.fields[1]);
    let surface = data.z.is_some();
    match data.y {
        None if surface => Some((0..table.width()).filter(|k| *k != x).collect()),
        None => Some(vec![table.column(b, &Column::Number(2), &at)?]),
        Some(Values::Column(column)) if !surface => Some(vec![table.column(b, column, &at)?]),
        Some(Values::Columns(columns)) if surface => columns
            .iter()
            .enumerate()
            .map(|(k, column)| table.column(b, column, &at.index(k)))
            .collect(),
        Some(Values::Curve(numbers)) if surface => numbers
            .iter()
            .enumerate()
            .map(|(k, number)| table.column(b, &Column::Number(*number as i64), &at.index(k)))
            .collect(),
        Some(_) => {
            b.report.add(
                &at,
                if surface {
                    "of a surface in a file it is an array of columns, by names or numbers"
                } else {
                    "with a file it is the name or number of a column"
                },
            );
            None
        }
    }
}

/// Are there enough places, each beyond the one before?
fn increasing(b: &mut Builder<'_>, places: &[f64], least: usize, at: &At) -> bool {
    if places.len() < least {
        let message = format!("{} numbers; there must be {least} or more", places.len());
        b.report.add(at, message);
        return false;
    }
    match places.windows(2).position(|pair| pair[1] <= pair[0]) {
        None => true,
        Some(k) => {
            let message = format!(
                "must increase: number {} is {}, number {} is {}",
                k + 1,
                places[k],
                k + 2,
                places[k + 1]
            );
            b.report.add(at, message);
            false
        }
    }
}

//! Control plane: splines; their curves are made when an expression asks for them.

use super::builder::Builder;
use super::tables::Table;
use crate::math::spline::{Beyond, Curve, Ends, Method};
use crate::model::csv::Header;
use crate::model::errors::{At, quote};
use crate::model::schema::{self, Column, Document, Levels, Places, Values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Extrapolations by name.
const BEYOND: [(&str, Beyond); 2] = [("linear", Beyond::Tangent), ("constant", Beyond::Constant)];
/// Ends of a cubic by name.
const ENDS: [(&str, Ends); 2] = [("natural", Ends::Natural), ("fmm", Ends::Fmm)];

/// The points of a spline, and the curves made of them so far.
#[derive(Debug)]
pub(in crate::model) struct Spline {
    name: String,
    x: Vec<f64>,
    z: Vec<f64>,
    rows: Vec<Vec<f64>>,
    ends: Ends,
    beyond: Beyond,
    curves: BTreeMap<Method, Arc<Curve>>,
}

impl Spline {
    /// The curve by a method, or what to say about it.
    pub(in crate::model) fn curve(&mut self, method: Method) -> Result<Arc<Curve>, String> {
        let method = match method {
            Method::Cubic(_) => Method::Cubic(self.ends),
            other => other,
        };
        if self.x.len() < method.least() {
            return Err(format!(
                "the spline {} has {} points; this function needs {} or more",
                quote(&self.name),
                self.x.len(),
                method.least()
            ));
        }
        let make = || {
            Arc::new(Curve::new(
                &self.x,
                &self.z,
                &self.rows,
                method,
                self.beyond,
            ))
        };
        Ok(Arc::clone(self.curves.entry(method).or_insert_with(make)))
    }
}

/// All splines; `None`: broken.
pub(super) fn splines(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Spline>> {
    b.each(&document.splines.0, |b, data, at| {
        let word = (data.extrapolation.as_deref(), "extrapolation");
        let beyond = b.choice(word, &BEYOND, at);
        let ends = b.choice((data.ends.as_deref(), "ends"), &ENDS, at);
        let Points { x, z, rows } = points(b, data, at)?;
        let sound = increasing(b, &x, 2, &at.field("x"));
        let sound = sound && (z.is_empty() || increasing(b, &z, 2, &at.field("z")));
        let at = at.field("y");
        for (k, row) in rows.iter().enumerate() {
            if row.len() != x.len() {
                let at = if z.is_empty() {
                    at.clone()
                } else {
                    at.index(k)
                };
                let message = format!(
                    "{} values for {} places in x; there must be as many",
                    row.len(),
                    x.len()
                );
                b.report.add(&at, message);
                return None;
            }
        }
        sound.then(|| Spline {
            name: data.name.clone(),
            x,
            z,
            rows,
            ends: ends.unwrap_or_default(),
            beyond: beyond.unwrap_or_default(),
            curves: BTreeMap::new(),
        })
    })
}

/// The points of a spline, wherever they are from.
struct Points {
    x: Vec<f64>,
    /// Empty for a curve.
    z: Vec<f64>,
    /// One for each z; one for a curve.
    rows: Vec<Vec<f64>>,
}

fn points(b: &mut Builder<'_>, data: &schema::Spline, at: &At) -> Option<Points> {
    match &data.file {
        Some(path) => from_file(b, path, data, at),
        None => from_model(b, data, at),
    }
}

/// Points that stand in the model.
fn from_model(b: &mut Builder<'_>, data: &schema::Spline, at: &At) -> Option<Points> {
    const FILE: &str = "columns belong to a spline with a field \"file\"";
    let mut miss = |field: &str| {
        let message = format!("the field {} is missing", quote(field));
        b.report.add(at, message);
    };
    if data.x.is_none() {
        miss("x");
    }
    if data.y.is_none() {
        miss("y");
    }
    let (x, y) = (data.x.as_ref()?, data.y.as_ref()?);
    let Places::Numbers(x) = x else {
        b.report.add(&at.field("x"), FILE);
        return None;
    };
    let x = x.clone();
    let fault = match (&data.z, y) {
        (Some(Levels::Word(_)), _) => {
            let message = "the header line belongs to a spline with a field \"file\"";
            b.report.add(&at.field("z"), message);
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
                "{} arrays for {} places in z; there must be as many",
                rows.len(),
                z.len()
            )
        }
        (_, Values::Column(_) | Values::Columns(_)) => FILE,
        (None, Values::Surface(_)) => {
            "an array of arrays belongs to a surface, which has a field \"z\""
        }
        (Some(_), Values::Curve(_)) => "with \"z\" it must be an array of arrays, one for each z",
    };
    b.report.add(&at.field("y"), fault);
    None
}

/// Points in the columns of a file.
fn from_file(b: &mut Builder<'_>, path: &str, data: &schema::Spline, at: &At) -> Option<Points> {
    let header = match &data.z {
        Some(Levels::Word(word)) if word != "header" => {
            let message = format!(
                "{}: valid: an array of numbers, or \"header\": the numbers in the header line",
                quote(word)
            );
            b.report.add(&at.field("z"), message);
            return None;
        }
        Some(Levels::Word(_)) => Header::Always,
        _ => Header::Guess,
    };
    let table = Table::open(b, path, header, at)?;
    let x = match &data.x {
        None => Some(0),
        Some(Places::Column(column)) => table.column(b, column, &at.field("x")),
        Some(Places::Numbers(_)) => {
            let message = "with a file it is the name or number of a column";
            b.report.add(&at.field("x"), message);
            None
        }
    }?;
    let columns = value_columns(b, &table, x, data, at)?;
    let z = match &data.z {
        None => Vec::new(),
        Some(Levels::Numbers(z)) => z.clone(),
        Some(Levels::Word(_)) => columns
            .iter()
            .map(|column| table.level(b, *column, &at.field("z")))
            .collect::<Option<_>>()?,
    };
    if !z.is_empty() && z.len() != columns.len() {
        let message = format!(
            "{} columns for {} places in z; there must be as many",
            columns.len(),
            z.len()
        );
        b.report.add(&at.field("y"), message);
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
    data: &schema::Spline,
    at: &At,
) -> Option<Vec<usize>> {
    let at = at.field("y");
    let surface = data.z.is_some();
    match &data.y {
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

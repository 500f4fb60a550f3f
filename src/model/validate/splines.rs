//! Control plane: splines; their curves are made when an expression asks for them.

use super::builder::Builder;
use crate::math::spline::{Beyond, Curve, Ends, Method};
use crate::model::errors::{At, quote};
use crate::model::schema::{self, Document, Values};
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
        let sound = increasing(b, &data.x, 2, &at.field("x"));
        let (z, rows) = rows(b, data, at)?;
        let at = at.field("y");
        for (k, row) in rows.iter().enumerate() {
            if row.len() != data.x.len() {
                let at = if z.is_empty() {
                    at.clone()
                } else {
                    at.index(k)
                };
                let message = format!(
                    "{} values for {} places in x; there must be as many",
                    row.len(),
                    data.x.len()
                );
                b.report.add(&at, message);
                return None;
            }
        }
        sound.then(|| Spline {
            name: data.name.clone(),
            x: data.x.clone(),
            z,
            rows,
            ends: ends.unwrap_or_default(),
            beyond: beyond.unwrap_or_default(),
            curves: BTreeMap::new(),
        })
    })
}

/// z and the rows of values.
fn rows(b: &mut Builder<'_>, data: &schema::Spline, at: &At) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    match (&data.z, &data.y) {
        (None, Values::Curve(y)) => Some((Vec::new(), vec![y.clone()])),
        (Some(z), Values::Surface(rows)) => {
            if !increasing(b, z, 2, &at.field("z")) {
                return None;
            }
            if z.len() != rows.len() {
                let message = format!(
                    "{} arrays for {} places in z; there must be as many",
                    rows.len(),
                    z.len()
                );
                b.report.add(&at.field("y"), message);
                return None;
            }
            Some((z.clone(), rows.clone()))
        }
        (None, Values::Surface(_)) => {
            let message = "an array of arrays belongs to a surface, which has a field \"z\"";
            b.report.add(&at.field("y"), message);
            None
        }
        (Some(_), Values::Curve(_)) => {
            let message = "with \"z\" it must be an array of arrays, one for each z";
            b.report.add(&at.field("y"), message);
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

//! Control plane: checks the splines of a model; their curves are made when an expression needs them.

use super::builder::Builder;
use super::points::{Points, SplineSource};
use crate::errors::quote;
use crate::schema::Document;
use fixstep_kernel::math::spline::{Beyond, Curve, Ends, Method};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Extrapolations by name.
const BEYOND: [(&str, Beyond); 2] = [("linear", Beyond::Tangent), ("constant", Beyond::Constant)];
/// Ends of a cubic by name.
const ENDS: [(&str, Ends); 2] = [("natural", Ends::Natural), ("fmm", Ends::Fmm)];

/// The points of a spline, and the curves made of them so far.
#[derive(Debug)]
pub(crate) struct Spline {
    name: String,
    x: Vec<f64>,
    z: Vec<f64>,
    rows: Vec<Vec<f64>>,
    ends: Ends,
    beyond: Beyond,
    curves: BTreeMap<Method, Arc<Curve>>,
}

impl Spline {
    /// Does it have two variables?
    pub(crate) fn is_surface(&self) -> bool {
        !self.z.is_empty()
    }

    /// The curve by a method, or the message about it.
    pub(crate) fn curve(&mut self, method: Method) -> Result<Arc<Curve>, String> {
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
        let given = SplineSource {
            file: data.file.as_deref(),
            x: data.x.as_ref(),
            y: data.y.as_ref(),
            z: data.z.as_ref(),
            fields: ["x", "y", "z"],
        };
        let Points { x, z, rows } = given.points(b, at)?;
        Some(Spline {
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

//! Control plane: splines as they stand in the file.

use crate::model::errors::{At, Report};
use crate::model::read::{Entity, FromJson, describe, schema};
use serde_json::Value;

/// The values of a spline.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(untagged))]
pub(in crate::model) enum Values {
    /// One value for each x.
    Curve(Vec<f64>),
    /// For each z, one value for each x.
    Surface(Vec<Vec<f64>>),
}

impl FromJson for Values {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        let rows = value.as_array().filter(|items| !items.is_empty());
        let Some(items) = rows else {
            let message = format!(
                "expected an array of numbers, or of one such array for each z; found {}",
                describe(value)
            );
            report.add(at, message);
            return None;
        };
        if items[0].is_array() {
            FromJson::from_json(value, at, report).map(Self::Surface)
        } else {
            FromJson::from_json(value, at, report).map(Self::Curve)
        }
    }
}

schema! {
    /// A curve through points, or a surface of such curves, for the functions `AKISPL`, `CUBSPL` and
    /// `INTERP`. Plain numbers without units.
    Spline {
        /// Name.
        name: String,
        /// Where the points are, increasing.
        x: Vec<f64>,
        /// Second variable of a surface, increasing; between its values the surface is linear.
        z: Option<Vec<f64>>,
        /// The values: one for each x; with z, an array of them for each z.
        y: Values,
        /// Ends of the cubic of CUBSPL: natural (curvature zero) or fmm (third derivative of the cubic
        /// through the four points at the end). Default: natural.
        ends: Option<String>,
        /// How the curve goes on beyond the first and last x: linear (along the tangent) or
        /// constant. Default: linear.
        extrapolation: Option<String>,
    }
}

impl Entity for Spline {
    const KIND: &'static str = "spline";
}

//! Control plane: splines as they are written in the file.

use crate::errors::{At, Report};
use crate::read::{Entity, FromJson, describe, schema};
use serde_json::Value;

/// A column of a CSV file.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Column {
    /// By its name in the header line.
    #[schemars(title = "ColumnName")]
    Name(String),
    /// By its number, counted from 1.
    #[schemars(title = "ColumnNumber")]
    Number(i64),
}

impl FromJson for Column {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value {
            Value::String(name) => Some(Self::Name(name.clone())),
            Value::Number(_) => i64::from_json(value, at, report).map(Self::Number),
            _ => {
                let message = format!(
                    "expected the name or number of a column, found {}",
                    describe(value)
                );
                report.add(at, message);
                None
            }
        }
    }
}

/// The x values of a spline.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Places {
    /// The numbers.
    #[schemars(title = "PlacesNumbers")]
    Numbers(Vec<f64>),
    /// A column of the file.
    #[schemars(title = "PlacesColumn")]
    Column(Column),
}

impl FromJson for Places {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        if value.is_array() {
            FromJson::from_json(value, at, report).map(Self::Numbers)
        } else {
            FromJson::from_json(value, at, report).map(Self::Column)
        }
    }
}

/// The values of a spline.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Values {
    /// One value for each x; of a surface in a file, the number of the column of each z.
    #[schemars(title = "ValuesCurve")]
    Curve(Vec<f64>),
    /// For each z, one value for each x.
    #[schemars(title = "ValuesSurface")]
    Surface(Vec<Vec<f64>>),
    /// A column of the file.
    #[schemars(title = "ValuesColumn")]
    Column(Column),
    /// A column of the file for each z.
    #[schemars(title = "ValuesColumns")]
    Columns(Vec<Column>),
}

impl FromJson for Values {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        if value.is_string() || value.is_number() {
            return FromJson::from_json(value, at, report).map(Self::Column);
        }
        let rows = value.as_array().filter(|items| !items.is_empty());
        let Some(items) = rows else {
            let message = format!(
                "expected an array of numbers, or of one such array for each z; found {}",
                describe(value)
            );
            report.add(at, message);
            return None;
        };
        let programs = |item: &Value| {
            item.as_str()
                .is_some_and(|text| text.trim_start().starts_with('='))
        };
        if items.iter().any(programs) {
            // Numbers alone: the message about them says why.
            return FromJson::from_json(value, at, report).map(Self::Curve);
        }
        if items[0].is_array() {
            FromJson::from_json(value, at, report).map(Self::Surface)
        } else if items[0].is_string() {
            FromJson::from_json(value, at, report).map(Self::Columns)
        } else {
            FromJson::from_json(value, at, report).map(Self::Curve)
        }
    }
}

/// The second variable of a surface.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Levels {
    /// The numbers.
    #[schemars(title = "LevelsNumbers")]
    Numbers(Vec<f64>),
    /// `header`: they are in the header line of the file.
    #[schemars(title = "LevelsWord")]
    Word(String),
}

impl FromJson for Levels {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        if value.is_string() {
            FromJson::from_json(value, at, report).map(Self::Word)
        } else {
            FromJson::from_json(value, at, report).map(Self::Numbers)
        }
    }
}

schema! {
    /// A curve through points, or a surface of such curves, for the functions `AKISPL`, `CUBSPL` and
    /// `INTERP`. Plain numbers without units.
    Spline {
        /// Name.
        name: String,
        /// CSV file beside the model that holds the points; x and y then name its columns.
        file: Option<String>,
        /// The x values, increasing; with a file, the name or number of their column. Default with a
        /// file: column 1.
        x: Option<Places>,
        /// Values of the second variable of a surface, increasing; between them the surface is linear.
        /// With a file, `header`: they are the names of the y columns.
        z: Option<Levels>,
        /// The values: one for each x; with z, an array of them for each z. With a file, the column or
        /// columns. Default with a file: column 2; of a surface all columns but that of x.
        y: Option<Values>,
        /// Ends of the cubic of CUBSPL: natural (curvature zero) or fmm (third derivative of the cubic
        /// through the four points at the end). Default: natural.
        ends: Option<String>,
        /// Extrapolation beyond the first and last x: linear (along the tangent) or constant. Default:
        /// linear.
        extrapolation: Option<String>,
    }
}

impl Entity for Spline {
    const KIND: &'static str = "spline";
}

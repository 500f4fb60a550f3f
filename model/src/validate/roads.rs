//! Control plane: checks the roads of a model and converts them to those of the mechanism.

use super::builder::Builder;
use super::points::SplineSource;
use crate::errors::At;
use crate::schema::{self, Document, Number, ProfileRoad};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::math::road::{Road, RoadShape, heading};
use fixstep_kernel::math::spline::{Beyond, Curve, Ends, Method};
use fixstep_kernel::mechanism::{RoadEntry, ValueRule};
use std::sync::Arc;

const METHODS: [(&str, Method); 3] = [
    ("akima", Method::Akima),
    ("cubic", Method::Cubic(Ends::Natural)),
    ("linear", Method::Linear),
];

const BEYOND: [(&str, Beyond); 2] = [("constant", Beyond::Constant), ("linear", Beyond::Tangent)];

const ONE: Number = Number::Constant(1.0);

/// All roads, and the flat one behind them.
pub(super) fn roads(b: &mut Builder<'_>, document: &Document) -> Vec<Option<RoadEntry>> {
    let mut roads = b.each(&document.roads.0, |b, data, at| {
        let [x, y, z] = data.position.unwrap_or_default();
        let position = b.si3(Some([x, y, z]), Dimension::Length, &at.field("position"));
        let yaw = b.si(
            data.yaw.unwrap_or_default(),
            Dimension::Angle,
            &at.field("yaw"),
        );
        let friction = data.friction.as_ref().unwrap_or(&ONE);
        let some = ValueRule::NonNegative;
        let friction = b.number(friction, Dimension::One, some, &at.field("friction"));
        Some(RoadEntry {
            name: data.name.clone(),
            road: Road {
                position: [position.x, position.y, position.z],
                heading: heading(yaw),
                shape: shape(b, &data.shape, &at.field("shape"))?,
            },
            friction,
        })
    });
    let at = At::default().field("roads");
    roads.push(Some(RoadEntry {
        name: String::new(),
        road: Road::flat(),
        friction: b.number(&ONE, Dimension::One, ValueRule::NonNegative, &at),
    }));
    roads
}

fn shape(b: &mut Builder<'_>, data: &schema::RoadShape, at: &At) -> Option<RoadShape> {
    use schema::RoadShape as S;
    let length = |b: &mut Builder<'_>, value: f64, least: Option<f64>, field: &str| {
        let at = at.field(field);
        let fault = match least {
            Some(0.0) if value < 0.0 => Some("must be zero or more"),
            Some(least) if least > 0.0 && value <= 0.0 => Some("must be more than zero"),
            _ => None,
        };
        if let Some(fault) = fault {
            b.report.add(&at, format!("{fault}; found {value}"));
        }
        b.si(value, Dimension::Length, &at)
    };
    let (any, some, positive) = (None, Some(0.0), Some(1.0));
    Some(match data {
        S::Flat(_) => RoadShape::Flat,
        S::Slope(x) => RoadShape::Slope {
            grade: x.grade.unwrap_or_default(),
            bank: x.bank.unwrap_or_default(),
        },
        S::Sine(x) => RoadShape::Sine {
            amplitude: length(b, x.amplitude, any, "amplitude"),
            wavelength: length(b, x.wavelength, positive, "wavelength"),
            phase: b.si(
                x.phase.unwrap_or_default(),
                Dimension::Angle,
                &at.field("phase"),
            ),
        },
        S::Plank(x) => RoadShape::Plank {
            height: length(b, x.height, any, "height"),
            width: length(b, x.width, some, "width"),
            edge: length(b, x.edge, positive, "edge"),
        },
        S::Kerb(x) => RoadShape::Plank {
            height: length(b, x.height, any, "height"),
            width: f64::INFINITY,
            edge: length(b, x.edge, positive, "edge"),
        },
        S::Profile(x) => RoadShape::Profile(Arc::new(profile(b, x, at)?)),
    })
}

/// The curve or surface of a profile, in SI.
fn profile(b: &mut Builder<'_>, data: &ProfileRoad, at: &At) -> Option<Curve> {
    let word = (data.interpolation.as_deref(), "interpolation");
    let method = b.choice(word, &METHODS, at).unwrap_or(Method::Akima);
    let word = (data.extrapolation.as_deref(), "extrapolation");
    let beyond = b.choice(word, &BEYOND, at).unwrap_or(Beyond::Constant);
    let given = SplineSource {
        file: data.file.as_deref(),
        x: data.s.as_ref(),
        y: data.z.as_ref(),
        z: data.t.as_ref(),
        fields: ["s", "z", "t"],
    };
    let points = given.points(b, at)?;
    if points.x.len() < method.least() {
        let message = format!(
            "{} points; this interpolation needs {} or more",
            points.x.len(),
            method.least()
        );
        b.report.add(at, message);
        return None;
    }
    let metres = b.units.to_si(Dimension::Length);
    let si = |values: &[f64]| -> Vec<f64> { values.iter().map(|v| v * metres).collect() };
    let rows: Vec<Vec<f64>> = points.rows.iter().map(|row| si(row)).collect();
    Some(Curve::new(
        &si(&points.x),
        &si(&points.z),
        &rows,
        method,
        beyond,
    ))
}

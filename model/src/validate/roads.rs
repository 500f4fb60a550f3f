//! Control plane: checks the roads of a model and converts them to those of the mechanism.

use super::builder::Builder;
use super::points::SplineSource;
use crate::errors::At;
use crate::schema::{self, Document, Number, ProfileRoad};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::RoadId;
use fixstep_kernel::math::road::{Road, RoadShape, heading};
use fixstep_kernel::math::spline::{Beyond, Curve, Ends, Method};
use fixstep_kernel::mechanism::{Construction, Place, RoadEntry, RoadNumber, ValueRule};
use std::sync::Arc;

const METHODS: [(&str, Method); 3] = [
    ("akima", Method::Akima),
    ("cubic", Method::Cubic(Ends::Natural)),
    ("linear", Method::Linear),
];

const BEYOND: [(&str, Beyond); 2] = [("constant", Beyond::Constant), ("linear", Beyond::Tangent)];

const ONE: Number = Number::Constant(1.0);
const ZERO: Number = Number::Constant(0.0);

/// All roads, and the flat one behind them.
pub(super) fn roads(b: &mut Builder<'_>, document: &Document) -> Vec<Option<RoadEntry>> {
    let mut roads = b.each(&document.roads.0, |b, data, at| {
        let own = RoadId::from(b.item);
        let position = b.placed3(
            data.position.as_ref(),
            Dimension::Length,
            |axis| Place::Road(own, RoadNumber::Position(axis)),
            &at.field("position"),
        );
        let at_yaw = at.field("yaw");
        let angle = b.units.to_si(Dimension::Angle);
        let yaw = b.settled(data.yaw.as_ref().unwrap_or(&ZERO), angle, &at_yaw);
        b.build(Construction::Heading(own), &[yaw], &at_yaw);
        let friction = data.friction.as_ref().unwrap_or(&ONE);
        let some = ValueRule::NonNegative;
        let friction = b.number(friction, Dimension::One, some, &at.field("friction"));
        Some(RoadEntry {
            name: data.name.clone(),
            road: Road {
                position: [position.x, position.y, position.z],
                heading: heading(yaw.value),
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
    let own = RoadId::from(b.item);
    let mut number = |number: &Number, dimension, k: u8, least: Option<f64>, field: &str| {
        let at = at.field(field);
        let place = Place::Road(own, RoadNumber::Shape(k));
        let value = b.placed(number, dimension, place, &at);
        let fault = match least {
            Some(0.0) if value < 0.0 => Some("must be zero or more"),
            Some(least) if least > 0.0 && value <= 0.0 => Some("must be more than zero"),
            _ => None,
        };
        if let Some(fault) = fault {
            let found = value / b.units.to_si(dimension);
            b.report.add(&at, format!("{fault}; found {found}"));
        }
        value
    };
    let (any, some, positive) = (None, Some(0.0), Some(1.0));
    let length = Dimension::Length;
    let or_zero = |number: &'_ Option<Number>| number.clone().unwrap_or(ZERO);
    Some(match data {
        S::Flat(_) => RoadShape::Flat,
        S::Slope(x) => RoadShape::Slope {
            grade: number(&or_zero(&x.grade), Dimension::One, 0, any, "grade"),
            bank: number(&or_zero(&x.bank), Dimension::One, 1, any, "bank"),
        },
        S::Sine(x) => RoadShape::Sine {
            amplitude: number(&x.amplitude, length, 0, any, "amplitude"),
            wavelength: number(&x.wavelength, length, 1, positive, "wavelength"),
            phase: number(&or_zero(&x.phase), Dimension::Angle, 2, any, "phase"),
        },
        S::Plank(x) => RoadShape::Plank {
            height: number(&x.height, length, 0, any, "height"),
            width: number(&x.width, length, 1, some, "width"),
            edge: number(&x.edge, length, 2, positive, "edge"),
        },
        S::Kerb(x) => RoadShape::Plank {
            height: number(&x.height, length, 0, any, "height"),
            width: f64::INFINITY,
            edge: number(&x.edge, length, 2, positive, "edge"),
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

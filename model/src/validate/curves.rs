//! Control plane: curves through points, and curves from expressions, which polynomials approximate.

use super::builder::Builder;
use crate::errors::{At, quote};
use crate::expr::{self, Argument, Program, ResolveError, Resolver, TimeJet};
use crate::schema::{self, Document};
use fixstep_kernel::ids::LeafId;
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::curve::SpaceCurve;
use std::sync::Arc;

/// Pieces of a curve of expressions.
const PIECES: i64 = 200;
/// The most of them.
const MOST_PIECES: i64 = 100_000;
/// Neighbouring points that are nearer than this part of the curve's size coincide.
const APART: f64 = 1e-12;
/// How accurately the ends of a closed curve must meet, relative to its size.
const JOINED: f64 = 1e-9;

/// All curves \[m\]; `None`: broken.
pub(super) fn curves(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Arc<SpaceCurve>>> {
    b.each(&document.curves.0, |b, data, at| {
        let closed = data.closed.unwrap_or(false);
        let expressions = [
            ("x", data.x.is_some()),
            ("y", data.y.is_some()),
            ("z", data.z.is_some()),
            ("from", data.from.is_some()),
            ("to", data.to.is_some()),
            ("pieces", data.pieces.is_some()),
        ];
        let curve = match &data.points {
            Some(points) => {
                if let Some((field, _)) = expressions.iter().find(|(_, given)| *given) {
                    let message = "a curve through \"points\" has no expressions; leave this out";
                    b.report.add(&at.field(field), message);
                    return None;
                }
                through(b, points, closed, &at.field("points"))?
            }
            None => of_expressions(b, data, closed, at)?,
        };
        Some(Arc::new(curve))
    })
}

/// A curve through points.
fn through(b: &mut Builder<'_>, points: &[[f64; 3]], closed: bool, at: &At) -> Option<SpaceCurve> {
    let factor = b.units.length.factor;
    let mut places: Vec<Vec3> = points.iter().map(|p| Vec3::from(*p) * factor).collect();
    let coincide = |a: &Vec3, b: &Vec3, size: f64| (a - b).norm() <= APART * size;
    let size = extent(&places);
    // A closed curve may or may not repeat its first point.
    if closed && places.len() > 1 && coincide(&places[0], &places[places.len() - 1], size) {
        places.pop();
    }
    let least = if closed { 3 } else { 2 };
    if places.len() < least {
        let kind = if closed { "closed" } else { "open" };
        let message = format!(
            "{} points; an {kind} curve needs {least} or more",
            places.len()
        );
        b.report.add(at, message.replace("an closed", "a closed"));
        return None;
    }
    let mut pairs = places.windows(2);
    if let Some(k) = pairs.position(|pair| coincide(&pair[0], &pair[1], size)) {
        let message = format!("the points {} and {} coincide; leave one out", k + 1, k + 2);
        b.report.add(&at.index(k + 1), message);
        return None;
    }
    Some(SpaceCurve::through(&places, closed))
}

/// The largest distance from the first point.
fn extent(places: &[Vec3]) -> f64 {
    let far = |p: &Vec3| (p - places[0]).norm();
    places.iter().map(far).fold(f64::MIN_POSITIVE, f64::max)
}

/// A curve of expressions.
fn of_expressions(
    b: &mut Builder<'_>,
    data: &schema::Curve,
    closed: bool,
    at: &At,
) -> Option<SpaceCurve> {
    let (Some(x), Some(y), Some(from), Some(to)) = (&data.x, &data.y, data.from, data.to) else {
        let message = "give either \"points\", or the expressions \"x\", \"y\" (and \"z\") with \
                       \"from\" and \"to\"";
        b.report.add(at, message);
        return None;
    };
    if to <= from {
        let message = format!("must be more than \"from\", {from}; found {to}");
        b.report.add(&at.field("to"), message);
        return None;
    }
    let pieces = data.pieces.unwrap_or(PIECES);
    if !(2..=MOST_PIECES).contains(&pieces) {
        let message = format!("must be 2 to {MOST_PIECES}; found {pieces}");
        b.report.add(&at.field("pieces"), message);
        return None;
    }
    let zero = schema::Expression::Constant(0.0);
    let z = data.z.as_ref().unwrap_or(&zero);
    let texts = [("x", x), ("y", y), ("z", z)];
    let programs = texts.map(|(field, text)| program(b, &text.text(), &at.field(field)));
    let [Some(x), Some(y), Some(z)] = programs else {
        return None;
    };
    let count = pieces as usize;
    let knot = |k: usize| from + (to - from) * (k as f64 / count as f64);
    let knots: Vec<f64> = (0..=count).map(knot).collect();
    let factor = b.units.length.factor;
    let places: Vec<[Vec3; 3]> = knots
        .iter()
        .map(|s| place(&[&x, &y, &z], *s, factor))
        .collect();
    check(b, &knots, &places, closed, at)?;
    Some(SpaceCurve::of_derivatives(knots, &places, closed))
}

/// The place at a parameter, with two derivatives \[m\].
fn place(programs: &[&Program; 3], s: f64, factor: f64) -> [Vec3; 3] {
    let parameter = TimeJet {
        value: s,
        first: 1.0,
        second: 0.0,
    };
    let jets = programs.map(|program| {
        let mut registers = vec![TimeJet::default(); program.registers()];
        program.time_jet(&[parameter], &mut registers)
    });
    let part = |of: fn(&TimeJet) -> f64| Vec3::from(jets.map(|jet| of(&jet) * factor));
    [part(|j| j.value), part(|j| j.first), part(|j| j.second)]
}

/// Finite, in motion everywhere, and joined where it is closed.
fn check(
    b: &mut Builder<'_>,
    knots: &[f64],
    places: &[[Vec3; 3]],
    closed: bool,
    at: &At,
) -> Option<()> {
    let finite = |p: &[Vec3; 3]| p.iter().all(|v| v.iter().all(|x| x.is_finite()));
    if let Some(k) = places.iter().position(|p| !finite(p)) {
        let message = format!(
            "at s = {} the curve, or one of its first two derivatives, is not finite",
            knots[k]
        );
        b.report.add(at, message);
        return None;
    }
    let origins: Vec<Vec3> = places.iter().map(|p| p[0]).collect();
    let size = extent(&origins);
    let whole = knots[knots.len() - 1] - knots[0];
    if let Some(k) = places
        .iter()
        .position(|p| p[1].norm() * whole <= 1e-6 * size)
    {
        let message = format!(
            "at s = {} the curve does not move: the derivatives of x, y and z are zero there, and it has no \
             direction; choose another parameter, or end it before that place",
            knots[k]
        );
        b.report.add(at, message);
        return None;
    }
    let (begin, end) = (&places[0], &places[places.len() - 1]);
    let joined = (begin[0] - end[0]).norm() <= JOINED * size
        && (begin[1] - end[1]).norm() * whole <= 1e3 * JOINED * size;
    if closed && !joined {
        let message = "the curve does not end where, and with the slope with which, it begins; \
                       correct \"from\" and \"to\", or leave this out";
        b.report.add(&at.field("closed"), message);
        return None;
    }
    Some(())
}

/// An expression of the parameter alone.
fn program(b: &mut Builder<'_>, text: &str, at: &At) -> Option<Program> {
    match expr::compile(text, &mut Parameter) {
        Ok(program) => Some(program),
        Err(e) => {
            let message = format!("column {} of {}: {}", e.column, quote(text), e.message);
            b.report.add(at, message);
            None
        }
    }
}

/// Knows the parameter `s` and nothing else.
struct Parameter;

impl Resolver for Parameter {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        if name == "s" {
            return Ok(LeafId(0));
        }
        Err(ResolveError::new(format!(
            "{} is not valid here: the coordinates of a curve are expressions of \"s\" alone",
            quote(name)
        )))
    }

    fn call(&mut self, function: &str, _: &[Argument]) -> Result<LeafId, ResolveError> {
        Err(ResolveError::new(format!(
            "{function} is not valid here: the coordinates of a curve are expressions of \"s\" alone"
        )))
    }

    fn functions(&self) -> Vec<&str> {
        Vec::new()
    }

    fn names(&self) -> Vec<&str> {
        vec!["s"]
    }
}

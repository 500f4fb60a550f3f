//! Control plane: curves through points, and curves from expressions, which polynomials approximate.

use super::builder::{Builder, Settled};
use crate::errors::{At, Report, quote};
use crate::expr::{self, Argument, Program, ResolveError, Resolver};
use crate::names::Names;
use crate::schema::{self, Document, Number};
use fixstep_kernel::ids::{CurveId, ForceId, LeafId, ParameterId};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::curve::{CurveFault, SpaceCurve};
use fixstep_kernel::mechanism::{
    Construction, ContactBody, ContactShape, Force, ForceKind, MOST_PIECES, Trace,
};
use std::sync::Arc;

/// Pieces of a curve of expressions.
const PIECES: i64 = 200;

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
fn through(
    b: &mut Builder<'_>,
    points: &[[Number; 3]],
    closed: bool,
    at: &At,
) -> Option<SpaceCurve> {
    let factor = b.units.length.factor;
    let mut settled = Vec::with_capacity(3 * points.len());
    for (k, point) in points.iter().enumerate() {
        let at = at.index(k);
        for (c, number) in point.iter().enumerate() {
            settled.push(b.settled(number, factor, &at.index(c)));
        }
    }
    let curve = CurveId::from(b.item);
    b.build(Construction::Points { curve, closed }, &settled, at);
    let place = |p: &[Settled]| Vec3::new(p[0].value, p[1].value, p[2].value);
    let places = settled.chunks_exact(3).map(place).collect();
    let made = SpaceCurve::of_points(places, closed);
    let tell = |fault: CurveFault| {
        let at = match fault {
            CurveFault::Coincide(k) => at.index(k),
            _ => at.clone(),
        };
        b.report.add(&at, fault.to_string());
    };
    made.map_err(tell).ok()
}

/// A curve of expressions.
fn of_expressions(
    b: &mut Builder<'_>,
    data: &schema::Curve,
    closed: bool,
    at: &At,
) -> Option<SpaceCurve> {
    let (Some(x), Some(y), Some(from), Some(to)) = (&data.x, &data.y, &data.from, &data.to) else {
        let message = "give either \"points\", or the expressions \"x\", \"y\" (and \"z\") with \
                       \"from\" and \"to\"";
        b.report.add(at, message);
        return None;
    };
    let pieces = data.pieces.unwrap_or(PIECES);
    if !(2..=i64::from(MOST_PIECES)).contains(&pieces) {
        let message = format!("must be 2 to {MOST_PIECES}; found {pieces}");
        b.report.add(&at.field("pieces"), message);
        return None;
    }
    let zero = schema::Expression::Constant(0.0);
    let z = data.z.as_ref().unwrap_or(&zero);
    let mut read = Vec::new();
    let texts = [("x", x), ("y", y), ("z", z)];
    let programs = texts.map(|(field, text)| {
        let mut resolver = Coordinates {
            names: b.names,
            read: &mut read,
        };
        program(b.report, &mut resolver, &text.text(), &at.field(field))
    });
    let [Some(x), Some(y), Some(z)] = programs else {
        return None;
    };
    let mut settled = vec![
        b.settled(from, 1.0, &at.field("from")),
        b.settled(to, 1.0, &at.field("to")),
    ];
    settled.extend(read.iter().map(|id| b.settled_parameter(*id, at)));
    let trace = Trace {
        programs: [x, y, z],
        others: read.len() as u32,
        pieces: pieces as u32,
        unit: b.units.length.factor,
        closed,
    };
    let numbers: Vec<f64> = settled.iter().map(|settled| settled.value).collect();
    let made = trace.curve(&numbers);
    let own = CurveId::from(b.item);
    b.build(Construction::Trace(own, Box::new(trace)), &settled, at);
    let tell = |fault: CurveFault| {
        let at = match fault {
            CurveFault::Backwards { .. } => at.field("to"),
            CurveFault::Open => at.field("closed"),
            _ => at.clone(),
        };
        b.report.add(&at, fault.to_string());
    };
    made.map_err(tell).ok()
}

/// Contacts have their own curves: those of curves that follow parameters do too.
pub(super) fn follow(b: &mut Builder<'_>, forces: &[Option<Force>]) {
    let curves = b.built.iter().filter_map(|built| match built.what {
        Construction::Points { curve, .. } | Construction::Trace(curve, _) => Some(curve),
        _ => None,
    });
    let curves: Vec<CurveId> = curves.collect();
    for id in curves {
        let Some(curve) = b.curves[id.index()].clone() else {
            continue;
        };
        for (k, force) in forces.iter().enumerate() {
            let Some(force) = force else { continue };
            let ForceKind::Contact(contact) = &force.kind else {
                continue;
            };
            let of_i = matches!(&contact.body, ContactBody::Curve(own) if Arc::ptr_eq(own, &curve));
            let of_j = matches!(&contact.shape, ContactShape::Curve { curve: own, .. } if Arc::ptr_eq(own, &curve));
            for (of, is_i) in [(of_i, true), (of_j, false)] {
                if of {
                    let at = At::default().field("forces").index(k);
                    let at = at.named("force", Some(&force.name)).field("shapes");
                    b.always_build(Construction::Outline(id, ForceId::from(k), is_i), &[], &at);
                }
            }
        }
    }
}

/// An expression of the parameter of the curve, and of parameters of the model.
fn program(
    report: &mut Report,
    resolver: &mut Coordinates<'_>,
    text: &str,
    at: &At,
) -> Option<Program> {
    match expr::compile(text, resolver) {
        Ok(program) => Some(program),
        Err(e) => {
            let message = format!("column {} of {}: {}", e.column, quote(text), e.message);
            report.add(at, message);
            None
        }
    }
}

/// Knows the parameter `s` as leaf 0, and parameters of the model as the leaves behind it.
struct Coordinates<'a> {
    names: &'a Names,
    read: &'a mut Vec<ParameterId>,
}

impl Resolver for Coordinates<'_> {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        if name == "s" {
            return Ok(LeafId(0));
        }
        if let Ok(id) = self.names.parameters.find(name) {
            let known = self.read.iter().position(|read| *read == id);
            let at = known.unwrap_or_else(|| {
                self.read.push(id);
                self.read.len() - 1
            });
            return Ok(LeafId::from(at + 1));
        }
        Err(ResolveError::new(format!(
            "{} is not valid here: the coordinates of a curve are expressions of \"s\" and of parameters",
            quote(name)
        )))
    }

    fn call(&mut self, function: &str, _: &[Argument]) -> Result<LeafId, ResolveError> {
        Err(ResolveError::new(format!(
            "{function} is not valid here: the coordinates of a curve are expressions of \"s\" and of parameters"
        )))
    }

    fn functions(&self) -> Vec<&str> {
        Vec::new()
    }

    fn names(&self) -> Vec<&str> {
        vec!["s"]
    }
}

//! Control plane: checks what bodies look like.

use super::builder::{Builder, Settled};
use super::surfaces;
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::frames;
use crate::schema::{Document, Look, LookLink, LookMesh, LookShape, Number};
use crate::shapes::{COLORS, Kind, Shape, Surface};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{BodyId, MarkerId};
use fixstep_kernel::math::solid::SolidShape;
use std::sync::Arc;

/// Most triangles of one shape.
const TRIANGLES: usize = 200_000;
/// Most corners of a figure.
const CORNERS: usize = 1000;

/// All shapes, those of solids first; a broken one leaves a gap.
pub(super) fn shapes(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Shape>> {
    let mut all: Vec<Option<Shape>> = b.drawn.drain(..).map(Some).collect();
    all.extend(b.each(&document.shapes.0, shape));
    all
}

fn shape(b: &mut Builder<'_>, data: &LookShape, at: &At) -> Option<Shape> {
    let marker = match &data.marker {
        Some(name) => Some(b.marker(name, &at.field("marker"))?),
        None => None,
    };
    let mut numbers = Vec::new();
    let kind = kind(b, &data.shape, &mut numbers, &at.field("shape"));
    if let Some(fault) = { kind.as_ref() }.and_then(|kind| fault(kind, &numbers)) {
        b.report.add(&at.field("shape").field(&fault.0), fault.1);
    }
    let unit = b.units.to_si(Dimension::Length);
    let zero = Number::Constant(0.0);
    for k in 0..3 {
        let at = at.field("position").index(k);
        let number = data
            .position
            .as_ref()
            .map_or(&zero, |position| &position[k]);
        numbers.push(b.settled(number, unit, &at));
    }
    let axes = data.orientation.as_ref().map(|orientation| {
        let (form, own) = b.axes_numbers(orientation, data.position.as_ref(), at);
        let plain: Vec<f64> = own.iter().map(|settled| settled.value).collect();
        if let Err(fault) = form.axes(&plain) {
            frames::tell(fault, &at.field("orientation"), b.report);
        }
        numbers.extend(own);
        form
    });
    let color = color(b, data.color.as_deref(), at);
    let opacity = opacity(b, data.opacity, at);
    let kind = kind?;
    let placed = data.position.is_some() || data.orientation.is_some() || marker.is_some();
    if placed && matches!(kind, Kind::Link { .. }) {
        let message =
            "a link has its place from \"i\" and \"j\"; valid: no position, orientation or marker";
        b.report.add(at, message);
    }
    let body = body(b, data, (marker, &kind), at)?;
    Some(Shape {
        name: data.name.clone(),
        body,
        marker,
        kind,
        axes,
        numbers: numbers.iter().map(|settled| settled.source).collect(),
        color,
        opacity,
    })
}

/// The fault of numbers at the start, with its field.
fn fault(kind: &Kind, numbers: &[Settled]) -> Option<(String, String)> {
    let plain: Vec<f64> = numbers.iter().map(|settled| settled.value).collect();
    kind.fault(&plain).map(|found| (found.field, found.fault))
}

/// The body of a shape: all that names one must name the same.
fn body(
    b: &mut Builder<'_>,
    data: &LookShape,
    (marker, kind): (Option<MarkerId>, &Kind),
    at: &At,
) -> Option<BodyId> {
    let given = match &data.part {
        Some(name) => match b.names.bodies.find(name) {
            Ok(body) => Some(body),
            Err(message) => {
                b.report.add(&at.field("part"), message);
                return None;
            }
        },
        None => None,
    };
    let ends: &[MarkerId] = match kind {
        Kind::Link { ends, .. } => ends,
        _ => &[],
    };
    let mut found = given;
    for id in marker.iter().chain(ends) {
        // A broken marker has been reported.
        let (name, own) = {
            let marker = b.markers.get(id.index())?.as_ref()?;
            (marker.name.clone(), marker.body)
        };
        if found.is_some_and(|body| body != own) {
            let message = format!(
                "the marker {} is on another part; valid: markers of one part",
                quote(&name)
            );
            b.report.add(at, message);
            return None;
        }
        found = Some(own);
    }
    if found.is_none() {
        let message = "is missing; give the part whose shape it is, or a \"marker\"";
        b.report.add(&at.field("part"), message);
    }
    found
}

/// A colour; a wrong one is reported.
pub(super) fn color(b: &mut Builder<'_>, text: Option<&str>, at: &At) -> Option<[u8; 3]> {
    let text = text?;
    let is = |(name, _): &&(&str, [u8; 3])| name.eq_ignore_ascii_case(text);
    if let Some((_, color)) = COLORS.iter().find(is) {
        return Some(*color);
    }
    let digits = text.strip_prefix('#').filter(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    if let Some(number) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        let [_, red, green, blue] = number.to_be_bytes();
        return Some([red, green, blue]);
    }
    let names = || COLORS.iter().map(|(name, _)| *name);
    let message = format!(
        "the colour {} does not exist{}; valid: \"#rrggbb\", {}",
        quote(text),
        hint(text, names()),
        quote_all(names())
    );
    b.report.add(&at.field("color"), message);
    None
}

/// An opacity; a wrong one is reported.
pub(super) fn opacity(b: &mut Builder<'_>, opacity: Option<f64>, at: &At) -> f64 {
    let opacity = opacity.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&opacity) {
        let message = format!("must be from 0, not seen, to 1; found {opacity}");
        b.report.add(&at.field("opacity"), message);
    }
    opacity
}

/// What a shape is, whose numbers are appended; `None` after a report.
fn kind(b: &mut Builder<'_>, data: &Look, numbers: &mut Vec<Settled>, at: &At) -> Option<Kind> {
    let zero = Number::Constant(0.0);
    let (kind, given): (Kind, Vec<&Number>) = match data {
        Look::Box(x) => match &x.round {
            Some(round) => (Kind::Plate, x.size.iter().chain([round]).collect()),
            None => (Kind::Solid(SolidShape::Box), x.size.iter().collect()),
        },
        Look::Cylinder(x) => {
            let solid = Kind::Solid(SolidShape::Cylinder);
            (solid, vec![&x.radius, &x.length])
        }
        Look::Tube(x) => {
            let solid = Kind::Solid(SolidShape::Tube);
            (solid, vec![&x.radius, &x.inner_radius, &x.length])
        }
        Look::Sphere(x) => (Kind::Solid(SolidShape::Sphere), vec![&x.radius]),
        Look::Ellipsoid(x) => {
            let solid = Kind::Solid(SolidShape::Ellipsoid);
            (solid, x.radii.iter().collect())
        }
        Look::Cone(x) => {
            let top = x.top_radius.as_ref().unwrap_or(&zero);
            let solid = Kind::Solid(SolidShape::Cone);
            (solid, vec![&x.radius, top, &x.length])
        }
        Look::Capsule(x) => {
            let solid = Kind::Solid(SolidShape::Capsule);
            (solid, vec![&x.radius, &x.length])
        }
        Look::Link(x) => {
            let kind = link(b, x, at)?;
            (kind, [&x.radius].into_iter().chain(&x.thickness).collect())
        }
        Look::Extrusion(x) => {
            let corners = figure(b, &x.points, 3, &at.field("points"))?;
            let given = [&x.length].into_iter().chain(x.points.iter().flatten());
            (Kind::Extrusion { corners }, given.collect())
        }
        Look::Revolution(x) => {
            let corners = figure(b, &x.points, 2, &at.field("points"))?;
            (
                Kind::Revolution { corners },
                x.points.iter().flatten().collect(),
            )
        }
        Look::Mesh(x) => (mesh(b, x, at)?, Vec::new()),
    };
    let unit = b.units.to_si(Dimension::Length);
    for (k, number) in given.into_iter().enumerate() {
        numbers.push(b.settled(number, unit, &at.field(&kind.field(k))));
    }
    Some(kind)
}

fn link(b: &mut Builder<'_>, data: &LookLink, at: &At) -> Option<Kind> {
    let i = b.marker(&data.i, &at.field("i"));
    let j = b.marker(&data.j, &at.field("j"));
    let ends = [i?, j?];
    if ends[0] == ends[1] {
        let message = "a link needs two markers; \"i\" and \"j\" are the same";
        b.report.add(at, message);
        return None;
    }
    Some(Kind::Link {
        ends,
        flat: data.thickness.is_some(),
    })
}

/// How many corners a figure has, if that is valid.
fn figure(b: &mut Builder<'_>, points: &[[Number; 2]], least: usize, at: &At) -> Option<usize> {
    let count = points.len();
    if (least..=CORNERS).contains(&count) {
        return Some(count);
    }
    let message = format!("must have {least} to {CORNERS} points; found {count}");
    b.report.add(at, message);
    None
}

fn mesh(b: &mut Builder<'_>, data: &LookMesh, at: &At) -> Option<Kind> {
    let given = (
        data.vertices.as_ref(),
        data.triangles.as_ref(),
        data.file.as_deref(),
    );
    let scale = match (&data.file, &data.scale) {
        (None, Some(_)) => {
            let message = "is for files; \"vertices\" are in the model's unit of length";
            b.report.add(&at.field("scale"), message);
            return None;
        }
        (None, None) => b.units.to_si(Dimension::Length),
        (Some(file), scale) => surfaces::mesh_scale(b, file, scale.as_ref(), at)?,
    };
    let (vertices, triangles) = surfaces::triangles(b, given, at)?;
    if triangles.is_empty() || triangles.len() > TRIANGLES {
        let count = triangles.len();
        let message = format!("has {count} triangles; valid: 1 to {TRIANGLES}");
        b.report.add(at, message);
        return None;
    }
    let misses = |triangle: &[usize; 3]| triangle.iter().any(|k| *k >= vertices.len());
    if let Some(k) = triangles.iter().position(misses) {
        let count = vertices.len();
        let message = format!("a corner does not exist; there are {count}, counted from 0");
        b.report.add(&at.field("triangles").index(k), message);
        return None;
    }
    let mirrored = data.mirrored.unwrap_or(false);
    Some(surface(vertices, triangles, scale, mirrored))
}

/// A surface in SI.
pub(super) fn surface(
    vertices: Vec<[f64; 3]>,
    mut triangles: Vec<[usize; 3]>,
    scale: f64,
    mirrored: bool,
) -> Kind {
    let side = if mirrored { -scale } else { scale };
    let points = { vertices.into_iter() }.map(|[x, y, z]| [x * scale, y * side, z * scale]);
    if mirrored {
        // Counter-clockwise as seen from outside, in the mirror too.
        for corners in &mut triangles {
            corners.swap(1, 2);
        }
    }
    Kind::Mesh(Arc::new(Surface {
        points: points.collect(),
        triangles,
    }))
}

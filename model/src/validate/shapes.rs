//! Control plane: checks what bodies look like.

use super::builder::Builder;
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::frames;
use crate::schema::{Document, Look, LookLink, LookMesh, LookShape};
use crate::shapes::{COLORS, Form, Shape};
use crate::units::Dimension;
use fixstep_kernel::ids::{BodyId, MarkerId};

/// Most triangles of one shape.
const TRIANGLES: usize = 200_000;
/// Most corners of a figure.
const CORNERS: usize = 1000;

/// All shapes; a broken one leaves a gap.
pub(super) fn shapes(b: &mut Builder<'_>, document: &Document) -> Vec<Option<Shape>> {
    b.each(&document.shapes.0, shape)
}

fn shape(b: &mut Builder<'_>, data: &LookShape, at: &At) -> Option<Shape> {
    let marker = match &data.marker {
        Some(name) => Some(b.marker(name, &at.field("marker"))?),
        None => None,
    };
    let axes = frames::axes(
        data.orientation.as_ref(),
        data.position.unwrap_or_default(),
        b.units.angle.factor,
        &at.field("orientation"),
        b.report,
    );
    let position = b.si3(data.position, Dimension::Length, &at.field("position"));
    let form = form(b, &data.shape, &at.field("shape"));
    let color = color(b, data.color.as_deref(), &at.field("color"));
    let opacity = data.opacity.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&opacity) {
        let message = format!("must be from 0, invisible, to 1; found {opacity}");
        b.report.add(&at.field("opacity"), message);
    }
    let form = form?;
    let placed = data.position.is_some() || data.orientation.is_some() || marker.is_some();
    if placed && matches!(form, Form::Link { .. }) {
        let message = "a link has its place from \"i\" and \"j\"; valid: no position, orientation or marker";
        b.report.add(at, message);
    }
    let body = body(b, data, (marker, &form), at)?;
    Some(Shape {
        name: data.name.clone(),
        body,
        marker,
        position,
        axes,
        form,
        color,
        opacity,
    })
}

/// The body of a shape: all that names one must name the same.
fn body(
    b: &mut Builder<'_>,
    data: &LookShape,
    (marker, form): (Option<MarkerId>, &Form),
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
    let ends: &[MarkerId] = match form {
        Form::Link { ends, .. } => ends,
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
        let message = "whose shape is it? Give \"part\", or \"marker\"";
        b.report.add(&at.field("part"), message);
    }
    found
}

fn color(b: &mut Builder<'_>, text: Option<&str>, at: &At) -> Option<[u8; 3]> {
    let text = text?;
    if let Some((_, color)) = COLORS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(*color);
    }
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
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
    b.report.add(at, message);
    None
}

/// A length in SI that is more than zero.
fn positive(b: &mut Builder<'_>, value: f64, at: &At) -> f64 {
    if value <= 0.0 {
        b.report.add(at, format!("must be more than zero; found {value}"));
    }
    b.si(value, Dimension::Length, at)
}

/// A length in SI that is zero by default, and must be less than another.
fn below(b: &mut Builder<'_>, value: Option<f64>, (most, what): (f64, &str), at: &At) -> f64 {
    let value = value.unwrap_or_default();
    if value < 0.0 || value >= most {
        b.report
            .add(at, format!("must be zero or more and less than {what}; found {value}"));
    }
    b.si(value, Dimension::Length, at)
}

fn form(b: &mut Builder<'_>, data: &Look, at: &At) -> Option<Form> {
    let length = |b: &mut Builder<'_>, value: f64, field: &str| positive(b, value, &at.field(field));
    Some(match data {
        Look::Box(x) => {
            let most = (0.5 * x.size[0].min(x.size[1]), "half of the shorter side across");
            Form::Box {
                size: three(b, x.size, &at.field("size")),
                round: below(b, x.round, most, &at.field("round")),
            }
        }
        Look::Sphere(x) => Form::Ellipsoid([length(b, x.radius, "radius"); 3]),
        Look::Ellipsoid(x) => Form::Ellipsoid(three(b, x.radii, &at.field("radii"))),
        Look::Cylinder(x) => Form::Cylinder {
            radius: length(b, x.radius, "radius"),
            length: length(b, x.length, "length"),
            bore: below(b, x.bore, (x.radius, "the radius"), &at.field("bore")),
        },
        Look::Capsule(x) => Form::Capsule {
            radius: length(b, x.radius, "radius"),
            length: length(b, x.length, "length"),
        },
        Look::Cone(x) => Form::Cone {
            radius: length(b, x.radius, "radius"),
            top: below(b, x.top, (f64::INFINITY, "infinity"), &at.field("top")),
            length: length(b, x.length, "length"),
        },
        Look::Link(x) => link(b, x, at)?,
        Look::Extrusion(x) => Form::Extrusion {
            points: figure(b, &x.points, (3, f64::NEG_INFINITY), &at.field("points"))?,
            length: length(b, x.length, "length"),
        },
        Look::Revolution(x) => {
            Form::Revolution(figure(b, &x.points, (2, 0.0), &at.field("points"))?)
        }
        Look::Mesh(x) => mesh(b, x, at)?,
    })
}

fn three(b: &mut Builder<'_>, values: [f64; 3], at: &At) -> [f64; 3] {
    std::array::from_fn(|k| positive(b, values[k], &at.index(k)))
}

fn link(b: &mut Builder<'_>, data: &LookLink, at: &At) -> Option<Form> {
    let radius = positive(b, data.radius, &at.field("radius"));
    let thickness = data
        .thickness
        .map(|value| positive(b, value, &at.field("thickness")));
    let i = b.marker(&data.i, &at.field("i"));
    let j = b.marker(&data.j, &at.field("j"));
    let ends = [i?, j?];
    if ends[0] == ends[1] {
        b.report.add(at, "a link needs two markers; \"i\" and \"j\" are the same");
        return None;
    }
    Some(Form::Link {
        ends,
        radius,
        thickness,
    })
}

/// The corners of a figure, at least some, the first coordinate at least some value.
fn figure(
    b: &mut Builder<'_>,
    points: &[[f64; 2]],
    (count, least): (usize, f64),
    at: &At,
) -> Option<Vec<[f64; 2]>> {
    if !(count..=CORNERS).contains(&points.len()) {
        let message = format!("must have {count} to {CORNERS} points; found {}", points.len());
        b.report.add(at, message);
        return None;
    }
    if let Some(k) = points.iter().position(|[x, _]| *x < least) {
        let message = format!("a radius must be zero or more; found {}", points[k][0]);
        b.report.add(&at.index(k), message);
        return None;
    }
    let si = |(k, point): (usize, &[f64; 2])| point.map(|x| b.si(x, Dimension::Length, &at.index(k)));
    Some(points.iter().enumerate().map(si).collect())
}

fn mesh(b: &mut Builder<'_>, data: &LookMesh, at: &At) -> Option<Form> {
    let given = (
        data.vertices.as_ref(),
        data.triangles.as_ref(),
        data.file.as_deref(),
    );
    let (vertices, triangles) = super::surfaces::triangles(b, given, at)?;
    if triangles.len() > TRIANGLES {
        let message = format!("has {} triangles; at most {TRIANGLES}", triangles.len());
        b.report.add(at, message);
        return None;
    }
    if let Some(k) = triangles
        .iter()
        .position(|triangle| triangle.iter().any(|corner| *corner >= vertices.len()))
    {
        let message = format!("a corner does not exist; there are {}, counted from 0", vertices.len());
        b.report.add(&at.field("triangles").index(k), message);
        return None;
    }
    let unit = positive(b, data.scale.unwrap_or(1.0), &at.field("scale"));
    let mirrored = data.mirrored.unwrap_or(false);
    let side = if mirrored { -1.0 } else { 1.0 };
    let point = |v: &[f64; 3]| [v[0] * unit, side * v[1] * unit, v[2] * unit];
    let turned = |t: [usize; 3]| if mirrored { [t[0], t[2], t[1]] } else { t };
    Some(Form::Mesh {
        points: vertices.iter().map(point).collect(),
        triangles: triangles.into_iter().map(turned).collect(),
    })
}

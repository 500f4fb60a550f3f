//! Control plane: what bodies look like: solids of parts, and shapes that are only drawn. No engine reads them.
//!
//! Their numbers may follow parameters: [`Shape::placed`] gives a shape with the parameters of a moment.

use std::sync::Arc;

use fixstep_kernel::ids::{BodyId, MarkerId};
use fixstep_kernel::math::axes::AxesForm;
use fixstep_kernel::math::solid::{DimensionRule, SolidShape};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{Mechanism, Source};

/// A shape that is fixed to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its name; a solid of a part has none.
    pub name: String,
    /// Whose it is.
    pub body: BodyId,
    /// The marker whose axes count, instead of those of the body.
    pub marker: Option<MarkerId>,
    /// What it is.
    pub kind: Kind,
    /// How its axes are given, if they are not those of the body or the marker.
    pub axes: Option<AxesForm>,
    /// Its numbers: those of its kind, its origin x, y, z \[m\], and those of its axes.
    pub numbers: Vec<Source>,
    /// Red, green, blue, unless it has the colour of its body.
    pub color: Option<[u8; 3]>,
    /// From 0 to 1.
    pub opacity: f64,
}

/// What a shape is; its numbers \[m\] follow in [`Shape::numbers`].
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// One of the shapes that weigh, by their dimensions.
    Solid(SolidShape),
    /// A box with round edges along z: edges along x, y, z, and the radius.
    Plate,
    /// A bar between two markers of the body: half of its width; its thickness, if it is flat.
    Link {
        /// The markers.
        ends: [MarkerId; 2],
        /// Is it flat?
        flat: bool,
    },
    /// A figure in the xy plane, extruded along z, centred: length; x and y of each corner.
    Extrusion {
        /// How many corners.
        corners: usize,
    },
    /// A figure that turns about z: radius and z of each corner.
    Revolution {
        /// How many corners.
        corners: usize,
    },
    /// Triangles.
    Mesh(Arc<Surface>),
}

/// A surface of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Corners \[m\].
    pub points: Vec<[f64; 3]>,
    /// Three corners each, counter-clockwise as seen from outside.
    pub triangles: Vec<[usize; 3]>,
}

/// A shape with the parameters of a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Its origin, in the axes of the body or the marker \[m\].
    pub position: Vec3,
    /// Its axes in those, as columns.
    pub axes: Mat3,
    /// Its form.
    pub form: Form,
}

/// The form of a shape \[m\].
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A box with these edges, and a radius of the edges along z.
    Box {
        /// Along x, y, z.
        size: [f64; 3],
        /// Radius of the edges along z.
        round: f64,
    },
    /// An ellipsoid, or a sphere.
    Ellipsoid([f64; 3]),
    /// A cylinder along z; a tube, if its inner radius is not zero.
    Cylinder {
        /// Outer radius.
        radius: f64,
        /// Inner radius.
        inner_radius: f64,
        /// Along z.
        length: f64,
    },
    /// A cylinder that ends in half spheres.
    Capsule {
        /// Radius.
        radius: f64,
        /// Between the centres of the half spheres.
        length: f64,
    },
    /// A frustum along z.
    Cone {
        /// At the lower end.
        radius: f64,
        /// At the upper end.
        top_radius: f64,
        /// Along z.
        length: f64,
    },
    /// A bar between two markers of the body.
    Link {
        /// The markers.
        ends: [MarkerId; 2],
        /// Half of its width.
        radius: f64,
        /// Its thickness; `None`: it is round.
        thickness: Option<f64>,
    },
    /// A figure in the xy plane, extruded along z, centred.
    Extrusion {
        /// Its corners.
        points: Vec<[f64; 2]>,
        /// Along z.
        length: f64,
    },
    /// A figure of radius and z that turns about z.
    Revolution(Vec<[f64; 2]>),
    /// Triangles.
    Mesh(Arc<Surface>),
}

/// A number that a shape cannot have.
#[derive(Clone, Debug, PartialEq)]
pub struct NoShape {
    /// Its field: `size[0]`.
    pub field: String,
    /// What is wrong, and what would be valid.
    pub fault: String,
}

impl Kind {
    /// How many numbers it takes.
    pub fn count(&self) -> usize {
        match self {
            Self::Solid(solid) => solid.dimensions().len(),
            Self::Plate => 4,
            Self::Link { flat, .. } => 1 + usize::from(*flat),
            Self::Extrusion { corners } => 1 + 2 * corners,
            Self::Revolution { corners } => 2 * corners,
            Self::Mesh(_) => 0,
        }
    }

    /// The field of a number.
    pub fn field(&self, number: usize) -> String {
        let corner = |k: usize| format!("points[{}][{}]", k / 2, k % 2);
        match (self, number) {
            (Self::Solid(solid), k) => { solid.dimensions().get(k) }
                .map_or_else(String::new, |(field, _)| (*field).to_owned()),
            (Self::Plate, 3) => "round".to_owned(),
            (Self::Plate, k) => format!("size[{k}]"),
            (Self::Link { .. }, 0) => "radius".to_owned(),
            (Self::Link { .. }, _) => "thickness".to_owned(),
            (Self::Extrusion { .. }, 0) => "length".to_owned(),
            (Self::Extrusion { .. }, k) => corner(k - 1),
            (Self::Revolution { .. }, k) => corner(k),
            (Self::Mesh(_), _) => String::new(),
        }
    }

    /// The rule of a number.
    fn rule(&self, number: usize) -> DimensionRule {
        use DimensionRule::{Any, NonNegative, Positive};
        match (self, number) {
            (Self::Solid(solid), k) => solid.dimensions().get(k).map_or(Any, |(_, rule)| *rule),
            (Self::Plate, 3) => NonNegative,
            (Self::Plate | Self::Link { .. }, _) | (Self::Extrusion { .. }, 0) => Positive,
            (Self::Revolution { .. }, k) if k % 2 == 0 => NonNegative,
            _ => Any,
        }
    }

    /// Its first number \[SI\] that is not valid.
    pub fn fault(&self, numbers: &[f64]) -> Option<NoShape> {
        let says = |k: usize, valid: &str| NoShape {
            field: self.field(k),
            fault: format!("must be {valid}; found {} in SI units", numbers[k]),
        };
        if numbers.len() != self.count() {
            return Some(NoShape {
                field: String::new(),
                fault: "has another count of numbers".to_owned(),
            });
        }
        let mut before = f64::INFINITY;
        for (k, number) in numbers.iter().enumerate() {
            let rule = self.rule(k);
            if !rule.allows(*number, before) {
                return Some(says(k, rule.words()));
            }
            before = *number;
        }
        if let (Self::Plate, &[x, y, _, round]) = (self, numbers)
            && round >= 0.5 * x.min(y)
        {
            return Some(says(
                3,
                "less than half of the shorter of size[0] and size[1]",
            ));
        }
        if let (Self::Extrusion { .. }, [_, points @ ..]) = (self, numbers) {
            let points: Vec<[f64; 2]> = points.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
            return figure_fault(&points).map(|fault| NoShape {
                field: "points".to_owned(),
                fault,
            });
        }
        None
    }

    /// Its form; its numbers are valid.
    fn form(&self, numbers: &[f64]) -> Option<Form> {
        let pairs = |of: &[f64]| of.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
        Some(match (self, numbers) {
            (Self::Solid(SolidShape::Box), &[x, y, z]) => Form::Box {
                size: [x, y, z],
                round: 0.0,
            },
            (Self::Solid(SolidShape::Cylinder), &[radius, length]) => Form::Cylinder {
                radius,
                inner_radius: 0.0,
                length,
            },
            (Self::Solid(SolidShape::Tube), &[radius, inner_radius, length]) => Form::Cylinder {
                radius,
                inner_radius,
                length,
            },
            (Self::Solid(SolidShape::Sphere), &[radius]) => Form::Ellipsoid([radius; 3]),
            (Self::Solid(SolidShape::Ellipsoid), &[x, y, z]) => Form::Ellipsoid([x, y, z]),
            (Self::Solid(SolidShape::Cone), &[radius, top_radius, length]) => Form::Cone {
                radius,
                top_radius,
                length,
            },
            (Self::Solid(SolidShape::Capsule), &[radius, length]) => {
                Form::Capsule { radius, length }
            }
            (Self::Plate, &[x, y, z, round]) => Form::Box {
                size: [x, y, z],
                round,
            },
            (Self::Link { ends, .. }, &[radius, ref thickness @ ..]) => Form::Link {
                ends: *ends,
                radius,
                thickness: thickness.first().copied(),
            },
            (Self::Extrusion { .. }, &[length, ref points @ ..]) => Form::Extrusion {
                points: pairs(points),
                length,
            },
            (Self::Revolution { .. }, points) => Form::Revolution(pairs(points)),
            (Self::Mesh(surface), _) => Form::Mesh(Arc::clone(surface)),
            _ => return None,
        })
    }
}

/// Why the edges between corners, the last to the first too, are around no area.
fn figure_fault(points: &[[f64; 2]]) -> Option<String> {
    let count = points.len();
    let edge = |k: usize| [points[k], points[(k + 1) % count]];
    let cross = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let doubled: f64 = (0..count)
        .map(|k| cross(points[0], edge(k)[0], edge(k)[1]))
        .sum();
    let far = |p: &[f64; 2]| (p[0] - points[0][0]).abs().max((p[1] - points[0][1]).abs());
    let size = points.iter().map(far).fold(0.0, f64::max);
    if doubled.abs() <= 1e-12 * size * size {
        return Some("the corners are around no area".to_owned());
    }
    let apart = |[a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]| {
        (0..2).any(|k| a[k].max(b[k]) < c[k].min(d[k]) || c[k].max(d[k]) < a[k].min(b[k]))
    };
    let meet = |one: [[f64; 2]; 2], two: [[f64; 2]; 2]| {
        let ([a, b], [c, d]) = (one, two);
        !apart(one, two)
            && cross(a, b, c) * cross(a, b, d) <= 0.0
            && cross(c, d, a) * cross(c, d, b) <= 0.0
    };
    for k in 0..count {
        // Neighbours share a corner.
        let last = if k == 0 { count - 1 } else { count };
        if let Some(other) = (k + 2..last).find(|other| meet(edge(k), edge(*other))) {
            return Some(format!(
                "the edges behind corners {k} and {other}, counted from 0, meet; valid: a figure whose edges meet at corners only"
            ));
        }
    }
    None
}

impl Shape {
    /// The shape with parameters of a mechanism, in the order of its list; `None`: with them it is none.
    pub fn placed(&self, mechanism: &Mechanism, parameters: &[f64]) -> Option<Placed> {
        let numbers = mechanism.source_values(&self.numbers, parameters)?;
        let count = self.kind.count();
        let (own, rest) = numbers.split_at_checked(count)?;
        if self.kind.fault(own).is_some() {
            return None;
        }
        let (position, axes) = rest.split_at_checked(3)?;
        let axes = match self.axes {
            Some(form) => form.axes(axes).ok()?,
            None => Mat3::identity(),
        };
        Some(Placed {
            position: Vec3::new(position[0], position[1], position[2]),
            axes,
            form: self.kind.form(own)?,
        })
    }
}

/// Colours with names: red, green, blue. They stay apart for eyes that tell few colours.
pub const COLORS: [(&str, [u8; 3]); 20] = [
    ("white", [240, 240, 238]),
    ("silver", [192, 197, 203]),
    ("aluminium", [203, 207, 211]),
    ("steel", [136, 147, 160]),
    ("grey", [128, 128, 128]),
    ("graphite", [72, 78, 86]),
    ("rubber", [38, 40, 43]),
    ("black", [22, 23, 25]),
    ("brass", [201, 168, 90]),
    ("copper", [184, 115, 74]),
    ("wood", [181, 136, 91]),
    ("concrete", [168, 165, 158]),
    ("red", [200, 55, 45]),
    ("orange", [230, 126, 34]),
    ("yellow", [240, 196, 50]),
    ("green", [62, 142, 90]),
    ("teal", [30, 145, 150]),
    ("blue", [42, 105, 176]),
    ("navy", [35, 60, 105]),
    ("purple", [125, 85, 150]),
];

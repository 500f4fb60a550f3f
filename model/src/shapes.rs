//! Control plane: what bodies look like: shapes in SI units, with their places. No engine reads them.

use fixstep_kernel::ids::{BodyId, MarkerId};
use fixstep_kernel::math::{Mat3, Vec3};

/// What a body looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub body: BodyId,
    /// The marker whose axes count, instead of those of the body.
    pub marker: Option<MarkerId>,
    /// Its origin in those axes \[m\].
    pub position: Vec3,
    /// Its axes in those, as columns.
    pub axes: Mat3,
    /// Its form.
    pub form: Form,
    /// Red, green, blue, unless it has the colour of its body.
    pub color: Option<[u8; 3]>,
    /// From 0 to 1.
    pub opacity: f64,
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
    /// A cylinder along z, with a bore.
    Cylinder {
        /// Outer radius.
        radius: f64,
        /// Along z.
        length: f64,
        /// Inner radius; 0: none.
        bore: f64,
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
        top: f64,
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
    Mesh {
        /// Corners.
        points: Vec<[f64; 3]>,
        /// Three corners each.
        triangles: Vec<[usize; 3]>,
    },
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

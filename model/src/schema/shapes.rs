//! Control plane: what bodies look like, as it is written in the file.

use super::Orientation;
use crate::read::{Entity, schema, tagged};

schema! {
    /// What a body looks like. It is drawn, and has no effect on the motion.
    LookShape {
        /// Name, unique among shapes.
        name: String,
        /// The part, point mass or flexible body, or `ground`. Default: the body of the marker.
        part: Option<String>,
        /// A marker whose axes the shape has, instead of those of the part.
        marker: Option<String>,
        /// Its form.
        shape: Look,
        /// Its origin, in the axes of the part or the marker [length]. Default: [0, 0, 0].
        position: Option<[f64; 3]>,
        /// Its axes in those of the part or the marker. Default: those.
        orientation: Option<Orientation>,
        /// A colour: a name such as `steel`, or `#rrggbb`. Default: that of the body.
        color: Option<String>,
        /// How opaque it is: from 0, invisible, to 1. Default: 1.
        opacity: Option<f64>,
        /// Free text.
        description: Option<String>,
    }

    /// A box about the origin.
    LookBox {
        /// Lengths of its edges along x, y, z, more than zero [length].
        size: [f64; 3],
        /// Radius of the edges along z, less than half of the shorter side across [length]. Default: 0, sharp.
        round: Option<f64>,
    }

    /// A sphere about the origin.
    LookSphere {
        /// Radius, more than zero [length].
        radius: f64,
    }

    /// An ellipsoid about the origin.
    LookEllipsoid {
        /// Half axes along x, y, z, more than zero [length].
        radii: [f64; 3],
    }

    /// A cylinder about the z axis, centred at the origin.
    LookCylinder {
        /// Radius, more than zero [length].
        radius: f64,
        /// Length along z, more than zero [length].
        length: f64,
        /// Radius of the bore, less than the radius [length]. Default: 0, solid.
        bore: Option<f64>,
    }

    /// A cylinder about the z axis that ends in half spheres.
    LookCapsule {
        /// Radius, more than zero [length].
        radius: f64,
        /// Distance of the centres of the half spheres, more than zero [length].
        length: f64,
    }

    /// A cone or a frustum about the z axis, centred at the origin.
    LookCone {
        /// Radius at the lower end of z, more than zero [length].
        radius: f64,
        /// Radius at the upper end, zero or more [length]. Default: 0, a point.
        top: Option<f64>,
        /// Length along z, more than zero [length].
        length: f64,
    }

    /// A bar between the origins of two markers of one part. It has its place from them.
    LookLink {
        /// Marker at one end.
        i: String,
        /// Marker at the other end.
        j: String,
        /// Half of the width of the bar, more than zero [length].
        radius: f64,
        /// Thickness of a flat bar, across its width, more than zero [length]. Default: a round bar.
        thickness: Option<f64>,
    }

    /// A plane figure, extruded along z, centred at the origin.
    LookExtrusion {
        /// Corners of the figure in the xy plane, three or more; the last is joined to the first, and no two
        /// edges meet elsewhere [length].
        points: Vec<[f64; 2]>,
        /// Length along z, more than zero [length].
        length: f64,
    }

    /// A plane figure that turns about the z axis.
    LookRevolution {
        /// Corners in the half plane of radius and z, two or more, radii zero or more [length]. An open
        /// figure is closed towards the axis.
        points: Vec<[f64; 2]>,
    }

    /// A surface of triangles.
    LookMesh {
        /// STL or OBJ file beside the model.
        file: Option<String>,
        /// Instead: corners [length].
        vertices: Option<Vec<[f64; 3]>>,
        /// Three numbers of corners for each triangle, counted from 0, counter-clockwise as seen from outside.
        triangles: Option<Vec<[i64; 3]>>,
        /// Is the surface mirrored: y becomes -y? Default: false.
        mirrored: Option<bool>,
        /// Length of one unit of the file, more than zero [length]. Default: 1.
        scale: Option<f64>,
    }
}

tagged! {
    /// The form of a shape.
    Look ("shape") {
        /// A box, perhaps with round edges: a plate.
        Box(LookBox) = "box",
        /// A sphere.
        Sphere(LookSphere) = "sphere",
        /// An ellipsoid.
        Ellipsoid(LookEllipsoid) = "ellipsoid",
        /// A cylinder or a tube.
        Cylinder(LookCylinder) = "cylinder",
        /// A cylinder with round ends.
        Capsule(LookCapsule) = "capsule",
        /// A cone or a frustum.
        Cone(LookCone) = "cone",
        /// A bar between two markers.
        Link(LookLink) = "link",
        /// A figure, extruded.
        Extrusion(LookExtrusion) = "extrusion",
        /// A figure, revolved.
        Revolution(LookRevolution) = "revolution",
        /// Triangles.
        Mesh(LookMesh) = "mesh",
    }
}

impl Entity for LookShape {
    const KIND: &'static str = "shape";
}

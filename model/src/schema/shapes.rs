//! Control plane: shapes that are only drawn, as they are written in the file.

use super::{Number, Orientation};
use crate::read::{Entity, schema, tagged};

schema! {
    /// A shape that is fixed to a body. It is drawn, and has no effect on the motion.
    LookShape {
        /// Name, unique among shapes.
        name: String,
        /// The part, point mass or flexible body, or `ground`. Default: that of the marker.
        part: Option<String>,
        /// A marker, in whose axes the shape is given. Default: those of the part count.
        marker: Option<String>,
        /// What it looks like.
        shape: Look,
        /// Its origin, in the axes of the part or the marker [length]. Default: [0, 0, 0].
        position: Option<[Number; 3]>,
        /// Its axes in those of the part or the marker. Default: those.
        orientation: Option<Orientation>,
        /// A colour: a name such as `steel`, or `#rrggbb`. Default: that of the body.
        color: Option<String>,
        /// How opaque it is: from 0, not seen, to 1. Default: 1.
        opacity: Option<f64>,
        /// Free text.
        description: Option<String>,
    }

    /// A box about its origin.
    LookBox {
        /// Lengths of its edges along x, y, z, more than zero [length].
        size: [Number; 3],
        /// Radius of its edges along z, less than half of the shorter of the other two edges [length].
        /// Default: 0, sharp.
        round: Option<Number>,
    }

    /// A cylinder about its z axis, its middle at the origin.
    LookCylinder {
        /// Radius, more than zero [length].
        radius: Number,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// A tube about its z axis, its middle at the origin.
    LookTube {
        /// Outer radius, more than zero [length].
        radius: Number,
        /// Inner radius, zero or more, less than the outer one [length].
        inner_radius: Number,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// A sphere about its origin.
    LookSphere {
        /// Radius, more than zero [length].
        radius: Number,
    }

    /// An ellipsoid about its origin.
    LookEllipsoid {
        /// Half axes along x, y, z, more than zero [length].
        radii: [Number; 3],
    }

    /// A cone or frustum about its z axis: its base at z = −length/2, its top at z = length/2.
    LookCone {
        /// Radius of the base, more than zero [length].
        radius: Number,
        /// Radius of the top, zero or more [length]. Default: 0.
        top_radius: Option<Number>,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// A cylinder about its z axis with half spheres at both ends, its middle at the origin.
    LookCapsule {
        /// Radius, more than zero [length].
        radius: Number,
        /// Length of the cylinder without the half spheres, zero or more [length].
        length: Number,
    }

    /// A bar from one marker to another one of the same part; its place is theirs.
    LookLink {
        /// Marker at one end.
        i: String,
        /// Marker at the other end.
        j: String,
        /// Half of its width, more than zero [length].
        radius: Number,
        /// Thickness of a flat bar, more than zero [length]. Default: the bar is round.
        thickness: Option<Number>,
    }

    /// A figure in the xy plane, extruded along z, its middle at the origin.
    LookExtrusion {
        /// Corners of the figure, three or more. The last is joined to the first; no two edges cross
        /// [length].
        points: Vec<[Number; 2]>,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// A figure that turns about its z axis.
    LookRevolution {
        /// Corners of the figure: radius, zero or more, and z; two or more [length]. Both ends of an open
        /// figure are joined to the axis.
        points: Vec<[Number; 2]>,
    }

    /// Triangles, counter-clockwise as seen from outside.
    LookMesh {
        /// An STL, OBJ, glTF or GLB file beside the model.
        file: Option<String>,
        /// Instead of a file: corners [length].
        vertices: Option<Vec<[f64; 3]>>,
        /// Three numbers of corners for each triangle, counted from 0.
        triangles: Option<Vec<[i64; 3]>>,
        /// Length of one unit of the file, more than zero [length]. Default: 1 in the model's unit of length; for
        /// glTF and GLB 1 m.
        scale: Option<Number>,
        /// Is the mesh mirrored, y → −y in its axes? Default: false.
        mirrored: Option<bool>,
    }
}

tagged! {
    /// What a shape looks like.
    Look ("shape type", "Look" _ "") {
        /// A box, which may have round edges: a plate.
        Box(LookBox) = "box",
        /// A cylinder about its z axis, its middle at the origin.
        Cylinder(LookCylinder) = "cylinder",
        /// A tube about its z axis, its middle at the origin.
        Tube(LookTube) = "tube",
        /// A sphere about its origin.
        Sphere(LookSphere) = "sphere",
        /// An ellipsoid about its origin.
        Ellipsoid(LookEllipsoid) = "ellipsoid",
        /// A cone or frustum about its z axis: its base below, at half of its length.
        Cone(LookCone) = "cone",
        /// A cylinder about its z axis with half spheres at both ends, its middle at the origin.
        Capsule(LookCapsule) = "capsule",
        /// A bar between two markers.
        Link(LookLink) = "link",
        /// A figure, extruded along z.
        Extrusion(LookExtrusion) = "extrusion",
        /// A figure that turns about z.
        Revolution(LookRevolution) = "revolution",
        /// Triangles.
        Mesh(LookMesh) = "mesh",
    }
}

impl Entity for LookShape {
    const KIND: &'static str = "shape";
}

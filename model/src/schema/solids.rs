//! Control plane: solids, from which the mass properties of parts follow and which are drawn, as they are written in the file.

use super::{Number, Orientation};
use crate::read::{schema, tagged};

tagged! {
    /// A solid of uniform density, fixed to a part. Its own axes are those of the part, moved to its
    /// position.
    Solid ("solid type", "Solid" _ "") {
        /// A box about its origin.
        Box(SolidBox) = "box",
        /// A cylinder about its z axis, its middle at the origin.
        Cylinder(SolidCylinder) = "cylinder",
        /// A tube about its z axis, its middle at the origin.
        Tube(SolidTube) = "tube",
        /// A sphere about its origin.
        Sphere(SolidSphere) = "sphere",
        /// An ellipsoid about its origin.
        Ellipsoid(SolidEllipsoid) = "ellipsoid",
        /// A cone or frustum about its z axis: its base below, at half of its length.
        Cone(SolidCone) = "cone",
        /// A cylinder about its z axis with half spheres at both ends, its middle at the origin.
        Capsule(SolidCapsule) = "capsule",
        /// What a closed mesh encloses.
        Mesh(SolidMesh) = "mesh",
    }
}

/// Declares solids with the fields that all of them have.
macro_rules! solids {
    ($( $(#[$meta:meta])* $name:ident { $( $(#[$field_meta:meta])* $field:ident: $kind:ty, )* } )*) => {
        schema! { $(
            $(#[$meta])*
            $name {
                $( $(#[$field_meta])* $field: $kind, )*
                /// Density, more than zero [mass/length³]. It may be left out where the part has a `mass`;
                /// then it is 1, and only the ratios of densities matter.
                density: Option<Number>,
                /// Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0].
                position: Option<[Number; 3]>,
                /// Its axes in the part. Default: those of the part.
                orientation: Option<Orientation>,
                /// Is it taken away from the others? Then it is not drawn. Default: false.
                hole: Option<bool>,
                /// A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part.
                color: Option<String>,
                /// How opaque it is: from 0, not seen, to 1. Default: 1.
                opacity: Option<f64>,
            }
        )* }

        /// The fields that all solids have.
        pub(crate) struct Common<'a> {
            pub(crate) density: Option<&'a Number>,
            pub(crate) position: Option<&'a [Number; 3]>,
            pub(crate) orientation: Option<&'a Orientation>,
            pub(crate) hole: bool,
            pub(crate) color: Option<&'a str>,
            pub(crate) opacity: Option<f64>,
        }

        $( impl<'a> From<&'a $name> for Common<'a> {
            fn from(solid: &'a $name) -> Self {
                Self {
                    density: solid.density.as_ref(),
                    position: solid.position.as_ref(),
                    orientation: solid.orientation.as_ref(),
                    hole: solid.hole.unwrap_or(false),
                    color: solid.color.as_deref(),
                    opacity: solid.opacity,
                }
            }
        } )*
    };
}

solids! {
    /// A box about its origin.
    SolidBox {
        /// Lengths of its edges along x, y, z, more than zero [length].
        size: [Number; 3],
    }

    /// A cylinder about its z axis, its middle at the origin.
    SolidCylinder {
        /// Radius, more than zero [length].
        radius: Number,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// A tube about its z axis, its middle at the origin.
    SolidTube {
        /// Outer radius, more than zero [length].
        radius: Number,
        /// Inner radius, zero or more, less than the outer one [length].
        inner_radius: Number,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// A sphere about its origin.
    SolidSphere {
        /// Radius, more than zero [length].
        radius: Number,
    }

    /// An ellipsoid about its origin.
    SolidEllipsoid {
        /// Half axes along x, y, z, more than zero [length].
        radii: [Number; 3],
    }

    /// A cone or frustum about its z axis: its base at z = −length/2, its top at z = length/2.
    SolidCone {
        /// Radius of the base, more than zero [length].
        radius: Number,
        /// Radius of the top, zero or more [length]. Default: 0.
        top_radius: Option<Number>,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// A cylinder about its z axis with half spheres at both ends, its middle at the origin.
    SolidCapsule {
        /// Radius, more than zero [length].
        radius: Number,
        /// Length of the cylinder without the half spheres, zero or more [length].
        length: Number,
    }

    /// What a closed mesh encloses; its triangles are counter-clockwise as seen from outside.
    SolidMesh {
        /// An STL, OBJ, glTF or GLB file beside the model.
        file: String,
        /// Length of one unit of the file, more than zero [length]. Default: 1 in the model's unit of length; for
        /// glTF and GLB 1 m.
        scale: Option<Number>,
        /// Is the mesh mirrored, y → −y in its axes? Default: false.
        mirrored: Option<bool>,
    }
}

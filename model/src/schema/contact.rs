//! Control plane: contact as it is written in the file.

use super::Number;
use crate::read::{schema, tagged};

schema! {
    /// Contact of a shape fixed on I with a surface fixed on J. At every point of contact act a normal
    /// force, which never pulls, and friction against the slip.
    Contact {
        /// Name, unique among forces.
        name: String,
        /// Marker I, which carries the shape.
        i: String,
        /// Marker J, which carries the surface.
        j: String,
        /// The two shapes.
        shapes: ContactShapes,
        /// Law of the normal force.
        normal: ContactNormal,
        /// Friction. Default: none.
        friction: Option<ContactFriction>,
        /// Free text.
        description: Option<String>,
    }

    /// The shapes that touch.
    ContactShapes {
        /// On marker I.
        i: BodyShape,
        /// On marker J.
        j: SurfaceShape,
    }

    /// A sphere about the origin of I.
    Sphere {
        /// Radius, zero or more [length]; 0 is a point.
        radius: Number,
    }

    /// The xy plane of J; z points out of the material.
    Plane {
    }

    /// A sphere about the origin of J.
    Round {
        /// Radius, more than zero [length].
        radius: Number,
        /// Is the shape of I inside the sphere? Default: false.
        hollow: Option<bool>,
    }

    /// A cylinder about the z axis of J.
    Barrel {
        /// Radius, more than zero [length].
        radius: Number,
        /// Length along z, centred at the origin, more than zero [length]. Default: infinite.
        length: Option<Number>,
        /// Is the shape of I inside, as in a pipe? Excludes `length`. Default: false.
        hollow: Option<bool>,
    }

    /// A cylinder about the z axis of I, centred at the origin.
    Roller {
        /// Radius, more than zero [length].
        radius: Number,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// The convex hull of points.
    Hull {
        /// Its corners in the axes of I, 1 to 256 [length].
        points: Vec<[Number; 3]>,
    }

    /// The outline of a disc or a plate.
    Outline {
        /// A curve of the model that lies in the xy plane of I.
        curve: String,
    }

    /// A box about the origin.
    Brick {
        /// Lengths of its edges along x, y, z, more than zero [length].
        size: [Number; 3],
    }

    /// Ground whose height is a grid of numbers.
    Heightmap {
        /// x and y of the first height [length]. Default: 0, 0.
        origin: Option<[f64; 2]>,
        /// Distances of the heights along x and y, more than zero [length].
        spacing: [f64; 2],
        /// For each y a row of heights along x, two or more of both [length].
        heights: Option<Vec<Vec<f64>>>,
        /// Instead: a CSV file beside the model, a line for each y, without header.
        file: Option<String>,
        /// Is the ground the mirror image of these heights, y → −y? Default: false.
        mirrored: Option<bool>,
    }

    /// Ground whose height is a function of x, and the same for all y.
    Profile {
        /// A spline of one variable: height over x [length].
        spline: String,
        /// Interpolation: cubic (as CUBSPL) or akima (as AKISPL). Default: cubic.
        method: Option<String>,
    }

    /// A surface of triangles.
    TriangleMesh {
        /// Positions of the vertices in the axes of J [length].
        vertices: Option<Vec<[f64; 3]>>,
        /// Three vertex numbers for each triangle, counted from 0, counter-clockwise as seen from
        /// outside.
        triangles: Option<Vec<[i64; 3]>>,
        /// Instead: an STL (text) or OBJ file beside the model [length].
        file: Option<String>,
        /// Is the surface the mirror image of these triangles, y → −y? Default: false.
        mirrored: Option<bool>,
        /// Depth below the surface down to which a point is in contact, more than zero [length]. Default:
        /// the radius of the sphere; required if I has corners or a radius of 0.
        depth: Option<f64>,
        /// Largest number of triangles that an evaluation examines, 1 to 4096. Default: 64.
        budget: Option<i64>,
    }

    /// A plane curve, extruded along z.
    Track {
        /// A curve of the model that lies in the xy plane of J.
        curve: String,
        /// Side of the curve on which I is, looking along the curve with z up: left or right. Default:
        /// left.
        side: Option<String>,
    }

    /// N = max(0, stiffness·g^exponent + damping·dg/dt·STEP(g, 0, 0, depth, 1)), g the penetration.
    Impact {
        /// Stiffness, zero or more [force/length^exponent].
        stiffness: Number,
        /// Exponent, 1 or more. Default: 1.5.
        exponent: Option<Number>,
        /// Damping, zero or more [force·time/length]. Default: 0.
        damping: Option<Number>,
        /// Penetration from which damping has its full value, more than zero [length].
        depth: Number,
    }

    /// N = max(0, stiffness·g^exponent·(1 + damping·dg/dt)), g the penetration.
    HuntCrossley {
        /// Stiffness, zero or more [force/length^exponent].
        stiffness: Number,
        /// Exponent, 1 or more. Default: 1.5.
        exponent: Option<Number>,
        /// Damping, zero or more [time/length]. Default: 0.
        damping: Option<Number>,
        /// Instead of damping: the coefficient of restitution, more than zero and at most 1.
        restitution: Option<Number>,
        /// With restitution: the smallest approach velocity for which damping is computed, more than zero
        /// [length/time].
        slow: Option<Number>,
    }

    /// Coulomb friction, smooth at zero slip.
    ContactFriction {
        /// Coefficient at the stiction velocity, zero or more.
        mu_static: Number,
        /// Coefficient at the friction velocity and beyond, zero or more.
        mu_dynamic: Number,
        /// Slip velocity at which friction is largest, more than zero [length/time].
        stiction_velocity: Number,
        /// Slip velocity from which friction is dynamic, more than the stiction velocity [length/time].
        friction_velocity: Number,
    }
}

tagged! {
    /// The shape on I.
    BodyShape ("contact shape of I", "Body" _ "") {
        /// A sphere about the origin of I; of radius 0, a point.
        Sphere(Sphere) = "sphere",
        /// A box about the origin with edges along the axes; its 8 corners can make contact.
        Box(Brick) = "box",
        /// A cylinder about the z axis; 4 points of each rim can make contact with a plane.
        Cylinder(Roller) = "cylinder",
        /// A convex hull; its corners can make contact.
        Hull(Hull) = "hull",
        /// A plane curve; its deepest point makes contact.
        Curve(Outline) = "curve",
    }
}

tagged! {
    /// The shape on J.
    SurfaceShape ("contact shape of J", "Surface" _ "") {
        /// The xy plane, z outward.
        Plane(Plane) = "plane",
        /// A sphere about the origin.
        Sphere(Round) = "sphere",
        /// A cylinder about the z axis.
        Cylinder(Barrel) = "cylinder",
        /// A box about the origin with edges along the axes.
        Box(Brick) = "box",
        /// Ground with heights on a grid, z up.
        Heightmap(Heightmap) = "heightmap",
        /// Ground with a profile along x, z up.
        Profile(Profile) = "profile",
        /// Triangles.
        Mesh(TriangleMesh) = "mesh",
        /// A curve in the xy plane, extruded along z.
        Curve(Track) = "curve",
    }
}

tagged! {
    /// Law of the normal force.
    ContactNormal ("normal law", "" _ "Law") {
        /// The function IMPACT.
        Impact(Impact) = "impact",
        /// Damping in proportion to the spring force.
        HuntCrossley(HuntCrossley) = "hunt_crossley",
    }
}

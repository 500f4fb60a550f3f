//! Control plane: contact as it is written in the file.

use super::Number;
use crate::read::{schema, tagged};

schema! {
    /// Contact of a shape fixed on I with a surface fixed on J: a normal force that only pushes, and
    /// friction against the slip, at every point that touches.
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
        /// Free text; it has no effect.
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

    /// A surface round the origin of J.
    Round {
        /// Radius, more than zero [length].
        radius: Number,
        /// Is the shape of I inside? Default: false.
        hollow: Option<bool>,
    }

    /// A surface round the z axis of J.
    Barrel {
        /// Radius, more than zero [length].
        radius: Number,
        /// Length along z, its middle at the origin, more than zero [length]. Default: without ends.
        length: Option<Number>,
        /// Is the shape of I inside, as in a pipe? Not with a length. Default: false.
        hollow: Option<bool>,
    }

    /// A cylinder about the z axis of I, its middle at the origin.
    Roller {
        /// Radius, more than zero [length].
        radius: Number,
        /// Length along z, more than zero [length].
        length: Number,
    }

    /// The convex hull of points.
    Hull {
        /// Its corners in the axes of I, 1 to 256 [length].
        points: Vec<[f64; 3]>,
    }

    /// The outline of a disc or a plate.
    Outline {
        /// A curve of the model that lies in its xy plane, in the axes of I.
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
    }

    /// Ground whose height is a function of x, and the same for all y.
    Profile {
        /// A spline of one variable: height over x [length].
        spline: String,
        /// How it goes through its points: cubic (as CUBSPL) or akima (as AKISPL). Default: cubic.
        method: Option<String>,
    }

    /// A surface of triangles.
    TriangleMesh {
        /// Places in the axes of J [length].
        vertices: Option<Vec<[f64; 3]>>,
        /// Three numbers of vertices, counted from 0, against the clock as seen from outside.
        triangles: Option<Vec<[i64; 3]>>,
        /// Instead: an STL (text) or OBJ file beside the model [length].
        file: Option<String>,
        /// How deep below the surface a point is still felt, more than zero [length]. Default: the sphere's
        /// radius; needed where I has corners or a radius of 0.
        depth: Option<f64>,
        /// The most triangles that are looked at in every evaluation, 1 to 4096. Default: 64.
        budget: Option<i64>,
    }

    /// A plane curve, drawn out along z.
    Track {
        /// A curve of the model that lies in its xy plane.
        curve: String,
        /// On which side I is, seen along the curve with z up: left or right. Default: left.
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
        /// Penetration at which damping is full, more than zero [length].
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
        /// With restitution: the least velocity of approach that damping is computed for, more than zero
        /// [length/time].
        slow: Option<Number>,
    }

    /// Coulomb's friction, smooth through zero slip.
    ContactFriction {
        /// Coefficient at the stiction velocity, zero or more.
        mu_static: Number,
        /// Coefficient at the friction velocity and beyond, zero or more.
        mu_dynamic: Number,
        /// Slip at which friction is largest, more than zero [length/time].
        stiction_velocity: Number,
        /// Slip from which it is dynamic, more than the stiction velocity [length/time].
        friction_velocity: Number,
    }
}

tagged! {
    /// The shape on I.
    BodyShape ("contact shape of I") {
        /// A sphere about the origin of I; of radius 0, a point.
        Sphere(Sphere) = "sphere",
        /// A box about the origin, its edges along the axes: its 8 corners may touch.
        Box(Brick) = "box",
        /// A cylinder about the z axis: 4 points of each rim may touch a plane.
        Cylinder(Roller) = "cylinder",
        /// A convex hull: its corners may touch.
        Hull(Hull) = "hull",
        /// A plane curve: its deepest place touches.
        Curve(Outline) = "curve",
    }
}

tagged! {
    /// The shape on J.
    SurfaceShape ("contact shape of J") {
        /// The xy plane, z outward.
        Plane(Plane) = "plane",
        /// A sphere about the origin.
        Sphere(Round) = "sphere",
        /// A cylinder about the z axis.
        Cylinder(Barrel) = "cylinder",
        /// A box about the origin, its edges along the axes.
        Box(Brick) = "box",
        /// Ground of varying height on a grid, z up.
        Heightmap(Heightmap) = "heightmap",
        /// Ground of a profile along x, z up.
        Profile(Profile) = "profile",
        /// Triangles.
        Mesh(TriangleMesh) = "mesh",
        /// A curve in the xy plane, drawn out along z.
        Curve(Track) = "curve",
    }
}

tagged! {
    /// Law of the normal force.
    ContactNormal ("normal law") {
        /// The function IMPACT of the penetration.
        Impact(Impact) = "impact",
        /// Damping in proportion to the spring force.
        HuntCrossley(HuntCrossley) = "hunt_crossley",
    }
}

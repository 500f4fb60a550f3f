//! Control plane: contact as it stands in the file.

use super::Number;
use crate::model::read::{schema, tagged};

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
        /// For people.
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

    /// A box about the origin.
    Brick {
        /// Lengths of its edges along x, y, z, more than zero [length].
        size: [Number; 3],
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

//! Control plane: joints and motions as they are written in the file.

use super::{Expression, Number};
use crate::read::{Entity, choice, schema, tagged};

tagged! {
    /// A joint or joint primitive between the markers I and J.
    Joint ("joint type", "" _ "Joint") {
        /// No relative motion.
        Fixed(PlainJoint) = "fixed",
        /// Rotation about the common z axis.
        Revolute(RevoluteJoint) = "revolute",
        /// Translation along the common z axis.
        Translational(TranslationalJoint) = "translational",
        /// Rotation about and translation along the common z axis.
        Cylindrical(CylindricalJoint) = "cylindrical",
        /// Coincident origins.
        Spherical(PlainJoint) = "spherical",
        /// Origin of I in J's xy plane, z axes parallel.
        Planar(PlainJoint) = "planar",
        /// Origin of I on J's x axis, z axes parallel: a pin in a slot.
        PinSlot(PlainJoint) = "pin_slot",
        /// Coincident origins, x axis of I perpendicular to y axis of J.
        Universal(PlainJoint) = "universal",
        /// The same as `universal`.
        Hooke(PlainJoint) = "hooke",
        /// Coincident origins, equal spin about both z axes.
        ConstantVelocity(PlainJoint) = "constant_velocity",
        /// Rotation about the common z axis with proportional advance along it.
        Screw(ScrewJoint) = "screw",
        /// Pinion (I, turning about its z axis) on a rack (J, sliding along its z axis).
        RackAndPinion(RackAndPinionJoint) = "rack_and_pinion",
        /// Primitive: coincident origins.
        AtPoint(PlainJoint) = "at_point",
        /// Primitive: origin of I on J's z axis.
        InLine(PlainJoint) = "in_line",
        /// Primitive: origin of I in J's xy plane.
        InPlane(PlainJoint) = "in_plane",
        /// Primitive: equal orientation.
        Orientation(PlainJoint) = "orientation",
        /// Primitive: parallel z axes.
        ParallelAxes(PlainJoint) = "parallel_axes",
        /// Primitive: perpendicular z axes.
        Perpendicular(PlainJoint) = "perpendicular",
        /// Primitive: constant distance between the origins.
        Distance(DistanceJoint) = "distance",
        /// Origin of I on a curve of J.
        PointOnCurve(PointOnCurveJoint) = "point_on_curve",
        /// A plane curve of I touches a plane curve of J.
        CurveOnCurve(CurveOnCurveJoint) = "curve_on_curve",
        /// A wheel about z of I rolls without slip on J's xy plane.
        RollingWheel(RollingWheelJoint) = "rolling_wheel",
        /// A ball about the origin of I rolls without slip on J's xy plane.
        RollingBall(RollingBallJoint) = "rolling_ball",
        /// The origin of I has no velocity along z of I, as seen from J: a skate, a sail, a thin wheel seen from above.
        KnifeEdge(PlainJoint) = "knife_edge",
    }
}

schema! {
    /// A joint without further data.
    PlainJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, on another body.
        j: String,
        /// Free text.
        description: Option<String>,
    }

    /// A revolute joint.
    RevoluteJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, on another body.
        j: String,
        /// Initial values of the joint's coordinates, which the start meets exactly. Default: free.
        initial: Option<InitialRotation>,
        /// Free text.
        description: Option<String>,
    }

    /// A translational joint.
    TranslationalJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, on another body.
        j: String,
        /// Initial values of the joint's coordinates, which the start meets exactly. Default: free.
        initial: Option<InitialTranslation>,
        /// Free text.
        description: Option<String>,
    }

    /// A cylindrical joint.
    CylindricalJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, on another body.
        j: String,
        /// Initial values of the joint's coordinates, which the start meets exactly. Default: free.
        initial: Option<InitialCylindrical>,
        /// Free text.
        description: Option<String>,
    }

    /// A screw joint.
    ScrewJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, on another body.
        j: String,
        /// Advance along z per revolution; negative for a left-hand thread [length].
        pitch: Number,
        /// Initial values of the rotation or of the translation, not of both, which the start meets
        /// exactly. Default: free.
        initial: Option<InitialCylindrical>,
        /// Free text.
        description: Option<String>,
    }

    /// A rack-and-pinion joint.
    RackAndPinionJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I, on the pinion.
        i: String,
        /// Marker J, on the rack.
        j: String,
        /// Pitch diameter of the pinion [length]; its sign gives the direction of travel.
        diameter: Number,
        /// Free text.
        description: Option<String>,
    }

    /// A constant distance.
    DistanceJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, on another body.
        j: String,
        /// The distance [length]. Default: that of the given positions.
        length: Option<Number>,
        /// Free text.
        description: Option<String>,
    }

    /// The origin of I stays on a curve of J.
    PointOnCurveJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I.
        i: String,
        /// Marker J, on another body: the curve is in its axes.
        j: String,
        /// The curve.
        curve: String,
        /// Free text.
        description: Option<String>,
    }

    /// A curve of I slides and rolls on a curve of J. Each curve lies in the xy plane of its marker;
    /// other joints must keep the z axes parallel.
    CurveOnCurveJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I: `curve_i` is in its axes.
        i: String,
        /// Marker J, on another body: `curve_j` is in its axes.
        j: String,
        /// The curve of I, in the xy plane.
        curve_i: String,
        /// The curve of J, in the xy plane.
        curve_j: String,
        /// Free text.
        description: Option<String>,
    }

    /// A wheel rolls without slip on the xy plane of J, on the side of J's z axis. Its point of contact
    /// has no velocity; the plane neither lets it sink nor rise.
    RollingWheelJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I, at the centre of the wheel, with z along its axis.
        i: String,
        /// Marker J, on another body, with z normal to the plane.
        j: String,
        /// Radius of the wheel [length].
        radius: Number,
        /// Radius of the tread across the wheel, up to `radius` [length]. Default: 0, a thin disc.
        crown_radius: Option<Number>,
        /// Free text.
        description: Option<String>,
    }

    /// A ball rolls without slip on the xy plane of J, on the side of J's z axis. Its point of contact
    /// has no velocity; the plane neither lets it sink nor rise.
    RollingBallJoint {
        /// Name, unique among joints.
        name: String,
        /// Marker I, at the centre of the ball.
        i: String,
        /// Marker J, on another body, with z normal to the plane.
        j: String,
        /// Radius of the ball [length].
        radius: Number,
        /// Free text.
        description: Option<String>,
    }

    /// Initial rotation about z of J.
    InitialRotation {
        /// Rotation of I from J about z [angle].
        angle: Option<Number>,
        /// Its rate [angle/time].
        angular_velocity: Option<Number>,
    }

    /// Initial translation along z of J.
    InitialTranslation {
        /// Displacement of I from J along z [length].
        displacement: Option<Number>,
        /// Its rate [length/time].
        velocity: Option<Number>,
    }

    /// Initial rotation about z of J and initial translation along it.
    InitialCylindrical {
        /// Displacement of I from J along z [length].
        displacement: Option<Number>,
        /// Its rate [length/time].
        velocity: Option<Number>,
        /// Rotation of I from J about z [angle].
        angle: Option<Number>,
        /// Its rate [angle/time].
        angular_velocity: Option<Number>,
    }

    /// A motion: a coordinate driven as a function of time and inputs. It names a joint, or two
    /// markers and a direction. Exactly one of `displacement`, `velocity`, `acceleration` gives the
    /// function, of time, inputs, parameters and variables made of those: [length] or radians, per
    /// time unit for a velocity.
    Motion {
        /// Name, unique among motions.
        name: String,
        /// The driven joint: revolute, translational, cylindrical or screw.
        joint: Option<String>,
        /// Marker I, when no joint is named.
        i: Option<String>,
        /// Marker J, when no joint is named.
        j: Option<String>,
        /// The driven coordinate: `rotation` or `translation` of a cylindrical or screw joint;
        /// `x`, `y`, `z` (displacement of I along J's axes) or `b1`, `b2`, `b3` (body-fixed 1-2-3
        /// angles of I in J) between markers.
        direction: Option<Direction>,
        /// The coordinate [length, or radians].
        displacement: Option<Expression>,
        /// The coordinate's rate [length/time, or radians/time].
        velocity: Option<Expression>,
        /// The coordinate's second derivative [length/time², or radians/time²].
        acceleration: Option<Expression>,
        /// Coordinate at the start, of velocity and acceleration motions [length or angle].
        /// Default: as assembled.
        initial_displacement: Option<Number>,
        /// Rate at the start, of acceleration motions [length/time or angle/time]. Default: 0.
        initial_velocity: Option<Number>,
        /// Free text.
        description: Option<String>,
    }
}

choice! {
    /// The coordinate that a motion drives.
    Direction ("direction") {
        /// Rotation about z of a joint.
        Rotation = "rotation",
        /// Translation along z of a joint.
        Translation = "translation",
        /// Displacement along J's x axis.
        X = "x",
        /// Displacement along J's y axis.
        Y = "y",
        /// Displacement along J's z axis.
        Z = "z",
        /// First angle of the body-fixed 1-2-3 sequence.
        B1 = "b1",
        /// Second angle of the body-fixed 1-2-3 sequence.
        B2 = "b2",
        /// Third angle of the body-fixed 1-2-3 sequence.
        B3 = "b3",
    }
}

schema! {
    /// Holds a weighted sum of two or three joint coordinates at the value that it has in the poses of
    /// the file.
    Coupler {
        /// Name, unique among couplers.
        name: String,
        /// Two or three joints: revolute, translational, cylindrical or screw.
        joints: Vec<String>,
        /// One factor for each joint, not zero; rotations count in radians, translations in the unit
        /// of length.
        scales: Vec<Number>,
        /// For each joint its coordinate, needed where one of them is cylindrical or a screw.
        coordinates: Option<Vec<CoupledCoordinate>>,
        /// Free text.
        description: Option<String>,
    }

    /// Two joints on one carrier. Their other parts have the same velocity at the point of contact.
    Gear {
        /// Name, unique among gears.
        name: String,
        /// Two joints between the carrier and a part each: revolute, translational, cylindrical or
        /// screw.
        joints: Vec<String>,
        /// A marker on the carrier at the point of contact. Its z axis is the direction of the common
        /// velocity of the two parts.
        carrier: String,
        /// Free text.
        description: Option<String>,
    }
}

schema! {
    /// Holds a function of displacements, angles, time, inputs and parameters at zero.
    GeneralConstraint {
        /// Name, unique among general constraints.
        name: String,
        /// The function that is zero.
        expression: Expression,
        /// Free text.
        description: Option<String>,
    }
}

choice! {
    /// A coordinate of a joint.
    CoupledCoordinate ("coordinate") {
        /// Rotation about z.
        Rotation = "rotation",
        /// Translation along z.
        Translation = "translation",
    }
}

impl Entity for Joint {
    const KIND: &'static str = "joint";
}

impl Entity for Motion {
    const KIND: &'static str = "motion";
}

impl Entity for Coupler {
    const KIND: &'static str = "coupler";
}

impl Entity for GeneralConstraint {
    const KIND: &'static str = "general constraint";
}

impl Entity for Gear {
    const KIND: &'static str = "gear";
}

//! Control plane: bodies, markers, joints and motions of a validated mechanism, in SI.

use super::flexible::FlexBody;
use super::quantities::ScaledExpr;
use crate::ids::{BodyId, CurveId, JointId, MarkerId, ValueId};
use crate::math::{Mat3, Vec3};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Gravity in ground axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gravity {
    /// Components that are numbers [m/s²]; zero if a function gives the component.
    pub numbers: [ValueId; 3],
    /// Components that follow time and inputs; [`ScaledExpr::to_si`] yields m/s². They may read only what the
    /// function of a motion may read.
    pub functions: [Option<ScaledExpr>; 3],
}

/// A rigid body or a point mass. Ground is body 0 (mass and inertia unused).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Body {
    /// Name; ground's is `ground`.
    pub name: String,
    /// Its kind.
    pub kind: BodyKind,
    /// Mass \[kg\].
    pub mass: ValueId,
    /// Central inertia in part axes [kg m²]: Ixx, Iyy, Izz and the products Ixy, Ixz, Iyz as
    /// *positive integrals* (the tensor's off-diagonals are their negatives).
    pub inertia: [ValueId; 6],
    /// Centre of mass in part axes, from the part's origin \[m\].
    pub center_of_mass: Vec3,
    /// Origin of the part in ground \[m\].
    pub position: Vec3,
    /// Part axes → ground axes.
    pub orientation: Mat3,
    /// Start coordinates that assembly keeps: origin along x, y, z of ground, rotation about them.
    pub exact: [bool; 6],
    /// Weight of this body's displacement in assembly; a higher weight makes it move less.
    pub weight: f64,
    /// Initial velocity of the centre of mass, ground axes [m/s]; `None` if assembly may choose it.
    pub velocity: Option<Vec3>,
    /// Initial angular velocity, ground axes [rad/s]; `None` if assembly may choose it.
    pub angular_velocity: Option<Vec3>,
    /// Its flexible data, if it deforms.
    pub flexible: Option<Box<FlexBody>>,
}

/// The kinds of body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyKind {
    /// Does not move.
    Ground,
    /// Six degrees of freedom.
    Rigid,
    /// Six degrees of freedom and modes.
    Flexible,
    /// Three degrees of freedom; its axes stay parallel to ground.
    Point,
}

/// A frame fixed on a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Marker {
    /// Name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// The part of the body that it is fixed to.
    #[serde(rename = "seat")]
    pub base: MarkerBase,
    /// Position in part axes from the part's *origin* (not the centre of mass) \[m\]; on a flexible body
    /// while it is undeformed.
    pub position: Vec3,
    /// Marker axes → part axes.
    pub orientation: Mat3,
}

/// The part of a body that a marker is fixed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MarkerBase {
    /// The body's frame.
    Body,
    /// A node of a flexible body.
    Node(usize),
    /// No position: its coordinates are functions of the modal coordinates of a flexible body.
    Functions([Functional; 3]),
}

/// A linear function of a flexible body's modal coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Functional {
    /// Zero.
    None,
    /// One of the body's modes, counted from 0.
    Coordinate(usize),
    /// A component of stress at a point of the file.
    Stress(usize, usize),
    /// A component of strain at a point of the file.
    Strain(usize, usize),
    /// The displacement that a load case of the file does work on, including rigid motion.
    Load(usize),
}

impl Marker {
    /// Does it have a position?
    pub fn is_placed(&self) -> bool {
        !matches!(self.base, MarkerBase::Functions(_))
    }

    /// The node of a flexible body that it is on.
    pub fn node(&self) -> Option<usize> {
        match self.base {
            MarkerBase::Node(node) => Some(node),
            MarkerBase::Body | MarkerBase::Functions(_) => None,
        }
    }
}

/// A joint or primitive between markers I and J.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// Kind, with its data.
    pub kind: JointKind,
    /// Marker I.
    pub i: MarkerId,
    /// Marker J.
    pub j: MarkerId,
    /// Initial translation along z of J \[m\], if given.
    pub initial_displacement: Option<f64>,
    /// Initial translation rate along z of J [m/s].
    pub initial_velocity: Option<f64>,
    /// Initial rotation about z \[rad\].
    pub initial_angle: Option<f64>,
    /// Initial rotation rate about z [rad/s].
    pub initial_angular_velocity: Option<f64>,
}

/// The kinds of joint and primitive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// Rotation about the common z.
    Revolute,
    /// Translation along the common z.
    Translational,
    /// Rotation about and translation along the common z.
    Cylindrical,
    /// Coincident origins.
    Spherical,
    /// Origins in J's xy-plane, z axes parallel.
    Planar,
    /// Coincident origins, x of I perpendicular to y of J.
    Universal,
    /// Coincident origins, equal spin about both z axes.
    ConstantVelocity,
    /// Cylindrical with `pitch` [m per revolution].
    Screw {
        /// Advance per revolution \[m\].
        pitch: f64,
    },
    /// Rack (J, sliding along its z) and pinion (I, turning about its z).
    RackAndPinion {
        /// Pitch diameter of the pinion \[m\]; its sign gives the sense.
        diameter: f64,
    },
    /// Coincident origins.
    AtPoint,
    /// Origin of I on J's z axis.
    InLine,
    /// Origin of I in J's xy-plane.
    InPlane,
    /// Equal orientation.
    Orientation,
    /// Parallel z axes.
    ParallelAxes,
    /// Perpendicular z axes.
    Perpendicular,
    /// Constant distance between origins.
    Distance {
        /// The distance \[m\].
        length: f64,
    },
    /// Origin of I on a curve of J.
    PointOnCurve {
        /// The curve, in the axes of J.
        curve: CurveId,
    },
    /// A plane curve of I in contact with one of J.
    CurveOnCurve {
        /// The curves, in the xy planes of I and of J.
        curves: [CurveId; 2],
    },
    /// Origin of I on J's x axis, z axes parallel.
    PinSlot,
    /// A wheel about z of I rolls without slip on J's xy plane.
    RollingWheel {
        /// Radius of the wheel \[m\].
        radius: f64,
        /// Radius of its tread across the wheel \[m\]; zero for a thin disc.
        crown: f64,
    },
    /// A ball about the origin of I rolls without slip on J's xy plane.
    RollingBall {
        /// Its radius \[m\].
        radius: f64,
    },
    /// The origin of I has no velocity along z of I, as seen from J.
    KnifeEdge,
}

impl JointKind {
    /// Does it restrict velocities that no row of positions does?
    pub fn rolls(&self) -> bool {
        matches!(
            self,
            Self::RollingWheel { .. } | Self::RollingBall { .. } | Self::KnifeEdge
        )
    }
}

/// A coupler or gear: a sum of joint coordinates that keeps its value at the model's poses.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Coupler {
    /// Name.
    pub name: String,
    /// Is it a gear?
    pub gear: bool,
    /// Is the sum an angle \[rad\] rather than a length \[m\]?
    pub angular: bool,
    /// The coordinates, each of another joint or of another kind.
    pub legs: Vec<CouplerLeg>,
}

/// A function of poses and time that must stay zero.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GeneralConstraint {
    /// Name.
    pub name: String,
    /// The function; [`ScaledExpr::to_si`] is that of a length if it reads one, else 1.
    pub function: ScaledExpr,
    /// The markers whose bodies it couples, each once.
    pub markers: Vec<MarkerId>,
    /// Does it depend on time or inputs?
    pub driven: bool,
}

/// One joint's part of the sum: `slide · displacement + turn · rotation`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CouplerLeg {
    /// Marker I of the joint.
    pub i: MarkerId,
    /// Marker J of the joint.
    pub j: MarkerId,
    /// Factor of the displacement of I from J along z of J.
    pub slide: f64,
    /// Factor of the rotation of I about z of J.
    pub turn: f64,
}

/// A motion: a coordinate between two markers driven as a function of time and inputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Motion {
    /// Name.
    pub name: String,
    /// Marker I.
    pub i: MarkerId,
    /// Marker J.
    pub j: MarkerId,
    /// The driven joint, if the motion was given by a joint.
    pub joint: Option<JointId>,
    /// The driven coordinate.
    pub coordinate: MotionCoordinate,
    /// Which derivative of the coordinate the expression gives.
    pub level: MotionLevel,
    /// The expression; [`ScaledExpr::to_si`] yields m, rad, m/s, … It may read only time, inputs, parameters, and
    /// variables of those.
    pub function: ScaledExpr,
    /// Coordinate at the start \[SI\] (velocity and acceleration motions); `None`: as assembled.
    pub initial_displacement: Option<f64>,
    /// Rate at the start \[SI\] (acceleration motions).
    pub initial_velocity: f64,
}

/// The coordinate that a motion drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MotionCoordinate {
    /// Displacement of I from J along an axis of J (0 = x, 1 = y, 2 = z).
    Translation(u8),
    /// Rotation of I about J's z axis (of a revolute or cylindrical joint).
    RotationZ,
    /// Angle of the body-fixed 1-2-3 sequence of I in J (0 = B1, 1 = B2, 2 = B3).
    Body123(u8),
}

/// The derivative that a motion's expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MotionLevel {
    /// The coordinate itself.
    Displacement,
    /// Its rate.
    Velocity,
    /// Its second derivative.
    Acceleration,
}

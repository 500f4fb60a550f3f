//! Control plane: the validated mechanism, in SI units, with every reference resolved.
//!
//! JSON text → schema → [`Model`]. What is here holds no `Option` that validation has excluded and
//! no name that is still to be looked up; names stay only for messages and for the FMU's variables.
//!
//! # Units
//! Numbers of elements are SI here. Expressions live in the *user's* units (lengths, forces, time as
//! in the units block; angles in expressions are always radians): a measure leaf carries the factor
//! that turns its SI value into user units, and whoever uses an expression's value carries the
//! factor back ([`ScaledExpr::to_si`]).

use crate::expr::Program;
use crate::ids::{
    BodyId, ExprId, ForceId, InputId, JointId, MarkerId, MotionId, ParameterId, ValueId, VariableId,
};
use crate::math::{Mat3, Vec3};

/// A validated mechanism.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the mechanism.
    pub name: String,
    /// One paragraph for people.
    pub description: String,
    /// The user's units.
    pub units: UnitSystem,
    /// Gravity [m/s²] in ground axes.
    pub gravity: [ValueId; 3],
    /// Bodies; the first is ground.
    pub bodies: Vec<Body>,
    /// Markers.
    pub markers: Vec<Marker>,
    /// Joints and joint primitives.
    pub joints: Vec<Joint>,
    /// Motions.
    pub motions: Vec<Motion>,
    /// Force elements.
    pub forces: Vec<Force>,
    /// FMU inputs.
    pub inputs: Vec<Input>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Named expressions, sorted so that each refers only to earlier ones.
    pub variables: Vec<NamedExpr>,
    /// FMU outputs.
    pub outputs: Vec<NamedExpr>,
    /// All compiled expressions.
    pub expressions: Vec<Program>,
    /// All leaves that the expressions touch, each once.
    pub leaves: Vec<Leaf>,
    /// All numbers of elements.
    pub values: Vec<Value>,
    /// Solver settings.
    pub solver: SolverSettings,
    /// Default experiment.
    pub experiment: Experiment,
}

/// The user's units as factors to SI: `si = user * factor`.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitSystem {
    /// Metres per length unit, with its name.
    pub length: Unit,
    /// Kilograms per mass unit.
    pub mass: Unit,
    /// Newtons per force unit.
    pub force: Unit,
    /// Seconds per time unit.
    pub time: Unit,
    /// Radians per angle unit (of JSON fields; expressions use radians).
    pub angle: Unit,
}

/// One unit: its name as the user wrote it and the factor to SI.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Name, such as `mm`.
    pub name: String,
    /// `si = user * factor`.
    pub factor: f64,
}

/// A number of an element [SI]: constant, or an expression of parameters only.
#[derive(Clone, Debug)]
pub struct Value {
    /// Where the number comes from.
    pub source: ValueSource,
    /// Where it stands, for messages: `forces[2] "spring": stiffness`.
    pub path: String,
    /// What it must satisfy.
    pub rule: ValueRule,
}

/// Where a [`Value`] comes from.
#[derive(Clone, Debug)]
pub enum ValueSource {
    /// A constant [SI].
    Constant(f64),
    /// An expression whose leaves are parameters only.
    Expression(ScaledExpr),
}

/// What a [`Value`] must satisfy whenever its parameters change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRule {
    /// Any finite number.
    Finite,
    /// Zero or more.
    NonNegative,
    /// More than zero.
    Positive,
}

/// An expression with the factor that turns its value (user units) into SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledExpr {
    /// The expression.
    pub expr: ExprId,
    /// `si = value * to_si`.
    pub to_si: f64,
}

/// A rigid body or a point mass. Ground is body 0 (mass and inertia unused).
#[derive(Clone, Debug)]
pub struct Body {
    /// Name; ground's is `ground`.
    pub name: String,
    /// What it is.
    pub kind: BodyKind,
    /// Mass [kg].
    pub mass: ValueId,
    /// Central inertia in part axes [kg m²]: Ixx, Iyy, Izz and the products Ixy, Ixz, Iyz as
    /// *positive integrals* (the tensor's off-diagonals are their negatives).
    pub inertia: [ValueId; 6],
    /// Centre of mass in part axes, from the part's origin [m].
    pub center_of_mass: Vec3,
    /// Origin of the part in ground [m].
    pub position: Vec3,
    /// Part axes → ground axes.
    pub orientation: Mat3,
    /// Initial velocity of the centre of mass, ground axes [m/s]; `None`: free to follow the rest.
    pub velocity: Option<Vec3>,
    /// Initial angular velocity, ground axes [rad/s]; `None`: free to follow the rest.
    pub angular_velocity: Option<Vec3>,
}

/// The kinds of body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Does not move.
    Ground,
    /// Six degrees of freedom.
    Rigid,
    /// Three degrees of freedom; its axes stay those of ground.
    Point,
}

/// A frame fixed on a body.
#[derive(Clone, Debug)]
pub struct Marker {
    /// Name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// Position in part axes from the part's *origin* (not the centre of mass) [m].
    pub position: Vec3,
    /// Marker axes → part axes.
    pub orientation: Mat3,
}

/// A joint or primitive between markers I and J.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// Kind, with its data.
    pub kind: JointKind,
    /// Marker I.
    pub i: MarkerId,
    /// Marker J.
    pub j: MarkerId,
    /// Initial translation along z of J [m]: wanted at the start, if given.
    pub initial_displacement: Option<f64>,
    /// Initial translation rate along z of J [m/s].
    pub initial_velocity: Option<f64>,
    /// Initial rotation about z [rad].
    pub initial_angle: Option<f64>,
    /// Initial rotation rate about z [rad/s].
    pub initial_angular_velocity: Option<f64>,
}

/// The kinds of joint and primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
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
        /// Advance per revolution [m].
        pitch: f64,
    },
    /// Rack (J, sliding along its z) and pinion (I, turning about its z).
    RackAndPinion {
        /// Pitch diameter of the pinion [m]; its sign gives the sense.
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
        /// The distance [m].
        length: f64,
    },
}

/// A motion: a coordinate between two markers driven as a function of time and inputs.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Name.
    pub name: String,
    /// Marker I.
    pub i: MarkerId,
    /// Marker J.
    pub j: MarkerId,
    /// The joint it drives, if it was given by a joint.
    pub joint: Option<JointId>,
    /// The driven coordinate.
    pub coordinate: MotionCoordinate,
    /// Which derivative of the coordinate the expression gives.
    pub level: MotionLevel,
    /// The expression; [`ScaledExpr::to_si`] yields m, rad, m/s, … It touches only time, inputs,
    /// parameters, and variables made of those.
    pub function: ScaledExpr,
    /// Coordinate at the start [SI] (velocity and acceleration motions); `None`: as assembled.
    pub initial_displacement: Option<f64>,
    /// Rate at the start [SI] (acceleration motions).
    pub initial_velocity: f64,
}

/// The coordinate that a motion drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionCoordinate {
    /// Displacement of I from J along an axis of J (0 = x, 1 = y, 2 = z).
    Translation(u8),
    /// Rotation of I about J's z axis (of a revolute or cylindrical joint).
    RotationZ,
    /// Angle of the body-fixed 1-2-3 sequence of I in J (0 = B1, 1 = B2, 2 = B3).
    Body123(u8),
}

/// The derivative that a motion's expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionLevel {
    /// The coordinate itself.
    Displacement,
    /// Its rate.
    Velocity,
    /// Its second derivative.
    Acceleration,
}

/// A force element.
#[derive(Clone, Debug)]
pub struct Force {
    /// Name.
    pub name: String,
    /// Marker I: the force acts on its body at its origin.
    pub i: MarkerId,
    /// Marker J: its body takes the reaction, at the origin of I. Unused by action-only forces.
    pub j: MarkerId,
    /// Kind, with its data.
    pub kind: ForceKind,
}

/// The kinds of force.
#[derive(Clone, Debug)]
pub enum ForceKind {
    /// Along the line I–J, repulsion positive: `F = preload − damping·dL/dt − stiffness·(L − length)`.
    TranslationalSpringDamper {
        /// [N/m]
        stiffness: ValueId,
        /// [N s/m]
        damping: ValueId,
        /// Free length [m].
        length: ValueId,
        /// [N]
        preload: ValueId,
    },
    /// About z of J, on I: `T = preload − damping·ω − stiffness·(angle − free angle)`; the angle
    /// counts full turns.
    RotationalSpringDamper {
        /// [N m/rad]
        stiffness: ValueId,
        /// [N m s/rad]
        damping: ValueId,
        /// Free angle [rad].
        angle: ValueId,
        /// [N m]
        preload: ValueId,
    },
    /// Six-axis bushing in J's axes.
    Bushing {
        /// [N/m]
        stiffness: [ValueId; 3],
        /// [N s/m]
        damping: [ValueId; 3],
        /// [N]
        preload: [ValueId; 3],
        /// [N m/rad]
        torsional_stiffness: [ValueId; 3],
        /// [N m s/rad]
        torsional_damping: [ValueId; 3],
        /// [N m]
        torsional_preload: [ValueId; 3],
    },
    /// One-component force along the line I–J (repulsion positive), with reaction on J.
    LineOfSight(ScaledExpr),
    /// One-component torque on I about z of J, with reaction on J.
    Torque(ScaledExpr),
    /// One-component force on I along z of J, no reaction.
    ActionOnlyForce(ScaledExpr),
    /// One-component torque on I about z of J, no reaction.
    ActionOnlyTorque(ScaledExpr),
    /// Three forces and three torques on I in the axes of `axes`, with reaction on J's body at the
    /// origin of I. Absent components are `None`.
    General {
        /// The marker whose axes the components refer to.
        axes: MarkerId,
        /// [N]
        force: [Option<ScaledExpr>; 3],
        /// [N m]
        torque: [Option<ScaledExpr>; 3],
    },
}

/// An FMU input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name, unit, bounds and start.
    pub quantity: Quantity,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name, unit, bounds and start.
    pub quantity: Quantity,
    /// May it change between steps?
    pub tunable: bool,
}

/// A named number at the border to the FMU. Its value is in its own declared unit, never converted.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Name.
    pub name: String,
    /// For people.
    pub description: String,
    /// FMI unit such as `N.m` or `mm/s`; empty: none.
    pub unit: String,
    /// Display unit; empty: none.
    pub display_unit: String,
    /// Lower bound.
    pub min: Option<f64>,
    /// Upper bound.
    pub max: Option<f64>,
    /// Value at the start.
    pub start: f64,
}

/// A variable or output: a named expression in user units.
#[derive(Clone, Debug)]
pub struct NamedExpr {
    /// Name and unit; `start` is unused.
    pub quantity: Quantity,
    /// The expression.
    pub expr: ExprId,
}

/// What a leaf of an expression stands for; its value is `measure [SI] * scale`.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// Simulation time in user units: `seconds * scale`.
    Time {
        /// User time units per second.
        scale: f64,
    },
    /// An input, as set.
    Input(InputId),
    /// A parameter, as set.
    Parameter(ParameterId),
    /// A variable's value.
    Variable(VariableId),
    /// A kinematic measure between markers.
    Kinematic {
        /// Which.
        measure: KinematicMeasure,
        /// Marker I.
        i: MarkerId,
        /// Marker J.
        j: MarkerId,
        /// Marker whose axes give the components.
        axes: MarkerId,
        /// Marker in whose frame the time derivatives are seen.
        frame: MarkerId,
        /// User units per SI unit.
        scale: f64,
    },
    /// A component of force or torque carried by elements.
    Reaction {
        /// The element, or all elements between two markers.
        source: ReactionSource,
        /// Which component.
        component: ReactionComponent,
        /// Marker whose axes give the components.
        axes: MarkerId,
        /// User units per SI unit.
        scale: f64,
    },
}

/// Kinematic measures (I relative to J, in the axes of a third marker).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KinematicMeasure {
    /// DX, DY, DZ: displacement component (0, 1, 2).
    Displacement(u8),
    /// DM: distance.
    Distance,
    /// VX, VY, VZ.
    Velocity(u8),
    /// VM: speed.
    Speed,
    /// VR: separation rate.
    SeparationRate,
    /// ACCX, ACCY, ACCZ.
    Acceleration(u8),
    /// ACCM.
    AccelerationMagnitude,
    /// WX, WY, WZ.
    AngularVelocity(u8),
    /// WM.
    AngularSpeed,
    /// WDTX, WDTY, WDTZ.
    AngularAcceleration(u8),
    /// WDTM.
    AngularAccelerationMagnitude,
    /// AX, AY, AZ: rotation of I about an axis of J, counting full turns.
    Angle(u8),
    /// PSI, THETA, PHI: body 3-1-3 angles (0, 1, 2).
    Body313(u8),
    /// YAW, PITCH, ROLL: body 3-2-1 angles (0, 1, 2), pitch and its sign as Adams defines them.
    YawPitchRoll(u8),
}

/// Whose force a reaction leaf reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReactionSource {
    /// A joint: what it exerts on its marker I (`on_j = false`) or J.
    Joint(JointId, bool),
    /// A motion, likewise.
    Motion(MotionId, bool),
    /// A force element, likewise.
    Force(ForceId, bool),
    /// All that acts between two markers, on the first.
    Between(MarkerId, MarkerId),
    /// All action-only forces on a marker.
    On(MarkerId),
}

/// Component of a force or torque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReactionComponent {
    /// FM
    ForceMagnitude,
    /// FX, FY, FZ
    Force(u8),
    /// TM
    TorqueMagnitude,
    /// TX, TY, TZ
    Torque(u8),
}

/// Integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegratorKind {
    /// Gear's stiff method; in fixed step, backward Euler.
    Gstiff,
}

/// Formulations of the constrained equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// Index 3: position constraints.
    I3,
}

/// Solver settings, validated.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverSettings {
    /// Integrator.
    pub integrator: IntegratorKind,
    /// Formulation.
    pub formulation: Formulation,
    /// Newton iterations per step, 1..=10.
    pub fixit: u8,
    /// Integration steps per communication step, 1 or more.
    pub hratio: u32,
    /// Jacobian pattern over the iterations of a step, 1..=10 entries, repeated.
    pub pattern: Vec<bool>,
    /// Local error that stops the run, in user units (`f64::INFINITY`: never).
    pub maxerr: f64,
    /// Initial step asked for [s]; clipped to DTOUT/HRATIO.
    pub hinit: Option<f64>,
    /// Largest step asked for [s]; ignored below DTOUT/HRATIO.
    pub hmax: Option<f64>,
    /// Settings that fixed step accepts and ignores, as (name, text), for one message each.
    pub ignored: Vec<(String, String)>,
}

impl Default for SolverSettings {
    fn default() -> Self {
        const T: bool = true;
        const F: bool = false;
        Self {
            integrator: IntegratorKind::Gstiff,
            formulation: Formulation::I3,
            fixit: 3,
            hratio: 1,
            pattern: vec![T, F, F, F, T, F, F, F, T, F],
            maxerr: f64::INFINITY,
            hinit: None,
            hmax: None,
            ignored: Vec::new(),
        }
    }
}

/// Default experiment [s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experiment {
    /// Start time [s].
    pub start: f64,
    /// Stop time [s].
    pub stop: f64,
    /// Communication step DTOUT [s].
    pub step: f64,
}

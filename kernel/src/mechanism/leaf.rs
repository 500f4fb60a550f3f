//! Control plane: what expressions read: time, inputs, parameters, variables, measures, reactions.

use super::memory::Held;
use crate::ids::{
    BodyId, CouplerId, DelayId, EquationId, ForceId, GeneralId, InputId, JointId, MarkerId,
    MotionId, ParameterId, VariableId,
};
use crate::mechanism::tyres::TyreChannel;
use serde::{Deserialize, Serialize};

/// What a leaf of an expression stands for; its value is `measure \[SI\] * scale`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// DIF: the state of a differential equation.
    State(EquationId),
    /// DIF1: the value of a differential equation's derivative.
    StateRate(EquationId),
    /// What an element with a memory holds between steps.
    Held(Held),
    /// DELAY: a value of the past.
    Delay(DelayId),
    /// The rate of a bristle of joint friction.
    BristleRate {
        /// The element.
        friction: ForceId,
        /// Component of the slip.
        component: usize,
        /// User units per SI unit.
        scale: f64,
    },
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
    /// An energy or a power.
    Energy {
        /// Whose.
        source: EnergySource,
        /// User units per SI unit.
        scale: f64,
    },
    /// DEFORMATION: how far the most displaced node of a flexible body has moved in the body's frame.
    Deformation {
        /// The body.
        body: BodyId,
        /// User units per SI unit.
        scale: f64,
    },
    /// What is read of a contact besides its force.
    Contact {
        /// The contact.
        force: ForceId,
        /// Which quantity.
        quantity: ContactQuantity,
        /// Marker from which and along whose axes a place is given.
        axes: MarkerId,
        /// User units per SI unit.
        scale: f64,
    },
    /// ARC: length of a curve of a joint up to where the joint touches it.
    Arc {
        /// The joint.
        joint: JointId,
        /// On the curve of J rather than of I.
        on_j: bool,
        /// User units per SI unit.
        scale: f64,
    },
    /// GCON(name): what a general constraint exerts along its function.
    Multiplier {
        /// The constraint.
        constraint: GeneralId,
        /// User units per SI unit, with the sign of a force.
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
    /// TYRE: what a tyre does.
    Tyre {
        /// The force element.
        force: ForceId,
        /// What of it.
        channel: TyreChannel,
        /// User units per SI unit.
        scale: f64,
    },
}

impl Leaf {
    /// Is it a function of poses and of what is set? Of a variable what it reads itself counts.
    pub fn is_holonomic(&self) -> bool {
        match self {
            Self::Time { .. }
            | Self::Input(_)
            | Self::Parameter(_)
            | Self::Variable(_)
            | Self::Arc { .. } => true,
            Self::Kinematic { measure, .. } => measure.is_holonomic(),
            Self::State(_)
            | Self::StateRate(_)
            | Self::BristleRate { .. }
            | Self::Held(_)
            | Self::Delay(_)
            | Self::Contact { .. }
            | Self::Tyre { .. }
            | Self::Energy { .. }
            | Self::Deformation { .. }
            | Self::Multiplier { .. }
            | Self::Reaction { .. } => false,
        }
    }
}

impl KinematicMeasure {
    /// Of which derivative in time it is: 0 of a pose, 1 of a velocity, 2 of an acceleration.
    pub fn order(self) -> u8 {
        match self {
            Self::Displacement(_)
            | Self::Distance
            | Self::Angle(_)
            | Self::Body313(_)
            | Self::YawPitchRoll(_)
            | Self::Direction(_)
            | Self::IncludedAngle => 0,
            Self::Velocity(_)
            | Self::Speed
            | Self::SeparationRate
            | Self::AngularVelocity(_)
            | Self::AngularSpeed => 1,
            Self::Acceleration(_)
            | Self::AccelerationMagnitude
            | Self::AngularAcceleration(_)
            | Self::AngularAccelerationMagnitude => 2,
        }
    }

    /// Is it a function of poses that a constraint may read?
    pub fn is_holonomic(self) -> bool {
        self.order() == 0 && !matches!(self, Self::Direction(_) | Self::IncludedAngle)
    }
}

/// Kinematic measures (I relative to J, in the axes of a third marker).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// UVX, UVY, UVZ: the unit vector from J to I, in the axes of the third marker.
    Direction(u8),
    /// INCANG: the angle at J between the lines to I and to the third marker.
    IncludedAngle,
}

/// What an energy or power leaf reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EnergySource {
    /// KE: kinetic energy of a body.
    Kinetic(BodyId),
    /// PE: potential energy of a body in gravity.
    Potential(BodyId),
    /// SE: energy stored in a force element.
    Strain(ForceId),
    /// POWER: what an element puts into the bodies.
    Power(ReactionSource),
    /// DISSIPATION: what a force element takes from them for good.
    Dissipation(ForceId),
}

/// Whose force a reaction leaf reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReactionSource {
    /// A joint: what it exerts on its marker I (`on_j = false`) or J.
    Joint(JointId, bool),
    /// A motion, likewise.
    Motion(MotionId, bool),
    /// A force element, likewise.
    Force(ForceId, bool),
    /// A coupler or gear, at one of its joints.
    Coupler {
        /// Which.
        coupler: CouplerId,
        /// The joint.
        joint: JointId,
        /// On J rather than on I.
        on_j: bool,
    },
    /// A general constraint, on a marker that it reads.
    General(GeneralId, MarkerId),
    /// All that acts between two markers, on the first.
    Between(MarkerId, MarkerId),
    /// All action-only forces on a marker.
    On(MarkerId),
}

/// Component of a force or torque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// What can be read of a contact besides its force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactQuantity {
    /// The largest penetration of a point.
    Penetration,
    /// The sum of the normal forces.
    NormalForce,
    /// The slip velocity.
    Slip,
    /// Coordinate of the place where it touches (0, 1, 2).
    Place(u8),
}

//! Control plane: the leaves of expressions, that is, what they can read: time, inputs, parameters, variables,
//! measures, reactions.

use super::memory::Held;
use crate::ids::{
    BodyId, CouplerId, DelayId, EquationId, ForceId, GeneralId, InputId, JointId, MarkerId,
    MotionId, ParameterId, VariableId,
};
use crate::mechanism::measures::KinematicMeasure;
use crate::mechanism::tyres::TyreChannel;
use serde::{Deserialize, Serialize};

/// A leaf of an expression; its value is `measure \[SI\] * scale`.
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
    /// A number that an element with a memory holds between steps.
    Held(Held),
    /// DELAY: a delayed value.
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
        /// The measure.
        measure: KinematicMeasure,
        /// Marker I.
        i: MarkerId,
        /// Marker J.
        j: MarkerId,
        /// Marker whose axes give the components.
        axes: MarkerId,
        /// Marker in whose frame time derivatives are taken.
        frame: MarkerId,
        /// User units per SI unit.
        scale: f64,
    },
    /// An energy or a power.
    Energy {
        /// Its source.
        source: EnergySource,
        /// User units per SI unit.
        scale: f64,
    },
    /// DEFORMATION: the largest displacement of a node of a flexible body, in the body's frame.
    Deformation {
        /// The body.
        body: BodyId,
        /// User units per SI unit.
        scale: f64,
    },
    /// A contact measure other than the force.
    Contact {
        /// The contact.
        force: ForceId,
        /// The measure.
        quantity: ContactQuantity,
        /// For a place: the marker of the origin and the axes.
        axes: MarkerId,
        /// User units per SI unit.
        scale: f64,
    },
    /// ARC: the arc length of a joint's curve up to its contact point.
    Arc {
        /// The joint.
        joint: JointId,
        /// The curve of J rather than that of I.
        on_j: bool,
        /// User units per SI unit.
        scale: f64,
    },
    /// GCON(name): the generalized force of a general constraint along its function.
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
    /// TYRE: a tyre quantity.
    Tyre {
        /// The force element.
        force: ForceId,
        /// The quantity.
        channel: TyreChannel,
        /// User units per SI unit.
        scale: f64,
    },
}

impl Leaf {
    /// Does it depend on poses, inputs, parameters and time only? A variable counts by the leaves that it reads
    /// itself.
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

/// The source of an energy or power leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EnergySource {
    /// KE: kinetic energy of a body.
    Kinetic(BodyId),
    /// PE: potential energy of a body in gravity.
    Potential(BodyId),
    /// SE: energy stored in a force element.
    Strain(ForceId),
    /// POWER: the power that an element supplies to the bodies.
    Power(ReactionSource),
    /// DISSIPATION: the power that a force element dissipates.
    Dissipation(ForceId),
}

/// The source of a reaction leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReactionSource {
    /// A joint: its load on marker I (`on_j = false`) or J.
    Joint(JointId, bool),
    /// A motion, likewise.
    Motion(MotionId, bool),
    /// A force element, likewise.
    Force(ForceId, bool),
    /// A coupler or gear, at one of its joints.
    Coupler {
        /// The coupler.
        coupler: CouplerId,
        /// The joint.
        joint: JointId,
        /// On J rather than on I.
        on_j: bool,
    },
    /// A general constraint: its load on a marker that it reads.
    General(GeneralId, MarkerId),
    /// All elements between two markers: their load on the first.
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

/// The contact measures other than the force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactQuantity {
    /// The largest penetration of a point.
    Penetration,
    /// The sum of the normal forces.
    NormalForce,
    /// The slip velocity.
    Slip,
    /// Coordinate of the contact point (0, 1, 2).
    Place(u8),
}

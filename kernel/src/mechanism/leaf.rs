//! Control plane: what expressions read: time, inputs, parameters, variables, measures, reactions.

use super::memory::Held;
use crate::ids::{
    BodyId, CouplerId, DelayId, EquationId, ForceId, GeneralId, InputId, JointId, MarkerId,
    MotionId, ParameterId, VariableId,
};
use crate::mechanism::measures::KinematicMeasure;
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

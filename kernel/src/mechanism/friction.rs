//! Control plane: joint friction of a validated mechanism, in SI.

use crate::ids::{EquationId, JointId, ValueId};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Friction in a joint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JointFriction {
    /// The joint.
    pub joint: JointId,
    /// The kind of joint.
    pub slips: FrictionJoint,
    /// The friction law.
    pub law: FrictionLaw,
    /// Which loads cause friction.
    pub inputs: FrictionInputs,
    /// Its numbers.
    pub numbers: FrictionNumbers<ValueId>,
    /// The states of the bristles.
    pub bristles: Vec<EquationId>,
}

/// Count of the numbers of joint friction.
const FRICTION_NUMBERS: usize = 16;

/// The numbers of joint friction, and their order in an array.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FrictionNumbers<T> {
    /// μs, μd, and the two velocities of the law [m/s].
    pub curve: [T; 4],
    /// For bristles σ0 [1/m], σ1 [s/m] and the unit of their states \[m\].
    pub bristles: [T; 3],
    /// Radius of the pin or ball \[m\].
    pub radius: T,
    /// Friction arm, bending arm, reaction arm \[m\].
    pub arms: [T; 3],
    /// Preloads [N, N m], and the μd for which they are given.
    pub preload: [T; 3],
    /// Viscous coefficients [N s/m, N m s/rad].
    pub viscous: [T; 2],
}

impl<T> FrictionNumbers<T> {
    /// As an array.
    pub fn into_array(self) -> [T; FRICTION_NUMBERS] {
        let [held, sliding, from, to] = self.curve;
        let [stiffness, damping, unit] = self.bristles;
        let [friction, bending, reaction] = self.arms;
        let [force, torque, meant] = self.preload;
        let [slide, turn] = self.viscous;
        [
            held,
            sliding,
            from,
            to,
            stiffness,
            damping,
            unit,
            self.radius,
            friction,
            bending,
            reaction,
            force,
            torque,
            meant,
            slide,
            turn,
        ]
    }

    /// From an array.
    pub fn from_array(numbers: [T; FRICTION_NUMBERS]) -> Self {
        let [
            held,
            sliding,
            from,
            to,
            stiffness,
            damping,
            unit,
            radius,
            friction,
            bending,
            reaction,
            force,
            torque,
            meant,
            slide,
            turn,
        ] = numbers;
        Self {
            curve: [held, sliding, from, to],
            bristles: [stiffness, damping, unit],
            radius,
            arms: [friction, bending, reaction],
            preload: [force, torque, meant],
            viscous: [slide, turn],
        }
    }
}

/// The kinds of joint with friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrictionJoint {
    /// A pin that rotates about z of J.
    Revolute,
    /// A slider along z of J.
    Translational,
    /// A pin that rotates about and slides along z of J.
    Cylindrical,
    /// A ball.
    Spherical,
    /// The two pins of a cross, along y of J and x of I.
    Universal,
}

/// Friction as a function of slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrictionLaw {
    /// Coulomb friction, smoothed through zero.
    Coulomb,
    /// Bristles that deflect and slip; it can stick.
    LuGre,
}

/// Which loads of a joint cause friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrictionInputs {
    /// The preloads.
    pub preload: bool,
    /// The reaction force.
    pub reaction_force: bool,
    /// The part of the reaction torque across the axis.
    pub bending_moment: bool,
    /// The part of the reaction torque along the axis.
    pub torsional_moment: bool,
}

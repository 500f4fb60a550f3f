//! Control plane: joint friction of a validated mechanism, in SI.

use crate::ids::{JointId, ValueId};

/// Friction in a joint.
#[derive(Clone, Debug)]
pub struct JointFriction {
    /// The joint.
    pub joint: JointId,
    /// What slips in it.
    pub slips: FrictionJoint,
    /// Friction over the slip.
    pub law: FrictionLaw,
    /// What the load is made of.
    pub inputs: FrictionInputs,
    /// μs, μd, two velocities of the law [m/s], radius of the pin or ball, friction arm, bending arm,
    /// reaction arm \[m\], preloads [N, N m], the μd they are meant for, viscous coefficients [N s/m,
    /// N m s/rad].
    pub numbers: [ValueId; 13],
}

/// What slips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionJoint {
    /// A pin that turns about z of J.
    Revolute,
    /// A slider along z of J.
    Translational,
    /// A pin that turns about and slides along z of J.
    Cylindrical,
    /// A ball.
    Spherical,
    /// The two pins of a cross, along y of J and x of I.
    Universal,
}

/// Friction over the slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionLaw {
    /// Coulomb's, smooth through zero.
    Coulomb,
}

/// What the load of a joint is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

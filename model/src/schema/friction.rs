//! Control plane: joint friction as it is written in the file.

use super::Number;
use crate::read::{choice, schema, tagged};

schema! {
    /// Friction in a revolute, translational, cylindrical, spherical or universal joint, in proportion to
    /// the joint's reaction.
    JointFriction {
        /// Name, unique among forces.
        name: String,
        /// The joint.
        joint: String,
        /// Coefficient of break-away, `mu_dynamic` or more. Default: `mu_dynamic`.
        mu_static: Option<Number>,
        /// Coefficient of sliding friction, more than zero.
        mu_dynamic: Number,
        /// Coefficient of friction as a function of the slip velocity.
        law: FrictionLaw,
        /// Radius of the pin, more than zero, of joints that turn about an axis [length]. The slip
        /// velocity is that at this radius.
        pin_radius: Option<Number>,
        /// Radius of the ball, more than zero, of a spherical joint [length].
        ball_radius: Option<Number>,
        /// Lever of the friction that the force along a pin's axis causes, as at a thrust washer, zero
        /// or more [length]. Default: the radius of the pin.
        friction_arm: Option<Number>,
        /// Lever at which the bearing holds a bending moment, more than zero: half the distance between
        /// its ends [length]. Without it the moment causes no friction.
        bending_arm: Option<Number>,
        /// Lever at which the guide of a translational joint holds a moment about its axis, more than
        /// zero [length]. Without it the moment causes no friction.
        reaction_arm: Option<Number>,
        /// Sliding friction without load, of joints that slide, zero or more [force]. Default: 0.
        preload_force: Option<Number>,
        /// Sliding friction without load, of joints that turn, zero or more [force·length]. Default: 0.
        preload_torque: Option<Number>,
        /// Viscous friction of joints that slide, zero or more [force·time/length]. Default: 0.
        viscous_force: Option<Number>,
        /// Viscous friction of joints that turn, zero or more [force·length·time/angle]. Default: 0.
        viscous_torque: Option<Number>,
        /// Loads that cause friction. Default: the reaction force and all loads whose fields are given.
        inputs: Option<Vec<FrictionInput>>,
        /// Kinds of friction that act. Default: all.
        effect: Option<FrictionEffect>,
        /// Free text.
        description: Option<String>,
    }

    /// Coulomb friction, smooth at zero slip: the coefficient rises to the static one at the stiction
    /// velocity and falls to the dynamic one at the friction velocity. A loaded joint creeps instead of
    /// sticking.
    CoulombFriction {
        /// Slip velocity at which friction is largest, more than zero [length/time].
        stiction_velocity: Number,
        /// Slip velocity from which friction is dynamic, more than the stiction velocity [length/time].
        /// Default: 1.5 times the stiction velocity.
        friction_velocity: Option<Number>,
    }
}

schema! {
    /// The LuGre model: bristles between the surfaces bend up to break-away and then slip. A joint that
    /// sticks stays in place; its friction acts as a stiff spring.
    LuGreFriction {
        /// Coefficient of friction per length by which the bristles bend, more than zero [1/length]:
        /// `mu_static` over the travel up to break-away.
        bristle_stiffness: Number,
        /// Coefficient of friction per rate of bending, zero or more [time/length], of a joint that
        /// sticks. It decreases at slip velocities above the Stribeck velocity. Default: 0.
        bristle_damping: Option<Number>,
        /// Slip velocity at which 37 % (1/e) of the difference between `mu_static` and `mu_dynamic` is
        /// left, more than zero [length/time].
        stribeck_velocity: Number,
    }
}

tagged! {
    /// Coefficient of friction as a function of the slip velocity.
    FrictionLaw ("friction law", "" _ "Friction") {
        /// Smooth Coulomb friction.
        Coulomb(CoulombFriction) = "coulomb",
        /// The LuGre model, whose bristles have a state each.
        LuGre(LuGreFriction) = "lugre",
    }
}

choice! {
    /// Loads that cause friction in a joint.
    FrictionInput ("friction input") {
        /// The preloads.
        Preload = "preload",
        /// The joint's reaction force.
        ReactionForce = "reaction_force",
        /// The joint's reaction torque across the axis.
        BendingMoment = "bending_moment",
        /// The joint's reaction torque along the axis.
        TorsionalMoment = "torsional_moment",
    }
}

choice! {
    /// Kinds of friction that act.
    FrictionEffect ("friction effect") {
        /// Static and dynamic.
        All = "all",
        /// Static friction alone: no friction in a joint that slides.
        Stiction = "stiction",
        /// Dynamic friction alone, without the peak at break-away.
        Sliding = "sliding",
    }
}

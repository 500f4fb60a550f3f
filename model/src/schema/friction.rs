//! Control plane: joint friction as it is written in the file.

use super::Number;
use crate::read::{choice, schema, tagged};

schema! {
    /// Friction in a revolute, translational, cylindrical, spherical or universal joint, in proportion
    /// to what the joint carries.
    JointFriction {
        /// Name, unique among forces.
        name: String,
        /// The joint.
        joint: String,
        /// Coefficient of break-away, `mu_dynamic` or more. Default: `mu_dynamic`.
        mu_static: Option<Number>,
        /// Coefficient of sliding friction, more than zero.
        mu_dynamic: Number,
        /// Friction over the slip.
        law: FrictionLaw,
        /// Radius of the pin, more than zero, of joints that turn about an axis [length]. Slip is
        /// measured there.
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
        /// What causes friction. Default: all whose fields are given, and the reaction force.
        inputs: Option<Vec<FrictionInput>>,
        /// Which friction there is. Default: all.
        effect: Option<FrictionEffect>,
        /// Free text; it has no effect.
        description: Option<String>,
    }

    /// Coulomb's friction, smooth through zero slip: it rises to the static coefficient at the stiction
    /// velocity and falls to the dynamic one at the friction velocity. What is held creeps.
    CoulombFriction {
        /// Slip at which friction is largest, more than zero [length/time].
        stiction_velocity: Number,
        /// Slip from which it is dynamic, more than the stiction velocity [length/time]. Default: 1.5
        /// times that.
        friction_velocity: Option<Number>,
    }
}

schema! {
    /// The LuGre model: bristles between the surfaces bend up to break-away, then slip. What is held
    /// stays; the force is that of a stiff spring there.
    LuGreFriction {
        /// Coefficient of friction per length by which the bristles bend, more than zero [1/length]:
        /// `mu_static` over the travel up to break-away.
        bristle_stiffness: Number,
        /// Coefficient of friction per rate of bending, zero or more [time/length], of a joint that sticks;
        /// it fades at slips beyond the Stribeck velocity. Default: 0.
        bristle_damping: Option<Number>,
        /// Slip at which the coefficient has gone from `mu_static` to `mu_dynamic` but for 37 %, more
        /// than zero [length/time].
        stribeck_velocity: Number,
    }
}

tagged! {
    /// Friction over the slip.
    FrictionLaw ("friction law") {
        /// Smooth Coulomb friction.
        Coulomb(CoulombFriction) = "coulomb",
        /// Bristles with a state each.
        LuGre(LuGreFriction) = "lugre",
    }
}

choice! {
    /// What causes friction in a joint.
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
    /// Which friction there is.
    FrictionEffect ("friction effect") {
        /// Static and dynamic.
        All = "all",
        /// Static friction alone: no friction while it slides.
        Stiction = "stiction",
        /// Dynamic friction alone, without the peak at break-away.
        Sliding = "sliding",
    }
}

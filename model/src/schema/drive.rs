//! Control plane: joint drives as they are written in the file.

use super::{Direction, Expression, Number};
use crate::read::schema;

schema! {
    /// A drive on the coordinate of a revolute, translational, cylindrical or screw joint:
    /// effort = proportional·(position − q) + derivative·(velocity − dq/dt) + feed_forward, within limits.
    JointDrive {
        /// Name, unique among forces.
        name: String,
        /// The joint.
        joint: String,
        /// `rotation` or `translation` of a cylindrical or screw joint. Default: that of the joint.
        direction: Option<Direction>,
        /// Target of the coordinate [length, or radians].
        position: Option<Expression>,
        /// Target of its rate [length/time, or radians/time]. Default: 0.
        velocity: Option<Expression>,
        /// Added to the effort [force, or force·length]. Default: 0.
        feed_forward: Option<Expression>,
        /// Gain of the position, zero or more [force/length, or force·length/angle].
        proportional: Option<Number>,
        /// Gain of the rate, zero or more [force·time/length, or force·length·time/angle]. Default: 0.
        derivative: Option<Number>,
        /// Largest effort, more than zero [force, or force·length]. Default: none.
        effort_limit: Option<Number>,
        /// Limit of the rate that the drive demands, more than zero [length/time, or angle/time].
        /// Default: none.
        speed_limit: Option<Number>,
        /// Stops at the ends of the coordinate. Default: none.
        stops: Option<DriveStops>,
        /// Free text.
        description: Option<String>,
    }

    /// Stops at the ends of a coordinate: the force of IMPACT at each end.
    DriveStops {
        /// Lower end [length or angle].
        lower: Number,
        /// Upper end, more than the lower [length or angle].
        upper: Number,
        /// Stiffness, zero or more: the effort at one unit of penetration [force/length^exponent, or force·length/angle^exponent].
        stiffness: Number,
        /// Exponent, 1 or more. Default: 1.5.
        exponent: Option<Number>,
        /// Damping, zero or more [force·time/length, or force·length·time/angle]. Default: 0.
        damping: Option<Number>,
        /// Penetration from which damping has its full value, more than zero [length or angle].
        depth: Number,
    }
}

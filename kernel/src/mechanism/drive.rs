//! Control plane: joint drives of a validated mechanism, in SI.

use super::quantities::ScaledExpr;
use crate::ids::ValueId;
use serde::{Deserialize, Serialize};

/// A drive on a joint's coordinate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JointDrive {
    /// Is the coordinate the rotation about z, rather than the displacement along it?
    pub turns: bool,
    /// Target of the coordinate, target of its rate, and the feed-forward effort.
    pub terms: [Option<ScaledExpr>; 3],
    /// The limits that are active.
    pub limits: DriveLimits,
    /// In this order: gains of position [N/m, N m/rad] and rate [N s/m, N m s/rad]; limits of effort [N, N m] and speed
    /// [m/s, rad/s]; lower and upper end of travel \[m, rad\]; and for the stops the force at one unit of penetration
    /// [N, N m], that unit, the exponent, the damping, and the depth of full damping.
    pub numbers: [ValueId; 11],
}

/// Which limits of a drive are active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveLimits {
    /// The effort limit.
    pub effort: bool,
    /// The limit of the commanded speed.
    pub speed: bool,
    /// End stops.
    pub stops: bool,
}

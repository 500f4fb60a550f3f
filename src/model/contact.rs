//! Control plane: contacts of a validated mechanism, in SI.

use crate::ids::ValueId;
use crate::math::Vec3;
use std::sync::Arc;

/// A shape fixed to marker I.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactBody {
    /// About the origin.
    Sphere,
    /// About the origin, edges along the axes.
    Box,
    /// About the origin, axis along z.
    Cylinder,
    /// The convex hull of points \[m\].
    Hull(Arc<[Vec3]>),
}

/// A surface fixed to marker J; `hollow`: felt from inside.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactShape {
    /// The xy plane, outward z.
    Plane,
    /// About the origin.
    Sphere {
        /// Is I inside?
        hollow: bool,
    },
    /// About z, of infinite length.
    Cylinder {
        /// Is I inside?
        hollow: bool,
    },
    /// A cylinder about z with ends, its middle at the origin.
    Drum,
    /// About the origin, edges along the axes.
    Box,
}

/// The law of a contact's normal force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalLaw {
    /// Spring of a power of the penetration, and a damper that comes in over a depth.
    Impact,
    /// Spring of a power of the penetration, times 1 + damping · rate.
    HuntCrossley,
}

/// A contact.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The shape on I.
    pub body: ContactBody,
    /// The surface on J.
    pub shape: ContactShape,
    /// The normal force.
    pub law: NormalLaw,
    /// Stiffness at one unit of length \[N\], that unit \[m\], exponent, damping [N s/m, or s/m], depth of
    /// full damping \[m\].
    pub normal: [ValueId; 5],
    /// μs, μd, the velocities at which they hold [m/s].
    pub friction: [ValueId; 4],
    /// Sizes of I's shape and of J's: radius first, then length; or the three edges of a box \[m\].
    pub sizes: [[ValueId; 3]; 2],
}

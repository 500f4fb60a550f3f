//! Control plane: contacts of a validated mechanism, in SI.

use crate::ids::ValueId;
use crate::math::Vec3;
use crate::math::curve::SpaceCurve;
use crate::math::mesh::Mesh;
use crate::math::terrain::Terrain;
use alloc::sync::Arc;
use serde::{Deserialize, Serialize};

/// A shape fixed to marker I.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ContactBody {
    /// About the origin.
    Sphere,
    /// About the origin, edges along the axes.
    Box,
    /// About the origin, axis along z.
    Cylinder,
    /// The convex hull of points \[m\].
    Hull(Arc<[Vec3]>),
    /// A curve in the xy plane, which touches at its deepest point.
    Curve(#[serde(with = "crate::shared")] Arc<SpaceCurve>),
}

/// A surface fixed to marker J; `hollow`: contact is on the inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Terrain of height z over x and y.
    Terrain(#[serde(with = "crate::shared")] Arc<Terrain>),
    /// Triangles.
    Mesh(#[serde(with = "crate::shared")] Arc<Mesh>),
    /// A curve in the xy plane, extruded along z.
    Curve {
        /// The curve.
        #[serde(with = "crate::shared")]
        curve: Arc<SpaceCurve>,
        /// Is I on its left, seen along it with z up?
        left: bool,
    },
}

/// The law of a contact's normal force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NormalLaw {
    /// A spring with a power of the penetration, and a damper that fades in over a depth.
    Impact,
    /// A spring with a power of the penetration, times 1 + damping · rate.
    HuntCrossley,
    /// The same with the damping that gives a coefficient of restitution at the approach velocity.
    Restitution,
}

/// A contact.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contact {
    /// The shape on I.
    pub body: ContactBody,
    /// The surface on J.
    pub shape: ContactShape,
    /// The normal force.
    pub law: NormalLaw,
    /// Stiffness at one unit of length \[N\], that unit \[m\], exponent, damping [N s/m, or s/m], depth of full
    /// damping \[m\]. For restitution the last two are the coefficient and the least velocity [m/s].
    pub normal: [ValueId; 5],
    /// μs, μd, and the velocities at which they apply [m/s].
    pub friction: [ValueId; 4],
    /// Sizes of I's shape and of J's: radius first, then length; or the three edges of a box \[m\].
    pub sizes: [[ValueId; 3]; 2],
}

//! Data plane: small fixed-size mathematics, and the only source of transcendental functions.
//!
//! All transcendental functions come from the `libm` crate: it gives the same bits on all processors, unlike the
//! platform's library.

pub use libm::{
    acos, asin, atan, atan2, cos, cosh, exp, log as ln, log10, pow, sin, sincos, sinh, tan, tanh,
};

#[cfg(not(feature = "std"))]
pub(crate) use float::Float;

pub mod axes;
pub mod curve;
pub mod dual;
#[cfg(not(feature = "std"))]
mod float;
pub mod inertia;
pub mod largest;
pub mod lobatto;
pub mod mesh;
pub mod road;
pub mod rotation;
pub mod solid;
pub mod spline;
pub mod terrain;

/// A number clamped to a range. The bounds may come from data: `f64::clamp` would panic if the upper one is below the
/// lower one, by rounding or as NaN. NaN stays NaN.
#[inline(always)]
pub fn held(x: f64, least: f64, most: f64) -> f64 {
    if x < least {
        least
    } else if x > most {
        most
    } else {
        x
    }
}

/// A 3-vector.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A row of three, such as a gradient.
pub type RowVec3 = nalgebra::RowVector3<f64>;
/// A 3×3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;

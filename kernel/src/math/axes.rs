//! Control plane: the axes of a frame from angles, a quaternion, or points.

#[cfg(not(feature = "std"))]
use super::Float as _;
use super::{Mat3, Vec3, cos, sin};
use serde::{Deserialize, Serialize};

/// Below this sine between two directions they count as parallel.
const PARALLEL: f64 = 1e-9;

/// What the axes of a frame are given by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AxesForm {
    /// Body-fixed 3-1-3 angles psi, theta, phi; then radians per angle unit.
    Euler,
    /// A quaternion w, x, y, z of any length but zero.
    Quaternion,
    /// The frame's origin, and a point on its z axis; an x axis is chosen.
    ZPoint,
    /// The same, and a point in the half of the xz plane with positive x.
    Points,
}

impl AxesForm {
    /// How many numbers it takes.
    pub const fn count(self) -> usize {
        match self {
            Self::Euler | Self::Quaternion => 4,
            Self::ZPoint => 6,
            Self::Points => 9,
        }
    }

    /// The axes in the parent frame, as columns.
    pub fn axes(self, numbers: &[f64]) -> Result<Mat3, AxesFault> {
        match (self, numbers) {
            (Self::Euler, &[psi, theta, phi, angle]) => {
                Ok(about_z(psi, angle) * about_x(theta, angle) * about_z(phi, angle))
            }
            (Self::Quaternion, &[w, x, y, z]) => from_quaternion([w, x, y, z]),
            (Self::ZPoint, &[ox, oy, oz, zx, zy, zz]) => {
                let z = Vec3::new(zx, zy, zz) - Vec3::new(ox, oy, oz);
                from_points(z, None)
            }
            (Self::Points, &[ox, oy, oz, zx, zy, zz, xx, xy, xz]) => {
                let origin = Vec3::new(ox, oy, oz);
                let z = Vec3::new(zx, zy, zz) - origin;
                from_points(z, Some(Vec3::new(xx, xy, xz) - origin))
            }
            _ => Err(AxesFault::Count),
        }
    }
}

/// Why axes do not follow from numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AxesFault {
    /// Another count of numbers.
    #[error("its axes are given by another count of numbers")]
    Count,
    /// A quaternion without direction.
    #[error("the quaternion has zero norm; the identity is [1, 0, 0, 0]")]
    Norm,
    /// No z axis.
    #[error(
        "z_point coincides with the frame's origin, so the z axis has no direction; it is a point in the coordinates of \
         \"position\""
    )]
    Z,
    /// No x axis.
    #[error("x_point lies on the z axis, so the x axis has no direction")]
    X,
}

impl AxesFault {
    /// The field that it is about; empty: the whole.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Count => "",
            Self::Norm => "quaternion",
            Self::Z => "z_point",
            Self::X => "x_point",
        }
    }
}

/// Sine and cosine; exact at multiples of a right angle given in degrees.
fn sine_cosine(value: f64, factor: f64) -> (f64, f64) {
    let quarters = value / 90.0;
    if factor != 1.0 && quarters == quarters.trunc() {
        // The remainder of a whole number is exact.
        let turn = quarters % 4.0;
        let turn = if turn < 0.0 { turn + 4.0 } else { turn };
        return match turn as u8 {
            0 => (0.0, 1.0),
            1 => (1.0, 0.0),
            2 => (0.0, -1.0),
            _ => (-1.0, 0.0),
        };
    }
    (sin(value * factor), cos(value * factor))
}

fn about_z(value: f64, factor: f64) -> Mat3 {
    let (s, c) = sine_cosine(value, factor);
    Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
}

fn about_x(value: f64, factor: f64) -> Mat3 {
    let (s, c) = sine_cosine(value, factor);
    Mat3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
}

fn from_quaternion(q: [f64; 4]) -> Result<Mat3, AxesFault> {
    // Scaled first, so that neither huge nor tiny components overflow in the norm.
    let largest = q.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if largest == 0.0 {
        return Err(AxesFault::Norm);
    }
    let [w, x, y, z] = q.map(|c| c / largest);
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    Ok(Mat3::new(
        1.0 - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        1.0 - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        1.0 - s * (x * x + y * y),
    ))
}

fn from_points(z: Vec3, x: Option<Vec3>) -> Result<Mat3, AxesFault> {
    let z = z
        .try_normalize(0.0)
        .filter(|z| z.iter().all(|c| c.is_finite()))
        .ok_or(AxesFault::Z)?;
    let x = x.unwrap_or_else(|| most_perpendicular(z));
    let across = x - z * z.dot(&x);
    if across.norm() <= PARALLEL * x.norm() {
        return Err(AxesFault::X);
    }
    let x = across.normalize();
    Ok(Mat3::from_columns(&[x, z.cross(&x), z]))
}

/// The coordinate axis that is most nearly perpendicular to `z`; the first of equals.
pub fn most_perpendicular(z: Vec3) -> Vec3 {
    let mut best = 0;
    for k in 1..3 {
        if z[k].abs() < z[best].abs() {
            best = k;
        }
    }
    Vec3::ith(best, 1.0)
}

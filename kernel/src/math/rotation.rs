//! Data plane: rotations as vectors, quaternions and matrices.
//!
//! Symbols: θ rotation vector \[rad\], `R = exp(θ~)` (Rodrigues), δψ a small rotation in ground axes.
//! Tangent operators after Iserles, Munthe-Kaas, Nørsett, Zanna, "Lie-group methods", Acta Numerica
//! 9 (2000); see docs/theory/kinematics.md.

use super::{Mat3, Vec3, atan2, cos, sin, sincos};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;

/// A unit quaternion (w, x, y, z).
pub type Quaternion = [f64; 4];

/// Below this squared angle [rad²] the series of [`exp_quaternion`] and of the inverse tangents are exact to
/// round-off. A step of a sound run stays below it (half a radian), and a polynomial is faster: it needs no root,
/// division or sine.
const SERIES_SQUARED: f64 = 0.25;

/// cos(θ/2) by powers of θ².
const HALF_COSINE: [f64; 7] = [
    1.0,
    -1.0 / 8.0,
    1.0 / 384.0,
    -1.0 / 46_080.0,
    1.0 / 10_321_920.0,
    -1.0 / 3_715_891_200.0,
    1.0 / 1_961_990_553_600.0,
];

/// sin(θ/2)/θ by powers of θ².
const HALF_SINE: [f64; 7] = [
    0.5,
    -1.0 / 48.0,
    1.0 / 3840.0,
    -1.0 / 645_120.0,
    1.0 / 185_794_560.0,
    -1.0 / 81_749_606_400.0,
    1.0 / 51_011_754_393_600.0,
];

/// c(θ) of [`inverse_tangent_coefficient`] by powers of θ²; Bernoulli's numbers.
const INVERSE_TANGENT: [f64; 8] = [
    1.0 / 12.0,
    1.0 / 720.0,
    1.0 / 30_240.0,
    1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    3617.0 / 10_670_622_842_880_000.0,
];

/// A polynomial, with separate sums of even and odd powers: neither sum waits for the other.
#[inline]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let squared = x * x;
    let mut sums = [0.0; 2];
    for k in (0..N).rev() {
        sums[k % 2] = sums[k % 2] * squared + coefficients[k];
    }
    sums[0] + sums[1] * x
}

/// The matrix of `v ×`.
#[inline]
pub fn skew(v: &Vec3) -> Mat3 {
    Mat3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)
}

/// `a~ b~`, without forming the factors: `b aᵀ − (a·b) 𝟙`.
#[inline]
pub fn skew_skew(a: &Vec3, b: &Vec3) -> Mat3 {
    let mut m = b * a.transpose();
    let dot = a.dot(b);
    m[(0, 0)] -= dot;
    m[(1, 1)] -= dot;
    m[(2, 2)] -= dot;
    m
}

/// `m v~`, without forming the second factor.
#[inline]
pub fn after_skew(m: &Mat3, v: &Vec3) -> Mat3 {
    let (x, y, z) = (m.column(0), m.column(1), m.column(2));
    Mat3::from_columns(&[y * v.z - z * v.y, z * v.x - x * v.z, x * v.y - y * v.x])
}

/// `v~ m`, without forming the first factor.
#[inline]
pub fn skew_after(v: &Vec3, m: &Mat3) -> Mat3 {
    let turned = |k: usize| v.cross(&m.column(k));
    Mat3::from_columns(&[turned(0), turned(1), turned(2)])
}

/// `exp(θ~)`: rotation matrix of a rotation vector.
#[inline]
pub fn exp(theta: &Vec3) -> Mat3 {
    matrix(&exp_quaternion(theta))
}

/// Quaternion of a rotation vector.
#[inline]
pub fn exp_quaternion(theta: &Vec3) -> Quaternion {
    let squared = theta.norm_squared();
    let (w, k) = if squared < SERIES_SQUARED {
        (
            polynomial(&HALF_COSINE, squared),
            polynomial(&HALF_SINE, squared),
        )
    } else {
        let angle = squared.sqrt();
        let (s, c) = sincos(0.5 * angle);
        (c, s / angle)
    };
    [w, k * theta.x, k * theta.y, k * theta.z]
}

/// Below this squared sine of half an angle the series of [`log_quaternion`] is exact to round-off.
const SMALL_SINE_SQUARED: f64 = 2.5e-7;

/// Rotation vector of a unit quaternion, angle in [0, π].
pub fn log_quaternion(q: &Quaternion) -> Vec3 {
    let sign = if q[0] < 0.0 { -1.0 } else { 1.0 };
    let v = Vec3::new(q[1], q[2], q[3]) * sign;
    let sine = v.norm();
    let half = atan2(sine, q[0] * sign);
    let k = if sine * sine < SMALL_SINE_SQUARED {
        2.0 * (1.0 + sine * sine / 6.0)
    } else {
        2.0 * half / sine
    };
    v * k
}

/// Rotation vector of a rotation matrix, angle in [0, π].
pub fn log(r: &Mat3) -> Vec3 {
    log_quaternion(&quaternion(r))
}

/// Hamilton product.
#[inline]
pub fn multiply(a: &Quaternion, b: &Quaternion) -> Quaternion {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The quaternion scaled to unit length.
#[inline]
pub fn normalized(q: &Quaternion) -> Quaternion {
    let k = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    [q[0] * k, q[1] * k, q[2] * k, q[3] * k]
}

/// Rotation matrix of a unit quaternion.
#[inline]
pub fn matrix(q: &Quaternion) -> Mat3 {
    let [w, x, y, z] = *q;
    Mat3::new(
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )
}

/// Unit quaternion of a rotation matrix, computed from the largest of its components (Shepperd 1978).
pub fn quaternion(r: &Mat3) -> Quaternion {
    let trace = r[(0, 0)] + r[(1, 1)] + r[(2, 2)];
    let q = if trace >= r[(0, 0)] && trace >= r[(1, 1)] && trace >= r[(2, 2)] {
        [
            1.0 + trace,
            r[(2, 1)] - r[(1, 2)],
            r[(0, 2)] - r[(2, 0)],
            r[(1, 0)] - r[(0, 1)],
        ]
    } else if r[(0, 0)] >= r[(1, 1)] && r[(0, 0)] >= r[(2, 2)] {
        [
            r[(2, 1)] - r[(1, 2)],
            1.0 + 2.0 * r[(0, 0)] - trace,
            r[(0, 1)] + r[(1, 0)],
            r[(0, 2)] + r[(2, 0)],
        ]
    } else if r[(1, 1)] >= r[(2, 2)] {
        [
            r[(0, 2)] - r[(2, 0)],
            r[(0, 1)] + r[(1, 0)],
            1.0 + 2.0 * r[(1, 1)] - trace,
            r[(1, 2)] + r[(2, 1)],
        ]
    } else {
        [
            r[(1, 0)] - r[(0, 1)],
            r[(0, 2)] + r[(2, 0)],
            r[(1, 2)] + r[(2, 1)],
            1.0 + 2.0 * r[(2, 2)] - trace,
        ]
    };
    normalized(&q)
}

/// The coefficient c(θ) = (1 − (θ/2) cot(θ/2)) / θ² of the inverse tangent operators.
#[inline]
fn inverse_tangent_coefficient(squared: f64) -> f64 {
    if squared < SERIES_SQUARED {
        polynomial(&INVERSE_TANGENT, squared)
    } else {
        let half = 0.5 * squared.sqrt();
        let (s, c) = sincos(half);
        (1.0 - half * c / s) / squared
    }
}

/// Inverse right tangent `T⁻¹(θ) = 𝟙 + θ~/2 + c θ~²`: `exp((θ + T⁻¹ δφ)~) ≈ exp(θ~) exp(δφ~)`.
#[inline]
pub fn right_tangent_inverse(theta: &Vec3) -> Mat3 {
    let squared = theta.norm_squared();
    let c = inverse_tangent_coefficient(squared);
    let (h, v, own) = (theta * 0.5, theta * c, 1.0 - c * squared);
    let (xy, xz, yz) = (v.x * theta.y, v.x * theta.z, v.y * theta.z);
    Mat3::new(
        own + v.x * theta.x,
        xy - h.z,
        xz + h.y,
        xy + h.z,
        own + v.y * theta.y,
        yz - h.x,
        xz - h.y,
        yz + h.x,
        own + v.z * theta.z,
    )
}

/// Inverse left tangent `𝟙 − θ~/2 + c θ~²`: `exp((θ + T⁻¹ δψ)~) ≈ exp(δψ~) exp(θ~)`.
pub fn left_tangent_inverse(theta: &Vec3) -> Mat3 {
    right_tangent_inverse(&-theta)
}

/// Directional derivative of `T_l⁻¹(θ) y` with respect to θ, as a matrix acting on δθ:
/// `½ y~ + ∂(c θ~ θ~ y)/∂θ`.
pub fn left_tangent_inverse_derivative(theta: &Vec3, y: &Vec3) -> Mat3 {
    let squared = theta.norm_squared();
    let c = inverse_tangent_coefficient(squared);
    // dc/d(θ²)
    let slope = if squared < 1e-3 {
        1.0 / 720.0 + squared * (1.0 / 15120.0 + squared / 403_200.0)
    } else {
        let half = 0.5 * squared.sqrt();
        let (s, co) = sincos(half);
        let d_halfcot = (co / s - half / (s * s)) / (8.0 * half);
        (-d_halfcot - c) / squared
    };
    // θ~θ~y = θ(θ·y) − y θ²
    let double = theta * theta.dot(y) - y * squared;
    let d_double =
        Mat3::identity() * theta.dot(y) + theta * y.transpose() - y * theta.transpose() * 2.0;
    skew(y) * 0.5 + d_double * c + double * (theta.transpose() * (2.0 * slope))
}

/// Coefficients of the left tangent: a, b of `𝟙 + a θ~ + b θ~²`, and their first and second derivatives by
/// θ²/2.
fn tangent_coefficients(squared: f64) -> [f64; 6] {
    if squared < 1e-2 {
        let s = squared;
        [
            0.5 - s * (1.0 / 24.0 - s * (1.0 / 720.0 - s / 40320.0)),
            1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s / 362_880.0)),
            -1.0 / 12.0 + s * (1.0 / 180.0 - s * (1.0 / 6720.0 - s / 453_600.0)),
            -1.0 / 60.0 + s * (1.0 / 1260.0 - s * (1.0 / 60480.0 - s / 4_989_600.0)),
            1.0 / 90.0 - s * (1.0 / 1680.0 - s * (1.0 / 75600.0 - s / 5_987_520.0)),
            1.0 / 630.0 - s * (1.0 / 15120.0 - s * (1.0 / 831_600.0 - s / 77_837_760.0)),
        ]
    } else {
        let angle = squared.sqrt();
        let (s, c) = sincos(angle);
        let a = (1.0 - c) / squared;
        let b = (angle - s) / (angle * squared);
        let da = (s / angle - 2.0 * a) / squared;
        let db = (a - 3.0 * b) / squared;
        let dda = ((c - s / angle) / squared - 4.0 * da) / squared;
        [a, b, da, db, dda, (da - 5.0 * db) / squared]
    }
}

/// Left tangent `T = 𝟙 + a θ~ + b θ~²`: `exp((θ + δθ)~) ≈ exp((T δθ)~) exp(θ~)`.
pub fn left_tangent(theta: &Vec3) -> Mat3 {
    let [a, b, ..] = tangent_coefficients(theta.norm_squared());
    Mat3::identity() + skew(theta) * a + skew_skew(theta, theta) * b
}

/// Derivative of `T(θ) y` in θ, as a matrix acting on δθ.
pub fn left_tangent_slope(theta: &Vec3, y: &Vec3) -> Mat3 {
    let [a, b, da, db, ..] = tangent_coefficients(theta.norm_squared());
    let first = theta.cross(y);
    let second = theta.cross(&first);
    (first * da + second * db) * theta.transpose()
        - skew(y) * a
        - (skew(&first) + skew_skew(theta, y)) * b
}

/// Derivative of `T(θ)` along y.
pub fn left_tangent_along(theta: &Vec3, y: &Vec3) -> Mat3 {
    let [a, b, da, db, ..] = tangent_coefficients(theta.norm_squared());
    let along = theta.dot(y);
    skew(y) * a
        + (skew_skew(y, theta) + skew_skew(theta, y)) * b
        + (skew(theta) * da + skew_skew(theta, theta) * db) * along
}

/// Derivative in θ of `T' y`, T' that of `T(θ)` along y, as a matrix acting on δθ.
pub fn left_tangent_bend(theta: &Vec3, y: &Vec3) -> Mat3 {
    let [_, b, da, db, dda, ddb] = tangent_coefficients(theta.norm_squared());
    let (along, first) = (theta.dot(y), theta.cross(y));
    let second = theta.cross(&first);
    let bent = y.cross(&first) * db + (first * dda + second * ddb) * along;
    bent * theta.transpose() + (first * da + second * db) * y.transpose()
        - skew_skew(y, y) * b
        - (skew(y) * da + (skew(&first) + skew_skew(theta, y)) * db) * along
}

/// Body 3-1-3 angles to a matrix: `Rz(psi) Rx(theta) Rz(phi)`.
pub fn from_euler_313(psi: f64, theta: f64, phi: f64) -> Mat3 {
    about_z(psi) * about_x(theta) * about_z(phi)
}

/// Rotation about x.
pub fn about_x(angle: f64) -> Mat3 {
    let (s, c) = (sin(angle), cos(angle));
    Mat3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
}

/// Rotation about z.
pub fn about_z(angle: f64) -> Mat3 {
    let (s, c) = (sin(angle), cos(angle));
    Mat3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    fn vectors() -> Vec<Vec3> {
        vec![
            Vec3::new(1e-9, -2e-9, 3e-9),
            Vec3::new(1e-4, 2e-4, -1e-4),
            Vec3::new(0.02, -0.01, 0.015),
            Vec3::new(0.3, -0.2, 0.34),
            Vec3::new(0.3, -0.2, 0.9),
            Vec3::new(1.3, 2.2, -0.4),
        ]
    }

    /// T and its derivatives against finite differences, on both sides of the series' limit.
    #[test]
    fn left_tangents_are_those_of_differences() {
        let y = Vec3::new(0.4, -0.9, 0.3);
        for size in [0.0, 0.02, 0.099, 0.101, 1.3] {
            let theta = Vec3::new(0.6, -0.64, 0.48) * size;
            let h = 1e-5;
            for k in 0..3 {
                let mut d = Vec3::zeros();
                d[k] = h;
                let turned = exp(&(theta + d)) * exp(&theta).transpose();
                let back = exp(&(theta - d)) * exp(&theta).transpose();
                let spin = (log(&turned) - log(&back)) / (2.0 * h);
                assert!(
                    (spin - left_tangent(&theta).column(k)).norm() < 1e-9,
                    "{size}"
                );
                let by =
                    |f: &dyn Fn(&Vec3) -> Vec3| (f(&(theta + d)) - f(&(theta - d))) / (2.0 * h);
                let slope = by(&|x| left_tangent(x) * y);
                let found = left_tangent_slope(&theta, &y);
                assert!((slope - found.column(k)).norm() < 1e-9, "{size}");
                let bend = by(&|x| left_tangent_along(x, &y) * y);
                let found = left_tangent_bend(&theta, &y);
                assert!(
                    (bend - found.column(k)).norm() < 1e-8,
                    "{size}: {bend} {found}"
                );
            }
            let along =
                (left_tangent(&(theta + y * h)) - left_tangent(&(theta - y * h))) / (2.0 * h);
            assert!(
                (along - left_tangent_along(&theta, &y)).norm() < 1e-9,
                "{size}"
            );
        }
    }

    #[test]
    fn exponential_and_logarithm_are_inverse_and_orthogonal() {
        for theta in vectors() {
            let r = exp(&theta);
            assert!((r.transpose() * r - Mat3::identity()).norm() < 1e-15 * 8.0);
            assert!((log(&r) - theta).norm() < 2e-15 * (1.0 + theta.norm()));
        }
        let known = exp(&Vec3::new(0.0, 0.0, core::f64::consts::FRAC_PI_2));
        assert!((known * Vec3::x() - Vec3::y()).norm() < 1e-15);
    }

    #[test]
    fn tangents_match_differences_of_the_logarithm() {
        let step = 1e-6;
        for theta in vectors() {
            let r = exp(&theta);
            for axis in 0..3 {
                let mut small = Vec3::zeros();
                small[axis] = step;
                let right = (log(&(r * exp(&small))) - log(&(r * exp(&-small)))) / (2.0 * step);
                let left = (log(&(exp(&small) * r)) - log(&(exp(&-small) * r))) / (2.0 * step);
                assert!((right_tangent_inverse(&theta).column(axis) - right).norm() < 1e-8);
                assert!((left_tangent_inverse(&theta).column(axis) - left).norm() < 1e-8);
            }
        }
    }

    #[test]
    fn tangent_derivative_matches_differences() {
        let y = Vec3::new(0.4, -1.1, 0.7);
        for theta in vectors() {
            let step = 1e-5;
            let exact = left_tangent_inverse_derivative(&theta, &y);
            for axis in 0..3 {
                let mut small = Vec3::zeros();
                small[axis] = step;
                let difference = (left_tangent_inverse(&(theta + small)) * y
                    - left_tangent_inverse(&(theta - small)) * y)
                    / (2.0 * step);
                assert!(
                    (exact.column(axis) - difference).norm() < 1e-8,
                    "{theta:?} {axis}"
                );
            }
        }
    }

    /// Both sides of the series' limit, against the sine and cosine.
    #[test]
    fn series_are_exact_to_rounding() {
        for angle in [0.01, 0.2, 0.4999, 0.5001] {
            let [w, x, y, z] = exp_quaternion(&(Vec3::new(0.48, -0.6, 0.64) * angle));
            assert!((w - cos(0.5 * angle)).abs() < 2.3e-16, "{angle}");
            let sine = (x * x + y * y + z * z).sqrt();
            assert!((sine / sin(0.5 * angle) - 1.0).abs() < 5e-16, "{angle}");
            let closed = {
                let half = 0.5 * angle;
                (1.0 - half * cos(half) / sin(half)) / (angle * angle)
            };
            let c = inverse_tangent_coefficient(angle * angle);
            let lost = 1e-16 / (angle * angle);
            assert!((c - closed).abs() < 2e-17 + 4.0 * lost, "{angle}");
        }
    }
}

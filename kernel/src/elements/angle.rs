//! Data plane: angles between marker axes as `atan2(s, c)` of two dot products.
//!
//! `s = σ u·v`, `c = τ w·k` with u, w axes of marker I and v, k axes of marker J. With
//! S = σ u×v and C = τ w×k the change of the angle is `n·(δψ_I − δψ_J)`,
//! `n = (c S − s C)/(c² + s²)`                                                        (ANG-1)

use crate::elements::kinematics::MarkerKinematics;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::rotation::skew_skew;
use crate::math::{Mat3, Vec3, atan2, sincos};

/// The two pairs of marker axes that define an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleDefinition {
    /// Axis of I, axis of J and sign of the sine term.
    pub sine: (u8, u8, f64),
    /// Axis of I, axis of J and sign of the cosine term.
    pub cosine: (u8, u8, f64),
}

impl AngleDefinition {
    /// AX: rotation of I about x of J.
    pub const X: Self = Self {
        sine: (2, 1, -1.0),
        cosine: (2, 2, 1.0),
    };
    /// AY: rotation of I about y of J.
    pub const Y: Self = Self {
        sine: (2, 0, 1.0),
        cosine: (2, 2, 1.0),
    };
    /// AZ: rotation of I about z of J.
    pub const Z: Self = Self {
        sine: (0, 1, 1.0),
        cosine: (0, 0, 1.0),
    };
    /// B3: third angle of the body-fixed 1-2-3 sequence.
    pub const B3: Self = Self {
        sine: (1, 0, -1.0),
        cosine: (0, 0, 1.0),
    };
    /// Rotation of a pinion (I, about its z) against the direction z of its rack (J).
    pub const PINION: Self = Self {
        sine: (1, 2, -1.0),
        cosine: (0, 2, 1.0),
    };
    /// PSI of the 3-1-3 sequence: atan2(z_I·x_J, −z_I·y_J).
    pub const PSI: Self = Self {
        sine: (2, 0, 1.0),
        cosine: (2, 1, -1.0),
    };
    /// PHI of the 3-1-3 sequence: atan2(x_I·z_J, y_I·z_J).
    pub const PHI: Self = Self {
        sine: (0, 2, 1.0),
        cosine: (1, 2, 1.0),
    };
    /// ROLL of the 3-2-1 sequence: atan2(y_I·z_J, z_I·z_J).
    pub const ROLL: Self = Self {
        sine: (1, 2, 1.0),
        cosine: (2, 2, 1.0),
    };
    /// Rotation of I about z of J, if x of I lies along it: atan2(−y_I·x_J, y_I·y_J).
    pub const UPRIGHT: Self = Self {
        sine: (1, 0, -1.0),
        cosine: (1, 1, 1.0),
    };

    /// The angle about an axis (0, 1, 2).
    pub const fn about(axis: u8) -> Self {
        match axis {
            0 => Self::X,
            1 => Self::Y,
            _ => Self::Z,
        }
    }
}

/// One term `σ u·v` with its rates.
struct Term {
    u: Vec3,
    v: Vec3,
    sign: f64,
    value: f64,
}

impl Term {
    #[inline]
    fn new(def: (u8, u8, f64), i: &MarkerKinematics, j: &MarkerKinematics) -> Self {
        let (u, v, sign) = (i.axis(def.0), j.axis(def.1), def.2);
        Self {
            u,
            v,
            sign,
            value: sign * u.dot(&v),
        }
    }

    fn cross(&self) -> Vec3 {
        self.u.cross(&self.v) * self.sign
    }

    /// First and second time derivative.
    fn rates(&self, i: &MarkerKinematics, j: &MarkerKinematics) -> (f64, f64) {
        let (first, second) = dot_rates(&self.u, &self.v, i, j);
        (first * self.sign, second * self.sign)
    }

    /// Derivatives of [`Self::cross`] in δψ_I and δψ_J.
    fn cross_slopes(&self) -> (Mat3, Mat3) {
        (
            skew_skew(&self.v, &self.u) * self.sign,
            skew_skew(&self.u, &self.v) * -self.sign,
        )
    }
}

/// Rates of `u·v` for axes u on I and v on J.
pub(crate) fn dot_rates(
    u: &Vec3,
    v: &Vec3,
    i: &MarkerKinematics,
    j: &MarkerKinematics,
) -> (f64, f64) {
    let (u1, v1) = (i.omega.cross(u), j.omega.cross(v));
    let u2 = i.alpha.cross(u) + i.omega.cross(&u1);
    let v2 = j.alpha.cross(v) + j.omega.cross(&v1);
    (
        u1.dot(v) + u.dot(&v1),
        u2.dot(v) + 2.0 * u1.dot(&v1) + u.dot(&v2),
    )
}

/// An angle and its gradient direction.
#[derive(Clone, Copy, Debug)]
pub struct Angle {
    /// Principal value less the reference, in (−π, π].
    pub value: f64,
    /// `n` of (ANG-1).
    pub normal: Vec3,
}

/// The angle less a reference, wrapped into (−π, π], with its gradient direction.
pub fn angle(
    def: &AngleDefinition,
    reference: f64,
    i: &MarkerKinematics,
    j: &MarkerKinematics,
) -> Angle {
    let (s, c) = (Term::new(def.sine, i, j), Term::new(def.cosine, i, j));
    let value = if reference == 0.0 {
        atan2(s.value, c.value)
    } else {
        let (sr, cr) = sincos(reference);
        atan2(s.value * cr - c.value * sr, c.value * cr + s.value * sr)
    };
    Angle {
        value,
        normal: normal(&s, &c),
    }
}

/// The angle in (−π, π] by itself.
pub fn principal(def: &AngleDefinition, i: &MarkerKinematics, j: &MarkerKinematics) -> f64 {
    let (s, c) = (Term::new(def.sine, i, j), Term::new(def.cosine, i, j));
    atan2(s.value, c.value)
}

/// √(s² + c²): for an angle of a sequence, the sine of the angle between the first and the third axis.
pub fn sine_between(def: &AngleDefinition, i: &MarkerKinematics, j: &MarkerKinematics) -> f64 {
    let (s, c) = (Term::new(def.sine, i, j), Term::new(def.cosine, i, j));
    (s.value * s.value + c.value * c.value).sqrt()
}

/// `n` of (ANG-1).
#[inline]
fn normal(s: &Term, c: &Term) -> Vec3 {
    let d = c.value * c.value + s.value * s.value;
    (s.cross() * c.value - c.cross() * s.value) / d
}

/// First time derivative of the angle.
pub fn rate(def: &AngleDefinition, i: &MarkerKinematics, j: &MarkerKinematics) -> f64 {
    let (s, c) = (Term::new(def.sine, i, j), Term::new(def.cosine, i, j));
    normal(&s, &c).dot(&(i.omega - j.omega))
}

/// First and second time derivative of the angle.
pub fn angle_rates(
    def: &AngleDefinition,
    i: &MarkerKinematics,
    j: &MarkerKinematics,
) -> (f64, f64) {
    let (s, c) = (Term::new(def.sine, i, j), Term::new(def.cosine, i, j));
    let ((s1, s2), (c1, c2)) = (s.rates(i, j), c.rates(i, j));
    let d = c.value * c.value + s.value * s.value;
    let first = (c.value * s1 - s.value * c1) / d;
    let second =
        (c.value * s2 - s.value * c2) / d - 2.0 * (c.value * c1 + s.value * s1) * first / d;
    (first, second)
}

/// Derivatives of the normal `n` in δψ_I and δψ_J.
pub fn normal_slopes(
    def: &AngleDefinition,
    i: &MarkerKinematics,
    j: &MarkerKinematics,
) -> (Mat3, Mat3) {
    let (s, c) = (Term::new(def.sine, i, j), Term::new(def.cosine, i, j));
    let (cross_s, cross_c) = (s.cross(), c.cross());
    let d = c.value * c.value + s.value * s.value;
    let normal = normal(&s, &c);
    // By way of c, s and d, all functions of δψ_I − δψ_J.
    let relative = cross_s * cross_c.transpose()
        - cross_c * cross_s.transpose()
        - normal * (cross_c * c.value + cross_s * s.value).transpose() * 2.0;
    let ((si, sj), (ci, cj)) = (s.cross_slopes(), c.cross_slopes());
    (
        (relative + si * c.value - ci * s.value) / d,
        (-relative + sj * c.value - cj * s.value) / d,
    )
}

/// The value nearest to `memory` among `principal + 2πk`.
pub fn unwrap(principal: f64, memory: f64) -> f64 {
    let turns = ((memory - principal) / core::f64::consts::TAU).round();
    principal + core::f64::consts::TAU * turns
}

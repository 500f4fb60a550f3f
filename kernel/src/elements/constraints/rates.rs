//! Control plane: derivatives of Φ̇ and Φ̈ of a row in positions, velocities and accelerations of its markers. Linear
//! forms need them.
//!
//! All rows consist of dot products of an axis u of I and an axis w of J, or of d = p_I − p_J and an axis b of J.
//! With u̇ = Ω×u and ü = α×u + Ω×u̇,
//!
//! ```text
//! d/dt (u·w) = u̇·w + u·ẇ          d²/dt² (u·w) = ü·w + 2 u̇·ẇ + u·ẅ                  (CON-3)
//! ```
//! So a scalar with the gradients (g₀, g₁, g₂) in (u, u̇, ü) has the following gradients in (ψ, Ω, α):
//!
//! ```text
//! ψ: u×h,  h = g₀ − Ω×g₁ − α×g₂ + Ω×(Ω×g₂)
//! Ω: u×g₁ + u̇×g₂ − u×(Ω×g₂)          α: u×g₂                                     (CON-4)
//! ```
//! An angle is the imaginary part of log z, z = c + i s: its rates are those of ż/z and z̈/z − (ż/z)².

use super::RowKind;
use crate::elements::angle::AngleDefinition;
use crate::elements::kinematics::{Cotangent, MarkerKinematics};
use crate::math::Vec3;
use nalgebra::Complex;

/// Gradients of a scalar in a value and in its first and second time derivative.
type Factors = [f64; 3];

/// A vector fixed to a rotating marker, and its time derivatives.
struct RotatingVector {
    u: [Vec3; 3],
    omega: Vec3,
    alpha: Vec3,
}

impl RotatingVector {
    fn of(marker: &MarkerKinematics, axis: u8) -> Self {
        let u = marker.axis(axis);
        let first = marker.omega.cross(&u);
        Self {
            u: [
                u,
                first,
                marker.alpha.cross(&u) + marker.omega.cross(&first),
            ],
            omega: marker.omega,
            alpha: marker.alpha,
        }
    }

    /// Adds (CON-4).
    fn add_gradients(&self, [g0, g1, g2]: &[Vec3; 3], to: &mut Cotangent) {
        let [u, first, _] = &self.u;
        let swing = self.omega.cross(g2);
        let h = g0 - self.omega.cross(g1) - self.alpha.cross(g2) + self.omega.cross(&swing);
        to.psi += u.cross(&h);
        to.omega += u.cross(g1) + first.cross(g2) - u.cross(&swing);
        to.alpha += u.cross(g2);
    }
}

/// Gradients in x, ẋ, ẍ of a scalar that has the gradients `factors` in x·y and its rates, (CON-3).
fn by_other(y: &[Vec3; 3], factors: &Factors) -> [Vec3; 3] {
    let [f0, f1, f2] = *factors;
    [
        y[0] * f0 + y[1] * f1 + y[2] * f2,
        y[0] * f1 + y[1] * (2.0 * f2),
        y[0] * f2,
    ]
}

/// Adds the gradients of a dot product of an axis of I and an axis of J.
fn add_dot(
    (a, b): (u8, u8),
    (i, j): (&MarkerKinematics, &MarkerKinematics),
    factors: &Factors,
    to: &mut [Cotangent; 2],
) {
    let (u, w) = (RotatingVector::of(i, a), RotatingVector::of(j, b));
    u.add_gradients(&by_other(&w.u, factors), &mut to[0]);
    w.add_gradients(&by_other(&u.u, factors), &mut to[1]);
}

/// d, ḋ, d̈.
fn separation(i: &MarkerKinematics, j: &MarkerKinematics) -> [Vec3; 3] {
    [i.p - j.p, i.v - j.v, i.a - j.a]
}

/// Adds gradients in d, ḋ, d̈.
fn add_separation([p, v, a]: &[Vec3; 3], to: &mut [Cotangent; 2]) {
    for (cotangent, sign) in to.iter_mut().zip([1.0, -1.0]) {
        cotangent.p += p * sign;
        cotangent.v += v * sign;
        cotangent.a += a * sign;
    }
}

/// Adds the gradients of d·b, b an axis of J.
fn add_slide(
    b: u8,
    (i, j): (&MarkerKinematics, &MarkerKinematics),
    factors: &Factors,
    to: &mut [Cotangent; 2],
) {
    let (d, b) = (separation(i, j), RotatingVector::of(j, b));
    add_separation(&by_other(&b.u, factors), to);
    b.add_gradients(&by_other(&d, factors), &mut to[1]);
}

/// A dot product of axes with its rates.
fn dot((a, b): (u8, u8), i: &MarkerKinematics, j: &MarkerKinematics) -> [f64; 3] {
    let (u, w) = (RotatingVector::of(i, a).u, RotatingVector::of(j, b).u);
    [
        u[0].dot(&w[0]),
        u[1].dot(&w[0]) + u[0].dot(&w[1]),
        u[2].dot(&w[0]) + 2.0 * u[1].dot(&w[1]) + u[0].dot(&w[2]),
    ]
}

/// Adds the gradients of an angle.
fn add_angle(
    def: &AngleDefinition,
    (i, j): (&MarkerKinematics, &MarkerKinematics),
    factors: &Factors,
    to: &mut [Cotangent; 2],
) {
    let (sine, cosine) = (def.sine, def.cosine);
    let s = dot((sine.0, sine.1), i, j).map(|x| x * sine.2);
    let c = dot((cosine.0, cosine.1), i, j).map(|x| x * cosine.2);
    let [z, z1, z2]: [Complex<f64>; 3] = core::array::from_fn(|k| Complex::new(c[k], s[k]));
    let one = z.inv();
    let (x1, x2) = (z1 * one, z2 * one);
    let [f0, f1, f2] = *factors;
    // The derivatives of f₀ log z + f₁ ż/z + f₂ (z̈/z − (ż/z)²) in z, ż, z̈.
    let by = [
        one * (Complex::from(f0) - x1 * f1 - (x2 - x1 * x1 * 2.0) * f2),
        one * (Complex::from(f1) - x1 * (2.0 * f2)),
        one * f2,
    ];
    // The imaginary part: in c that of the derivative, in s its real part.
    let by_sine = by.map(|x| x.re * sine.2);
    let by_cosine = by.map(|x| x.im * cosine.2);
    add_dot((sine.0, sine.1), (i, j), &by_sine, to);
    add_dot((cosine.0, cosine.1), (i, j), &by_cosine, to);
}

impl RowKind {
    /// The derivative of `first` Φ̇ + `second` Φ̈ in the quantities of the markers I and J, at a fixed target.
    pub fn rate_cotangents(
        &self,
        i: &MarkerKinematics,
        j: &MarkerKinematics,
        (first, second): (f64, f64),
    ) -> [Cotangent; 2] {
        let factors = [0.0, first, second];
        let scaled = |by: f64| factors.map(|f| f * by);
        let mut to = [Cotangent::zero(), Cotangent::zero()];
        match self {
            Self::Dot2(b) => add_slide(*b, (i, j), &factors, &mut to),
            Self::Dot1(a, b) | Self::SineDot(a, b) => {
                add_dot((*a, *b), (i, j), &factors, &mut to);
            }
            Self::EqualSpin => {
                add_dot((0, 1), (i, j), &factors, &mut to);
                add_dot((1, 0), (i, j), &scaled(-1.0), &mut to);
            }
            Self::Distance(length) => {
                // d occurs twice.
                add_separation(&by_other(&separation(i, j), &scaled(1.0 / length)), &mut to);
            }
            Self::Angle(def) => add_angle(def, (i, j), &factors, &mut to),
            Self::Rolling(row) => return row.cotangents(i, j, (first, second)),
            Self::Mixed(mix) => {
                add_slide(2, (i, j), &scaled(mix.slide), &mut to);
                add_angle(&mix.angle, (i, j), &scaled(mix.turn), &mut to);
            }
        }
        to
    }
}

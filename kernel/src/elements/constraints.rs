//! Data plane: the kinds of scalar constraint rows: violation, rates, unit wrench and its derivatives.
//!
//! A row is Φ(x, t) = φ(x) − f(t). Its gradient is a *unit wrench* (f̂, t̂) at p_I, whose negative times the
//! multiplier is the load on the body of I:
//!
//! ```text
//! δΦ = f̂·(δp_I − δp_J*) + t̂·(δψ_I − δψ_J)                                  (CON-1)
//! (F, T) = −Σ λ (f̂, t̂)                                                     (CON-2)
//! ```
//! with p_J* the point of body J that coincides with p_I; so Gᵀλ uses the same lever rule as every force.
//!
//! | row       | φ                          | f̂       | t̂                |
//! |-----------|----------------------------|---------|------------------|
//! | dot-2     | d·b_J                      | b_J     | 0                |
//! | dot-1     | a_I·b_J                    | 0       | a_I×b_J          |
//! | equal spin| x_I·y_J − y_I·x_J          | 0       | x_I×y_J − y_I×x_J|
//! | distance  | (d²/L − L)/2               | d/L     | 0                |
//! | angle     | angle(I, J)                | 0       | n                |
//! | mixed     | σ d·z_J + τ angle          | σ z_J   | τ n              |
//!
//! Rows of rolling are in [`rolling`]; most of them restrict Φ̇ alone.
//!
//! (Haug, *Computer Aided Kinematics and Dynamics of Mechanical Systems*, 1989, ch. 9; equal spin: the relative
//! rotation vector has no component along either shaft, so the joint is homokinetic.)

mod rates;
pub mod rolling;

use crate::elements::angle::{
    AngleDefinition, angle, angle_rates, dot_rates, normal_slopes, unwrap,
};
use crate::elements::kinematics::MarkerKinematics;
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::{skew, skew_skew};
use crate::math::{Mat3, Vec3, asin, cos, sin};
use alloc::boxed::Box;
use alloc::vec::Vec;
use rolling::Rolling;

/// The kinds of row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowKind {
    /// d·b_J, b an axis of J.
    Dot2(u8),
    /// a_I·b_J.
    Dot1(u8, u8),
    /// a_I·b_J − sin f: the second angle of a 1-2-3 sequence.
    SineDot(u8, u8),
    /// x_I·y_J − y_I·x_J.
    EqualSpin,
    /// (d²/L − L)/2.
    Distance(f64),
    /// An angle. It does not count turns, since only the distance from its target matters.
    Angle(AngleDefinition),
    /// A sum of displacement and angle.
    Mixed(Mixed),
    /// A row of rolling or of an edge.
    Rolling(Rolling),
}

/// σ d·z_J + τ angle, with counted turns: a screw, a rack, one joint's part of a coupler or gear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mixed {
    /// The angle.
    pub angle: AngleDefinition,
    /// σ
    pub slide: f64,
    /// τ
    pub turn: f64,
    /// Is the sum an angle rather than a length?
    pub angular: bool,
}

impl Mixed {
    /// d·z_J − κ angle.
    pub const fn screw(angle: AngleDefinition, kappa: f64) -> Self {
        Self {
            angle,
            slide: 1.0,
            turn: -kappa,
            angular: false,
        }
    }
}

/// The prescribed value f and its rates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// f
    pub value: f64,
    /// ḟ
    pub rate: f64,
    /// f̈
    pub acceleration: f64,
}

impl RowKind {
    /// The angle whose turns the row counts, if any.
    pub fn memory_angle(&self) -> Option<AngleDefinition> {
        match self {
            Self::Mixed(mix) => (mix.turn != 0.0).then_some(mix.angle),
            _ => None,
        }
    }

    /// Does it restrict velocities only? Then Φ is zero, and Φ̇ is the first that counts.
    pub fn is_rate(&self) -> bool {
        matches!(self, Self::Rolling(row) if row.is_rate())
    }

    /// Φ and the unit wrench (f̂, t̂). All rows of a joint share the given d = p_I − p_J. `memory` is the last
    /// accepted angle of a row that counts turns.
    #[inline(always)]
    pub fn evaluate(
        &self,
        (i, j): (&MarkerKinematics, &MarkerKinematics),
        d: &Vec3,
        target: &Target,
        memory: impl FnOnce() -> f64,
    ) -> (f64, Wrench) {
        let (value, unit) = match self {
            Self::Dot2(b) => {
                let b = j.axis(*b);
                (d.dot(&b), Wrench::force(b))
            }
            Self::Dot1(a, b) => {
                let (a, b) = (i.axis(*a), j.axis(*b));
                (a.dot(&b), Wrench::torque(a.cross(&b)))
            }
            Self::SineDot(a, b) => {
                let (a, b) = (i.axis(*a), j.axis(*b));
                return (a.dot(&b) - sin(target.value), Wrench::torque(a.cross(&b)));
            }
            Self::EqualSpin => {
                let (x_i, y_i, x_j, y_j) = (i.axis(0), i.axis(1), j.axis(0), j.axis(1));
                let turn = x_i.cross(&y_j) - y_i.cross(&x_j);
                (x_i.dot(&y_j) - y_i.dot(&x_j), Wrench::torque(turn))
            }
            Self::Distance(length) => {
                let value = 0.5 * (d.norm_squared() / length - length);
                (value, Wrench::force(d / *length))
            }
            Self::Angle(def) => {
                let angle = angle(def, target.value, i, j);
                return (angle.value, Wrench::torque(angle.normal));
            }
            Self::Mixed(mix) => {
                let angle = angle(&mix.angle, 0.0, i, j);
                let turned = unwrap(angle.value, memory());
                let unit = Wrench {
                    force: j.axis(2) * mix.slide,
                    torque: angle.normal * mix.turn,
                };
                (mix.slide * d.dot(&j.axis(2)) + mix.turn * turned, unit)
            }
            Self::Rolling(row) => row.evaluate((i, j), d),
        };
        (value - target.value, unit)
    }

    /// Φ̇ from the unit wrench and the markers' relative motion, a velocity seen from J's body and an angular
    /// velocity: f̂·v + t̂·Ω less the rate of the target.
    pub fn speed(&self, unit: &Wrench, (v, omega): (&Vec3, &Vec3), target: &Target) -> f64 {
        let driven = match self {
            Self::SineDot(..) => cos(target.value) * target.rate,
            _ => target.rate,
        };
        unit.force.dot(v) + unit.torque.dot(omega) - driven
    }

    /// φ, the coordinate that a motion would drive.
    pub fn coordinate(&self, i: &MarkerKinematics, j: &MarkerKinematics, memory: f64) -> f64 {
        let (value, _) = self.evaluate((i, j), &(i.p - j.p), &Target::default(), || memory);
        match self {
            Self::SineDot(..) => asin(value.clamp(-1.0, 1.0)),
            _ => value,
        }
    }

    /// Φ̇ and Φ̈ from the velocities and accelerations of the markers.
    pub fn rates(&self, i: &MarkerKinematics, j: &MarkerKinematics, target: &Target) -> (f64, f64) {
        if let Self::SineDot(a, b) = self {
            let (s, c) = (sin(target.value), cos(target.value));
            let (first, second) = dot_rates(&i.axis(*a), &j.axis(*b), i, j);
            return (
                first - c * target.rate,
                second - c * target.acceleration + s * target.rate * target.rate,
            );
        }
        let (first, second) = self.coordinate_rates(i, j);
        (first - target.rate, second - target.acceleration)
    }

    fn coordinate_rates(&self, i: &MarkerKinematics, j: &MarkerKinematics) -> (f64, f64) {
        match self {
            Self::Dot2(b) => dot2_rates(*b, i, j),
            Self::Dot1(a, b) | Self::SineDot(a, b) => dot_rates(&i.axis(*a), &j.axis(*b), i, j),
            Self::EqualSpin => {
                let (p1, p2) = dot_rates(&i.axis(0), &j.axis(1), i, j);
                let (q1, q2) = dot_rates(&i.axis(1), &j.axis(0), i, j);
                (p1 - q1, p2 - q2)
            }
            Self::Distance(length) => {
                let (d, d1, d2) = (i.p - j.p, i.v - j.v, i.a - j.a);
                (
                    d.dot(&d1) / length,
                    (d1.norm_squared() + d.dot(&d2)) / length,
                )
            }
            Self::Angle(def) => angle_rates(def, i, j),
            Self::Mixed(mix) => {
                let (t1, t2) = dot2_rates(2, i, j);
                let (a1, a2) = angle_rates(&mix.angle, i, j);
                (
                    mix.slide * t1 + mix.turn * a1,
                    mix.slide * t2 + mix.turn * a2,
                )
            }
            Self::Rolling(row) => row.rates(i, j),
        }
    }

    /// Adds the derivatives of `factor · (f̂, t̂)` to `slopes`.
    pub fn add_slopes(
        &self,
        i: &MarkerKinematics,
        j: &MarkerKinematics,
        factor: f64,
        slopes: &mut WrenchSlopes,
    ) {
        match self {
            Self::Dot2(b) => slopes.psi_j.f -= skew(&j.axis(*b)) * factor,
            Self::Distance(length) => slopes.d.f += Mat3::identity() * (factor / length),
            Self::Mixed(mix) => slopes.psi_j.f -= skew(&j.axis(2)) * (mix.slide * factor),
            Self::Rolling(row) => {
                let [by_i, by_j] = row.turning(i, j);
                slopes.psi_i.f += by_i.f * factor;
                slopes.psi_j.f += by_j.f * factor;
            }
            _ => {}
        }
        self.add_turning((i, j), factor, (&mut slopes.psi_i.t, &mut slopes.psi_j.t));
    }

    /// Is f̂ fixed to J, or zero? Then its only change is δψ_J×f̂.
    pub fn turns_with_j(&self) -> bool {
        match self {
            Self::Distance(_) => false,
            Self::Rolling(row) => row.turns_with_j(),
            _ => true,
        }
    }

    /// Adds the derivatives of `factor · t̂` in δψ_I and δψ_J.
    #[inline]
    pub fn add_turning(
        &self,
        (i, j): (&MarkerKinematics, &MarkerKinematics),
        factor: f64,
        (on_i, on_j): (&mut Mat3, &mut Mat3),
    ) {
        // δ(a×b) = b~a~ δψ_I − a~b~ δψ_J.
        let mut dot1 = |a: u8, b: u8, factor: f64| {
            let (a, b) = (i.axis(a), j.axis(b));
            *on_i += skew_skew(&b, &a) * factor;
            *on_j -= skew_skew(&a, &b) * factor;
        };
        match self {
            Self::Dot1(a, b) | Self::SineDot(a, b) => dot1(*a, *b, factor),
            Self::EqualSpin => {
                dot1(0, 1, factor);
                dot1(1, 0, -factor);
            }
            Self::Angle(def) => add_normal(def, (i, j), factor, (on_i, on_j)),
            Self::Mixed(mix) => add_normal(&mix.angle, (i, j), mix.turn * factor, (on_i, on_j)),
            Self::Rolling(row) => {
                let [by_i, by_j] = row.turning(i, j);
                *on_i += by_i.t * factor;
                *on_j += by_j.t * factor;
            }
            Self::Dot2(_) | Self::Distance(_) => {}
        }
    }
}

/// The rows of a joint that has only dot products with zero targets: dot-2 first, then dot-1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Products {
    /// Axes of J.
    slides: Box<[u8]>,
    /// Axes of I and of J.
    turns: Box<[(u8, u8)]>,
}

impl Products {
    /// Takes rows in their order; `None` if any is of another kind.
    pub fn of<'a>(rows: impl Iterator<Item = &'a RowKind>) -> Option<Self> {
        let (mut slides, mut turns) = (Vec::new(), Vec::new());
        for row in rows {
            match row {
                RowKind::Dot2(b) if turns.is_empty() => slides.push(*b),
                RowKind::Dot1(a, b) => turns.push((*a, *b)),
                _ => return None,
            }
        }
        Some(Self {
            slides: slides.into(),
            turns: turns.into(),
        })
    }

    /// The number of leading rows that have a force and no torque; the others have a torque and no force.
    pub fn slides(&self) -> usize {
        self.slides.len()
    }

    /// [`RowKind::evaluate`] for all rows at once, and (CON-2).
    #[inline]
    pub fn evaluate(
        &self,
        (i, j): (&MarkerKinematics, &MarkerKinematics),
        multipliers: &[f64],
        violations: &mut [f64],
        units: &mut [Wrench],
    ) -> Wrench {
        let d = i.p - j.p;
        let mut total = Wrench::zero();
        let mut rows = multipliers.iter().zip(violations).zip(units);
        for (b, ((multiplier, violation), unit)) in self.slides.iter().zip(&mut rows) {
            let b = j.axis(*b);
            *violation = d.dot(&b);
            *unit = Wrench::force(b);
            total.force -= b * *multiplier;
        }
        for ((a, b), ((multiplier, violation), unit)) in self.turns.iter().zip(rows) {
            let (a, b) = (i.axis(*a), j.axis(*b));
            let turn = a.cross(&b);
            *violation = a.dot(&b);
            *unit = Wrench::torque(turn);
            total.torque -= turn * *multiplier;
        }
        total
    }

    /// [`RowKind::add_turning`] for −Σ λ t̂: the derivatives in δψ_I and δψ_J.
    #[inline]
    pub fn turning(
        &self,
        (i, j): (&MarkerKinematics, &MarkerKinematics),
        multipliers: &[f64],
    ) -> (Mat3, Mat3) {
        // Σ λ a bᵀ, and Σ λ a·b on the diagonal.
        let (mut sum, mut dots) = (Mat3::zeros(), 0.0);
        let multipliers = &multipliers[self.slides.len()..];
        for ((a, b), multiplier) in self.turns.iter().zip(multipliers) {
            let (a, b) = (i.axis(*a) * *multiplier, j.axis(*b));
            sum += a * b.transpose();
            dots += a.dot(&b);
        }
        let dots = Mat3::from_diagonal_element(dots);
        (dots - sum, sum.transpose() - dots)
    }
}

/// Rates of d·b with b on J.
fn dot2_rates(b: u8, i: &MarkerKinematics, j: &MarkerKinematics) -> (f64, f64) {
    let (d, d1, d2) = (i.p - j.p, i.v - j.v, i.a - j.a);
    let b0 = j.axis(b);
    let b1 = j.omega.cross(&b0);
    let b2 = j.alpha.cross(&b0) + j.omega.cross(&b1);
    (
        d1.dot(&b0) + d.dot(&b1),
        d2.dot(&b0) + 2.0 * d1.dot(&b1) + d.dot(&b2),
    )
}

fn add_normal(
    def: &AngleDefinition,
    (i, j): (&MarkerKinematics, &MarkerKinematics),
    factor: f64,
    (on_i, on_j): (&mut Mat3, &mut Mat3),
) {
    let (by_i, by_j) = normal_slopes(def, i, j);
    *on_i += by_i * factor;
    *on_j += by_j * factor;
}

#[cfg(test)]
mod tests;

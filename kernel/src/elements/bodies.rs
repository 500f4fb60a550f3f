//! Data plane: the equations of motion of rigid bodies and point masses.
//!
//! Newton–Euler about the centre of mass, in ground axes (Euler's equation turned from body axes):
//!
//! ```text
//! f = κ m a + h_f        τ = R (κ J ω̇ + ω×Jω + h_τ)                          (RIG-1)
//! δτ = −wx τ~ δψ + R [κ wa J + wu (ω~J − (Jω)~)] Rᵀ T δψ                      (RIG-2)
//! ```
//! A scheme sets κ and h of the inertia term (1 and 0 for the equations themselves). J is the central inertia in body
//! axes [kg m²], T as in [`crate::elements::kinematics`].

use crate::elements::kinematics::{BodyKinematics, Weights};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};

/// The inertia term of one body, as a scheme modifies it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InertiaTerm {
    /// κ
    pub weight: f64,
    /// h_f, ground axes.
    pub force: Vec3,
    /// h_τ, body axes.
    pub torque: Vec3,
}

impl InertiaTerm {
    /// The unmodified equations of motion: κ = 1, h = 0.
    pub fn plain() -> Self {
        Self {
            weight: 1.0,
            force: Vec3::zeros(),
            torque: Vec3::zeros(),
        }
    }
}

/// Mass and central inertia of a body.
#[derive(Clone, Copy, Debug)]
pub struct Inertia {
    /// \[kg\]
    pub mass: f64,
    /// [kg m²], body axes.
    pub tensor: Mat3,
}

impl Inertia {
    /// From the table of numbers: mass; Ixx, Iyy, Izz, Ixy, Ixz, Iyz with the products as positive
    /// integrals.
    #[inline]
    pub fn new(mass: f64, i: &[f64; 6]) -> Self {
        Self {
            mass,
            tensor: Mat3::new(i[0], -i[3], -i[4], -i[3], i[1], -i[5], -i[4], -i[5], i[2]),
        }
    }

    /// (RIG-1): rate of momentum, ground axes.
    #[inline]
    pub fn momentum_rate(&self, b: &BodyKinematics, term: &InertiaTerm) -> (Vec3, Vec3) {
        let h = self.tensor * b.w;
        let torque = self.tensor * b.w_dot * term.weight + b.w.cross(&h) + term.torque;
        (
            b.a * (self.mass * term.weight) + term.force,
            b.rotation * torque,
        )
    }

    /// M times a linear (ground axes) and an angular (body axes) acceleration.
    #[inline]
    pub fn times(&self, linear: &Vec3, angular: &Vec3) -> (Vec3, Vec3) {
        (linear * self.mass, self.tensor * angular)
    }

    /// M⁻¹ times a force (ground axes) and a torque (body axes).
    pub fn solve(&self, force: &Vec3, torque: &Vec3) -> (Vec3, Vec3) {
        let turning = self.tensor.try_inverse().unwrap_or_else(Mat3::zeros);
        (force / self.mass, turning * torque)
    }

    /// (RIG-2): the derivatives of the force in δx, equal in all directions, and of the torque in δψ.
    #[inline]
    pub fn slopes(&self, b: &BodyKinematics, term: &InertiaTerm, weights: &Weights) -> (f64, Mat3) {
        let (_, torque) = self.momentum_rate(b, term);
        let h = self.tensor * b.w;
        let inner = self.tensor * (term.weight * weights.a)
            + (skew(&b.w) * self.tensor - skew(&h)) * weights.u;
        let turning =
            b.rotation * inner * b.rotation.tr_mul(&b.tangent) - skew(&torque) * weights.x;
        (self.mass * term.weight * weights.a, turning)
    }

    /// The mass matrix in ground axes: m and R J Rᵀ.
    pub fn in_ground(&self, rotation: &Mat3) -> (f64, Mat3) {
        let turning = rotation * self.tensor * rotation.transpose();
        (self.mass, turning)
    }

    /// 1/m, and the inverse of the mean principal inertia (0 without one).
    pub fn mobility(&self) -> (f64, f64) {
        let inertia = self.tensor.trace() / 3.0;
        let angular = if inertia > 0.0 { 1.0 / inertia } else { 0.0 };
        (1.0 / self.mass, angular)
    }

    /// ½ m v² + ½ ω·Jω \[J\].
    pub fn kinetic_energy(&self, b: &BodyKinematics) -> f64 {
        0.5 * (self.mass * b.v.norm_squared() + b.w.dot(&(self.tensor * b.w)))
    }
}

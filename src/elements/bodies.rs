//! Data plane: rigid bodies and point masses.
//!
//! Newton–Euler about the centre of mass, in ground axes (Euler's equation turned from body axes):
//!
//! ```text
//! m a = f        τ = R (J ω̇ + ω×Jω)                                         (RIG-1)
//! δτ = −wx τ~ δψ + R [wa J + wu (ω~J − (Jω)~)] Rᵀ T δψ                        (RIG-2)
//! ```
//! J central inertia in body axes [kg m²], T as in [`crate::elements::kinematics`].

use crate::elements::kinematics::{BodyKinematics, Weights};
use crate::elements::wrench::{Block, ZERO_BLOCK};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};

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
    pub fn new(mass: f64, i: &[f64; 6]) -> Self {
        Self {
            mass,
            tensor: Mat3::new(i[0], -i[3], -i[4], -i[3], i[1], -i[5], -i[4], -i[5], i[2]),
        }
    }

    /// (RIG-1): rate of momentum, ground axes.
    pub fn momentum_rate(&self, b: &BodyKinematics) -> (Vec3, Vec3) {
        let h = self.tensor * b.w;
        (
            b.a * self.mass,
            b.rotation * (self.tensor * b.w_dot + b.w.cross(&h)),
        )
    }

    /// (RIG-2): its derivative in (δx, δψ).
    pub fn block(&self, b: &BodyKinematics, weights: &Weights) -> Block {
        let mut block = ZERO_BLOCK;
        for k in 0..3 {
            block[k][k] = self.mass * weights.a;
        }
        let (_, torque) = self.momentum_rate(b);
        let h = self.tensor * b.w;
        let inner = self.tensor * weights.a + (skew(&b.w) * self.tensor - skew(&h)) * weights.u;
        let m = b.rotation * inner * b.rotation.tr_mul(&b.tangent) - skew(&torque) * weights.x;
        for row in 0..3 {
            for col in 0..3 {
                block[row + 3][col + 3] = m[(row, col)];
            }
        }
        block
    }

    /// ½ m v² + ½ ω·Jω \[J\].
    pub fn kinetic_energy(&self, b: &BodyKinematics) -> f64 {
        0.5 * (self.mass * b.v.norm_squared() + b.w.dot(&(self.tensor * b.w)))
    }
}

//! Data plane: kinematics of bodies and markers, and their derivatives in the step's unknowns.
//!
//! The unknowns of a body are δx (translation of the centre of mass) and δψ (small rotation), both in ground axes. In
//! a scheme velocities and accelerations are affine functions of the step's displacement, `u = cu Δ + …`,
//! `a = ca Δ + …`. [`Weights`] holds their slopes. So one derivative serves every scheme, and the weights (1, 0, 0),
//! (0, 1, 0) give stiffness and damping for linearisation.
//!
//! ```text
//! p  = r + ρ              δp = wx (δx − ρ~ δψ)                          (KIN-1)
//! Ω  = R ω                δΩ = WΩ δψ,   WΩ = −wx Ω~ + wu T              (KIN-2)
//! v  = ṙ + Ω×ρ            δv = wu δx + Wv δψ,   Wv = −ρ~ WΩ − wx Ω~ ρ~  (KIN-3)
//! α  = R ω̇                δα = Wα δψ,   Wα = −wx α~ + wa T              (KIN-4)
//! a  = r̈ + α×ρ + Ω×(Ω×ρ)
//! δa = wa δx + (−ρ~ Wα − wx α~ ρ~ − (Ω×ρ)~ WΩ + Ω~ Wv) δψ              (KIN-5)
//! ```
//! with T = R T_r⁻¹(θ) Rᵀ, θ the rotation since the start of the step (docs/theory/kinematics.md).

use crate::ids::BodyId;
use crate::math::rotation::{right_tangent_inverse, skew, skew_after, skew_skew};
use crate::math::{Mat3, Vec3};

/// Slopes of position, velocity, acceleration and multiplier in the unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// ∂position/∂unknown.
    pub x: f64,
    /// ∂velocity/∂unknown [1/s].
    pub u: f64,
    /// ∂acceleration/∂unknown [1/s²].
    pub a: f64,
    /// ∂λ/∂(scaled multiplier).
    pub l: f64,
    /// ∂state/∂unknown, for the states of differential equations.
    pub z: f64,
}

/// Kinematics of one body.
#[derive(Clone, Copy, Debug)]
pub struct BodyKinematics {
    /// Centre of mass, ground \[m\].
    pub r: Vec3,
    /// Body axes → ground axes.
    pub rotation: Mat3,
    /// Velocity of the centre of mass, ground [m/s].
    pub v: Vec3,
    /// Angular velocity, body axes [rad/s].
    pub w: Vec3,
    /// Angular velocity, ground axes [rad/s].
    pub omega: Vec3,
    /// Acceleration of the centre of mass, ground [m/s²].
    pub a: Vec3,
    /// Angular acceleration, body axes [rad/s²].
    pub w_dot: Vec3,
    /// Angular acceleration, ground axes [rad/s²].
    pub alpha: Vec3,
    /// `T`: maps δψ to the change of the step's rotation vector, both in ground axes.
    pub tangent: Mat3,
}

impl Default for BodyKinematics {
    fn default() -> Self {
        Self {
            r: Vec3::zeros(),
            rotation: Mat3::identity(),
            v: Vec3::zeros(),
            w: Vec3::zeros(),
            omega: Vec3::zeros(),
            a: Vec3::zeros(),
            w_dot: Vec3::zeros(),
            alpha: Vec3::zeros(),
            tangent: Mat3::identity(),
        }
    }
}

impl BodyKinematics {
    /// From position and axes, velocities, accelerations (linear in ground axes, angular in body axes), at the
    /// start of a step.
    #[inline]
    pub fn new(
        (r, rotation): (Vec3, Mat3),
        (v, w): (Vec3, Vec3),
        (a, w_dot): (Vec3, Vec3),
    ) -> Self {
        Self {
            r,
            rotation,
            v,
            w,
            omega: rotation * w,
            a,
            w_dot,
            alpha: rotation * w_dot,
            tangent: Mat3::identity(),
        }
    }

    /// The same within a step, after a rotation (body axes).
    #[inline]
    #[must_use]
    pub fn after(self, theta: &Vec3) -> Self {
        Self {
            tangent: right_tangent_inverse(&(self.rotation * theta)),
            ..self
        }
    }

    /// WΩ of (KIN-2).
    #[inline]
    pub fn omega_slope(&self, weights: &Weights) -> Mat3 {
        self.tangent * weights.u - skew(&self.omega) * weights.x
    }

    /// Wα of (KIN-4).
    #[inline]
    pub fn alpha_slope(&self, weights: &Weights) -> Mat3 {
        self.tangent * weights.a - skew(&self.alpha) * weights.x
    }
}

/// A marker in the compiled system.
#[derive(Clone, Copy, Debug)]
pub struct MarkerFrame {
    /// Its body.
    pub body: BodyId,
    /// Position from the centre of mass, body axes \[m\].
    pub offset: Vec3,
    /// Marker axes → body axes; `None` if they are equal.
    pub axes: Option<Mat3>,
}

impl MarkerFrame {
    /// A marker on a body, from its position and axes in body axes.
    pub fn new(body: BodyId, offset: Vec3, axes: Mat3) -> Self {
        Self {
            body,
            offset,
            axes: (axes != Mat3::identity()).then_some(axes),
        }
    }
}

/// Kinematics of one marker.
#[derive(Clone, Copy, Debug)]
pub struct MarkerKinematics {
    /// Its body.
    pub body: BodyId,
    /// Position from the body's centre of mass, ground axes \[m\].
    pub rho: Vec3,
    /// Position, ground \[m\].
    pub p: Vec3,
    /// Marker axes → ground axes; columns are x, y, z.
    pub axes: Mat3,
    /// Velocity, ground [m/s].
    pub v: Vec3,
    /// Acceleration, ground [m/s²].
    pub a: Vec3,
    /// Angular velocity of the body, ground axes [rad/s].
    pub omega: Vec3,
    /// Angular acceleration of the body, ground axes [rad/s²].
    pub alpha: Vec3,
}

impl MarkerKinematics {
    /// Kinematics of a marker on a body.
    pub fn of(frame: &MarkerFrame, body: &BodyKinematics) -> Self {
        let mut marker = Self::still(frame.body);
        marker.place(frame, body);
        marker.accelerate(body);
        marker
    }

    /// A marker at rest at the origin, along the axes of ground.
    #[inline]
    pub fn still(body: BodyId) -> Self {
        let zero = Vec3::zeros();
        Self {
            body,
            rho: zero,
            p: zero,
            axes: Mat3::identity(),
            v: zero,
            a: zero,
            omega: zero,
            alpha: zero,
        }
    }

    /// Updates everything except the accelerations.
    #[inline]
    pub fn place(&mut self, frame: &MarkerFrame, body: &BodyKinematics) {
        self.rho = body.rotation * frame.offset;
        self.p = body.r + self.rho;
        self.axes = match &frame.axes {
            Some(axes) => body.rotation * axes,
            None => body.rotation,
        };
        self.v = body.v + body.omega.cross(&self.rho);
        self.omega = body.omega;
    }

    /// Updates the accelerations, after [`Self::place`].
    #[inline]
    pub fn accelerate(&mut self, body: &BodyKinematics) {
        let swing = body.omega.cross(&self.rho);
        self.a = body.a + body.alpha.cross(&self.rho) + body.omega.cross(&swing);
        self.alpha = body.alpha;
    }

    /// One axis (0 = x, 1 = y, 2 = z) in ground.
    #[inline]
    pub fn axis(&self, k: u8) -> Vec3 {
        Vec3::from(self.axes.data.0[usize::from(k)])
    }
}

/// Derivatives of a marker in δψ of its body (those in δx are the weights themselves).
#[derive(Clone, Copy, Debug)]
pub struct MarkerSlopes {
    /// The vector wx ρ of ∂p/∂ψ = −wx ρ~.
    pub lever: Vec3,
    /// ∂v/∂ψ.
    pub v: Mat3,
    /// ∂a/∂ψ.
    pub a: Mat3,
    /// ∂Ω/∂ψ.
    pub omega: Mat3,
    /// ∂α/∂ψ.
    pub alpha: Mat3,
}

impl MarkerSlopes {
    /// Derivatives of a fixed marker: zero.
    pub fn zero() -> Self {
        let zero = Mat3::zeros();
        Self {
            lever: Vec3::zeros(),
            v: zero,
            a: zero,
            omega: zero,
            alpha: zero,
        }
    }

    /// Derivatives at the given weights: (KIN-1) to (KIN-3); the accelerations are left unchanged.
    #[inline]
    pub fn place(&mut self, marker: &MarkerKinematics, body: &BodyKinematics, weights: &Weights) {
        let rho = &marker.rho;
        self.lever = rho * weights.x;
        self.omega = body.omega_slope(weights);
        self.v = -skew_after(rho, &self.omega) - skew_skew(&body.omega, rho) * weights.x;
    }

    /// Those of the accelerations, (KIN-4) and (KIN-5), after [`Self::place`].
    #[inline]
    pub fn accelerate(
        &mut self,
        marker: &MarkerKinematics,
        body: &BodyKinematics,
        weights: &Weights,
    ) {
        let rho = &marker.rho;
        let swing = body.omega.cross(rho);
        self.alpha = body.alpha_slope(weights);
        self.a = skew_after(&body.omega, &self.v)
            - skew_after(rho, &self.alpha)
            - skew_skew(&body.alpha, rho) * weights.x
            - skew_after(&swing, &self.omega);
    }
}

/// Derivative of a scalar in the quantities of one marker.
#[derive(Clone, Copy, Debug)]
pub struct Cotangent {
    /// In position.
    pub p: Vec3,
    /// In velocity.
    pub v: Vec3,
    /// In acceleration.
    pub a: Vec3,
    /// In a small rotation of the marker's axes (ground axes).
    pub psi: Vec3,
    /// In angular velocity.
    pub omega: Vec3,
    /// In angular acceleration.
    pub alpha: Vec3,
}

impl Cotangent {
    /// No dependence.
    pub fn zero() -> Self {
        let o = Vec3::zeros();
        Self {
            p: o,
            v: o,
            a: o,
            psi: o,
            omega: o,
            alpha: o,
        }
    }

    /// The scalar's derivative in the six unknowns of the marker's body.
    pub fn row(&self, slopes: &MarkerSlopes, weights: &Weights) -> [f64; 6] {
        let x = self.p * weights.x + self.v * weights.u + self.a * weights.a;
        let psi = slopes.lever.cross(&self.p)
            + slopes.v.tr_mul(&self.v)
            + slopes.a.tr_mul(&self.a)
            + self.psi * weights.x
            + slopes.omega.tr_mul(&self.omega)
            + slopes.alpha.tr_mul(&self.alpha);
        [x.x, x.y, x.z, psi.x, psi.y, psi.z]
    }
}

//! Data plane: the generalized-α family in formulation I3 — HHT, Newmark, generalized-α.
//!
//! The unknown is the displacement Δ of the step. a is the scheme's acceleration; f = Q − Gᵀλ includes the gyroscopic
//! term (torques in body axes, where the inertia is constant):
//!
//! ```text
//! Δ = h u_n + h² [(½ − β) a_n + β a_{n+1}],   u_{n+1} = u_n + h [(1 − γ) a_n + γ a_{n+1}]   (ALP-1)
//! (1 − α_m) M a_{n+1} + α_m M a_n = (1 − α_f) f_{n+1} + α_f f_n,   Φ(x_n ∘ Δ) = 0            (ALP-2)
//! ```
//!
//! | scheme | α_m | α_f | β | γ |
//! |---|---|---|---|---|
//! | HHT(α), −⅓ ≤ α ≤ 0 | 0 | −α | (1 − α)²/4 | ½ − α |
//! | Newmark(β, γ) | 0 | 0 | β | γ |
//! | generalized-α(ρ) | (2ρ − 1)/(ρ + 1) | ρ/(ρ + 1) | (½ + γ)²/4 | ½ + α_f − α_m |
//!
//! (Hilber, Hughes and Taylor 1977; Negrut, Rampalli, Ottarsson and Sajdak 2007 for constrained systems; Chung and
//! Hulbert 1993; Arnold and Brüls 2007, Brüls, Cardona and Arnold 2012 on Lie groups.) Divided by 1 − α_f, (ALP-2) is
//! the equation of motion with κ = (1 − α_m)/(1 − α_f) and the history term h = α_m/(1 − α_f) M a_n − α_f/(1 − α_f)
//! f_n of (RIG-1). The M of flexible bodies changes, so they carry accelerations instead of forces:
//!
//! ```text
//! M_{n+1} u̇_{n+1} = f_{n+1},   u̇_{n+1} = κ a_{n+1} + b,   b = α_m/(1 − α_f) a_n − α_f/(1 − α_f) u̇_n     (ALP-3)
//! ```

use crate::elements::bodies::InertiaTerm;
use crate::elements::kinematics::Weights;
use crate::integrator::states::Coefficients;
use crate::integrator::{Scheme, Stepper, flexible};
use crate::mechanism::{IntegratorKind, SolverSettings};
use crate::state::State;
use crate::system::System;
use crate::system::residual::inertia;
use crate::workspace::Workspace;

/// The four parameters of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// α_m
    pub alpha_m: f64,
    /// α_f
    pub alpha_f: f64,
    /// β
    pub beta: f64,
    /// γ
    pub gamma: f64,
}

impl Parameters {
    /// The parameters of the scheme in the settings.
    pub fn of(settings: &SolverSettings) -> Self {
        match settings.integrator {
            IntegratorKind::Gstiff
            | IntegratorKind::Wstiff
            | IntegratorKind::Hastiff
            | IntegratorKind::Newmark => Self::newmark(settings.beta, settings.gamma),
            IntegratorKind::Hht => Self::hht(settings.alpha),
            IntegratorKind::GeneralizedAlpha => Self::generalized(settings.rho),
        }
    }

    /// Newmark's method.
    pub const fn newmark(beta: f64, gamma: f64) -> Self {
        Self {
            alpha_m: 0.0,
            alpha_f: 0.0,
            beta,
            gamma,
        }
    }

    /// HHT.
    pub const fn hht(alpha: f64) -> Self {
        Self {
            alpha_m: 0.0,
            alpha_f: -alpha,
            beta: (1.0 - alpha) * (1.0 - alpha) / 4.0,
            gamma: 0.5 - alpha,
        }
    }

    /// Generalized-α with the spectral radius ρ at infinite frequency.
    pub const fn generalized(rho: f64) -> Self {
        let alpha_m = (2.0 * rho - 1.0) / (rho + 1.0);
        let alpha_f = rho / (rho + 1.0);
        let gamma = 0.5 + alpha_f - alpha_m;
        Self {
            alpha_m,
            alpha_f,
            beta: (0.5 + gamma) * (0.5 + gamma) / 4.0,
            gamma,
        }
    }
}

impl Parameters {
    /// C of the local error C h³ |x⃛| of a displacement. The scheme's a_n belongs to the time t_n + (α_m − α_f) h, so
    /// Δ in (ALP-1) has the term (β + (α_m − α_f)/2) h³ x⃛ where Taylor's series has h³ x⃛/6 (ALP-5); and Δ − Δ⁰ = h²
    /// β (a_{n+1} − a_n) ≈ β h³ x⃛.
    pub fn error_constant(&self) -> f64 {
        (self.beta + (self.alpha_m - self.alpha_f) / 2.0 - 1.0 / 6.0).abs()
    }
}

/// The scheme for a step h, scaled so that the inertia's part of the matrix is M.
pub fn scheme(p: &Parameters, h: f64, states: Coefficients) -> Scheme {
    let acceleration = 1.0 / (p.beta * h * h);
    let inertia_weight = (1.0 - p.alpha_m) / (1.0 - p.alpha_f);
    let scale = p.beta * h * h / inertia_weight;
    Scheme {
        weights: Weights {
            x: 1.0,
            u: p.gamma / (p.beta * h),
            a: acceleration,
            l: 1.0 / scale,
            z: states.weight(),
        },
        scale,
        inertia_weight,
        states,
        error_factor: p.error_constant() / p.beta,
        stabilised: false,
    }
}

/// Sets the affine maps of (ALP-1) and the prediction a_{n+1} = a_n.
pub fn predict(system: &System, state: &State, stepper: &mut Stepper, p: &Parameters, h: f64) {
    let velocity = state.span(system.layout.velocity);
    let acceleration = state.span(system.layout.acceleration);
    let slope = 1.0 / (p.beta * h * h);
    for at in 0..system.layout.velocity.len {
        let (u, a) = (velocity[at], acceleration[at]);
        let predicted = h * u + 0.5 * h * h * a;
        stepper.delta[at] = predicted;
        stepper.predicted[at] = predicted;
        let offset = -slope * (h * u + h * h * (0.5 - p.beta) * a);
        stepper.acceleration_offset[at] = offset;
        stepper.velocity_offset[at] = u + h * ((1.0 - p.gamma) * a + p.gamma * offset);
    }
}

/// κ and h of (RIG-1), for flexible bodies κ and b of (ALP-3), for the step from this state.
pub fn inertia_terms(system: &System, state: &State, ws: &mut Workspace, p: &Parameters) {
    let layout = &system.layout;
    let divisor = 1.0 - p.alpha_f;
    let (of_inertia, of_force) = (p.alpha_m / divisor, p.alpha_f / divisor);
    if !system.flexibles.is_empty() {
        flexible::history(system, state, ws, (of_inertia, of_force));
    }
    for (body, entry) in system.bodies.iter().enumerate() {
        let (a, w_dot) = state.rates(layout.acceleration, body);
        let (force, torque) = state.rates(layout.forces, body);
        let (m_a, j_w) = match entry.flexible {
            Some(_) => (a, w_dot),
            None => inertia(system, state, body).times(&a, &w_dot),
        };
        ws.inertia_terms[body] = InertiaTerm {
            weight: (1.0 - p.alpha_m) / divisor,
            force: m_a * of_inertia - force * of_force,
            torque: j_w * of_inertia - torque * of_force,
        };
    }
}

//! Data plane: what a step needs of an integration scheme: two affine maps of the unknowns, and a scale.

use crate::elements::kinematics::Weights;
use crate::integrator::states::Coefficients;
use crate::integrator::{alpha, gstiff};
use crate::mechanism::{IntegratorKind, SolverSettings};
use crate::system::jacobian::Scaling;

/// The affine maps of a scheme, and its scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Slopes of position, velocity and acceleration in the unknowns.
    pub weights: Weights,
    /// s of (RES-1), which makes the inertia's part of the matrix the mass matrix itself.
    pub scale: f64,
    /// κ of (RIG-1).
    pub inertia_weight: f64,
    /// Coefficients for states of differential equations.
    pub states: Coefficients,
    /// The local error is this times ‖corrected − predicted‖.
    pub error_factor: f64,
    /// Formulation SI2.
    pub stabilised: bool,
}

impl Scheme {
    /// The scaling of the Newton matrix in a step.
    pub fn scaling(&self) -> Scaling {
        Scaling {
            motion: self.scale,
            constraints: 1.0,
            states: self.states.rows(self.scale),
        }
    }
}

/// How a step depends on the one before: coefficients of the values that it carries over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carry {
    /// The step \[s\].
    pub h: f64,
    /// Coefficients of u₀ in the last velocity and acceleration.
    pub velocity: [f64; 2],
    /// a₀ likewise.
    pub acceleration: [f64; 2],
    /// Coefficients of the history term of (RIG-1) in M a, and in the negative last forces.
    pub history: [f64; 2],
    /// c, c_g and c_z of (STA-3), and γ.
    pub states: [f64; 4],
}

/// These coefficients for the scheme in the settings, at a step h.
pub fn carry(settings: &SolverSettings, h: f64) -> Carry {
    let states = Coefficients::of(settings, h).all();
    if settings.integrator.is_backward() {
        return Carry {
            h,
            velocity: [0.0; 2],
            acceleration: [-1.0 / h, 0.0],
            history: [0.0; 2],
            states,
        };
    }
    let p = alpha::Parameters::of(settings);
    let slope = 1.0 / (p.beta * h * h);
    let acceleration = [-slope * h, -slope * h * h * (0.5 - p.beta)];
    Carry {
        h,
        velocity: [
            1.0 + h * p.gamma * acceleration[0],
            h * (1.0 - p.gamma + p.gamma * acceleration[1]),
        ],
        acceleration,
        history: [p.alpha_m, p.alpha_f].map(|x| x / (1.0 - p.alpha_f)),
        states,
    }
}

/// The scheme in the settings, at a step h.
pub fn scheme(settings: &SolverSettings, h: f64) -> Scheme {
    let states = Coefficients::of(settings, h);
    match settings.integrator {
        IntegratorKind::Gstiff | IntegratorKind::Wstiff | IntegratorKind::Hastiff => Scheme {
            stabilised: settings.formulation.is_stabilised(),
            ..gstiff::scheme(h, states)
        },
        IntegratorKind::Hht | IntegratorKind::Newmark | IntegratorKind::GeneralizedAlpha => {
            alpha::scheme(&alpha::Parameters::of(settings), h, states)
        }
    }
}

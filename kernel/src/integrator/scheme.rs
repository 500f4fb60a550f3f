//! Data plane: what a scheme is to a step — two affine maps of its unknowns, and its scale.

use crate::elements::kinematics::Weights;
use crate::integrator::states::Coefficients;
use crate::integrator::{alpha, gstiff};
use crate::mechanism::{Formulation, IntegratorKind, SolverSettings};
use crate::system::jacobian::Scaling;

/// The affine maps of a scheme, and its scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheme {
    /// Slopes in the unknowns.
    pub weights: Weights,
    /// s of (RES-1), which makes the inertia's part of the matrix the mass matrix itself.
    pub scale: f64,
    /// κ of (RIG-1).
    pub inertia_weight: f64,
    /// How states of differential equations go.
    pub states: Coefficients,
    /// The local error is this times ‖corrected − predicted‖.
    pub error_factor: f64,
    /// Formulation SI2.
    pub stabilised: bool,
}

impl Scheme {
    /// How the Newton matrix of a step is scaled.
    pub fn scaling(&self) -> Scaling {
        Scaling {
            motion: self.scale,
            constraints: 1.0,
            states: self.states.rows(self.scale),
        }
    }
}

/// The scheme that the settings ask for, at a step h.
pub fn scheme(settings: &SolverSettings, h: f64) -> Scheme {
    let states = Coefficients::of(settings, h);
    match settings.integrator {
        IntegratorKind::Gstiff => Scheme {
            stabilised: settings.formulation == Formulation::Si2,
            ..gstiff::scheme(h, states)
        },
        IntegratorKind::Hht | IntegratorKind::Newmark | IntegratorKind::GeneralizedAlpha => {
            alpha::scheme(&alpha::Parameters::of(settings), h, states)
        }
    }
}

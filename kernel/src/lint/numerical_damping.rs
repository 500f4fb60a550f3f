//! Control plane: finds schemes without numerical damping at the highest frequencies, which a mechanism with joints
//! needs.

use super::{Subject, show};
use crate::mechanism::{Finding, IntegratorKind, LintRule, SolverSettings};
use alloc::format;
use alloc::vec::Vec;

/// Largest amplification of the highest frequencies per step with which joint forces settle: a pendulum at steps of
/// 10 ms fails with 0.98, not with 0.95.
const MOST: f64 = 0.97;

/// The squared amplification of the highest frequencies per step.
fn left(solver: &SolverSettings) -> f64 {
    let share = match solver.integrator {
        IntegratorKind::Gstiff | IntegratorKind::Wstiff | IntegratorKind::Hastiff => 0.0,
        IntegratorKind::Hht => (1.0 + solver.alpha) / (1.0 - solver.alpha),
        IntegratorKind::GeneralizedAlpha => solver.rho,
        // The roots are a conjugate pair: β is (γ + ½)²/4 or more.
        IntegratorKind::Newmark => return 1.0 - (solver.gamma - 0.5) / solver.beta,
    };
    share * share
}

/// Checks the scheme of a mechanism with constraints.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let solver = &s.mechanism.solver;
    if s.system.rows.is_empty() || left(solver) <= MOST * MOST {
        return;
    }
    let (setting, value, remedy) = match solver.integrator {
        IntegratorKind::Gstiff | IntegratorKind::Wstiff | IntegratorKind::Hastiff => return,
        IntegratorKind::Hht => (
            "alpha",
            solver.alpha,
            "give solver.alpha = -0.05 or less, or leave it out",
        ),
        IntegratorKind::GeneralizedAlpha => (
            "rho",
            solver.rho,
            "give solver.rho = 0.9 or less, or leave it out",
        ),
        IntegratorKind::Newmark => (
            "gamma",
            solver.gamma,
            "give solver.gamma = 0.55 and solver.beta = 0.28, or the integrator HHT, which keeps order 2",
        ),
    };
    found.push(Finding::new(
        LintRule::UndampedScheme,
        ("solver", "", setting),
        format!(
            "{setting} = {} leaves the highest frequencies (almost) undamped, and errors of joint forces have these \
             frequencies: accelerations and reactions may alternate from step to step and become far too large",
            show(value)
        ),
        remedy,
    ));
}

//! Data plane: the linear tyre: forces proportional to slip, bounded by friction.
//!
//! ```text
//! t_x = C_κ κ,   t_y = −C_α α − C_γ γ,   t = |(t_x, t_y)|,   y = t/(3 μ F_z)   (TYL-1)
//! (F_x, F_y) = (t_x, t_y) (1 − y + y²/3)   up to y = 1
//! (F_x, F_y) = μ F_z (t_x, t_y)/t          beyond                              (TYL-2)
//! M_z = −t_0 F_y (1 − y)³/(1 − y + y²/3),   M_y = −f_r R₀ F_z                   (TYL-3)
//! R_e = R₀ − ρ/3
//! ```
//! (TYL-2) is the force of Fiala's tyre, a brush with parabolic pressure, which slides fully from y = 1; (TYL-3) is
//! its pneumatic trail (Pacejka, Tire and Vehicle Dynamics, 3.2.1). The sign of M_y follows the sense of travel.

use super::contact::Contact;
use super::{INPUTS, TyreForces, Vertical};
use crate::math::dual::Dual;

/// A tyre in the air has no friction to relate slip to; this force \[N\] replaces it.
const NOTHING: f64 = 1e-6;

/// R₀, k, c, C_κ, C_α, C_γ, μ, σ_x, σ_y, t_0, f_r.
type Numbers = [f64; 11];

/// Load, rolling radius, relaxation lengths.
pub(super) fn vertical<const N: usize>(
    n: &Numbers,
    friction: f64,
    contact: &Contact<N>,
) -> Vertical<N> {
    let [
        radius,
        stiffness,
        damping,
        slip,
        cornering,
        _,
        mu,
        sigma_x,
        sigma_y,
        _,
        _,
    ] = *n;
    let deflection = contact.deflection.at_least(0.0);
    let load = contact.load(contact.deflection * stiffness, damping);
    Vertical {
        load,
        sliding: [slip, cornering].map(|c| load * (3.0 * mu * friction / c)),
        rolling_radius: -deflection / 3.0 + radius,
        relaxation: [sigma_x, sigma_y].map(Dual::constant),
    }
}

/// (TYL-1) to (TYL-3).
pub(super) fn forces(
    n: &Numbers,
    friction: f64,
    [kappa, alpha, gamma, load, sense, _]: &[Dual<INPUTS>; INPUTS],
) -> TyreForces<INPUTS> {
    let [
        radius,
        _,
        _,
        slip,
        cornering,
        camber,
        mu,
        _,
        _,
        trail,
        rolling,
    ] = *n;
    let limit = *load * (mu * friction);
    let least = limit.at_least(NOTHING);
    let (tx, ty) = (*kappa * slip, *alpha * -cornering - *gamma * camber);
    let t = (tx.square() + ty.square()).sqrt();
    let y = t / (least * 3.0);
    let sticks = y.value < 1.0;
    let whole = Dual::constant(1.0) - y + y.square() / 3.0;
    let share = Dual::select(sticks, whole, limit / t.at_least(NOTHING));
    let left = (Dual::constant(1.0) - y).at_least(0.0);
    let (fx, fy) = (tx * share, ty * share);
    let lever = left * left.square() / Dual::select(sticks, whole, Dual::constant(1.0));
    TyreForces {
        fx,
        fy,
        mx: Dual::constant(0.0),
        my: *load * *sense * (-rolling * radius),
        mz: fy * lever * -trail,
    }
}

/// k ρ²/2.
pub(super) fn energy(n: &Numbers, deflection: f64) -> f64 {
    0.5 * n[1] * deflection * deflection
}

//! Data plane: φ of (JFR-3), over the slips of each bearing.
//!
//! ```text
//! Coulomb:  φ_k = κ(|s|²) s_k,   κ of (CNT-5)                              (JFR-4)
//! ```

use super::MOST;
use crate::elements::forces::coulomb::kappa;
use crate::model::FrictionLaw;

/// Bearings of a joint at most.
const BEARINGS: usize = 2;

/// The forces along the slips, and their slopes.
pub(super) struct Response {
    /// f_k.
    pub(super) force: [f64; MOST],
    /// ∂f_k/∂s_m.
    pub(super) by_slip: [[f64; MOST]; MOST],
    /// ∂f_k/∂L.
    pub(super) by_load: [f64; MOST],
}

/// With the numbers [μs, μd, and two velocities]; `of` gives bearing, L and c of a component.
pub(super) fn respond(
    law: FrictionLaw,
    numbers: [f64; 4],
    slips: &[f64; MOST],
    of: impl Fn(usize) -> (usize, f64, f64),
) -> Response {
    let mut squares = [0.0; BEARINGS];
    for (k, s) in slips.iter().enumerate() {
        squares[of(k).0] += s * s;
    }
    let FrictionLaw::Coulomb = law;
    let curves = squares.map(|square| kappa(numbers, square));
    let mut response = Response {
        force: [0.0; MOST],
        by_slip: [[0.0; MOST]; MOST],
        by_load: [0.0; MOST],
    };
    for k in 0..MOST {
        let (bearing, load, viscous) = of(k);
        let (kappa, by_square) = curves[bearing];
        response.force[k] = -(load * kappa + viscous) * slips[k];
        response.by_load[k] = -kappa * slips[k];
        for m in 0..MOST {
            if of(m).0 == bearing {
                response.by_slip[k][m] = -2.0 * load * by_square * slips[k] * slips[m];
            }
        }
        response.by_slip[k][k] -= load * kappa + viscous;
    }
    response
}

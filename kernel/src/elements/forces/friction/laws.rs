//! Data plane: the laws of joint friction: φ of (JFR-3) as a function of the slips of each bearing.
//!
//! ```text
//! Coulomb:  φ_k = κ(|s|²) s_k,   κ of (CNT-5)                              (JFR-4)
//! LuGre:    φ_k = σ0 z_k + σ1 e(|s|) ż_k,   ż_k = s_k − σ0 |s| z_k/μ(|s|)
//!           μ(u) = μd + (μs − μd) e(u),   e(u) = exp(−(u/us)²)             (JFR-6)
//! ```
//! (Canudas de Wit, Olsson, Åström and Lischinsky 1995, per unit of load; damping that decreases with the slip:
//! Olsson 1996.) In φ, z is limited to 1.2 μs/σ0.

use super::MOST;
use crate::elements::forces::coulomb::kappa;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::{exp, held};
use crate::mechanism::{FrictionLaw, FrictionNumbers};

/// Largest number of bearings of a joint.
const BEARINGS: usize = 2;

/// Limit of the bristle deflection in the force, in units of μs/σ0, which is break-away. It bounds the effect of a
/// step's error.
const FARTHEST: f64 = 1.2;

/// Limit of σ1 us/μd: up to it (JFR-7) holds at any slip, and bristles never supply energy. 4 √(2e), (JFR-8).
pub const PASSIVE_DAMPING: f64 = 9.326;

/// The forces along the slips, and their slopes.
#[derive(Default)]
pub(super) struct Response {
    /// f_k.
    pub(super) force: [f64; MOST],
    /// ∂f_k/∂s_m.
    pub(super) by_slip: [[f64; MOST]; MOST],
    /// ∂f_k/∂L.
    pub(super) by_load: [f64; MOST],
    /// ∂f_k/∂z_k.
    pub(super) by_state: [f64; MOST],
    /// ż_k.
    pub(super) rate: [f64; MOST],
    /// ∂ż_k/∂s_m.
    pub(super) rate_by_slip: [[f64; MOST]; MOST],
    /// ∂ż_k/∂z_k.
    pub(super) rate_by_state: [f64; MOST],
}

/// Slips, bristle deflections, and for each component its bearing, L and c.
pub(super) struct Arguments {
    /// s_k.
    pub(super) slips: [f64; MOST],
    /// z_k.
    pub(super) states: [f64; MOST],
    /// Bearing, L, c.
    pub(super) of: [(usize, f64, f64); MOST],
}

impl Arguments {
    /// |s|² of the bearings.
    fn squares(&self) -> [f64; BEARINGS] {
        let mut squares = [0.0; BEARINGS];
        for (s, (bearing, ..)) in self.slips.iter().zip(&self.of) {
            squares[*bearing] += s * s;
        }
        squares
    }
}

/// Limit of the bristle deflection \[m\].
pub(super) fn farthest(numbers: &FrictionNumbers<f64>) -> f64 {
    FARTHEST * numbers.curve[0] / numbers.bristles[0]
}

/// (JFR-4) or (JFR-6).
pub(super) fn respond(law: FrictionLaw, numbers: &FrictionNumbers<f64>, x: &Arguments) -> Response {
    match law {
        FrictionLaw::Coulomb => coulomb(numbers.curve, x),
        FrictionLaw::LuGre => lugre(numbers, x),
    }
}

fn coulomb(curve: [f64; 4], x: &Arguments) -> Response {
    let curves = x.squares().map(|square| kappa(curve, square));
    let mut response = Response::default();
    for k in 0..MOST {
        let (bearing, load, viscous) = x.of[k];
        let (kappa, by_square) = curves[bearing];
        response.force[k] = -(load * kappa + viscous) * x.slips[k];
        response.by_load[k] = -kappa * x.slips[k];
        for m in 0..MOST {
            if x.of[m].0 == bearing {
                response.by_slip[k][m] = -2.0 * load * by_square * x.slips[k] * x.slips[m];
            }
        }
        response.by_slip[k][k] -= load * kappa + viscous;
    }
    response
}

/// Functions of a bearing's slip in the bristle law.
struct Wear {
    /// |s|/μ.
    worn: f64,
    /// Its slope over |s|.
    by_speed: f64,
    /// 1/|s|, or 0.
    inverse: f64,
    /// exp(−(|s|/us)²).
    decay: f64,
    /// Its slope over |s|²/2.
    decay_by_half: f64,
}

impl Wear {
    fn new([held, sliding, from, _]: [f64; 4], square: f64) -> Self {
        let speed = square.sqrt();
        let decay = exp(-square / (from * from));
        let mu = sliding + (held - sliding) * decay;
        let decay_by_half = -2.0 * decay / (from * from);
        let by_speed = (held - sliding) * decay_by_half * speed;
        Self {
            worn: speed / mu,
            by_speed: (1.0 - speed * by_speed / mu) / mu,
            inverse: if speed > 0.0 { 1.0 / speed } else { 0.0 },
            decay,
            decay_by_half,
        }
    }
}

fn lugre(numbers: &FrictionNumbers<f64>, x: &Arguments) -> Response {
    let [stiffness, most, _] = numbers.bristles;
    let curves = x.squares().map(|square| Wear::new(numbers.curve, square));
    let mut response = Response::default();
    for k in 0..MOST {
        let (bearing, load, viscous) = x.of[k];
        let wear = &curves[bearing];
        let (s, z) = (x.slips[k], x.states[k]);
        let rate = s - stiffness * wear.worn * z;
        let damping = most * wear.decay;
        let farthest = farthest(numbers);
        let bent = held(z, -farthest, farthest);
        let free = if z.abs() < farthest { 1.0 } else { 0.0 };
        let bending = s - stiffness * wear.worn * bent;
        let phi = stiffness * bent + damping * bending;
        response.rate[k] = rate;
        response.rate_by_state[k] = -stiffness * wear.worn;
        response.force[k] = -load * phi - viscous * s;
        response.by_load[k] = -phi;
        response.by_state[k] = -load * free * (stiffness + damping * response.rate_by_state[k]);
        for m in 0..MOST {
            let own = f64::from(u8::from(k == m));
            let shared = f64::from(u8::from(x.of[m].0 == bearing)) * x.slips[m];
            let worn_by_slip = stiffness * shared * wear.inverse * wear.by_speed;
            response.rate_by_slip[k][m] = own - worn_by_slip * z;
            let phi_by_slip = damping * (own - worn_by_slip * bent)
                + most * wear.decay_by_half * shared * bending;
            response.by_slip[k][m] = -load * phi_by_slip - viscous * own;
        }
    }
    response
}

//! Motions that prescribe a velocity or an acceleration, integrated by the rule of Lobatto with five points, which is
//! exact for polynomials of degree 7: Simpson's rule of the fixed step would limit the order.
//!
//! ```text
//! velocity f:      D += h Σ_j b_j f(t + c_j h)
//! acceleration f:  D += h V + h² Σ_j b_j (1 − c_j) f(t + c_j h),   V += h Σ_j b_j f(t + c_j h)      (VAR-11)
//! ```
//! (Abramowitz and Stegun, *Handbook of Mathematical Functions*, 1964, section 25.4.32.)

use crate::math::lobatto::POINTS;
use crate::mechanism::MotionLevel;
use crate::state::State;
use crate::system::layout::Layout;
use crate::system::{System, eval};
use crate::workspace::Workspace;

/// Displacement and rate of every motion that prescribes a rate, a time h after a state; h may be negative.
pub(super) fn integrate(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    ends: &mut [(f64, f64)],
    h: f64,
) {
    let start = state.time(&system.layout);
    for (m, motion) in system.motions.iter().enumerate() {
        let (displacement, rate) = reached(state, &system.layout, m);
        if motion.level == MotionLevel::Displacement {
            ends[m] = (displacement, rate);
            continue;
        }
        let (mut sum, mut moment, mut last) = (0.0, 0.0, 0.0);
        for (c, b) in POINTS {
            last = eval::motion_jet(system, state, ws, m, start + c * h).value;
            sum += b * last;
            moment += b * (1.0 - c) * last;
        }
        ends[m] = match motion.level {
            MotionLevel::Acceleration => (displacement + h * (rate + h * moment), rate + h * sum),
            _ => (displacement + h * sum, last),
        };
    }
}

/// Displacement and rate of a motion in a state.
pub(super) fn reached(state: &State, layout: &Layout, motion: usize) -> (f64, f64) {
    let span = state.span(layout.motions);
    (span[2 * motion], span[2 * motion + 1])
}

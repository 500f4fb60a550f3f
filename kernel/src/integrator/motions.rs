//! Data plane: motions that prescribe a velocity or acceleration, integrated by Simpson's rule.
//!
//! Their expressions depend on time and inputs only, so the displacement is a quadrature. It is exact for cubic
//! rates, whatever the scheme:
//!
//! ```text
//! velocity f:      D += h/6 (f₀ + 4 f_½ + f₁)                               (MOT-1)
//! acceleration f:  D += h V + h²/6 (f₀ + 2 f_½),   V += h/6 (f₀ + 4 f_½ + f₁)  (MOT-2)
//! ```

use crate::mechanism::MotionLevel;
use crate::state::State;
use crate::system::{System, eval};
use crate::workspace::Workspace;

/// Simpson's rule: fractions of the step, then the weights of velocities in (MOT-1), and of accelerations in (MOT-2).
pub const SIMPSON: [(f64, f64, f64); 3] = [
    (0.0, 1.0 / 6.0, 1.0 / 6.0),
    (0.5, 4.0 / 6.0, 2.0 / 6.0),
    (1.0, 1.0 / 6.0, 0.0),
];

/// Displacement and rate of every rate-driven motion at the end of a step h.
pub fn integrate(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    ends: &mut [(f64, f64)],
    h: f64,
) {
    let start = state.time(&system.layout);
    for m in 0..system.motions.len() {
        let span = state.span(system.layout.motions);
        let (displacement, rate) = (span[2 * m], span[2 * m + 1]);
        let level = system.motions[m].level;
        if level == MotionLevel::Displacement {
            continue;
        }
        let [f0, half, f1] =
            [0.0, 0.5, 1.0].map(|c| eval::motion_jet(system, state, ws, m, start + c * h).value);
        let mean = h / 6.0 * (f0 + 4.0 * half + f1);
        ends[m] = match level {
            MotionLevel::Displacement | MotionLevel::Velocity => (displacement + mean, f1),
            MotionLevel::Acceleration => (
                displacement + h * rate + h * h / 6.0 * (f0 + 2.0 * half),
                rate + mean,
            ),
        };
    }
}

//! Data plane: the coefficient of friction as a function of slip, smooth through zero.
//!
//! ```text
//! μ(u) = μs (3 x − x³)/2,  x = u/us                      up to us
//! μ(u) = μs + (μd − μs) S((u − us)/(ud − us))            from us to ud      (CNT-5)
//! ```
//! μ = μd beyond ud, S(y) = y²(3 − 2y). κ = μ(u)/u contains no square root at zero slip, so the tangent is continuous
//! there. Both branches are evaluated in every state.

#[cfg(not(feature = "std"))]
use crate::math::Float as _;

/// S of (CNT-5), clamped to 0 … 1, and its slope.
pub fn smooth(y: f64) -> (f64, f64) {
    let y = y.clamp(0.0, 1.0);
    (y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y))
}

/// κ and its slope as functions of the squared slip, for [μs, μd, us, ud].
pub fn kappa([held, sliding, from, to]: [f64; 4], square: f64) -> (f64, f64) {
    let sticks = square <= from * from;
    let x = square / (from * from);
    let inner = (
        held * (1.5 - 0.5 * x) / from,
        -0.5 * held / (from * from * from),
    );
    let speed = square.sqrt().max(from);
    let width = (to - from).max(f64::MIN_POSITIVE);
    let (s, ds) = smooth((speed - from) / width);
    let mu = held + (sliding - held) * s;
    let by_speed = (sliding - held) * ds / width;
    let outer = (
        mu / speed,
        (by_speed * speed - mu) / (2.0 * speed * speed * speed),
    );
    if sticks { inner } else { outer }
}

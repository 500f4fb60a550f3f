//! Control plane: motions that prescribe a velocity or an acceleration, from one instant to the next.
//!
//! The quadrature (VAR-11) is halved until halves agree with the whole, so that output times may be as far apart as
//! they like.

use crate::math::lobatto::POINTS;
use crate::mechanism::MotionLevel;
use crate::state::State;
use crate::system::{System, eval};
use crate::workspace::Workspace;
use alloc::vec::Vec;

/// Halves may differ from the whole by this part of it.
const AGREES: f64 = 1e-13;
/// How often an interval is halved, at most: where a function jumps.
const DEPTH: u32 = 24;

/// Displacement and rate.
type Motion = (f64, f64);

/// A rate or an acceleration over time, and the error that its integral may have.
struct Rate<'a> {
    at: &'a mut dyn FnMut(f64) -> f64,
    allowed: f64,
}

/// Displacement and rate of all motions, a time h \[s\] after a state.
pub(super) fn integrate(system: &System, state: &State, ws: &mut Workspace, h: f64) -> Vec<Motion> {
    let (start, layout) = (state.time(&system.layout), &system.layout);
    let mut ends = Vec::new();
    for (m, motion) in system.motions.iter().enumerate() {
        let span = state.span(layout.motions);
        let begin = (span[2 * m], span[2 * m + 1]);
        let mut value = |time: f64| eval::motion_jet(system, state, ws, m, time).value;
        ends.push(match motion.level {
            MotionLevel::Displacement => begin,
            MotionLevel::Velocity => {
                let (_, moved) = over(&mut value, (start, h), (0.0, 0.0));
                (begin.0 + moved, value(start + h))
            }
            MotionLevel::Acceleration => over(&mut value, (start, h), begin),
        });
    }
    ends
}

/// The integrals of an acceleration over a time h: displacement and rate at its end.
fn over(at: &mut dyn FnMut(f64) -> f64, (from, h): (f64, f64), begin: Motion) -> Motion {
    let half = 0.5 * h;
    let parts = [(from, h), (from, half), (from + half, half)];
    let sizes = parts.map(|(from, h)| once(&mut |t| at(t).abs(), (from, h), (0.0, 0.0)).1.abs());
    let whole = once(at, (from, h), begin);
    let rate = &mut Rate {
        at,
        allowed: AGREES * (sizes[0].max(sizes[1] + sizes[2]) + begin.1.abs()),
    };
    halved(rate, (from, h), (begin, whole), DEPTH)
}

/// (VAR-11) of an acceleration: displacement and rate at the end.
fn once(
    at: &mut dyn FnMut(f64) -> f64,
    (from, h): (f64, f64),
    (displacement, rate): Motion,
) -> Motion {
    let (mut sum, mut moment) = (0.0, 0.0);
    for (c, b) in POINTS {
        let own = at(from + c * h);
        sum += b * own;
        moment += b * (1.0 - c) * own;
    }
    (displacement + h * (rate + h * moment), rate + h * sum)
}

/// The same in halves, until these agree with the whole.
fn halved(
    rate: &mut Rate<'_>,
    (from, h): (f64, f64),
    (begin, whole): (Motion, Motion),
    depth: u32,
) -> Motion {
    let half = 0.5 * h;
    let middle = once(rate.at, (from, half), begin);
    let end = once(rate.at, (from + half, half), middle);
    let settled = (whole.1 - end.1).abs() <= rate.allowed
        && (whole.0 - end.0).abs() <= rate.allowed * h.abs();
    if settled || depth == 0 {
        return end;
    }
    let middle = halved(rate, (from, half), (begin, middle), depth - 1);
    let end = once(rate.at, (from + half, half), middle);
    halved(rate, (from + half, half), (middle, end), depth - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_integrated_across_kinks_and_jumps() {
        // ∫ of |t − 0.3|, of a jump at 0.3, and of a whole period of a sine, from 0 to 1.
        let (_, sum) = over(&mut |t| (t - 0.3).abs(), (0.0, 1.0), (0.0, 0.0));
        assert!((sum - 0.5 * (0.09 + 0.49)).abs() < 1e-12, "{sum}");
        let mut jump = |t: f64| if t < 0.3 { 0.0 } else { 2.0 };
        let (d, v) = over(&mut jump, (0.0, 1.0), (1.0, 0.5));
        assert!((v - (0.5 + 1.4)).abs() < 1e-6, "{v}");
        assert!((d - (1.0 + 0.5 + 0.49)).abs() < 1e-6, "{d}");
        let full = 2.0 * core::f64::consts::PI;
        let mut calls = 0;
        let mut sine = |t: f64| {
            calls += 1;
            crate::math::sin(full * t)
        };
        let (_, sum) = over(&mut sine, (0.0, 1.0), (0.0, 0.0));
        assert!(sum.abs() < 1e-13 && calls < 2000, "{sum} in {calls}");
    }
}

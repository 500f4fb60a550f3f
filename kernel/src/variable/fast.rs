//! Vibrations of functions of time that are faster than steps: SIN and COS of TIME alone in forces and motions.
//!
//! The error of a step compares it with those before, and cannot tell a vibration that it samples at the same phase again
//! and again from a constant. With the accelerations f(t) at the present pose, the amplitude for a period T is
//!
//! ```text
//! A² = |(f(t) − f(t + T/2))/2|² + |f(t + T/4) − (f(t) + f(t + T/2))/2|²                  (VAR-23)
//! h ≤ max(T/10, √(2 · 0.01 tol/A))                                                        (VAR-24)
//! ```
//! A step that is longer may miss the vibration where it moves nothing by a hundredth of the tolerance. A is computed anew
//! every 20 periods. While a vibration limits the step, backward differentiation has order 2: orders that change with the
//! phase of the force give it a mean.

use super::control::Method;
use super::{Run, Variable, measure};
use crate::analysis::accelerations;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::state::State;
use crate::system::System;
use alloc::vec::Vec;

/// Steps in a period.
const PER_PERIOD: f64 = 10.0;
/// What a vibration may move within a step without being followed, as a part of the tolerance.
const SHARE: f64 = 0.01;
/// An amplitude is computed anew after as many periods, or steps if these are longer.
const PERIODS: f64 = 20.0;
const STEPS: f64 = 10.0;
/// Most vibrations that are looked at; the fastest ones.
const MOST: usize = 16;

/// A vibration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fast {
    /// \[s\]
    period: f64,
    /// The longest step for now, and until when that holds \[s\].
    limit: f64,
    until: f64,
}

/// The vibrations of a mechanism, the fastest first. Their number does not depend on parameters.
pub(super) fn vibrations(system: &System, state: &State) -> Vec<Fast> {
    let (count, mut periods) = super::indicators::periods(system, state);
    periods.retain(|period| period.is_finite() && *period > 0.0);
    periods.sort_by(f64::total_cmp);
    periods.dedup();
    periods.resize(count.min(MOST), f64::INFINITY);
    let fast = |period| Fast {
        period,
        limit: f64::INFINITY,
        until: f64::NEG_INFINITY,
    };
    periods.into_iter().map(fast).collect()
}

impl Fast {
    /// The numbers that a step depends on.
    pub(super) fn numbers(&mut self) -> [&mut f64; 3] {
        [&mut self.period, &mut self.limit, &mut self.until]
    }
}

impl Variable {
    /// A step that is no longer than vibrations allow (VAR-24).
    pub(super) fn unaliased(&mut self, run: &Run<'_>, mut h: f64) -> f64 {
        let time = run.state.time(&run.system.layout);
        for k in 0..self.fast.len() {
            let Fast { period, until, .. } = self.fast[k];
            let followed = period / PER_PERIOD;
            if h <= followed {
                continue;
            }
            if time >= until {
                let amplitude = self.amplitude(run, period);
                let missed = (2.0 * SHARE * self.tolerance.error / amplitude).sqrt();
                self.fast[k].limit = followed.max(missed);
                self.fast[k].until = time + (PERIODS * period).max(STEPS * h);
            }
            h = h.min(self.fast[k].limit);
        }
        h
    }

    /// Does a vibration limit steps of this length?
    pub(super) fn follows(&self, h: f64) -> bool {
        let multistep = matches!(self.tolerance.method, Method::Multistep { .. });
        multistep
            && self.fast.iter().any(|fast| {
                let followed = fast.period / PER_PERIOD;
                fast.limit <= followed && h > 0.5 * followed
            })
    }

    /// (VAR-23), in length units and radians over s²; zero if there are no accelerations.
    fn amplitude(&mut self, run: &Run<'_>, period: f64) -> f64 {
        let shifts = [0.0, 0.25, 0.5].map(|part| part * period);
        let [Some(a), Some(b), Some(c)] = shifts.map(|shift| self.accelerations_at(run, shift))
        else {
            return 0.0;
        };
        let mean: Vec<f64> = a.iter().zip(&c).map(|(a, c)| 0.5 * (a + c)).collect();
        let size = |one: &[f64]| measure::distance(run.system, one, &mean, run.length_unit).value;
        let (half, quarter) = (size(&a), size(&b));
        (half * half + quarter * quarter).sqrt()
    }

    /// Accelerations at the newest pose and another time.
    fn accelerations_at(&mut self, run: &Run<'_>, shift: f64) -> Option<Vec<f64>> {
        let system = run.system;
        self.place((system, run.state), 0.0, None);
        let (shown, ws) = (&mut self.shown, &mut self.shown_ws);
        shown.reals[system.layout.time.first + 1] = shift;
        accelerations::solve_moving_by(system, shown, ws, Some(&mut self.factor)).ok()?;
        Some(shown.span(system.layout.acceleration).to_vec())
    }
}

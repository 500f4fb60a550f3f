//! Chooses step and order by the estimated errors.
//!
//! The candidates are the orders k − 1, k and k + 1; for each, the step that would have the wanted error is ρ h:
//!
//! ```text
//! ρ_q = (tol/e_q)^{1/(q+1)} / b_q,   b = 1.3, 1.2, 1.2                                (VAR-7)
//! ```
//! A change is kept for k + 1 steps: the method is stable on unequal steps only where they change seldom. After a
//! rejection the step is cut by the error of its own order, and the order is lowered if a lower one is more accurate
//! or the rejection is the second in a row.

use super::ORDERS;
use crate::integrator::alpha::Parameters;
use crate::math::largest::Largest;
use crate::math::pow;
use crate::mechanism::{Corrector, IntegratorKind, Interpolation, Jacobians, VariableSettings};
use crate::system::entity::Entity;

/// How a step is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Backward differentiation, orders 1 to 6.
    Multistep {
        /// GSTIFF: coefficients of a constant step. WSTIFF and HASTIFF have those of the real steps.
        constant: bool,
        /// SI2 and SI1: velocities satisfy their constraints, and their error counts.
        stabilised: bool,
    },
    /// HHT, Newmark and generalised-α.
    Alpha(Parameters),
}

impl Method {
    /// WSTIFF in formulation I3.
    pub const WSTIFF: Self = Self::Multistep {
        constant: false,
        stabilised: false,
    };

    pub(super) fn is_stabilised(self) -> bool {
        matches!(
            self,
            Self::Multistep {
                stabilised: true,
                ..
            }
        )
    }
}

/// What is asked of an integration with a variable step.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// How a step is made.
    pub method: Method,
    /// Largest local error of a step, in user length units and radians; of states relative to their size where that
    /// is above 1.
    pub error: f64,
    /// The first step \[s\], if it is given.
    pub first: Option<f64>,
    /// The longest step \[s\].
    pub longest: f64,
    /// The shortest step \[s\].
    pub shortest: f64,
    /// The highest order, 1 to 6.
    pub order: usize,
    /// Most Newton iterations of a step.
    pub iterations: usize,
    /// Do steps end at communication points? Otherwise values there are interpolated.
    pub exact: bool,
    /// Most steps from one communication point to the next.
    pub most_steps: u32,
    /// Do interpolated positions satisfy their constraints?
    pub reconciled: bool,
    /// Which unknowns must converge.
    pub corrector: Corrector,
    /// When a Jacobian is evaluated.
    pub jacobians: Jacobians,
    /// ADAPTIVITY \[s\]: at steps near the shortest, this over the step is added to what Newton's iteration may leave.
    pub adaptivity: f64,
    /// Are residuals and corrections recorded?
    pub traced: bool,
}

impl Tolerance {
    /// WSTIFF in formulation I3 to an error, with steps up to the longest.
    pub fn new(error: f64, longest: f64) -> Self {
        Self {
            method: Method::WSTIFF,
            error,
            first: None,
            longest,
            shortest: 1e-13 * longest,
            order: ORDERS,
            iterations: 10,
            exact: false,
            most_steps: MOST_STEPS,
            reconciled: false,
            corrector: Corrector::Original,
            jacobians: Jacobians::Adaptive,
            adaptivity: 0.0,
            traced: false,
        }
    }

    /// What settings ask for.
    pub fn of(settings: &VariableSettings) -> Self {
        let multistep = |constant| Method::Multistep {
            constant,
            stabilised: settings.formulation.is_stabilised(),
        };
        let method = match settings.integrator {
            IntegratorKind::Gstiff => multistep(true),
            IntegratorKind::Wstiff | IntegratorKind::Hastiff => multistep(false),
            IntegratorKind::Hht => Method::Alpha(Parameters::hht(settings.alpha)),
            IntegratorKind::Newmark => {
                Method::Alpha(Parameters::newmark(settings.beta, settings.gamma))
            }
            IntegratorKind::GeneralizedAlpha => {
                Method::Alpha(Parameters::generalized(settings.rho))
            }
        };
        Self {
            method,
            error: settings.error,
            first: Some(settings.first),
            longest: settings.longest,
            shortest: settings.shortest,
            order: settings.order,
            iterations: settings.iterations,
            most_steps: MOST_STEPS,
            exact: settings.interpolate == Interpolation::Off,
            reconciled: settings.interpolate == Interpolation::Reconcile,
            corrector: settings.corrector,
            jacobians: settings.pattern.clone(),
            adaptivity: settings.adaptivity,
            traced: settings.eprint,
        }
    }

    /// What Newton's iteration may leave of the tolerance, in a step of h.
    pub(super) fn left(&self, h: f64) -> f64 {
        let near = h < NEAR_SHORTEST * self.shortest;
        self.error + if near { self.adaptivity / h } else { 0.0 }
    }
}

/// Error estimates of a step, for its own order and those beside it; infinite where there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Errors {
    pub(super) lower: f64,
    pub(super) own: f64,
    pub(super) higher: f64,
    /// |Δ − Δ⁰| of the polynomials of degree k − 2 to k + 1, in the measure of the error; NaN where there is none.
    pub(super) terms: [f64; 4],
    /// What has the own error.
    pub(super) of: Entity,
}

impl Errors {
    /// The own error, where there are no others.
    pub(super) fn alone(own: Largest<Entity>) -> Self {
        Self {
            lower: f64::INFINITY,
            own: own.value,
            higher: f64::INFINITY,
            terms: [f64::NAN; 4],
            of: own.of,
        }
    }

    /// The own error, with what has it.
    pub(super) fn most(&self) -> Largest<Entity> {
        Largest {
            value: self.own,
            of: self.of,
        }
    }

    pub(super) fn set(&mut self, own: Largest<Entity>) {
        self.own = own.value;
        self.of = own.of;
    }
}

/// The step and order to go on with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) factor: f64,
    pub(super) order: usize,
}

/// Steps below this many shortest ones are relieved by ADAPTIVITY.
const NEAR_SHORTEST: f64 = 100.0;
/// Most steps from one communication point to the next. A state that slides takes a million over a run.
const MOST_STEPS: u32 = 4_000_000;
/// Shortens a step for caution.
const CAUTION: [f64; 3] = [1.3, 1.2, 1.2];
/// The same for methods of order 2.
const ALPHA_CAUTION: f64 = 0.9;
/// A step is changed only beyond these factors.
const STILL: [f64; 2] = [0.9, 1.2];
/// The most that an error can be below the tolerance.
const LEAST: f64 = 1e-12;
/// Where the longest step limits, an error of this share of the tolerance is what Newton's iteration and rounding leave: the
/// terms of its series have no order.
const NOISE: f64 = 1e-3;

/// The largest growth of a step at an order, for zero stability.
fn growth(order: usize) -> f64 {
    match order {
        ..=4 => 2.0,
        5 => 1.5,
        _ => 1.25,
    }
}

/// ρ of (VAR-7).
fn ratio(tolerance: f64, error: f64, order: usize, caution: f64) -> f64 {
    if !error.is_finite() {
        return 0.0;
    }
    pow(
        tolerance / error.max(LEAST * tolerance),
        1.0 / (order as f64 + 1.0),
    ) / caution
}

/// Do the terms of the series not become smaller with the order? Then the lower order is more accurate than its error
/// tells, or the order is unstable: backward differentiation above order 2 is, for vibrations with little damping. The
/// rule is that of DASSL (Brenan, Campbell and Petzold 1996, section 5.2.4).
fn should_lower(order: usize, errors: &Errors) -> bool {
    let [lowest, lower, own, _] = errors.terms;
    match order {
        0 | 1 => false,
        2 => lower <= 0.5 * own,
        _ => lower.max(lowest) <= own,
    }
}

/// Does the next term forbid a higher order?
fn may_raise(order: usize, errors: &Errors) -> bool {
    let [_, _, own, higher] = errors.terms;
    if order == 1 {
        higher < 0.5 * own || own == 0.0
    } else {
        higher < own || own == 0.0
    }
}

/// What is allowed after an accepted step.
pub(super) struct Room {
    /// The highest order.
    pub(super) order: usize,
    /// The most by which the step can grow before it is the longest.
    pub(super) growth: f64,
    /// May a change be made now?
    pub(super) free: bool,
    /// Is the run at its beginning?
    pub(super) young: bool,
}

/// After an accepted step. Where the longest step limits two orders alike, the one with the smaller error serves.
pub(super) fn accepted(
    tolerance: &Tolerance,
    order: usize,
    errors: &Errors,
    room: &Room,
) -> Choice {
    let stay = Choice { factor: 1.0, order };
    let is_noise = room.growth < STILL[1] && errors.own < NOISE * tolerance.error;
    if should_lower(order, errors) && !is_noise {
        let ratio = ratio(tolerance.error, errors.lower, order - 1, CAUTION[1]);
        return Choice {
            factor: ratio.clamp(0.5, 1.0),
            order: order - 1,
        };
    }
    if !room.free {
        return stay;
    }
    let ratio = |error: f64, order: usize, caution: f64| {
        ratio(tolerance.error, error, order, caution).min(room.growth)
    };
    let mut best = (ratio(errors.own, order, CAUTION[1]), order);
    if order > 1 {
        let lower = ratio(errors.lower, order - 1, CAUTION[0]);
        if lower > best.0 {
            best = (lower, order - 1);
        }
    }
    if order < room.order.min(ORDERS) && may_raise(order, errors) {
        let higher = ratio(errors.higher, order + 1, CAUTION[2]);
        let at_the_longest = higher == best.0 && errors.higher < errors.own;
        if higher > best.0 || at_the_longest {
            best = (higher, order + 1);
        }
    }
    let (ratio, order) = best;
    if (STILL[0]..STILL[1]).contains(&ratio) && ratio < room.growth {
        return stay;
    }
    let most = if room.young { 5.0 } else { growth(order) };
    Choice {
        factor: ratio.clamp(0.5, most),
        order,
    }
}

/// The same for a method of order 2 alone.
pub(super) fn accepted_alpha(tolerance: &Tolerance, error: f64) -> Choice {
    let ratio = ratio(tolerance.error, error, 2, 1.0 / ALPHA_CAUTION);
    let factor = if (STILL[0]..STILL[1]).contains(&ratio) {
        1.0
    } else {
        ratio.clamp(0.5, 2.0)
    };
    Choice { factor, order: 2 }
}

/// After a step whose error is too large; `row` counts rejections in a row.
pub(super) fn rejected(tolerance: &Tolerance, order: usize, errors: &Errors, row: usize) -> Choice {
    if row >= 3 {
        return Choice {
            factor: 0.25,
            order: 1,
        };
    }
    let factor = 0.9 * ratio(tolerance.error, errors.own, order, CAUTION[1]);
    let lower = order > 1 && (errors.lower < errors.own || row >= 2);
    Choice {
        factor: factor.clamp(0.25, 0.9),
        order: if lower { order - 1 } else { order },
    }
}

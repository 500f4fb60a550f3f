//! Newton's iteration of a step: with factors that serve as long as they converge, until the corrections are small
//! beside the tolerance.
//!
//! With the corrections δ_1 … δ_m, the contraction and the error that is left are estimated by
//!
//! ```text
//! ρ = (|δ_m|/|δ_1|)^{1/(m−1)},    ρ/(1 − ρ) |δ_m|                                      (VAR-8)
//! ```
//! (Hairer and Wanner, *Solving Ordinary Differential Equations II*, 1996, section IV.8.) In formulation SI2 each
//! iteration is followed by the projection (SI2-3), with h replaced by 1/w_0.

use super::control::{Method, Tolerance};
use super::measure::correction;
use super::report::Report;
use super::trace::{Iterated, residual};
use crate::elements::forces::ForceLaw;
use crate::integrator::{self, Scheme, StepFailure, Stepper, displace};
use crate::linalg::Quality;
use crate::math::largest::Largest;
use crate::mechanism::{Corrector, Jacobians};
use crate::state::State;
use crate::system::System;
use crate::system::entity::Entity;
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// Newton's corrections may be this part of the tolerance.
const NEWTON: f64 = 0.1;
/// The same for methods of order 2, whose accelerations carry what is left to the next step, over the square of h.
const NEWTON_OF_SECOND_ORDER: f64 = 1e-3;
/// A single correction counts as converged below this part of that.
const AT_ONCE: f64 = 0.1;
/// Newton's iteration aims at the tolerance down to errors that are this much smaller,
const MARGIN: f64 = 10.0;
/// and at this share of it at least.
const LEAST: f64 = 1e-12;
/// Factors serve until w_0 has changed by this part,
const STALE_SLOPE: f64 = 0.3;
/// or a part has turned by this angle \[rad\].
const STALE_TURN: f64 = 0.3;
/// Factors serve until an iteration with them has taken this many corrections.
const LONG: usize = 4;
/// Steps after a failure in which CORRECTOR is modified.
const LENIENT: u32 = 10;
/// Corrections that shrink by less have stalled, if they are small enough: with new factors by rounding errors,
const STALLED: f64 = 0.5;
/// with those of an earlier step too, if they are at most so many times what new factors left.
const ROUNDING: f64 = 4.0;
/// A contraction above which the iteration is given up.
const SLOW: f64 = 0.9;

/// What the iteration keeps from step to step.
#[derive(Clone, Debug)]
pub(super) struct Newton {
    /// w_0 of the factors; zero if there are none.
    pub(super) factored: f64,
    /// How far parts have turned since \[rad\].
    pub(super) turned: f64,
    /// u₀ and a₀ before the corrections of SI2.
    base: [Vec<f64>; 2],
    /// Steps for which CORRECTOR is still modified, after a failure.
    pub(super) lenient: u32,
    /// What Newton's iteration aims at, as a share of what it may leave.
    pub(super) share: f64,
    /// What new factors left when corrections no longer shrank.
    pub(super) rounding: f64,
    /// Are there contacts, whose forces make it modified?
    contacts: bool,
    /// What has the largest correction of the last iteration.
    pub(super) culprit: Entity,
    /// Why the last iteration broke off, if a number was not finite or the matrix singular.
    pub(super) broken: Option<StepFailure>,
    /// What the iterations of the last attempt did, if that is recorded.
    pub(super) trace: Vec<Iterated>,
}

/// What the iteration works on.
pub(super) struct Iteration<'a> {
    pub(super) system: &'a System,
    pub(super) state: &'a State,
    pub(super) ws: &'a mut Workspace,
    pub(super) stepper: &'a mut Stepper,
    pub(super) scheme: &'a Scheme,
    pub(super) tolerance: &'a Tolerance,
    /// The user's length unit \[m\].
    pub(super) length_unit: f64,
    pub(super) report: &'a mut Report,
}

/// The corrections of an iteration.
#[derive(Default)]
struct Sizes {
    first: f64,
    last: f64,
    /// Is what is left as small as it must be?
    enough: bool,
    /// What may be left,
    may: f64,
    /// and what is aimed at.
    wanted: f64,
}

/// How an iteration ends.
enum End {
    /// What is left is as small as it is wanted.
    Converged,
    /// It is as small as it must be, and shrinks no further.
    Stalled,
    /// It does not converge.
    Slow,
}

impl Sizes {
    /// Takes the correction of iteration k. `None`: the iteration goes on.
    fn judge(&mut self, k: usize, size: f64) -> Option<End> {
        if k == 0 {
            (self.first, self.last) = (size, size);
            self.enough = size <= AT_ONCE * self.may;
            return (size <= AT_ONCE * self.wanted).then_some(End::Converged);
        }
        let rho = crate::math::pow(size / self.first, 1.0 / k as f64);
        let left = rho / (1.0 - rho) * size;
        if size == 0.0 || rho < 1.0 && left <= self.wanted {
            return Some(End::Converged);
        }
        self.enough |= rho < 1.0 && left <= self.may;
        if self.enough && size > STALLED * self.last {
            return Some(End::Stalled);
        }
        self.last = size;
        (rho > SLOW && k >= 2).then_some(End::Slow)
    }
}

impl Newton {
    pub(super) fn new(system: &System) -> Self {
        let n = system.layout.velocity.len;
        Self {
            factored: 0.0,
            turned: 0.0,
            base: [vec![0.0; n], vec![0.0; n]],
            lenient: 0,
            share: 1.0,
            rounding: 0.0,
            contacts: has_contacts(system),
            culprit: Entity::default(),
            broken: None,
            trace: Vec::new(),
        }
    }

    /// How much the measure of corrections grows if velocities must converge too, with the step h as their unit of time:
    /// u = w_0 Δ + u₀.
    fn strictness(&self, on: &Iteration<'_>) -> f64 {
        let modified = match on.tolerance.corrector {
            Corrector::Modified => true,
            Corrector::Original => self.contacts || self.lenient > 0,
            Corrector::OriginalConstant => false,
        };
        let h = on.state.step(&on.system.layout);
        if modified {
            1.0
        } else {
            (h * on.scheme.weights.u).max(1.0)
        }
    }

    /// Aims at less where the steps are more accurate than they must be, because something else than their error limits
    /// them: over many short steps, what the iteration leaves would add up. By the square, so that it shrinks to rounding: at
    /// order 6 what is left shows as four times as much in the error of the steps that follow.
    pub(super) fn aim(&mut self, error: f64, tolerance: f64) {
        let over = MARGIN * error / tolerance;
        self.share = (over * over).clamp(LEAST, 1.0);
    }

    /// Counts an accepted step, or a failure.
    pub(super) fn count(&mut self, converged: bool) {
        self.lenient = if converged {
            self.lenient.saturating_sub(1)
        } else {
            LENIENT
        };
    }

    /// Factors are no longer valid.
    pub(super) fn forget(&mut self) {
        self.factored = 0.0;
    }

    /// Does the iteration converge?
    pub(super) fn solve(&mut self, on: &mut Iteration<'_>) -> bool {
        let own = on.scheme.weights.u;
        let stale = self.factored == 0.0
            || (own / self.factored - 1.0).abs() > STALE_SLOPE
            || self.turned > STALE_TURN;
        self.base[0].copy_from_slice(&on.stepper.velocity_offset);
        self.base[1].copy_from_slice(&on.stepper.acceleration_offset);
        if on.tolerance.method.is_stabilised() {
            on.stepper.projection.correction.fill(0.0);
            on.stepper.projection.multipliers.fill(0.0);
        }
        self.trace.clear();
        self.broken = None;
        let stale = stale && on.tolerance.jacobians == Jacobians::Adaptive;
        self.iterate(on, stale) || (!stale && self.iterate(on, true))
    }

    /// Is the Jacobian evaluated in an iteration?
    fn evaluates(&self, on: &Iteration<'_>, stale: bool, k: usize) -> bool {
        match &on.tolerance.jacobians {
            Jacobians::Adaptive => stale && k == 0,
            Jacobians::Pattern(list) => {
                stale && k == 0 || self.factored == 0.0 || list[k % list.len()]
            }
        }
    }

    /// The same from the present displacement, with new factors if `evaluate`.
    fn iterate(&mut self, on: &mut Iteration<'_>, evaluate: bool) -> bool {
        on.stepper.corrections.begin();
        on.stepper.limits.begin();
        on.stepper.limits.may_cross = false;
        let h = on.state.step(&on.system.layout);
        let tolerance = on.tolerance.left(h) / self.strictness(on);
        // What may be left at most, and what is aimed at.
        let wanted = tolerance * self.share;
        let part = match on.tolerance.method {
            Method::Alpha(_) => NEWTON_OF_SECOND_ORDER,
            Method::Multistep { .. } => NEWTON,
        };
        let mut sizes = Sizes {
            may: part * tolerance,
            wanted: part * wanted,
            ..Sizes::default()
        };
        for k in 0..on.tolerance.iterations {
            let anew = self.evaluates(on, evaluate, k);
            on.report.iterations += 1;
            let unbalanced = on.tolerance.traced.then(|| residual(on));
            let done = integrator::iterate(on.system, on.state, on.ws, on.stepper, on.scheme, anew);
            if let Err(failure) = done {
                (self.culprit, self.broken) = (failure.entity(), Some(failure));
                self.forget();
                return false;
            }
            if anew {
                on.report.jacobians += 1;
                self.factored = on.scheme.weights.u;
                self.turned = 0.0;
            }
            let mut size = correction(
                on.system,
                on.state,
                &on.ws.rhs,
                (&on.scheme.weights, on.length_unit),
            );
            if on.tolerance.method.is_stabilised() {
                let Some(by_rates) = self.project(on, anew) else {
                    self.forget();
                    return false;
                };
                size.raise(by_rates.value, by_rates.of);
            }
            self.trace.extend(unbalanced.map(|residual| Iterated {
                residual,
                correction: size,
                jacobian: anew,
            }));
            self.culprit = size.of;
            let size = size.value;
            if !size.is_finite() {
                self.broken = Some(StepFailure::NotFinite(self.culprit));
                return false;
            }
            if !evaluate && k + 1 >= LONG {
                self.turned = f64::INFINITY;
            }
            match sizes.judge(k, size) {
                None => {}
                Some(End::Converged) => return true,
                Some(End::Stalled) => return self.is_rounding(size, evaluate),
                Some(End::Slow) => return false,
            }
        }
        sizes.enough
    }

    /// Are corrections that no longer shrink rounding errors? If not, they are those of factors of an earlier step, and new
    /// ones leave less.
    fn is_rounding(&mut self, size: f64, evaluated: bool) -> bool {
        if evaluated {
            self.rounding = size;
        }
        size <= ROUNDING * self.rounding
    }

    /// (SI2-3); the size of the change of c, `None` if the matrix is singular.
    fn project(&mut self, on: &mut Iteration<'_>, evaluate: bool) -> Option<Largest<Entity>> {
        let Iteration {
            system,
            state,
            ws,
            stepper,
            scheme,
            ..
        } = on;
        let placed = displace(system, state, ws, stepper, scheme);
        let projection = &mut stepper.projection;
        let quality = projection.balance_rates(system, state, placed, (scheme, evaluate));
        if let Quality::Singular { block } = quality {
            self.broken = Some(StepFailure::Singular(block));
            return None;
        }
        let w = &scheme.weights;
        for (at, c) in projection.correction.iter().enumerate() {
            stepper.velocity_offset[at] = self.base[0][at] - w.u * c;
            stepper.acceleration_offset[at] = self.base[1][at] - w.a * c;
        }
        let rhs = &stepper.projection.rhs;
        Some(correction(
            system,
            state,
            rhs,
            (&scheme.weights, on.length_unit),
        ))
    }
}

/// Has a mechanism contacts?
pub(super) fn has_contacts(system: &System) -> bool {
    let mut forces = system.forces.iter();
    forces.any(|force| matches!(force.law, ForceLaw::Contact(_)))
}

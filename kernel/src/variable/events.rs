//! Events within an attempted step: the first instant at which an indicator enters another cell.
//!
//! The step passes through the values of the polynomial (VAR-5) with its end. The instant is bracketed there, by the
//! method of Illinois where one number is zero at the event (Dowell and Jarratt 1971) and by bisection otherwise, to
//! a part of the step of 10⁻¹⁰.

use super::{Run, Variable};
use crate::analysis::accelerations;
use crate::integrator::Scheme;
use crate::system::{eval, residual};
use alloc::vec::Vec;

/// An event is located to this part of the step.
const LOCATED: f64 = 1e-10;
/// An event so early in a step, as a part of it, is at its beginning.
const AT_ONCE: f64 = 1e-9;
/// Most evaluations of a search.
const EVALUATIONS: usize = 80;

/// An event.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// How long after the newest pose it is \[s\]; zero at its beginning.
    pub(super) after: f64,
    /// The cells beyond it.
    pub(super) cells: Vec<f64>,
}

impl Variable {
    /// The first event within an attempted step of h, if there is one: between the accepted poses and the end that was
    /// reached, or with `None` where the accepted poses lead.
    pub(super) fn event(
        &mut self,
        run: &Run<'_>,
        h: f64,
        attempt: Option<&Scheme>,
    ) -> Option<Event> {
        if self.indicators.is_empty() || !self.look(run, h, (h, attempt)) {
            return None;
        }
        let mut beyond = (
            h,
            self.indicators.found.clone(),
            self.indicators.margins.clone(),
        );
        let first = AT_ONCE * h;
        if self.look(run, first, (h, attempt)) {
            let cells = self.indicators.found.clone();
            return Some(Event { after: 0.0, cells });
        }
        let mut before = (first, self.indicators.margins.clone());
        let mut last_side = 0;
        for _ in 0..EVALUATIONS {
            let width = beyond.0 - before.0;
            if width <= LOCATED * h {
                break;
            }
            let guess = self.zero_between(&before, &beyond);
            let middle = before.0 + 0.5 * width;
            // Never nearer to an end than the accuracy, so that the bracket closes from both sides.
            let least = 0.5 * LOCATED * h;
            let at = guess.map_or(middle, |at| at.clamp(before.0 + least, beyond.0 - least));
            let side = if self.look(run, at, (h, attempt)) {
                beyond = (
                    at,
                    self.indicators.found.clone(),
                    self.indicators.margins.clone(),
                );
                1
            } else {
                before = (at, self.indicators.margins.clone());
                -1
            };
            if side == last_side {
                // The end that stays counts half.
                let kept = if side == 1 {
                    &mut before.1
                } else {
                    &mut beyond.2
                };
                kept.iter_mut().flatten().for_each(|margin| *margin *= 0.5);
            }
            last_side = side;
        }
        Some(Event {
            after: beyond.0,
            cells: beyond.1,
        })
    }

    /// Where a line through both margins is zero, if a single indicator changes there.
    fn zero_between(
        &self,
        before: &(f64, Vec<Option<f64>>),
        beyond: &(f64, Vec<f64>, Vec<Option<f64>>),
    ) -> Option<f64> {
        let cells = &self.indicators.cells;
        let mut changed = (0..cells.len()).filter(|k| beyond.1[*k] != cells[*k]);
        let (Some(k), None) = (changed.next(), changed.next()) else {
            return None;
        };
        let (a, b) = (before.1[k]?, beyond.2[k]?);
        (a * b < 0.0).then(|| before.0 + (beyond.0 - before.0) * a / (a - b))
    }

    /// Evaluates the indicators at an instant after the newest pose; has one changed its cell?
    pub(super) fn look(
        &mut self,
        run: &Run<'_>,
        after: f64,
        attempted: (f64, Option<&Scheme>),
    ) -> bool {
        let accelerations = self.indicators.read_accelerations;
        self.look_with(run, after, attempted, accelerations)
    }

    /// The same with accelerations and reactions of the instant itself, or without: then indicators that read them count
    /// for nothing.
    pub(super) fn look_with(
        &mut self,
        run: &Run<'_>,
        after: f64,
        (h, attempt): (f64, Option<&Scheme>),
        accelerations: bool,
    ) -> bool {
        let system = run.system;
        let attempt = attempt.map(|scheme| (h, scheme, &*run.stepper));
        self.place((run.system, run.state), after, attempt);
        let (shown, ws) = (&mut self.shown, &mut self.shown_ws);
        if accelerations {
            // An instant without accelerations shows those of the last step.
            let _ = accelerations::solve_moving_by(system, shown, ws, Some(&mut self.factor));
        }
        let time = shown.time(&system.layout);
        eval::settings(system, shown, ws, time);
        let mut placed = eval::kinematics_at_state(system, shown, ws);
        let motions = shown.span(system.layout.motions);
        placed.targets(system, shown, time, |m| {
            (motions[2 * m], motions[2 * m + 1])
        });
        residual::evaluate(system, shown, placed, time);
        self.indicators.evaluate(system, shown, ws);
        self.evaluated = Some(after);
        self.indicators.has_changed()
    }
}

//! Control plane: quasi-static runs: static equilibrium, (EQU-1), at every output time, from the last one on.
//!
//! ```text
//! |x₁ − x₀ − h Δx/Δt| ≤ ½ h |Δx/Δt| + β₀        Δx/Δt of the last interval              (QST-1)
//! ```
//! An interval that violates this is halved around its larger part: if the equilibria on either side of ever shorter
//! intervals do not approach one another, the mechanism jumps there (snap-through).

use super::{Halt, Instants};
use crate::analysis::no_start::NoStart;
use crate::analysis::statics::Statics;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::called;
use crate::seconds::Seconds;
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::layout::RATE;
use crate::system::residual::larger;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The shortest part of an interval in which an equilibrium is sought.
const SHORTEST: f64 = 1.0 / 256.0;
/// β₀ of (QST-1) [characteristic lengths, rad].
const NEAR: f64 = 1e-6;
/// Loads that need more than 10⁶ s to move a free part by the characteristic length are rounding, and need not balance
/// [1/s²]: without any loads, what is left of them has no scale.
const STILL: f64 = 1e-12;
/// How often an interval is halved to locate a jump.
const HALVINGS: usize = 12;
/// Equilibria that remain this part of their distance apart have a jump between them: on a smooth path the distance halves
/// each time, and at the end of a path that turns back it falls by √½.
const REMAINS: f64 = 0.25;

/// What a quasi-static run has to say about an interval.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remarks {
    /// Sentences about jumps.
    pub jumps: Vec<String>,
    /// Sentences from the search for equilibrium.
    pub notes: Vec<String>,
}

impl Instants<'_> {
    /// Moves the state to static equilibrium at a later instant. Each of `systems` is tried in turn. If none is found, the
    /// state is in the last equilibrium that was reached.
    pub fn settle(&mut self, until: f64, systems: &[&System]) -> Result<Remarks, Halt> {
        let begin = (self.time(), self.state.clone());
        let whole = until - begin.0;
        let mut remarks = Remarks::default();
        let mut part = whole;
        loop {
            let before = (self.time(), self.state.clone());
            let last = part >= (until - before.0) * (1.0 - 1e-9);
            let to = if last { until } else { before.0 + part };
            match self.rest(to, systems) {
                Ok(notes) => {
                    remarks.notes.extend(notes);
                    if let Some(jump) = self.locate_jump(&before, systems) {
                        remarks.jumps.push(jump);
                        // Beyond the jump the way goes on from there.
                        self.state.span_mut(self.system.layout.moved).fill(0.0);
                    } else {
                        self.keep_pace(&before);
                    }
                    if self.time() >= until {
                        break;
                    }
                    part = (2.0 * part).min(until - self.time());
                }
                Err(problem) => {
                    self.state.copy_from(&before.1);
                    part = 0.5 * (to - before.0);
                    if part < SHORTEST * whole {
                        return Err(Halt {
                            reached: before.0,
                            why: lost(&problem, before.0, to),
                        });
                    }
                }
            }
        }
        remarks.notes.sort();
        remarks.notes.dedup();
        Ok(remarks)
    }

    /// Static equilibrium at an instant, from the present poses.
    fn rest(&mut self, to: f64, systems: &[&System]) -> Result<Vec<String>, NoStart> {
        self.move_time(to);
        let begin = self.state.clone();
        let mut found = Err(NoStart::Singular);
        for system in systems {
            self.state.copy_from(&begin);
            let statics = Statics::new(self.mechanism, system, self.state, self.ws, self.length);
            found = statics.with_stillness(STILL).solve();
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// Keeps the pace of an interval, for (QST-1) of the next one.
    fn keep_pace(&mut self, (time, before): &(f64, State)) {
        let travels = self.travels(before);
        let h = self.time() - time;
        let span = self.system.layout.moved;
        for (body, (moved, turned)) in travels.iter().enumerate() {
            self.state
                .set_rates(span, body, &(moved / h), &(turned / h));
        }
    }

    /// Has the mechanism jumped since an earlier equilibrium? Then the state is the equilibrium behind the jump.
    fn locate_jump(
        &mut self,
        (time, before): &(f64, State),
        systems: &[&System],
    ) -> Option<String> {
        if self.is_expected((*time, before)) {
            return None;
        }
        let end = self.state.clone();
        let layout = &self.system.layout;
        let (mut low, mut high) = ((*time, before.clone()), (self.time(), end.clone()));
        let whole = self.distance(&low.1);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low.0 + high.0);
            self.state.copy_from(&low.1);
            if self.rest(middle, systems).is_err() {
                break;
            }
            let found = (middle, self.state.clone());
            let first = self.distance(&low.1);
            self.state.copy_from(&high.1);
            let second = self.distance(&found.1);
            if first > second {
                high = found;
            } else {
                low = found;
            }
            if first.max(second) <= REMAINS * whole {
                self.state.copy_from(&end);
                return None;
            }
        }
        self.state.copy_from(&high.1);
        let travels = self.travels(&low.1);
        debug_assert_eq!(layout.bodies, travels.len());
        let sizes = travels.iter().map(|travel| self.size(travel));
        let (body, _) =
            { sizes.enumerate() }.fold(
                (0, 0.0),
                |most, (body, size)| {
                    if size > most.1 { (body, size) } else { most }
                },
            );
        let (moved, turned) = &travels[body];
        let unit = &self.mechanism.units.length;
        let [from, to] = [low.0, high.0].map(Seconds);
        Some(format!(
            "the static equilibrium jumps between {from} s and {to} s (snap-through): part {} moves by {:.4e} {} and turns \
             by {:.2} degrees; what happens on the way is motion, which solver.mode variable integrates",
            called(&self.system.bodies[body].name),
            moved.norm() / unit.factor,
            unit.name,
            turned.norm().to_degrees(),
        ))
    }

    /// (QST-1).
    fn is_expected(&self, (time, before): (f64, &State)) -> bool {
        let h = self.time() - time;
        let span = self.system.layout.moved;
        let paces = before.span(span).chunks_exact(RATE);
        let (mut most, mut off) = (0.0, 0.0);
        for ((moved, turned), pace) in self.travels(before).iter().zip(paces) {
            let expected = (vec3(pace, 0) * h, vec3(pace, 3) * h);
            most = larger(most, self.size(&expected));
            off = larger(off, self.size(&(moved - expected.0, turned - expected.1)));
        }
        off <= 0.5 * most + NEAR
    }

    /// The largest travel of a body since another equilibrium.
    fn distance(&self, since: &State) -> f64 {
        let travels = self.travels(since);
        travels.iter().map(|t| self.size(t)).fold(0.0, larger)
    }
}

/// What to say where the equilibrium ends.
fn lost(problem: &NoStart, reached: f64, to: f64) -> String {
    let [reached, to] = [reached, to].map(Seconds);
    match problem {
        NoStart::Unbalanced { .. } => {
            format!(
                "the mechanism has no static equilibrium between {reached} s and {to} s that the last one leads to: {problem}"
            )
        }
        _ => problem.to_string(),
    }
}

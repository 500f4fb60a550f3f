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

/// What was set at the last equilibrium.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// Effective inputs.
    pub inputs: &'a [f64],
    /// Parameters.
    pub parameters: &'a [f64],
}

/// Along what the equilibrium is followed, from 0 to 1.
#[derive(Clone, Copy, Debug)]
enum Way<'a> {
    /// Time, from an instant over a length \[s\].
    Time(f64, f64),
    /// Inputs, from their last values to the present ones, at an instant \[s\].
    Inputs(f64, &'a [f64], &'a [f64]),
}

/// An equilibrium on the way.
type Place = (f64, State);

impl Instants<'_> {
    /// Moves the state to static equilibrium at a later instant. Each of `systems` is tried in turn. If none is found, the
    /// state is in the last equilibrium that was reached. `earlier` is what was set at the last equilibrium, if that
    /// is known.
    pub fn settle(
        &mut self,
        until: f64,
        systems: &[&System],
        earlier: Option<Earlier<'_>>,
    ) -> Result<Remarks, Halt> {
        let (begin, moved) = (self.time(), self.system.layout.moved);
        self.unstable = self.stands_unstably(systems);
        let mut remarks = Remarks::default();
        let inputs = self.state.span(self.system.layout.inputs).to_vec();
        let parameters = self.state.span(self.system.layout.parameters);
        if earlier.is_some_and(|earlier| earlier.parameters != parameters) {
            // Another mechanism, so to speak: its equilibrium is no way from that of the last one.
            let found = self.rest(Way::Time(begin, 0.0), 0.0, systems);
            remarks.notes.extend(found.map_err(|problem| Halt {
                reached: begin,
                why: problem.to_string(),
            })?);
        }
        let earlier = earlier.map(|earlier| earlier.inputs);
        if let Some(earlier) = earlier.filter(|earlier| **earlier != inputs[..]) {
            // Inputs that are set act at once, before time goes on, and their pace is not that of time.
            let pace = self.state.span(moved).to_vec();
            self.state.span_mut(moved).fill(0.0);
            self.take_way(Way::Inputs(begin, earlier, &inputs), systems, &mut remarks)?;
            self.state.span_mut(moved).copy_from_slice(&pace);
        }
        let whole = until - begin;
        self.scale_pace(whole);
        self.take_way(Way::Time(begin, whole), systems, &mut remarks)?;
        self.scale_pace(1.0 / whole);
        remarks.notes.sort();
        remarks.notes.dedup();
        Ok(remarks)
    }

    /// Is the present equilibrium unstable?
    fn stands_unstably(&mut self, systems: &[&System]) -> bool {
        let before = self.state.clone();
        let unstable = systems.first().is_some_and(|system| {
            let statics = Statics::new(self.mechanism, system, self.state, self.ws, self.length);
            { statics }.stands_unstably()
        });
        self.state.copy_from(&before);
        unstable
    }

    /// Takes a way in parts that are as long as the search allows.
    fn take_way(
        &mut self,
        way: Way<'_>,
        systems: &[&System],
        remarks: &mut Remarks,
    ) -> Result<(), Halt> {
        let (mut at, mut part) = (0.0, 1.0);
        loop {
            let before = (at, self.state.clone());
            let to = if part >= (1.0 - at) * (1.0 - 1e-9) {
                1.0
            } else {
                at + part
            };
            match self.rest(way, to, systems) {
                Ok(notes) => {
                    remarks.notes.extend(notes);
                    let jump = self.locate_jump(way, &before, to, systems);
                    if let Some((behind, jump)) = jump {
                        remarks.jumps.push(jump);
                        // Behind the jump the way goes on from there.
                        self.state.span_mut(self.system.layout.moved).fill(0.0);
                        at = behind;
                    } else {
                        self.keep_pace(&before, to);
                        at = to;
                    }
                    if at >= 1.0 {
                        return Ok(());
                    }
                    part = (2.0 * part).min(1.0 - at);
                }
                Err(problem) => {
                    self.state.copy_from(&before.1);
                    part = 0.5 * (to - at);
                    if part < SHORTEST {
                        return Err(Halt {
                            reached: self.time(),
                            why: lost(&problem, &way.between(at, to)),
                        });
                    }
                }
            }
        }
    }

    /// Static equilibrium at a place on the way, from the present poses.
    fn rest(&mut self, way: Way<'_>, to: f64, systems: &[&System]) -> Result<Vec<String>, NoStart> {
        match way {
            Way::Time(begin, whole) => self.move_time(begin + whole * to),
            Way::Inputs(_, from, inputs) => {
                let span = self.state.span_mut(self.system.layout.inputs);
                for ((own, from), input) in span.iter_mut().zip(from).zip(inputs) {
                    *own = if to >= 1.0 {
                        *input
                    } else {
                        from + (input - from) * to
                    };
                }
            }
        }
        let unstable = self.unstable;
        let begin = self.state.clone();
        let mut found = Err(NoStart::Singular);
        for system in systems {
            self.state.copy_from(&begin);
            let statics = Statics::new(self.mechanism, system, self.state, self.ws, self.length);
            found = statics.with_stillness(STILL).solve_from(unstable);
            if found.is_ok() {
                break;
            }
        }
        found
    }

    /// Keeps the pace of a part of the way, for (QST-1) of the next one.
    fn keep_pace(&mut self, (at, before): &Place, to: f64) {
        let part = to - at;
        let span = self.system.layout.moved;
        for (body, (moved, turned)) in self.travels(before).iter().enumerate() {
            let pace = (moved / part, turned / part);
            self.state.set_rates(span, body, &pace.0, &pace.1);
        }
    }

    /// Changes the unit of the pace.
    fn scale_pace(&mut self, by: f64) {
        let span = self.state.span_mut(self.system.layout.moved);
        for pace in span {
            *pace *= by;
        }
    }

    /// Has the mechanism jumped since an earlier equilibrium? Then the state is the equilibrium behind the jump, whose place
    /// is returned with a sentence.
    fn locate_jump(
        &mut self,
        way: Way<'_>,
        before: &Place,
        to: f64,
        systems: &[&System],
    ) -> Option<(f64, String)> {
        if self.is_expected(before, to) {
            return None;
        }
        let end = self.state.clone();
        let (mut low, mut high) = (before.clone(), (to, end.clone()));
        let whole = self.distance(&low.1);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low.0 + high.0);
            self.state.copy_from(&low.1);
            if self.rest(way, middle, systems).is_err() {
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
        let jump = self.name_jump(&low.1, &way.between(low.0, high.0));
        Some((high.0, jump))
    }

    /// The sentence about a jump.
    fn name_jump(&self, before: &State, between: &str) -> String {
        let travels = self.travels(before);
        let sizes = travels.iter().map(|travel| self.size(travel)).enumerate();
        let (body, _) = sizes.fold(
            (0, 0.0),
            |most, own| if own.1 > most.1 { own } else { most },
        );
        let (moved, turned) = &travels[body];
        let unit = &self.mechanism.units.length;
        format!(
            "the static equilibrium jumps {between} (snap-through): part {} moves by {:.4e} {} and turns by {:.2} degrees; \
             what happens on the way is motion, which solver.mode variable integrates",
            called(&self.system.bodies[body].name),
            moved.norm() / unit.factor,
            unit.name,
            turned.norm().to_degrees(),
        )
    }

    /// (QST-1), from an equilibrium to the present one.
    fn is_expected(&self, (at, before): &Place, to: f64) -> bool {
        let part = to - at;
        let paces = before.span(self.system.layout.moved).chunks_exact(RATE);
        let (mut most, mut off) = (0.0, 0.0);
        for ((moved, turned), pace) in self.travels(before).iter().zip(paces) {
            let expected = (vec3(pace, 0) * part, vec3(pace, 3) * part);
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

impl Way<'_> {
    /// Words for a part of it.
    fn between(&self, from: f64, to: f64) -> String {
        match self {
            Self::Time(begin, whole) => {
                let [from, to] = [from, to].map(|at| Seconds(begin + at * whole));
                format!("between {from} s and {to} s")
            }
            Self::Inputs(time, ..) => format!(
                "at {} s, where inputs change, between {:.2} % and {:.2} % of their change",
                Seconds(*time),
                100.0 * from,
                100.0 * to
            ),
        }
    }
}

/// What to say where the equilibrium ends.
fn lost(problem: &NoStart, between: &str) -> String {
    match problem {
        NoStart::Unbalanced { .. } => format!(
            "the mechanism has no static equilibrium {between} that the last one leads to: {problem}"
        ),
        _ => problem.to_string(),
    }
}

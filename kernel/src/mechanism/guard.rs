//! The quantities that the guard monitors, their levels for warning and stopping, and the texts of its alarms.

use crate::ids::{BodyId, ConstraintGroupId, EquationId, ForceId};
use alloc::format;
use alloc::string::String;
use core::f64::consts::{PI, TAU};
use serde::{Deserialize, Serialize};

/// A quantity by which the guard judges a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(usize)]
pub enum Watched {
    /// Energy created from nothing, relative to the energy in motion.
    Energy,
    /// The largest violation of a joint or motion, in the guard's length scale and radians.
    Violation,
    /// How far unbalanced forces would move a part within the step if it were free, in the guard's length scale and
    /// radians; and the error of an implicit variable, relative to its size.
    Residual,
    /// Ratio of Newton's last two corrections, if the earlier one is not negligible.
    Contraction,
    /// The local error of the step, in the guard's length scale and radians; for a state that grows too fast for the
    /// step, relative to its size.
    LocalError,
    /// The deepest penetration of a contact, in sizes of its shape, or of a tyre, in thirds of its radius.
    Penetration,
    /// The largest rotation of a part in the step, in half turns.
    Spin,
}

/// Number of quantities.
pub const WATCHED: usize = 7;

impl Watched {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; WATCHED] = [
        Self::Energy,
        Self::Violation,
        Self::Residual,
        Self::Contraction,
        Self::LocalError,
        Self::Penetration,
        Self::Spin,
    ];

    /// The name, as in a model's `solver.guard`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::Violation => "violation",
            Self::Residual => "residual",
            Self::Contraction => "contraction",
            Self::LocalError => "local_error",
            Self::Penetration => "penetration",
            Self::Spin => "spin",
        }
    }
}

/// The levels at which a quantity causes a warning, or stops a run; infinite for never.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardLevel {
    /// Level for a warning.
    pub warn: f64,
    /// Level for stopping.
    pub stop: f64,
}

/// Settings of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardSettings {
    /// Is the guard on?
    pub on: bool,
    /// The levels, by [`Watched`].
    pub levels: [GuardLevel; WATCHED],
}

impl Default for GuardSettings {
    fn default() -> Self {
        let level = |warn, stop| GuardLevel { warn, stop };
        Self {
            on: true,
            levels: [
                level(0.6, 1.5),
                level(0.01, 0.1),
                level(0.5, 3.0),
                level(1.0, 10.0),
                level(0.2, 1.0),
                level(1.0, 3.0),
                level(1.0, 100.0),
            ],
        }
    }
}

impl GuardSettings {
    /// The level of a quantity.
    pub fn of(&self, watched: Watched) -> GuardLevel {
        self.levels[watched as usize]
    }
}

/// What a reading belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Culprit {
    /// The mechanism as a whole.
    #[default]
    Mechanism,
    /// The mechanism as a whole, if it has contacts.
    Contacts,
    /// The mechanism as a whole, in a step whose iteration has not converged.
    Iteration,
    /// A part.
    Body(BodyId),
    /// A force.
    Force(ForceId),
    /// A joint or motion, by its constraint group.
    Constraint(ConstraintGroupId),
    /// A contact whose shapes pass through each other, by its force; from [`PASSED`] on they have done so.
    Passage(ForceId),
    /// A deflected tyre, by its force.
    Tyre(ForceId),
    /// A bushing, field or beam whose angle jumps, by its force.
    Jump(ForceId),
    /// A differential equation or implicit variable.
    Equation(EquationId),
}

/// The penetration that stands for shapes that passed through each other within a step.
pub const PASSED: f64 = 4.0;

/// The penetration of a tyre whose hub touches the road.
pub const HUB: f64 = 3.0;

/// A quantity at the last accepted step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its dimensionless value.
    pub value: f64,
    /// The same in a physical unit: J, m, rad, N; zero if there is none.
    pub amount: f64,
    /// Is it an angle?
    pub is_angle: bool,
    /// What it belongs to.
    pub culprit: Culprit,
}

/// All quantities, by [`Watched`].
pub type Readings = [Reading; WATCHED];

/// A quantity beyond a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alarm {
    /// The quantity.
    pub watched: Watched,
    /// Its value.
    pub reading: Reading,
    /// The level.
    pub limit: f64,
}

impl Alarm {
    /// The alarm as text: what was seen, on which entity, and what to try; `whose` names the culprit.
    pub fn words(&self, whose: &str) -> String {
        match self.reading.culprit {
            Culprit::Passage(_) | Culprit::Tyre(_) | Culprit::Equation(_) => self.own_words(whose),
            Culprit::Jump(_) => self.jump_words(whose),
            _ => self.common_words(whose),
        }
    }

    /// Text for an angle that jumps.
    fn jump_words(&self, whose: &str) -> String {
        let angle = self.reading.amount;
        format!(
            "{whose} is turned past half a turn: its angle, {angle:.4} rad (limit {PI:.4} rad), jumps back by a whole turn, and its torque \
             with it; turn it less, turn a marker so that the angle stays about zero, share the turn among several in a row, or take a \
             revolute joint with a torsion_spring_damper, which counts turns"
        )
    }

    /// Text for energy created from nothing.
    fn energy_words(&self) -> String {
        let Reading {
            value,
            amount,
            culprit,
            ..
        } = &self.reading;
        let much = times(*value);
        let remedy = match culprit {
            Culprit::Iteration => {
                "Newton's iteration has not settled in this step: take more iterations (solver.fixit) first, or a smaller step"
            }
            Culprit::Contacts => {
                "take a smaller step, more iterations (solver.fixit), or softer contacts and springs"
            }
            _ => "take a smaller step, or more iterations (solver.fixit)",
        };
        format!(
            "{amount:.3e} J have come from nowhere, {much} times of what the mechanism has moved (limit {}); {remedy}",
            self.limit
        )
    }

    /// Text for readings that only contacts, tyres and equations have.
    fn own_words(&self, whose: &str) -> String {
        let Reading {
            value,
            amount,
            culprit,
            ..
        } = &self.reading;
        let limit = self.limit;
        let much = times(*value);
        let smaller = "take a smaller step";
        match culprit {
            Culprit::Passage(_) if *value < PASSED => format!(
                "the shapes of {whose} approach by {amount:.3e} m in a step, {much} times what both measure (limit {limit}): they may \
                 go through one another unseen; {smaller}, or larger shapes"
            ),
            Culprit::Passage(_) => format!(
                "the shapes of {whose} went through one another, by {amount:.3e} m within the step (counted as {value}, limit {limit}), and \
                 their contact acted on one side only or not at all; {smaller}, or larger shapes"
            ),
            Culprit::Tyre(_) if *value > HUB => format!(
                "{whose} is pressed in by {amount:.3e} m, {:.2} times its radius (limit {:.2}): its hub lies below the road; start above \
                 the road, look at load and vertical stiffness, or {smaller}",
                value / HUB,
                limit / HUB
            ),
            Culprit::Tyre(_) => format!(
                "{whose} is pressed in by {amount:.3e} m, {:.2} times its radius (limit {:.2}); look at load and vertical stiffness, or \
                 {smaller}",
                value / HUB,
                limit / HUB
            ),
            _ if self.watched == Watched::LocalError => format!(
                "{whose} changes by {amount:.3e} within a step, {much} times its size (limit {limit}), and grows faster than steps can \
                 follow; {smaller}, or look for a time at which it becomes infinite"
            ),
            _ => format!(
                "{whose} does not solve its equation: it is off by about {amount:.3e}, {much} times its size (limit {limit}); look for \
                 values at which the equation has no solution; or {smaller} or more iterations (solver.fixit)"
            ),
        }
    }

    /// Text for readings of parts, joints and contacts.
    fn common_words(&self, whose: &str) -> String {
        let Self {
            watched,
            reading:
                Reading {
                    value,
                    amount,
                    is_angle,
                    ..
                },
            limit,
        } = self;
        let unit = if *is_angle { "rad" } else { "m" };
        let much = times(*value);
        let smaller = "take a smaller step";
        match watched {
            Watched::Energy => self.energy_words(),
            Watched::Violation if *is_angle && *amount > PI => format!(
                "{whose} is off by {amount:.3e} rad, {:.0} times 360 degrees (limit {limit} rad): its angle holds as well whole turns \
                 further on, and the part went there; {smaller}, or let the motion turn it by less than half a turn in a step",
                amount / TAU
            ),
            Watched::Violation => format!(
                "{whose} is violated by {amount:.3e} {unit} (limit {limit} of the mechanism's size, or rad): the mechanism comes \
                 apart; {smaller} or more iterations (solver.fixit), or look for positions that it cannot reach"
            ),
            Watched::Residual => format!(
                "forces on {whose} are out of balance by what would move it {amount:.3e} {unit} within the step (limit {limit} of \
                 the mechanism's size, or rad); {smaller} or more iterations (solver.fixit), with solver.pattern T; where joints and motions ask for \
                 a position that cannot be reached, neither helps"
            ),
            Watched::Contraction => format!(
                "Newton's iteration does not settle: its last correction, {amount:.3e} of the mechanism's size or rad at {whose}, is \
                 {much} times the one before (limit {limit}); {smaller}, or set solver.pattern T"
            ),
            Watched::LocalError => format!(
                "the local error of {whose} is {amount:.3e} {unit} (limit {limit} of the mechanism's size, or rad); {smaller}"
            ),
            Watched::Penetration => format!(
                "{whose} is penetrated by {amount:.3e} m, {much} times the size of its shape (limit {limit}); {smaller} or a \
                 stiffer contact"
            ),
            Watched::Spin => format!(
                "{whose} turns by {much} half turns in a step (limit {limit}), more than a step can tell from a turn the other \
                 way; {smaller}"
            ),
        }
    }

    /// The setting that changes its levels.
    pub fn setting(&self) -> String {
        format!("solver.guard.{}", self.watched.name())
    }
}

/// A factor as text, with few digits.
fn times(value: f64) -> String {
    if value.abs() < 1e6 {
        format!("{value:.2}")
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(culprit: Culprit, value: f64) -> String {
        let reading = Reading {
            value,
            amount: 3.0,
            is_angle: false,
            culprit,
        };
        let alarm = Alarm {
            watched: Watched::Energy,
            reading,
            limit: 1.5,
        };
        alarm.words("the mechanism")
    }

    #[test]
    fn energy_from_nowhere_has_the_remedy_that_fits() {
        let remedy = |culprit| said(culprit, 7.8);
        assert!(remedy(Culprit::Iteration).contains("more iterations (solver.fixit) first"));
        assert!(remedy(Culprit::Contacts).contains("softer contacts"));
        assert!(!remedy(Culprit::Mechanism).contains("contacts"));
        assert!(remedy(Culprit::Mechanism).contains(" 7.80 times"));
        assert!(said(Culprit::Mechanism, 2.5e22).contains(" 2.50e22 times"));
    }
}

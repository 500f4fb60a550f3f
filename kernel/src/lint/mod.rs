//! Control plane: plausibility checks (lint) of a started model: common modelling errors, and elements too fast for
//! the fixed step.
//!
//! Every finding names an entity, the problem, and the remedy; docs/lint.md explains the rules. Checks that need no
//! start, step or settings run when a model is read. In its `lint` block a model acknowledges findings, or turns them
//! into errors.

mod angles;
mod brief;
mod bristles;
mod contacts;
mod fastest;
mod gravity;
mod half_turns;
mod inside;
mod kinks;
mod laws;
mod lengths;
mod locked_axes;
mod misplaced_mass;
mod modes;
mod motions;
mod no_effect;
mod numerical_damping;
mod parts;
mod ranges;
pub mod reading;
mod sampling;
mod signs;
mod speeds;
mod start;
mod stiction;
mod tyres;
mod undersampled;
mod values;
mod vibrations;

use crate::analysis::redundancy::Redundancy;
use crate::analysis::velocities::MissedVelocity;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{Finding, Mechanism, Mode, ValueSource, gather};
use crate::seconds::Seconds;
use crate::state::State;
use crate::system::System;
use crate::workspace::Workspace;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
pub use brief::Brief;
pub(crate) use brief::briefest;
pub use fastest::Vibration;
pub(crate) use fastest::fastest;
pub use kinks::{Kink, Kinks};

/// A started model, with the observations of its start.
pub struct Subject<'a> {
    /// The model.
    pub mechanism: &'a Mechanism,
    /// The system that is stepped.
    pub system: &'a System,
    /// Its state at the start.
    pub state: &'a State,
    /// Its workspace at the start.
    pub ws: &'a Workspace,
    /// Constraints that were removed.
    pub redundancy: &'a Redundancy,
    /// Initial velocities that could not be met.
    pub missed: &'a [MissedVelocity],
    /// Displacement of each body by assembly \[m, rad\].
    pub moved: &'a [(f64, f64)],
    /// Integration step \[s\].
    pub step: f64,
}

/// All findings, without those that the model has acknowledged. A finding of one kind on many entities is given once.
pub fn findings(subject: &Subject<'_>) -> Vec<Finding> {
    let mut found = subject.mechanism.findings.clone();
    let mut modes = modes::Modes::new(subject.system, subject.state, subject.ws);
    contacts::check(subject, &mut modes, &mut found);
    motions::check(subject, &mut found);
    numerical_damping::check(subject, &mut found);
    sampling::check(subject, &mut found);
    // What is too fast for a fixed step makes a variable one shorter.
    let fixed = subject.mechanism.solver.mode == Mode::Fixed;
    start::check(subject, &mut found);
    if let Some(modes) = &mut modes {
        if fixed {
            vibrations::check(subject, modes, &mut found);
        }
        signs::check(subject, modes, &mut found);
        locked_axes::check(subject, modes, &mut found);
    }
    if fixed {
        bristles::check(subject, &mut modes, &mut found);
    }
    gravity::check(subject, &mut modes, &mut found);
    parts::check(subject, &mut found);
    misplaced_mass::check(subject, &mut found);
    no_effect::check(subject, &mut found);
    laws::check(subject, &mut modes, &mut found);
    speeds::check(subject, &mut modes, &mut found);
    angles::check(subject, &mut found);
    if fixed {
        stiction::check(subject, &mut modes, &mut found);
    }
    tyres::check(subject, &mut modes, &mut found);
    inside::check(subject, &mut modes, &mut found);
    half_turns::check(subject, &mut found);
    lengths::check(subject, &mut found);
    if fixed {
        undersampled::check(subject, &mut found);
    }
    ranges::check(subject, &mut found);
    let mechanism = subject.mechanism;
    let mut found = mechanism.lint.apply(|name| mechanism.has(name), found);
    if !fixed {
        found.retain(|finding| !finding.rule.is_of_a_fixed_step());
    }
    gather(found)
}

impl Subject<'_> {
    /// A number of an element at the start \[SI\].
    fn number(&self, id: crate::ids::ValueId) -> f64 {
        match &self.mechanism.values[id.index()].source {
            ValueSource::Constant(number) => *number,
            ValueSource::Expression(e) => {
                let program = &self.mechanism.expressions[e.expr.index()];
                let mut registers = vec![0.0; program.registers()];
                program.value(&self.ws.leaves, &mut registers) * e.to_si
            }
        }
    }
}

/// `1 step of 0.001 s`, `2.5 steps of 0.001 s`.
fn steps_of(count: f64, h: f64) -> String {
    let (count, h) = (show(count), Seconds(h));
    let s = if count == "1" { "" } else { "s" };
    format!("{count} step{s} of {h} s")
}

/// A number with four digits, for messages.
fn show(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-3..1e5).contains(&size) {
        let digits = 3 - (crate::math::log10(size.max(1e-3)).floor() as i32);
        let text = format!("{x:.*}", digits.max(0) as usize);
        match text.split_once('.') {
            Some((whole, part)) => {
                let part = part.trim_end_matches('0');
                let dot = if part.is_empty() { "" } else { "." };
                format!("{whole}{dot}{part}")
            }
            None => text,
        }
    } else {
        format!("{x:.3e}")
    }
}

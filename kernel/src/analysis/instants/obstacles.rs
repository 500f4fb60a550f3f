//! Control plane: what a kinematic or a quasi-static run cannot have, by name.

use super::Instants;
use crate::analysis::owner_name;
use crate::mechanism::{Mechanism, Mode, called};
use crate::system::System;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What stands against a mode that solves instants: one sentence for each entity. Freedom counts by itself.
pub fn of(mechanism: &Mechanism, system: &System, mode: Mode) -> Vec<String> {
    let mut found = Vec::new();
    if mode == Mode::Kinematic {
        for entry in &system.flexibles {
            if entry.modal.len > 0 {
                found.push(format!(
                    "flexible body {} has {} modes, which move by their loads",
                    called(&system.bodies[entry.body].name),
                    entry.modal.len
                ));
            }
        }
        let mut rolling: Vec<String> = { system.rate_rows.iter() }
            .map(|row| owner_name(mechanism, system.groups[row.group].owner))
            .collect();
        rolling.dedup();
        found.extend(rolling.into_iter().map(|name| {
            format!(
                "{name} restricts velocities only, and where it leads is a matter of integration"
            )
        }));
        let states = system
            .equations
            .iter()
            .filter(|entry| !entry.is_algebraic());
        found.extend(states.map(|entry| format!("{} must be integrated over time", entry.name)));
    }
    let memory = &mechanism.memory;
    found.extend(memory.sampled.iter().map(|system| {
        format!(
            "sampled system {} changes at its own times",
            called(&system.name)
        )
    }));
    found.extend(memory.delays.iter().map(|delay| {
        format!(
            "{} reads DELAY, which remembers steps of an integration",
            delay.path
        )
    }));
    found
}

impl Instants<'_> {
    /// Why the mechanism cannot have a kinematic or a quasi-static run; `None` if it can.
    pub fn refusal(&mut self, mode: Mode) -> Option<String> {
        let found = of(self.mechanism, self.system, mode);
        let run = match mode {
            Mode::Kinematic => "a kinematic run",
            _ => "a quasi-static run",
        };
        if !found.is_empty() {
            return Some(format!(
                "solver.mode {}: {run} solves each instant by itself, but {}; take these out, or integrate: set solver.mode to \
                 fixed or variable",
                word(mode),
                found.join("; ")
            ));
        }
        let freedoms = self.system.freedoms();
        if mode != Mode::Kinematic || freedoms == 0 {
            return None;
        }
        let what = self.freedoms();
        let what = if what.is_empty() {
            what
        } else {
            format!(": {what}")
        };
        Some(format!(
            "solver.mode kinematic: {run} needs joints and motions that leave no freedom, but this mechanism has {freedoms} \
             {}{what}; give each freedom a motion, or integrate: set solver.mode to fixed or variable",
            if freedoms == 1 {
                "degree of freedom"
            } else {
                "degrees of freedom"
            }
        ))
    }
}

/// The mode as models write it.
fn word(mode: Mode) -> &'static str {
    match mode {
        Mode::Fixed => "fixed",
        Mode::Variable => "variable",
        Mode::Kinematic => "kinematic",
        Mode::Static => "static",
    }
}

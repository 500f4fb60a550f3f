//! Control plane: finds steady motion instead of static equilibrium, if motions turn the mechanism.

use super::{Part, Simulation};
use crate::analysis::steady::{Found, LARGEST, Steady};
use crate::mechanism::called;
use crate::system::eval;
use crate::system::length::characteristic_length;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Fraction of the largest acceleration by which steady motion must differ from static equilibrium.
const APART: f64 = 1e-6;

/// Note for an unstable steady motion.
const FALLS: &str = "static equilibrium: with the loads of the motions that turn the mechanism it is unstable but for gyroscopic \
                     forces, which hold a shaft above its critical speed; where they do not, the smallest disturbance will end it, \
                     and the mechanism falls to the side on which it starts. `fixstep modes` tells which";

impl Simulation {
    /// Moves the mechanism from its present state into steady motion, if requested. Returns whether it did.
    pub(super) fn turn_steadily(&mut self) -> bool {
        self.seek_steady() == Some(Found::Steady)
    }

    /// The same, with the result of the search; `None` if not requested.
    fn seek_steady(&mut self) -> Option<Found> {
        let settings = self.mechanism.solver.start;
        if !settings.turning {
            return None;
        }
        let Part { system, state, ws } = &mut *self.run;
        // As static equilibrium does, it neither knows the step nor which modes have inertia in it.
        let whole = system.with_modal_inertia(&self.mechanism, true);
        let system = whole.as_ref().unwrap_or(system);
        let length = characteristic_length(system);
        let found = Steady::new((system, state, ws), settings, length).solve();
        if found != Found::Steady {
            return Some(found);
        }
        let (from, to) = (&self.run.system.layout, &self.start.system.layout);
        let state = &mut self.run.state;
        for (a, b) in [
            (from.pose, to.pose),
            (from.modal, to.modal),
            (from.velocity, to.velocity),
        ] {
            self.start.state.reals[b.range()].copy_from_slice(state.span(a));
        }
        state.span_mut(from.acceleration).fill(0.0);
        state.span_mut(from.multipliers).fill(0.0);
        self.missed.clear();
        self.balance.clear();
        let Part { system, state, ws } = &mut *self.run;
        let system = whole.as_ref().unwrap_or(system);
        let mut moved = state.clone();
        if Steady::new((system, &mut moved, ws), settings, length).falls() == Some(true) {
            self.balance.push(String::from(FALLS));
        }
        Some(found)
    }

    /// Static equilibrium ignores the loads of motion: notes if motions cause significant ones.
    pub(super) fn note_ignored_rotation(&mut self) {
        let settings = self.mechanism.solver.start;
        let Part { system, state, ws } = &mut *self.run;
        let length = characteristic_length(system);
        let mut moved = state.clone();
        let mut steady = Steady::new((system, &mut moved, ws), settings, length);
        let driven = steady.is_driven();
        let apart = driven && steady.distance().is_none_or(|far| far > APART);
        let falls = driven && !apart && steady.falls() == Some(true);
        eval::kinematics_at_state(system, state, ws);
        if falls && self.balance.is_empty() {
            self.balance.push(String::from(FALLS));
        }
        // At poses of static equilibrium, velocities are not yet those of the motion.
        let found = if driven { self.seek_steady() } else { None };
        if !driven || found == Some(Found::Steady) || !apart {
            return;
        }
        let Part { system, ws, .. } = &*self.run;
        let turning = (0..system.motions.len()).filter(|m| ws.targets[*m].rate != 0.0);
        let names: Vec<String> = turning
            .map(|m| called(&self.mechanism.motions[m].name))
            .collect();
        let what = if names.is_empty() {
            String::from("a constraint")
        } else {
            format!("motion {}", names.join(", "))
        };
        let (all, bodies) = LARGEST;
        let tried = match found {
            None => String::new(),
            Some(Found::Large) => format!(
                "; steady motion with them is looked for among {bodies} coordinates of parts, {all} with modes, and the mechanism has \
                 more; make one part of what does not matter, or begin at the end of a run"
            ),
            Some(Found::Unfinished) => String::from(
                "; the search for a pose at which the mechanism moves steadily with them ended at the limit of its work; give poses \
                 nearer to it, make one part of what does not matter, or begin at the end of a run",
            ),
            Some(_) => {
                String::from("; no pose was found at which the mechanism moves steadily with them")
            }
        };
        self.balance.push(format!(
            "static equilibrium: {what} moves the mechanism, and the loads of that motion, centrifugal ones among them, are \
             not in the balance{tried}"
        ));
    }
}

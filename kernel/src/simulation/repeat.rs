//! Data plane: derivatives over all integration steps of a communication step.
//!
//! The accepted states of a communication step are kept in preallocated memory, for the chain rule. If the chain rule
//! does not cover all that steps carry, the steps are repeated with other inputs, parameters and states:
//!
//! ```text
//! δy = (y(s + ρ δs) − y(s − ρ δs)) / 2ρ   over all steps since the communication step began    (SEN-8)
//! ```
//! They start from the stored state at the beginning of the communication step.

use super::{Part, Simulation};
use crate::analysis::sensitivity::Sensitivity;
use crate::integrator::accepted::show;
use crate::simulation::bodies::Bodies;
use crate::state::State;
use crate::system::layout::Layout;
use alloc::vec;
use alloc::vec::Vec;

/// The beginning of the communication step, and its progress.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    /// The state there, with the values set for the step.
    from: State,
    /// The present state, to return to.
    here: State,
    /// Planned number of integration steps; 0 if the state at the beginning is unknown.
    planned: u32,
    /// Number of integration steps done.
    made: u32,
    /// Accepted states so far.
    way: Vec<State>,
}

/// Limits on the states that are kept, and on their numbers.
const WAY: usize = 64;
const NUMBERS: usize = 131_072;

impl Begun {
    pub(super) fn new(layout: &Layout) -> Self {
        Self {
            from: State::new(layout),
            here: State::new(layout),
            planned: 0,
            made: 0,
            way: vec![State::new(layout); WAY.min(NUMBERS / layout.len.max(1))],
        }
    }

    /// The accepted states up to the present one; `None` if they are unknown.
    pub(super) fn way(&self) -> Option<&[State]> {
        self.way.get(..self.steps() as usize - 1)
    }

    /// Begins a communication step of this many integration steps.
    pub(super) fn begin(&mut self, state: &State, steps: u32) {
        (self.planned, self.made) = (steps, 0);
        if steps > 1 {
            self.from.copy_from(state);
        }
    }

    /// Records an integration step.
    pub(super) fn count(&mut self, state: &State) {
        if self.made + 1 < self.planned
            && let Some(kept) = self.way.get_mut(self.made as usize)
        {
            kept.copy_from(state);
        }
        self.made = self.made.saturating_add(1);
    }

    /// A value was set. Within a communication step, repeated steps from its beginning would not include it.
    pub(super) fn disturb(&mut self) {
        if self.made > 0 && self.made < self.planned {
            self.planned = 0;
        }
    }

    /// The state was replaced.
    pub(super) fn forget(&mut self) {
        self.planned = 0;
    }

    /// The number of integration steps to repeat; 1 if only the last one matters.
    fn steps(&self) -> u32 {
        if self.made > self.planned {
            1
        } else {
            self.made.max(1)
        }
    }
}

impl Simulation {
    /// Has the communication step had more than one integration step?
    pub(super) fn made_several(&self) -> bool {
        self.begun.steps() > 1
    }

    /// (SEN-8) along the seed; `false` if a step fails or a parameter is invalid.
    pub(super) fn differ_by_steps(&mut self) -> bool {
        let Some(mut sensitivity) = self.sensitivity.take() else {
            return false;
        };
        let made = self.begun.made;
        let planned = self.begun.planned;
        self.begun.here.copy_from(&self.run.state);
        let reach = sensitivity.reach(&self.run.system, &self.begun.from);
        let mut sound = true;
        for by in [reach, -reach] {
            sound &= self.repeat(&sensitivity, by, made);
            let Part { system, state, ws } = &*self.run;
            let bodies = Bodies {
                mechanism: &self.mechanism,
                system,
                state,
            };
            sensitivity.take_end(ws, by, bodies.all());
        }
        let Part { system, state, ws } = &mut *self.run;
        state.copy_from(&self.begun.here);
        ws.triggered.fill(false);
        show(system, state, ws);
        (self.begun.planned, self.begun.made) = (planned, made);
        self.sensitivity = Some(sensitivity);
        sound
    }

    /// Repeats the steps from a distance along the seed.
    fn repeat(&mut self, sensitivity: &Sensitivity, by: f64, steps: u32) -> bool {
        let Part { system, state, .. } = &mut *self.run;
        state.copy_from(&self.begun.from);
        let layout = &system.layout;
        for span in [layout.inputs, layout.parameters, layout.states] {
            let rates = &sensitivity.direction()[span.range()];
            for (x, rate) in state.span_mut(span).iter_mut().zip(rates) {
                *x += by * rate;
            }
        }
        let fits = self.follow_parameters();
        let Part { system, state, ws } = &mut *self.run;
        ws.triggered.fill(false);
        show(system, state, ws);
        fits && (0..steps).all(|_| self.step().is_ok())
    }
}

//! Data plane: the integration steps of a communication step, for derivatives of all of them.
//!
//! The accepted states on the way are kept in memory set aside, for the chain rule. Where it does not know all that steps
//! carry, they are made once more from other inputs, parameters and states:
//!
//! ```text
//! δy = (y(s + ρ δs) − y(s − ρ δs)) / 2ρ   over all steps since the communication step began    (SEN-8)
//! ```
//! from the state that is kept where the communication step begins.

use super::{Part, Simulation};
use crate::analysis::sensitivity::Sensitivity;
use crate::integrator::accepted::show;
use crate::simulation::bodies::Bodies;
use crate::state::State;
use crate::system::layout::Layout;
use alloc::vec;
use alloc::vec::Vec;

/// Where the communication step began, and how far it has come.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    /// The state there, with what was set for the step.
    from: State,
    /// The state to go back to.
    here: State,
    /// So many integration steps it is to have; 0: the state there is not known.
    planned: u32,
    /// So many have been made.
    made: u32,
    /// States on the way.
    way: Vec<State>,
}

/// So many states on the way are kept at most, and so many numbers.
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

    /// The accepted states on the way to the present one; `None`: they are not known.
    pub(super) fn way(&self) -> Option<&[State]> {
        self.way.get(..self.steps() as usize - 1)
    }

    /// A communication step of so many integration steps begins.
    pub(super) fn begin(&mut self, state: &State, steps: u32) {
        (self.planned, self.made) = (steps, 0);
        if steps > 1 {
            self.from.copy_from(state);
        }
    }

    /// An integration step has been made.
    pub(super) fn count(&mut self, state: &State) {
        if self.made + 1 < self.planned
            && let Some(kept) = self.way.get_mut(self.made as usize)
        {
            kept.copy_from(state);
        }
        self.made = self.made.saturating_add(1);
    }

    /// Something is set: within a communication step, steps from its beginning would not know of it.
    pub(super) fn disturb(&mut self) {
        if self.made > 0 && self.made < self.planned {
            self.planned = 0;
        }
    }

    /// The state is another one.
    pub(super) fn forget(&mut self) {
        self.planned = 0;
    }

    /// The integration steps to be repeated; 1: the last one alone is asked for.
    fn steps(&self) -> u32 {
        if self.made > self.planned {
            1
        } else {
            self.made.max(1)
        }
    }
}

impl Simulation {
    /// Has the communication step come further than one integration step?
    pub(super) fn made_several(&self) -> bool {
        self.begun.steps() > 1
    }

    /// (SEN-8) along the seed; `false` where a step fails or a parameter does not fit.
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

    /// The steps once more, from so far along the seed.
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

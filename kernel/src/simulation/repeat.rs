//! Data plane: derivatives over all integration steps of a communication step.
//!
//! The accepted states of a communication step are kept in preallocated memory, for the chain rule. If the chain rule
//! does not cover all that steps carry, the steps are repeated with other inputs, parameters and states:
//!
//! ```text
//! δy = (y(s + ρ δs) − y(s − ρ δs)) / 2ρ   over all steps since the communication step began    (SEN-8)
//! ```
//! They start from the stored state at the beginning of the communication step. A single step is repeated too where its
//! end does not tell all: where outputs read the accelerations of the instant or a mass is a parameter under a scheme whose
//! own accelerations are others, and where inputs follow a line, whose slope is that of the value that was set.

use super::{Part, Simulation};
use crate::analysis::sensitivity::{Point, Sensitivity, shows_own_accelerations};
use crate::integrator::accepted::show;
use crate::integrator::scheme::{carry, scheme};
use crate::mechanism::Mode;
use crate::simulation::bodies::Bodies;
use crate::state::State;
use crate::system::inputs::{self, Communication};
use crate::system::layout::Layout;
use alloc::vec;
use alloc::vec::Vec;

/// The beginning of the communication step, and its progress.
#[derive(Clone, Debug)]
pub(super) struct Begun {
    /// The state there, with the values set for the step.
    from: State,
    /// Is it there for a single integration step too?
    keeps_one: bool,
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
            keeps_one: false,
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
        if steps > 1 || self.keeps_one {
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

/// What a single step is repeated for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// Derivatives by inputs.
    pub(super) inputs: bool,
    /// Derivatives by parameters.
    pub(super) parameters: bool,
    /// Derivatives of outputs that read accelerations.
    pub(super) accelerations: bool,
}

impl Simulation {
    /// What only a repeated step tells.
    fn told_by_repeating(&self) -> Asked {
        let Part { system, .. } = &*self.run;
        let settings = &self.mechanism.solver;
        if settings.mode != Mode::Fixed {
            return Asked::default();
        }
        let h = self.step_size();
        let point = Point::Step(scheme(settings, h));
        let [of_inertia, _] = carry(settings, h).history;
        Asked {
            inputs: self.has_lines(),
            parameters: of_inertia != 0.0 && system.layout.parameters.len > 0,
            accelerations: !shows_own_accelerations(system, &point),
        }
    }

    /// May inputs follow a line?
    pub(super) fn has_lines(&self) -> bool {
        self.run.system.layout.remembered.len > 0
    }

    /// Keeps the state at the beginning of single steps where these will be repeated.
    pub(super) fn keep_beginnings(&mut self) {
        let told = self.told_by_repeating();
        self.begun.keeps_one = told != Asked::default();
    }

    /// Must the last communication step be repeated for this, though it was a single integration step?
    pub(super) fn repeats_one(&self, asked: Asked) -> bool {
        let told = self.told_by_repeating();
        let needed = asked.inputs && told.inputs
            || asked.parameters && told.parameters
            || asked.accelerations && told.accelerations;
        needed && self.begun.keeps_one && (self.begun.made, self.begun.planned) == (1, 1)
    }

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
        self.begin_inputs(sensitivity, by);
        let fits = self.follow_parameters();
        let Part { system, state, ws } = &mut *self.run;
        ws.triggered.fill(false);
        show(system, state, ws);
        fits && (0..steps).all(|_| self.step().is_ok())
    }

    /// Begins the courses of inputs again; those that are moved count as set to the moved value.
    fn begin_inputs(&mut self, sensitivity: &Sensitivity, by: f64) {
        let Part { system, state, .. } = &mut *self.run;
        let layout = &system.layout;
        let rates = &sensitivity.direction()[layout.inputs.range()];
        for (input, rate) in rates.iter().enumerate() {
            inputs::move_line(layout, state, input, by * rate);
        }
        let length = f64::from(self.begun.planned) * state.step(layout);
        let bounds = &system.input_bounds;
        inputs::begin(layout, state, &Communication { bounds, length });
    }
}

//! Control plane: steps of kinematic and quasi-static runs, which solve each instant by itself.

use super::{Part, Simulation, StartError};
use crate::analysis::instants::quasi_static::{Earlier, Remarks};
use crate::analysis::instants::{Halt, Instants, obstacles};
use crate::integrator::accepted::{refresh, remember_forces, show};
use crate::integrator::{StepFailure, StepReport, memory};
use crate::mechanism::{Mode, SolverSettings};
use crate::state::Counter;
use crate::system::length::characteristic_length;
use crate::system::stage::Evaluated;
use crate::system::{System, energy};
use alloc::string::String;
use alloc::vec::Vec;

/// What a run that solves instants keeps besides its state.
#[derive(Clone, Debug, Default)]
pub(super) struct Solved {
    /// Sentences that have not been told yet.
    remarks: Vec<String>,
    /// Sentences from the search for equilibrium that have been.
    told: Vec<String>,
    /// Why the last step failed.
    halt: Option<Halt>,
    /// Effective inputs and parameters of the last instant; `None` before the first.
    settings: Option<[Vec<f64>; 2]>,
}

/// The longest part of an interval that the settings allow \[s\].
fn longest(settings: &SolverSettings) -> f64 {
    settings.hmax.unwrap_or(f64::INFINITY)
}

impl Simulation {
    /// The stepped mechanism at its present instant.
    fn instants(&mut self) -> Instants<'_> {
        let length = characteristic_length(&self.run.system);
        let longest = longest(&self.mechanism.solver);
        let Part { system, state, ws } = &mut *self.run;
        Instants {
            mechanism: &self.mechanism,
            system,
            state,
            ws,
            length,
            longest,
            unstable: false,
        }
    }

    /// The error if the mechanism cannot have a run of its mode.
    pub(super) fn refuse_mode(&mut self) -> Result<(), StartError> {
        let mode = self.mechanism.solver.mode;
        if !mode.solves_instants() {
            return Ok(());
        }
        self.solved = Solved::default();
        self.remember_settings();
        match self.instants().refusal(mode) {
            Some(reason) => Err(StartError::from(reason)),
            None => Ok(()),
        }
    }

    /// Could the mechanism have a kinematic run?
    pub fn can_be_kinematic(&self) -> bool {
        let system = &self.run.system;
        let moves = system.bodies.iter().any(|body| body.block.is_some());
        let obstacles = || obstacles::of(&self.mechanism, system, Mode::Kinematic);
        moves && system.freedoms() == 0 && obstacles().is_empty()
    }

    /// What the last steps have to say, each sentence once.
    pub fn take_remarks(&mut self) -> Vec<String> {
        core::mem::take(&mut self.solved.remarks)
    }

    /// Why the last instant was not reached.
    pub fn halt(&self) -> Option<&Halt> {
        self.solved.halt.as_ref()
    }

    /// Any step but a fixed one.
    #[cold]
    pub(super) fn step_otherwise(&mut self) -> Result<StepReport, StepFailure> {
        if self.ahead.is_some() {
            self.step_variable()
        } else {
            self.step_to_instant()
        }
    }

    /// A step of a run that solves instants.
    fn step_to_instant(&mut self) -> Result<StepReport, StepFailure> {
        if self.stepper.is_none() {
            return Err(StepFailure::NotStarted);
        }
        let Part { system, state, ws } = &mut *self.run;
        ws.triggered.fill(false);
        let layout = &system.layout;
        let until = state.time_after(layout, 1);
        let known = (state.span(layout.time).to_vec(), state.counters);
        let before = state.clone();
        let reached = if self.mechanism.solver.mode == Mode::Kinematic {
            self.instants().follow(until).map(|()| Remarks::default())
        } else {
            let kinds =
                [true, false].map(|all| self.run.system.with_modal_inertia(&self.mechanism, all));
            let own = self.run.system.clone();
            let systems: Vec<&System> = match &kinds {
                [Some(heavy), Some(light)] => [heavy, light].into(),
                _ => [&own].into(),
            };
            let earlier = self.solved.settings.take();
            let earlier = earlier
                .as_ref()
                .map(|[inputs, parameters]| Earlier { inputs, parameters });
            self.instants().settle(until, &systems, earlier)
        };
        let Part { system, state, ws } = &mut *self.run;
        let remarks = match reached {
            Ok(remarks) => remarks,
            Err(halt) => {
                state.copy_from(&before);
                show(system, state, ws);
                self.solved.halt = Some(halt);
                return Err(StepFailure::Instant);
            }
        };
        let layout = &system.layout;
        state.span_mut(layout.time).copy_from_slice(&known.0);
        state.counters = known.1;
        state.keep_last(layout);
        *state.counter_mut(Counter::SinceBase) += 1;
        *state.counter_mut(Counter::Steps) += 1;
        let balanced = refresh(system, state, ws);
        remember_forces(system, state, &balanced);
        energy::account(system, state, ws);
        memory::update(system, state, Evaluated::kept(ws));
        self.remember_settings();
        self.remember(remarks);
        Ok(StepReport::default())
    }

    /// Keeps inputs and parameters of the present instant: others that are set later are a way to go.
    pub(super) fn remember_settings(&mut self) {
        if !self.mechanism.solver.mode.solves_instants() {
            return;
        }
        let Part { system, state, .. } = &*self.run;
        let spans = [system.layout.inputs, system.layout.parameters];
        self.solved.settings = Some(spans.map(|span| state.span(span).to_vec()));
    }

    /// Keeps what has not been said before.
    fn remember(&mut self, remarks: Remarks) {
        self.solved.remarks.extend(remarks.jumps);
        for note in remarks.notes {
            if !self.solved.told.contains(&note) {
                self.solved.told.push(note.clone());
                self.solved.remarks.push(note);
            }
        }
    }
}

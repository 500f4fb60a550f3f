//! Runs with a variable step. A step of the simulation then covers the same time as with a fixed step; within it there
//! are as many steps as the tolerance asks for, or part of one, and what it shows is interpolated.

use super::{Part, Simulation};
use crate::integrator::{StepFailure, StepReport};
use crate::mechanism::{Formulation, MotionLevel};
use crate::state::{Counter, State};
use crate::system::layout::Span;
use crate::system::{System, energy};
use crate::variable::{Report, Run, Tolerance, Variable};
use crate::workspace::Workspace;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Why a mechanism cannot be integrated with a variable step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoVariableStep {
    /// It has elements with a memory.
    #[error(
        "sampled systems, sensors and DELAY take effect at the ends of fixed steps; leave the tolerance out, or these \
         elements"
    )]
    Memory,
    /// The formulation is SI2.
    #[error("a variable step has formulation I3; set solver.formulation to I3")]
    Formulation,
    /// A motion prescribes a rate.
    #[error(
        "motions that prescribe a velocity or an acceleration are integrated with the fixed step; give the displacement, \
         or leave the tolerance out"
    )]
    Rates,
}

/// The integration of a run, which can be ahead of what is shown.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    tolerance: Tolerance,
    /// The integration, its last accepted state and scratch; none before the first step.
    begun: Option<Box<(Variable, State, Workspace)>>,
    /// Counts of integrations that were given up, since something was set.
    before: Report,
}

impl Simulation {
    /// From now on integrates with a variable step, to this tolerance.
    pub fn set_tolerance(&mut self, tolerance: Tolerance) -> Result<(), NoVariableStep> {
        if !self.run.system.memory.is_empty() {
            return Err(NoVariableStep::Memory);
        }
        if self.mechanism.solver.formulation == Formulation::Si2 {
            return Err(NoVariableStep::Formulation);
        }
        let mut levels = self.run.system.motions.iter().map(|motion| motion.level);
        if levels.any(|level| level != MotionLevel::Displacement) {
            return Err(NoVariableStep::Rates);
        }
        self.ahead = Some(Box::new(Ahead {
            tolerance,
            begun: None,
            before: Report::default(),
        }));
        Ok(())
    }

    /// What a variable step remembers, for saved states; `None` with a fixed step and before the first step.
    pub fn variable_memory(&self) -> Option<Vec<f64>> {
        None
    }

    /// Restores it, after the state; an empty one is none. `false`: it is not one of this model, and the integration
    /// begins anew.
    pub fn restore_variable_memory(&mut self, memory: &[f64]) -> bool {
        if let Some(ahead) = &mut self.ahead {
            ahead.begun = None;
        }
        memory.is_empty()
    }

    /// What the variable step has done so far; `None` with a fixed step.
    pub fn variable_report(&self) -> Option<Report> {
        let ahead = self.ahead.as_ref()?;
        let present = ahead.begun.as_ref().map(|begun| begun.0.report);
        Some(ahead.before.plus(&present.unwrap_or_default()))
    }

    /// A step of the simulation with a variable step.
    #[cold]
    pub(super) fn step_variable(&mut self) -> Result<StepReport, StepFailure> {
        let Part { system, state, ws } = &mut *self.run;
        let (Some(stepper), Some(ahead)) = (&mut self.stepper, &mut self.ahead) else {
            return Err(StepFailure::NotStarted);
        };
        let layout = &system.layout;
        let until = state.time_after(layout, 1);
        // What an input will be is not known before the step begins.
        let stop = self.mechanism.experiment.stop;
        let end = if layout.inputs.len > 0 || stop < until {
            until
        } else {
            stop
        };
        let shown = ahead.begun.as_ref().map(|begun| begun.0.shown().0);
        if shown.is_none_or(|shown| is_changed(system, state, shown)) {
            if let Some(begun) = &ahead.begun {
                ahead.before = ahead.before.plus(&begun.0.report);
            }
            let variable = Variable::new(system, state, ws, ahead.tolerance);
            ahead.begun = Some(Box::new((variable, state.clone(), ws.clone())));
        }
        let Some(begun) = &mut ahead.begun else {
            return Err(StepFailure::NotStarted);
        };
        let (variable, own, scratch) = &mut **begun;
        let earlier = variable.report;
        let mut run = Run {
            system,
            state: own,
            ws: scratch,
            stepper,
            length_unit: self.mechanism.units.length.factor,
        };
        variable.advance(&mut run, until, end)?;
        take(system, (state, ws), variable.shown());
        energy::account(system, state, ws);
        state.keep_last(layout);
        *state.counter_mut(Counter::SinceBase) += 1;
        *state.counter_mut(Counter::Steps) += 1;
        let made = variable.report;
        Ok(StepReport {
            iterations: (made.iterations - earlier.iterations) as u32,
            jacobians: (made.jacobians - earlier.jacobians) as u32,
        })
    }
}

/// Has anything been set since the integration showed this state?
fn is_changed(system: &System, state: &State, shown: &State) -> bool {
    let layout = &system.layout;
    let spans = [
        layout.pose,
        layout.modal,
        layout.velocity,
        layout.states,
        layout.inputs,
        layout.parameters,
        layout.numbers,
        layout.ramp,
    ];
    // Derivatives of inputs apply to the next communication step alone.
    let courses = state.span(layout.courses).iter().any(|x| *x != 0.0);
    let differs = |span: &Span| state.span(*span) != shown.span(*span);
    courses || spans.iter().any(differs)
}

/// Takes over what is shown, but for time, counters and the account of energies.
fn take(
    system: &System,
    (state, ws): (&mut State, &mut Workspace),
    (shown, shown_ws): (&State, &Workspace),
) {
    let layout = &system.layout;
    let time = [0, 1].map(|k| state.reals[layout.time.first + k]);
    let kept = state.span(layout.account).to_vec();
    state.reals.copy_from_slice(&shown.reals);
    state.span_mut(layout.time).copy_from_slice(&time);
    state.span_mut(layout.account).copy_from_slice(&kept);
    ws.clone_from(shown_ws);
}

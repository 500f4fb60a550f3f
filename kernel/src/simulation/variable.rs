//! Runs with a variable step. A step of the simulation then covers the same time as with a fixed step; within it there
//! are as many steps as the tolerance asks for, or part of one, and what it shows is interpolated.

use super::{Part, Simulation};
use crate::analysis::linearization;
use crate::integrator::{StepFailure, StepReport, Stepper};
use crate::mechanism::called;
use crate::state::{Counter, State};
use crate::system::System;
use crate::system::layout::{Layout, Span};
use crate::variable::{Course, Report, Source, Tolerance, Variable};
use crate::workspace::Workspace;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The integration of a run, which can be ahead of what is shown.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    tolerance: Tolerance,
    /// The integration, its last accepted state and scratch; none before the first step.
    begun: Option<Box<Begun>>,
    /// Counts of integrations that were given up, since something was set.
    before: Report,
}

#[derive(Clone, Debug)]
struct Begun {
    variable: Variable,
    state: State,
    ws: Workspace,
}

/// What has been set since the integration showed a state.
enum Changed {
    Nothing,
    /// Inputs alone; has one changed its value?
    Inputs(bool),
    Anything,
}

impl Begun {
    /// The integration and what it works on.
    fn on<'a>(
        &'a mut self,
        stepper: &'a mut Stepper,
        length_unit: f64,
    ) -> (&'a mut Variable, Course<'a>) {
        let course = Course {
            state: &mut self.state,
            ws: &mut self.ws,
            stepper,
            length_unit,
        };
        (&mut self.variable, course)
    }
}

impl Simulation {
    /// From now on integrates with a variable step, to this tolerance.
    pub fn set_tolerance(&mut self, tolerance: Tolerance) {
        self.ahead = Some(Box::new(Ahead {
            tolerance,
            begun: None,
            before: Report::default(),
        }));
    }

    /// What the variable step has done so far; `None` with a fixed step.
    pub fn variable_report(&self) -> Option<Report> {
        let ahead = self.ahead.as_ref()?;
        let present = ahead.begun.as_ref().map(|begun| begun.variable.report);
        Some(ahead.before.plus(&present.unwrap_or_default()))
    }

    /// Sentences about a run with a variable step: what changes its branch so often that its events were no longer
    /// located.
    pub fn variable_notes(&self) -> Vec<String> {
        let begun = self.ahead.as_ref().and_then(|ahead| ahead.begun.as_ref());
        let mut all: Vec<String> = { begun.iter() }
            .flat_map(|begun| begun.variable.chattering())
            .map(|source| {
                format!(
                    "{} changes between branches again and again; the step no longer ends at each change, and its \
                     results there are those of short steps; make the function smooth (STEP), or give it hysteresis",
                    self.describe_source(source)
                )
            })
            .collect();
        all.sort();
        all.dedup();
        all
    }

    fn describe_source(&self, source: Source) -> String {
        match source {
            Source::Expression(expr) => {
                let owners = linearization::owners(&self.mechanism).into_iter();
                let mut own = owners.filter(|(_, other)| *other == expr);
                own.next()
                    .map_or_else(|| String::from("an expression"), |(name, _)| name)
            }
            Source::Force(f) => format!("force {}", called(&self.mechanism.forces[f.index()].name)),
            Source::Sensor(k) => {
                format!("sensor {}", called(&self.mechanism.memory.sensors[k].name))
            }
        }
    }

    /// A step of the simulation with a variable step.
    #[cold]
    pub(super) fn step_variable(&mut self) -> Result<StepReport, StepFailure> {
        let until = self.run.state.time_after(&self.run.system.layout, 1);
        // What an input will be is not known before the step begins.
        let stop = self.mechanism.experiment.stop;
        let has_inputs = self.run.system.layout.inputs.len > 0;
        let end = if has_inputs || stop < until {
            until
        } else {
            stop
        };
        let earlier = self.variable_report().unwrap_or_default();
        self.take_changes(end)?;
        let unit = self.mechanism.units.length.factor;
        let Part { system, state, ws } = &mut *self.run;
        let (Some(stepper), Some(ahead)) = (&mut self.stepper, &mut self.ahead) else {
            return Err(StepFailure::NotStarted);
        };
        let Some(begun) = &mut ahead.begun else {
            return Err(StepFailure::NotStarted);
        };
        let (variable, mut course) = begun.on(stepper, unit);
        variable.advance(&mut course, until, end)?;
        take(&system.layout, (state, ws), variable.shown());
        state.keep_last(&system.layout);
        *state.counter_mut(Counter::SinceBase) += 1;
        *state.counter_mut(Counter::Steps) += 1;
        let made = self.variable_report().unwrap_or_default();
        Ok(StepReport {
            iterations: (made.iterations - earlier.iterations) as u32,
            jacobians: (made.jacobians - earlier.jacobians) as u32,
        })
    }

    /// Begins the integration, or lets it know what has been set.
    fn take_changes(&mut self, end: f64) -> Result<(), StepFailure> {
        let unit = self.mechanism.units.length.factor;
        let stop = self.mechanism.experiment.stop.max(end);
        let Part { system, state, ws } = &mut *self.run;
        let layout = &system.layout;
        let (Some(stepper), Some(ahead)) = (&mut self.stepper, &mut self.ahead) else {
            return Err(StepFailure::NotStarted);
        };
        let shown = ahead.begun.as_ref().map(|begun| begun.variable.shown().0);
        let changed = shown.map_or(Changed::Anything, |shown| changed(system, state, shown));
        match (changed, &mut ahead.begun) {
            (Changed::Nothing, _) => Ok(()),
            (Changed::Inputs(jumped), Some(begun)) => {
                for span in input_spans(layout) {
                    let range = span.range();
                    begun.state.reals[range.clone()].copy_from_slice(&state.reals[range]);
                }
                let (variable, mut course) = begun.on(stepper, unit);
                variable.disturb(&mut course, jumped)
            }
            _ => {
                if let Some(begun) = &ahead.begun {
                    ahead.before = ahead.before.plus(&begun.variable.report);
                }
                let mut own = (state.clone(), ws.clone());
                let given = (&own.0, &mut own.1);
                let variable = Variable::new(system, given, stepper, (ahead.tolerance, stop));
                let begun = ahead.begun.insert(Box::new(Begun {
                    variable,
                    state: own.0,
                    ws: own.1,
                }));
                let (variable, mut course) = begun.on(stepper, unit);
                variable.begin(&mut course)
            }
        }
    }

    /// The integration as numbers, which belong to the saved state; `None` with a fixed step and before the first step.
    pub fn variable_memory(&mut self) -> Option<Vec<f64>> {
        let unit = self.mechanism.units.length.factor;
        let (stepper, ahead) = (self.stepper.as_mut()?, self.ahead.as_mut()?);
        let begun = ahead.begun.as_mut()?;
        let (variable, mut course) = begun.on(stepper, unit);
        let variable = variable.clone();
        Some(variable.save(&mut course))
    }

    /// Continues with an integration that was saved with the present state; without one, it begins anew.
    pub fn restore_variable_memory(&mut self, numbers: Option<&[f64]>) -> bool {
        let unit = self.mechanism.units.length.factor;
        let stop = self.mechanism.experiment.stop;
        let Part { system, state, ws } = &mut *self.run;
        let (Some(stepper), Some(ahead)) = (&mut self.stepper, &mut self.ahead) else {
            return false;
        };
        ahead.begun = None;
        let Some(numbers) = numbers else {
            return true;
        };
        let mut own = (state.clone(), ws.clone());
        let given = (&own.0, &mut own.1);
        let variable = Variable::new(system, given, stepper, (ahead.tolerance, stop));
        let mut begun = Box::new(Begun {
            variable,
            state: own.0,
            ws: own.1,
        });
        let (variable, mut course) = begun.on(stepper, unit);
        let restored = variable.restore(&mut course, numbers);
        if restored {
            ahead.begun = Some(begun);
        }
        restored
    }
}

/// The spans of what an importer sets of inputs.
fn input_spans(layout: &Layout) -> [Span; 4] {
    [
        layout.inputs,
        layout.asked,
        layout.courses,
        layout.remembered,
    ]
}

/// Has anything been set since the integration showed this state?
fn changed(system: &System, state: &State, shown: &State) -> Changed {
    let layout = &system.layout;
    let others = [
        layout.pose,
        layout.modal,
        layout.velocity,
        layout.states,
        layout.parameters,
        layout.numbers,
        layout.ramp,
        layout.memory,
    ];
    let differs = |span: &Span| state.span(*span) != shown.span(*span);
    if others.iter().any(differs) {
        return Changed::Anything;
    }
    // Derivatives of inputs apply to the next communication step alone.
    let courses = state.span(layout.courses).iter().any(|x| *x != 0.0);
    if courses || input_spans(layout).iter().any(differs) {
        return Changed::Inputs(differs(&layout.inputs));
    }
    Changed::Nothing
}

/// Takes over what is shown, but for time and counters.
fn take(
    layout: &Layout,
    (state, ws): (&mut State, &mut Workspace),
    (shown, shown_ws): (&State, &Workspace),
) {
    let time = [0, 1].map(|k| state.reals[layout.time.first + k]);
    state.reals.copy_from_slice(&shown.reals);
    state.span_mut(layout.time).copy_from_slice(&time);
    ws.clone_from(shown_ws);
}

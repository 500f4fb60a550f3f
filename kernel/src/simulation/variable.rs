//! Runs with a variable step. A step of the simulation then covers the same time as with a fixed step; within it there
//! are as many steps as the tolerance asks for, or part of one, and what it shows is interpolated.

use super::{Part, Simulation};
use crate::analysis::linearization;
use crate::integrator::{StepFailure, StepReport, Stepper};
use crate::mechanism::{IntegratorKind, SolverSettings, UnitSystem, called};
use crate::seconds::Seconds;
use crate::state::{Counter, State};
use crate::system::System;
use crate::system::layout::{Layout, Span};
use crate::variable::{Course, Outcome, Report, Source, Tolerance, Variable};
use crate::workspace::Workspace;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Newton's iteration strays if it fails in more than this part of the steps,
const STRAYING: f64 = 0.1;
/// and in this many. Runs whose tolerance suits them have hardly any such failures.
const STRAYS: u64 = 20;

/// The integration of a run, which can be ahead of what is shown.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    tolerance: Tolerance,
    /// The integration, its last accepted state and scratch; none before the first step.
    begun: Option<Box<Begun>>,
    /// Counts of integrations that were given up, since something was set.
    before: Report,
    /// Did an input change at the last communication point? Then steps do not pass the next one.
    disturbed: bool,
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
        units: &UnitSystem,
    ) -> (&'a mut Variable, Course<'a>) {
        let course = Course {
            state: &mut self.state,
            ws: &mut self.ws,
            stepper,
            length_unit: units.length.factor,
        };
        (&mut self.variable, course)
    }
}

impl Simulation {
    /// From now on integrates with a variable step, to this tolerance.
    pub fn set_tolerance(&mut self, tolerance: Tolerance) {
        self.otherwise = true;
        self.ahead = Some(Box::new(Ahead {
            tolerance,
            begun: None,
            before: Report::default(),
            disturbed: false,
        }));
        self.remember_jumps(true);
    }

    /// Lets delays remember jumps as such, or not.
    pub(super) fn remember_jumps(&mut self, whether: bool) {
        for entry in &mut self.run.system.memory.delays {
            entry.has_jumps = whether;
        }
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
        let lenient = begun.is_some_and(|begun| begun.variable.is_lenient());
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
        let unjudged = begun
            .into_iter()
            .flat_map(|begun| begun.variable.unjudged());
        all.extend(unjudged.map(|k| {
            format!(
                "{} reads reactions or accelerations, which a variable step in formulation I3 does not control; its own \
                 error is not controlled either: take formulation SI2",
                self.run.system.equations[k].name
            )
        }));
        let limited = begun.and_then(|begun| begun.variable.limited());
        all.extend(limited.map(|(time, steps)| {
            format!(
                "energy came from nowhere, first at {} s, so {steps} steps were limited to order 2: vibrations with little \
                 damping grow at higher orders of backward differentiation; what came before has such energy in it: take \
                 HHT, or kmax 2",
                Seconds(time)
            )
        }));
        all.extend(self.strays());
        all.extend(self.first_order());
        if begun.is_some_and(|begun| begun.variable.lags()) {
            all.push(String::from(
                "a force or an equation reads accelerations, and those of HHT, NEWMARK and GENALPHA are of an instant within the \
                 step: the error is of first order, and is not controlled; take WSTIFF or GSTIFF",
            ));
        }
        if lenient {
            all.push(String::from(
                "the mechanism has contacts, so corrector is modified; orig_constant would keep it original",
            ));
        }
        all
    }

    /// A sentence about a run in which Newton's iteration fails again and again.
    fn strays(&self) -> Option<String> {
        let made = self.variable_report()?;
        let attempts = made.steps + made.rejected + made.diverged;
        let often = made.diverged >= STRAYS && made.diverged as f64 > STRAYING * made.steps as f64;
        let part = 100.0 * made.diverged as f64 / attempts.max(1) as f64;
        let maxit = self.mechanism.solver.maxit;
        let usual = SolverSettings::default().maxit;
        let why = if maxit < usual {
            format!(
                "solver.maxit {maxit} ends it early, so that steps are short; take solver.maxit {usual}, the default"
            )
        } else {
            String::from(
                "the tolerance allows steps beyond which the motion cannot be predicted, and errors are then not estimated \
                 well; take a tenth of solver.error and compare",
            )
        };
        often.then(|| {
            format!(
                "Newton's iteration has failed in {part:.0} % of the attempted steps, at last at {}: {why}",
                self.describe(made.strayed)
            )
        })
    }

    /// A sentence about NEWMARK with damping. Its velocities, v₁ = v₀ + h ((1 − γ) a₀ + γ a₁) (Newmark, *A method of computation
    /// for structural dynamics*, 1959), are wrong by (γ − ½) h² times the derivative of the acceleration a in a step h, and
    /// positions add that up over all steps; the error of one step, of order h³, does not show it.
    fn first_order(&self) -> Option<String> {
        let solver = &self.mechanism.solver;
        let is_first = solver.integrator == IntegratorKind::Newmark && solver.gamma > 0.5;
        is_first.then(|| {
            format!(
                "NEWMARK with gamma {} is of first order: the errors of its steps add up, and a tenth of solver.error takes half \
                 of the error away, no more; take HHT or GENALPHA",
                solver.gamma
            )
        })
    }

    pub(super) fn describe_source(&self, source: Source) -> String {
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
    pub(super) fn step_variable(&mut self) -> Result<StepReport, StepFailure> {
        let until = self.run.state.time_after(&self.run.system.layout, 1);
        let end = self.prepare(until)?;
        let earlier = self.variable_report().unwrap_or_default();
        let Part { system, state, .. } = &*self.run;
        let known = (state.span(system.layout.time).to_vec(), state.counters);
        let reached = self.integrate(|variable, course| variable.advance(course, until, end))?;
        let Part { system, state, .. } = &mut *self.run;
        state.span_mut(system.layout.time).copy_from_slice(&known.0);
        state.counters = known.1;
        state.keep_last(&system.layout);
        if reached < until {
            // A sensor stops the run here.
            state.reals[system.layout.time.first] = reached;
            *state.counter_mut(Counter::SinceBase) = 0;
        } else {
            *state.counter_mut(Counter::SinceBase) += 1;
        }
        *state.counter_mut(Counter::Steps) += 1;
        let made = self.variable_report().unwrap_or_default();
        Ok(StepReport {
            iterations: (made.iterations - earlier.iterations) as u32,
            jacobians: (made.jacobians - earlier.jacobians) as u32,
        })
    }

    /// Takes over what has been set, before the integration goes on to a time \[s\]; the time that no step may pass.
    fn prepare(&mut self, until: f64) -> Result<f64, StepFailure> {
        let stop = self.mechanism.experiment.stop;
        self.take_changes(until.max(stop))?;
        let kept = self.ahead.as_ref();
        let to_here = kept.is_some_and(|ahead| ahead.tolerance.exact || ahead.disturbed);
        // Beyond the experiment the end of the run is not known.
        Ok(if to_here {
            until
        } else if until <= stop {
            stop
        } else {
            f64::INFINITY
        })
    }

    /// With a variable step: goes on to the end of the next step that the integration makes before the time `until`, or
    /// to that time; the present time is then there. Has it arrived at `until`?
    pub fn step_towards(&mut self, until: f64) -> Result<bool, StepFailure> {
        let from = self.time();
        let end = self.prepare(until)?;
        let Part { system, state, .. } = &*self.run;
        let known = (state.step(&system.layout), state.counters);
        let between =
            self.integrate(|variable, course| variable.next_end(course, (from, until), end))?;
        let time = match between {
            Some(time) => time,
            None => self.integrate(|variable, course| variable.advance(course, until, end))?,
        };
        let Part { system, state, .. } = &mut *self.run;
        state
            .span_mut(system.layout.time)
            .copy_from_slice(&[time, known.0]);
        state.counters = known.1;
        state.keep_last(&system.layout);
        *state.counter_mut(Counter::SinceBase) = 0;
        *state.counter_mut(Counter::Steps) += 1;
        Ok(between.is_none())
    }

    /// Lets the integration go on, and takes over what it shows then.
    fn integrate<T>(
        &mut self,
        go_on: impl FnOnce(&mut Variable, &mut Course<'_>) -> Result<T, StepFailure>,
    ) -> Result<T, StepFailure> {
        let units = &self.mechanism.units;
        let Part { system, state, ws } = &mut *self.run;
        let (Some(stepper), Some(ahead)) = (&mut self.stepper, &mut self.ahead) else {
            return Err(StepFailure::NotStarted);
        };
        let Some(begun) = &mut ahead.begun else {
            return Err(StepFailure::NotStarted);
        };
        let (variable, mut course) = begun.on(stepper, units);
        let done = go_on(variable, &mut course)?;
        take(&system.layout, state, variable.shown());
        variable.exchange(ws);
        Ok(done)
    }

    /// What the attempts of steps did since this was asked last, with setting `eprint`: one line for each attempt, and
    /// one for each of its iterations.
    pub fn take_trace(&mut self) -> Vec<String> {
        let begun = self.ahead.as_mut().and_then(|ahead| ahead.begun.as_mut());
        let attempts = begun.map(|begun| core::mem::take(&mut begun.variable.trace));
        let mut lines = Vec::new();
        for attempt in attempts.unwrap_or_default() {
            let (how, most) = match attempt.outcome {
                Outcome::Accepted(most) => ("accepted", Some(most)),
                Outcome::Repeated(most) => ("repeated to end where something changes", Some(most)),
                Outcome::Rejected(most) => ("rejected", Some(most)),
                Outcome::Diverged => ("not converged", None),
            };
            let error = most.map_or_else(String::new, |most| {
                format!(", error {:.3e} of {}", most.value, self.describe(most.of))
            });
            lines.push(format!(
                "t {:.9e} s, step {:.3e} s, order {}: {how}{error}",
                attempt.time, attempt.step, attempt.order
            ));
            for (k, one) in attempt.iterations.iter().enumerate() {
                let [residual, correction] = [one.residual, one.correction]
                    .map(|most| format!("{:.3e} of {}", most.value, self.describe(most.of)));
                let jacobian = if one.jacobian { ", new Jacobian" } else { "" };
                lines.push(format!(
                    "  iteration {}: residual {residual}, correction {correction}{jacobian}",
                    k + 1
                ));
            }
        }
        lines
    }

    /// Begins the integration, or lets it know what has been set.
    fn take_changes(&mut self, end: f64) -> Result<(), StepFailure> {
        let units = &self.mechanism.units;
        let Part { system, state, ws } = &mut *self.run;
        let layout = &system.layout;
        let (Some(stepper), Some(ahead)) = (&mut self.stepper, &mut self.ahead) else {
            return Err(StepFailure::NotStarted);
        };
        let shown = ahead.begun.as_ref().map(|begun| begun.variable.shown());
        let changed = shown.map_or(Changed::Anything, |shown| changed(system, state, shown));
        ahead.disturbed = matches!(changed, Changed::Inputs(_));
        let now = state.time(layout);
        match (changed, &mut ahead.begun) {
            (Changed::Nothing, _) => Ok(()),
            (Changed::Inputs(jumped), Some(begun)) if begun.state.time(layout) <= now => {
                for span in input_spans(layout) {
                    let range = span.range();
                    begun.state.reals[range.clone()].copy_from_slice(&state.reals[range]);
                }
                let (variable, mut course) = begun.on(stepper, units);
                variable.disturb(&mut course, jumped)
            }
            _ => {
                if let Some(begun) = &ahead.begun {
                    ahead.before = ahead.before.plus(&begun.variable.report);
                }
                let mut own = (state.clone(), ws.clone());
                let given = (&own.0, &mut own.1);
                let variable =
                    Variable::new(system, given, stepper, (ahead.tolerance.clone(), end));
                let begun = ahead.begun.insert(Box::new(Begun {
                    variable,
                    state: own.0,
                    ws: own.1,
                }));
                let (variable, mut course) = begun.on(stepper, units);
                variable.begin(&mut course)
            }
        }
    }

    /// The integration as numbers, which belong to the saved state; `None` with a fixed step and before the first step.
    pub fn variable_memory(&self) -> Option<Vec<f64>> {
        let mut begun = self.ahead.as_ref()?.begun.clone()?;
        let mut stepper = self.stepper.clone()?;
        let (variable, mut course) = begun.on(&mut stepper, &self.mechanism.units);
        let variable = variable.clone();
        Some(variable.save(&mut course))
    }

    /// Continues with an integration that was saved with the present state; without one, it begins anew.
    pub fn restore_variable_memory(&mut self, numbers: Option<&[f64]>) -> bool {
        let units = &self.mechanism.units;
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
        let variable = Variable::new(system, given, stepper, (ahead.tolerance.clone(), stop));
        let mut begun = Box::new(Begun {
            variable,
            state: own.0,
            ws: own.1,
        });
        let (variable, mut course) = begun.on(stepper, units);
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
fn take(layout: &Layout, state: &mut State, shown: &State) {
    let time = [0, 1].map(|k| state.reals[layout.time.first + k]);
    state.reals.copy_from_slice(&shown.reals);
    state.span_mut(layout.time).copy_from_slice(&time);
}

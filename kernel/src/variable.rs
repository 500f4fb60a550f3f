//! Integration with variable step and order, to an error tolerance. Not for real time: the numbers of steps and
//! iterations follow from the data, and memory is allocated.
//!
//! Backward differentiation (Gear 1971) has the coefficients of the real sequence of steps (Brayton, Gustavson and
//! Hachtel 1972), or those of a constant step for values that are interpolated at equal distances. With the weights
//! w_j and p_j of [`weights`] at t_{n+1}, the displacement Δ from the last accepted pose and the displacements d_j of
//! [`history`]:
//!
//! ```text
//! u = w_0 Δ + u_0,      u_0 = (c_x, T_r(θ⁰) c_θ),   c = Σ_j w_j d_j                   (VAR-3)
//! u̇ = w_0 u + Σ_j w_j u_{n−j}                                                          (VAR-4)
//! Δ⁰ = Σ_j p_j d_j      by the polynomial through the poses n … n−k                    (VAR-5)
//! ```
//! T_r, the right tangent, is taken at the predicted rotation θ⁰: u stays affine in Δ, so a step has the equations of
//! all other schemes ([`crate::integrator`]), and since T_r(θ) θ = θ the order is k. The local error is estimated from
//! displacements, modal coordinates and states:
//!
//! ```text
//! e_k = |Δ − Δ⁰| / (w_0 (t_{n+1} − t_{n−k}))                                           (VAR-6)
//! ```
//! In formulation I3 velocities and multipliers do not tend to zero with a step that has changed, so they cannot count
//! (Brenan, Campbell and Petzold 1996); in SI2 and SI1 velocities do. SI1, with multipliers as derivatives of new
//! unknowns (Gear 1988), has the solution of SI2: the multipliers of SI2 are these derivatives, and no equation reads
//! the new unknowns themselves.

mod alpha;
mod control;
mod estimate;
mod events;
mod history;
mod indicators;
mod measure;
mod memory;
mod motions;
mod multistep;
mod newton;
mod report;
mod shown;
mod trace;
mod weights;

pub use control::{Method, Tolerance};
pub use indicators::Source;
pub use report::Report;
pub use trace::{Attempt, Outcome};

use crate::analysis::accelerations;
use crate::elements::bodies::InertiaTerm;
use crate::integrator::accepted::refresh;
use crate::integrator::si2::Projection;
use crate::integrator::{self, Scheme, StepFailure, Stepper};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::Corrector;
use crate::state::{Counter, State};
use crate::system::stage::Evaluated;
use crate::system::{System, energy, eval};
use crate::workspace::Workspace;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use control::Errors;
use events::Event;
use history::History;
use indicators::Indicators;
use measure::{Measured, largest_turn};
use multistep::Slopes;
use newton::{Iteration, Newton};

/// The highest order.
pub const ORDERS: usize = 6;
/// The largest rotation over the remembered poses \[rad\].
const MOST_TURN: f64 = 2.0;
/// Steps after a start in which step and order may grow quickly.
const YOUNG: usize = 10;
/// Instants that differ by this part of their size are one.
const ROUNDING: f64 = 1e-14;
/// The first step, as a part of the longest.
const FIRST: f64 = 1e-3;
/// Events at the beginning of a step in a row, after which the step is made nevertheless.
const SWITCHES: usize = 5;
/// Attempts to end a step beyond an event.
const LANDINGS: usize = 4;
/// Steps beyond an event that an attempt has missed, as parts of the step.
const BEYOND: f64 = 1e-9;
/// While an indicator chatters, steps are this part of the longest.
const CHATTERING: f64 = 0.01;

/// An integration with a variable step.
#[derive(Clone, Debug)]
pub struct Variable {
    tolerance: Tolerance,
    /// The mechanism, with branches held.
    system: Arc<System>,
    history: History,
    order: usize,
    /// Steps since the step or the order changed.
    since_change: usize,
    /// Steps since the last start.
    since_start: usize,
    /// Is the history behind an event at which something bends? Then the first rejection starts anew.
    bent: bool,
    /// The next step \[s\].
    next: f64,
    /// The last accepted step \[s\].
    last: f64,
    newton: Newton,
    in_a_row: usize,
    switches: usize,
    scratch: Vec<f64>,
    reached: Vec<f64>,
    motions: Vec<(f64, f64)>,
    indicators: Indicators,
    /// Differential equations that do not count for the error, since they read reactions in formulation I3.
    reads_reactions: Vec<bool>,
    /// Instants at which a step ends \[s\], and up to which time they are known.
    knots: (Vec<f64>, f64),
    /// How long the run is \[s\].
    length: f64,
    /// Sensors that have triggered since the last instant that was asked for.
    triggered: Vec<bool>,
    /// The projection of what is shown.
    projection: Option<Projection>,
    /// What the instant shows that was asked for.
    shown: State,
    shown_ws: Workspace,
    /// Counts of the run.
    pub report: Report,
    /// The attempts since they were taken, if they are recorded.
    pub trace: Vec<Attempt>,
}

/// What an integration works on.
pub struct Course<'a> {
    /// The last accepted state.
    pub state: &'a mut State,
    /// Scratch.
    pub ws: &'a mut Workspace,
    /// Buffers and factors.
    pub stepper: &'a mut Stepper,
    /// The user's length unit \[m\].
    pub length_unit: f64,
}

/// The same during a step.
struct Run<'a> {
    system: &'a System,
    state: &'a mut State,
    ws: &'a mut Workspace,
    stepper: &'a mut Stepper,
    length_unit: f64,
}

/// How a step ended.
enum Ended {
    /// As any other.
    Accepted,
    /// At an event, or at its own beginning because an event is there.
    At(Event),
}

impl Variable {
    /// Begins at the state of a run, which ends at a time \[s\].
    pub fn new(
        system: &System,
        (state, ws): (&State, &mut Workspace),
        stepper: &Stepper,
        (tolerance, end): (Tolerance, f64),
    ) -> Self {
        let n = system.layout.velocity.len;
        let indicators = Indicators::new(system);
        let registers = indicators.registers().max(ws.registers.len());
        ws.registers.resize(registers, 0.0);
        ws.adjoints.resize(registers, 0.0);
        ws.jet_registers.resize(registers, Default::default());
        let start = state.time(&system.layout);
        Self {
            history: History::new(system, state),
            order: 1,
            since_change: 0,
            since_start: 0,
            bent: false,
            next: tolerance.first.unwrap_or(FIRST * tolerance.longest),
            last: 0.0,
            newton: Newton::new(system),
            in_a_row: 0,
            switches: 0,
            scratch: vec![0.0; n],
            reached: vec![0.0; n],
            motions: vec![(0.0, 0.0); system.motions.len()],
            indicators,
            reads_reactions: if tolerance.method.is_stabilised() {
                vec![false; system.equations.len()]
            } else {
                indicators::read_reactions(system)
            },
            knots: (indicators::knots(system, state, (start, end)), end),
            length: end - start,
            triggered: vec![false; system.memory.sensors.len()],
            projection: Some(stepper.projection.anew()),
            shown: state.clone(),
            shown_ws: ws.clone(),
            report: Report::default(),
            trace: Vec::new(),
            system: Arc::new(system.clone()),
            tolerance,
        }
    }

    /// Takes the state as it stands for the beginning of a smooth piece.
    pub fn begin(&mut self, course: &mut Course<'_>) -> Result<(), StepFailure> {
        let system = Arc::clone(&self.system);
        let run = &mut course.run(&system);
        if !self.indicators.is_empty() {
            self.look(run, 0.0, (0.0, None));
            let cells = self.indicators.found.clone();
            self.indicators.enter(&cells, self.report.steps);
        }
        drop(system);
        self.indicators.hold(Arc::make_mut(&mut self.system));
        let system = Arc::clone(&self.system);
        self.restart(&mut course.run(&system))
    }

    /// Takes inputs over that have been set since the last step; `jumped`: has one changed its value?
    pub fn disturb(&mut self, course: &mut Course<'_>, jumped: bool) -> Result<(), StepFailure> {
        if jumped {
            let system = Arc::clone(&self.system);
            return self.restart(&mut course.run(&system));
        }
        self.bent = true;
        Ok(())
    }

    /// Steps until the time is reached or passed, and evaluates everything that can be read there.
    pub fn advance(
        &mut self,
        course: &mut Course<'_>,
        until: f64,
        end: f64,
    ) -> Result<(), StepFailure> {
        // The rounding of an instant is not a step.
        let reached = until - ROUNDING * until.abs();
        self.triggered.fill(false);
        let end = if self.tolerance.exact {
            until
        } else {
            end.max(until)
        };
        self.find_knots(course, until);
        while course.state.time(&self.system.layout) < reached {
            self.advance_once(course, end)?;
        }
        let system = Arc::clone(&self.system);
        self.show(&course.run(&system), until)
    }

    /// Finds the instants at which steps end up to a time, if they are not known so far.
    fn find_knots(&mut self, course: &Course<'_>, until: f64) {
        if until > self.knots.1 {
            let from = course.state.time(&self.system.layout);
            let to = until + 2.0 * (until - from);
            self.knots = (
                indicators::knots(&self.system, course.state, (from, to)),
                to,
            );
        }
    }

    /// The states whose error does not count, since they read reactions in formulation I3.
    pub fn unjudged(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.reads_reactions.iter().enumerate();
        all.filter(|(_, reads)| **reads).map(|(k, _)| k)
    }

    /// One accepted step, or a change of branches at the present state.
    fn advance_once(&mut self, course: &mut Course<'_>, end: f64) -> Result<(), StepFailure> {
        let system = Arc::clone(&self.system);
        let ended = self.step(&mut course.run(&system), end)?;
        drop(system);
        let Ended::At(event) = ended else {
            self.switches = 0;
            self.follow(course);
            return Ok(());
        };
        self.report.events += 1;
        let jumps = self.indicators.enter(&event.cells, self.report.steps);
        self.indicators.hold(Arc::make_mut(&mut self.system));
        self.bent = true;
        if jumps {
            let system = Arc::clone(&self.system);
            self.restart(&mut course.run(&system))?;
        }
        Ok(())
    }

    /// Takes over the branches at the end of a step, of what chatters.
    fn follow(&mut self, course: &mut Course<'_>) {
        if !self.indicators.chatter() {
            return;
        }
        let system = Arc::clone(&self.system);
        self.look(&course.run(&system), 0.0, (0.0, None));
        drop(system);
        if self.indicators.follow() {
            self.indicators.hold(Arc::make_mut(&mut self.system));
            self.history.filled = self.history.filled.min(2);
            self.order = self.order.min(2);
        }
    }

    /// Does CORRECTOR original become modified, because there are contacts?
    pub fn is_lenient(&self) -> bool {
        self.tolerance.corrector == Corrector::Original && newton::has_contacts(&self.system)
    }

    /// Shows the next end of a step within a range of time, ends excluded; `None` if there is no more.
    pub fn next_end(
        &mut self,
        course: &mut Course<'_>,
        (last, until): (f64, f64),
        end: f64,
    ) -> Result<Option<f64>, StepFailure> {
        let near = ROUNDING * until.abs();
        loop {
            let time = course.state.time(&self.system.layout);
            if time >= until - near {
                return Ok(None);
            }
            if time > last + near {
                let system = Arc::clone(&self.system);
                self.show(&course.run(&system), time)?;
                return Ok(Some(time));
            }
            self.advance_once(course, end.max(until))?;
        }
    }

    /// The state and values at the instant that was asked for.
    pub fn shown(&self) -> (&State, &Workspace) {
        (&self.shown, &self.shown_ws)
    }

    /// What changes its branch so often that its events are no longer located.
    pub fn chattering(&self) -> impl Iterator<Item = Source> + '_ {
        self.indicators.chattering()
    }

    /// One accepted step.
    fn step(&mut self, run: &mut Run<'_>, end: f64) -> Result<Ended, StepFailure> {
        let mut landing: Option<(Event, usize)> = None;
        loop {
            let h = match &landing {
                Some((event, _)) => event.after,
                None => self.fitting(run, end),
            };
            let attempted = self.attempt(run, h);
            let mut reached = attempted.as_ref();
            if reached.is_some_and(|(errors, _)| errors.own > self.tolerance.error) {
                reached = None;
            }
            if landing.is_none() && self.switches < SWITCHES {
                let scheme = reached.map(|(_, scheme)| scheme);
                if let Some(event) = self.event(run, h, scheme) {
                    self.undo(run);
                    if event.after == 0.0 {
                        self.switches += 1;
                        return Ok(Ended::At(event));
                    }
                    self.since_change = 0;
                    landing = Some((event, 0));
                    continue;
                }
            }
            if let (Some((event, tries)), Some((_, scheme))) = (&mut landing, reached)
                && *tries < LANDINGS
                && !self.look(run, h, (h, Some(scheme)))
            {
                // The repeated step ends just before the event.
                *tries += 1;
                event.after += BEYOND * h * f64::from(1 << (4 * *tries));
                self.undo(run);
                continue;
            }
            match attempted {
                Some((errors, scheme)) if errors.own <= self.tolerance.error => {
                    let event = landing.take().map(|(event, _)| event);
                    self.accept(run, (h, &scheme), &errors, event.is_some())?;
                    return Ok(event.map_or(Ended::Accepted, Ended::At));
                }
                Some((errors, _)) => {
                    landing = None;
                    self.report.rejected += 1;
                    self.in_a_row += 1;
                    let order = self.order;
                    let choice = control::rejected(&self.tolerance, order, &errors, self.in_a_row);
                    self.cut(run, (h * choice.factor, choice.order), (false, errors.of))?;
                }
                None => {
                    landing = None;
                    self.report.diverged += 1;
                    self.in_a_row += 1;
                    self.newton.forget();
                    self.newton.count(false);
                    let order = if self.in_a_row > 2 { 1 } else { self.order };
                    self.cut(run, (0.25 * h, order), (true, Default::default()))?;
                }
            }
        }
    }

    /// The next step: it ends at the end of the run, at a sample or where an expression bends by time, by two equal
    /// steps where one would leave a short rest.
    fn fitting(&self, run: &Run<'_>, end: f64) -> f64 {
        let layout = &run.system.layout;
        let time = run.state.time(layout);
        let near = time + ROUNDING * (time.abs() + self.next);
        let mut stop = end;
        let knots = &self.knots.0;
        let next = knots.partition_point(|knot| *knot <= near);
        if let Some(knot) = knots.get(next) {
            stop = stop.min(*knot);
        }
        if let Some(sample) = integrator::sampled::next(run.system, run.state, near) {
            stop = stop.min(sample);
        }
        let left = stop - time;
        let mut h = self.next.min(self.tolerance.longest);
        if self.indicators.chatter() {
            h = h.min(CHATTERING * self.tolerance.longest.min(self.length));
        }
        if h >= left {
            left
        } else if 2.0 * h > left {
            0.5 * left
        } else {
            h
        }
    }

    /// The state before an attempt.
    fn undo(&self, run: &mut Run<'_>) {
        let (before, layout) = (&run.stepper.before, &run.system.layout);
        run.state.copy_without_delays(before, layout);
    }

    fn cut(
        &mut self,
        run: &mut Run<'_>,
        (h, order): (f64, usize),
        (newton, entity): (bool, crate::system::entity::Entity),
    ) -> Result<(), StepFailure> {
        self.undo(run);
        if h < self.tolerance.shortest {
            return Err(StepFailure::TooShort {
                step: h,
                newton,
                entity,
            });
        }
        self.since_change = 0;
        self.next = h;
        if self.bent {
            return self.restart(run);
        }
        if matches!(self.tolerance.method, Method::Alpha(_)) {
            return Ok(());
        }
        if order == 1 && self.order > 1 {
            self.history.filled = self.history.filled.min(2);
        }
        self.order = order;
        Ok(())
    }

    /// Forgets what lies behind, and makes accelerations and reactions those of the present branches.
    fn restart(&mut self, run: &mut Run<'_>) -> Result<(), StepFailure> {
        let Run {
            system, state, ws, ..
        } = run;
        let layout = &system.layout;
        self.history.restart(system, state);
        self.newton.forget();
        self.report.starts += 1;
        (self.order, self.since_change, self.since_start) = (1, 0, 0);
        (self.bent, self.last) = (false, 0.0);
        state.span_mut(layout.history).fill(0.0);
        state.span_mut(layout.inertia_weight).fill(1.0);
        ws.inertia_terms.fill(InertiaTerm::plain());
        ws.flexible.modal_history.fill(0.0);
        accelerations::solve_moving(system, state, ws).map_err(|_| StepFailure::NoAccelerations)?;
        let balanced = refresh(system, state, ws);
        if let Method::Alpha(_) = self.tolerance.method {
            alpha::remember(system, state, &balanced);
            self.order = 2;
        }
        // ½ h² |u̇| is the tolerance.
        let a = state.span(layout.acceleration);
        self.scratch.fill(0.0);
        let measured = Measured {
            length_unit: run.length_unit,
        };
        let size = measure::distance(system, a, &self.scratch, &measured).value;
        if size > 0.0 {
            let h = (self.tolerance.error / size).sqrt();
            self.next = self.next.min(h.max(10.0 * self.tolerance.shortest));
        }
        Ok(())
    }

    /// A step of h; `None` if Newton's iteration does not converge.
    fn attempt(&mut self, run: &mut Run<'_>, h: f64) -> Option<(Errors, Scheme)> {
        let (system, layout) = (run.system, &run.system.layout);
        run.stepper.before.copy_without_delays(run.state, layout);
        set_time(system, run.state, h);
        let angles = &mut run.stepper.angles;
        angles.copy_from_slice(run.state.span(layout.angles));
        let scheme = self.predict(run, h);
        let Run {
            state, ws, stepper, ..
        } = run;
        ws.multipliers
            .copy_from_slice(state.span(layout.multipliers));
        let next = state.time_after(layout, 1);
        eval::settings(system, state, ws, next);
        motions::integrate(system, state, ws, &mut stepper.motions, h);
        eval::targets(system, state, ws, next, |m| stepper.motions[m]);
        let solved = self.newton.solve(&mut Iteration {
            system,
            state,
            ws,
            stepper,
            scheme: &scheme,
            tolerance: &self.tolerance,
            measured: Measured {
                length_unit: run.length_unit,
            },
            report: &mut self.report,
        });
        let errors = solved.then(|| self.errors(run, &scheme, h));
        if self.tolerance.traced {
            self.record(run, h, errors.as_ref());
        }
        errors.map(|errors| (errors, scheme))
    }

    /// Records an attempt.
    fn record(&mut self, run: &Run<'_>, h: f64, errors: Option<&Errors>) {
        let outcome = match errors.map(|errors| (errors.own <= self.tolerance.error, errors.most()))
        {
            None => Outcome::Diverged,
            Some((true, most)) => Outcome::Accepted(most),
            Some((false, most)) => Outcome::Rejected(most),
        };
        self.trace.push(Attempt {
            time: run.state.time(&run.system.layout),
            step: h,
            order: self.order,
            iterations: core::mem::take(&mut self.newton.trace),
            outcome,
        });
    }

    /// The start of Newton's iteration and the scheme of a step.
    fn predict(&mut self, run: &mut Run<'_>, h: f64) -> Scheme {
        let system = run.system;
        match self.tolerance.method {
            Method::Multistep { constant, .. } => {
                let apart = (h + self.history.times[1]).abs() > ROUNDING * h;
                if constant && self.history.filled > 1 && apart {
                    self.history.respace(h, self.order + 2);
                }
                let slopes = Slopes::new(&self.history, self.order, h);
                run.ws.inertia_terms.fill(InertiaTerm::plain());
                run.ws.flexible.modal_history.fill(0.0);
                let degree = self.order.min(self.history.filled);
                self.history.extrapolate(degree, h, &mut self.scratch);
                slopes.predict(system, run.stepper, &self.history, &self.scratch);
                slopes.predict_states(system, run.state, run.stepper, (&self.history, h));
                slopes.scheme()
            }
            Method::Alpha(parameters) => {
                if self.last > 0.0 {
                    alpha::shift(system, run.state, &parameters, (h, self.last));
                }
                alpha::predict(run, &parameters, h);
                let slopes = Slopes::new(&self.history, 2, h);
                slopes.predict_states(system, run.state, run.stepper, (&self.history, h));
                alpha::scheme(&parameters, h, slopes.own())
            }
        }
    }

    fn accept(
        &mut self,
        run: &mut Run<'_>,
        (h, scheme): (f64, &Scheme),
        errors: &Errors,
        at_event: bool,
    ) -> Result<(), StepFailure> {
        let Run {
            system,
            state,
            ws,
            stepper,
            ..
        } = run;
        integrator::accept(system, state, ws, stepper, scheme);
        self.history.push(system, state, &stepper.delta, h);
        let turned = largest_turn(system, &stepper.delta);
        self.newton.turned += turned;
        let balanced = refresh(system, state, ws);
        if let Method::Alpha(_) = self.tolerance.method {
            alpha::remember(system, state, &balanced);
        }
        energy::account(system, state, ws);
        self.report.steps += 1;
        self.report.note(errors);
        (self.in_a_row, self.last) = (0, h);
        self.newton.count(true);
        self.since_change += 1;
        self.since_start += 1;
        self.bent = false;
        self.choose(h, errors, (turned / h, at_event));
        self.remember(run)
    }

    /// Step and order to go on with, after a step in which parts turned at this rate \[rad/s\].
    fn choose(&mut self, h: f64, errors: &Errors, (rate, at_event): (f64, bool)) {
        let choice = if let Method::Alpha(_) = self.tolerance.method {
            control::accepted_alpha(&self.tolerance, errors.own)
        } else {
            let young = self.since_start < YOUNG;
            let free = self.since_change > self.order || young && self.history.filled > self.order;
            control::accepted(&self.tolerance, self.order, errors, (free, young))
        };
        // A step that was cut short to end at an event says nothing about the next one.
        let from = if at_event { self.next } else { h };
        let mut next = Limited {
            h: from * choice.factor,
            order: choice.order,
        };
        next.limit(rate);
        if next.h != h || next.order != self.order {
            self.since_change = 0;
        }
        self.next = next.h;
        self.order = next.order;
    }

    /// Samples, sensors and delays at the accepted state; what they change begins a new piece.
    fn remember(&mut self, run: &mut Run<'_>) -> Result<(), StepFailure> {
        let Run {
            system, state, ws, ..
        } = run;
        if system.memory.is_empty() {
            return Ok(());
        }
        let held = |state: &State| -> Vec<f64> {
            let memory = state.span(system.layout.memory);
            let leaves = system.memory.leaves.iter();
            leaves.map(|(_, place)| memory[*place]).collect()
        };
        let before = held(state);
        integrator::memory::update(system, state, Evaluated::kept(ws));
        for (all, now) in self.triggered.iter_mut().zip(&ws.triggered) {
            *all |= now;
        }
        if held(state) != before {
            return self.restart(run);
        }
        Ok(())
    }
}

impl Course<'_> {
    fn run<'a>(&'a mut self, system: &'a System) -> Run<'a> {
        Run {
            system,
            state: self.state,
            ws: self.ws,
            stepper: self.stepper,
            length_unit: self.length_unit,
        }
    }
}

/// The next step within what rotations allow: over the remembered poses a part must not turn too far.
struct Limited {
    h: f64,
    order: usize,
}

impl Limited {
    fn limit(&mut self, rate: f64) {
        if rate <= 0.0 {
            return;
        }
        self.h = self.h.min(MOST_TURN / rate);
        while self.order > 1 && self.order as f64 * rate * self.h > MOST_TURN {
            self.order -= 1;
        }
    }
}

/// Makes the present time the base, and h the step.
fn set_time(system: &System, state: &mut State, h: f64) {
    let layout = &system.layout;
    state.reals[layout.time.first] = state.time(layout);
    state.reals[layout.time.first + 1] = h;
    *state.counter_mut(Counter::SinceBase) = 0;
}

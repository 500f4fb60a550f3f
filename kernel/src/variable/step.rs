//! One step: attempts until one is accepted, and what step and order follow.

use super::control::{self, Errors, Method, Room};
use super::events::Event;
use super::indicators::reads_expression;
use super::measure::largest_turn;
use super::multistep::Slopes;
use super::newton::Iteration;
use super::piece::{Start, beside};
use super::trace::{Attempt, Outcome};
use super::{Ended, ROUNDING, Run, Variable, alpha, growth, motions};
use crate::elements::bodies::InertiaTerm;
use crate::guard;
use crate::integrator::accepted::{begin_contacts, find_feet, refresh, remember_forces};
use crate::integrator::{self, Scheme, StepFailure};
use crate::state::{Counter, State};
use crate::system::entity::Entity;
use crate::system::{System, energy, eval};

/// The largest rotation over the poses that a step and its error read \[rad\], as the last step turned;
const MOST_TURN: f64 = 4.5;
/// and that within a step, which may turn faster.
const STEP_TURN: f64 = 2.5;
/// Steps after a start in which step and order may grow quickly.
const YOUNG: usize = 10;
/// Events at the beginning of a step in a row, after which the step is made nevertheless.
const SWITCHES: usize = 5;
/// A step is made this much longer to end where it must.
const STRETCH: f64 = 1.05;
/// Attempts to end a step beyond an event.
const LANDINGS: usize = 4;
/// Steps beyond an event that an attempt has missed, as parts of the step.
const BEYOND: f64 = 1e-9;
/// A contact that has touched for less than this part of the step before an event begins there.
const BEGUN: f64 = 1e-4;
/// While an indicator chatters, steps are this part of the longest.
const CHATTERING: f64 = 0.01;

/// A state whose derivative chatters changes by this many tolerances in a step,
const SLIDING: f64 = 20.0;
/// which is this part of the run at least.
const FINEST: f64 = 1e-6;

impl Variable {
    /// One accepted step.
    pub(super) fn step(&mut self, run: &mut Run<'_>, end: f64) -> Result<Ended, StepFailure> {
        let mut landing: Option<(Event, usize)> = None;
        let mut shorter: Option<f64> = None;
        loop {
            let h = match (&landing, shorter.take()) {
                (Some((event, _)), _) => event.after,
                (None, Some(h)) => h,
                (None, None) => {
                    let most = self.farthest(run);
                    self.unaliased(run, self.fitting(run, (end, most)))
                }
            };
            let attempted = self.attempt(run, h, landing.is_some());
            if attempted.is_none() && self.indicators.release(run.system, run.ws) {
                undo(run);
                return Ok(Ended::Released);
            }
            if let Some((errors, _)) = &attempted
                && largest_turn(run.system, &run.stepper.delta) > STEP_TURN
            {
                (landing, self.report.rejected) = (None, self.report.rejected + 1);
                self.cut(run, (0.5 * h, self.order), (false, errors.of))?;
                continue;
            }
            let mut reached = attempted.as_ref();
            if reached.is_some_and(|(errors, _)| errors.own > self.tolerance.error) {
                reached = None;
            }
            if landing.is_none() && self.switches < SWITCHES {
                let scheme = reached.map(|(_, scheme)| scheme);
                if let Some(event) = self.event(run, h, scheme) {
                    self.repeat(run);
                    if event.after == 0.0 {
                        return Ok(self.at_once(event));
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
                self.repeat(run);
                continue;
            }
            if self.switches < SWITCHES
                && let Some((_, scheme)) = reached
                && let Some(part) = self.passed(run, h, scheme)
            {
                self.repeat(run);
                landing = None;
                (self.since_change, self.next) = (0, part);
                shorter = Some(part);
                continue;
            }
            match attempted {
                Some((errors, scheme)) if errors.own <= self.tolerance.error => {
                    let event = landing.take().map(|(event, _)| event);
                    self.accept(run, (h, &scheme), &errors, event.is_some())?;
                    return Ok(event.map_or(Ended::Accepted, Ended::At));
                }
                failed => {
                    landing = None;
                    self.failed(run, h, failed.map(|(errors, _)| errors))?;
                }
            }
        }
    }

    /// An event at the beginning of a step. If one follows the other there, both branches lead to the other one.
    fn at_once(&mut self, event: Event) -> Ended {
        self.switches += 1;
        if self.switches == SWITCHES {
            self.indicators.slide(&event.cells);
        }
        Ended::At(event)
    }

    /// Takes an attempt back that is to end elsewhere.
    fn repeat(&mut self, run: &mut Run<'_>) {
        undo(run);
        if let Some(attempt) = self.trace.last_mut()
            && let Outcome::Accepted(most) = attempt.outcome
        {
            attempt.outcome = Outcome::Repeated(most);
        }
    }

    /// Goes on with a shorter step after an attempt whose error is too large, or in which Newton's iteration has not
    /// converged.
    fn failed(
        &mut self,
        run: &mut Run<'_>,
        h: f64,
        errors: Option<Errors>,
    ) -> Result<(), StepFailure> {
        self.in_a_row += 1;
        if let Some(errors) = errors {
            self.report.rejected += 1;
            let order = self.order;
            let choice = control::rejected(&self.tolerance, order, &errors, self.in_a_row);
            return self.cut(run, (h * choice.factor, choice.order), (false, errors.of));
        }
        self.report.diverged += 1;
        self.report.strayed = self.newton.culprit;
        self.newton.forget();
        self.newton.count(false);
        let order = if self.in_a_row > 2 { 1 } else { self.order };
        self.cut(run, (0.25 * h, order), (true, self.newton.culprit))
    }

    /// The next step: it ends at the end of the run, at a sample or where an expression bends by time, by two equal
    /// steps where one would leave a short rest.
    fn fitting(&self, run: &Run<'_>, (end, most): (f64, f64)) -> f64 {
        let layout = &run.system.layout;
        let time = run.state.time(layout);
        let near = time + ROUNDING * (time.abs() + self.next);
        // Beyond what is known of it, the mechanism may bend.
        let mut stop = if self.knots.1 > near {
            end.min(self.knots.1)
        } else {
            end
        };
        let knots = &self.knots.0;
        let next = knots.partition_point(|knot| *knot <= near);
        if let Some(knot) = knots.get(next) {
            stop = stop.min(*knot);
        }
        for images in &self.images {
            let next = images.partition_point(|image| image - beside(*image) <= near);
            if let Some(image) = images.get(next) {
                stop = stop.min(image - beside(*image));
            }
        }
        if let Some(sample) = integrator::sampled::next(run.system, run.state, near) {
            stop = stop.min(sample);
        }
        let left = stop - time;
        let mut h = self.next.min(self.tolerance.longest).min(most);
        if self.indicators.chatter() {
            h = h.min(CHATTERING * self.tolerance.longest.min(self.length));
            h = h.min(self.sliding(run));
        }
        // A little longer is better than two halves.
        if h >= left || h * STRETCH >= left && left <= self.tolerance.longest {
            left
        } else if 2.0 * h > left {
            0.5 * left
        } else {
            h
        }
    }

    /// The longest step \[s\] for states whose derivative chatters: they change by what is between both branches.
    fn sliding(&self, run: &Run<'_>) -> f64 {
        let system = run.system;
        let mut longest = f64::INFINITY;
        for (k, entry) in system.equations.iter().enumerate() {
            if !self.slides(system, k) {
                continue;
            }
            let history = &self.history;
            let mut rate = run.ws.expressions[entry.expr().index()].abs();
            for j in 1..history.filled {
                let change = history.states[j - 1][k] - history.states[j][k];
                rate = rate.max((change / (history.times[j - 1] - history.times[j])).abs());
            }
            longest = longest.min(SLIDING * self.tolerance.error / rate);
        }
        longest.max(FINEST * self.length)
    }

    /// Does the derivative of a state chatter?
    pub(super) fn slides(&self, system: &System, k: usize) -> bool {
        let expr = system.equations[k].expr();
        let mut sliding = self.indicators.sliding();
        sliding.any(|other| reads_expression(system, expr, other))
    }

    fn cut(
        &mut self,
        run: &mut Run<'_>,
        (h, order): (f64, usize),
        (newton, entity): (bool, Entity),
    ) -> Result<(), StepFailure> {
        undo(run);
        if h < self.tolerance.shortest {
            let broken = self.newton.broken.filter(|_| newton);
            return Err(broken.unwrap_or(StepFailure::TooShort {
                step: h,
                newton,
                entity,
            }));
        }
        self.since_change = 0;
        self.next = h;
        if self.bent {
            return self.restart(run, Start::Cautious);
        }
        if matches!(self.tolerance.method, Method::Alpha(_)) {
            return Ok(());
        }
        if order == 1 && self.order > 1 {
            self.history.keep(2);
        }
        self.order = order;
        Ok(())
    }

    /// A step of h, which is to end at an event if it is `landing`; `None` if Newton's iteration does not converge.
    fn attempt(&mut self, run: &mut Run<'_>, h: f64, landing: bool) -> Option<(Errors, Scheme)> {
        let (system, layout) = (run.system, &run.system.layout);
        self.evaluated = None;
        run.stepper.before.copy_without_delays(run.state, layout);
        set_time(system, run.state, h);
        let angles = &mut run.stepper.angles;
        angles.copy_from_slice(run.state.span(layout.angles));
        let scheme = self.predict(run, h, landing);
        let Run {
            state, ws, stepper, ..
        } = run;
        ws.multipliers
            .copy_from_slice(state.span(layout.multipliers));
        let next = state.time_after(layout, 1);
        eval::settings(system, state, ws, next);
        motions::integrate(system, state, ws, &mut stepper.motions, h);
        eval::targets(system, state, ws, next, |m| stepper.motions[m]);
        if self.feet {
            let placed = integrator::displace(system, state, ws, stepper, &scheme);
            find_feet(system, state, &placed);
        }
        let solved = self.newton.solve(&mut Iteration {
            system,
            state,
            ws,
            stepper,
            scheme: &scheme,
            tolerance: &self.tolerance,
            length_unit: run.length_unit,
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
    fn predict(&mut self, run: &mut Run<'_>, h: f64, landing: bool) -> Scheme {
        let system = run.system;
        match self.tolerance.method {
            Method::Multistep { constant, .. } => {
                let apart = (h + self.history.times[1]).abs() > ROUNDING * h;
                // Values at the short distances of a step that ends at an event would not carry the long one behind it.
                if constant && self.history.filled > 1 && apart && !landing {
                    self.history.respace(h, self.order + 2);
                }
                if self.history.starts() {
                    self.history.imagine(system, run.state, h);
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
        self.touching
            .copy_from_slice(state.span(system.layout.contacts));
        if at_event {
            let placed = eval::kinematics_at_state(system, state, ws);
            begin_contacts(system, state, &placed, BEGUN * h);
        }
        let balanced = refresh(system, state, ws);
        if let Method::Alpha(_) = self.tolerance.method {
            remember_forces(system, state, &balanced);
        }
        let instants = &self.history.times[..self.history.filled];
        let mut done = [0.0; 2];
        energy::account_by(system, state, ws, |powers| {
            done = self.powers.over(powers, instants);
            done
        });
        let energies = guard::account(system, state, ws);
        let time = state.time(&system.layout);
        self.growth.watch(&energies, (time, done[0]), self.order);
        if at_event {
            self.growth.close();
            self.powers.close();
            self.history.merge();
        }
        self.report.steps += 1;
        self.report.note(errors);
        self.made = self.order;
        if let Some(count) = self.report.orders.get_mut(self.order - 1) {
            *count += 1;
        }
        (self.in_a_row, self.last) = (0, h);
        self.newton.count(true);
        self.newton.aim(errors.own, self.tolerance.error);
        self.since_change += 1;
        self.since_start += 1;
        self.bent = false;
        self.choose(h, errors, (turned / h, at_event));
        self.fill_delays(run, h);
        self.remember(run)?;
        self.cross_images(run)
    }

    /// Step and order to go on with, after a step in which parts turned at this rate \[rad/s\].
    fn choose(&mut self, h: f64, errors: &Errors, (rate, at_event): (f64, bool)) {
        // A step that was cut short to end at an event says nothing about the next one.
        let from = if at_event { self.next } else { h };
        let choice = if let Method::Alpha(_) = self.tolerance.method {
            control::accepted_alpha(&self.tolerance, errors.own)
        } else {
            let young = self.since_start < YOUNG;
            let free = self.since_change > self.order || young && self.history.filled > self.order;
            let room = Room {
                order: self.tolerance.order.min(self.growth.ceiling),
                growth: (self.tolerance.longest / from).max(1.0),
                free,
                young,
            };
            control::accepted(&self.tolerance, self.order, errors, &room)
        };
        let mut next = Limited {
            h: from * choice.factor,
            order: choice.order,
        };
        next.limit(rate);
        next.order = next.order.min(self.growth.ceiling);
        if self.follows(h) {
            next.order = growth::STABLE
                .min(self.history.filled)
                .min(self.tolerance.order);
        }
        if next.h != h || next.order != self.order {
            self.since_change = 0;
        }
        self.next = next.h;
        self.order = next.order;
    }
}

/// The next step within what rotations allow: over the poses that it reads a part must not turn too far.
struct Limited {
    h: f64,
    order: usize,
}

impl Limited {
    fn limit(&mut self, rate: f64) {
        if rate <= 0.0 {
            return;
        }
        let most = |order: usize| MOST_TURN / ((order + 1) as f64 * rate);
        while self.order > 2 && self.h > most(self.order) {
            self.order -= 1;
        }
        self.h = self.h.min(most(self.order));
    }
}

/// Makes the present time the base, and h the step.
fn set_time(system: &System, state: &mut State, h: f64) {
    let layout = &system.layout;
    state.reals[layout.time.first] = state.time(layout);
    state.reals[layout.time.first + 1] = h;
    *state.counter_mut(Counter::SinceBase) = 0;
}

/// The state before an attempt.
fn undo(run: &mut Run<'_>) {
    let (before, layout) = (&run.stepper.before, &run.system.layout);
    run.state.copy_without_delays(before, layout);
}

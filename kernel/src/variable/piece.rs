//! Where a smooth piece of the motion begins: at the start of a run and after an event; and what elements with a memory
//! do at the end of a step.

use super::control::Method;
use super::indicators::reads_balance;
use super::{Course, Past, ROUNDING, Run, Variable, measure};
use crate::analysis::accelerations;
use crate::elements::bodies::InertiaTerm;
use crate::ids::ExprId;
use crate::integrator::accepted::{refresh, remember_forces};
use crate::integrator::{self, StepFailure, states};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::state::{Counter, State};
use crate::system::System;
use crate::system::delay::{self, Divided};
use crate::system::energy;
use crate::system::memory::SensorEntry;
use crate::system::stage::Evaluated;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Parts of a step at which delays record their values.
const DELAY_POINTS: usize = 4;
/// How often images of an event are looked at: of its jumps, and of what bends twice. Cubics carry the next ones.
pub(super) const IMAGES: usize = 3;
/// A step ends this part of the time before an image of a jump, and the next one begins as much behind it.
const BESIDE: f64 = 0.3 * ROUNDING;

/// A first step at order 2 is at most so many times as long as one at order 1.
const FARTHER: f64 = 30.0;

/// What comes behind a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// What may be stiff or bend again at once, such as an impact: a step of order 1.
    Cautious,
    /// What begins again and again, as inputs and samples change: the trapezoidal rule, for errors of order 1 would add up.
    Repeated,
}

/// How far from an image of a jump steps end and begin [s].
pub(super) fn beside(image: f64) -> f64 {
    BESIDE * image.abs()
}

/// What elements with a memory read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remembered {
    /// Does one of them read accelerations or reactions?
    accelerations: bool,
    /// Does a delay?
    delayed_accelerations: bool,
}

impl Remembered {
    pub(super) fn new(system: &System) -> Self {
        let memory = &system.memory;
        let reads = |expr: &ExprId| reads_balance(system, *expr);
        let delayed_accelerations = memory.delays.iter().any(|entry| reads(&entry.value));
        let sensed = |entry: &SensorEntry| {
            reads(&entry.expression) || entry.evaluate.is_some_and(|expr| reads(&expr))
        };
        let sampled = memory.sampled.iter().flat_map(|entry| &entry.inputs);
        Self {
            accelerations: delayed_accelerations
                || memory.sensors.iter().any(sensed)
                || sampled.into_iter().any(reads),
            delayed_accelerations,
        }
    }
}

impl Variable {
    /// Takes the state as it stands for the beginning of a smooth piece.
    pub fn begin(&mut self, course: &mut Course<'_>) -> Result<(), StepFailure> {
        let system = Arc::clone(&self.system);
        let run = &mut course.run(&system);
        if !self.indicators.is_empty() {
            self.look(run, 0.0, (0.0, None));
            let cells = self.indicators.found.clone();
            let time = run.state.time(&run.system.layout);
            let place = (self.report.steps, time, self.length);
            self.indicators.enter(&cells, place);
        }
        drop(system);
        self.indicators.hold(Arc::make_mut(&mut self.system));
        let system = Arc::clone(&self.system);
        self.restart(&mut course.run(&system), Start::Cautious)
    }

    /// Takes inputs over that have been set since the last step; `jumped`: has one changed its value?
    pub fn disturb(&mut self, course: &mut Course<'_>, jumped: bool) -> Result<(), StepFailure> {
        if jumped {
            let system = Arc::clone(&self.system);
            return self.restart(&mut course.run(&system), Start::Repeated);
        }
        self.bent = true;
        Ok(())
    }

    /// Takes over the branches at the end of a step, of what chatters.
    pub(super) fn follow(&mut self, course: &mut Course<'_>) {
        if !self.indicators.chatter() {
            return;
        }
        let system = Arc::clone(&self.system);
        self.look(&course.run(&system), 0.0, (0.0, None));
        drop(system);
        if self.indicators.follow() {
            self.indicators.hold(Arc::make_mut(&mut self.system));
            self.history.keep(2);
            self.order = self.order.min(2);
        }
    }

    /// Keeps the piece that ends at the present state, unless it has only begun there.
    pub(super) fn keep_past(&mut self, state: &State) {
        if self.history.has_steps() {
            self.past = Some(self.piece(state));
        }
    }

    /// The piece that ends at a state.
    pub(super) fn piece(&self, state: &State) -> Box<Past> {
        Box::new(Past {
            history: self.history.clone(),
            order: self.made,
            system: Arc::clone(&self.system),
            cells: self.indicators.cells.clone(),
            state: state.clone(),
        })
    }

    /// Forgets what lies behind, and makes accelerations and reactions those of the present branches.
    pub(super) fn restart(&mut self, run: &mut Run<'_>, start: Start) -> Result<(), StepFailure> {
        let Run {
            system, state, ws, ..
        } = run;
        let layout = &system.layout;
        self.history.restart(system, state);
        self.newton.forget();
        self.growth.close();
        (self.order, self.since_change, self.since_start) = (1, 0, 0);
        (self.bent, self.last) = (false, 0.0);
        state.span_mut(layout.history).fill(0.0);
        state.span_mut(layout.inertia_weight).fill(1.0);
        ws.inertia_terms.fill(InertiaTerm::plain());
        ws.flexible.modal_history.fill(0.0);
        accelerations::solve_moving(system, state, ws).map_err(|_| StepFailure::NoAccelerations)?;
        let balanced = refresh(system, state, ws);
        self.powers.begin(energy::resume(system, state, &balanced));
        if let Method::Alpha(_) = self.tolerance.method {
            remember_forces(system, state, &balanced);
            self.order = 2;
        } else {
            // The error of the first step needs the derivatives at its beginning.
            states::remember(system, state, &balanced);
        }
        let mut farther = 1.0;
        if start == Start::Repeated && matches!(self.tolerance.method, Method::Multistep { .. }) {
            self.history.imagine(system, state, self.next);
            (self.order, farther) = (2, FARTHER);
        }
        // ½ h² |u̇| is the tolerance.
        let a = state.span(layout.acceleration);
        self.scratch.fill(0.0);
        let size = measure::distance(system, a, &self.scratch, run.length_unit).value;
        if size > 0.0 {
            let h = farther * (self.tolerance.error / size).sqrt();
            self.next = self.next.min(h.max(10.0 * self.tolerance.shortest));
        }
        integrator::memory::record_accepted(system, state, ws, true);
        self.expect_images(run);
        Ok(())
    }

    /// Delays repeat what happens now: a step ends there too, just before it, and a new piece begins.
    fn expect_images(&mut self, run: &Run<'_>) {
        let time = run.state.time(&run.system.layout);
        for (k, entry) in run.system.memory.delays.iter().enumerate() {
            let delay = run.ws.expressions[entry.delay.index()] * entry.time_unit;
            let (from, list) = match delay::divided_now(run.system, run.state, k) {
                Some(Divided { at, jumps: true }) => (at, self.images.get_mut(0)),
                Some(Divided { at, jumps: false }) => (at, self.images.get_mut(self.repeated + 1)),
                None => (time, Some(&mut self.knots.0)),
            };
            let Some(all) = list else { continue };
            let image = from + delay;
            let near = ROUNDING * (image.abs() + self.next);
            let at = all.partition_point(|known| *known < image - near);
            if delay > 0.0 && all.get(at).is_none_or(|known| *known > image + near) {
                all.insert(at, image);
            }
        }
    }

    /// Goes on behind the images that the last step has reached: a new piece begins there.
    pub(super) fn cross_images(&mut self, run: &mut Run<'_>) -> Result<(), StepFailure> {
        let layout = &run.system.layout;
        let time = run.state.time(layout);
        let near = time + ROUNDING * time.abs();
        let mut crossed = None;
        for (generation, images) in self.images.iter_mut().enumerate() {
            let reached = images.partition_point(|image| *image <= near);
            if let Some(image) = images.drain(..reached).next_back()
                && crossed.is_none()
            {
                crossed = Some((image, generation));
            }
        }
        let Some((last, generation)) = crossed else {
            return Ok(());
        };
        self.keep_past(run.state);
        run.state.reals[layout.time.first] = time.max(last + beside(last));
        *run.state.counter_mut(Counter::SinceBase) = 0;
        self.repeated = generation;
        let restarted = self.restart(run, Start::Cautious);
        self.repeated = 0;
        restarted
    }

    /// Records points within the accepted step of h for delays, which interpolate between points by cubics.
    pub(super) fn fill_delays(&mut self, run: &mut Run<'_>, h: f64) {
        let system = run.system;
        if system.memory.delays.is_empty() {
            return;
        }
        let layout = &system.layout;
        let end = run.state.span(layout.time).to_vec();
        let counters = run.state.counters;
        let time = run.state.time(layout);
        for k in 1..DELAY_POINTS {
            let after = h * (k as f64 / DELAY_POINTS as f64 - 1.0);
            self.look_with(run, after, (h, None), self.remembered.delayed_accelerations);
            run.state.reals[layout.time.first] = time + after;
            *run.state.counter_mut(Counter::SinceBase) = 0;
            integrator::memory::record(system, run.state, &mut self.shown_ws, false);
            run.state.span_mut(layout.time).copy_from_slice(&end);
            run.state.counters = counters;
        }
    }

    /// Samples, sensors and delays at the accepted state; what they change begins a new piece.
    pub(super) fn remember(&mut self, run: &mut Run<'_>) -> Result<(), StepFailure> {
        let system = run.system;
        if system.memory.is_empty() {
            return Ok(());
        }
        let held = |state: &State| -> Vec<f64> {
            let memory = state.span(system.layout.memory);
            let leaves = system.memory.leaves.iter();
            leaves.map(|(_, place)| memory[*place]).collect()
        };
        let before = held(run.state);
        self.keep_past(run.state);
        let ws = if self.remembered.accelerations {
            // Those of the step belong to an instant within it, or have the error of formulation I3.
            self.look_with(run, 0.0, (0.0, None), true);
            &mut self.shown_ws
        } else {
            &mut *run.ws
        };
        integrator::memory::record_accepted(system, run.state, ws, false);
        integrator::memory::update(system, run.state, Evaluated::kept(ws));
        for (all, now) in self.pending.iter_mut().zip(&ws.triggered) {
            *all |= now;
        }
        if held(run.state) != before {
            return self.restart(run, Start::Repeated);
        }
        Ok(())
    }
}

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
mod fast;
mod features;
mod growth;
mod history;
mod indicators;
mod measure;
mod memory;
mod motions;
mod multistep;
mod newton;
mod passages;
mod piece;
mod powers;
mod report;
mod shown;
mod step;
mod trace;
mod weights;

pub use control::{Method, Tolerance};
pub use indicators::{Source, cells, reads_accelerations};
pub use report::Report;
pub use trace::{Attempt, Outcome};

use crate::elements::forces::ForceLaw;
use crate::integrator::si2::Projection;
use crate::integrator::{StepFailure, Stepper};
use crate::linalg::Factorization;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::Corrector;
use crate::state::State;
use crate::system::System;
use crate::system::residual::inertia;
use crate::workspace::Workspace;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use events::Event;
use fast::Fast;
use features::Feature;
use growth::Growth;
use history::History;
use indicators::Indicators;
use newton::Newton;
use passages::Passages;
use piece::{IMAGES, Remembered, Start};
use powers::Powers;

/// The highest order.
pub const ORDERS: usize = 6;
/// Instants that differ by this part of their size are one.
const ROUNDING: f64 = 1e-14;
/// The first step, as a part of the longest.
const FIRST: f64 = 1e-3;

/// An integration with a variable step.
#[derive(Clone, Debug)]
pub struct Variable {
    tolerance: Tolerance,
    /// The mechanism, with branches held.
    system: Arc<System>,
    history: History,
    order: usize,
    /// The order of the last accepted step.
    made: usize,
    /// Steps since the step or the order changed.
    since_change: usize,
    /// Steps since the last start.
    since_start: usize,
    /// Vibrations that grow, and the highest order for them.
    growth: Growth,
    /// The last powers, for the work over a step.
    powers: Powers,
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
    /// Are there contacts on curves, whose feet are found anew in each attempt?
    feet: bool,
    /// The memory of contacts during the last step.
    touching: Vec<f64>,
    /// What steps must not pass over, and vibrations that they must not miss.
    passages: Passages,
    fast: Vec<Fast>,
    features: Vec<Feature>,
    /// Differential equations that do not count for the error, since they read reactions in formulation I3.
    reads_reactions: Vec<bool>,
    /// Instants at which a step ends \[s\], and up to which time they are known.
    knots: (Vec<f64>, f64),
    /// Instants at which a delayed value jumps \[s\], those at which it bends, and those at which what bends there does.
    images: [Vec<f64>; IMAGES],
    /// How often the beginning of the piece is the image of an event: what depends on time delays is smoother each time.
    repeated: usize,
    /// How long the run is \[s\].
    length: f64,
    past: Option<Box<Past>>,
    /// Sensors that have triggered between the last two instants that were asked for.
    triggered: Vec<bool>,
    /// Sensors that have triggered at the end of the last step, where that is not asked for yet.
    pending: Vec<bool>,
    /// The projection of what is shown, and factors for its accelerations, with the elimination order of the model's
    /// own start.
    projection: Option<Projection>,
    factor: Factorization,
    /// What the instant shows that was asked for.
    shown: State,
    shown_ws: Workspace,
    /// At how long after the newest pose \[s\] indicators were evaluated last, in the present attempt.
    evaluated: Option<f64>,
    remembered: Remembered,
    /// Counts of the run.
    pub report: Report,
    /// The attempts since they were taken, if they are recorded.
    pub trace: Vec<Attempt>,
}

/// The piece before an event, for instants that are asked for after the event.
#[derive(Clone, Debug)]
struct Past {
    history: History,
    order: usize,
    system: Arc<System>,
    /// The cells in which the branches of the system are held.
    cells: Vec<f64>,
    /// The state at the event, before anything changed.
    state: State,
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
    /// At its own beginning, since branches are no longer held.
    Released,
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
        ws.make_room(indicators.registers());
        let start = state.time(&system.layout);
        Self {
            history: History::new(system, state),
            order: 1,
            made: 1,
            since_change: 0,
            since_start: 0,
            growth: Growth::new(judged(system), tolerance.error),
            powers: Powers::default(),
            bent: false,
            next: tolerance.first.unwrap_or(FIRST * tolerance.longest),
            last: 0.0,
            newton: Newton::new(system),
            in_a_row: 0,
            switches: 0,
            scratch: vec![0.0; n],
            reached: vec![0.0; n],
            motions: vec![(0.0, 0.0); system.motions.len()],
            feet: follow_feet(system),
            touching: state.span(system.layout.contacts).to_vec(),
            passages: Passages::new(system, &indicators),
            indicators,
            fast: fast::vibrations(system, state),
            features: features::all(system),
            reads_reactions: if tolerance.method.is_stabilised() {
                vec![false; system.equations.len()]
            } else {
                indicators::read_reactions(system)
            },
            knots: (indicators::knots(system, state, (start, end)), end),
            images: Default::default(),
            repeated: 0,
            length: end - start,
            past: None,
            triggered: vec![false; system.memory.sensors.len()],
            pending: vec![false; system.memory.sensors.len()],
            projection: Some(stepper.projection.anew()),
            factor: stepper.factor.anew(),
            shown: state.clone(),
            shown_ws: ws.clone(),
            evaluated: None,
            remembered: Remembered::new(system),
            report: Report::default(),
            trace: Vec::new(),
            system: Arc::new(measured(system, state)),
            tolerance,
        }
    }

    /// Steps until the time is reached or passed, and evaluates everything that can be read there, or at the end of a step
    /// before it at which a sensor stops the run. Returns the time there.
    pub fn advance(
        &mut self,
        course: &mut Course<'_>,
        until: f64,
        end: f64,
    ) -> Result<f64, StepFailure> {
        // The rounding of an instant is not a step.
        let reached = until - ROUNDING * until.abs();
        self.triggered.fill(false);
        let end = if self.tolerance.exact {
            until
        } else {
            end.max(until)
        };
        self.find_knots(course, until);
        let mut stops = self.deliver(course, until);
        let mut steps = 0;
        while !stops && course.state.time(&self.system.layout) < reached {
            if steps == self.tolerance.most_steps {
                let entity = self.report.worst;
                return Err(StepFailure::Endless { steps, entity });
            }
            steps += 1;
            self.advance_once(course, end)?;
            stops = self.deliver(course, until);
        }
        let until = if stops {
            until.min(course.state.time(&self.system.layout))
        } else {
            until
        };
        let system = Arc::clone(&self.system);
        self.show(&course.run(&system), until)?;
        Ok(until)
    }

    /// Tells of the sensors that have triggered at the end of the last step, unless it is behind this time \[s\]. Does one
    /// of them stop the run?
    fn deliver(&mut self, course: &Course<'_>, until: f64) -> bool {
        if course.state.time(&self.system.layout) > until + ROUNDING * until.abs() {
            return false;
        }
        let mut stops = false;
        let sensors = self.triggered.iter_mut().zip(&mut self.pending);
        for ((told, pending), sensor) in sensors.zip(&self.system.memory.sensors) {
            stops |= *pending && sensor.stop;
            *told |= core::mem::take(pending);
        }
        stops
    }

    /// Finds the instants at which steps end up to a time, if they are not known so far.
    fn find_knots(&mut self, course: &Course<'_>, until: f64) {
        if until > self.knots.1 {
            let from = course.state.time(&self.system.layout);
            let to = until + self.length.max(2.0 * (until - from));
            self.knots = (
                indicators::knots(&self.system, course.state, (from, to)),
                to,
            );
        }
    }

    /// When the order was limited first, because vibrations grew \[s\], and for how many steps in all.
    pub fn limited(&self) -> Option<(f64, u64)> {
        let found = Some((self.growth.first, self.growth.limited));
        found.filter(|(time, _)| time.is_finite())
    }

    /// Do forces, motions or equations read accelerations that are those of an instant within the step?
    pub fn lags(&self) -> bool {
        let all = || indicators::expressions(&self.system).into_iter();
        matches!(self.tolerance.method, Method::Alpha(_))
            && all().any(|expr| indicators::reads_accelerations(&self.system, expr))
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
        let event = match ended {
            Ended::At(event) => event,
            Ended::Accepted => {
                self.switches = 0;
                self.follow(course);
                return Ok(());
            }
            Ended::Released => {
                self.indicators.hold(Arc::make_mut(&mut self.system));
                self.newton.forget();
                return Ok(());
            }
        };
        self.report.events += 1;
        self.keep_past(course.state);
        let time = course.state.time(&self.system.layout);
        let place = (self.report.steps, time, self.length);
        let jumps = self.indicators.enter(&event.cells, place);
        self.indicators.hold(Arc::make_mut(&mut self.system));
        self.bent = true;
        if jumps {
            let system = Arc::clone(&self.system);
            self.restart(&mut course.run(&system), Start::Cautious)?;
        }
        Ok(())
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
        self.find_knots(course, until);
        loop {
            let time = course.state.time(&self.system.layout);
            if time >= until - near {
                return Ok(None);
            }
            if time > last + near {
                self.triggered.fill(false);
                self.deliver(course, time);
                let system = Arc::clone(&self.system);
                self.show(&course.run(&system), time)?;
                return Ok(Some(time));
            }
            self.advance_once(course, end.max(until))?;
        }
    }

    /// The state at the instant that was asked for.
    pub fn shown(&self) -> &State {
        &self.shown
    }

    /// Exchanges the values there for a workspace of the same mechanism.
    pub fn exchange(&mut self, ws: &mut Workspace) {
        ws.make_room(self.indicators.registers());
        core::mem::swap(&mut self.shown_ws, ws);
    }

    /// What changes its branch so often that its events are no longer located.
    pub fn chattering(&self) -> impl Iterator<Item = Source> + '_ {
        self.indicators.chattering()
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

/// Are there contacts on curves?
fn follow_feet(system: &System) -> bool {
    let mut laws = system.forces.iter().map(|force| &force.law);
    laws.any(|law| matches!(law, ForceLaw::Contact(contact) if contact.is_on_a_curve()))
}

/// The freedoms of which growth is judged: none with a gravity that changes, whose work is in no account by instants.
fn judged(system: &System) -> usize {
    if system.gravity_functions.iter().all(Option::is_none) {
        system.freedoms()
    } else {
        0
    }
}

/// The mechanism with a reach of every mode: one that moves no marker moves the body, by the root of its modal mass over
/// the mass of the body on the average.
fn measured(system: &System, state: &State) -> System {
    let mut own = system.clone();
    for entry in &mut own.flexibles {
        let mass = inertia(system, state, entry.body).mass;
        for (j, reach) in entry.reach.iter_mut().enumerate() {
            let mobility = entry.element.modal_mobility(j);
            if mobility > 0.0 && mass > 0.0 {
                *reach = reach.max((1.0 / (mobility * mass)).sqrt());
            }
        }
    }
    own
}

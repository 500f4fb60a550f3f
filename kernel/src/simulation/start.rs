//! Control plane: the consistent start: from the mechanism's poses to velocities, accelerations and the elimination
//! order of the Newton matrix.

use super::{Assembled, Part, Simulation, StartError, Tolerance};
use crate::analysis::accelerations::{self, AccelerationFailure};
use crate::analysis::sensitivity::Sensitivity;
use crate::analysis::shapes::Shapes;
use crate::analysis::statics::Statics;
use crate::analysis::{Kept, Start};
use crate::elements::bodies::InertiaTerm;
use crate::guard;
use crate::ids::BodyId;
use crate::integrator::accepted::{refresh, remember_contacts, remember_forces};
use crate::integrator::si2::Projection;
use crate::integrator::{Stepper, flexible, memory, scheme, states};
use crate::linalg::{Factorization, InstructionSet, Quality, Sequence};
use crate::math::rotation::{log, quaternion};
use crate::mechanism::{Arithmetic, Mode, Readings};
use crate::state::{COUNTERS, Counter, State};
use crate::system::compile::initial_position;
use crate::system::jacobian;
use crate::system::length::characteristic_length;
use crate::system::ramp::RAMP;
use crate::system::stage::{Balanced, Constrained};
use crate::system::{System, energy, eval};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

impl Simulation {
    /// The analysis of the start, over all rows: poses and velocities.
    pub fn analysis(&mut self) -> Start<'_> {
        let length = characteristic_length(&self.start.system);
        let Part { system, state, ws } = &mut *self.start;
        Start {
            mechanism: &self.mechanism,
            system,
            state,
            ws,
            length,
            kept: vec![Kept::default(); self.mechanism.bodies.len()],
            shapes: Shapes::Held,
            factors: Sequence::default(),
        }
    }

    /// Poses and velocities that satisfy all constraints, from the model's own.
    pub(super) fn assemble(&mut self, time: f64) -> Result<(), StartError> {
        self.begun.forget();
        let from = &self.run.system.layout;
        let to = &self.start.system.layout;
        let state = &mut self.start.state;
        let source = &self.run.state;
        *state = State::new(to);
        for (a, b) in [
            (from.inputs, to.inputs),
            (from.courses, to.courses),
            (from.asked, to.asked),
            (from.parameters, to.parameters),
            (from.numbers, to.numbers),
        ] {
            state.reals[b.range()].copy_from_slice(&source.reals[a.range()]);
        }
        state.reals[to.time.first] = time;
        let ramp = self.ramp(time);
        let state = &mut self.start.state;
        state.span_mut(to.ramp).copy_from_slice(&ramp);
        let angles = &self.start.system.angle_starts;
        state.span_mut(to.angles).copy_from_slice(angles);
        let feet = &self.start.system.feet_starts;
        state.span_mut(to.feet).copy_from_slice(feet);
        for (body, entry) in self.mechanism.bodies.iter().enumerate() {
            let r = initial_position(&self.mechanism, BodyId::from(body));
            state.set_pose(to, body, &r, &quaternion(&entry.orientation));
        }
        flexible::place(&self.start.system, state);
        let known = self.assembled.take();
        if let Some(known) = known.filter(|known| known.begin.is_same(&self.start.state)) {
            self.start.state.copy_from(&known.end);
            self.analysis().revisit();
            self.missed.clone_from(&known.missed);
            self.assembled = Some(known);
            return Ok(());
        }
        self.assemblies += 1;
        let begin = self.start.state.clone();
        let mut analysis = self.analysis();
        let as_shown = analysis.is_closed_as_shown();
        analysis.assemble()?;
        self.missed = analysis.project_velocities()?;
        self.assembled = Some(Assembled {
            as_shown,
            begin,
            end: self.start.state.clone(),
            missed: self.missed.clone(),
        });
        Ok(())
    }

    /// Measures how far assembly has moved the bodies from the model's poses, to close what is not closed there.
    fn measure_assembly(&mut self) {
        let Part { system, state, .. } = &*self.start;
        let as_shown = self.assembled.as_ref().is_some_and(|a| a.as_shown);
        let moved = |(body, entry): (usize, &crate::mechanism::Body)| {
            if as_shown {
                return (0.0, 0.0);
            }
            let r = initial_position(&self.mechanism, BodyId::from(body));
            let distance = (state.position(&system.layout, body) - r).norm();
            let turned = entry
                .orientation
                .tr_mul(&state.rotation(&system.layout, body));
            (distance, log(&turned).norm())
        };
        self.moved = self
            .mechanism
            .bodies
            .iter()
            .enumerate()
            .map(moved)
            .collect();
    }

    /// The ramp's numbers in the state.
    fn ramp(&self, time: f64) -> [f64; RAMP] {
        let start = &self.mechanism.solver.start;
        let follows = |load: bool| f64::from(u8::from(load && start.ramp > 0.0));
        [
            time,
            start.ramp,
            follows(start.ramp_gravity),
            follows(start.ramp_inputs),
        ]
    }

    /// Finds implicit variables and states that start at rest, at the model's poses, as start values for the search
    /// for equilibrium. If they cannot be found, the search starts at their initial values.
    fn presolve(&mut self) {
        let Part { system, state, ws } = &mut *self.run;
        if !system
            .equations
            .iter()
            .any(accelerations::is_solved_at_start)
        {
            return;
        }
        let before = state.clone();
        let solved = accelerations::solve(system, state, ws);
        let layout = &system.layout;
        let found = state.span(layout.states).to_vec();
        state.copy_from(&before);
        if solved.is_ok() {
            state.span_mut(layout.states).copy_from_slice(&found);
        }
    }

    /// Moves the mechanism into static equilibrium; velocities are then computed anew.
    fn balance(&mut self) -> Result<(), StartError> {
        if self.turn_steadily() {
            return Ok(());
        }
        self.balance = self.equilibrium()?;
        let state = &self.run.state;
        let layout = &self.run.system.layout;
        let to = &self.start.system.layout;
        self.start.state.reals[to.pose.range()].copy_from_slice(state.span(layout.pose));
        self.start.state.reals[to.modal.range()].copy_from_slice(state.span(layout.modal));
        self.missed = self.analysis().project_velocities()?;
        let layout = &self.run.system.layout;
        let velocities = self.start.state.span(self.start.system.layout.velocity);
        self.run.state.reals[layout.velocity.range()].copy_from_slice(velocities);
        self.run.state.span_mut(layout.multipliers).fill(0.0);
        self.note_ignored_rotation();
        Ok(())
    }

    /// Moves the mechanism into the static equilibrium in which a quasi-static run begins: nothing moves, whatever motions
    /// and initial velocities say, and the reactions are those of the balance.
    fn come_to_rest(&mut self) -> Result<(), StartError> {
        self.balance = self.equilibrium()?;
        self.missed.clear();
        Ok(())
    }

    /// Static equilibrium at rest; notes for the user.
    fn equilibrium(&mut self) -> Result<Vec<String>, StartError> {
        let Part { system, state, ws } = &mut *self.run;
        let layout = &system.layout;
        state.span_mut(layout.velocity).fill(0.0);
        let length = characteristic_length(system);
        let begin = state.clone();
        // If one way fails, the other may succeed; neither depends on the step.
        let kinds = [true, false].map(|all| system.with_modal_inertia(&self.mechanism, all));
        let mut solve = |system: &System| {
            state.copy_from(&begin);
            Statics::new(&self.mechanism, system, state, ws, length).solve()
        };
        Ok(match kinds {
            [Some(heavy), Some(light)] => solve(&heavy).or_else(|_| solve(&light))?,
            _ => solve(system)?,
        })
    }

    /// Consistent start at `time` \[s\]: assembly, velocity projection, accelerations and multipliers. If parameters
    /// change the geometry, or the step changes which modes have inertia, the mechanism is recompiled first; on
    /// failure the present one stays.
    pub fn initialize(&mut self, time: f64) -> Result<(), StartError> {
        if let Some(mut fresh) = self.anew()? {
            let begun = fresh.begin(time);
            begun.map_err(|problem| self.with_geometry(problem))?;
            self.become_other(fresh);
            return Ok(());
        }
        self.begin(time)
    }

    /// Never inlined: a simulation takes stack space while it is moved.
    #[inline(never)]
    pub(super) fn become_other(&mut self, fresh: Box<Self>) {
        *self = *fresh;
    }

    /// Asks for steps that are not fixed if the settings do.
    pub(super) fn follow_mode(&mut self) {
        self.ahead = None;
        self.remember_jumps(false);
        let solver = &self.mechanism.solver;
        self.otherwise = solver.mode != Mode::Fixed;
        if solver.mode == Mode::Variable {
            let asked = solver.tolerance(&self.mechanism.experiment);
            self.set_tolerance(Tolerance::of(&asked));
        }
    }

    /// The same with the present geometry.
    fn begin(&mut self, time: f64) -> Result<(), StartError> {
        self.follow_mode();
        self.size_delays()?;
        self.keep_beginnings();
        self.assemble(time)?;
        self.measure_assembly();
        let h = self.run.state.step(&self.run.system.layout);
        let Part { system, state, ws } = &mut *self.run;
        let (from, to) = (&self.start.system.layout, &system.layout);
        let carried = [
            (from.pose, to.pose),
            (from.modal, to.modal),
            (from.velocity, to.velocity),
            (from.feet, to.feet),
        ];
        for (a, b) in carried {
            state.reals[b.range()].copy_from_slice(&self.start.state.reals[a.range()]);
        }
        for span in [
            to.acceleration,
            to.moved,
            to.history,
            to.multipliers,
            to.corrections,
            to.figures,
            to.contacts,
        ] {
            state.span_mut(span).fill(0.0);
        }
        state
            .span_mut(to.angles)
            .copy_from_slice(&system.angle_starts);
        state.span_mut(to.inertia_weight).fill(1.0);
        ws.inertia_terms.fill(InertiaTerm::plain());
        ws.flexible.modal_history.fill(0.0);
        state.counters = [0; COUNTERS];
        state.reals[to.time.first] = time;
        state.reals[to.time.first + 1] = h;
        state.reals[to.ramp.range()].copy_from_slice(&self.start.state.reals[from.ramp.range()]);
        states::initialize(system, state);
        memory::initialize(system, state);
        ws.triggered.fill(false);
        let placed = eval::kinematics_at_state(system, state, ws);
        remember_contacts(system, state, &placed);
        for m in 0..system.motions.len() {
            let (displacement, rate) = system.motions[m].initial;
            let present = eval::motion_coordinate(system, ws, m);
            state.reals[to.motions.first + 2 * m] = displacement.unwrap_or(present);
            state.reals[to.motions.first + 2 * m + 1] = rate;
        }
        self.refuse_mode()?;
        if self.mechanism.solver.mode == Mode::Static {
            self.presolve();
            self.come_to_rest()?;
        } else if self.mechanism.solver.start.equilibrium {
            self.presolve();
            self.balance()?;
        }
        self.accelerate()?;
        let Part { system, state, ws } = &mut *self.run;
        if !system.memory.is_empty() {
            // The first sample sees the mechanism without the sampled outputs.
            refresh(system, state, ws);
            memory::begin(system, state, ws);
            self.accelerate()?;
        }
        self.analyse()?;
        self.open();
        self.write_notes();
        Ok(())
    }

    /// Initialises all that steps carry: memories, the energy account and that of the guard.
    fn open(&mut self) {
        let Part { system, state, ws } = &mut *self.run;
        let balanced = refresh(system, state, ws);
        remember_forces(system, state, &balanced);
        memory::begin_delays(system, state, ws);
        let experiment = &self.mechanism.experiment;
        let duration = experiment.stop - experiment.start;
        let scheme = scheme(&self.mechanism.solver, state.step(&system.layout));
        states::begin(system, state, ws, (&scheme.states, &scheme.weights));
        energy::open(system, state, ws);
        guard::open(system, state, ws, duration);
        self.readings = Readings::default();
        state.keep_last(&system.layout);
        *state.counter_mut(Counter::Started) = 1;
    }

    /// Accelerations and multipliers at the start; a quasi-static run has those of its equilibrium.
    fn accelerate(&mut self) -> Result<(), StartError> {
        if self.mechanism.solver.mode == Mode::Static {
            return Ok(());
        }
        let Part { system, state, ws } = &mut *self.run;
        accelerations::solve(system, state, ws).map_err(|failure| self.explain_start(failure))
    }

    /// The reason for missing accelerations: a singular position that equilibrium led to, or else the failure itself.
    fn explain_start(&mut self, failure: AccelerationFailure) -> StartError {
        let balanced = self.mechanism.solver.start.equilibrium;
        if balanced
            && matches!(failure, AccelerationFailure::Singular(_))
            && let Err(problem) = self.analysis().lasting_redundancy()
        {
            return StartError::from(format!("in static equilibrium {problem}"));
        }
        self.explain(failure)
    }

    /// Chooses the elimination order of the Newton matrix. This happens once, at the model's own start, so that a
    /// restored state continues with the same bits in any instance. Only if that order fails at the present start is
    /// it chosen anew.
    fn analyse(&mut self) -> Result<(), StartError> {
        let arrays = &self.mechanism.body_arrays;
        let shown = arrays.iter().map(|array| array.length as usize).sum();
        let Part { system, state, ws } = &mut *self.run;
        let scheme = scheme(&self.mechanism.solver, state.step(&system.layout));
        for term in &mut ws.inertia_terms {
            term.weight = scheme.inertia_weight;
        }
        let balanced = &mut Balanced::kept(ws);
        jacobian::assemble(system, state, balanced, &scheme.weights, &scheme.scaling());
        if let Some(stepper) = &mut self.stepper
            && let Quality::Good | Quality::Degraded { .. } = stepper.factor.refactor(&ws.matrix)
        {
            return Ok(());
        }
        let set = match self.mechanism.solver.math {
            Arithmetic::Exact => InstructionSet::exact(),
            Arithmetic::Fast => InstructionSet::fast(),
        };
        let analysed = Factorization::analyse(&system.pattern, &[&ws.matrix]).and_then(|factor| {
            let projection = Projection::analyse(system, state, &mut Constrained::kept(ws))?;
            let mut stepper = Box::new(Stepper::new(system, factor, projection));
            stepper.factor.work_on(set);
            stepper.projection.work_on(set);
            Ok(stepper)
        });
        match analysed {
            Ok(stepper) => {
                let model = (&*self.mechanism, &self.redundancy.keep[..]);
                let sensitivity = Sensitivity::new(model, system, &stepper, shown);
                self.sensitivity = Some(Box::new(sensitivity));
                self.stepper = Some(stepper);
                Ok(())
            }
            Err(singular) => Err(self.explain(AccelerationFailure::Singular(singular.block))),
        }
    }
}

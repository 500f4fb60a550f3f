//! The solver without FMI: a compiled system, its state and its workspace, advanced step by step.
//!
//! Everything after [`Simulation::initialize`] is data plane: it does not allocate, and its only failure is
//! [`StepFailure`].

mod bodies;
mod delays;
mod derivatives;
mod derived;
mod failures;
mod figures;
mod guard;
mod instants;
mod locks;
mod matrices;
mod notes;
mod overview;
mod parameters;
mod pictures;
mod repeat;
mod start;
mod starts;
mod steady;
mod tangents;
mod trial;
mod variable;

pub use crate::analysis::linearization::{
    Drive, DrivenRow, Element, ElementOf, Gyroscopic, Later, LeftOut, Linearization, OpenDelay,
    RateTangents,
};
use crate::analysis::redundancy::Redundancy;
use crate::analysis::sensitivity::Sensitivity;
pub use crate::analysis::sensitivity::{Carried, CarriedBy, CarriedKind, StepMatrices};
pub use crate::analysis::tangents::{Coordinate, Entry, Place, Rows, SparseMatrix, Tangents};
use crate::analysis::velocities::MissedVelocity;
use crate::elements::kinematics::MarkerKinematics;
use crate::ids::{EquationId, InputId, MarkerId, OutputId, SensorId};
use crate::integrator::accepted::{refresh, remember_forces, show};
pub use crate::integrator::{StepFailure, StepReport};
use crate::integrator::{Stepper, corrections, scheme, step};
use crate::integrator::{linear, memory, states};
use crate::lint;
use crate::mechanism::{Finding, Held, Mechanism, Mode, Readings, SolverSettings, check};
use crate::state::{Counter, State};
use crate::system::compile::{Selection, compile};
pub use crate::system::entity::Entity;
pub use crate::system::inputs::ORDERS;
use crate::system::stage::Evaluated;
use crate::system::{System, energy, inputs};
pub use crate::variable::{Method, Report as VariableReport, Tolerance};
use crate::workspace::Workspace;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
pub use derivatives::{Derivatives, Known, NoDerivative, Unknown};
use derived::Derivation;
pub use failures::StartError;
pub use figures::Figure;
pub use matrices::Cells;
use repeat::Begun;
pub use trial::Size;

/// A mechanism that can be started and stepped. Its large parts are on the heap, because hosts have small stacks.
#[derive(Debug)]
pub struct Simulation {
    mechanism: Box<Mechanism>,
    /// All constraint rows and initial conditions.
    start: Box<Part>,
    /// The last assembled start.
    assembled: Option<Assembled>,
    /// Number of starts that were assembled, rather than copied from the last one.
    assemblies: u32,
    /// The rows that are stepped.
    run: Box<Part>,
    stepper: Option<Box<Stepper>>,
    /// Allocated with the stepper.
    sensitivity: Option<Box<Sensitivity>>,
    redundancy: Redundancy,
    /// Initial velocities that could not be met.
    missed: Vec<MissedVelocity>,
    /// Displacement of each body by assembly \[m, rad\].
    moved: Vec<(f64, f64)>,
    /// Notes from the search for equilibrium.
    balance: Vec<String>,
    notes: Vec<String>,
    /// The guard's readings at the last accepted step.
    readings: Readings,
    /// Scratch for numbers, leaves and registers when parameters change.
    numbers: Vec<f64>,
    /// Scratch for the previous parameters.
    former: Vec<f64>,
    /// The present or last communication step.
    begun: Begun,
    /// Does a step anything else than a fixed one?
    otherwise: bool,
    /// The integration with a variable step, if that is asked for.
    ahead: Option<Box<variable::Ahead>>,
    /// What a run that solves instants keeps.
    solved: instants::Solved,
    /// The source of numbers that follow parameters; `None` if there are none.
    derivation: Option<Box<Derivation>>,
    /// The settings of the model itself.
    own: SolverSettings,
    /// Mode and HRATIO of the step for which it was decided which modes of flexible bodies have inertia.
    modes_by: (Mode, u32),
}

/// A system with its state and workspace.
#[derive(Clone, Debug)]
pub struct Part {
    /// The compiled mechanism.
    pub system: System,
    /// Everything that survives a step.
    pub state: State,
    /// Scratch of a step.
    pub ws: Workspace,
}

impl Part {
    /// Compiles a mechanism. Never inlined: its temporaries leave the stack before anything starts.
    #[inline(never)]
    fn new(mechanism: &Mechanism, selection: Selection<'_>) -> Result<Box<Self>, StartError> {
        let system = compile(mechanism, selection)?;
        let state = State::new(&system.layout);
        let ws = Workspace::new(&system);
        Ok(Box::new(Self { system, state, ws }))
    }
}

/// An assembled state, and the state that it started from.
#[derive(Clone, Debug)]
struct Assembled {
    /// Were the constraints closed at the model's poses, initial conditions aside?
    as_shown: bool,
    begin: State,
    end: State,
    /// Initial velocities that could not be met.
    missed: Vec<MissedVelocity>,
}

impl Simulation {
    /// Compiles a model and starts it once, at the start of its default experiment, so that errors show here.
    /// Allocates all memory that will ever be needed. [`Self::notes`] has notes for the user (removed redundant
    /// constraints, modes without inertia).
    pub fn new(mechanism: Mechanism) -> Result<Self, StartError> {
        let simulation = Self::derived(Box::new(mechanism))?;
        simulation.refuse_findings()?;
        Ok(*simulation)
    }

    /// The same for a shared mechanism.
    pub fn of(mechanism: &Mechanism) -> Result<Self, StartError> {
        Self::boxed(mechanism).map(|simulation| *simulation)
    }

    /// The same on the heap, because hosts have small stacks.
    pub fn boxed(mechanism: &Mechanism) -> Result<Box<Self>, StartError> {
        let simulation = Self::derived(Box::new(mechanism.clone()))?;
        simulation.refuse_findings()?;
        Ok(simulation)
    }

    /// The same from plain numbers, whatever lint finds.
    fn compiled(mechanism: Box<Mechanism>) -> Result<Box<Self>, StartError> {
        check(&mechanism)?;
        let start = Part::new(&mechanism, Selection::Start)?;
        // Until redundant rows are known, all rows are kept.
        let run = start.clone();
        let mut simulation = Self::of_parts(mechanism, start, run);
        simulation.set_defaults()?;
        let time = simulation.mechanism.experiment.start;
        simulation.assemble(time)?;
        simulation.redundancy = simulation.analysis().lasting_redundancy()?;
        let keep = simulation.redundancy.keep.clone();
        let reduced = Part::new(&simulation.mechanism, Selection::Keep(&keep))?;
        simulation.begun = Begun::new(&reduced.system.layout);
        simulation.run = reduced;
        simulation.set_defaults()?;
        simulation.set_step(simulation.mechanism.own_step());
        simulation.initialize(time)?;
        Ok(simulation)
    }

    /// A simulation that has not started. Never inlined, like [`Part::new`].
    #[inline(never)]
    fn of_parts(mechanism: Box<Mechanism>, start: Box<Part>, run: Box<Part>) -> Box<Self> {
        let numbers = vec![0.0; run.system.numbers.len()];
        let former = vec![0.0; run.system.layout.parameters.len];
        let begun = Begun::new(&run.system.layout);
        let own = mechanism.solver.clone();
        let modes_by = (own.mode, own.hratio);
        Box::new(Self {
            mechanism,
            start,
            assembled: None,
            assemblies: 0,
            run,
            stepper: None,
            sensitivity: None,
            redundancy: Redundancy::default(),
            missed: Vec::new(),
            moved: Vec::new(),
            balance: Vec::new(),
            notes: Vec::new(),
            readings: Readings::default(),
            numbers,
            former,
            begun,
            otherwise: false,
            ahead: None,
            solved: instants::Solved::default(),
            derivation: None,
            own,
            modes_by,
        })
    }

    /// Lint findings at the present start, step and settings (docs/lint.md). Control plane.
    pub fn findings(&self) -> Vec<Finding> {
        lint::findings(&self.subject())
    }

    /// The same for a planned step \[s\].
    pub fn findings_at(&self, step: f64) -> Vec<Finding> {
        lint::findings(&lint::Subject {
            step,
            ..self.subject()
        })
    }

    /// The error for findings, if the model is strict.
    pub fn refuse_findings(&self) -> Result<(), StartError> {
        if !self.mechanism.lint.strict {
            return Ok(());
        }
        let lines: Vec<String> = self.findings().iter().map(ToString::to_string).collect();
        if lines.is_empty() {
            return Ok(());
        }
        Err(StartError::from(format!(
            "the model is strict (lint.strict), and there are warnings:\n{}",
            lines.join("\n")
        )))
    }

    /// Sets inputs and parameters to their start values.
    fn set_defaults(&mut self) -> Result<(), StartError> {
        let layout = &self.run.system.layout;
        for (k, input) in self.mechanism.inputs.iter().enumerate() {
            self.run.state.reals[layout.inputs.first + k] = input.quantity.start;
            self.run.state.reals[layout.asked.first + k] = input.quantity.start;
        }
        for (k, parameter) in self.mechanism.parameters.iter().enumerate() {
            self.run.state.reals[layout.parameters.first + k] = parameter.quantity.start;
        }
        self.apply_parameters()
    }

    /// Rewrites all memory of the steps in place. The system provides a page at its first write, and that would
    /// otherwise happen in a step. Control plane.
    pub fn settle(&mut self) {
        self.stepper.iter_mut().for_each(|s| s.settle());
        self.sensitivity.iter_mut().for_each(|s| s.settle());
        self.move_rest();
        self.settle_fallbacks();
    }

    /// The same for memory that only a fallback uses, under the present settings; nothing moves. Control plane.
    pub fn settle_fallbacks(&mut self) {
        let stabilised = scheme(&self.mechanism.solver, self.step_size()).stabilised;
        if let Some(stepper) = &mut self.stepper {
            stepper.settle_fallbacks(stabilised);
        }
        if let Some(sensitivity) = &mut self.sensitivity {
            sensitivity.settle_fallbacks(stabilised);
        }
    }

    /// Moves all memory of the steps into newly allocated memory. Control plane.
    pub fn relocate(&mut self) {
        self.stepper = self.stepper.clone();
        self.sensitivity = self.sensitivity.clone();
        self.move_rest();
    }

    /// Moves everything that has no factors.
    fn move_rest(&mut self) {
        self.run = self.run.clone();
        self.numbers = self.numbers.clone();
        self.former = self.former.clone();
        self.begun = self.begun.clone();
    }

    /// The stepped part, for analyses that inspect it; they must restore a state that they change.
    pub fn part(&mut self) -> &mut Part {
        &mut self.run
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.run.state
    }

    /// The stepper with its buffers; `None` before the first start.
    pub fn stepper(&self) -> Option<&Stepper> {
        self.stepper.as_deref()
    }

    /// Number of starts that were assembled; a start from the same state as the last one is not assembled again.
    pub fn assemblies(&self) -> u32 {
        self.assemblies
    }

    /// Messages from compilation, for the log.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// Degrees of freedom: unknowns of the bodies less independent constraint rows.
    pub fn degrees_of_freedom(&self) -> usize {
        let unknowns: usize = self.run.system.bodies.iter().map(|b| b.dof).sum();
        unknowns.saturating_sub(self.run.system.constraints())
    }

    /// Independent constraint rows.
    pub fn constraint_rows(&self) -> usize {
        self.run.system.constraints()
    }

    /// The present settings.
    pub fn settings(&self) -> &SolverSettings {
        &self.mechanism.solver
    }

    /// Replaces the settings, before [`Self::initialize`] or [`Self::follow_settings`] only.
    pub fn set_settings(&mut self, settings: SolverSettings) -> Result<(), StartError> {
        if let Some((setting, reason)) = settings.problems().first() {
            return Err(StartError::from(format!("solver.{setting} {reason}")));
        }
        self.mechanism.solver = settings;
        self.follow_mode();
        self.write_notes();
        Ok(())
    }

    /// Sets an input, which stays constant in the following steps. Tiny numbers become zero. The caller checks
    /// bounds.
    pub fn set_input(&mut self, input: InputId, value: f64) {
        let Part { system, state, .. } = &mut *self.run;
        inputs::set(&system.layout, state, input.index(), (value, value));
        self.begun.disturb();
    }

    /// The same with the input's bounds: the nearest valid value becomes effective, and derivatives continue from the
    /// requested value.
    pub fn ask_input(&mut self, input: InputId, asked: f64) {
        let Part { system, state, .. } = &mut *self.run;
        let value = system.input_bounds[input.index()].nearest(asked);
        inputs::set(&system.layout, state, input.index(), (asked, value));
        self.begun.disturb();
    }

    /// Reads the effective value of an input.
    pub fn input(&self, input: InputId) -> f64 {
        self.run.state.reals[self.run.system.layout.inputs.first + input.index()]
    }

    /// Time of the last accepted step \[s\]: start + n·h with integer n.
    pub fn time(&self) -> f64 {
        self.run.state.time(&self.run.system.layout)
    }

    /// Size of the following steps \[s\].
    pub fn step_size(&self) -> f64 {
        self.run.state.step(&self.run.system.layout)
    }

    /// Sets the size of the following steps \[s\] (re-bases the step counter when it changes). It does not affect
    /// which modes of flexible bodies have inertia; these follow from the settings and the experiment.
    pub fn set_step(&mut self, h: f64) {
        let layout = &self.run.system.layout;
        let state = &mut self.run.state;
        if state.step(layout) == h {
            return;
        }
        state.reals[layout.time.first] = state.time(layout);
        state.reals[layout.time.first + 1] = h;
        *state.counter_mut(Counter::SinceBase) = 0;
    }

    /// One integration step. On failure the state is that of the last accepted step.
    pub fn step(&mut self) -> Result<StepReport, StepFailure> {
        if self.otherwise {
            return self.step_otherwise();
        }
        let Part { system, state, ws } = &mut *self.run;
        let Some(stepper) = &mut self.stepper else {
            return Err(StepFailure::NotStarted);
        };
        let unit = self.mechanism.units.length.factor;
        let settings = &self.mechanism.solver;
        stepper.before.copy_without_delays(state, &system.layout);
        ws.triggered.fill(false);
        let report = match step(system, state, ws, stepper, settings, unit) {
            Ok(report) => report,
            Err(failure) => {
                show(system, state, ws);
                return Err(failure);
            }
        };
        let balanced = refresh(system, state, ws);
        stepper.motion.unbalanced = corrections::unbalanced(system, state, &balanced);
        let scheme = scheme(settings, state.step(&system.layout));
        let weights = &scheme.weights;
        stepper.motion.misfits = [
            states::unsolved(system, state, &balanced, weights),
            states::excessive_growth(system, state, &balanced, (&scheme.states, weights)),
        ];
        remember_forces(system, state, &balanced);
        if settings.linearly_implicit {
            let limit = (settings.maxerr, unit);
            let checked = linear::check(system, state, balanced, stepper, &scheme, limit);
            if let Err(failure) = checked {
                state.copy_without_delays(&stepper.before, &system.layout);
                show(system, state, ws);
                return Err(failure);
            }
        }
        energy::account(system, state, ws);
        let readings = crate::guard::read(system, state, ws, stepper);
        if let Some(alarm) = crate::guard::stops(&settings.guard, &readings) {
            state.copy_without_delays(&stepper.before, &system.layout);
            show(system, state, ws);
            return Err(StepFailure::Guard(alarm));
        }
        self.readings = readings;
        memory::update(system, state, Evaluated::kept(ws));
        self.begun.count(state);
        Ok(report)
    }

    /// The sensors that triggered in the last step.
    pub fn triggered(&self) -> impl Iterator<Item = SensorId> {
        let all = self.run.ws.triggered.iter().enumerate();
        all.filter(|(_, triggered)| **triggered)
            .map(|(k, _)| SensorId::from(k))
    }

    /// The first sensor that requested the end of the run in the last step.
    pub fn stopped_by(&self) -> Option<SensorId> {
        let sensors = &self.run.system.memory.sensors;
        self.triggered().find(|sensor| sensors[sensor.index()].stop)
    }

    /// A number that an element with a memory holds.
    pub fn held(&self, held: Held) -> f64 {
        let Part { system, state, .. } = &*self.run;
        state.span(system.layout.memory)[system.memory.place(held)]
    }

    /// An output at the last accepted step, in its own unit.
    pub fn output(&self, output: OutputId) -> f64 {
        self.run.ws.expressions[self.run.system.outputs[output.index()].index()]
    }

    /// The state of a differential equation at the last accepted step, in its own unit.
    pub fn equation(&self, equation: EquationId) -> f64 {
        self.run.ws.states[equation.index()]
    }

    /// A marker's kinematics at the last accepted step.
    pub fn marker(&self, marker: MarkerId) -> &MarkerKinematics {
        &self.run.ws.markers[marker.index()]
    }
}

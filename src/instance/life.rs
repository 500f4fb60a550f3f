//! Control plane: set-up, initialization, end and reset of a run.

use std::hint::black_box;

use super::Instance;
use super::log::Category;
use super::mode::Mode;
use super::status::{CallResult, Refusal, Status};
use super::timeline::Timeline;
use super::window::View;
use crate::rti::Recorder;
use crate::rti::report::{Heading, Report};
use fixstep_kernel::mechanism::{Mode as StepMode, WATCHED};
use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::{Simulation, StartError};
use fixstep_variables::settings::{FORMULATIONS, INTEGRATORS, formulation_item, integrator_item};

/// What a run says at its start that has no fixed step.
const NOT_REAL_TIME: &str = "the number of steps and iterations follows from the motion, and steps allocate memory. This run \
                             is not for real time";

impl Instance {
    /// Start and stop time \[s\]. The tolerance is ignored: a fixed step does a fixed amount of work, and a variable one
    /// has its own.
    pub fn setup_experiment(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> CallResult {
        if !start.is_finite() {
            let text = format!("the start time is {start}; it must be a finite number");
            return Err(Refusal::error(text));
        }
        // Infinity means that there is no stop time.
        let stop = stop.filter(|stop| *stop != f64::INFINITY);
        if let Some(stop) = stop.filter(|stop| stop.is_nan() || *stop < start) {
            let [start, stop] = [start, stop].map(Seconds);
            let text =
                format!("the stop time {stop} s must not be before the start time {start} s");
            return Err(Refusal::error(text));
        }
        if let Some(tolerance) = tolerance {
            let why = match self.settings.solver.mode {
                StepMode::Fixed => "every step does a fixed amount of work",
                StepMode::Variable => "solver.error is the tolerance of the variable step",
                StepMode::Kinematic | StepMode::Static => "every instant is solved to rounding",
            };
            let text = format!("the tolerance {tolerance} is ignored: {why}");
            self.log.info(Category::Events, &text);
        }
        self.stale |= start != self.timeline.start;
        self.timeline.start = start;
        self.timeline.expected = start;
        self.timeline.stop = stop;
        Ok(Status::Ok)
    }

    /// To initialization mode.
    pub fn enter_initialization(&mut self) -> CallResult {
        self.mode = Mode::Initialization;
        Ok(Status::Ok)
    }

    /// Consistent start, then to step mode.
    pub fn exit_initialization(&mut self) -> CallResult {
        self.start()?;
        self.simulation.settle();
        // The system may not have allocated zero pages yet: writing a copy forces it to.
        let empty = Recorder::new(self.settings.include_first);
        self.recorder = black_box(&empty).clone();
        self.fallbacks = 0;
        self.mode = Mode::Step;
        self.open_window();
        let mode = match self.settings.solver.mode {
            StepMode::Fixed => None,
            StepMode::Variable => Some("variable"),
            StepMode::Kinematic => Some("kinematic"),
            StepMode::Static => Some("static"),
        };
        if let Some(mode) = mode {
            let text = format!("solver.mode is {mode}: {NOT_REAL_TIME}");
            self.log.info(Category::Events, &text);
        }
        Ok(Status::Ok)
    }

    /// Shall memory be locked?
    pub fn locks_memory(&self) -> bool {
        self.settings.solver.lock_memory
    }

    /// Moves the data of steps, and the data through which values are set and read, into newly allocated memory.
    pub fn relocate(&mut self) {
        self.simulation.relocate();
        self.recorder = self.recorder.clone();
        self.accesses = self.accesses.clone();
        self.texts = self.texts.clone();
        self.view.iter_mut().for_each(View::relocate);
    }

    /// To the end, with the report of real time.
    pub fn terminate(&mut self) -> CallResult {
        if self.log.wants(Category::RealTime) && self.recorder.first().is_some() {
            let report = self.report().to_string();
            self.log.info(Category::RealTime, &report);
        }
        self.mode = Mode::Terminated;
        Ok(Status::Ok)
    }

    /// The real-time report up to now.
    pub fn report(&self) -> Report {
        let solver = &self.settings.solver;
        let item = |items: &[(&'static str, &str)], item: i64| {
            let at = usize::try_from(item - 1).unwrap_or(0);
            items.get(at).map_or("", |(name, _)| *name)
        };
        let integrator = item(INTEGRATORS, integrator_item(solver.integrator));
        let formulation = item(FORMULATIONS, formulation_item(solver.formulation));
        let mode = if solver.linearly_implicit {
            ", linearly implicit"
        } else {
            ""
        };
        let time = &self.blueprint.mechanism.units.time;
        Report::new(
            &self.recorder,
            Heading {
                integrator: match solver.mode {
                    StepMode::Fixed => format!("Fixed Step {integrator}/{formulation}{mode}"),
                    StepMode::Variable => format!("Variable Step {integrator}/{formulation}"),
                    StepMode::Kinematic => "Kinematic".to_owned(),
                    StepMode::Static => "Quasi-Static".to_owned(),
                },
                time_unit: time.name.clone(),
                time_factor: time.factor,
                hratio: solver.hratio,
                step: self.h,
                kind: "integration step",
            },
        )
    }

    /// As freshly instantiated; saved states stay.
    pub fn reset(&mut self) -> CallResult {
        let mechanism = &self.blueprint.mechanism;
        let experiment = mechanism.experiment;
        let made = Simulation::boxed(mechanism);
        self.settings.solver = mechanism.solver.clone();
        self.settings.include_first = false;
        let texts = mechanism.texts.iter();
        self.settings.texts = texts.map(|text| text.start.clone()).collect();
        self.adopt_texts();
        let made = made.map_err(|error| refusal(&error))?;
        self.take(made);
        self.timeline = Timeline::new(experiment.start);
        self.h = self.own_step();
        self.recorder = Recorder::new(false);
        self.fallbacks = 0;
        self.told_alarms = [false; WATCHED];
        self.told_not_finite.fill(false);
        self.told_beyond.fill(false);
        self.started = false;
        self.stale = false;
        self.view = None;
        self.mode = Mode::Instantiated;
        // Memory that was locked goes back.
        self.relocate();
        Ok(Status::Ok)
    }

    /// Never inlined, since moving a simulation takes stack.
    #[inline(never)]
    fn take(&mut self, simulation: Box<Simulation>) {
        self.simulation = *simulation;
    }

    /// Makes a consistent start from the inputs, parameters and settings in force, if any has changed since the last
    /// start. The start of a new simulation counts as the first.
    pub(super) fn start(&mut self) -> Result<(), Refusal> {
        if !self.stale {
            if !self.started {
                // When the instance was instantiated, logging may have been off.
                self.log_findings();
            }
            self.started = true;
            return Ok(());
        }
        let told = self.simulation.notes().to_vec();
        let settings = self.settings.solver.clone();
        let set = self.simulation.set_settings(settings);
        set.map_err(|error| refusal(&error))?;
        self.h = self.own_step();
        self.simulation.set_step(self.h);
        let started = self.simulation.initialize(self.timeline.start);
        started.map_err(|error| refusal(&error))?;
        let sound = self.simulation.refuse_findings();
        sound.map_err(|error| refusal(&error))?;
        self.log_notes(&told);
        self.log_findings();
        self.timeline.expected = self.timeline.start;
        self.started = true;
        self.stale = false;
        Ok(())
    }
}

pub(super) fn refusal(error: &StartError) -> Refusal {
    Refusal::error(error.to_string())
}

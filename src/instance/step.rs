//! Data plane: one communication step as a sequence of integration steps.

use std::time::Instant;

use super::Instance;
use super::log::{Category, Record};
use super::mode::Mode;
use super::status::{Refusal, Status};
use super::timeline::{BadStep, Division, MOST_STEPS, SAME_STEP, StepStart, Timeline};
use fixstep_kernel::ids::SensorId;
use fixstep_kernel::mechanism::Mode as StepMode;
use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::Entity;
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::StepFailure;

/// How a communication step ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepEnd {
    /// Did an integration step fail, or a sensor end the run?
    pub stopped: bool,
    /// Has the importer asked to return before the end of the step?
    pub early: bool,
    /// The importer's next communication point, or where the run stopped \[s\].
    pub time: f64,
}

/// A communication step on its way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Course {
    /// Integration steps that are left.
    left: u32,
    /// Where it ends, by the importer's clock \[s\].
    end: f64,
    /// The same by the clock of the simulation, if every step of a variable step is reported \[s\].
    target: Option<f64>,
}

impl Instance {
    /// Advances by `communication` \[s\] from `current` \[s\]. If an integration step fails, the state
    /// is that of the last accepted one, the run is over, and the reason is logged at once.
    pub fn do_step(&mut self, current: f64, communication: f64) -> Result<StepEnd, Refusal> {
        self.begin_step(current, communication)?;
        loop {
            if let Some(end) = self.integrate() {
                return Ok(end);
            }
        }
    }

    /// Begins a communication step, if it is in order.
    pub fn begin_step(&mut self, current: f64, communication: f64) -> Result<(), Refusal> {
        let standing = self.standing(communication);
        let division = self.timeline.divide(current, communication, &standing);
        let Division { steps, h } =
            division.map_err(|bad| bad_step(bad, current, communication))?;
        self.look_ahead(f64::from(steps) * h)?;
        if h != self.h {
            // A step that is set before the first one is not a change that needs a message.
            if standing.time > self.timeline.start {
                self.log.queue(Record::StepChanged {
                    time: standing.time,
                    from: self.h,
                    to: h,
                });
            }
            self.h = h;
            self.simulation.set_step(h);
        }
        self.adopt_calibration();
        self.simulation.begin_communication(steps);
        self.course = Course {
            left: steps,
            end: current + communication,
            target: None,
        };
        Ok(())
    }

    /// From now on [`Self::integrate`] returns after every step of the integration, also with a variable step.
    pub fn report_steps(&mut self) {
        if self.settings.solver.mode == StepMode::Variable {
            self.course.target = Some(self.simulation.time() + self.h);
        }
    }

    /// Makes the next integration step of the present communication step; returns its end if this was the last.
    pub fn integrate(&mut self) -> Option<StepEnd> {
        let begun = Instant::now();
        let outcome = match self.course.target {
            None => self.simulation.step().map(|_| true),
            Some(target) => self.simulation.step_towards(target),
        };
        let nanoseconds = begun.elapsed().as_nanos() as u64;
        if self.settings.solver.eprint && self.settings.solver.mode == StepMode::Variable {
            self.log_trace();
        }
        if self.settings.solver.mode.solves_instants() {
            self.log_remarks();
        }
        let arrived = match outcome {
            Ok(arrived) => arrived,
            Err(failure) => {
                self.stop_run(failure);
                return Some(StepEnd {
                    stopped: true,
                    early: false,
                    time: self.simulation.time(),
                });
            }
        };
        let time = self.simulation.time();
        self.recorder.record(nanoseconds, self.h, time);
        self.publish();
        self.watch_fallbacks(time);
        self.watch_guard(time);
        if let Some(end) = self.watch_sensors(time) {
            return Some(end);
        }
        self.course.left = self.course.left.saturating_sub(u32::from(arrived));
        if self.course.left > 0 {
            return None;
        }
        self.timeline.expected = self.course.end;
        Some(StepEnd {
            stopped: false,
            early: false,
            time: self.course.end,
        })
    }

    /// Logs what the attempts of the last steps did. A variable step may allocate.
    #[cold]
    fn log_trace(&mut self) {
        for line in self.simulation.take_trace() {
            self.log.info(Category::Events, &line);
        }
    }

    /// Logs what a kinematic or quasi-static step has to say. Such a step may allocate.
    #[cold]
    fn log_remarks(&mut self) {
        let time = Seconds(self.simulation.time());
        for line in self.simulation.take_remarks() {
            self.log
                .status(Status::Warning, &format!("at time {time} s: {line}"));
        }
    }

    /// Abandons the rest of a communication step: the importer continues from here.
    pub fn return_early(&mut self) -> StepEnd {
        self.course.left = 0;
        self.timeline.expected = self.simulation.time();
        StepEnd {
            stopped: false,
            early: true,
            time: self.timeline.expected,
        }
    }

    /// Where a communication step begins. With a variable step it is one step of the simulation, within which the
    /// integration chooses its own.
    fn standing(&self, communication: f64) -> StepStart {
        let (time, h) = (self.simulation.time(), self.h);
        if self.settings.solver.mode == StepMode::Fixed {
            let hratio = self.settings.solver.hratio;
            let own = self.own_step();
            return StepStart {
                time,
                h,
                own,
                hratio,
            };
        }
        // The noise of differences of times is no other step.
        let same = (communication - h).abs() <= SAME_STEP * h;
        StepStart {
            time,
            h,
            own: if same { h } else { communication },
            hratio: 1,
        }
    }

    /// The integration step of the run's own \[s\]: DTOUT/HRATIO.
    pub(super) fn own_step(&self) -> f64 {
        let solver = &self.settings.solver;
        let steps = match solver.mode {
            StepMode::Fixed => solver.hratio.max(1),
            StepMode::Variable | StepMode::Kinematic | StepMode::Static => 1,
        };
        self.blueprint.mechanism.experiment.step / f64::from(steps)
    }

    /// The integration step with which a run begins \[s\], if it is known.
    pub(super) fn coming_step(&self) -> f64 {
        let Some(communication) = self.foreseen else {
            return self.simulation.step_size();
        };
        let own = self.own_step();
        let start = self.timeline.start;
        let standing = StepStart {
            time: start,
            h: own,
            own,
            hratio: self.settings.solver.hratio,
        };
        let division = Timeline::new(start).divide(start, communication, &standing);
        division.map_or(own, |division| division.h)
    }

    /// The integration step in force \[s\].
    pub fn step_size(&self) -> f64 {
        self.h
    }

    /// Has a step failed, and the run ended with it?
    pub fn is_stopped(&self) -> bool {
        self.mode == Mode::Stopped
    }

    fn watch_fallbacks(&mut self, time: f64) {
        let total = self.simulation.figure(Figure::Fallbacks) as u32;
        if total > self.fallbacks {
            self.log.queue(Record::Fallback { time, total });
        }
        self.fallbacks = total;
    }

    /// Queues what the guard warns of, each quantity once.
    fn watch_guard(&mut self, time: f64) {
        if !self.log.wants(Category::Warning) {
            return;
        }
        for alarm in self.simulation.alarms() {
            let told = &mut self.told_alarms[alarm.watched as usize];
            if !*told {
                *told = true;
                self.log.queue(Record::Guarded { alarm, time });
            }
        }
    }

    /// Queues the messages of sensors; returns the end of the run if one of them requests it.
    fn watch_sensors(&mut self, time: f64) -> Option<StepEnd> {
        let ends = self.simulation.stopped_by();
        for id in self.simulation.triggered() {
            if self.log.has_words(id) && ends != Some(id) {
                let warns = self.blueprint.mechanism.memory.sensors[id.index()].warns();
                self.log.queue(Record::Sensor {
                    sensor: id.0,
                    time,
                    warns,
                });
            }
        }
        self.end_run(ends?, time);
        self.timeline.expected = time;
        Some(StepEnd {
            stopped: true,
            early: false,
            time,
        })
    }

    /// A sensor has ended the run, as the model asks.
    #[cold]
    fn end_run(&mut self, sensor: SensorId, time: f64) {
        self.mode = Mode::Stopped;
        self.log.deliver();
        let sensor = &self.blueprint.mechanism.memory.sensors[sensor.index()];
        let name = sensor.call();
        let message = match sensor.message.words(&self.settings.texts) {
            "" => String::new(),
            said => format!(": {said}"),
        };
        let time = Seconds(time);
        let text = format!("the run ends at time {time} s, as {name} asks{message}");
        self.log.final_word(Status::Ok, &text);
    }

    /// The run is over, so from here on code may allocate and format.
    #[cold]
    fn stop_run(&mut self, failure: StepFailure) {
        self.mode = Mode::Stopped;
        self.log.deliver();
        let text = self.failure_text(failure);
        self.log.final_word(Status::Discard, &text);
    }

    fn failure_text(&self, failure: StepFailure) -> String {
        let time = self.simulation.time();
        let why = match failure {
            StepFailure::NotStarted => {
                "the consistent start has not been computed; end the initialization before the first step".to_owned()
            }
            StepFailure::LocalError {
                estimate,
                limit,
                entity,
            } => format!(
                "the local error {estimate:.6e} of {} is above solver.maxerr = {limit:.6e}; take a \
                 smaller step, a larger solver.maxerr, or 0 for no limit",
                self.simulation.describe(entity)
            ),
            StepFailure::Guard(alarm) => format!(
                "{}. {} sets the limit",
                alarm.words(&self.simulation.culprit(alarm.reading.culprit)),
                alarm.setting()
            ),
            StepFailure::TooShort {
                step,
                newton,
                entity,
            } => format!(
                "the variable step would become {} s, shorter than the shortest one, {} s (solver.hmin), since {}; look for a \
                 jump in a force at this time, or take a larger tolerance or a smaller solver.hmin",
                Seconds(step),
                Seconds(self.shortest_step()),
                self.too_short(newton, entity)
            ),
            StepFailure::Endless { steps, entity } => format!(
                "{steps} variable steps have not reached the end of the communication step; {} limits them most. Look for \
                 something that switches back and forth without end, or take a larger tolerance or shorter communication steps",
                self.simulation.describe(entity)
            ),
            StepFailure::Instant => {
                let halt = self.simulation.halt();
                halt.map_or_else(String::new, |halt| halt.why.clone())
            }
            StepFailure::NoAccelerations => "the equations of motion give no accelerations here; look for a dead point, \
                 or for forces that read accelerations"
                .to_owned(),
            StepFailure::NotFinite(entity) => format!(
                "{} is no longer a finite number; take a smaller step, or look for a division by \
                 zero or an unstable force",
                self.simulation.describe(entity)
            ),
            StepFailure::Singular(block) => format!(
                "the equations have no unique solution at {}; {}",
                self.simulation.describe(block.into()),
                self.simulation.remedy(block)
            ),
        };
        let lock = (failure != StepFailure::Instant)
            .then(|| self.simulation.lock())
            .flatten();
        let why = match lock {
            Some(lock) => format!("{why}. {lock}"),
            None => why,
        };
        let [time, end] = [time, time + self.h].map(Seconds);
        format!(
            "the run stops at time {time} s: the step to {end} s failed, because {why}. The state is \
             that of time {time} s"
        )
    }

    /// The shortest variable step (s).
    fn shortest_step(&self) -> f64 {
        let experiment = &self.simulation.mechanism().experiment;
        self.simulation.settings().tolerance(experiment).shortest
    }

    /// Why a variable step would become too short.
    fn too_short(&self, newton: bool, entity: Entity) -> String {
        let named = self.simulation.describe(entity);
        match (newton, entity) {
            (true, Entity::Mechanism) => "Newton's iteration does not converge".to_owned(),
            (true, _) => format!(
                "Newton's iteration does not converge: its largest correction stays at {named}"
            ),
            (false, _) => format!("the error of {named} stays above the tolerance"),
        }
    }
}

#[cold]
fn bad_step(bad: BadStep, current: f64, communication: f64) -> Refusal {
    let [current, communication] = [current, communication].map(Seconds);
    Refusal::error(match bad {
        BadStep::NotFinite => format!(
            "the communication point {current} and the communication step {communication} must \
             be finite numbers"
        ),
        BadStep::NotPositive => {
            format!("the communication step is {communication} s; it must be above 0")
        }
        BadStep::OffPoint {
            expected,
            tolerance,
        } => format!(
            "the communication point is {current} s, but the FMU stands at {} s; they \
             may differ by {tolerance:e} s",
            Seconds(expected)
        ),
        BadStep::TooLong(h) => format!(
            "the communication step of {communication} s takes more than {MOST_STEPS} integration steps \
             of {} s; take shorter ones",
            Seconds(h)
        ),
        BadStep::BeyondStop(stop) => {
            let stop = Seconds(stop);
            format!("the step from {current} s by {communication} s passes the stop time {stop} s")
        }
    })
}

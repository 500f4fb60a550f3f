//! Data plane: one communication step as HRATIO integration steps.

use std::time::Instant;

use super::Instance;
use super::log::Record;
use super::mode::Mode;
use super::status::{Refusal, Status};
use super::timeline::BadStep;
use crate::ids::SensorId;
use crate::simulation::StepFailure;
use crate::variables::Figure;

/// How a communication step ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepEnd {
    /// Did an integration step fail, and the run end with it?
    pub stopped: bool,
    /// The importer's next communication point, or where the run stopped \[s\].
    pub time: f64,
}

impl Instance {
    /// Advances by `communication` \[s\] from `current` \[s\]. If an integration step fails, the state
    /// is that of the last accepted one, the run is over, and the reason is logged at once.
    pub fn do_step(&mut self, current: f64, communication: f64) -> Result<StepEnd, Refusal> {
        let internal = self.simulation.time();
        let checked = self
            .timeline
            .check(current, communication, internal, self.h);
        checked.map_err(|bad| bad_step(bad, current, communication))?;
        self.adopt_step(current, communication, internal);
        self.watch_drift(current, internal);
        for _ in 0..self.settings.solver.hratio.max(1) {
            let begun = Instant::now();
            let outcome = self.simulation.step();
            let nanoseconds = begun.elapsed().as_nanos() as u64;
            if let Err(failure) = outcome {
                self.stop_run(failure);
                return Ok(StepEnd {
                    stopped: true,
                    time: self.simulation.time(),
                });
            }
            let time = self.simulation.time();
            self.recorder.record(nanoseconds, self.h, time);
            self.watch_fallbacks(time);
            if let Some(end) = self.watch_sensors(time) {
                return Ok(end);
            }
        }
        self.timeline.expected = current + communication;
        Ok(StepEnd {
            stopped: false,
            time: self.timeline.expected,
        })
    }

    /// Has a step failed, and the run ended with it?
    pub fn is_stopped(&self) -> bool {
        self.mode == Mode::Stopped
    }

    fn adopt_step(&mut self, current: f64, communication: f64, internal: f64) {
        let timeline = &mut self.timeline;
        if !timeline.changes(current, communication, internal, self.h) {
            return;
        }
        timeline.communication = communication;
        let h = communication / f64::from(self.settings.solver.hratio.max(1));
        if h != self.h {
            // A step that is given before the first is no change worth a message.
            if internal > timeline.start {
                self.log.queue(Record::StepChanged {
                    time: internal,
                    from: self.h,
                    to: h,
                });
            }
            self.h = h;
            self.simulation.set_step(h);
        }
    }

    fn watch_drift(&mut self, current: f64, internal: f64) {
        if !self.timeline.drift_reported && (current - internal).abs() > self.h {
            self.timeline.drift_reported = true;
            self.log.queue(Record::ClockDrift {
                given: current,
                internal,
            });
        }
    }

    fn watch_fallbacks(&mut self, time: f64) {
        let total = self.simulation.figure(Figure::Fallbacks) as u32;
        if total > self.fallbacks {
            self.log.queue(Record::Fallback { time, total });
        }
        self.fallbacks = total;
    }

    /// Queues what sensors have to say; the end of the run, if one asks for it.
    fn watch_sensors(&mut self, time: f64) -> Option<StepEnd> {
        let ends = self.simulation.stopped_by();
        for id in self.simulation.triggered() {
            if self.log.has_words(id) && ends != Some(id) {
                let warns = self.blueprint.model.memory.sensors[id.index()].warns();
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
            time,
        })
    }

    /// A sensor has ended the run, as the model asks.
    #[cold]
    fn end_run(&mut self, sensor: SensorId, time: f64) {
        self.mode = Mode::Stopped;
        self.log.deliver();
        let sensor = &self.blueprint.model.memory.sensors[sensor.index()];
        let name = sensor.call();
        let message = match sensor.message.words(&self.settings.texts) {
            "" => String::new(),
            said => format!(": {said}"),
        };
        let text = format!("the run ends at time {time} s, as {name} asks{message}");
        self.log.final_word(Status::Ok, &text);
    }

    /// The run is over: from here on there is time to allocate and format.
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
            StepFailure::LocalError {
                estimate,
                limit,
                worst,
            } => format!(
                "the local error {estimate:.6e} of {} is above solver.maxerr = {limit:.6e}; take a \
                 smaller step, a larger solver.maxerr, or 0 for no limit",
                self.simulation.describe(worst)
            ),
            StepFailure::NotFinite { worst } => format!(
                "{} is no finite number any more; take a smaller step, or look for a division by \
                 zero or an unstable force",
                self.simulation.describe(worst)
            ),
            StepFailure::Singular { worst } => format!(
                "the equations have no unique solution at {}; look for a mechanism in a dead \
                 point, or a part without mass",
                self.simulation.describe(worst)
            ),
        };
        format!(
            "the run stops at time {time} s: the step to {} s failed, because {why}. The state is \
             that of time {time} s",
            time + self.h
        )
    }
}

#[cold]
fn bad_step(bad: BadStep, current: f64, communication: f64) -> Refusal {
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
            "the communication point is {current} s, but the FMU stands at {expected} s; they \
             may differ by {tolerance:e} s"
        ),
        BadStep::BeyondStop(stop) => {
            format!("the step from {current} s by {communication} s passes the stop time {stop} s")
        }
    })
}

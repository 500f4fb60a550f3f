//! Control plane: how fast a slave is, measured by its caller around every communication step.
//!
//! *Free*: step after step without waiting. *Paced*: each step begins when the wall clock reaches its time, as on a
//! hardware-in-the-loop bench, so caches and clocks of the processor cool down in between. A deadline is missed when
//! a step takes longer than the time that it simulates.
//!
//! If a communication step consists of several integration steps, the caller sees only their sum. FMUs made by
//! Fixstep time each of them and log a report at the end, which is then judged instead ([`own`]).

mod heading;
mod own;

use std::time::{Duration, Instant};

use fixstep::instance::timeline::Division;
use fixstep::rti::Recorder;
use fixstep::rti::report::{Heading, Report};
use fixstep_kernel::seconds::Seconds;
use model_description::parse::Description;
use serde::Serialize;

use crate::csv::Table;
use crate::plot::{Limit, Line, Panel, Plot, Scale};
use crate::run::{self, Input, Times, last_words, own_step, start};
use crate::slave::{Advance, Failure, Message, Slave};
pub use heading::clock;
use heading::{division, heading, start_value};
use own::Own;

/// Before a deadline, sleep until this time before it, then spin: the margin by which an operating system may
/// oversleep.
const SPIN: Duration = Duration::from_micros(300);
/// Most points of a run's picture.
const BINS: u64 = 1500;

/// How the steps follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pace {
    /// Without waiting.
    Free,
    /// At real time.
    Paced,
}

impl Pace {
    /// The description, as free text.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Free => "free-running",
            Self::Paced => "paced at real time",
        }
    }
}

/// The settings of a measurement.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Communication step, in the FMU's unit of time; `None`: that of a run.
    pub step: Option<f64>,
    /// Simulated time (s).
    pub duration: f64,
    /// Start values by name.
    pub settings: Vec<(String, String)>,
    /// Columns `time` and inputs.
    pub input: Option<Table>,
}

/// The unit to which the figures of a measurement refer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// Communication steps of one integration step each, timed around `DoStep`.
    IntegrationStepsByTheCaller,
    /// The integration steps within communication steps, timed by the FMU itself.
    IntegrationStepsByTheFmu,
    /// Communication steps, timed around `DoStep`. The FMU does not report the number or the times of its integration
    /// steps.
    CommunicationStepsByTheCaller,
}

impl Judged {
    /// The description, as free text.
    pub const fn title(self) -> &'static str {
        match self {
            Self::IntegrationStepsByTheCaller => "each integration step, timed around DoStep",
            Self::IntegrationStepsByTheFmu => "each integration step, timed by the FMU",
            Self::CommunicationStepsByTheCaller => "each communication step, timed around DoStep",
        }
    }
}

/// The report as the library writes it.
fn as_json<S: serde::Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
    let value: serde_json::Value =
        serde_json::from_str(&report.to_json()).map_err(serde::ser::Error::custom)?;
    value.serialize(serializer)
}

/// The results of a measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// How the steps followed each other.
    pub pace: Pace,
    /// The unit to which the figures, the misses and a limit refer.
    pub judged: Judged,
    /// The figures in short.
    pub rti: Figures,
    /// Steps that took longer than they simulate.
    pub misses: u64,
    /// Longest run of consecutive misses.
    pub longest_run_of_misses: u64,
    /// Communication steps.
    pub steps: u64,
    /// Integration steps in each of them, if the FMU reports the number.
    pub integration_steps: u32,
    /// Wall time of the whole run (s).
    pub wall_seconds: f64,
    /// Paced: the largest delay of a step's beginning behind the clock (s).
    pub worst_delay_seconds: f64,
    /// Paced: steps that ended after the clock had reached their end, because they were slow or because they began
    /// late.
    pub late_steps: u64,
    /// Why the slave ended the run early, if it did.
    pub ended: Option<String>,
    /// The full report of what was timed around `DoStep`.
    #[serde(serialize_with = "as_json")]
    pub report: Report,
    /// The FMU's own report, if the result refers to it.
    pub own_report: Option<String>,
    /// The log messages of the FMU.
    #[serde(skip)]
    pub messages: Vec<Message>,
    /// The run in bins of equal length: time (s), average and largest RTI.
    #[serde(skip)]
    pub course: Vec<(f64, f64, f64)>,
}

/// Real Time Indices.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    /// First step, which the others exclude; `None` if the FMU does not report it.
    pub first: Option<f64>,
    /// Smallest.
    pub min: f64,
    /// Average.
    pub average: f64,
    /// Half of the steps stay below.
    pub p50: f64,
    /// 99 % of the steps stay below.
    pub p99: f64,
    /// 99.9 %.
    #[serde(rename = "p99.9")]
    pub p99_9: f64,
    /// 99.99 %.
    #[serde(rename = "p99.99")]
    pub p99_99: f64,
    /// 99.999 %.
    #[serde(rename = "p99.999")]
    pub p99_999: f64,
    /// Largest.
    pub max: f64,
}

/// Names of the figures that a limit may be put on.
pub const FIGURES: [&str; 7] = ["average", "p50", "p99", "p99.9", "p99.99", "p99.999", "max"];

impl Figures {
    fn of(recorder: &Recorder) -> Self {
        let percentile = |p| recorder.percentile(p).unwrap_or(0.0);
        let rti = |sample: Option<fixstep::rti::Sample>| sample.map_or(0.0, |sample| sample.rti);
        Self {
            first: recorder.first().map(|sample| sample.rti),
            min: rti(recorder.min()),
            average: recorder.average(),
            p50: percentile(50_000),
            p99: percentile(99_000),
            p99_9: percentile(99_900),
            p99_99: percentile(99_990),
            p99_999: percentile(99_999),
            max: rti(recorder.max()),
        }
    }

    /// A figure by its name in [`FIGURES`].
    pub fn by_name(&self, name: &str) -> Option<f64> {
        Some(match name {
            "average" => self.average,
            "p50" => self.p50,
            "p99" => self.p99,
            "p99.9" => self.p99_9,
            "p99.99" => self.p99_99,
            "p99.999" => self.p99_999,
            "max" => self.max,
            _ => return None,
        })
    }
}

impl Plan {
    /// Times of the run: from 0 on, whatever the start of the default experiment.
    pub fn times(&self, description: &Description) -> Result<Times, Failure> {
        let begin = description.default_experiment.start.unwrap_or(0.0);
        let step = match self.step.or_else(|| own_step(description)) {
            Some(step) => step,
            None => run::Plan::default().times(description)?.step,
        };
        let duration = self.duration / clock(description);
        let times = Times::new(begin, begin + duration, step)?;
        if times.steps < 2 {
            return Err(Failure(format!(
                "a duration of {} s holds fewer than two steps of {} s",
                Seconds(self.duration),
                Seconds(step * clock(description))
            )));
        }
        Ok(times)
    }
}

/// Measures a fresh instance. `progress` receives the share done; the time that it takes is not part of any step.
pub fn measure(
    slave: &mut dyn Slave,
    plan: &Plan,
    pace: Pace,
    progress: &mut dyn FnMut(f64),
) -> Result<Measurement, Failure> {
    let times = plan.times(slave.description())?;
    let clock = clock(slave.description());
    let (hratio, division) = division(slave.description(), &plan.settings, &times);
    let told = hratio.is_some();
    let kind = match division.steps {
        1 if told => "integration step",
        _ => "communication step",
    };
    let heading = heading(
        slave.description(),
        &plan.settings,
        (kind, times.step * clock),
        hratio.unwrap_or(1),
    );
    let first = start_value(
        slave.description(),
        &plan.settings,
        "rti.include_first_step",
    );
    let first = first.is_some_and(|text| ["true", "1"].contains(&text.as_str()));
    let input = plan
        .input
        .as_ref()
        .map(|table| Input::new(slave.description(), table))
        .transpose()?;
    start(slave, &plan.settings, input.as_ref(), times.start, None)?;
    let mut meter = Meter::new(times, clock, pace, Recorder::new(first));
    let ended = meter.run(slave, input.as_ref(), progress)?;
    let wall_seconds = meter.began.elapsed().as_secs_f64();
    // With one integration step per call, the caller's times are complete.
    let exact = (division.steps > 1).then(|| own::exact(slave));
    slave.terminate()?;
    meter.messages.extend(slave.messages());
    let own = exact.and_then(|exact| own::reported(&meter.messages, exact));
    Ok(meter.finish(heading, (division, told), wall_seconds, ended, own))
}

/// Records steps; allocates nothing once made.
struct Meter {
    times: Times,
    /// Seconds in the FMU's unit of time.
    clock: f64,
    pace: Pace,
    recorder: Recorder,
    began: Instant,
    steps: u64,
    worst_delay: Duration,
    late_steps: u64,
    per_bin: u64,
    course: Vec<(f64, f64, f64)>,
    bin: (u64, f64, f64),
    messages: Vec<Message>,
}

impl Meter {
    fn new(times: Times, clock: f64, pace: Pace, recorder: Recorder) -> Self {
        let per_bin = times.steps.div_ceil(BINS).max(1);
        Self {
            times,
            clock,
            pace,
            recorder,
            began: Instant::now(),
            steps: 0,
            worst_delay: Duration::ZERO,
            late_steps: 0,
            per_bin,
            course: Vec::with_capacity(BINS as usize + 1),
            bin: (0, 0.0, 0.0),
            messages: Vec::new(),
        }
    }

    /// All steps; why the slave ended early, if it did.
    fn run(
        &mut self,
        slave: &mut dyn Slave,
        input: Option<&Input<'_>>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Option<String>, Failure> {
        let times = self.times;
        self.began = Instant::now();
        let mut told = self.began;
        for n in 0..times.steps {
            if let Some(input) = input {
                input.apply(slave, times.at(n))?;
            }
            self.wait(n);
            let before = Instant::now();
            let advance = slave.step(times.at(n), times.step);
            let wall = before.elapsed();
            if let Advance::Ended { at } = advance? {
                self.messages.extend(slave.messages());
                let reason = last_words(&self.messages);
                return Ok(Some(format!(
                    "ended at {} s: {reason}",
                    Seconds(at * self.clock)
                )));
            }
            self.record(n, wall);
            self.watch_clock(n);
            if told.elapsed() > Duration::from_millis(100) {
                told = Instant::now();
                progress((n + 1) as f64 / times.steps as f64);
            }
        }
        Ok(None)
    }

    /// Wall time from the first to step `n`, if it were paced.
    fn due(&self, n: u64) -> Duration {
        Duration::from_secs_f64(n as f64 * self.times.step * self.clock)
    }

    /// Paced: sleeps, then spins, until the clock reaches the beginning of step `n`.
    fn wait(&mut self, n: u64) {
        if self.pace == Pace::Free {
            return;
        }
        let due = self.due(n);
        let ahead = due.saturating_sub(self.began.elapsed());
        if ahead > SPIN {
            std::thread::sleep(ahead.saturating_sub(SPIN));
        }
        loop {
            let now = self.began.elapsed();
            if now >= due {
                self.worst_delay = self.worst_delay.max(now.saturating_sub(due));
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// Paced: has the clock passed the end of step `n`?
    fn watch_clock(&mut self, n: u64) {
        if self.pace == Pace::Paced && self.began.elapsed() > self.due(n + 1) {
            self.late_steps += 1;
        }
    }

    fn record(&mut self, n: u64, wall: Duration) {
        let nanoseconds = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
        let time = self.times.at(n + 1) * self.clock;
        let step = self.times.step * self.clock;
        self.recorder.record(nanoseconds, step, time);
        self.steps += 1;
        let rti = wall.as_secs_f64() / step;
        let (count, sum, worst) = &mut self.bin;
        *count += 1;
        *sum += rti;
        *worst = worst.max(rti);
        if *count == self.per_bin {
            self.course.push((time, *sum / *count as f64, *worst));
            self.bin = (0, 0.0, 0.0);
        }
    }

    fn finish(
        self,
        heading: Heading,
        (division, told): (Division, bool),
        wall_seconds: f64,
        ended: Option<String>,
        own: Option<Own>,
    ) -> Measurement {
        let judged = match (division.steps, &own) {
            (1, _) if told => Judged::IntegrationStepsByTheCaller,
            (_, Some(_)) => Judged::IntegrationStepsByTheFmu,
            _ => Judged::CommunicationStepsByTheCaller,
        };
        let (rti, misses, longest_run_of_misses) = match &own {
            Some(own) => (own.figures, own.misses, own.longest_run),
            None => (
                Figures::of(&self.recorder),
                self.recorder.misses(),
                self.recorder.longest_run(),
            ),
        };
        Measurement {
            pace: self.pace,
            judged,
            rti,
            misses,
            longest_run_of_misses,
            steps: self.steps,
            integration_steps: division.steps,
            wall_seconds,
            worst_delay_seconds: self.worst_delay.as_secs_f64(),
            late_steps: self.late_steps,
            ended,
            report: Report::new(&self.recorder, heading),
            own_report: own.map(|own| own.text),
            messages: self.messages,
            course: self.course,
        }
    }
}

/// The picture of the runs: RTI over simulated time, and the distribution of step times.
pub fn plot(name: &str, runs: &[Measurement]) -> Plot {
    let panels = runs.iter().map(|run| {
        let line = |name: &str, pick: fn(&(f64, f64, f64)) -> f64| Line {
            name: name.to_owned(),
            x: run.course.iter().map(|bin| bin.0).collect(),
            y: run.course.iter().map(pick).collect(),
            dots: false,
        };
        Panel {
            y_label: format!("RTI, {}", run.pace.title()),
            lines: vec![
                line("slowest step", |bin| bin.2),
                line("average", |bin| bin.1),
            ],
            limits: vec![Limit {
                value: 1.0,
                text: "real time".to_owned(),
            }],
            scale: Scale::Logarithmic,
            ..Panel::default()
        }
    });
    Plot {
        title: format!("Real Time Index of {name}"),
        subtitle: match runs.first().map(|run| run.integration_steps) {
            Some(several @ 2..) => format!("communication steps of {several} integration steps"),
            _ => String::new(),
        },
        x_label: "time [s]".to_owned(),
        panels: panels.collect(),
        ..Plot::default()
    }
}

#[cfg(test)]
mod tests;

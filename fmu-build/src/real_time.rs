//! Control plane: how fast a slave is, measured by its caller around every communication step.
//!
//! *Free*: step after step without waiting. *Paced*: each step begins when the wall clock reaches
//! its time, as on a hardware-in-the-loop bench, so caches and clocks of the processor cool down
//! in between. A deadline is missed when a step takes longer than it simulates.

use std::time::{Duration, Instant};

use fixstep::instance::timeline::{Division, Standing, Timeline};
use fixstep::rti::Recorder;
use fixstep::rti::report::{Heading, Report};
use model_description::parse::Description;
use serde::Serialize;

use crate::csv::Table;
use crate::plot::{Limit, Line, Panel, Plot, Scale};
use crate::run::{Input, Times, last_words, start};
use crate::slave::{Advance, Failure, Slave, find};

/// Before a deadline, sleep until so long before it, then spin: what an operating system may
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
    /// For people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Free => "free-running",
            Self::Paced => "paced at real time",
        }
    }
}

/// What to measure.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Communication step (s); `None`: the default experiment's.
    pub step: Option<f64>,
    /// Simulated time (s).
    pub duration: f64,
    /// Start values by name.
    pub settings: Vec<(String, String)>,
    /// Columns `time` and inputs.
    pub input: Option<Table>,
}

/// The report as the library writes it.
fn as_json<S: serde::Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
    let value: serde_json::Value =
        serde_json::from_str(&report.to_json()).map_err(serde::ser::Error::custom)?;
    value.serialize(serializer)
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// How the steps followed each other.
    pub pace: Pace,
    /// The figures in short.
    pub rti: Figures,
    /// Steps that took longer than they simulate.
    pub misses: u64,
    /// Longest run of consecutive misses.
    pub longest_run_of_misses: u64,
    /// Communication steps.
    pub steps: u64,
    /// Wall time of the whole run (s).
    pub wall_seconds: f64,
    /// Paced: the largest delay of a step's beginning behind the clock (s).
    pub worst_delay_seconds: f64,
    /// Paced: steps that ended after the clock had reached their end, be it that they were slow or
    /// that they began late.
    pub late_steps: u64,
    /// Why the slave ended the run early, if it did.
    pub ended: Option<String>,
    /// The full report.
    #[serde(serialize_with = "as_json")]
    pub report: Report,
    /// The run in bins of equal length: time (s), average and largest RTI.
    #[serde(skip)]
    pub course: Vec<(f64, f64, f64)>,
}

/// Real Time Indices.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figures {
    /// First step, which the others leave out.
    pub first: f64,
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
            first: rti(recorder.first()),
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
    /// Times of the run: from 0 on, whatever the default experiment's start.
    pub fn times(&self, description: &Description) -> Result<Times, Failure> {
        let default = &description.default_experiment;
        let begin = default.start.unwrap_or(0.0);
        let step = self.step.or(default.step).ok_or_else(|| {
            Failure("the FMU tells no communication step; give one with --step".to_owned())
        })?;
        let times = Times::new(begin, begin + self.duration, step)?;
        if times.steps < 2 {
            return Err(Failure(format!(
                "a duration of {} s holds fewer than two steps of {step} s",
                self.duration
            )));
        }
        Ok(times)
    }
}

/// Measures a fresh instance; `progress` hears the share done and the wall time since it was last
/// heard is not part of any step.
pub fn measure(
    slave: &mut dyn Slave,
    plan: &Plan,
    pace: Pace,
    progress: &mut dyn FnMut(f64),
) -> Result<Measurement, Failure> {
    let times = plan.times(slave.description())?;
    let (hratio, division) = division(slave.description(), &plan.settings, &times);
    let heading = heading(slave.description(), &plan.settings, division.h, hratio);
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
    let mut meter = Meter::new(times, division, pace, Recorder::new(first));
    let began = Instant::now();
    let mut ended = None;
    let mut told = began;
    for n in 0..times.steps {
        if let Some(input) = &input {
            input.apply(slave, times.at(n))?;
        }
        meter.wait(began, n);
        let before = Instant::now();
        let advance = slave.step(times.at(n), times.step);
        let wall = before.elapsed();
        if let Advance::Ended { at } = advance? {
            let reason = last_words(&slave.messages());
            ended = Some(format!("ended at {at} s: {reason}"));
            break;
        }
        meter.record(n, wall);
        meter.watch_clock(began, n);
        if told.elapsed() > Duration::from_millis(100) {
            told = Instant::now();
            progress((n + 1) as f64 / times.steps as f64);
        }
    }
    let wall_seconds = began.elapsed().as_secs_f64();
    slave.terminate()?;
    Ok(meter.finish(heading, wall_seconds, ended))
}

/// Records steps; allocates nothing once made.
struct Meter {
    times: Times,
    division: Division,
    pace: Pace,
    recorder: Recorder,
    steps: u64,
    worst_delay: Duration,
    late_steps: u64,
    per_bin: u64,
    course: Vec<(f64, f64, f64)>,
    bin: (u64, f64, f64),
}

impl Meter {
    fn new(times: Times, division: Division, pace: Pace, recorder: Recorder) -> Self {
        let per_bin = times.steps.div_ceil(BINS).max(1);
        Self {
            times,
            division,
            pace,
            recorder,
            steps: 0,
            worst_delay: Duration::ZERO,
            late_steps: 0,
            per_bin,
            course: Vec::with_capacity(BINS as usize + 1),
            bin: (0, 0.0, 0.0),
        }
    }

    /// Paced: sleeps, then spins, until the clock reaches the beginning of step `n`.
    fn wait(&mut self, began: Instant, n: u64) {
        if self.pace == Pace::Free {
            return;
        }
        let due = Duration::from_secs_f64(n as f64 * self.times.step);
        let ahead = due.saturating_sub(began.elapsed());
        if ahead > SPIN {
            std::thread::sleep(ahead.saturating_sub(SPIN));
        }
        loop {
            let now = began.elapsed();
            if now >= due {
                self.worst_delay = self.worst_delay.max(now.saturating_sub(due));
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// Paced: has the clock passed the end of step `n`?
    fn watch_clock(&mut self, began: Instant, n: u64) {
        let end = Duration::from_secs_f64((n + 1) as f64 * self.times.step);
        if self.pace == Pace::Paced && began.elapsed() > end {
            self.late_steps += 1;
        }
    }

    fn record(&mut self, n: u64, wall: Duration) {
        // The integration steps of a communication step are of equal work.
        let Division { steps, h } = self.division;
        let nanoseconds = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX) / u64::from(steps);
        let time = self.times.at(n + 1);
        self.recorder.record(nanoseconds, h, time);
        self.steps += 1;
        let rti = wall.as_secs_f64() / self.times.step;
        let (count, sum, worst) = &mut self.bin;
        *count += 1;
        *sum += rti;
        *worst = worst.max(rti);
        if *count == self.per_bin {
            self.course.push((time, *sum / *count as f64, *worst));
            self.bin = (0, 0.0, 0.0);
        }
    }

    fn finish(self, heading: Heading, wall_seconds: f64, ended: Option<String>) -> Measurement {
        Measurement {
            pace: self.pace,
            rti: Figures::of(&self.recorder),
            misses: self.recorder.misses(),
            longest_run_of_misses: self.recorder.longest_run(),
            steps: self.steps,
            wall_seconds,
            worst_delay_seconds: self.worst_delay.as_secs_f64(),
            late_steps: self.late_steps,
            ended,
            report: Report::new(&self.recorder, heading),
            course: self.course,
        }
    }
}

/// A start value by name: from the settings, or as the description tells it.
fn start_value(
    description: &Description,
    settings: &[(String, String)],
    name: &str,
) -> Option<String> {
    let set = settings.iter().rev().find(|(setting, _)| setting == name);
    let at = find(description, name).ok()?;
    set.map(|(_, value)| value.clone())
        .or_else(|| description.variables[at].start.first().cloned())
}

/// HRATIO, and the integration steps of a communication step. Of another vendor's FMU a communication step is one.
fn division(
    description: &Description,
    settings: &[(String, String)],
    times: &Times,
) -> (u32, Division) {
    let (start, step) = (times.start, times.step);
    let text = start_value(description, settings, "solver.hratio");
    let ratio = text.and_then(|text| text.parse().ok());
    let Some(hratio) = ratio.filter(|ratio| *ratio > 0) else {
        return (1, Division { steps: 1, h: step });
    };
    let own = description.default_experiment.step.unwrap_or(step) / f64::from(hratio);
    let standing = Standing {
        time: start,
        h: own,
        own,
        hratio,
    };
    let even = Division {
        steps: hratio,
        h: step / f64::from(hratio),
    };
    let divided = Timeline::new(start).divide(start, step, &standing);
    (hratio, divided.unwrap_or(even))
}

/// The report's heading. Other vendors' FMUs show their exporter as integrator.
fn heading(
    description: &Description,
    settings: &[(String, String)],
    h: f64,
    hratio: u32,
) -> Heading {
    let item = |name: &str| {
        let text = start_value(description, settings, name)?;
        let variable = &description.variables[find(description, name).ok()?];
        let types = &description.types;
        let items = &types
            .iter()
            .find(|of| of.name == variable.declared_type)?
            .items;
        let item = items.iter().find(|item| item.value.to_string() == text);
        Some(item.map_or(text, |item| item.name.clone()))
    };
    let integrator = match (item("solver.integrator"), item("solver.formulation")) {
        (Some(integrator), Some(formulation)) => format!("Fixed Step {integrator}/{formulation}"),
        _ => format!("unknown ({})", description.generation_tool),
    };
    Heading {
        integrator,
        time_unit: "s".to_owned(),
        time_factor: 1.0,
        hratio,
        step: h,
    }
}

/// The picture of the runs: RTI over simulated time, and how many steps were how slow.
pub fn plot(name: &str, runs: &[Measurement]) -> Plot {
    let panels = runs.iter().map(|run| {
        let line = |name: &str, pick: fn(&(f64, f64, f64)) -> f64| Line {
            name: name.to_owned(),
            x: run.course.iter().map(|bin| bin.0).collect(),
            y: run.course.iter().map(pick).collect(),
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
        }
    });
    Plot {
        title: format!("Real Time Index of {name}"),
        subtitle: String::new(),
        x_label: "time [s]".to_owned(),
        panels: panels.collect(),
    }
}

#[cfg(test)]
mod tests;

//! Control plane: a run at the speed of the clock with a dashboard in the terminal (`run --live`).
//!
//! [`Live`] goes along with the run: it waits before each step, shows what there is, and does what keys ask for. `pace` has
//! the clock, `dials` what may be changed, `frame` the lines of text, `screen` the terminal.

mod dials;
mod frame;
mod pace;
mod screen;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fixstep_kernel::seconds::Seconds;
use fmu_build::real_time::clock;
use fmu_build::run::{Outcome, Plan, Times};
use fmu_build::slave::{Failure, Slave};
use fmu_build::suggest::unknown;

use crate::args::LiveOptions;
use crate::console::write_file;
use dials::Dials;
use frame::{Shown, View};
use pace::{Meter, Pace};
use screen::{Key, Screen};

pub(crate) use screen::refusal;

/// Time between two pictures.
const FRAME: Duration = Duration::from_millis(60);
/// Time between two looks at the keys when the run does not wait.
const LOOK: Duration = Duration::from_millis(15);
/// Seconds of the clock that sparklines show.
const WINDOW: f64 = 10.0;
/// Speeds that keys reach.
const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// A run with its dashboard.
pub(super) struct Live {
    /// Taken over with the first step.
    screen: Option<Screen>,
    title: String,
    times: Times,
    /// Seconds in the unit of time of the file.
    clock: f64,
    options: LiveOptions,
    /// Columns of the table that are shown.
    watched: Vec<usize>,
    pace: Pace,
    meter: Meter,
    dials: Dials,
    paused: bool,
    /// One step, and pause again.
    single: bool,
    over: bool,
    drawn: Option<Instant>,
    looked: Instant,
    message: String,
    /// What the user has done, for the end.
    done: Vec<String>,
}

/// Positions of the columns that an option names; all but the time if none is named.
fn watched(options: &LiveOptions, names: &[String]) -> Result<Vec<usize>, Failure> {
    if options.watch.is_empty() {
        return Ok((1..names.len()).collect());
    }
    let find = |name: &String| {
        let at = names.iter().position(|it| it == name);
        at.ok_or_else(|| {
            let said = unknown("column", name, names.iter().map(String::as_str));
            Failure(format!("--watch: {said} (--record NAME adds columns)"))
        })
    };
    options.watch.iter().map(find).collect()
}

impl Live {
    /// Prepares the dashboard.
    pub(super) fn new(
        options: &LiveOptions,
        slave: &dyn Slave,
        (plan, times): (&Plan, Times),
    ) -> Self {
        let given = plan.input.iter().flat_map(|table| table.names.clone());
        let dials = Dials::of(slave, &given.collect::<Vec<_>>());
        let clock = clock(slave.description());
        let now = Instant::now();
        Self {
            screen: None,
            title: slave.description().name.clone(),
            times,
            clock,
            options: options.clone(),
            watched: Vec::new(),
            pace: Pace::new(times.step * clock, options.speed, now),
            meter: Meter::new(),
            dials,
            paused: false,
            single: false,
            over: false,
            drawn: None,
            looked: now,
            message: String::new(),
            done: Vec::new(),
        }
    }

    /// Before the step from communication point `n`: waits until it is due; `false` if the user ends the run.
    pub(super) fn before(
        &mut self,
        slave: &mut dyn Slave,
        n: u64,
        so_far: &Outcome,
    ) -> Result<bool, Failure> {
        if self.screen.is_none() {
            self.watched = watched(&self.options, &so_far.table.names)?;
            self.screen = Some(Screen::open()?);
            self.pace.go_on(n, Instant::now());
        }
        loop {
            self.draw(slave, n, so_far)?;
            if self.over || self.screen.as_ref().is_some_and(Screen::is_asked_to_end) {
                return Ok(false);
            }
            if self.paused && !self.single {
                if let Some(key) = Screen::key(FRAME)? {
                    self.obey(key, slave, n);
                    self.drawn = None;
                }
                continue;
            }
            let now = Instant::now();
            let wait = if self.single {
                None
            } else {
                self.pace.ahead(n, now)
            };
            let Some(wait) = wait else {
                if now - self.looked > LOOK {
                    self.look(Duration::ZERO, slave, n)?;
                    if self.over || self.paused && !self.single {
                        continue;
                    }
                }
                self.single = false;
                return Ok(true);
            };
            // A look at the keys may last a millisecond longer than it should.
            if wait > Duration::from_millis(3) {
                self.look(
                    wait.saturating_sub(Duration::from_millis(2)).min(FRAME),
                    slave,
                    n,
                )?;
            } else {
                std::thread::sleep(wait);
            }
        }
    }

    /// After a step to the share of the run.
    pub(super) fn after(&mut self, share: f64, took: Duration) {
        if took > Duration::ZERO {
            let Times {
                start, step, steps, ..
            } = self.times;
            let time = start + share * steps as f64 * step;
            let sizes = (step * self.clock, time * self.clock);
            self.meter.record(took, sizes, self.pace.room());
        }
    }

    /// Obeys the keys that come within this time.
    fn look(&mut self, patience: Duration, slave: &mut dyn Slave, n: u64) -> Result<(), Failure> {
        self.looked = Instant::now();
        if let Some(key) = Screen::key(patience)? {
            self.obey(key, slave, n);
            self.drawn = None;
        }
        Ok(())
    }

    fn obey(&mut self, key: Key, slave: &mut dyn Slave, n: u64) {
        if let Some(mut text) = self.dials.entry.take() {
            match key {
                Key::Enter => self.give(slave, n, text.trim()),
                Key::Escape => {}
                Key::Interrupt => self.over = true,
                _ => {
                    match key {
                        Key::Letter(letter) => text.push(letter),
                        Key::Erase => drop(text.pop()),
                        _ => {}
                    }
                    self.dials.entry = Some(text);
                }
            }
            return;
        }
        match key {
            Key::Letter('q') | Key::Interrupt => self.over = true,
            Key::Letter(' ') => {
                self.paused = !self.paused;
                self.pace.go_on(n, Instant::now());
            }
            Key::Letter('.') => {
                (self.paused, self.single) = (true, true);
            }
            Key::Letter(sign @ ('+' | '-')) => self.change_speed(sign == '+', n),
            Key::Letter('s') => self.save(slave, n),
            Key::Up | Key::Down => self.dials.go(key == Key::Down),
            Key::Left | Key::Right => {
                if let Some(text) = self.dials.nudged(key == Key::Right) {
                    self.give(slave, n, &text);
                }
            }
            Key::Enter if !self.dials.all.is_empty() => self.dials.entry = Some(String::new()),
            _ => {}
        }
    }

    /// Gives the chosen parameter a value; a refusal is shown.
    fn give(&mut self, slave: &mut dyn Slave, n: u64, text: &str) {
        match self.dials.give(slave, text) {
            Ok(Some(done)) => {
                self.message = format!("set {done}");
                self.note(n, &self.message.clone());
            }
            Ok(None) => {}
            Err(Failure(why)) => self.message = why,
        }
    }

    /// Doubles the speed, or halves it.
    fn change_speed(&mut self, up: bool, n: u64) {
        let speed = self.pace.speed() * if up { 2.0 } else { 0.5 };
        if SPEEDS.contains(&speed) {
            self.pace.set_speed(speed, n, Instant::now());
        }
    }

    /// Writes the state of now into a new file in this folder.
    fn save(&mut self, slave: &dyn Slave, n: u64) {
        let time = self.times.at(n);
        let saved = slave.saved().and_then(|bytes| {
            let path = vacant(&self.title, time);
            write_file(&path, &bytes)?;
            Ok(path)
        });
        match saved {
            Ok(path) => {
                let text = format!("saved the state in {}", path.display());
                self.message.clone_from(&text);
                self.note(n, &text);
            }
            Err(Failure(why)) => self.message = why,
        }
    }

    fn note(&mut self, n: u64, text: &str) {
        self.done
            .push(format!("{} s: {text}", Seconds(self.times.at(n))));
    }

    /// Gives the terminal back; returns what the user has done, in the order of time.
    pub(super) fn end(self) -> Vec<String> {
        self.done
    }

    /// Draws, if it is time to.
    fn draw(&mut self, slave: &mut dyn Slave, n: u64, so_far: &Outcome) -> Result<(), Failure> {
        let now = Instant::now();
        if self.drawn.is_some_and(|drawn| now - drawn < FRAME) {
            return Ok(());
        }
        self.drawn = Some(now);
        self.dials.read(slave)?;
        let table = &so_far.table;
        let none = Vec::new();
        let output = |at: &usize| Shown {
            name: &table.names[*at],
            unit: &so_far.displays[*at].unit,
            values: &table.columns[*at],
            conversion: so_far.displays[*at].conversion(),
        };
        let view = View {
            title: &self.title,
            times: [self.times.at(n), self.times.start, self.times.stop],
            speed: self.pace.speed(),
            paused: self.paused,
            behind: self.pace.behind(),
            figures: self.meter.figures(),
            rows: table.columns.first().unwrap_or(&none),
            window: WINDOW * self.pace.speed() / self.clock,
            outputs: self.watched.iter().map(output).collect(),
            dials: &self.dials,
            message: &self.message,
        };
        Screen::draw(&frame::lines(&view, Screen::size()))
    }
}

/// A file of this folder that is not there yet.
fn vacant(title: &str, time: f64) -> PathBuf {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let name: String = title.chars().map(plain).collect();
    let name = format!("{name}_{}s", Seconds(time));
    let mut path = PathBuf::from(format!("{name}.state"));
    let mut other = 2;
    while Path::exists(&path) {
        path = PathBuf::from(format!("{name}_{other}.state"));
        other += 1;
    }
    path
}

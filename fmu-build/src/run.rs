//! Control plane: the master that runs one slave from start to stop and records its outputs.
//!
//! Communication points are t₀ + n·H with integer n, so that no rounding accumulates. Before each
//! step the inputs are sampled at its start and held over it.

mod companion;
mod input;
mod texts;
mod times;

pub use companion::{Companion, is_tunable};
pub use input::Input;
pub use times::Times;
pub(crate) use times::own_step;

use std::time::{Duration, Instant};

use fixstep_kernel::seconds::Seconds;
use model_description::parse::{Causality, Description, Type};

use crate::csv::Table;
use crate::display::Display;
use crate::slave::{
    Advance, Failure, Message, Slave, assign, find, find_element, is_numeric, of_causality,
    read_values, size,
};
use crate::values::{Bounds, in_words};

/// The settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Start time (s); `None`: the default experiment's, or 0.
    pub start: Option<f64>,
    /// Stop time (s); `None`: the default experiment's, or 1 s after the start.
    pub stop: Option<f64>,
    /// Communication step (s); `None`: the default experiment's, or a thousandth of the run.
    pub step: Option<f64>,
    /// Start values by name, as a user writes them.
    pub settings: Vec<(String, String)>,
    /// Columns `time` and inputs.
    pub input: Option<Table>,
    /// Variables to record besides the outputs; `*` at the end matches any rest.
    pub record: Vec<String>,
    /// Variables to record in a table of their own, as the outputs in [`Outcome::more`].
    pub more: Vec<String>,
    /// Are there rows at the ends of integration steps too?
    pub every_step: bool,
    /// A saved state to go on from, at the start time ([`Plan::go_on`]); `None`: an initialization.
    pub state: Option<Vec<u8>>,
    /// Is no stop time promised to the slave? A saved state holds the promise, and does not go beyond it.
    pub open_end: bool,
}

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Column `time` and one column for each recorded number.
    pub table: Table,
    /// Columns of [`Plan::more`] that the table does not have, with as many rows; none for the time.
    pub more: Table,
    /// Units of the columns of the table, then of the others; empty: none.
    pub units: Vec<String>,
    /// How people are shown these columns.
    pub displays: Vec<Display>,
    /// If the slave ended the run before its stop time: when (s) and why.
    pub ended: Option<(f64, String)>,
    /// If a [`Companion`] ended it: when (s).
    pub left: Option<f64>,
    /// If an error ended it: which.
    pub failed: Option<Failure>,
    /// The log messages of the slave.
    pub messages: Vec<Message>,
    /// Outputs that are not columns, or only on request: name and type.
    pub left_out: Vec<(String, Type)>,
    /// How long the steps took, with what is read after each.
    pub took: Duration,
}

impl Outcome {
    /// The table for users: numbers in display units, which the names of the columns give. The first column keeps its
    /// name, so that the table can be read as one of inputs.
    pub fn displayed(&self) -> Table {
        let mut table = self.table.clone();
        let columns = table.names.iter_mut().zip(&mut table.columns);
        for ((name, column), display) in columns.zip(&self.displays).skip(1) {
            *name = display.label(name);
            for value in column {
                *value = display.shown(*value);
            }
        }
        table
    }
}

impl Plan {
    /// Fills in default values.
    pub fn times(&self, description: &Description) -> Result<Times, Failure> {
        let default = &description.default_experiment;
        let start = self.start.or(default.start).unwrap_or(0.0);
        if let (Some(given), None, Some(stop)) = (self.start, self.stop, default.stop)
            && stop <= given
        {
            let [given, stop] = [given, stop].map(Seconds);
            return Err(Failure(format!(
                "the start time {given} s ({}) is not before the stop time {stop} s (the file's own); valid: an \
                 earlier start, or a later stop (--stop)",
                if self.state.is_some() {
                    "that of the state"
                } else {
                    "--start-time"
                }
            )));
        }
        let stop = self
            .stop
            .or(default.stop.filter(|stop| *stop > start))
            .unwrap_or(start + 1.0);
        let step = self
            .step
            .or_else(|| own_step(description))
            .unwrap_or((stop - start) / 1000.0);
        let times = Times::new(start, stop, step)?;
        if times.steps == 0 && stop > start {
            let origin = match self.step {
                Some(_) => "--step",
                None => "the file's own; --step gives another",
            };
            let [step, start, stop, most] = [step, start, stop, stop - start].map(Seconds);
            return Err(Failure(format!(
                "communication step {step} s ({origin}) is longer than the run from {start} s to {stop} s; \
                 valid: up to {most} s"
            )));
        }
        Ok(times)
    }
}

/// Runs a slave to its end; `watch` is called at its start and after each step, with the share done from 0 to 1.
pub fn run(
    slave: &mut dyn Slave,
    plan: &Plan,
    watch: &mut dyn FnMut(&dyn Slave, f64),
) -> Result<Outcome, Failure> {
    let mut outcome = attempt(slave, plan, watch)?;
    match outcome.failed.take() {
        Some(failure) => Err(failure),
        None => Ok(outcome),
    }
}

/// The same as [`run`], but if an error occurs it returns the rows recorded before it.
pub fn attempt(
    slave: &mut dyn Slave,
    plan: &Plan,
    watch: &mut dyn FnMut(&dyn Slave, f64),
) -> Result<Outcome, Failure> {
    accompany(slave, plan, &mut companion::Onlooker(watch))
}

/// The same with a companion.
pub fn accompany(
    slave: &mut dyn Slave,
    plan: &Plan,
    companion: &mut dyn Companion,
) -> Result<Outcome, Failure> {
    let times = plan.times(slave.description())?;
    let recorded = Recorded::new(slave.description(), (&plan.record, &plan.more))?;
    let input = plan
        .input
        .as_ref()
        .map(|table| Input::new(slave.description(), table))
        .transpose()?;
    let span = (times.start, (!plan.open_end).then_some(times.stop));
    match &plan.state {
        None => start(slave, &plan.settings, input.as_ref(), span.0, span.1)?,
        Some(state) => companion::resume(slave, state, &plan.settings)?,
    }
    let mut outcome = Outcome {
        table: Table {
            texts: recorded.texts.columns(slave.description()),
            ..Table::new(recorded.names[..recorded.asked].to_vec())
        },
        more: Table::new(recorded.names[recorded.asked..].to_vec()),
        left_out: recorded.texts.left_out(slave.description()),
        units: recorded.units.clone(),
        displays: recorded.displays.clone(),
        ..Outcome::default()
    };
    recorded.read(slave, times.start, &mut Vec::new(), &mut outcome)?;
    companion.after(slave, 0.0, Duration::ZERO);
    let course = Course {
        times: &times,
        every_step: plan.every_step,
        recorded: &recorded,
        input: input.as_ref(),
    };
    let began = Instant::now();
    let done = course.steps(slave, &mut outcome, companion);
    outcome.took = began.elapsed();
    match done {
        Ok(()) => slave.terminate()?,
        Err(failure) => outcome.failed = Some(failure),
    }
    outcome.messages.extend(slave.messages());
    Ok(outcome)
}

/// What a run does at its communication points.
struct Course<'a> {
    times: &'a Times,
    every_step: bool,
    recorded: &'a Recorded,
    input: Option<&'a Input<'a>>,
}

impl Course<'_> {
    /// All communication steps, or those up to an end or an error.
    fn steps(
        &self,
        slave: &mut dyn Slave,
        outcome: &mut Outcome,
        companion: &mut dyn Companion,
    ) -> Result<(), Failure> {
        let (times, recorded) = (self.times, self.recorded);
        let mut row = Vec::new();
        for n in 0..times.steps {
            let time = times.at(n);
            if !companion.before(slave, n, outcome)? {
                outcome.left = Some(time);
                break;
            }
            if let Some(input) = self.input {
                input.apply(slave, time)?;
            }
            let began = Instant::now();
            let advance = self.advance(slave, n, outcome);
            let took = began.elapsed();
            match advance
                .map_err(|Failure(text)| Failure(format!("at time {} s: {text}", Seconds(time))))?
            {
                Advance::Done => {
                    recorded.read(slave, times.at(n + 1), &mut row, outcome)?;
                }
                Advance::Ended { at } => {
                    outcome.messages.extend(slave.messages());
                    outcome.ended = Some((at, last_words(&outcome.messages)));
                    let told = outcome.table.columns.first().and_then(|time| time.last());
                    if at > told.copied().unwrap_or(time) {
                        recorded.read(slave, at, &mut row, outcome)?;
                        companion.after(slave, 1.0, took);
                    }
                    break;
                }
            }
            companion.after(slave, (n + 1) as f64 / times.steps as f64, took);
        }
        Ok(())
    }

    /// One communication step, with rows within it if they are asked for.
    fn advance(
        &self,
        slave: &mut dyn Slave,
        n: u64,
        outcome: &mut Outcome,
    ) -> Result<Advance, Failure> {
        let (begin, end) = (self.times.at(n), self.times.at(n + 1));
        if !self.every_step {
            return slave.step(begin, self.times.step);
        }
        slave.begin_step(begin, self.times.step)?;
        let mut row = Vec::new();
        loop {
            let (reached, advance) = slave.go_on()?;
            if let Some(advance) = advance {
                return Ok(advance);
            }
            // A step that ends where the communication step does, but for rounding, has its row there.
            if end - reached > 1e-12 * (end - begin) {
                self.recorded.read(slave, reached, &mut row, outcome)?;
            }
            times::bounded(outcome.table.rows())?;
        }
    }
}

/// From instantiated to step mode: settings, inputs at the start, initialization.
pub fn start(
    slave: &mut dyn Slave,
    settings: &[(String, String)],
    input: Option<&Input<'_>>,
    start: f64,
    stop: Option<f64>,
) -> Result<(), Failure> {
    for (name, text) in settings {
        set(slave, name, text).map_err(|Failure(reason)| {
            let reason = in_words(&reason, name);
            Failure(format!("--set {name}={text}: {reason}"))
        })?;
    }
    slave.enter_initialization(start, stop)?;
    if let Some(input) = input {
        input.apply(slave, start)?;
    }
    slave.exit_initialization()
}

/// Gives a variable a value, as a user writes it.
pub fn set(slave: &mut dyn Slave, name: &str, text: &str) -> Result<(), Failure> {
    let description = slave.description();
    let at = find_element(description, name)?;
    let variable = &description.variables[at.0];
    if matches!(
        variable.causality,
        Causality::Output | Causality::Local | Causality::Independent
    ) {
        return Err(Failure(format!(
            "variable \"{name}\" is computed; parameters and inputs can be set"
        )));
    }
    let values = read_values(description, (variable, at.1), text)?;
    Bounds::of(variable).check(name, &values)?;
    assign(slave, at, &values)
}

/// The last message before an end, as its explanation: a complaint, or the note of the element that requested it.
pub fn last_words(messages: &[Message]) -> String {
    let none = || "the slave gave no reason".to_owned();
    messages.last().map_or_else(none, |last| last.text.clone())
}

/// The recorded variables.
struct Recorded {
    variables: Vec<usize>,
    texts: texts::Texts,
    /// How many of the columns are in the table.
    asked: usize,
    names: Vec<String>,
    units: Vec<String>,
    displays: Vec<Display>,
}

impl Recorded {
    fn new(
        description: &Description,
        (also, more): (&[String], &[String]),
    ) -> Result<Self, Failure> {
        let mut variables: Vec<usize> = of_causality(description, Causality::Output)
            .filter(|at| is_numeric(&description.variables[*at]))
            .collect();
        let mut texts = texts::Texts::of_outputs(description);
        for pattern in also {
            if texts.take(description, pattern) {
                continue;
            }
            let found = matching(description, pattern);
            let found = found.map_err(|Failure(why)| Failure(format!("--record: {why}")))?;
            for at in found {
                // The time is the first column anyway.
                let time = description.variables[at].causality == Causality::Independent;
                if !time && !variables.contains(&at) {
                    variables.push(at);
                }
            }
        }
        let asked = variables.len();
        for name in more {
            let at = find(description, name)?;
            if !variables.contains(&at) {
                variables.push(at);
            }
        }
        let mut recorded = Self {
            variables,
            texts,
            asked: 0,
            names: vec!["time".to_owned()],
            units: vec![time_unit(description).to_owned()],
            displays: vec![Display::plain(time_unit(description))],
        };
        for (nth, at) in recorded.variables.iter().enumerate() {
            if nth == asked {
                recorded.asked = recorded.names.len();
            }
            let variable = &description.variables[*at];
            let size = size(description, variable);
            if variable.dimensions.is_empty() {
                recorded.names.push(variable.name.clone());
            } else {
                recorded
                    .names
                    .extend((1..=size).map(|at| format!("{}[{at}]", variable.name)));
            }
            recorded
                .units
                .extend(std::iter::repeat_n(variable.unit.clone(), size));
            let display = Display::of(description, variable);
            recorded.displays.extend(std::iter::repeat_n(display, size));
        }
        if recorded.variables.len() == asked {
            recorded.asked = recorded.names.len();
        }
        Ok(recorded)
    }

    fn read(
        &self,
        slave: &mut dyn Slave,
        time: f64,
        row: &mut Vec<f64>,
        outcome: &mut Outcome,
    ) -> Result<(), Failure> {
        row.clear();
        row.push(time);
        for variable in &self.variables {
            slave.read(*variable, row)?;
        }
        let (asked, more) = row.split_at(self.asked.min(row.len()));
        outcome.table.push(asked);
        outcome.more.push(more);
        self.texts.read(slave, &mut outcome.table.texts)
    }
}

/// The unit that the times of an FMU are in.
pub(crate) fn time_unit(description: &Description) -> &str {
    let mut time = of_causality(description, Causality::Independent);
    let unit = time
        .next()
        .map(|at| description.variables[at].unit.as_str());
    unit.filter(|unit| !unit.is_empty()).unwrap_or("s")
}

/// Numeric variables with a name, or with names that begin with the text before a `*`.
fn matching(description: &Description, pattern: &str) -> Result<Vec<usize>, Failure> {
    let numeric = |at: &usize| is_numeric(&description.variables[*at]);
    let Some(beginning) = pattern.strip_suffix('*') else {
        let at = find(description, pattern)?;
        if numeric(&at) {
            return Ok(vec![at]);
        }
        return Err(Failure(format!(
            "variable \"{pattern}\" is a clock and cannot be recorded"
        )));
    };
    let variables = description.variables.iter().enumerate();
    let begins = variables.filter(|(_, variable)| variable.name.starts_with(beginning));
    let found: Vec<usize> = begins.map(|(at, _)| at).filter(numeric).collect();
    if found.is_empty() {
        return Err(Failure(format!(
            "no numeric variable begins with \"{beginning}\""
        )));
    }
    Ok(found)
}

#[cfg(test)]
mod tests;

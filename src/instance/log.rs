//! Control plane with a data-plane end: messages to the importer.
//!
//! Outside a step a message is formatted and delivered at once. Inside a step it is queued as a fixed-size [`Record`]
//! in a bounded lock-free ring, and the next call that is not a step delivers it. Messages that do not fit are
//! counted.

use crossbeam_queue::ArrayQueue;

use super::status::Status;
use fixstep_kernel::ids::SensorId;
use fixstep_kernel::mechanism::{Alarm, Culprit};
use fixstep_kernel::seconds::Seconds;
use fixstep_variables::LOG_CATEGORIES;

/// Room for messages of steps.
const QUEUE_LENGTH: usize = 64;

/// Category that means all others when categories are switched.
const ALL: &str = "logAll";

/// Categories of messages: the names of [`LOG_CATEGORIES`] without `logAll`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// `logStatusWarning`
    Warning,
    /// `logStatusDiscard`
    Discard,
    /// `logStatusError`
    Error,
    /// `logStatusFatal`
    Fatal,
    /// `logEvents`
    Events,
    /// `logRealTime`
    RealTime,
}

impl Category {
    const COUNT: usize = 6;

    /// The name in the model description.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warning => "logStatusWarning",
            Self::Discard => "logStatusDiscard",
            Self::Error => "logStatusError",
            Self::Fatal => "logStatusFatal",
            Self::Events => "logEvents",
            Self::RealTime => "logRealTime",
        }
    }

    const fn all() -> [Self; Self::COUNT] {
        [
            Self::Warning,
            Self::Discard,
            Self::Error,
            Self::Fatal,
            Self::Events,
            Self::RealTime,
        ]
    }

    const fn of(status: Status) -> Self {
        match status {
            Status::Ok => Self::Events,
            Status::Warning => Self::Warning,
            Status::Discard => Self::Discard,
            Status::Error => Self::Error,
            Status::Fatal => Self::Fatal,
        }
    }
}

/// Where messages go: the importer's callback. It goes with the instance, which any thread may own.
pub trait LogSink: Send {
    /// Delivers one finished message without a trailing line break.
    fn write(&self, status: Status, category: &str, text: &str);
}

/// A message of a step, to be formatted later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record {
    /// The communication step changed, and the integration step with it.
    StepChanged {
        /// Time of the change \[s\].
        time: f64,
        /// Integration step before \[s\].
        from: f64,
        /// Integration step from now on \[s\].
        to: f64,
    },
    /// A sensor with a message has triggered.
    Sensor {
        /// Its number.
        sensor: u32,
        /// Time that the step reached \[s\].
        time: f64,
        /// Is it a warning?
        warns: bool,
    },
    /// A variable that was read is no finite number.
    NotFinite {
        /// The variable.
        element: u32,
        /// Time \[s\].
        time: f64,
    },
    /// An input was set beyond its bounds, or its derivatives led there.
    Clamped {
        /// The input.
        element: u32,
        /// The requested value.
        asked: f64,
        /// The bound, which is in force.
        bound: f64,
        /// Time \[s\].
        time: f64,
    },
    /// A parameter was calibrated in memory.
    Calibrated {
        /// The parameter.
        element: u32,
        /// Its new value; if it was refused, the refused value.
        value: f64,
        /// Was the value taken?
        taken: bool,
        /// Time \[s\].
        time: f64,
    },
    /// The guard warns.
    Guarded {
        /// Of what.
        alarm: Alarm,
        /// Time that the step reached \[s\].
        time: f64,
    },
    /// A step needed the dense factorisation.
    Fallback {
        /// Time that the step reached \[s\].
        time: f64,
        /// How many steps needed it so far.
        total: u32,
    },
}

impl Record {
    fn status(self) -> Status {
        match self {
            Self::StepChanged { .. }
            | Self::Sensor { warns: false, .. }
            | Self::Calibrated { taken: true, .. } => Status::Ok,
            Self::Fallback { .. }
            | Self::Sensor { .. }
            | Self::NotFinite { .. }
            | Self::Clamped { .. }
            | Self::Guarded { .. }
            | Self::Calibrated { .. } => Status::Warning,
        }
    }

    fn category(self) -> Category {
        match self {
            Self::StepChanged { .. }
            | Self::Sensor { warns: false, .. }
            | Self::Calibrated { taken: true, .. } => Category::Events,
            Self::Sensor { .. }
            | Self::NotFinite { .. }
            | Self::Clamped { .. }
            | Self::Guarded { .. }
            | Self::Calibrated { .. } => Category::Warning,
            Self::Fallback { .. } => Category::RealTime,
        }
    }

    fn text(self, names: &Names) -> String {
        match self {
            Self::Sensor { sensor, time, .. } => {
                let (said, time) = (called(&names.sensors, sensor), Seconds(time));
                format!("{said} (time {time} s)")
            }
            Self::StepChanged { time, from, to } => {
                let [time, from, to] = [time, from, to].map(Seconds);
                format!(
                    "integration step changed from {from} s to {to} s at time {time} s, as the \
                     communication step asks"
                )
            }
            Self::NotFinite { element, time } => {
                let (name, time) = (called(&names.variables, element), Seconds(time));
                format!(
                    "variable {name} is not a finite number at time {time} s; look for a division by zero, or \
                     a root or logarithm of a negative number (said once)"
                )
            }
            Self::Clamped {
                element,
                asked,
                bound,
                time,
            } => {
                let (name, time) = (called(&names.variables, element), Seconds(time));
                format!(
                    "input {name} is to be {asked} at time {time} s or within the step from there, beyond its bounds: \
                     {bound} is in force (said once; solver.input_bounds \"error\" refuses it)"
                )
            }
            Self::Calibrated {
                element,
                value,
                taken,
                time,
            } => {
                let (name, time) = (called(&names.variables, element), Seconds(time));
                if taken {
                    format!(
                        "parameter {name} is {value} from time {time} s on, as calibrated in memory"
                    )
                } else {
                    format!(
                        "parameter {name} cannot be {value}, as calibrated in memory at time {time} s: it must be finite \
                         and within its bounds; it stays as it was"
                    )
                }
            }
            Self::Guarded { alarm, time } => {
                let words = alarm.words(names.culprit(alarm.reading.culprit));
                let time = Seconds(time);
                format!("at time {time} s {words} (said once)")
            }
            Self::Fallback { time, total } => format!(
                "the step to time {} s needed the dense factorisation ({total} so far): it \
                 took longer than others",
                Seconds(time)
            ),
        }
    }
}

/// Names of things in messages of steps, by their numbers.
#[derive(Debug, Default)]
pub struct Names {
    /// Messages of sensors; empty: none.
    pub sensors: Vec<String>,
    /// Variables.
    pub variables: Vec<String>,
    /// Names that the guard may report: parts, forces, constraints, equations.
    pub culprits: [Vec<String>; 4],
}

impl Names {
    /// The name of a culprit.
    pub fn culprit(&self, culprit: Culprit) -> &str {
        let [bodies, forces, constraints, equations] = &self.culprits;
        match culprit {
            Culprit::Mechanism | Culprit::Contacts | Culprit::Iteration => "the mechanism",
            Culprit::Body(k) => called(bodies, k.0),
            Culprit::Force(k) | Culprit::Passage(k) | Culprit::Tyre(k) | Culprit::Jump(k) => {
                called(forces, k.0)
            }
            Culprit::Constraint(k) => called(constraints, k.0),
            Culprit::Equation(k) => called(equations, k.0),
        }
    }
}

fn called(names: &[String], number: u32) -> &str {
    names.get(number as usize).map_or("", String::as_str)
}

/// The messages of one instance.
pub struct Log {
    sink: Box<dyn LogSink>,
    enabled: [bool; Category::COUNT],
    queue: ArrayQueue<Record>,
    dropped: u64,
    /// Names of things in messages of steps.
    pub names: Names,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Log")
            .field("enabled", &self.enabled)
            .field("queued", &self.queue.len())
            .field("dropped", &self.dropped)
            .finish_non_exhaustive()
    }
}

impl Log {
    /// A log; `on` enables all categories.
    pub fn new(sink: Box<dyn LogSink>, on: bool) -> Self {
        Self {
            sink,
            enabled: [on; Category::COUNT],
            queue: ArrayQueue::new(QUEUE_LENGTH),
            dropped: 0,
            names: Names::default(),
        }
    }

    /// Does a sensor say anything?
    pub fn has_words(&self, sensor: SensorId) -> bool {
        !called(&self.names.sensors, sensor.0).is_empty()
    }

    /// Switches categories: off, all (`categories` empty or with `logAll`), or those named. An
    /// unknown name is refused and changes nothing.
    pub fn switch(&mut self, on: bool, categories: &[String]) -> Result<(), String> {
        let mut wanted = [on && categories.is_empty(); Category::COUNT];
        for name in categories {
            let known = Category::all().into_iter().find(|c| c.name() == name);
            match known {
                Some(category) => wanted[category as usize] |= on,
                None if name == ALL => wanted = [on; Category::COUNT],
                None => return Err(unknown_category(name)),
            }
        }
        self.enabled = wanted;
        Ok(())
    }

    /// Delivers a message that belongs to a status. Errors and worse are always delivered.
    pub fn status(&self, status: Status, text: &str) {
        let category = Category::of(status);
        if status >= Status::Error || self.enabled[category as usize] {
            self.sink.write(status, category.name(), text);
        }
    }

    /// Delivers the last message of a run, even with logging switched off.
    pub fn final_word(&self, status: Status, text: &str) {
        self.sink.write(status, Category::of(status).name(), text);
    }

    /// Delivers information.
    pub fn info(&self, category: Category, text: &str) {
        if self.enabled[category as usize] {
            self.sink.write(Status::Ok, category.name(), text);
        }
    }

    /// Will messages of this category be delivered?
    pub fn wants(&self, category: Category) -> bool {
        self.enabled[category as usize]
    }

    /// Queues a message of a step; neither allocates nor waits.
    pub fn queue(&mut self, record: Record) {
        if self.enabled[record.category() as usize] && self.queue.push(record).is_err() {
            self.dropped += 1;
        }
    }

    /// Delivers what the steps have queued.
    pub fn deliver(&mut self) {
        while let Some(record) = self.queue.pop() {
            self.sink.write(
                record.status(),
                record.category().name(),
                &record.text(&self.names),
            );
        }
        if self.dropped > 0 {
            let text = format!("{} further messages of steps were dropped", self.dropped);
            self.dropped = 0;
            self.status(Status::Warning, &text);
        }
    }
}

fn unknown_category(name: &str) -> String {
    let known: Vec<&str> = LOG_CATEGORIES.iter().map(|(name, _)| *name).collect();
    format!(
        "log category \"{name}\" is unknown; the categories are {}",
        known.join(", ")
    )
}

#[cfg(test)]
mod tests;

//! Control plane with a data-plane end: messages to the importer.
//!
//! Outside a step a message is formatted and delivered at once. Inside a step it is queued as a
//! fixed-size [`Record`] in a bounded lock-free ring and delivered by the next call that is not a
//! step; what does not fit is counted.

use crossbeam_queue::ArrayQueue;

use super::status::Status;
use fixstep_kernel::ids::SensorId;
use fixstep_kernel::mechanism::{Alarm, Culprit};
use fixstep_variables::LOG_CATEGORIES;

/// Room for messages of steps.
const QUEUE_LENGTH: usize = 64;

/// Category that stands for all others when categories are switched.
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

/// Where messages go: the importer's callback.
pub trait Sink {
    /// Delivers one finished message without a trailing line break.
    fn write(&self, status: Status, category: &str, text: &str);
}

/// A message of a step, to be formatted later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record {
    /// The communication step changed, and with it the integration step.
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
        /// What was asked for.
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
        /// Its value from now on; what it would not be, if it was refused.
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
                let said = called(&names.sensors, sensor);
                format!("{said} (time {time} s)")
            }
            Self::StepChanged { time, from, to } => format!(
                "integration step changed from {from} s to {to} s at time {time} s, as the \
                 communication step asks"
            ),
            Self::NotFinite { element, time } => {
                let name = called(&names.variables, element);
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
                let name = called(&names.variables, element);
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
                let name = called(&names.variables, element);
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
                format!("at time {time} s {words} (said once)")
            }
            Self::Fallback { time, total } => format!(
                "the step to time {time} s needed the dense factorisation ({total} so far): it \
                 took longer than others"
            ),
        }
    }
}

/// What messages of steps call things, by their numbers.
#[derive(Debug, Default)]
pub struct Names {
    /// What sensors say; empty: nothing.
    pub sensors: Vec<String>,
    /// Variables.
    pub variables: Vec<String>,
    /// What the guard may name: parts, forces, constraints.
    pub culprits: [Vec<String>; 3],
}

impl Names {
    /// What a culprit is called.
    pub fn culprit(&self, culprit: Culprit) -> &str {
        let [bodies, forces, constraints] = &self.culprits;
        match culprit {
            Culprit::Mechanism => "the mechanism",
            Culprit::Body(k) => called(bodies, k),
            Culprit::Force(k) => called(forces, k),
            Culprit::Constraint(k) => called(constraints, k),
        }
    }
}

fn called(names: &[String], number: u32) -> &str {
    names.get(number as usize).map_or("", String::as_str)
}

/// The messages of one instance.
pub struct Log {
    sink: Box<dyn Sink>,
    enabled: [bool; Category::COUNT],
    queue: ArrayQueue<Record>,
    dropped: u64,
    /// What messages of steps call things.
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
    pub fn new(sink: Box<dyn Sink>, on: bool) -> Self {
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

    /// Delivers a message that belongs to a status. Errors and worse are never held back.
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
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    type Lines = Rc<RefCell<Vec<String>>>;

    struct Memory(Lines);

    impl Sink for Memory {
        fn write(&self, status: Status, category: &str, text: &str) {
            self.0
                .borrow_mut()
                .push(format!("{status:?} {category} {text}"));
        }
    }

    fn log(on: bool) -> (Log, Lines) {
        let lines = Lines::default();
        (Log::new(Box::new(Memory(Rc::clone(&lines))), on), lines)
    }

    const CHANGE: Record = Record::StepChanged {
        time: 1.0,
        from: 0.5,
        to: 0.25,
    };

    #[test]
    fn categories_are_those_of_the_model_description() {
        let mut declared: Vec<&str> = LOG_CATEGORIES.iter().map(|(name, _)| *name).collect();
        let mut used: Vec<&str> = Category::all().iter().map(|c| c.name()).collect();
        used.push(ALL);
        declared.sort_unstable();
        used.sort_unstable();
        assert_eq!(declared, used);
        for (at, category) in Category::all().into_iter().enumerate() {
            assert_eq!(category as usize, at);
        }
    }

    #[test]
    fn errors_are_never_held_back() {
        let (log, lines) = log(false);
        log.status(Status::Warning, "w");
        log.info(Category::Events, "i");
        log.status(Status::Error, "e");
        log.final_word(Status::Discard, "d");
        assert_eq!(
            *lines.borrow(),
            ["Error logStatusError e", "Discard logStatusDiscard d"]
        );
    }

    #[test]
    fn categories_switch_one_by_one() {
        let (mut log, lines) = log(false);
        log.switch(true, &["logRealTime".to_owned()]).unwrap();
        log.info(Category::Events, "no");
        log.info(Category::RealTime, "yes");
        log.switch(true, &["logAll".to_owned()]).unwrap();
        log.info(Category::Events, "yes");
        let complaint = log.switch(true, &["logTypo".to_owned()]).unwrap_err();
        assert!(complaint.contains("\"logTypo\"") && complaint.contains("logEvents"));
        log.info(Category::Events, "still");
        log.switch(false, &[]).unwrap();
        log.info(Category::Events, "no");
        assert_eq!(lines.borrow().len(), 3);
        log.switch(true, &[]).unwrap();
        assert!(log.wants(Category::Events));
    }

    #[test]
    fn steps_queue_and_the_overflow_is_counted() {
        let (mut log, lines) = log(true);
        for _ in 0..QUEUE_LENGTH + 3 {
            log.queue(CHANGE);
        }
        assert!(lines.borrow().is_empty());
        log.deliver();
        log.deliver();
        assert_eq!(lines.borrow().len(), QUEUE_LENGTH + 1);
        assert!(lines.borrow()[0].contains("from 0.5 s to 0.25 s at time 1 s"));
        assert!(lines.borrow()[QUEUE_LENGTH].contains("3 further messages"));
    }

    #[test]
    fn a_disabled_category_does_not_fill_the_queue() {
        let (mut log, lines) = log(false);
        log.queue(CHANGE);
        log.switch(true, &[]).unwrap();
        log.deliver();
        assert!(lines.borrow().is_empty());
    }
}

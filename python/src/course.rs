//! A simulation under way: an instance as in the FMU. Data plane: `advance`; all else is control plane.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use fixstep::instance::Instance;
use fixstep::instance::log::{Log, LogSink};
use fixstep::instance::mode::{Fmi3, Mode};
use fixstep::instance::status::Status;
use fixstep_variables::file::Blueprint;
use pyo3::prelude::*;

use crate::errors::{Fault, Kind, refused};
use crate::state::{Clock, Ending, State};
use crate::values::{self, set};
use crate::variables::{Names, Start};

/// Work shorter than this keeps Python's lock (ns): releasing and taking it costs some hundred, and others may take it.
const SHORT: f64 = 20_000.0;
/// Wall time between two looks at Python's signals (ns).
const LOOK: f64 = 1e8;
/// How often the time of single steps is measured: once in this many calls.
const MEASURED: u32 = 64;

/// A message of the instance: level, category, text.
pub(crate) type Message = (&'static str, String, String);

type Messages = Arc<Mutex<Vec<Message>>>;

struct Pipe(Messages);

/// Lets Python act on signals, such as the key that interrupts.
fn see_signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

impl LogSink for Pipe {
    fn write(&self, status: Status, category: &str, text: &str) {
        let level = match status {
            Status::Ok => "note",
            Status::Warning | Status::Discard => "warning",
            Status::Error | Status::Fatal => "error",
        };
        if let Ok(mut all) = self.0.lock() {
            all.push((level, category.to_owned(), text.to_owned()));
        }
    }
}

/// How every simulation of a model begins.
pub(crate) struct Origin {
    pub(crate) blueprint: Blueprint,
    pub(crate) names: Names,
    /// Values before the initialization, by name.
    pub(crate) settings: Vec<(String, Start)>,
    pub(crate) start: f64,
    pub(crate) stop: Option<f64>,
    pub(crate) step: f64,
    /// Is the step another than the model's?
    pub(crate) foreseen: bool,
}

/// A simulation under way.
pub(crate) struct Course {
    pub(crate) instance: Box<Instance>,
    messages: Messages,
    pub(crate) clock: Clock,
    /// How the run has ended.
    ending: Option<Ending>,
    /// Wall time of a step (ns), and calls since it was measured.
    cost: f64,
    calls: u32,
}

impl Origin {
    /// A new simulation in initialization mode.
    pub(crate) fn begin(&self) -> Result<Course, Fault> {
        self.begin_with(&mut std::iter::empty())
    }

    /// The same with more values before the initialization, by name.
    pub(crate) fn begin_with(
        &self,
        more: &mut dyn Iterator<Item = (&str, &Start)>,
    ) -> Result<Course, Fault> {
        let messages = Messages::default();
        let log = Log::new(Box::new(Pipe(Arc::clone(&messages))), false);
        let name = &self.blueprint.mechanism.name;
        let instance = Instance::of(self.blueprint.clone(), name, &self.blueprint.token, log);
        let said = |messages: &Messages| {
            let all = messages.lock();
            let last = all
                .ok()
                .and_then(|all| all.last().map(|last| last.2.clone()));
            last.unwrap_or_else(|| "the simulation cannot be made".to_owned())
        };
        let mut instance = instance.ok_or_else(|| Kind::General.fault(said(&messages)))?;
        let warnings = Fmi3::SetDebugLogging.rule();
        instance.call(warnings, |own, _| {
            own.set_debug_logging(
                true,
                &["logStatusWarning", "logStatusDiscard", "logStatusError"].map(str::to_owned),
            )
        });
        if self.foreseen {
            let told = instance.announce_step(self.step);
            if let Ok(mut all) = messages.lock() {
                all.retain(|(_, _, text)| !told.contains(text));
            }
        }
        for (name, value) in &self.settings {
            set(&mut instance, &self.names, name, value)?;
        }
        for (name, value) in more {
            set(&mut instance, &self.names, name, value)?;
        }
        instance
            .setup_experiment(None, self.start, self.stop)
            .and_then(|_| instance.enter_initialization())
            .map_err(refused)?;
        Ok(Course {
            instance,
            messages,
            clock: Clock {
                base: self.start,
                count: 0,
                step: self.step,
            },
            ending: None,
            cost: f64::INFINITY,
            calls: 0,
        })
    }
}

impl Course {
    /// Ends the initialization, unless that has been done.
    pub(crate) fn start(&mut self) -> Result<(), Fault> {
        if self.instance.mode() == Mode::Initialization {
            self.instance.exit_initialization().map_err(refused)?;
        }
        Ok(())
    }

    /// The reason why the run is over.
    fn over(&self) -> Fault {
        let why = self.ending.as_ref().map(|ending| ending.why.as_str());
        let why = why.unwrap_or("a step has failed");
        Kind::Step.fault(format!(
            "the run is over: {why}; valid: reset(), or restore() of an earlier state"
        ))
    }

    /// Makes steps; `false` if an element of the model has ended the run.
    pub(crate) fn advance(&mut self, steps: u32) -> Result<bool, Fault> {
        if self.instance.mode() != Mode::Step {
            self.start()?;
            if self.instance.mode() != Mode::Step {
                return Err(self.over());
            }
        }
        for _ in 0..steps {
            let now = self.clock.now();
            let end = self.instance.do_step(now, self.clock.step);
            let end = end.map_err(|refusal| Kind::Step.fault(refusal.text))?;
            if end.stopped {
                return self.stopped();
            }
            self.clock.count += 1;
        }
        Ok(true)
    }

    /// Why a step was the last: an exception, unless the model asked for the end.
    #[cold]
    fn stopped(&mut self) -> Result<bool, Fault> {
        let last = { self.messages.lock().ok() }.and_then(|all| all.last().cloned());
        let (level, _, text) = last.unwrap_or_default();
        let failed = level != "note";
        let why = text.clone();
        self.ending = Some(Ending { failed, why });
        if !failed {
            return Ok(false);
        }
        Err(Kind::Step.fault(text))
    }

    /// Steps that take this long at most keep Python's lock.
    pub(crate) fn is_short(&self, steps: u32) -> bool {
        self.cost * f64::from(steps) < SHORT
    }

    /// The same as [`Self::advance`]; measures how long it takes now and then.
    pub(crate) fn timed(&mut self, steps: u32) -> Result<bool, Fault> {
        self.calls += 1;
        if self.calls < MEASURED && self.cost.is_finite() || steps == 0 {
            return self.advance(steps);
        }
        self.calls = 0;
        let begun = Instant::now();
        let done = self.advance(steps);
        self.cost = begun.elapsed().as_nanos() as f64 / f64::from(steps);
        done
    }

    /// The same for many steps, between which Python may see signals.
    pub(crate) fn long(&mut self, steps: u32) -> PyResult<bool> {
        let mut left = steps;
        while left > 0 {
            let some = (LOOK / self.cost).clamp(1.0, f64::from(left)) as u32;
            if !self.timed(some)? {
                return Ok(false);
            }
            left -= some;
            if left > 0 {
                Python::attach(see_signals)?;
            }
        }
        Ok(true)
    }

    pub(crate) fn read(
        &mut self,
        references: &[u32],
        put: impl FnMut(usize, f64),
    ) -> Result<(), Fault> {
        values::read(&mut self.instance, references, put)
    }

    pub(crate) fn write(&mut self, references: &[u32], values: &[f64]) -> Result<(), Fault> {
        let written = values::write(&mut self.instance, references, values);
        written.map_err(|fault| self.in_words(fault))
    }

    /// A fault, or that the run is over, if nothing can be set any more for that.
    pub(crate) fn in_words(&self, fault: Fault) -> Fault {
        match self.instance.mode() {
            Mode::Stopped => self.over(),
            _ => fault,
        }
    }

    /// Messages so far: level, category, text.
    pub(crate) fn messages(&mut self) -> Vec<Message> {
        // The beginning of any call that is no step delivers what steps have queued.
        let _ = self.instance.begin(Fmi3::GetFloat64.rule());
        let all = self.messages.lock();
        all.map(|all| all.clone()).unwrap_or_default()
    }

    /// Forgets the messages so far.
    pub(crate) fn forget_messages(&mut self) {
        let _ = self.messages();
        if let Ok(mut all) = self.messages.lock() {
            all.clear();
        }
    }

    /// How the run has ended, if it has.
    pub(crate) fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    pub(crate) fn save(&self) -> State {
        State {
            bytes: self.instance.state_bytes(),
            clock: self.clock,
            begun: self.instance.mode() != Mode::Initialization,
            ending: self.ending.clone(),
        }
    }

    /// Goes back to a saved state; one of another model changes nothing.
    pub(crate) fn restore(&mut self, state: &State) -> Result<(), Fault> {
        let kept = self.keep(state)?;
        self.adopt(kept, state)
    }

    /// Reads a saved state, if it is one of this model; a handle for [`Self::adopt`].
    pub(crate) fn keep(&mut self, state: &State) -> Result<usize, Fault> {
        self.instance.deserialize(&state.bytes, 0).map_err(refused)
    }

    /// Forgets what was read.
    pub(crate) fn drop_kept(&mut self, kept: usize) -> Result<(), Fault> {
        self.instance.free_state(kept).map(drop).map_err(refused)
    }

    /// Goes back to a state that was read.
    pub(crate) fn adopt(&mut self, kept: usize, state: &State) -> Result<(), Fault> {
        let restored = self.instance.restore_state(kept).map_err(refused);
        let freed = self.drop_kept(kept);
        restored.map(drop).and(freed)?;
        self.clock = state.clock;
        self.ending.clone_from(&state.ending);
        Ok(())
    }
}

//! A simulation that Python steps: an instance as in the FMU, with names in place of value references.
//!
//! The instance is behind a mutex that is never waited for: a second thread gets an exception. Calls that take longer
//! release Python's lock; a single step of a small model is shorter than that would take. Data plane: `advance`; all
//! else is control plane.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use fixstep::instance::Instance;
use fixstep::instance::log::{Log, LogSink};
use fixstep::instance::mode::{Fmi2, Fmi3, Mode, Rule};
use fixstep::instance::status::Status;
use fixstep_variables::VariableKind;
use fixstep_variables::file::Blueprint;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use crate::errors::{Kind, failed, refused};
use crate::model::RawModel;
use crate::state::{Clock, State};
use crate::variables::{Described, Handle, Names, Start, describe};

/// Work shorter than this keeps Python's lock (ns): releasing and taking it costs some hundred, and others may take it.
const SHORT: f64 = 20_000.0;
/// Wall time between two looks at Python's signals (ns).
const LOOK: f64 = 1e8;
/// How often the time of single steps is measured: once in this many calls.
const MEASURED: u32 = 64;

/// Messages of the instance: level, category, text.
type Messages = Arc<Mutex<Vec<(&'static str, String, String)>>>;

struct Pipe(Messages);

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
struct Origin {
    blueprint: Blueprint,
    names: Names,
    /// Values before the initialization, by name.
    settings: Vec<(String, Start)>,
    start: f64,
    stop: Option<f64>,
    step: f64,
    /// Is the step another than the model's?
    foreseen: bool,
}

/// A simulation under way.
pub(crate) struct Course {
    pub(crate) instance: Box<Instance>,
    messages: Messages,
    pub(crate) clock: Clock,
    /// Why the run has ended.
    ended: Option<String>,
    /// Wall time of a step (ns), and calls since it was measured.
    cost: f64,
    calls: u32,
}

/// A simulation, or none if it is closed.
#[pyclass(subclass, frozen, module = "fixstep._fixstep")]
pub(crate) struct RawSimulation {
    origin: Arc<Origin>,
    course: Mutex<Option<Course>>,
}

/// A rule whose messages name Python's function.
pub(crate) const fn called(rule: Rule, function: &'static str) -> Rule {
    Rule { function, ..rule }
}

impl Origin {
    /// A new simulation in initialization mode.
    fn begin(&self) -> PyResult<Course> {
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
        let mut instance = instance.ok_or_else(|| Kind::General.error(said(&messages)))?;
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
            ended: None,
            cost: f64::INFINITY,
            calls: 0,
        })
    }
}

/// Sets a variable, or all elements of an array to one value.
fn set(instance: &mut Instance, names: &Names, name: &str, value: &Start) -> PyResult<()> {
    let references = names.find(name)?;
    let Some(variable) = references
        .first()
        .and_then(|at| names.table.variables.get(*at as usize))
    else {
        return Ok(());
    };
    let mistyped = |valid: &str| {
        Err(Kind::General.error(format!(
            "variable \"{name}\" takes {valid}, not {}",
            match value {
                Start::Real(x) => x.to_string(),
                Start::Integer(x) => x.to_string(),
                Start::Boolean(x) => x.to_string(),
                Start::Text(text) => format!("\"{text}\""),
            }
        )))
    };
    let done = match (&variable.kind, value) {
        (VariableKind::Real { .. }, Start::Real(_) | Start::Integer(_)) => {
            let number = match value {
                Start::Integer(number) => *number as f64,
                Start::Real(number) => *number,
                _ => 0.0,
            };
            let numbers = vec![number; references.len()];
            let rule = called(Fmi2::SetReal.rule(), "simulation");
            instance
                .begin(rule)
                .and_then(|()| instance.set_real(rule, references, &numbers))
        }
        (VariableKind::Real { .. }, _) => return mistyped("a number"),
        (VariableKind::Integer { .. }, Start::Integer(number)) => {
            let rule = called(Fmi2::SetInteger.rule(), "simulation");
            let kinds = [fixstep::instance::access::Kind::Integer];
            instance
                .begin(rule)
                .and_then(|()| instance.set_integer(rule, &kinds, references, |_| *number))
        }
        (VariableKind::Integer { .. }, _) => return mistyped("a whole number"),
        (VariableKind::Boolean { .. }, Start::Boolean(flag)) => {
            let rule = called(Fmi2::SetBoolean.rule(), "simulation");
            instance
                .begin(rule)
                .and_then(|()| instance.set_boolean(rule, references, |_| *flag))
        }
        (VariableKind::Boolean { .. }, _) => return mistyped("True or False"),
        (VariableKind::String { .. }, Start::Text(text)) => {
            let rule = called(Fmi2::SetString.rule(), "simulation");
            let texts = vec![text.clone(); references.len()];
            instance
                .begin(rule)
                .and_then(|()| instance.set_string(rule, references, &texts))
        }
        (VariableKind::String { .. }, _) => return mistyped("a text"),
        (VariableKind::Enumeration { of, .. }, value) => {
            let items = of.items();
            let item = match value {
                Start::Text(text) => items
                    .iter()
                    .position(|(item, _)| item.eq_ignore_ascii_case(text))
                    .map(|at| at as i64 + 1),
                Start::Integer(number) => Some(*number),
                _ => None,
            };
            let Some(item) = item else {
                let valid: Vec<&str> = items.iter().map(|(item, _)| *item).collect();
                return mistyped(&format!("one of {}", valid.join(", ")));
            };
            let rule = called(Fmi2::SetInteger.rule(), "simulation");
            let kinds = [fixstep::instance::access::Kind::Enumeration];
            instance
                .begin(rule)
                .and_then(|()| instance.set_integer(rule, &kinds, references, |_| item))
        }
    };
    done.map(drop).map_err(refused)
}

impl Course {
    /// Ends the initialization, unless that has been done.
    pub(crate) fn start(&mut self) -> PyResult<()> {
        if self.instance.mode() == Mode::Initialization {
            self.instance.exit_initialization().map_err(refused)?;
        }
        Ok(())
    }

    /// The reason why the run is over.
    fn over(&self) -> PyErr {
        let why = self.ended.as_deref();
        let why = why.unwrap_or("a step has failed");
        Kind::Step.error(format!(
            "the run is over: {why}; valid: reset(), or restore() of an earlier state"
        ))
    }

    /// Makes steps; `false` if an element of the model has ended the run.
    pub(crate) fn advance(&mut self, steps: u32) -> PyResult<bool> {
        if self.instance.mode() != Mode::Step {
            self.start()?;
            if self.instance.mode() != Mode::Step {
                return Err(self.over());
            }
        }
        for _ in 0..steps {
            let now = self.clock.now();
            let end = self.instance.do_step(now, self.clock.step);
            let end = end.map_err(|refusal| Kind::Step.error(refusal.text))?;
            if end.stopped {
                return self.stopped();
            }
            self.clock.count += 1;
        }
        Ok(true)
    }

    /// Why a step was the last: an exception, unless the model asked for the end.
    #[cold]
    fn stopped(&mut self) -> PyResult<bool> {
        let last = { self.messages.lock().ok() }.and_then(|all| all.last().cloned());
        let (level, _, text) = last.unwrap_or_default();
        self.ended = Some(text.clone());
        if level == "note" {
            return Ok(false);
        }
        Err(Kind::Step.error(text))
    }

    /// Steps that take this long at most keep Python's lock.
    fn is_short(&self, steps: u32) -> bool {
        self.cost * f64::from(steps) < SHORT
    }

    /// The same as [`Self::advance`]; measures how long it takes now and then.
    fn timed(&mut self, steps: u32) -> PyResult<bool> {
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
    fn long(&mut self, steps: u32) -> PyResult<bool> {
        let mut left = steps;
        while left > 0 {
            let some = (LOOK / self.cost).clamp(1.0, f64::from(left)) as u32;
            if !self.timed(some)? {
                return Ok(false);
            }
            left -= some;
            if left > 0 {
                Python::attach(|py| py.check_signals())?;
            }
        }
        Ok(true)
    }

    fn read(&mut self, references: &[u32], put: impl FnMut(usize, f64)) -> PyResult<()> {
        let rule = called(Fmi2::GetReal.rule(), "simulation");
        self.instance
            .begin(rule)
            .and_then(|()| self.instance.get_real(rule, references, put))
            .map(drop)
            .map_err(refused)
    }

    pub(crate) fn write(&mut self, references: &[u32], values: &[f64]) -> PyResult<()> {
        let rule = called(Fmi2::SetReal.rule(), "simulation");
        self.instance
            .begin(rule)
            .and_then(|()| self.instance.set_real(rule, references, values))
            .map(drop)
            .map_err(refused)
    }

    fn save(&self) -> State {
        State {
            bytes: self.instance.state_bytes(),
            clock: self.clock,
            begun: self.instance.mode() != Mode::Initialization,
        }
    }

    fn restore(&mut self, state: &State) -> PyResult<()> {
        let handle = self
            .instance
            .deserialize(&state.bytes, 0)
            .map_err(refused)?;
        let restored = self.instance.restore_state(handle);
        let freed = self.instance.free_state(handle);
        restored.and(freed).map_err(refused)?;
        self.clock = state.clock;
        self.ended = None;
        Ok(())
    }

    fn value(&mut self, names: &Names, at: u32) -> PyResult<Start> {
        let Some(variable) = names.table.variables.get(at as usize) else {
            return Ok(Start::Real(f64::NAN));
        };
        let own = [at];
        let mut found = Start::Real(f64::NAN);
        let done = match &variable.kind {
            VariableKind::Real { .. } => {
                let rule = called(Fmi2::GetReal.rule(), "simulation");
                let put = |_, value| found = Start::Real(value);
                self.instance
                    .begin(rule)
                    .and_then(|()| self.instance.get_real(rule, &own, put))
            }
            VariableKind::Integer { .. } | VariableKind::Enumeration { .. } => {
                let rule = called(Fmi2::GetInteger.rule(), "simulation");
                let kinds = [
                    fixstep::instance::access::Kind::Integer,
                    fixstep::instance::access::Kind::Enumeration,
                ];
                let put = |_, value: i64| {
                    found = match &variable.kind {
                        VariableKind::Enumeration { of, .. } => {
                            let item = of.items().get((value - 1).max(0) as usize);
                            Start::Text(item.map_or_else(String::new, |item| item.0.to_owned()))
                        }
                        _ => Start::Integer(value),
                    }
                };
                self.instance
                    .begin(rule)
                    .and_then(|()| self.instance.get_integer(rule, &kinds, &own, put))
            }
            VariableKind::Boolean { .. } => {
                let rule = called(Fmi2::GetBoolean.rule(), "simulation");
                let put = |_, value| found = Start::Boolean(value);
                self.instance
                    .begin(rule)
                    .and_then(|()| self.instance.get_boolean(rule, &own, put))
            }
            VariableKind::String { .. } => {
                let rule = called(Fmi2::GetString.rule(), "simulation");
                let put = |_, text: &std::ffi::CStr| {
                    found = Start::Text(text.to_string_lossy().into_owned());
                };
                self.instance
                    .begin(rule)
                    .and_then(|()| self.instance.get_string(rule, &own, put))
            }
        };
        done.map_err(refused)?;
        Ok(found)
    }
}

/// The simulation under way, for the time of a call.
pub(crate) struct Held<'a>(MutexGuard<'a, Option<Course>>);

impl Held<'_> {
    pub(crate) fn course(&mut self) -> PyResult<&mut Course> {
        self.0.as_mut().ok_or_else(|| {
            Kind::Closed.error("the simulation is closed; valid: model.simulation() makes another")
        })
    }
}

impl RawSimulation {
    /// Takes the simulation, if nobody else has it.
    pub(crate) fn hold(&self) -> PyResult<Held<'_>> {
        match self.course.try_lock() {
            Ok(guard) => Ok(Held(guard)),
            Err(TryLockError::WouldBlock) => Err(Kind::Closed.error(
                "another thread is using this simulation; valid: one thread at a time, or copy() for each",
            )),
            Err(TryLockError::Poisoned(_)) => Err(Kind::Closed.error(
                "an internal error has ended this simulation; valid: model.simulation() makes another",
            )),
        }
    }

    pub(crate) fn names(&self) -> &Names {
        &self.origin.names
    }

    /// Another simulation in the same state.
    fn twin(&self, py: Python<'_>) -> PyResult<Self> {
        let state = self.hold()?.course()?.save();
        py.detach(|| {
            let mut course = self.origin.begin()?;
            course.restore(&state)?;
            Ok(Self {
                origin: Arc::clone(&self.origin),
                course: Mutex::new(Some(course)),
            })
        })
    }

    /// Runs a task that may take long without Python's lock.
    pub(crate) fn apart<T: Send>(
        &self,
        py: Python<'_>,
        task: impl FnOnce(&mut Course) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        py.detach(|| task(self.hold()?.course()?))
    }
}

/// Numbers of this computer's own kind in an array; the buffer itself does not refuse those of the other byte order.
fn native(values: &Bound<'_, PyAny>) -> Option<PyBuffer<f64>> {
    let buffer = PyBuffer::<f64>::get(values).ok()?;
    let format = buffer.format().to_bytes();
    let other: &[u8] = if cfg!(target_endian = "little") {
        b">!"
    } else {
        b"<"
    };
    let swapped = format.first().is_some_and(|first| other.contains(first));
    (!swapped).then_some(buffer)
}

/// Numbers from an array or anything that has numbers.
pub(crate) fn numbers(py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Some(buffer) = native(values) {
        return buffer.to_vec(py);
    }
    if let Ok(number) = values.extract::<f64>() {
        return Ok(vec![number]);
    }
    values.extract().map_err(|_| {
        Kind::General.error("valid values are numbers, or an array of them (float64)")
    })
}

/// Fills an array of float64 that has this many numbers.
pub(crate) fn fill(py: Python<'_>, out: &Bound<'_, PyAny>, values: &[f64]) -> PyResult<()> {
    let wrong = |what: &str| {
        Kind::General.error(format!(
            "out {what}; valid: an array of {} numbers (float64) that can be written",
            values.len()
        ))
    };
    let buffer = native(out).ok_or_else(|| wrong("is no array of float64"))?;
    let count = buffer.item_count();
    if count != values.len() {
        return Err(wrong(&format!("has {count} numbers")));
    }
    if buffer.readonly() {
        return Err(wrong("is read-only"));
    }
    buffer.copy_from_slice(py, values)
}

#[pymethods]
impl RawSimulation {
    #[new]
    #[pyo3(signature = (model, start=None, stop=None, step=None, settings=Vec::new()))]
    fn new(
        py: Python<'_>,
        model: &Bound<'_, PyAny>,
        start: Option<f64>,
        stop: Option<f64>,
        step: Option<f64>,
        settings: Vec<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<Self> {
        if let Ok(other) = model.cast::<Self>() {
            return other.get().twin(py);
        }
        let model = model.cast::<RawModel>()?.get();
        let own = model.model.mechanism.experiment;
        if let Some(bad) = step.filter(|step| !(step.is_finite() && *step > 0.0)) {
            return Err(Kind::General.error(format!("step {bad} s must be a number above 0")));
        }
        let settings = settings
            .iter()
            .map(|(name, value)| Ok((name.clone(), given(value)?)));
        let settings: Vec<(String, Start)> = settings.collect::<PyResult<_>>()?;
        py.detach(|| {
            let blueprint = model.blueprint().map_err(failed)?;
            let origin = Origin {
                names: Names::of(blueprint.table.clone(), &blueprint.token),
                blueprint,
                settings,
                start: start.unwrap_or(own.start),
                stop,
                step: step.unwrap_or(own.step),
                foreseen: step.is_some(),
            };
            let course = origin.begin()?;
            Ok(Self {
                origin: Arc::new(origin),
                course: Mutex::new(Some(course)),
            })
        })
    }

    /// The value of a variable; a list of those of an array.
    fn value<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let references = self.names().find(name)?;
        let mut held = self.hold()?;
        let course = held.course()?;
        if let [one] = references
            && self.names().table.variables[*one as usize].name == name
        {
            return course.value(self.names(), *one)?.into_pyobject(py);
        }
        let all = references.iter();
        let all: Vec<Start> = all
            .map(|at| course.value(self.names(), *at))
            .collect::<PyResult<_>>()?;
        Ok(all.into_pyobject(py)?.into_any())
    }

    fn __setitem__(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let references = self.names().find(name)?;
        // The common case first: a number for one real variable.
        if let Ok(number) = value.cast::<PyFloat>()
            && let [one] = references
            && self.names().is_real(*one)
        {
            let number = [number.value()];
            return self.hold()?.course()?.write(references, &number);
        }
        if references.len() > 1 && value.extract::<f64>().is_err() {
            self.names().reals(name)?;
            let values = numbers(value.py(), value)?;
            if values.len() != references.len() {
                return Err(Kind::General.error(format!(
                    "variable \"{name}\" has {} elements, not {}",
                    references.len(),
                    values.len()
                )));
            }
            return self.hold()?.course()?.write(references, &values);
        }
        let value = given(value)?;
        let mut held = self.hold()?;
        set(&mut held.course()?.instance, self.names(), name, &value)
    }

    /// Ends the initialization: values that are fixed from then on take effect.
    fn start(&self, py: Python<'_>) -> PyResult<()> {
        self.apart(py, Course::start)
    }

    /// Makes communication steps; `False` if the model has ended the run.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: u32) -> PyResult<bool> {
        {
            let mut held = self.hold()?;
            let course = held.course()?;
            if course.is_short(n) {
                return course.timed(n);
            }
        }
        self.apart(py, |course| course.long(n))
    }

    /// The time \[s\].
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.hold()?.course()?.instance.time())
    }

    /// The communication step \[s\]; it may be changed between steps.
    #[getter]
    fn step_size(&self) -> PyResult<f64> {
        Ok(self.hold()?.course()?.clock.step)
    }

    #[setter]
    fn set_step_size(&self, step: f64) -> PyResult<()> {
        if !(step.is_finite() && step > 0.0) {
            return Err(Kind::General.error(format!("step {step} s must be a number above 0")));
        }
        self.hold()?.course()?.clock.change(step);
        Ok(())
    }

    /// Why the model has ended the run, if it has.
    #[getter]
    fn ended(&self) -> PyResult<Option<String>> {
        Ok(self.hold()?.course()?.ended.clone())
    }

    /// Has the initialization ended?
    #[getter]
    fn started(&self) -> PyResult<bool> {
        Ok(self.hold()?.course()?.instance.mode() != Mode::Initialization)
    }

    /// Is it closed?
    #[getter]
    fn closed(&self) -> PyResult<bool> {
        Ok(self.hold()?.0.is_none())
    }

    /// Gives its memory back; later calls are refused.
    fn close(&self) -> PyResult<()> {
        *self.hold()?.0 = None;
        Ok(())
    }

    /// Messages so far: level, category, text.
    #[getter]
    fn messages(&self) -> PyResult<Vec<(&'static str, String, String)>> {
        let mut held = self.hold()?;
        let course = held.course()?;
        // The beginning of any call that is no step delivers what steps have queued.
        let _ = course.instance.begin(Fmi3::GetFloat64.rule());
        let all = course.messages.lock();
        Ok(all.map(|all| all.clone()).unwrap_or_default())
    }

    /// The state, to be restored in this simulation or another of the model.
    fn save(&self) -> PyResult<State> {
        Ok(self.hold()?.course()?.save())
    }

    /// Goes back to a saved state.
    fn restore(&self, py: Python<'_>, state: &State) -> PyResult<()> {
        self.apart(py, |course| course.restore(state))
    }

    /// As at first: start values, initialization mode.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.apart(py, |course| {
            *course = self.origin.begin()?;
            Ok(())
        })
    }

    /// All variables.
    fn described(&self) -> Vec<Described> {
        describe(&self.names().table)
    }

    /// Variables that are read or set together.
    fn handle(&self, names: Vec<String>) -> PyResult<Handle> {
        self.names().handle(&names)
    }

    /// Writes the values of a handle into an array.
    fn read(&self, py: Python<'_>, handle: &Handle, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let references = self.names().own(handle)?;
        let mut values = vec![0.0; references.len()];
        let mut held = self.hold()?;
        held.course()?
            .read(references, |k, value| values[k] = value)?;
        fill(py, out, &values)
    }

    /// Sets the variables of a handle.
    fn write(&self, py: Python<'_>, handle: &Handle, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let values = numbers(py, values)?;
        let references = self.names().own(handle)?;
        sized(&values, references.len(), "values")?;
        self.hold()?.course()?.write(references, &values)
    }

    /// Makes steps, sets inputs before each and reads outputs after each; returns how many steps were made.
    fn roll(
        &self,
        py: Python<'_>,
        steps: u32,
        inputs: (PyRef<'_, Handle>, Bound<'_, PyAny>),
        outputs: (PyRef<'_, Handle>, Bound<'_, PyAny>),
    ) -> PyResult<u32> {
        let (ins, outs) = (self.names().own(&inputs.0)?, self.names().own(&outputs.0)?);
        let given = if ins.is_empty() {
            Vec::new()
        } else {
            numbers(py, &inputs.1)?
        };
        let count = steps as usize;
        sized(&given, count * ins.len(), "inputs")?;
        let mut found = vec![f64::NAN; count * outs.len()];
        let made = self.apart(py, |course| {
            for n in 0..count {
                course.write(ins, &given[n * ins.len()..][..ins.len()])?;
                let goes_on = course.advance(1)?;
                let row = &mut found[n * outs.len()..][..outs.len()];
                course.read(outs, |k, value| row[k] = value)?;
                if !goes_on {
                    return Ok(n as u32 + 1);
                }
            }
            Ok(steps)
        })?;
        if !outs.is_empty() {
            fill(py, &outputs.1, &found)?;
        }
        Ok(made)
    }
}

/// Checks how many numbers there are.
pub(crate) fn sized(values: &[f64], wanted: usize, what: &str) -> PyResult<()> {
    if values.len() == wanted {
        return Ok(());
    }
    Err(Kind::General.error(format!(
        "{what}: {wanted} numbers are wanted, not {}",
        values.len()
    )))
}

/// A value that Python gives.
fn given(value: &Bound<'_, PyAny>) -> PyResult<Start> {
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(Start::Boolean(flag));
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(Start::Integer(number));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Start::Real(number));
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(Start::Text(text));
    }
    Err(Kind::General.error(format!(
        "{value} is no value of a variable; valid: a number, True, False or a text"
    )))
}

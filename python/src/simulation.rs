//! A simulation that Python steps: an instance as in the FMU, with names in place of value references.
//!
//! Control plane. The instance is behind a mutex that is never waited for: a second thread gets an exception. Calls that
//! take longer release Python's lock; a single step of a small model is shorter than that would take.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use fixstep::instance::mode::Mode;
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use crate::arrays::{fill, numbers, sized};
use crate::course::{Course, Message, Origin};
use crate::errors::{Kind, failed};
use crate::model::RawModel;
use crate::state::State;
use crate::values::{self, set};
use crate::variables::{Described, Handle, Names, Start, describe};

/// A simulation, or none if it is closed.
#[pyclass(subclass, frozen, module = "fixstep._fixstep")]
pub(crate) struct RawSimulation {
    origin: Arc<Origin>,
    course: Mutex<Option<Course>>,
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
        let settings = settings
            .iter()
            .map(|(name, value)| Ok((name.clone(), given(name, value)?)));
        let settings: Vec<(String, Start)> = settings.collect::<PyResult<_>>()?;
        py.detach(|| {
            let origin = origin(model, (start, stop, step), settings)?;
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
            return values::value(&mut course.instance, self.names(), *one)?.into_pyobject(py);
        }
        let all = references.iter();
        let all: Vec<Start> = all
            .map(|at| values::value(&mut course.instance, self.names(), *at))
            .collect::<Result<_, _>>()?;
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
            return Ok(self.hold()?.course()?.write(references, &number)?);
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
            return Ok(self.hold()?.course()?.write(references, &values)?);
        }
        let value = given(name, value)?;
        let mut held = self.hold()?;
        let course = held.course()?;
        set(&mut course.instance, self.names(), name, &value)
            .map_err(|fault| course.in_words(fault))?;
        Ok(())
    }

    /// Ends the initialization: values that are fixed from then on take effect.
    fn start(&self, py: Python<'_>) -> PyResult<()> {
        self.apart(py, |course| Ok(course.start()?))
    }

    /// Makes communication steps; `False` if the model has ended the run.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> PyResult<bool> {
        let n = u32::try_from(n).map_err(|_| {
            Kind::General.error(format!("step: {n} steps; valid: 0 to {}", u32::MAX))
        })?;
        {
            let mut held = self.hold()?;
            let course = held.course()?;
            if course.is_short(n) {
                return Ok(course.timed(n)?);
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
        let mut held = self.hold()?;
        let ending = held.course()?.ending();
        Ok(ending.map(|ending| ending.why.clone()))
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
    fn messages(&self) -> PyResult<Vec<Message>> {
        Ok(self.hold()?.course()?.messages())
    }

    /// The state, to be restored in this simulation or another of the model.
    fn save(&self) -> PyResult<State> {
        Ok(self.hold()?.course()?.save())
    }

    /// Goes back to a saved state.
    fn restore(&self, py: Python<'_>, state: &State) -> PyResult<()> {
        self.apart(py, |course| Ok(course.restore(state)?))
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
        Ok(self.names().handle(&names)?)
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
        Ok(self.hold()?.course()?.write(references, &values)?)
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

/// How simulations of a model begin: times of start, stop and step, and values before the initialization.
pub(crate) fn origin(
    model: &RawModel,
    (start, stop, step): (Option<f64>, Option<f64>, Option<f64>),
    settings: Vec<(String, Start)>,
) -> PyResult<Origin> {
    let own = model.model.mechanism.experiment;
    if let Some(bad) = step.filter(|step| !(step.is_finite() && *step > 0.0)) {
        return Err(Kind::General.error(format!("step {bad} s must be a number above 0")));
    }
    let blueprint = model.blueprint().map_err(failed)?;
    Ok(Origin {
        names: Names::of(blueprint.table.clone(), &blueprint.token),
        blueprint,
        settings,
        start: start.unwrap_or(own.start),
        stop,
        step: step.unwrap_or(own.step),
        foreseen: step.is_some(),
    })
}

/// A value that Python gives for a variable.
pub(crate) fn given(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Start> {
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
        "variable \"{name}\": {value} is no value; valid: a number, True, False or a text"
    )))
}

//! Control plane: a batch that Python steps, many instances of one model with values as arrays, a row for each instance.
//!
//! As with a simulation, the mutex is never waited for. Python's lock is released while instances step, and held while
//! arrays are read and filled.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;

use crate::arrays::{fill, flags, numbers, sized};
use crate::course::{Message, Origin};
use crate::errors::Kind;
use crate::fleet::{Cell, Fleet, Halt, Rolling};
use crate::model::RawModel;
use crate::simulation::{given, origin};
use crate::state::State;
use crate::values;
use crate::variables::{Described, Handle, Names, Start, describe};

/// Wall time between two looks at Python's signals (ns).
const LOOK: f64 = 1e8;

/// An instance that has halted: its index, whether a step has failed, and why.
type Told = (usize, bool, String);

/// A batch, or none if it is closed.
#[pyclass(subclass, frozen, module = "fixstep._fixstep")]
pub(crate) struct RawBatch {
    origin: Arc<Origin>,
    count: usize,
    threads: usize,
    fleet: Mutex<Option<Fleet>>,
}

/// The instances, for the time of a call.
struct Held<'a>(MutexGuard<'a, Option<Fleet>>);

impl Held<'_> {
    fn fleet(&mut self) -> PyResult<&mut Fleet> {
        self.0.as_mut().ok_or_else(|| {
            Kind::Closed.error("the batch is closed; valid: fixstep.Batch(model, n) makes another")
        })
    }
}

fn told(halts: Vec<Halt>) -> Vec<Told> {
    let all = halts.into_iter();
    all.map(|(at, ending)| (at, ending.failed, ending.why))
        .collect()
}

impl RawBatch {
    /// Takes the instances, if nobody else has them.
    fn hold(&self) -> PyResult<Held<'_>> {
        match self.fleet.try_lock() {
            Ok(guard) => Ok(Held(guard)),
            Err(TryLockError::WouldBlock) => Err(Kind::Closed.error(
                "another thread is using this batch; valid: one thread at a time, or a batch for each",
            )),
            Err(TryLockError::Poisoned(_)) => Err(Kind::Closed.error(
                "an internal error has ended this batch; valid: fixstep.Batch(model, n) makes another",
            )),
        }
    }

    fn names(&self) -> &Names {
        &self.origin.names
    }

    /// Which instances are meant: all, or those with a flag.
    fn chosen(&self, py: Python<'_>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<bool>> {
        let Some(mask) = mask else {
            return Ok(Vec::new());
        };
        let found = flags(py, mask)?;
        if found.len() == self.count {
            return Ok(found);
        }
        Err(Kind::General.error(format!(
            "mask: {} flags; valid: one for each of {} instances",
            found.len(),
            self.count
        )))
    }
}

#[pymethods]
impl RawBatch {
    #[new]
    #[pyo3(signature = (model, count, threads, start=None, stop=None, step=None, settings=Vec::new(), own=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        model: PyRef<'_, RawModel>,
        count: usize,
        threads: usize,
        start: Option<f64>,
        stop: Option<f64>,
        step: Option<f64>,
        settings: Vec<(String, Bound<'_, PyAny>)>,
        own: Vec<(String, Vec<Bound<'_, PyAny>>)>,
    ) -> PyResult<Self> {
        let settings = settings
            .iter()
            .map(|(name, value)| Ok((name.clone(), given(name, value)?)));
        let settings: Vec<(String, Start)> = settings.collect::<PyResult<_>>()?;
        let own = own.iter().map(|(name, values)| {
            let values = values.iter().map(|value| given(name, value));
            Ok((name.clone(), values.collect::<PyResult<_>>()?))
        });
        let own: Vec<(String, Vec<Start>)> = own.collect::<PyResult<_>>()?;
        let model = &*model;
        py.detach(|| {
            let origin = origin(model, (start, stop, step), settings)?;
            let fleet = Fleet::new(&origin, &own, (count, threads))?;
            Ok(Self {
                origin: Arc::new(origin),
                count,
                threads,
                fleet: Mutex::new(Some(fleet)),
            })
        })
    }

    /// How many instances.
    fn __len__(&self) -> usize {
        self.count
    }

    /// How many threads at most.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// The communication step \[s\].
    #[getter]
    fn step_size(&self) -> f64 {
        self.origin.step
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

    /// All variables.
    fn described(&self) -> Vec<Described> {
        describe(&self.names().table)
    }

    /// Variables that are read or set together.
    fn handle(&self, names: Vec<String>) -> PyResult<Handle> {
        Ok(self.names().handle(&names)?)
    }

    /// Writes the times of the instances into an array \[s\].
    fn times(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut held = self.hold()?;
        let cells = held.fleet()?.cells.iter();
        let times: Vec<f64> = cells.map(|cell| cell.course.instance.time()).collect();
        fill(py, out, &times)
    }

    /// The instances that have halted.
    fn halts(&self) -> PyResult<Vec<Told>> {
        Ok(told(self.hold()?.fleet()?.halts()))
    }

    /// Messages so far: instance, and its level, category, text.
    fn told(&self) -> PyResult<Vec<(usize, Message)>> {
        let mut held = self.hold()?;
        let cells = held.fleet()?.cells.iter_mut().enumerate();
        let each = |(at, cell): (usize, &mut Cell)| {
            let all = cell.course.messages().into_iter();
            all.map(move |message| (at, message))
        };
        Ok(cells.flat_map(each).collect())
    }

    /// Ends the initialization; the instances that cannot start.
    fn begin(&self, py: Python<'_>) -> PyResult<Vec<Told>> {
        let mut held = self.hold()?;
        let fleet = held.fleet()?;
        Ok(told(py.detach(|| fleet.halting(Fleet::start))))
    }

    /// Makes communication steps; the instances that they have halted.
    #[pyo3(signature = (steps, mask=None))]
    fn advance(
        &self,
        py: Python<'_>,
        steps: u32,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Told>> {
        let chosen = self.chosen(py, mask)?;
        let mut held = self.hold()?;
        let fleet = held.fleet()?;
        let mut left = steps;
        let mut halts = Vec::new();
        while left > 0 {
            let some = fleet.steps_in(LOOK).min(left);
            halts.extend(py.detach(|| fleet.halting(|fleet| fleet.step(some, &chosen))));
            left -= some;
            if left > 0 {
                py.check_signals()?;
            }
        }
        Ok(told(halts))
    }

    /// Writes variables into an array, a row for each instance; the instances that turned out unable to start.
    fn read(&self, py: Python<'_>, handle: &Handle, out: &Bound<'_, PyAny>) -> PyResult<Vec<Told>> {
        let references = self.names().own(handle)?;
        let mut values = vec![0.0; self.count * references.len()];
        let mut held = self.hold()?;
        let fleet = held.fleet()?;
        let halts = py.detach(|| fleet.halting(|fleet| fleet.read(references, &mut values)));
        fill(py, out, &values)?;
        Ok(told(halts))
    }

    /// Sets variables, a row for each instance.
    #[pyo3(signature = (handle, values, mask=None))]
    fn write(
        &self,
        py: Python<'_>,
        handle: &Handle,
        values: &Bound<'_, PyAny>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let references = self.names().own(handle)?;
        let values = numbers(py, values)?;
        sized(&values, self.count * references.len(), "values")?;
        let chosen = self.chosen(py, mask)?;
        Ok(self.hold()?.fleet()?.write(references, &values, &chosen)?)
    }

    /// The values of a variable of any type in all instances.
    fn values(&self, name: &str) -> PyResult<Vec<Start>> {
        let at = *self.names().find(name)?.first().unwrap_or(&0);
        let mut held = self.hold()?;
        let cells = held.fleet()?.cells.iter_mut();
        let read = |cell: &mut Cell| values::value(&mut cell.course.instance, self.names(), at);
        Ok(cells.map(read).collect::<Result<_, _>>()?)
    }

    /// Sets a variable of any type: one value for all instances, or one for each.
    #[pyo3(signature = (name, values, mask=None))]
    fn assign(
        &self,
        py: Python<'_>,
        name: &str,
        values: Vec<Bound<'_, PyAny>>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let all = values.iter().map(|value| given(name, value));
        let all: Vec<Start> = all.collect::<PyResult<_>>()?;
        if all.len() != 1 && all.len() != self.count {
            return Err(Kind::General.error(format!(
                "variable \"{name}\": {} values; valid: one, or one for each of {} instances",
                all.len(),
                self.count
            )));
        }
        let chosen = self.chosen(py, mask)?;
        let value = |at: usize| all[if all.len() == 1 { 0 } else { at }].clone();
        let mut held = self.hold()?;
        Ok(held
            .fleet()?
            .assign(self.names(), (name, &value), &chosen)?)
    }

    /// The states of all instances.
    fn states(&self, py: Python<'_>) -> PyResult<Vec<State>> {
        let mut held = self.hold()?;
        let fleet = held.fleet()?;
        Ok(py.detach(|| fleet.save()))
    }

    /// Takes instances to saved states: one for all, or one for each.
    #[pyo3(signature = (states, mask=None))]
    fn take(
        &self,
        py: Python<'_>,
        states: Vec<PyRef<'_, State>>,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        if states.len() != 1 && states.len() != self.count {
            return Err(Kind::General.error(format!(
                "states: {}; valid: one for all, or one for each of {} instances",
                states.len(),
                self.count
            )));
        }
        let chosen = self.chosen(py, mask)?;
        let states: Vec<&State> = states.iter().map(|state| &**state).collect();
        let mut held = self.hold()?;
        let fleet = held.fleet()?;
        py.detach(|| fleet.restore(&states, &chosen))?;
        Ok(())
    }

    /// Takes instances back to the start.
    #[pyo3(signature = (mask=None))]
    fn again(&self, py: Python<'_>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let chosen = self.chosen(py, mask)?;
        let mut held = self.hold()?;
        let fleet = held.fleet()?;
        py.detach(|| fleet.reset(&chosen))?;
        Ok(())
    }

    /// Makes rows of `every` steps, sets inputs before each and reads outputs after each: arrays of rows × instances ×
    /// variables. The instances that it has halted.
    fn roll(
        &self,
        py: Python<'_>,
        rows: usize,
        every: u32,
        inputs: (PyRef<'_, Handle>, Bound<'_, PyAny>),
        outputs: (PyRef<'_, Handle>, Bound<'_, PyAny>),
    ) -> PyResult<Vec<Told>> {
        let (ins, outs) = (self.names().own(&inputs.0)?, self.names().own(&outputs.0)?);
        let (n, k, m) = (self.count, ins.len(), outs.len());
        let given = if k == 0 {
            Vec::new()
        } else {
            numbers(py, &inputs.1)?
        };
        sized(&given, rows * n * k, "inputs")?;
        let mut found = vec![f64::NAN; rows * n * m];
        let mut held = self.hold()?;
        let fleet = held.fleet()?;
        let mut halts = Vec::new();
        let mut done = 0;
        while done < rows {
            let some = (fleet.steps_in(LOOK) / every.max(1)).max(1) as usize;
            let steps = some.min(rows - done);
            let rolling = Rolling {
                steps,
                every,
                ins,
                outs,
            };
            let (from, to) = (&given[done * n * k..], &mut found[done * n * m..]);
            halts.extend(py.detach(|| fleet.halting(|fleet| fleet.roll(&rolling, from, to))));
            done += steps;
            py.check_signals()?;
        }
        if m > 0 {
            fill(py, &outputs.1, &found)?;
        }
        Ok(told(halts))
    }
}

//! Control plane: saved states of a simulation.

use fixstep_kernel::fingerprint::Fingerprint;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Where a simulation stands among its communication points: t₀ + n·H.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clock {
    /// t₀ \[s\].
    pub(crate) base: f64,
    /// n.
    pub(crate) count: u64,
    /// H \[s\].
    pub(crate) step: f64,
}

impl Clock {
    /// The present communication point \[s\].
    pub(crate) fn now(&self) -> f64 {
        self.base + self.count as f64 * self.step
    }

    /// Takes another step from here on.
    pub(crate) fn change(&mut self, step: f64) {
        if step != self.step {
            *self = Self {
                base: self.now(),
                count: 0,
                step,
            };
        }
    }
}

/// How a run has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// Has a step failed? Otherwise the model has asked for the end.
    pub(crate) failed: bool,
    /// Why.
    pub(crate) why: String,
}

/// A saved state; it can be pickled, and restored in any simulation of the same model.
#[pyclass(frozen, module = "fixstep._fixstep")]
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) bytes: Vec<u8>,
    pub(crate) clock: Clock,
    /// Has the run begun?
    pub(crate) begun: bool,
    /// Has it ended, and how?
    pub(crate) ending: Option<Ending>,
}

#[pymethods]
impl State {
    #[new]
    #[pyo3(signature = (bytes, base, count, step, begun, ending=None))]
    fn new(
        bytes: Vec<u8>,
        base: f64,
        count: u64,
        step: f64,
        begun: bool,
        ending: Option<(bool, String)>,
    ) -> Self {
        let clock = Clock { base, count, step };
        Self {
            bytes,
            clock,
            begun,
            ending: ending.map(|(failed, why)| Ending { failed, why }),
        }
    }

    /// Why the run had ended, if it had.
    #[getter]
    fn ended(&self) -> Option<&str> {
        self.ending.as_ref().map(|ending| ending.why.as_str())
    }

    /// The time \[s\].
    #[getter]
    fn time(&self) -> f64 {
        self.clock.now()
    }

    /// The class and its arguments.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let own = slf.get();
        let Clock { base, count, step } = own.clock;
        let bytes = PyBytes::new(slf.py(), &own.bytes);
        let class = slf.getattr("__class__")?;
        let ending = own.ending.clone();
        let ending = ending.map(|ending| (ending.failed, ending.why));
        Ok((class, (bytes, base, count, step, own.begun, ending)))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.clock == other.clock
    }

    fn __hash__(&self) -> u64 {
        let text = Fingerprint::of(&self.bytes);
        let digits = text
            .get(..16)
            .and_then(|text| u64::from_str_radix(text, 16).ok());
        digits.unwrap_or_default()
    }

    fn __repr__(&self) -> String {
        format!(
            "<fixstep.State at {} s, {} bytes>",
            self.clock.now(),
            self.bytes.len()
        )
    }
}

/// What pickle keeps.
type Reduced<'py> = (
    Bound<'py, PyAny>,
    (
        Bound<'py, PyBytes>,
        f64,
        u64,
        f64,
        bool,
        Option<(bool, String)>,
    ),
);

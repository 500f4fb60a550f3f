//! Control plane: errors as exceptions of the package. Their classes are Python's, in `python/fixstep/_errors.py`, so that
//! they may have several bases.

use fixstep::instance::status::Refusal;
use fmu_build::slave::Failure;
use pyo3::prelude::*;

/// The classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Anything else.
    General,
    /// A step has failed, or the run is over.
    Step,
    /// No variable has the name.
    Name,
    /// A derivative does not exist.
    Derivative,
    /// The simulation is closed or in use.
    Closed,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::General => "Error",
            Self::Step => "StepError",
            Self::Name => "UnknownNameError",
            Self::Derivative => "DerivativeError",
            Self::Closed => "ClosedError",
        }
    }

    /// An error that becomes an exception of this class.
    pub(crate) fn fault(self, text: impl Into<String>) -> Fault {
        Fault {
            kind: self,
            text: text.into(),
        }
    }

    /// An exception of this class.
    pub(crate) fn error(self, text: impl Into<String>) -> PyErr {
        let text = text.into();
        Python::attach(|py| {
            let made = py
                .import("fixstep._errors")
                .and_then(|module| module.getattr(self.name()))
                .and_then(|class| class.call1((text,)));
            match made {
                Ok(error) => PyErr::from_value(error),
                Err(error) => error,
            }
        })
    }
}

/// An error on its way to Python: no exception yet, so that a thread can have it without Python's lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        fault.kind.error(fault.text)
    }
}

/// A failure of the tools.
pub(crate) fn failed(failure: Failure) -> PyErr {
    Kind::General.error(failure.0)
}

/// A refused call.
pub(crate) fn refused(refusal: Refusal) -> Fault {
    Kind::General.fault(refusal.text)
}

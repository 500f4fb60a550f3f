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

/// A failure of the tools.
pub(crate) fn failed(failure: Failure) -> PyErr {
    Kind::General.error(failure.0)
}

/// A refused call.
pub(crate) fn refused(refusal: Refusal) -> PyErr {
    Kind::General.error(refusal.text)
}

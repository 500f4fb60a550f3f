//! Control plane: the commands of the program `fixstep`, in this process.

use std::ffi::OsString;

use fixstep_program::Said;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Runs the program; returns its exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| fixstep_program::run(words))
}

/// Runs a command; returns its exit code, its output and its remarks.
#[pyfunction]
pub(crate) fn hear(
    py: Python<'_>,
    words: Vec<OsString>,
) -> (u8, Bound<'_, PyBytes>, Bound<'_, PyBytes>) {
    let Said {
        code,
        output,
        remarks,
    } = py.detach(|| fixstep_program::hear(words));
    (code, PyBytes::new(py, &output), PyBytes::new(py, &remarks))
}

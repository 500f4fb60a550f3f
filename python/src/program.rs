//! Control plane: the commands of the program `fixstep`, in this process.

use std::ffi::OsString;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use fixstep_program::{Flag, Said};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::Kind;

/// Runs the program; returns its exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| fixstep_program::run(words))
}

/// Time between two looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// Stack of the thread of a command, like that of a program.
const STACK: usize = 8 << 20;

/// Runs a command; returns its exit code, its output and its remarks. It works in a thread of its own, so that a key
/// interrupts it at once; its runs end then, and other work that is under way goes on unheard until it is done.
#[pyfunction]
pub(crate) fn hear(
    py: Python<'_>,
    words: Vec<OsString>,
) -> PyResult<(u8, Bound<'_, PyBytes>, Bound<'_, PyBytes>)> {
    let flag = Flag::default();
    let own = flag.clone();
    let (send, mut receive) = channel();
    let command = move || {
        // Nobody listens any more after an interruption.
        let _ = send.send(fixstep_program::hear(words, own));
    };
    thread::Builder::new().stack_size(STACK).spawn(command)?;
    loop {
        // A receiver belongs to one thread at a time.
        let (heard, back) = py.detach(move || (receive.recv_timeout(LOOK), receive));
        receive = back;
        match heard {
            Ok(Said {
                code,
                output,
                remarks,
            }) => return Ok((code, PyBytes::new(py, &output), PyBytes::new(py, &remarks))),
            Err(RecvTimeoutError::Timeout) => py
                .check_signals()
                .inspect_err(|_| flag.store(true, Ordering::Relaxed))?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Kind::General.error("the command broke off".to_owned()));
            }
        }
    }
}

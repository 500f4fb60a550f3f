//! Control plane: arrays of NumPy, through the buffer protocol.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use crate::errors::Kind;

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
    values
        .extract()
        .map_err(|_| Kind::General.error("valid values are numbers, or an array of them (float64)"))
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

/// Flags from an array of bytes.
pub(crate) fn flags(py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
    let buffer = PyBuffer::<u8>::get(values);
    let bytes = buffer.and_then(|buffer| buffer.to_vec(py));
    let bytes = bytes.map_err(|_| Kind::General.error("mask: valid is an array of bool"))?;
    Ok(bytes.iter().map(|byte| *byte != 0).collect())
}

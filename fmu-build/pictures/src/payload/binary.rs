//! Control plane: arrays in the binary part of a page's data.

use serde_json::{Value, json};

/// Numbers in little-endian order; every array begins at a multiple of 8.
#[derive(Default)]
pub(super) struct Binary {
    pub(super) bytes: Vec<u8>,
}

impl Binary {
    fn push(&mut self, count: usize, kind: &str, bytes: impl Iterator<Item = u8>) -> Value {
        let at = self.bytes.len();
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        json!({"at": at, "n": count, "type": kind})
    }

    pub(super) fn f64(&mut self, numbers: &[f64]) -> Value {
        self.push(
            numbers.len(),
            "f64",
            numbers.iter().flat_map(|x| x.to_le_bytes()),
        )
    }

    pub(super) fn f32(&mut self, numbers: &[f32]) -> Value {
        self.push(
            numbers.len(),
            "f32",
            numbers.iter().flat_map(|x| x.to_le_bytes()),
        )
    }

    pub(super) fn u32(&mut self, numbers: &[u32]) -> Value {
        self.push(
            numbers.len(),
            "u32",
            numbers.iter().flat_map(|x| x.to_le_bytes()),
        )
    }

    /// Parts from −1 to 1 in steps of 1/127.
    pub(super) fn parts(&mut self, numbers: &[f32]) -> Value {
        let of = |x: &f32| (127.0 * x).round().clamp(-127.0, 127.0) as i8;
        self.push(
            numbers.len(),
            "i8",
            numbers.iter().flat_map(|x| of(x).to_le_bytes()),
        )
    }

    /// A signal: in single precision if no digit is lost by it, as with counts and switches.
    pub(super) fn signal(&mut self, values: &[f64]) -> Value {
        let same = |x: &f64| f64::from(*x as f32).to_bits() == x.to_bits();
        if values.iter().all(same) {
            let single: Vec<f32> = values.iter().map(|x| *x as f32).collect();
            self.f32(&single)
        } else {
            self.f64(values)
        }
    }
}

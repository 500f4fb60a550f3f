//! The largest sizes in the file of a mechanism: larger ones are neither written nor read. Control plane.

/// The mechanism without its large data, in bytes; the table of variables likewise.
pub const PLAIN_BYTES: usize = 64 << 20;

/// Flexible bodies, splines, curves and surfaces, equal ones counted once.
pub const LARGE_DATA: usize = 100_000;

/// The whole file, in bytes.
pub const PACKED_BYTES: usize = 1 << 30;

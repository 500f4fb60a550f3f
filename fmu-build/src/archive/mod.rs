//! Control plane: `.fmu` files as archives.

pub mod read;
pub mod write;

//! Control plane: writes and reads `.fmu` files, which are Zip archives.

pub mod read;
pub mod write;

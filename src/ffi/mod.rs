//! Control plane: the C interfaces of FMI 2.0 and FMI 3.0, and the only unsafe code of this crate.
//!
//! Each export is one row of a table. It enters the instance through `guard` (null, re-entrance, panic, mode), turns
//! its pointers into checked slices through `pointers`, and delegates to [`crate::instance::Instance`]. The code
//! relies on two promises of importers: pointers that are not null point to as many readable or writable elements as
//! the call says, and an instance is used only until `FreeInstance` and by one thread at a time (a second thread at
//! the same time is refused).
#![expect(unsafe_code, reason = "a C interface is made of raw pointers")]

mod exports;
pub mod fmi2;
pub mod fmi3;
mod guard;
pub mod heap;
mod log;
mod module;
mod open;
mod pointers;
mod residence;
mod states;
mod window;

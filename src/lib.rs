//! Fixstep: flexible-multibody dynamics that *is* a Functional Mock-up Unit.
//!
//! The kernel advances a mechanism. This crate makes an FMU of it: the Real Time Index ([`rti`]), the instance
//! without C types ([`instance`]), and the functions of both versions of the C interface ([`ffi`]).

pub mod ffi;
pub mod instance;
pub mod rti;

//! Linear analyses of mechanisms: state-space forms, modes, responses.
//!
//! The kernel gives the tangents of all equations at a state ([`fixstep_kernel::simulation::Linearization`]). This
//! crate eliminates constraints and multipliers from them ([`form`]) and analyses the result.

pub mod compliance;
pub mod condense;
pub mod effective;
pub mod eigen;
pub mod energy;
pub mod export;
pub mod follow;
pub mod form;
pub mod matrix;
pub mod modes;
pub mod modes_report;
pub mod numpy;
pub mod random;
pub mod response;
pub mod sparse;
pub mod spectra;
pub mod states;
pub mod tensors;
pub mod whirl;
pub mod words;

pub use form::{Damping, Gyroscopic, LinearForm, NoForm, Options, StateVariable, Variable};

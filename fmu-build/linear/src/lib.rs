//! Linear analyses of mechanisms: state-space forms, modes, responses.
//!
//! The kernel gives the tangents of all equations at a state ([`fixstep_kernel::simulation::Linearization`]); here
//! constraints and multipliers are eliminated from them ([`form`]), and what is left is analysed.

pub mod condense;
pub mod form;
pub mod matrix;
pub mod sparse;

pub use form::{Damping, Gyroscopic, LinearForm, NoForm, Options, StateVariable, Variable};

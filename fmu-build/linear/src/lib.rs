//! Linear analyses of mechanisms: state-space forms, modes, responses.
//!
//! The kernel gives the tangents of all equations at a state ([`fixstep_kernel::simulation::Linearization`]); here
//! constraints and multipliers are eliminated from them ([`form`]), and what is left is analysed.

pub mod condense;
pub mod eigen;
pub mod energy;
pub mod form;
pub mod matrix;
pub mod modes;
pub mod modes_report;

pub use form::{Damping, LinearForm, NoForm, Options, StateVariable, Variable};

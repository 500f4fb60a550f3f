//! `modelDescription.xml` of FMI 2.0 and FMI 3.0: written, read and checked. Pure functions of text.
//!
//! - [`fmi2::write`] and [`fmi3::write`] turn a [`Header`] and the variable table into XML;
//! - [`terminals::write`] writes the terminals of `terminalsAndIcons.xml`;
//! - [`ssp`] writes and reads systems of FMUs and their parameter sets;
//! - [`parse::description`] reads any vendor's description;
//! - [`check::description`] finds what the schemas and the common validators let through.

pub mod check;
pub mod fmi2;
pub mod fmi3;
pub mod header;
pub mod parse;
mod quantities;
pub mod ssp;
mod structure;
pub mod terminals;
mod tree;
mod write;

pub use header::{Capabilities, DefaultExperiment, Header};

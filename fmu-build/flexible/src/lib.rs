//! Reduces finite-element models to flexible bodies: readers of foreign matrices, Craig–Bampton reduction, inertia
//! invariants.
//!
//! A reader turns a file of a finite-element program into an [`fe::FeModel`]; [`reduce`] makes a
//! [`fixstep_kernel::flex::FlexData`] from it.

pub mod beam;
pub mod fe;
pub mod inspect;
pub mod mnf;
pub mod moments;
pub mod read;
pub mod reduce;
pub mod select;
pub mod sparse;
pub mod strain;
pub mod swap;

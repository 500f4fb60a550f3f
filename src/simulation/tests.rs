//! What shows only with the inside of a simulation in view.

mod conditioning;
mod counts;
mod orders;
mod starts;

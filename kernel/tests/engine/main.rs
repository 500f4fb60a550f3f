//! Tests of the kernel on mechanisms that are written as models.
#![expect(clippy::unwrap_used, reason = "tests")]

mod conditioning;
mod counts;
mod derived;
mod extent;
mod lint;
mod magic;
mod newton;
mod orders;
mod plausible;
mod plausible_signs;
mod plausible_starts;
mod plausible_steps;
mod rational;
mod si2;
mod sound;
mod starts;
mod tangents;
mod tendons;
mod trusted;

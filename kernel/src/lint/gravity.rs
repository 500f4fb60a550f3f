//! Control plane: finds models without gravity, and gravity of an implausible magnitude.

use super::modes::Modes;
use super::{Subject, show};
use crate::mechanism::{Finding, LintRule};
use crate::system::residual;
use alloc::format;
use alloc::vec::Vec;

/// From asteroids to the sun, with a margin at both ends [m/s²].
const LEAST: f64 = 0.3;
const MOST: f64 = 300.0;
/// Gravity on Earth [m/s²].
const EARTH: f64 = 9.80665;

/// Checks both.
pub(super) fn check(s: &Subject<'_>, modes: &mut Option<Modes<'_>>, found: &mut Vec<Finding>) {
    let is_open = |finding: &Finding| finding.rule == LintRule::NoGravity;
    if found.iter().any(is_open) && !modes.as_mut().is_some_and(Modes::falls) {
        found.retain(|finding| !is_open(finding));
    }
    let given = &s.mechanism.gravity;
    let follows = given.functions.iter().any(Option::is_some);
    let size = residual::gravity(s.system, s.state, s.ws).norm();
    // A function may start small.
    if size == 0.0 || (follows && size < LEAST) || (LEAST..=MOST).contains(&size) {
        return;
    }
    let units = &s.mechanism.units;
    let unit = units.length.factor / (units.time.factor * units.time.factor);
    let label = format!("{}/{}^2", units.length.name, units.time.name);
    found.push(Finding::new(
        LintRule::OddGravity,
        ("gravity", "", ""),
        format!(
            "{} {label} are {} m/s^2, unlike the gravity of any planet",
            show(size / unit),
            show(size)
        ),
        &format!(
            "give it in the units of the model; on Earth it is {} {label}",
            show(EARTH / unit)
        ),
    ));
}

//! Control plane: finds free lengths of springs that do not fit the size of the mechanism.

use super::{Subject, show};
use crate::elements::forces;
use crate::mechanism::{Finding, LintRule};
use crate::system::eval;
use crate::system::length::characteristic_length;
use alloc::format;
use alloc::vec::Vec;

/// Largest plausible free length, as a multiple of the length at the start and of the size of the mechanism.
const MOST: f64 = 30.0;

/// Checks all translational springs.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let size = characteristic_length(s.system);
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        let [stiffness, length] = ["stiffness", "length"].map(|field| force.kind.number(field));
        let law = &s.system.forces[f].law;
        let now = forces::length(law, &eval::context(s.system, s.state, s.ws, f));
        let (Some(stiffness), Some(length), Some(now)) = (stiffness, length, now) else {
            continue;
        };
        if s.system.forces[f].later {
            continue;
        }
        let free = s.number(length);
        if s.number(stiffness) == 0.0 || free <= MOST * now.max(size) {
            continue;
        }
        let (unit, factor) = (
            &s.mechanism.units.length.name,
            s.mechanism.units.length.factor,
        );
        found.push(Finding::new(
            LintRule::OddLength,
            ("force", &force.name, "length"),
            format!(
                "its free length of {} {unit} is {} times its length at the start, {} {unit}",
                show(free / factor),
                show(free / now),
                show(now / factor)
            ),
            "give the free length in the unit of lengths, or the load at the length of the start as preload",
        ));
    }
}

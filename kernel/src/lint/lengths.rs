//! Control plane: finds free lengths of springs that do not fit the size of the mechanism.

use super::{Subject, show};
use crate::elements::forces;
use crate::mechanism::{Finding, Force, ForceKind, LintRule};
use crate::system::eval;
use crate::system::length::characteristic_length;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;

/// Largest plausible free length, as a multiple of the length at the start and of the size of the mechanism.
const MOST: f64 = 30.0;

/// Largest plausible strain of a tendon at the start.
const STRETCHED: f64 = 0.5;

/// Checks all translational springs and tendons.
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
        let is_tendon = matches!(force.kind, ForceKind::Tendon { .. });
        if is_tendon {
            fading(s, force, free, found);
        }
        if s.number(stiffness) == 0.0 {
            continue;
        }
        if free > MOST * now.max(size) {
            let remedy = if is_tendon { TENDON } else { SPRING };
            let what = format!("is {} times its length at the start", show(free / now));
            found.push(finding(s, force, [free, now], &what, remedy));
        } else if is_tendon && now > (1.0 + STRETCHED) * free {
            let what = format!(
                "means a strain of {} at its length at the start",
                show(now / free - 1.0)
            );
            found.push(finding(s, force, [free, now], &what, TENDON));
        }
    }
}

const SPRING: &str = "give the free length in the unit of lengths, or the load at the length of the start as preload";
const TENDON: &str = "give the free length in the unit of lengths; for a tension T at the start it is the length \
     there less T/stiffness";

fn finding(
    s: &Subject<'_>,
    force: &Force,
    [free, now]: [f64; 2],
    what: &str,
    remedy: &str,
) -> Finding {
    let unit = &s.mechanism.units.length;
    Finding::new(
        LintRule::OddLength,
        ("force", &force.name, "length"),
        format!(
            "its free length of {} {} {what}, {} {}",
            show(free / unit.factor),
            unit.name,
            show(now / unit.factor),
            unit.name
        ),
        remedy,
    )
}

/// Checks the stretch from which the damping of a tendon is full.
fn fading(s: &Subject<'_>, force: &Force, free: f64, found: &mut Vec<Finding>) {
    let [damping, stretch] =
        ["damping", "damping_stretch"].map(|field| force.kind.number(field).map(|id| s.number(id)));
    let (Some(damping), Some(stretch)) = (damping, stretch) else {
        return;
    };
    let place = ("force", &*force.name, "damping_stretch");
    // Zero is the default.
    if damping == 0.0 && stretch > 0.0 {
        found.push(Finding::new(
            LintRule::IdleForce,
            place,
            "its damping is zero: the stretch from which it is full has no effect".to_owned(),
            "give the damping, or remove damping_stretch",
        ));
    } else if stretch > free {
        let unit = &s.mechanism.units.length;
        found.push(Finding::new(
            LintRule::OddLength,
            place,
            format!(
                "its damping is full only at a stretch of {} {}, more than its free length: it hardly acts",
                show(stretch / unit.factor),
                unit.name
            ),
            "give a small part of the free length, in the unit of lengths",
        ));
    }
}

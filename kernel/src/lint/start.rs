//! Control plane: reports what the start had to change of the model's poses, velocities and constraints.

use super::{Subject, show};
use crate::analysis::owner_parts;
use crate::math::Vec3;
use crate::mechanism::{BodyKind, Finding, LintRule};
use crate::system::length::characteristic_length;
use alloc::format;
use alloc::vec::Vec;

/// Largest displacement of a part by assembly, in characteristic lengths, or rotation \[rad\].
const FAR: f64 = 0.01;

/// Largest displacement of a part by static equilibrium, in sizes of the mechanism.
const SETTLED: f64 = 3.0;

/// Checks poses, velocities and constraints.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    moved(s, found);
    for missed in s.missed {
        let body = &s.mechanism.bodies[missed.body.index()];
        found.push(Finding::new(
            LintRule::VelocityMissed,
            ("part", &body.name, missed.field),
            missed.text.clone(),
            "give velocities that fit, or leave out velocities that follow from the others",
        ));
    }
    redundant(s, found);
    settled(s, found);
}

/// Finds a part that static equilibrium has moved many sizes of the mechanism away.
fn settled(s: &Subject<'_>, found: &mut Vec<Finding>) {
    if !s.mechanism.solver.start.equilibrium {
        return;
    }
    let parts = s.mechanism.bodies.iter().zip(&s.ws.bodies);
    let parts: Vec<_> = parts
        .filter(|(body, _)| body.kind != BodyKind::Ground)
        .map(|(body, now)| {
            let drawn = body.position + body.orientation * body.center_of_mass;
            (body, drawn, (now.r - drawn).norm())
        })
        .collect();
    let from_first = |place: &Vec3| parts.first().map_or(0.0, |first| (place - first.1).norm());
    let extent = parts.iter().map(|part| from_first(&part.1));
    let size = extent.fold(characteristic_length(s.system), f64::max);
    let farthest = parts.iter().max_by(|a, b| a.2.total_cmp(&b.2));
    if let Some((body, _, distance)) = farthest
        && *distance > SETTLED * size
    {
        let unit = &s.mechanism.units.length;
        found.push(Finding::new(
            LintRule::FarEquilibrium,
            ("part", &body.name, "position"),
            format!(
                "static equilibrium moved it by {} {}, {} times the size of the mechanism",
                show(distance / unit.factor),
                unit.name,
                show(distance / size)
            ),
            "give masses, stiffnesses and free lengths in the units of the model",
        ));
    }
}

fn moved(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let far = FAR * characteristic_length(s.system);
    for (body, (distance, angle)) in s.mechanism.bodies.iter().zip(s.moved) {
        // A pose with a small weight is meant to be approximate.
        if body.weight < 1.0 || (*distance <= far && *angle <= FAR) {
            continue;
        }
        let units = &s.mechanism.units;
        found.push(Finding::new(
            LintRule::PoseMoved,
            ("part", &body.name, "position"),
            format!(
                "assembly moved it by {} {} and turned it by {} {} to close the joints: the start differs from the \
                 poses in the file",
                show(distance / units.length.factor),
                units.length.name,
                show(angle / units.angle.factor),
                units.angle.name
            ),
            "give the pose that fits, with each marker on the right part, or an assembly weight below 1 if it is meant to be \
             rough",
        ));
    }
}

/// Gives one finding per joint or coupler that has lost equations.
fn redundant(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let removed: Vec<_> = s.redundancy.removed().collect();
    let mut owners: Vec<_> = removed.iter().map(|(owner, _)| *owner).collect();
    owners.dedup();
    for owner in owners {
        let all = removed.iter().filter(|(other, _)| *other == owner);
        let all: Vec<&str> = all.map(|(_, what)| *what).collect();
        let (kind, name) = owner_parts(s.mechanism, owner);
        found.push(Finding::new(
            LintRule::RedundantConstraint,
            (kind, name, ""),
            format!(
                "{} of its equations follow from others and were removed ({}): the division of reactions among these \
                 joints is arbitrary",
                all.len(),
                all.join("; ")
            ),
            "use joints with fewer constraints, or a bushing in place of one of them",
        ));
    }
}

//! Control plane: finds contacts whose shapes start inside each other, deeper than their load presses them.

use super::modes::Modes;
use super::{Subject, show};
use crate::elements::forces::ForceLaw;
use crate::elements::forces::contact::{self, Deepest};
use crate::elements::wrench::Wrench;
use crate::mechanism::{Contact, ContactShape, Finding, Force, ForceKind, LintRule, called};
use crate::system::{eval, residual};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Largest acceleration, in multiples of gravity, at which a contact may push shapes apart that start inside each
/// other.
const MOST: f64 = 10.0;
/// Gravity to compare with if the model has none [m/s²].
const EARTH: f64 = 9.81;

/// Checks all contacts.
pub(super) fn check(s: &Subject<'_>, modes: &mut Option<Modes<'_>>, found: &mut Vec<Finding>) {
    let Some(modes) = modes else { return };
    let gravity = residual::gravity(s.system, s.state, s.ws).norm();
    let gravity = if gravity > 0.0 { gravity } else { EARTH };
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        let (ForceKind::Contact(given), ForceLaw::Contact(law)) =
            (&force.kind, &s.system.forces[f].law)
        else {
            continue;
        };
        let context = eval::context(s.system, s.state, s.ws, f);
        let deepest = contact::deepest(law, &context).filter(|deepest| deepest.depth > 0.0);
        let Some(deepest) = deepest else { continue };
        let thrown = modes.parting(f, &Wrench::force(deepest.normal)) / gravity;
        if thrown > MOST {
            found.push(inside(s, (f, force, given), &deepest, thrown));
        }
    }
}

fn inside(
    s: &Subject<'_>,
    (f, force, contact): (usize, &Force, &Contact),
    deepest: &Deepest,
    thrown: f64,
) -> Finding {
    let (length, unit) = (&s.mechanism.units.length, &s.mechanism.units.force);
    let said = |x: f64| format!("{} {}", show(x / length.factor), length.name);
    let marker = |id: crate::ids::MarkerId| called(&s.mechanism.markers[id.index()].name);
    let (i, j) = (marker(force.i), marker(force.j));
    let depth = said(deepest.depth);
    let wholly = if deepest.depth > 2.0 * deepest.reach {
        ", wholly on its inner side"
    } else {
        ""
    };
    let (surface, remedy): (String, String) = match contact.shape {
        ContactShape::Plane => (
            format!("below the plane of marker {j}{wholly}"),
            format!(
                "move marker {i} by {depth} to the side that z of marker {j} points to; if that is the wrong side, turn \
                 marker {j} round"
            ),
        ),
        _ => (
            format!("inside of the surface of marker {j}{wholly}"),
            format!(
                "move marker {i} out by {depth}, or give smaller shapes; if it is meant to be inside, make the surface hollow"
            ),
        ),
    };
    let load = s.ws.force_wrenches[f].force.norm() / unit.factor;
    Finding::new(
        LintRule::StartsInside,
        ("force", &force.name, ""),
        format!(
            "it starts {depth} deep {surface}, and its force of {} {} pushes it out with {} times the acceleration \
             of gravity",
            show(load),
            unit.name,
            show(thrown)
        ),
        &remedy,
    )
}

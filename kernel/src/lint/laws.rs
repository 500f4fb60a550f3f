//! Control plane: finds contact laws that make no contact: wrong signs in IMPACT and BISTOP, and surfaces so soft
//! that resting parts sink in.

use super::contacts::impacts;
use super::modes::Modes;
use super::values::Values;
use super::{Subject, show};
use crate::elements::wrench::Wrench;
use crate::expr::{Call, Operand};
use crate::ids::{ExprId, LeafId};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::pow;
use crate::mechanism::{
    Contact, ContactBody, ContactShape, Finding, Force, ForceKind, KinematicMeasure, Leaf, LintRule,
};
use crate::system::residual;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Largest penetration under its load, as a fraction of a shape's half width.
const DEEPEST: f64 = 0.5;

/// Checks all of them.
pub(super) fn check(s: &Subject<'_>, modes: &mut Option<Modes<'_>>, found: &mut Vec<Finding>) {
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        for (field, scaled) in force.kind.expressions() {
            for impact in impacts(s, scaled.expr) {
                let numbers = [impact.stiffness, impact.exponent, impact.damping];
                let odd = odd(numbers).or_else(|| backwards(s, impact.expr, impact.call));
                if let Some((what, remedy)) = odd {
                    let what = format!("of {}, {what}", impact.call.function);
                    let place = ("force", force.name.as_str(), field);
                    found.push(Finding::new(LintRule::OddContact, place, what, remedy));
                }
            }
        }
        if let (ForceKind::Contact(contact), Some(modes)) = (&force.kind, modes.as_mut())
            && let Some(finding) = soft(s, modes, (f, force), contact)
        {
            found.push(finding);
        }
    }
}

/// The fault in the stiffness, exponent and damping of a contact function, and the remedy.
fn odd([stiffness, exponent, damping]: [f64; 3]) -> Option<(String, &'static str)> {
    if stiffness < 0.0 {
        let what = format!(
            "the stiffness is {}: the force is never more than zero, so nothing touches",
            show(stiffness)
        );
        return Some((
            what,
            "make it positive; for the opposite force, put the minus before the function",
        ));
    }
    if damping < 0.0 {
        let what = format!(
            "the damping is {}: the contact adds energy where it should dissipate it",
            show(damping)
        );
        return Some((what, "make it positive"));
    }
    if exponent < 1.0 {
        let what = format!(
            "the exponent is {}: the stiffness is infinite where the contact begins",
            show(exponent)
        );
        return Some((
            what,
            "give 1 or more: 1.5 for two balls, 1 for a plain spring",
        ));
    }
    None
}

/// Finds a contact function whose velocity argument is the rate of its displacement with the wrong sign.
fn backwards(s: &Subject<'_>, root: ExprId, call: &Call) -> Option<(String, &'static str)> {
    let [displacement, velocity] = [0, 1].map(|k| call.operands.get(k));
    let mut values = Values::new(s, root);
    let mut slope = |operand: &Operand, leaf: LeafId| {
        let now = s.ws.leaves[leaf.index()];
        let mut at = |value: f64| {
            values.at(leaf, value);
            operand.after(values.registers())
        };
        Some(at(now + 1.0)? - at(now)?)
    };
    for x in &displacement?.leaves {
        for v in &velocity?.leaves {
            let Some(sense) = rate_of(s, *x, *v) else {
                continue;
            };
            let product = sense * slope(displacement?, *x)? * slope(velocity?, *v)?;
            if product < 0.0 {
                return Some((
                    String::from(
                        "the second argument decreases where the first one increases: the damping adds energy",
                    ),
                    "give the rate of the first argument as the second one",
                ));
            }
        }
    }
    None
}

/// Is one leaf the rate of another? 1, or -1 if its markers are swapped.
fn rate_of(s: &Subject<'_>, x: LeafId, v: LeafId) -> Option<f64> {
    use KinematicMeasure as M;
    let leaf = |id: LeafId| match s.mechanism.leaves[id.index()] {
        Leaf::Kinematic {
            measure,
            i,
            j,
            axes,
            ..
        } => Some((measure, i, j, axes)),
        _ => None,
    };
    let ((x, xi, xj, xk), (v, vi, vj, vk)) = (leaf(x)?, leaf(v)?);
    let belongs = match (x, v) {
        (M::Displacement(a), M::Velocity(b)) => a == b && xk == vk,
        (M::Distance, M::SeparationRate) => {
            return ((xi, xj) == (vi, vj) || (xi, xj) == (vj, vi)).then_some(1.0);
        }
        _ => false,
    };
    match belongs {
        true if (xi, xj) == (vi, vj) => Some(1.0),
        true if (xi, xj) == (vj, vi) => Some(-1.0),
        _ => None,
    }
}

/// Checks for a shape that its load presses in almost to its middle.
fn soft(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    (f, force): (usize, &Force),
    contact: &Contact,
) -> Option<Finding> {
    let sizes = contact.sizes[0].map(|id| s.number(id));
    let half = match contact.body {
        ContactBody::Sphere => sizes[0],
        ContactBody::Box => 0.5 * sizes[0].min(sizes[1]).min(sizes[2]),
        ContactBody::Cylinder => sizes[0].min(0.5 * sizes[1]),
        ContactBody::Hull(_) | ContactBody::Curve(_) => return None,
    };
    let gravity = residual::gravity(s.system, s.state, s.ws);
    // Nothing rests on a wall: the normal of a plane is known.
    let along = match contact.shape {
        ContactShape::Plane => s.ws.markers[force.j.index()].axis(2),
        _ => gravity.try_normalize(f64::MIN_POSITIVE)?,
    };
    let mobility = modes.mobility(f, &Wrench::force(along));
    let [stiffness, unit, exponent, _, _] = contact.normal.map(|id| s.number(id));
    if mobility <= 0.0 || stiffness <= 0.0 {
        return None;
    }
    let weight = gravity.dot(&along).abs() / mobility;
    let depth = unit * pow(weight / stiffness, 1.0 / exponent);
    // A small shape may be the foot of a large part.
    let body = &s.mechanism.bodies[s.mechanism.markers[force.i.index()].body.index()];
    let greatest = [0, 1, 2]
        .map(|k| s.number(body.inertia[k]))
        .into_iter()
        .fold(0.0, f64::max);
    let size = half.max((greatest / s.number(body.mass)).sqrt());
    if depth.is_nan() || size.is_nan() || depth <= DEEPEST * size {
        return None;
    }
    let length = &s.mechanism.units.length;
    Some(Finding::new(
        LintRule::OddContact,
        ("force", &force.name, "normal.stiffness"),
        format!(
            "the weight that rests on it presses it in by {} {unit}, more than half of the size of its shape and of \
             its part, {} {unit}",
            show(depth / length.factor),
            show(size / length.factor),
            unit = length.name
        ),
        "give the stiffness in the units of the model; steel has some 1e8 N/m^1.5, rubber 1e5",
    ))
}

//! Control plane: finds Coulomb friction whose transition velocity is too small for the step, so that nothing ever
//! sticks.

use super::modes::Modes;
use super::{Subject, show};
use crate::elements::forces::ForceLaw;
use crate::elements::forces::friction;
use crate::mechanism::{Contact, Finding, ForceKind, FrictionLaw, LintRule, NormalLaw};
use crate::seconds::Seconds;
use crate::system::{eval, residual};
use alloc::format;
use alloc::vec::Vec;

/// The stiction velocity of a joint must be at least this many steps of the deceleration by friction.
const JOINT: f64 = 2.0;
/// The same for a contact under the weight that it carries. It is half of the recommended value, because rolling
/// contacts hardly slip.
const CONTACT: f64 = 0.5;

/// Checks all friction by Coulomb's law.
pub(super) fn check(s: &Subject<'_>, modes: &mut Option<Modes<'_>>, found: &mut Vec<Finding>) {
    let Some(modes) = modes else { return };
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        let name = force.name.as_str();
        match &force.kind {
            ForceKind::JointFriction(joint) if joint.law == FrictionLaw::Coulomb => {
                let ForceLaw::JointFriction(law) = &s.system.forces[f].law else {
                    continue;
                };
                let context = eval::context(s.system, s.state, s.ws, f);
                let braking = friction::braking(law, &context);
                let rates = braking.iter().map(|wrench| modes.mobility(f, wrench));
                let rate = rates.fold(0.0, f64::max);
                let given = s.number(joint.numbers.curve[2]);
                narrow(
                    s,
                    (name, "law.stiction_velocity"),
                    (given, rate, JOINT),
                    found,
                );
            }
            ForceKind::Contact(contact) => {
                let (given, rate) = carried(s, contact);
                narrow(
                    s,
                    (name, "friction.stiction_velocity"),
                    (given, rate, CONTACT),
                    found,
                );
            }
            _ => {}
        }
    }
}

/// The stiction velocity of a contact, and the deceleration by friction under its own weight.
fn carried(s: &Subject<'_>, contact: &Contact) -> (f64, f64) {
    let [held, sliding, from, _] = contact.friction.map(|id| s.number(id));
    let gravity = residual::gravity(s.system, s.state, s.ws).norm();
    // Restitution is for impacts; nothing there comes to rest by friction.
    if held > 0.0 && contact.law != NormalLaw::Restitution {
        (from, sliding * gravity)
    } else {
        (0.0, 0.0)
    }
}

/// Finds a stiction velocity that fewer steps of deceleration cross.
fn narrow(
    s: &Subject<'_>,
    (name, field): (&str, &str),
    (given, rate, steps): (f64, f64, f64),
    found: &mut Vec<Finding>,
) {
    let least = steps * s.step * rate;
    if given >= least {
        return;
    }
    let units = &s.mechanism.units;
    let unit = units.length.factor / units.time.factor;
    let label = format!("{}/{}", units.length.name, units.time.name);
    found.push(Finding::new(
        LintRule::NarrowStiction,
        ("force", name, field),
        format!(
            "friction changes the slip by {} {label} in a step of {} s, and changes sign between -{} and {} {label}: \
             steps jump over that range, and the joint or contact chatters about rest instead of sticking",
            show(rate * s.step / unit),
            Seconds(s.step),
            show(given / unit),
            show(given / unit)
        ),
        &format!(
            "give {} {label} or more, the law lugre in a joint, or a smaller step",
            show(least / unit)
        ),
    ));
}

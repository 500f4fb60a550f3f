//! Control plane: finds bristles of joint friction that supply energy instead of dissipating it, or that are too
//! stiff for the step.

use super::modes::Modes;
use super::{Subject, show, steps_of};
use crate::elements::forces::ForceLaw;
use crate::elements::forces::friction::{self, PASSIVE_DAMPING};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{Finding, ForceKind, FrictionLaw, JointFriction, LintRule};
use crate::system::eval;
use alloc::format;
use alloc::vec::Vec;
use core::f64::consts::PI;

/// Above this ω·h a joint that sticks on its bristles may chatter: about six steps per period.
const FASTEST: f64 = 1.0;

/// Checks all joint friction with bristles.
pub(super) fn check(s: &Subject<'_>, modes: &mut Option<Modes<'_>>, found: &mut Vec<Finding>) {
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        if let ForceKind::JointFriction(friction) = &force.kind
            && friction.law == FrictionLaw::LuGre
        {
            damping(s, &force.name, friction, found);
            if let Some(modes) = modes {
                stiffness(s, modes, (f, &force.name), found);
            }
        }
    }
}

/// (JFR-8).
fn damping(s: &Subject<'_>, name: &str, friction: &JointFriction, found: &mut Vec<Finding>) {
    let [_, sliding, stribeck, _] = friction.numbers.curve.map(|id| s.number(id));
    let given = s.number(friction.numbers.bristles[1]);
    let most = PASSIVE_DAMPING * sliding / stribeck;
    let unit = s.mechanism.units.time.factor / s.mechanism.units.length.factor;
    if given > most {
        found.push(Finding::new(
            LintRule::BristleDamping,
            ("force", name, "law.bristle_damping"),
            format!(
                "with {} the bristles push harder than friction can when they begin to bend, and accelerate the \
                 parts instead of braking them; up to {} they never do",
                show(given / unit),
                show(most / unit)
            ),
            "use less, 4*SQRT(2*e)*mu_dynamic/stribeck_velocity at most",
        ));
    }
}

/// Checks the vibration of the joint on its bristles, under the load at the start.
fn stiffness(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    (f, name): (usize, &str),
    found: &mut Vec<Finding>,
) {
    let ForceLaw::JointFriction(law) = &s.system.forces[f].law else {
        return;
    };
    let context = eval::context(s.system, s.state, s.ws, f);
    let held = friction::sticking(law, &context);
    let mobility = held.iter().map(|wrench| modes.mobility(f, wrench));
    let omega = mobility.fold(0.0, f64::max).sqrt();
    if omega * s.step > FASTEST {
        found.push(Finding::new(
            LintRule::FastVibration,
            ("force", name, "law.bristle_stiffness"),
            format!(
                "a joint that sticks vibrates on its bristles at {} Hz under the load of the start: {} per period, \
                 but at least six are needed to stick without chatter",
                show(omega / (2.0 * PI)),
                steps_of(2.0 * PI / (omega * s.step), s.step)
            ),
            "use less bristle stiffness, or a smaller step",
        ));
    }
}

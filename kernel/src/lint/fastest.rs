//! Control plane: lists the elements that vibrate fastest at the present state, with the masses they move.

use super::Subject;
use super::kinks::element;
use super::modes::{Kind, Modes};
use crate::elements::forces::ForceLaw;
use crate::elements::forces::friction;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{FrictionLaw, called};
use crate::system::eval;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::f64::consts::PI;

/// A vibrating element.
#[derive(Clone, Debug, PartialEq)]
pub struct Vibration {
    /// Its name: `contact "floor"`.
    pub owner: String,
    /// Period \[s\].
    pub period: f64,
}

/// All elements with a stiffness, the fastest first. For a flexible body, its highest mode that has inertia.
pub(crate) fn fastest(s: &Subject<'_>) -> Vec<Vibration> {
    let mut found = Vec::new();
    let mut add = |owner: String, omega: f64| {
        let period = 2.0 * PI / omega;
        if period > 0.0 && period.is_finite() {
            found.push(Vibration { owner, period });
        }
    };
    if let Some(mut modes) = Modes::new(s.system, s.state, s.ws) {
        modes.prepare(Kind::Stiffness);
        for (f, force) in s.mechanism.forces.iter().enumerate() {
            let omega = match &s.system.forces[f].law {
                ForceLaw::JointFriction(law) => bristles(s, &mut modes, (f, law)),
                _ => modes.strongest(f).map_or(0.0, |mode| mode.value.sqrt()),
            };
            add(element(&force.kind, &force.name), omega);
        }
    }
    let h = s.mechanism.step_of_modes();
    for body in &s.mechanism.bodies {
        let Some(flex) = &body.flexible else { continue };
        let kept = flex.modes.iter().zip(flex.quasi_static(h));
        let kept = kept.filter(|(_, lost)| !lost).map(|(mode, _)| *mode);
        let highest = kept.max_by(|a, b| {
            let frequency = |mode: &usize| flex.data.modes[*mode].frequency;
            frequency(a).total_cmp(&frequency(b))
        });
        if let Some(mode) = highest {
            let frequency = flex.data.modes[mode].frequency;
            let owner = format!("mode {} of flexible body {}", mode + 1, called(&body.name));
            add(owner, 2.0 * PI * frequency);
        }
    }
    found.sort_by(|a, b| a.period.total_cmp(&b.period));
    found
}

/// ω of a joint that sticks on its bristles; 0 without bristles.
fn bristles(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    (f, law): (usize, &friction::JointFriction),
) -> f64 {
    if law.law != FrictionLaw::LuGre {
        return 0.0;
    }
    let context = eval::context(s.system, s.state, s.ws, f);
    let held = friction::sticking(law, &context);
    let mobility = held.iter().map(|wrench| modes.mobility(f, wrench));
    mobility.fold(0.0, f64::max).sqrt()
}

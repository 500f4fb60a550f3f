//! Control plane: finds wheels that start below the road, tyres that their load presses flat, and implausible tyre
//! data.

use super::modes::Modes;
use super::{Subject, show};
use crate::elements::forces::ForceLaw;
use crate::elements::wrench::Wrench;
use crate::mechanism::{Finding, ForceKind, LintRule, MagicFormula, TyreChannel, TyreLaw};
use crate::system::residual;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;
use core::f64::consts::PI;

/// Largest deflection of a tyre, as a fraction of the radius; beyond it the rim touches.
const DEEPEST: f64 = 0.5;

/// A wheel with more camber than this lies on its side \[rad\].
const FLATTEST: f64 = PI / 3.0;
/// Smallest deflection by the nominal load, as a fraction of the radius.
const LIGHTEST: f64 = 0.005;
/// The smallest radius of a tyre \[m\].
const SMALLEST: f64 = 0.02;

/// Checks all tyres.
pub(super) fn check(s: &Subject<'_>, modes: &mut Option<Modes<'_>>, found: &mut Vec<Finding>) {
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        let (ForceKind::Tyre(given), ForceLaw::Tyre { tyre: law, .. }) =
            (&force.kind, &s.system.forces[f].law)
        else {
            continue;
        };
        let [radius, stiffness] = match &given.law {
            TyreLaw::Linear(numbers) => [s.number(numbers[0]), s.number(numbers[1])],
            TyreLaw::Magic(formula, _) => [formula.unloaded_radius, formula.vertical_stiffness],
        };
        let channels = s.ws.tyres[law.index()].channels.map(|x| x.value);
        let deflection = channels[TyreChannel::Deflection as usize];
        if let TyreLaw::Magic(formula, _) = &given.law {
            odd(s, &force.name, formula, found);
        }
        let camber = channels[TyreChannel::Gamma as usize];
        if camber.is_nan() || camber.abs() > FLATTEST {
            flat(&force.name, camber, found);
        } else if deflection > DEEPEST * radius {
            let hub = channels[TyreChannel::LoadedRadius as usize];
            sunken(s, &force.name, (radius, deflection, hub), found);
        } else if let Some(modes) = modes {
            let gravity = residual::gravity(s.system, s.state, s.ws);
            if gravity.norm() > 0.0 {
                let mobility = modes.mobility(f, &Wrench::force(gravity.normalize()));
                let weight = gravity.norm() / mobility;
                overloaded(s, &force.name, (radius, stiffness, weight), found);
            }
        }
    }
}

/// Reports a wheel that lies on the road.
fn flat(name: &str, camber: f64, found: &mut Vec<Finding>) {
    let angle = if camber.is_nan() {
        90.0
    } else {
        camber.abs() * 180.0 / PI
    };
    found.push(Finding::new(
        LintRule::FlatTyre,
        ("force", name, "axis"),
        format!(
            "the axle is at {} degrees to the road: the wheel lies on its side, and cannot roll",
            show(angle)
        ),
        "give the axis of the wheel in the axes of marker I; without one it is z",
    ));
}

/// Finds coefficients that no tyre has: wrong signs or units.
fn odd(s: &Subject<'_>, name: &str, m: &MagicFormula, found: &mut Vec<Finding>) {
    let units = &s.mechanism.units;
    let length = |x: f64| format!("{} {}", show(x / units.length.factor), units.length.name);
    let deflection = m.fnomin / m.vertical_stiffness;
    let share = deflection / m.unloaded_radius;
    let what = if m.unloaded_radius < SMALLEST {
        format!("UNLOADED_RADIUS is {}", length(m.unloaded_radius))
    } else if !(LIGHTEST..=DEEPEST).contains(&share) {
        format!(
            "its nominal load FNOMIN deflects it by {} of a radius of {} by VERTICAL_STIFFNESS",
            length(deflection),
            length(m.unloaded_radius)
        )
    } else if m.pky1 * m.lky > 0.0 {
        "PKY1 is more than zero, so the lateral force acts in the direction of slip; in the axes of this file it \
         must be less than zero".to_owned()
    } else {
        return;
    };
    found.push(Finding::new(
        LintRule::OddTyre,
        ("force", name, "law"),
        what,
        "check the units and the signs in the tyre's file: its [UNITS] apply to all of its numbers",
    ));
}

/// Finds a wheel that starts too deep, or with its centre below the road.
fn sunken(
    s: &Subject<'_>,
    name: &str,
    (radius, deflection, hub): (f64, f64, f64),
    found: &mut Vec<Finding>,
) {
    let length = &s.mechanism.units.length;
    let said = |x: f64| format!("{} {}", show(x / length.factor), length.name);
    let place = if hub <= 0.0 {
        format!("{} below the road", said(-hub))
    } else {
        format!("only {} above the road", said(hub))
    };
    found.push(Finding::new(
        LintRule::SunkenTyre,
        ("force", name, ""),
        format!(
            "the wheel's centre starts {place}, and the tyre, of radius {}, deflected by {}: it pushes the wheel up",
            said(radius),
            said(deflection)
        ),
        "place the wheel a radius above the road, less the deflection under its load; check the origin of marker I \
         and the heights of the road",
    ));
}

/// Finds a tyre that cannot carry its load.
fn overloaded(
    s: &Subject<'_>,
    name: &str,
    (radius, stiffness, weight): (f64, f64, f64),
    found: &mut Vec<Finding>,
) {
    let static_deflection = weight / stiffness;
    if !(static_deflection.is_finite() && static_deflection > DEEPEST * radius) {
        return;
    }
    let (length, force) = (&s.mechanism.units.length, &s.mechanism.units.force);
    found.push(Finding::new(
        LintRule::OverloadedTyre,
        ("force", name, "law.vertical_stiffness"),
        format!(
            "{} {} of weight deflect the tyre by {} {}, of a radius of {} {}: it collapses under its load",
            show(weight / force.factor),
            force.name,
            show(static_deflection / length.factor),
            length.name,
            show(radius / length.factor),
            length.name
        ),
        "give the stiffness and the masses in the units of the model; tyres deflect by a tenth of their radius",
    ));
}

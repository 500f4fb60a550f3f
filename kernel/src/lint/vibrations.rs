//! Control plane: finds force elements that are too fast for the step: stiffness, damping, friction near rest,
//! contacts even while they are open, and vibrations that the start excites.

use super::contacts::{Touch, touches};
use super::modes::{Kind, Mode, Modes};
use super::reading::{is_velocity, reached};
use super::values::Sweep;
use super::{Subject, show, steps_of};
use crate::elements::forces;
use crate::elements::wrench::Wrench;
use crate::ids::{ExprId, LeafId};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::called;
use crate::mechanism::{BodyKind, Finding, Leaf, LintRule};
use crate::seconds::Seconds;
use crate::system::eval;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::f64::consts::PI;

/// Above this ω·h the step does not represent a vibration at all: two steps per period.
const FASTEST: f64 = PI;
/// Above this c·h/m damping decays within a fraction of a step.
const STIFFEST: f64 = 5.0;
/// Above this ω·h a vibration that the start excites is poorly resolved: 30 steps per period.
const COARSE: f64 = 0.2;
/// A vibration counts if it exceeds this fraction of an element's load.
const SWING: f64 = 0.1;
/// A part is light below this mass, relative to the heaviest, and radius of gyration, relative to the mechanism's
/// size.
const LIGHT: f64 = 1e-3;
/// Above this ω·h a vibration is poorly resolved whether it is excited or not: ten steps per period.
const ROUGH: f64 = 2.0 * PI / 10.0;

/// Remedy if the start is already in static equilibrium.
const BALANCED: &str = "the start is in static equilibrium already, so motion upsets it: give all parts consistent \
     initial velocities, or let the loads grow (start.ramp)";

/// Checks all elements.
pub(super) fn check(s: &Subject<'_>, modes: &mut Modes<'_>, found: &mut Vec<Finding>) {
    let mut damping = Vec::new();
    let rates = dampings(s, modes, &mut damping);
    modes.prepare(Kind::Stiffness);
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        let mode = modes.strongest(f);
        if let Some(mode) = &mode {
            stiffness(s, modes, (f, &force.name), (mode, rates[f]), found);
        }
        let present = mode.map_or(0.0, |mode| mode.value);
        for touch in touches(s, modes, f) {
            touching(s, &force.name, &touch, (present, rates[f]), found);
        }
    }
    found.append(&mut damping);
}

/// Checks a contact at its working depth, if it is stiffer or more damped there than at the start.
fn touching(
    s: &Subject<'_>,
    name: &str,
    touch: &Touch,
    (square, rate): (f64, f64),
    found: &mut Vec<Finding>,
) {
    let (omega, decay) = (touch.omega(), touch.rate());
    let [stiffness, damping] = touch.fields.map(|field| ("force", name, field));
    if decay * s.step > STIFFEST && rate * s.step <= STIFFEST {
        found.push(Finding::new(
            LintRule::StiffDamping,
            damping,
            format!(
                "where its damping is full{}, it settles in {} s with the masses that it moves, {} times as fast as \
                 the step of {} s",
                touch.label,
                show(1.0 / decay),
                show(decay * s.step),
                Seconds(s.step)
            ),
            "use less damping, more mass, or a smaller step",
        ));
    }
    if omega * s.step <= ROUGH || square.sqrt() * s.step > ROUGH {
        return;
    }
    let rule = if omega * s.step > FASTEST {
        LintRule::FastVibration
    } else if decay < 2.0 * omega {
        LintRule::CoarseVibration
    } else {
        return;
    };
    let is_known = |f: &Finding| f.rule == rule && f.kind == "force" && f.name == name;
    if found.iter().any(is_known) {
        return;
    }
    let frequency = show(omega / (2.0 * PI));
    let what = if touch.pulls {
        format!(
            "where it {}, its stiffness vibrates at {frequency} Hz with the masses that it moves: {} per period",
            touch.does,
            steps_of(2.0 * PI / (omega * s.step), s.step)
        )
    } else {
        format!(
            "where it {}{}, its stiffness pushes away the masses that it moves within {} (half a period at \
             {frequency} Hz)",
            touch.does,
            touch.label,
            steps_of(PI / (omega * s.step), s.step)
        )
    };
    let remedy = "use less stiffness, or a smaller step";
    found.push(Finding::new(rule, stiffness, what, remedy));
}

/// Checks the damping of all elements; returns their decay rates, 0 without damping.
fn dampings(s: &Subject<'_>, modes: &mut Modes<'_>, found: &mut Vec<Finding>) -> Vec<f64> {
    modes.prepare(Kind::Damping);
    let mut rates = Vec::new();
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        let before = found.len();
        about_zero(s, modes, (f, &force.name), found);
        let reported = found.len() > before;
        let mode = modes.strongest(f);
        rates.push(mode.as_ref().map_or(0.0, |mode| mode.value));
        let fast = mode.filter(|mode| mode.value * s.step > STIFFEST);
        if let Some(mode) = fast.filter(|_| !reported) {
            found.push(Finding::new(
                LintRule::StiffDamping,
                ("force", &force.name, ""),
                format!(
                    "its damping settles in {} s with the masses that it moves, {} times as fast as \
                     the step of {} s ({})",
                    show(1.0 / mode.value),
                    show(mode.value * s.step),
                    Seconds(s.step),
                    mover(s, modes, &mode)
                ),
                "use less damping, more mass, or a smaller step",
            ));
        }
    }
    rates
}

/// The body with the most kinetic energy in a mode, and its fraction.
fn heaviest(modes: &Modes<'_>, mode: &Mode) -> (usize, f64) {
    let energies = modes.energies(&mode.shape);
    let mut best = (0, 0.0);
    for (body, energy) in energies.iter().enumerate() {
        if *energy > best.1 {
            best = (body, *energy);
        }
    }
    best
}

/// `above all part "hub" of 0.5 kg`.
fn mover(s: &Subject<'_>, modes: &Modes<'_>, mode: &Mode) -> String {
    let body = &s.mechanism.bodies[heaviest(modes, mode).0];
    let mass = s.number(body.mass) / s.mechanism.units.mass.factor;
    let kind = if body.flexible.is_some() {
        "flexible body"
    } else {
        "part"
    };
    format!(
        "above all {kind} {} of {} {}",
        called(&body.name),
        show(mass),
        s.mechanism.units.mass.name
    )
}

fn stiffness(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    (f, name): (usize, &str),
    (mode, damping): (&Mode, f64),
    found: &mut Vec<Finding>,
) {
    let omega = mode.value.sqrt();
    let frequency = omega / (2.0 * PI);
    if omega * s.step > FASTEST {
        if light(s, modes, name, mode, found) {
            return;
        }
        found.push(Finding::new(
            LintRule::FastVibration,
            ("force", name, ""),
            format!(
                "its stiffness vibrates at {} Hz with the masses that it moves: {} per \
                 period ({})",
                show(frequency),
                steps_of(2.0 * PI / (omega * s.step), s.step),
                mover(s, modes, mode)
            ),
            "use less stiffness, a joint in place of the element, or a smaller step",
        ));
    }
    // An element with a damping rate above 2 ω creeps back and does not oscillate.
    if omega * s.step <= COARSE || damping >= 2.0 * omega {
        return;
    }
    let swings = !mode.bends && transient(s, modes, (f, name), (mode, frequency), found);
    if !swings && omega * s.step > ROUGH && omega * s.step <= FASTEST {
        found.push(Finding::new(
            LintRule::CoarseVibration,
            ("force", name, ""),
            format!(
                "its stiffness vibrates at {} Hz with the masses that it moves, only {} per period: \
                 the scheme damps and slows such a vibration ({})",
                show(frequency),
                steps_of(2.0 * PI / (omega * s.step), s.step),
                mover(s, modes, mode)
            ),
            "use less stiffness, or a smaller step, if this vibration matters",
        ));
    }
}

/// Blames the part instead of the element, if the part has almost no mass.
fn light(
    s: &Subject<'_>,
    modes: &Modes<'_>,
    name: &str,
    mode: &Mode,
    found: &mut Vec<Finding>,
) -> bool {
    let (k, share) = heaviest(modes, mode);
    let body = &s.mechanism.bodies[k];
    if body.flexible.is_some() {
        return false;
    }
    let mass = s.number(body.mass);
    let moving = s
        .mechanism
        .bodies
        .iter()
        .filter(|b| b.kind != BodyKind::Ground);
    let greatest = moving.map(|b| s.number(b.mass)).fold(0.0, f64::max);
    let size = crate::system::length::characteristic_length(s.system);
    let moments = [0, 1, 2].map(|k| s.number(body.inertia[k]));
    let least = moments.iter().copied().fold(f64::INFINITY, f64::min);
    let tiny = body.kind == BodyKind::Rigid && (least / mass).sqrt() < LIGHT * size;
    let turns = mode.shape.places[k].1.norm_squared() * least > 0.5 * share;
    if share < 0.9 || !(mass < LIGHT * greatest || (tiny && turns)) {
        return false;
    }
    let known = |other: &Finding| other.rule == LintRule::LightPart && other.name == body.name;
    if !found.iter().any(known) {
        let (what, field) = if mass < LIGHT * greatest {
            ("mass", "mass")
        } else {
            ("inertia", "inertia")
        };
        found.push(Finding::new(
            LintRule::LightPart,
            ("part", &body.name, field),
            format!(
                "it has hardly any {what}, and force {} makes it vibrate at {} Hz, too fast for a step of {} s",
                called(name),
                show(mode.value.sqrt() / (2.0 * PI)),
                Seconds(s.step)
            ),
            "give it its real mass and inertia, or fix it to its neighbour",
        ));
    }
    true
}

/// Checks the vibration that the start accelerations excite, relative to the present load. Is there one?
fn transient(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    (f, name): (usize, &str),
    (mode, frequency): (&Mode, f64),
    found: &mut Vec<Finding>,
) -> bool {
    let Some(push) = modes.push(f, mode) else {
        return false;
    };
    let ws = modes.workspace();
    let amplitude = push.abs() / mode.value;
    // The tension of a tendon is the same in all its pieces.
    let Some(wrench) = mode.wrenches.first() else {
        return false;
    };
    let swing = wrench.force * amplitude;
    let twist = wrench.torque * amplitude;
    let load = &ws.force_wrenches[f];
    let units = &s.mechanism.units;
    let torque = units.force.factor * units.length.factor;
    let parts = [
        (
            swing.norm(),
            load.force.norm(),
            units.force.factor,
            units.force.name.clone(),
        ),
        (
            twist.norm(),
            load.torque.norm(),
            torque,
            format!("{}.{}", units.force.name, units.length.name),
        ),
    ];
    // Report force or torque, whichever does more of the work in this mode.
    let force_alone = |wrench: &Wrench| Wrench::force(wrench.force);
    let force_alone: Vec<Wrench> = mode.wrenches.iter().map(force_alone).collect();
    let by_force = modes.works(f, &mode.shape.places, &force_alone);
    let (swing, load, unit, label) = &parts[usize::from(by_force < 0.5 * mode.value)];
    if *swing <= SWING * (swing + load) || *swing <= 1e-9 * unit {
        return false;
    }
    let remedy = if s.mechanism.solver.start.equilibrium {
        BALANCED
    } else {
        "start in static equilibrium, or let the loads grow (start.equilibrium, start.ramp)"
    };
    found.push(Finding::new(
        LintRule::InitialTransient,
        ("force", name, ""),
        format!(
            "the start is out of balance by {} {label}, and makes it vibrate at {} Hz, {} per period",
            show(swing / unit),
            show(frequency),
            steps_of(1.0 / (frequency * s.step), s.step)
        ),
        remedy,
    ));
    true
}

/// Finds forces that reverse with a velocity through zero, faster than a step can follow.
fn about_zero(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    (f, name): (usize, &str),
    found: &mut Vec<Finding>,
) {
    let law = &s.system.forces[f].law;
    let expressions = s.mechanism.forces[f].kind.expressions();
    for (field, scaled) in expressions {
        let Some(k) = (0..6).find(|k| law.terms()[*k].is_some_and(|t| t.expr == scaled.expr))
        else {
            continue;
        };
        let context = eval::context(s.system, s.state, s.ws, f);
        let direction = forces::direction(law, k, &context);
        let mobility = modes.mobility(f, &direction);
        for leaf in velocities(s, scaled.expr) {
            let Leaf::Kinematic { scale, .. } = &s.mechanism.leaves[leaf.index()] else {
                continue;
            };
            let Some(steep) = Sweep::of(s, scaled.expr, leaf) else {
                continue;
            };
            // In SI: force per velocity, times the mobility and the step.
            let rate = steep.slope * scaled.to_si * scale * mobility * s.step;
            if rate > STIFFEST {
                found.push(Finding::new(
                    LintRule::VelocityAboutZero,
                    ("force", name, field),
                    format!(
                        "it changes by {} while a velocity goes from -{} to {}: a step of {} s changes the velocity \
                         by {} times as much, and the force chatters about rest",
                        show(steep.jump),
                        show(steep.width),
                        show(steep.width),
                        Seconds(s.step),
                        show(rate)
                    ),
                    "widen the transition, by STEP over several times the velocity that a step \
                     changes, or use a friction element",
                ));
                break;
            }
        }
    }
}

/// Velocities that an expression reads.
fn velocities(s: &Subject<'_>, root: ExprId) -> Vec<LeafId> {
    let all = reached(s.mechanism, root);
    let all = all
        .iter()
        .flat_map(|reached| s.mechanism.expressions[reached.expr.index()].leaves());
    let mut leaves: Vec<LeafId> = all
        .copied()
        .filter(|leaf| is_velocity(&s.mechanism.leaves[leaf.index()]))
        .collect();
    leaves.sort_unstable();
    leaves.dedup();
    leaves
}

//! Control plane: finds initial velocities that omit connected parts, and rotations too fast for the step.

use super::modes::{Kind, Modes};
use super::values::Values;
use super::{Subject, show};
use crate::ids::{BodyId, ForceId, MarkerId};
use crate::mechanism::{
    Finding, Force, LintRule, Mode, Motion, MotionCoordinate, MotionLevel, called,
};
use crate::seconds::Seconds;
use crate::system::length::characteristic_length;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::PI;

/// A part is at rest below this fraction of the fastest speed.
const RESTING: f64 = 1e-9;
/// A part moves above this fraction of it.
const MOVING: f64 = 1e-3;
/// Largest rotation of a part in a step for which the iteration finds the right end \[rad\].
const FARTHEST: f64 = 0.4 * PI;
/// Number of times in an experiment at which rates of motions are evaluated.
const SAMPLES: u32 = 64;

/// Checks both.
pub(super) fn check(s: &Subject<'_>, modes: &mut Option<Modes<'_>>, found: &mut Vec<Finding>) {
    if let Some(modes) = modes {
        split(s, modes, found);
    }
    if s.mechanism.solver.mode == Mode::Fixed {
        spins(s, found);
    }
}

/// Parts that constraints connect, each with the first of its group; ground does not connect parts.
struct Groups {
    first: Vec<usize>,
    /// Does a constraint connect it to ground?
    grounded: Vec<bool>,
}

impl Groups {
    fn of(s: &Subject<'_>) -> Self {
        let bodies = s.mechanism.bodies.len();
        let mut groups = Self {
            first: (0..bodies).collect(),
            grounded: vec![false; bodies],
        };
        let mechanism = s.mechanism;
        let body = |marker: MarkerId| mechanism.markers[marker.index()].body;
        for joint in &mechanism.joints {
            groups.join(&[body(joint.i), body(joint.j)]);
        }
        for motion in &mechanism.motions {
            groups.join(&[body(motion.i), body(motion.j)]);
        }
        for coupler in &mechanism.couplers {
            let legs = coupler.legs.iter();
            let all: Vec<BodyId> = legs.flat_map(|leg| [body(leg.i), body(leg.j)]).collect();
            groups.join(&all);
        }
        for constraint in &mechanism.general_constraints {
            let all: Vec<BodyId> = constraint.markers.iter().map(|m| body(*m)).collect();
            groups.join(&all);
        }
        groups
    }

    fn join(&mut self, bodies: &[BodyId]) {
        let grounded = bodies.contains(&BodyId::GROUND);
        let mut moving = bodies.iter().filter(|body| **body != BodyId::GROUND);
        let Some(first) = moving.next().map(|body| self.first[body.index()]) else {
            return;
        };
        self.grounded[first] |= grounded;
        for body in moving {
            let other = self.first[body.index()];
            self.grounded[first] |= self.grounded[other];
            for at in self.first.iter_mut().filter(|at| **at == other) {
                *at = first;
            }
        }
    }
}

/// Finds forces between moving parts and parts at rest whose velocity is not given.
fn split(s: &Subject<'_>, modes: &mut Modes<'_>, found: &mut Vec<Finding>) {
    let speed = |body: usize| s.ws.bodies[body].v.norm();
    let bodies = s.mechanism.bodies.len();
    let fastest = (0..bodies).map(speed).fold(0.0, f64::max);
    if fastest == 0.0 {
        return;
    }
    let groups = Groups::of(s);
    let size = characteristic_length(s.system);
    let mut rests = vec![true; bodies];
    for (body, given) in s.mechanism.bodies.iter().enumerate() {
        let is_given = given.velocity.is_some() || given.angular_velocity.is_some();
        let own = speed(body).max(s.ws.bodies[body].omega.norm() * size);
        if is_given || own > RESTING * fastest {
            rests[groups.first[body]] = false;
        }
    }
    modes.prepare(Kind::Stiffness);
    let mut reported = Vec::new();
    for (f, force) in s.mechanism.forces.iter().enumerate() {
        let [a, b] = [force.i, force.j].map(|m| s.mechanism.markers[m.index()].body);
        if a == BodyId::GROUND || b == BodyId::GROUND {
            continue;
        }
        let first = force.kind.first().map_or(f, ForceId::index);
        for (moving, resting) in [(a, b), (b, a)] {
            let group = groups.first[resting.index()];
            let left = rests[group] && !groups.grounded[group] && !reported.contains(&group);
            if !left || rests[groups.first[moving.index()]] {
                continue;
            }
            let mover = &s.ws.bodies[moving.index()];
            let arm = s.ws.markers[force.i.index()].p - mover.r;
            let velocity = (mover.v + mover.omega.cross(&arm)).norm();
            if velocity > MOVING * fastest
                && force.kind.row().holds
                && modes.strongest(first).is_some_and(|mode| !mode.bends)
            {
                reported.push(group);
                found.push(torn(s, force, (moving, resting), velocity));
            }
        }
    }
}

fn torn(
    s: &Subject<'_>,
    force: &Force,
    (moving, resting): (BodyId, BodyId),
    velocity: f64,
) -> Finding {
    let units = &s.mechanism.units;
    let [moving, resting] = [moving, resting].map(|body| &s.mechanism.bodies[body.index()].name);
    Finding::new(
        LintRule::SplitVelocity,
        ("part", resting, "velocity"),
        format!(
            "it starts at rest, while part {} moves at {} {}/{} where force {} connects them, and only forces move \
             it along",
            called(moving),
            show(velocity / (units.length.factor / units.time.factor)),
            units.length.name,
            units.time.name,
            called(&force.name)
        ),
        "give it the same initial velocity, or [0, 0, 0] if it is meant to rest",
    )
}

/// Finds motions that rotate too far in a step, or else parts that do so at the start.
fn spins(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let before = found.len();
    let mut driven = false;
    for motion in &s.mechanism.motions {
        let is_rotation = match motion.coordinate {
            MotionCoordinate::RotationZ | MotionCoordinate::Body123(_) => true,
            MotionCoordinate::Translation(_) => false,
        };
        driven |= is_rotation;
        let turn = if is_rotation { turn(s, motion) } else { None };
        if let Some(turn) = turn.filter(|turn| *turn > PI) {
            found.push(spin(s, ("motion", &motion.name, ""), turn));
        }
    }
    if found.len() > before {
        return;
    }
    for (body, state) in s.mechanism.bodies.iter().zip(&s.ws.bodies) {
        let turn = state.omega.norm() * s.step;
        // A driven angle is prescribed: no iteration has to find it.
        let most = if driven { PI } else { FARTHEST };
        if turn > most {
            found.push(spin(s, ("part", &body.name, "angular_velocity"), turn));
        }
    }
}

fn spin(s: &Subject<'_>, place: (&str, &str, &str), turn: f64) -> Finding {
    Finding::new(
        LintRule::FastSpin,
        place,
        format!(
            "it turns by {} turns within a step of {} s: {}",
            show(turn / (2.0 * PI)),
            Seconds(s.step),
            if turn > PI {
                "no step can tell how far, nor which way"
            } else {
                "the iteration of a step begins far from the solution, and may not find it"
            }
        ),
        "use a smaller step, or a rate in the units of the model",
    )
}

/// The largest rotation in a step that a motion prescribes in the experiment \[rad\], with inputs as they are.
fn turn(s: &Subject<'_>, motion: &Motion) -> Option<f64> {
    let mut values = Values::new(s, motion.function.expr);
    let experiment = &s.mechanism.experiment;
    let mut largest = None;
    for k in 0..=SAMPLES {
        let part = f64::from(k) / f64::from(SAMPLES);
        let time = experiment.start + (experiment.stop - experiment.start) * part;
        let turn = match motion.level {
            MotionLevel::Displacement => values.at_time(time + s.step) - values.at_time(time),
            MotionLevel::Velocity => values.at_time(time) * s.step,
            MotionLevel::Acceleration => return None,
        };
        let turn = (turn * motion.function.to_si).abs();
        if turn.is_finite() && largest.is_none_or(|known| turn > known) {
            largest = Some(turn);
        }
    }
    largest
}

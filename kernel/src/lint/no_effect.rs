//! Control plane: finds elements without effect: forces that are always zero or act between markers that cannot move
//! relative to each other, and delays longer than the experiment.

use super::{Subject, show};
use crate::ids::{MarkerId, ValueId};
use crate::mechanism::{Finding, JointKind, LintRule, ValueSource, called};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Checks all of these.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    empty(s, found);
    forces(s, found);
    delays(s, found);
}

/// Finds springs and bushings with all coefficients given as zero.
fn empty(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let values = &s.mechanism.values;
    let is_zero =
        |id: &ValueId| matches!(values[id.index()].source, ValueSource::Constant(x) if x == 0.0);
    for force in &s.mechanism.forces {
        let fields = force.kind.row().strength;
        let numbers = force.kind.numbers();
        let mut strong = numbers.iter().filter(|(field, _)| fields.contains(field));
        if force.kind.first().is_some()
            || fields.is_empty()
            || !strong.all(|(_, numbers)| numbers.iter().all(is_zero))
        {
            continue;
        }
        // Torsional numbers are of the same three kinds.
        let mut words = fields
            .iter()
            .filter(|field| !field.starts_with("torsional"));
        let last = words.next_back().copied().unwrap_or_default();
        let words: Vec<&str> = words.copied().collect();
        found.push(Finding::new(
            LintRule::IdleForce,
            ("force", &force.name, "stiffness"),
            format!(
                "its {} and {last} are zero: it does nothing",
                words.join(", ")
            ),
            "give its numbers, or remove the force",
        ));
    }
}

/// Finds forces between parts that joints connect rigidly.
fn forces(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let mechanism = s.mechanism;
    let body = |marker: MarkerId| mechanism.markers[marker.index()].body.index();
    let mut first: Vec<usize> = (0..mechanism.bodies.len()).collect();
    let mut ties = vec![None; mechanism.bodies.len()];
    for joint in &mechanism.joints {
        let [a, b] = [joint.i, joint.j].map(body);
        // The ends of a flexible body can move relative to each other.
        let bends = [a, b].map(|body| mechanism.bodies[body].flexible.is_some());
        if joint.kind != JointKind::Fixed || bends.contains(&true) {
            continue;
        }
        let (a, b) = (first[a], first[b]);
        for place in first.iter_mut().filter(|place| **place == a) {
            *place = b;
        }
        ties[b] = Some(joint.name.as_str());
    }
    for (f, force) in mechanism.forces.iter().enumerate() {
        // What one force of several does not move, another may.
        let element = &s.system.forces[f];
        if element.later || element.others.start < element.others.end {
            continue;
        }
        let acts_alone = force.kind.row().alone;
        let [a, b] = [force.i, force.j].map(body);
        let (false, true, Some(tie)) = (acts_alone, first[a] == first[b], ties[first[a]]) else {
            continue;
        };
        if a == b {
            continue;
        }
        found.push(Finding::new(
            LintRule::IdleForce,
            ("force", &force.name, ""),
            format!(
                "{} and {} cannot move against each other: joint {} holds them as one, so the force moves nothing",
                part(s, a),
                part(s, b),
                called(tie)
            ),
            "give it markers on parts that move, or a joint that allows the motion",
        ));
    }
}

/// `part "rod"`, `ground`.
fn part(s: &Subject<'_>, body: usize) -> String {
    match s.mechanism.bodies[body].name.as_str() {
        "ground" => "ground".to_owned(),
        name => format!("part {}", called(name)),
    }
}

/// Finds delays that give only the history, and samples that come only after the end of the experiment.
fn delays(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let mechanism = s.mechanism;
    let unit = &mechanism.units.time;
    let experiment = &mechanism.experiment;
    let late = |seconds: f64| seconds >= experiment.stop - experiment.start;
    let in_unit = |seconds: f64| format!("{} {}", show(seconds / unit.factor), unit.name);
    let whole = format!(
        "and the experiment lasts {}",
        in_unit(experiment.stop - experiment.start)
    );
    let mut tell = |place: (&str, &str, &str), what: String| {
        let remedy = format!("give it in the unit of time of the model, {}", unit.name);
        found.push(Finding::new(LintRule::LongDelay, place, what, &remedy));
    };
    for delay in &mechanism.memory.delays {
        let program = &mechanism.expressions[delay.delay.index()];
        let mut registers = vec![0.0; program.registers()];
        let by = program.value(&s.ws.leaves, &mut registers) * unit.factor;
        if late(by) {
            tell(
                (&delay.path, "", ""),
                format!(
                    "DELAY looks {} back, {whole}: its value is always that of the history",
                    in_unit(by)
                ),
            );
        }
    }
    for system in &mechanism.memory.sampled {
        for (field, seconds, what) in [
            ("sample_period", system.period, "it samples every"),
            ("offset", system.offset, "it samples first after"),
        ] {
            if late(seconds) {
                let place = ("sampled system", system.name.as_str(), field);
                tell(place, format!("{what} {}, {whole}", in_unit(seconds)));
            }
        }
    }
    let ramp = mechanism.solver.start.ramp;
    if ramp > 0.0 && late(ramp) {
        tell(
            ("start", "", "ramp.duration"),
            format!("loads grow over {}, {whole}", in_unit(ramp)),
        );
    }
}

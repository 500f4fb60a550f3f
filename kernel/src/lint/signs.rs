//! Control plane: finds springs and dampers by expression with the wrong sign: they amplify a displacement, or supply
//! energy instead of dissipating it.
//!
//! It checks only plain springs and dampers: forces that read only their own two bodies and are proportional to a
//! displacement or a velocity. Other forces that supply energy are intended: a controller, a magnet or an oscillator.

use super::modes::{Kind, Modes};
use super::reading::{is_velocity, reached};
use super::values::Values;
use super::{Subject, show};
use crate::elements::forces;
use crate::ids::{ExprId, LeafId};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{Finding, Force, Leaf, LintRule};
use crate::system::eval;
use alloc::format;
use alloc::vec::Vec;

/// Increments of the argument for the test of proportionality, relative to its size or in user units.
const APART: [f64; 3] = [0.01, -0.02, 0.05];
/// Rounding, as a fraction of a slope.
const ALIKE: f64 = 1e-6;

/// Checks all forces with expressions.
pub(super) fn check(s: &Subject<'_>, modes: &mut Modes<'_>, found: &mut Vec<Finding>) {
    for kind in [Kind::Damping, Kind::Stiffness] {
        modes.prepare(kind);
        for (f, force) in s.mechanism.forces.iter().enumerate() {
            for (field, scaled) in force.kind.expressions() {
                if is_plain(s, force, scaled.expr, kind)
                    && let Some(rate) = growth(s, modes, (f, scaled.expr), kind)
                {
                    found.push(finding((&force.name, field), kind, rate));
                }
            }
        }
    }
}

/// Growth rate of the motion that a term of a force causes \[1/s\]; `None` if it does not grow within the experiment.
fn growth(
    s: &Subject<'_>,
    modes: &mut Modes<'_>,
    (f, expr): (usize, ExprId),
    kind: Kind,
) -> Option<f64> {
    let law = &s.system.forces[f].law;
    let is_term = |k: &usize| law.terms()[*k].is_some_and(|term| term.expr == expr);
    let term = (0..6).find(is_term)?;
    let context = eval::context(s.system, s.state, s.ws, f);
    let direction = forces::direction(law, term, &context);
    let square = -modes.resistance(f, &direction)?;
    // Motion that other springs or dampers hold does not grow.
    if square <= 0.0 || modes.all_resist(f, &direction)? {
        return None;
    }
    let rate = match kind {
        Kind::Stiffness => square.sqrt(),
        Kind::Damping => square,
    };
    let experiment = &s.mechanism.experiment;
    (rate * (experiment.stop - experiment.start) > 1.0).then_some(rate)
}

fn finding((name, field): (&str, &'static str), kind: Kind, rate: f64) -> Finding {
    let (what, element) = match kind {
        Kind::Stiffness => (
            "it pushes its markers in the direction of their displacement, in proportion to it: a spring with the \
             wrong sign. The parts run away",
            "a spring is -k*(displacement - free value)",
        ),
        Kind::Damping => (
            "it pushes its markers in the direction of their velocity, in proportion to it: a damper with the wrong \
             sign. The parts run away",
            "a damper is -c*velocity",
        ),
    };
    Finding::new(
        LintRule::ReversedForce,
        ("force", name, field),
        format!("{what}, e times as much every {} s", show(1.0 / rate)),
        &format!(
            "change the sign of the term: {element}, measured from marker J to marker I as the force acts on I"
        ),
    )
}

/// Is an expression proportional to a displacement or velocity of the force's own two bodies, and does it read
/// nothing of others?
fn is_plain(s: &Subject<'_>, force: &Force, root: ExprId, kind: Kind) -> bool {
    let mut leaves: Vec<LeafId> = Vec::new();
    for reached in reached(s.mechanism, root) {
        let program = &s.mechanism.expressions[reached.expr.index()];
        let mut operands = program.calls().iter().flat_map(|call| &call.operands);
        let bends =
            |leaf: &LeafId| matches!(s.mechanism.leaves[leaf.index()], Leaf::Kinematic { .. });
        // A function of positions, such as IMPACT, is a law of its own.
        if operands.any(|operand| operand.leaves.iter().any(bends)) {
            return false;
        }
        leaves.extend(program.leaves());
    }
    leaves.sort_unstable();
    leaves.dedup();
    let body = |marker: crate::ids::MarkerId| s.mechanism.markers[marker.index()].body;
    let own = [body(force.i), body(force.j)];
    let mut arguments = Vec::new();
    for id in leaves {
        match &s.mechanism.leaves[id.index()] {
            Leaf::Kinematic { i, j, .. } if own.contains(&body(*i)) && own.contains(&body(*j)) => {
                arguments.push(id);
            }
            Leaf::Time { .. } | Leaf::Input(_) | Leaf::Parameter(_) | Leaf::Variable(_) => {}
            _ => return false,
        }
    }
    let is_of_kind =
        |id: &LeafId| is_velocity(&s.mechanism.leaves[id.index()]) == (kind == Kind::Damping);
    let mut values = Values::new(s, root);
    let mut any = false;
    for leaf in arguments.iter().filter(|id| is_of_kind(id)) {
        let others = || arguments.iter().filter(move |other| *other != leaf);
        if !is_proportional(s, &mut values, *leaf, others()) {
            return false;
        }
        any = true;
    }
    any
}

/// Is the slope of a function in one leaf constant near by, whatever the other leaves are?
fn is_proportional<'l>(
    s: &Subject<'_>,
    values: &mut Values<'_>,
    leaf: LeafId,
    others: impl Iterator<Item = &'l LeafId>,
) -> bool {
    let size = |leaf: LeafId| s.ws.leaves[leaf.index()].abs().max(1.0);
    let now = s.ws.leaves[leaf.index()];
    let mut slope = |apart: f64, other: Option<LeafId>| {
        let by = apart * size(leaf);
        let moved = other.map(|other| (other, s.ws.leaves[other.index()] + 0.1 * size(other)));
        (values.with(leaf, now + by, moved) - values.with(leaf, now, moved)) / by
    };
    let first = slope(APART[0], None);
    let mut alike = |apart, other| {
        let there = slope(apart, other);
        (there - first).abs() <= ALIKE * first.abs()
    };
    first != 0.0
        && APART.into_iter().all(|apart| alike(apart, None))
        && others
            .into_iter()
            .all(|other| alike(APART[0], Some(*other)))
}

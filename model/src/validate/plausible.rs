//! Control plane: warns of statements and omissions in a model that are unlikely to be intended.

use super::builder::Builder;
use crate::read::Item;
use crate::schema::{Document, Number, Orientation};
use fixstep_kernel::mechanism::{Experiment, Finding, LintRule, UnitSystem};
use fixstep_kernel::seconds::Seconds;
use std::f64::consts::{FRAC_PI_4, TAU};

/// Tolerance of an angle in radians, as a part of an eighth turn.
const ROUNDING: f64 = 1e-3;
/// A step at least this long \[s\] in a run of fewer than this many steps was probably meant to be shorter.
const COARSE: (f64, f64) = (0.1, 100.0);

/// All that is found before there is a mechanism.
pub(super) fn all(
    b: &mut Builder<'_>,
    document: &Document,
    experiment: Option<&Experiment>,
    fixed: bool,
) -> Vec<Finding> {
    let mut found = std::mem::take(&mut b.findings);
    let moves = !document.parts.0.is_empty()
        || !document.point_masses.0.is_empty()
        || !document.flexible_bodies.0.is_empty();
    // A step is short with a fixed step alone; elsewhere it is the distance of output times.
    found.extend(experiment.filter(|_| moves && fixed).and_then(steps));
    found.extend(findings(document, b.units));
    found
}

/// Doubts that the document alone raises.
fn findings(document: &Document, units: &UnitSystem) -> Vec<Finding> {
    let mut found = Vec::new();
    if units.angle.factor == 1.0 {
        angles(
            "part",
            &document.parts.0,
            |x| x.orientation.as_ref(),
            &mut found,
        );
        let bodies = &document.flexible_bodies.0;
        angles("part", bodies, |x| x.orientation.as_ref(), &mut found);
        angles(
            "marker",
            &document.markers.0,
            |x| x.orientation.as_ref(),
            &mut found,
        );
    }
    let empty = document.parts.0.is_empty()
        && document.point_masses.0.is_empty()
        && document.flexible_bodies.0.is_empty();
    if !empty && document.gravity.0.clone().flatten().is_none() {
        // Whether it would move anything shows when the mechanism starts.
        found.push(Finding::new(
            LintRule::NoGravity,
            ("gravity", "", ""),
            "the model gives no gravity, but there are parts that gravity would move".to_owned(),
            "give \"gravity\"; if there is none, confirm it with [0, 0, 0]",
        ));
    }
    found
}

/// Euler angles beyond a turn.
fn angles<T>(
    kind: &str,
    items: &[Item<T>],
    of: impl Fn(&T) -> Option<&Orientation>,
    found: &mut Vec<Finding>,
) {
    for item in items {
        let orientation = item.data.as_ref().and_then(&of);
        let (Some(Orientation::Euler(given)), Some(name)) = (orientation, &item.name) else {
            continue;
        };
        let plain = |angle: &Number| match angle {
            Number::Constant(angle) => Some(*angle),
            Number::Expression(_) => None,
        };
        let mut angles = given.euler.iter().filter_map(plain);
        if let Some(angle) = angles.find(|angle| is_beyond_a_turn(*angle)) {
            found.push(Finding::new(
                LintRule::DegreesAsRadians,
                (kind, name, "orientation"),
                format!(
                    "the unit of angles is rad, and {angle} is {:.1} turns",
                    angle / TAU
                ),
                "give radians, or the unit deg for all angles of fields",
            ));
        }
    }
}

/// More than a turn, and no multiple of an eighth of it.
fn is_beyond_a_turn(angle: f64) -> bool {
    let eighths = angle / FRAC_PI_4;
    angle.abs() > TAU && (eighths - eighths.round()).abs() > ROUNDING
}

/// Steps of a second are milliseconds, as a rule.
fn steps(experiment: &Experiment) -> Option<Finding> {
    let Experiment { start, stop, step } = *experiment;
    let count = ((stop - start) / step).floor();
    let (long, few) = COARSE;
    (step >= long && count < few).then(|| {
        let what = format!(
            "the run from {} s to {} s has only {count} {} of {} s",
            Seconds(start),
            Seconds(stop),
            if count == 1.0 { "step" } else { "steps" },
            Seconds(step)
        );
        let remedy = "where milliseconds are meant, divide by 1000";
        Finding::new(
            LintRule::UnitMismatch,
            ("experiment", "", "step"),
            what,
            remedy,
        )
    })
}

//! Control plane: numbers that are sound, but look as if another unit was meant.

use crate::schema::{Document, Expression, Joint, Orientation};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::mechanism::{Experiment, Finding, LintRule, UnitSystem};
use std::f64::consts::TAU;

/// Gravity of the Earth [m/s²]: from, to, standard.
const EARTH: (f64, f64, f64) = (9.7, 9.9, 9.806_65);
/// A step that is as long \[s\], of a run of so few steps, was meant to be shorter.
const COARSE: (f64, f64) = (0.1, 100.0);

/// Settings without effect, and everything that looks so.
pub(super) fn with_settings(
    document: &Document,
    units: &UnitSystem,
    experiment: Option<&Experiment>,
) -> Vec<Finding> {
    let mut found = super::solver::findings(document);
    if units.angle.factor == 1.0 {
        angles(document, &mut found);
    }
    found.extend(gravity(document, units));
    let moves = !document.parts.0.is_empty()
        || !document.point_masses.0.is_empty()
        || !document.flexible_bodies.0.is_empty();
    found.extend(experiment.filter(|_| moves).and_then(steps));
    found
}

fn finding(place: (&str, &str, &str), what: String, remedy: &str) -> Finding {
    Finding::new(LintRule::UnitMismatch, place, what, remedy)
}

/// Radians beyond a whole turn are degrees, as a rule.
fn angles(document: &Document, found: &mut Vec<Finding>) {
    let mut check = |place: (&str, &str, &str), angle: f64| {
        if angle.abs() > TAU * (1.0 + 1e-9) {
            let what = format!("{angle} rad is more than a whole turn");
            let remedy = "where degrees are meant, give \"units\": {\"angle\": \"deg\"}";
            found.push(finding(place, what, remedy));
            return true;
        }
        false
    };
    for joint in &document.joints.0 {
        let angle = match &joint.data {
            Some(Joint::Revolute(data)) => data.initial.as_ref().and_then(|x| x.angle),
            Some(Joint::Cylindrical(data)) => data.initial.as_ref().and_then(|x| x.angle),
            Some(Joint::Screw(data)) => data.initial.as_ref().and_then(|x| x.angle),
            _ => None,
        };
        let name = joint.name.as_deref().unwrap_or_default();
        check(("joint", name, "initial.angle"), angle.unwrap_or(0.0));
    }
    let parts = document.parts.0.iter().map(|item| {
        let given = item.data.as_ref().and_then(|x| x.orientation.as_ref());
        ("part", &item.name, given)
    });
    let flexible = document.flexible_bodies.0.iter().map(|item| {
        let given = item.data.as_ref().and_then(|x| x.orientation.as_ref());
        ("flexible body", &item.name, given)
    });
    let markers = document.markers.0.iter().map(|item| {
        let given = item.data.as_ref().and_then(|x| x.orientation.as_ref());
        ("marker", &item.name, given)
    });
    for (kind, name, orientation) in parts.chain(flexible).chain(markers) {
        if let Some(Orientation::Euler(angles)) = orientation {
            let place = (
                kind,
                name.as_deref().unwrap_or_default(),
                "orientation.euler",
            );
            let _ = angles.euler.into_iter().any(|angle| check(place, angle));
        }
    }
}

/// The number of the Earth's gravity in metres and seconds, where lengths are in other units.
fn gravity(document: &Document, units: &UnitSystem) -> Option<Finding> {
    let given = document.gravity.0.as_ref()?.as_ref()?;
    let mut square = 0.0;
    for component in given {
        let Expression::Constant(number) = component else {
            return None;
        };
        square += number * number;
    }
    let (size, factor) = (square.sqrt(), units.to_si(Dimension::Acceleration));
    let (least, most, standard) = EARTH;
    let on_earth = |size: f64| (least..=most).contains(&size);
    if !on_earth(size) || on_earth(size * factor) {
        return None;
    }
    let unit = format!("{}/{}²", units.length.name, units.time.name);
    let what = format!(
        "{size} {unit} is {} m/s²; the Earth's gravity is {} {unit}",
        rounded(size * factor),
        rounded(standard / factor)
    );
    let remedy = "correct the number, or \"units\"";
    Some(finding(("gravity", "", ""), what, remedy))
}

/// Steps of a second are milliseconds, as a rule.
fn steps(experiment: &Experiment) -> Option<Finding> {
    let Experiment { start, stop, step } = *experiment;
    let count = (stop - start) / step;
    let (long, few) = COARSE;
    (step >= long && count < few).then(|| {
        let what = format!(
            "the run from {} s to {} s has only {} step(s) of {} s",
            rounded(start),
            rounded(stop),
            rounded(count.floor()),
            rounded(step)
        );
        let remedy = "where milliseconds are meant, divide by 1000";
        finding(("experiment", "", "step"), what, remedy)
    })
}

/// To seven digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

//! Control plane: finds parts that lie beside their markers: a centre of mass with the wrong sign, or the inertia of
//! a rod about the wrong axis.

use super::{Subject, show};
use crate::math::{Mat3, Vec3};
use crate::mechanism::{Body, BodyKind, Finding, ForceKind, LintRule, MarkerBase};
use alloc::format;
use alloc::vec::Vec;

/// A centre of mass is outside if it is beyond the markers by this fraction of their distance.
const OUTSIDE: f64 = 0.1;
/// Largest distance from the middle with the other sign, likewise.
const MIDDLE: f64 = 0.1;
/// Largest deviation of markers from a line, as a fraction of their distance.
const STRAIGHT: f64 = 1e-3;
/// Largest factor between a moment and that of a rod between the markers.
const LIKE_A_ROD: f64 = 1.25;
/// Largest ratio of the moment about a rod's axis to those across.
const SLENDER: f64 = 0.2;

/// Checks all rigid parts that have markers apart and no shapes.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    for (b, body) in s.mechanism.bodies.iter().enumerate() {
        if body.kind != BodyKind::Rigid {
            continue;
        }
        let markers = s.mechanism.markers.iter().enumerate();
        let own = markers.filter(|(_, m)| m.body.index() == b && m.base == MarkerBase::Body);
        let (ids, places): (Vec<usize>, Vec<Vec3>) = own.map(|(k, m)| (k, m.position)).unzip();
        let touches = s.mechanism.forces.iter().any(|force| {
            matches!(force.kind, ForceKind::Contact(_) | ForceKind::Tyre(_))
                && [force.i, force.j].iter().any(|m| ids.contains(&m.index()))
        });
        if touches || places.len() < 2 {
            continue;
        }
        center(s, body, &places, found);
        rod(s, body, &places, found);
    }
}

/// Finds a centre of mass beyond the markers that would lie between them with the other sign.
fn center(s: &Subject<'_>, body: &Body, places: &[Vec3], found: &mut Vec<Finding>) {
    let least = places.iter().fold(places[0], |a, b| a.inf(b));
    let most = places.iter().fold(places[0], |a, b| a.sup(b));
    let apart = OUTSIDE * (most - least).max();
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let (at, low, high) = (body.center_of_mass[k], least[k], most[k]);
        let is_outside = at < low - apart || at > high + apart;
        // A counterweight moves the centre of mass outside, but hardly as far as the middle is inside.
        let is_middle = (-at - 0.5 * (low + high)).abs() <= MIDDLE * (high - low);
        if !is_outside || !is_middle || high - low <= apart {
            continue;
        }
        let unit = &s.mechanism.units.length;
        let number = |x: f64| show(x / unit.factor);
        found.push(Finding::new(
            LintRule::OddCenter,
            ("part", &body.name, "center_of_mass"),
            format!(
                "{axis} = {} {unit} lies outside of its markers, which reach from {} to {} {unit}; with the other sign it \
                 would lie between them",
                number(at),
                number(low),
                number(high),
                unit = unit.name
            ),
            "change the sign; it is given in the axes of the part, from the origin of the part",
        ));
    }
}

/// Finds the moments m l²/12 of a slender rod as long as the distance l of the markers, but about another axis.
fn rod(s: &Subject<'_>, body: &Body, places: &[Vec3], found: &mut Vec<Finding>) {
    let far = |from: Vec3| {
        let farther = |a: Vec3, b: &Vec3| {
            if (b - from).norm() > (a - from).norm() {
                *b
            } else {
                a
            }
        };
        places.iter().fold(from, farther)
    };
    let end = far(places[0]);
    let line = far(end) - end;
    let length = line.norm();
    let Some(along) = line.try_normalize(f64::MIN_POSITIVE) else {
        return;
    };
    let off = |place: &Vec3| (place - end).cross(&along).norm() > STRAIGHT * length;
    if places.iter().any(off) {
        return;
    }
    let [xx, yy, zz, xy, xz, yz] = body.inertia.map(|id| s.number(id));
    let tensor = Mat3::new(xx, -xy, -xz, -xy, yy, -yz, -xz, -yz, zz);
    let about = |axis: &Vec3| axis.dot(&(tensor * axis));
    let expected = s.number(body.mass) * length * length / 12.0;
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let Some(own) = axes
        .iter()
        .position(|axis| axis.dot(&along).abs() > 1.0 - STRAIGHT)
    else {
        return;
    };
    let like_a_rod = |moment: f64| (1.0 / LIKE_A_ROD..=LIKE_A_ROD).contains(&(moment / expected));
    let small = (0..3).find(|k| *k != own && about(&axes[*k]) < SLENDER * about(&axes[own]));
    let Some(small) = small.filter(|k| (0..3).all(|n| n == *k || like_a_rod(about(&axes[n]))))
    else {
        return;
    };
    let names = ["x", "y", "z"];
    found.push(Finding::new(
        LintRule::OddInertia,
        ("part", &body.name, "inertia"),
        format!(
            "its moments are those of a rod along {}, but its markers lie along {}",
            names[small], names[own]
        ),
        &format!(
            "give the small moment about {}, in the axes of the part",
            names[own]
        ),
    ));
}

//! Control plane: tendons. One of the file becomes one force per piece between two bodies.

use super::COINCIDENT;
use crate::errors::At;
use crate::schema::{Number, Tendon};
use crate::units::Dimension;
use crate::validate::both;
use crate::validate::builder::Builder;
use fixstep_kernel::ids::MarkerId;
use fixstep_kernel::mechanism::{Force, ForceKind, KinematicMeasure, Leaf, ScaledExpr, ValueRule};

/// Most points.
const MOST: usize = 100;

/// The first piece; the others go to `later`.
pub(super) fn tendon(
    b: &mut Builder<'_>,
    data: &Tendon,
    at: &At,
    later: &mut Vec<Force>,
) -> Option<Force> {
    let points = points(b, data, &at.field("points"));
    let (some, more) = (ValueRule::NonNegative, ValueRule::Positive);
    let mut get = |field: &str, number: &Number, dimension, rule| {
        b.number(number, dimension, rule, &at.field(field))
    };
    let none = Number::Constant(0.0);
    let stiffness = get("stiffness", &data.stiffness, Dimension::Stiffness, some);
    let damping = data.damping.as_ref().unwrap_or(&none);
    let damping = get("damping", damping, Dimension::Damping, some);
    let length = get("length", &data.length, Dimension::Length, more);
    // Zero stands for a part of the length, which the law takes.
    let damping_stretch = match &data.damping_stretch {
        Some(number) => get("damping_stretch", number, Dimension::Length, more),
        None => get("damping_stretch", &none, Dimension::Length, some),
    };
    let points = points?;
    let whole = [KinematicMeasure::Distance, KinematicMeasure::SeparationRate];
    let whole = whole.map(|measure| sum(b, measure, &points));
    let [Some(total), Some(rate)] = whole else {
        return None;
    };
    let id = b.names.forces.get(&data.name);
    let mut pieces = pieces(b, &points).into_iter();
    let piece = |(i, j): (MarkerId, MarkerId), first| Force {
        name: data.name.clone(),
        i,
        j,
        kind: ForceKind::Tendon {
            stiffness,
            damping,
            length,
            damping_stretch,
            whole: [total, rate],
            first,
        },
    };
    let Some(first) = pieces.next() else {
        let message =
            "all points are on one part, which the tendon does not move: give a marker of another";
        b.report.add(&at.field("points"), message);
        return None;
    };
    later.extend(pieces.map(|ends| piece(ends, id)));
    Some(piece(first, None))
}

/// The markers; `None`: there are problems.
fn points(b: &mut Builder<'_>, data: &Tendon, at: &At) -> Option<Vec<MarkerId>> {
    let count = data.points.len();
    if !(2..=MOST).contains(&count) {
        let message = format!(
            "a tendon runs over 2 to {MOST} markers; found {count}: name them in the order in which it does"
        );
        b.report.add(at, message);
    }
    let found: Vec<Option<MarkerId>> = { data.points.iter().enumerate() }
        .map(|(k, name)| b.marker(name, &at.index(k)))
        .collect();
    let markers: Vec<MarkerId> = found.into_iter().collect::<Option<_>>()?;
    let mut sound = (2..=MOST).contains(&count);
    for (k, pair) in markers.windows(2).enumerate() {
        if let (Some(p), Some(q)) = (b.place_of(pair[0]), b.place_of(pair[1]))
            && (p - q).norm() <= COINCIDENT
        {
            let message = format!(
                "the markers {} coincide at the start, so the line between them has no direction; move one, or leave \
                 one out",
                both(&data.points[k], &data.points[k + 1])
            );
            b.report.add(&at.index(k + 1), message);
            sound = false;
        }
    }
    sound.then_some(markers)
}

/// The sum of a measure over all pieces \[SI\].
fn sum(b: &mut Builder<'_>, measure: KinematicMeasure, points: &[MarkerId]) -> Option<ScaledExpr> {
    let ground = b.names.ground;
    let of = |pair: &[MarkerId]| Leaf::Kinematic {
        measure,
        i: pair[0],
        j: pair[1],
        axes: ground,
        frame: ground,
        scale: 1.0,
    };
    let expr = b.sum_of_leaves(points.windows(2).map(of))?;
    Some(ScaledExpr { expr, to_si: 1.0 })
}

/// The pieces between parts, or between nodes of a flexible body; on a rigid part a piece exerts nothing.
fn pieces(b: &Builder<'_>, points: &[MarkerId]) -> Vec<(MarkerId, MarkerId)> {
    let pairs = points.windows(2).map(|pair| (pair[0], pair[1]));
    pairs.filter(|(i, j)| !b.moves_as_one(*i, *j)).collect()
}

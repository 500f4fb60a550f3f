//! Control plane: finds measured angular velocities about axes about which nothing can rotate; most often the axes of
//! a joint were meant instead of those of ground.

use super::Subject;
use super::modes::{Kind, Modes};
use super::reading::reached;
use crate::ids::{LeafId, MarkerId};
use crate::mechanism::{BodyKind, Finding, JointKind, KinematicMeasure, Leaf, LintRule, called};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::vec::Vec;

/// Mobilities below this fraction of that of the heaviest part, if free, are rounding.
const ROUNDING: f64 = 1e-9;

/// Checks all leaves that forces read.
pub(super) fn check(s: &Subject<'_>, modes: &mut Modes<'_>, found: &mut Vec<Finding>) {
    // Driven parts move, whatever the constraints leave free.
    if !s.mechanism.motions.is_empty() || !s.mechanism.general_constraints.is_empty() {
        return;
    }
    modes.prepare(Kind::Damping);
    for force in &s.mechanism.forces {
        for (field, scaled) in force.kind.expressions() {
            let all = reached(s.mechanism, scaled.expr);
            let mut leaves = all
                .iter()
                .flat_map(|reached| s.mechanism.expressions[reached.expr.index()].leaves());
            if let Some(what) = leaves.find_map(|leaf| locked_axis(s, modes, *leaf)) {
                let place = ("force", force.name.as_str(), field);
                found.push(finding(s, place, &what));
            }
        }
    }
}

/// An angular velocity that stays zero.
struct LockedAxis {
    axis: char,
    i: MarkerId,
    j: MarkerId,
    axes: MarkerId,
}

/// Such an angular velocity, if the leaf is one.
fn locked_axis(s: &Subject<'_>, modes: &mut Modes<'_>, leaf: LeafId) -> Option<LockedAxis> {
    let Leaf::Kinematic {
        measure: KinematicMeasure::AngularVelocity(component),
        i,
        j,
        axes,
        scale,
        ..
    } = s.mechanism.leaves[leaf.index()]
    else {
        return None;
    };
    let bodies = &s.mechanism.bodies;
    let rigid = bodies.iter().filter(|body| body.kind == BodyKind::Rigid);
    let moments = rigid.flat_map(|body| [0, 1, 2].map(|k| s.number(body.inertia[k])));
    let heaviest = moments.fold(0.0, f64::max);
    let mobility = modes.mobility_of(leaf)?;
    // Parts that rotate about another axis now may later rotate about this one.
    let body = |marker: MarkerId| &s.ws.bodies[s.mechanism.markers[marker.index()].body.index()];
    let turns = [i, j].iter().any(|marker| body(*marker).omega.norm() > 0.0);
    let stays = !turns && mobility * heaviest < ROUNDING * scale * scale;
    let axis = *['x', 'y', 'z'].get(usize::from(component))?;
    (stays && heaviest > 0.0).then_some(LockedAxis { axis, i, j, axes })
}

fn finding(s: &Subject<'_>, place: (&str, &str, &str), locked_axis: &LockedAxis) -> Finding {
    let name = |marker: MarkerId| s.mechanism.markers[marker.index()].name.clone();
    let [i, j, axes] = [locked_axis.i, locked_axis.j, locked_axis.axes].map(name);
    let measure = format!("W{}", locked_axis.axis.to_ascii_uppercase());
    let whose = match axes.as_str() {
        "" | "ground" => "ground".to_owned(),
        axes => format!("marker {}", called(axes)),
    };
    let axis = hinge(s, [locked_axis.i, locked_axis.j]).map(name);
    let remedy = match axis {
        Some(axis) => format!(
            "give a marker with the intended axis as the third argument, such as {measure}({i}, {j}, {axis})"
        ),
        None => {
            format!("give a marker with the intended axis as the third argument of {measure}")
        }
    };
    Finding::new(
        LintRule::BlindMeasure,
        place,
        format!(
            "{measure} of marker {} is taken along {} of {whose}, and at the start nothing can turn about that axis: it reads zero",
            called(&i),
            locked_axis.axis
        ),
        &remedy,
    )
}

/// A marker whose z is the axis of a joint that lets the bodies of two markers rotate relative to each other.
fn hinge(s: &Subject<'_>, pair: [MarkerId; 2]) -> Option<MarkerId> {
    let body = |marker: MarkerId| s.mechanism.markers[marker.index()].body;
    let [a, b] = pair.map(body);
    let joints = s.mechanism.joints.iter();
    let turns = |kind: JointKind| matches!(kind, JointKind::Revolute | JointKind::Cylindrical);
    let mut hinges = joints.filter(|joint| turns(joint.kind));
    let own = hinges.find(|joint| [[a, b], [b, a]].contains(&[body(joint.i), body(joint.j)]))?;
    Some(own.j)
}

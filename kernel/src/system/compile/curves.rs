//! Control plane: compiles joints on curves and general constraints.

use super::constraints::initial_marker;
use super::variables::variables_of;
use crate::elements::kinematics::MarkerFrame;
use crate::ids::{GeneralId, MarkerId};
use crate::mechanism::{JointKind, Leaf, Mechanism};
use crate::system::curves::{CurveJoint, CurvePair};
use crate::system::general::{GeneralEntry, Read};
use crate::system::{Group, Owner};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// The joints on curves, in the order of the file.
pub(super) fn joints(mechanism: &Mechanism) -> Vec<CurveJoint> {
    let curve = |id: crate::ids::CurveId| Arc::clone(&mechanism.curves[id.index()]);
    let pair = |kind: &JointKind| match kind {
        JointKind::PointOnCurve { curve: id } => Some(CurvePair::Point(curve(*id))),
        JointKind::CurveOnCurve { curves } => Some(CurvePair::Curves(curves.map(curve))),
        _ => None,
    };
    let joints = mechanism.joints.iter().enumerate();
    let on_curve = joints.filter_map(|(k, joint)| {
        Some(CurveJoint {
            joint: k.into(),
            i: joint.i,
            j: joint.j,
            pair: pair(&joint.kind)?,
        })
    });
    on_curve.collect()
}

/// For each joint of the model its index among the joints on curves; zero for others.
pub(super) fn places(mechanism: &Mechanism, joints: &[CurveJoint]) -> Vec<usize> {
    let mut places = vec![0; mechanism.joints.len()];
    for (k, joint) in joints.iter().enumerate() {
        places[joint.joint.index()] = k;
    }
    places
}

/// Their contact points (feet) at the model's pose.
pub(super) fn first_feet(
    mechanism: &Mechanism,
    markers: &[MarkerFrame],
    joints: &[CurveJoint],
) -> Vec<f64> {
    let feet = |joint: &CurveJoint| {
        let [i, j] = [joint.i, joint.j].map(|m| initial_marker(mechanism, markers, m));
        joint.pair.first_feet(&i, &j)
    };
    joints.iter().flat_map(feet).collect()
}

/// The general constraints, without their tiles.
pub(super) fn generals(mechanism: &Mechanism, groups: &[Group]) -> Vec<GeneralEntry> {
    let entry = |(k, general): (usize, &crate::mechanism::GeneralConstraint)| {
        let function = general.function;
        let variables = variables_of(mechanism, &[function.expr]);
        let exprs = variables.iter().map(|(expr, _)| *expr);
        let mut reads: Vec<Read> = Vec::new();
        for expr in exprs.chain([function.expr]) {
            for leaf in mechanism.expressions[expr.index()].leaves() {
                let Some(markers) = moving_markers(mechanism, &mechanism.leaves[leaf.index()])
                else {
                    continue;
                };
                if reads.iter().all(|read| read.leaf != *leaf) {
                    let leg = |m: Option<MarkerId>| {
                        general.markers.iter().position(|own| Some(*own) == m)
                    };
                    reads.push(Read {
                        leaf: *leaf,
                        legs: markers.map(leg),
                    });
                }
            }
        }
        let owner = Owner::General(GeneralId::from(k));
        GeneralEntry {
            expr: function.expr,
            to_si: function.to_si,
            variables,
            reads,
            markers: general.markers.clone(),
            group: groups.iter().position(|group| group.owner == owner),
            driven: general.driven,
            slots: Vec::new(),
        }
    };
    mechanism
        .general_constraints
        .iter()
        .enumerate()
        .map(entry)
        .collect()
}

/// The markers I, J and axes of a leaf that moves, as far as the leaf depends on them.
fn moving_markers(mechanism: &Mechanism, leaf: &Leaf) -> Option<[Option<MarkerId>; 3]> {
    match leaf {
        Leaf::Kinematic {
            measure,
            i,
            j,
            axes,
            ..
        } => Some([Some(*i), Some(*j), measure.has_axes().then_some(*axes)]),
        Leaf::Arc { joint, .. } => {
            let joint = &mechanism.joints[joint.index()];
            Some([Some(joint.i), Some(joint.j), None])
        }
        _ => None,
    }
}

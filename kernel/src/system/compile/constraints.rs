//! Control plane: makes constraint groups and rows from joints, couplers, motions and initial conditions.

use super::{Angles, Selection, initial_position};
use crate::elements::angle::{AngleDefinition, angle};
use crate::elements::constraints::{Products, RowKind};
use crate::elements::joints;
use crate::elements::kinematics::{BodyKinematics, MarkerFrame, MarkerKinematics};
use crate::ids::{BodyId, CouplerId, GeneralId, JointId, MarkerId, MotionId};
use crate::linalg::PatternBuilder;
use crate::mechanism::Mechanism;
use crate::system::layout::Span;
use crate::system::{Group, Owner, PairSlots, Row, RowLaw, RowTarget, Stage};
use alloc::vec;
use alloc::vec::Vec;

const BOTH: Stage = Stage {
    position: true,
    velocity: true,
};

/// The rows of one group, before it is built.
struct Draft {
    owner: Owner,
    i: MarkerId,
    j: MarkerId,
    rows: Vec<Row>,
    /// Are its rows further terms of the same equations as those of the draft before it?
    adds: bool,
}

/// All groups with their rows: joints, couplers, motions, initial conditions.
pub(super) fn constraints(
    mechanism: &Mechanism,
    markers: &[MarkerFrame],
    selection: Selection<'_>,
    (builder, angles): (&mut PatternBuilder, &mut Angles),
) -> (Vec<Group>, Vec<Row>) {
    let mut drafts = joint_drafts(mechanism, markers, angles);
    drafts.extend(couplers(mechanism, markers, angles));
    drafts.extend(generals(mechanism));
    drafts.extend(motions(mechanism));
    match selection {
        Selection::Start => drafts.extend(initial_conditions(mechanism)),
        Selection::Keep(keep) => {
            let mut flags = keep.iter();
            for draft in &mut drafts {
                draft.rows.retain(|_| flags.next().copied().unwrap_or(true));
            }
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut rows = Vec::new();
    for draft in drafts.into_iter().filter(|d| !d.rows.is_empty()) {
        let before = groups.last().filter(|_| draft.adds);
        let (block, lead) = match before {
            Some(group) => (group.block, group.lead),
            None => (builder.add_block(draft.rows.len()), rows.len()),
        };
        groups.push(Group {
            owner: draft.owner,
            i: draft.i,
            j: draft.j,
            rows: Span {
                first: rows.len(),
                len: draft.rows.len(),
            },
            lead,
            rotates_with_j: draft.rows.iter().all(Row::rotates_with_j),
            products: products(&draft.rows),
            block,
            diagonal: crate::linalg::Slot(0),
            slots: PairSlots::default(),
        });
        rows.extend(draft.rows);
    }
    (groups, rows)
}

/// The group's products, if all rows are dot products that stay at zero.
fn products(rows: &[Row]) -> Option<Products> {
    let kinds: Option<Vec<&RowKind>> = rows.iter().map(Row::held_at_zero).collect();
    Products::of(kinds?.into_iter())
}

fn joint_drafts(mechanism: &Mechanism, markers: &[MarkerFrame], angles: &mut Angles) -> Vec<Draft> {
    let mut on_curves = 0;
    let draft = |(k, joint): (usize, &crate::mechanism::Joint)| {
        let row = |kind| held(mechanism, markers, angles, (joint.i, joint.j), kind);
        let mut rows: Vec<Row> = joints::rows(&joint.kind).into_iter().map(row).collect();
        let count = joints::curve_rows(&joint.kind);
        for row in 0..count {
            let joint = on_curves;
            rows.push(zero(RowLaw::Curve { joint, row }));
        }
        on_curves += usize::from(count > 0);
        Draft {
            owner: Owner::Joint(JointId::from(k)),
            i: joint.i,
            j: joint.j,
            rows,
            adds: false,
        }
    };
    mechanism.joints.iter().enumerate().map(draft).collect()
}

/// A row whose target is zero.
fn zero(law: RowLaw) -> Row {
    Row {
        law,
        target: RowTarget::Constant(0.0, 0.0),
        memory: None,
        stage: BOTH,
    }
}

/// One draft per leg of a general constraint, against ground.
fn generals(mechanism: &Mechanism) -> Vec<Draft> {
    let on_ground = |m: &crate::mechanism::Marker| m.body == BodyId::GROUND;
    let ground = mechanism
        .markers
        .iter()
        .position(on_ground)
        .unwrap_or_default();
    let mut drafts = Vec::new();
    for (k, general) in mechanism.general_constraints.iter().enumerate() {
        let constraint = GeneralId::from(k);
        for (leg, marker) in general.markers.iter().enumerate() {
            drafts.push(Draft {
                owner: Owner::General(constraint),
                i: *marker,
                j: MarkerId::from(ground),
                rows: vec![zero(RowLaw::General { constraint, leg })],
                adds: leg > 0,
            });
        }
    }
    drafts
}

fn couplers(mechanism: &Mechanism, markers: &[MarkerFrame], angles: &mut Angles) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (k, coupler) in mechanism.couplers.iter().enumerate() {
        for (n, leg) in coupler.legs.iter().enumerate() {
            let kind = joints::coupled_row(leg, coupler.angular);
            drafts.push(Draft {
                owner: Owner::Coupler(CouplerId::from(k)),
                i: leg.i,
                j: leg.j,
                rows: vec![held(mechanism, markers, angles, (leg.i, leg.j), kind)],
                adds: n > 0,
            });
        }
    }
    drafts
}

/// A row with a constant target. A sum of displacement and rotation keeps its value at the model's pose.
fn held(
    mechanism: &Mechanism,
    markers: &[MarkerFrame],
    angles: &mut Angles,
    (i, j): (MarkerId, MarkerId),
    kind: RowKind,
) -> Row {
    let ends = [i, j].map(|m| initial_marker(mechanism, markers, m));
    let counted = kind.memory_angle();
    let start = counted.map_or(0.0, |def| angle(&def, 0.0, &ends[0], &ends[1]).value);
    let offset = match kind {
        RowKind::Mixed(_) => kind.coordinate(&ends[0], &ends[1], start),
        _ => 0.0,
    };
    Row {
        law: RowLaw::Markers(kind),
        target: RowTarget::Constant(offset, 0.0),
        memory: counted.map(|def| angles.push_row((def, i, j), start)),
        stage: Stage {
            position: !kind.is_rate(),
            ..BOTH
        },
    }
}

fn motions(mechanism: &Mechanism) -> Vec<Draft> {
    let draft = |(k, motion): (usize, &crate::mechanism::Motion)| {
        let id = MotionId::from(k);
        let rows = vec![Row {
            law: RowLaw::Markers(joints::driven_row(motion.coordinate)),
            target: RowTarget::Motion(id),
            memory: None,
            stage: BOTH,
        }];
        Draft {
            owner: Owner::Motion(id),
            i: motion.i,
            j: motion.j,
            rows,
            adds: false,
        }
    };
    mechanism.motions.iter().enumerate().map(draft).collect()
}

/// A marker at the model's pose.
pub(super) fn initial_marker(
    mechanism: &Mechanism,
    markers: &[MarkerFrame],
    marker: MarkerId,
) -> MarkerKinematics {
    let (frame, own) = (&markers[marker.index()], &mechanism.markers[marker.index()]);
    let center = mechanism.bodies[own.body.index()].center_of_mass;
    let body = BodyKinematics {
        r: initial_position(mechanism, own.body),
        rotation: mechanism.bodies[own.body.index()].orientation,
        ..BodyKinematics::default()
    };
    // On a flexible body: the position of the undeformed node.
    let fixed = MarkerFrame {
        offset: own.position - center,
        ..*frame
    };
    MarkerKinematics::of(&fixed, &body)
}

fn initial_conditions(mechanism: &Mechanism) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (k, joint) in mechanism.joints.iter().enumerate() {
        let turn = RowKind::Angle(AngleDefinition::Z);
        let slide = RowKind::Dot2(2);
        let wanted = [
            (slide, joint.initial_displacement, joint.initial_velocity),
            (turn, joint.initial_angle, joint.initial_angular_velocity),
        ];
        let row = |(kind, value, rate): (RowKind, Option<f64>, Option<f64>)| Row {
            law: RowLaw::Markers(kind),
            target: RowTarget::Constant(value.unwrap_or(0.0), rate.unwrap_or(0.0)),
            memory: None,
            stage: Stage {
                position: value.is_some(),
                velocity: rate.is_some(),
            },
        };
        let rows: Vec<Row> = wanted
            .into_iter()
            .filter(|(_, value, rate)| value.is_some() || rate.is_some())
            .map(row)
            .collect();
        let owner = Owner::Initial(JointId::from(k));
        drafts.push(Draft {
            owner,
            i: joint.i,
            j: joint.j,
            rows,
            adds: false,
        });
    }
    drafts
}

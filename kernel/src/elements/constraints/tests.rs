//! Rows of products taken together, beside the same rows one by one.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::elements::joints;
use crate::elements::kinematics::{BodyKinematics, MarkerFrame};
use crate::ids::BodyId;
use crate::math::rotation::exp;
use crate::mechanism::JointKind;
use alloc::vec;

/// Two markers anywhere.
fn markers() -> [MarkerKinematics; 2] {
    let marker = |turn: Vec3, offset: Vec3| {
        let body = BodyKinematics {
            r: offset * 3.0,
            rotation: exp(&turn),
            ..BodyKinematics::default()
        };
        let axes = exp(&Vec3::new(0.3, -0.2, 0.9));
        MarkerKinematics::of(&MarkerFrame::new(BodyId::GROUND, offset, axes), &body)
    };
    [
        marker(Vec3::new(0.4, -1.1, 0.7), Vec3::new(0.1, 0.5, -0.3)),
        marker(Vec3::new(-0.8, 0.2, 1.6), Vec3::new(-0.4, 0.2, 0.6)),
    ]
}

#[test]
fn products_together_are_what_they_are_one_by_one() {
    let multipliers = [3.0, -2.0, 0.5, 7.0, -1.5, 4.0];
    let [i, j] = &markers();
    let d = i.p - j.p;
    for kind in [
        JointKind::Fixed,
        JointKind::Revolute,
        JointKind::Translational,
        JointKind::Universal,
        JointKind::Planar,
        JointKind::InLine,
        JointKind::Perpendicular,
    ] {
        let rows = joints::rows(&kind);
        let products = Products::of(rows.iter()).unwrap();
        let multipliers = &multipliers[..rows.len()];
        let mut violations = vec![f64::NAN; rows.len()];
        let mut units = vec![Wrench::force(d); rows.len()];
        let total = products.evaluate((i, j), multipliers, &mut violations, &mut units);
        let mut sum = Wrench::zero();
        let (mut on_i, mut on_j) = (Mat3::zeros(), Mat3::zeros());
        for (k, row) in rows.iter().enumerate() {
            let (violation, unit) = row.evaluate((i, j), &d, &Target::default(), || 0.0);
            assert_eq!((violations[k], units[k]), (violation, unit), "{kind:?}");
            let pushes = k < products.slides();
            assert_eq!(pushes, unit.torque == Vec3::zeros());
            assert_eq!(pushes, unit.force != Vec3::zeros());
            sum.add(&unit.scaled(-multipliers[k]));
            row.add_turning((i, j), -multipliers[k], (&mut on_i, &mut on_j));
        }
        assert_eq!(total, sum, "{kind:?}");
        let (by_i, by_j) = products.turning((i, j), multipliers);
        assert!((by_i - on_i).amax() < 1e-14, "{kind:?}: {by_i} {on_i}");
        assert!((by_j - on_j).amax() < 1e-14, "{kind:?}: {by_j} {on_j}");
    }
}

#[test]
fn other_rows_are_not_products() {
    for kind in [
        JointKind::ConstantVelocity,
        JointKind::Screw { pitch: 0.1 },
        JointKind::Distance { length: 2.0 },
    ] {
        assert!(Products::of(joints::rows(&kind).iter()).is_none());
    }
    // Forces come first.
    let turned = [RowKind::Dot1(0, 1), RowKind::Dot2(2)];
    assert!(Products::of(turned.iter()).is_none());
}

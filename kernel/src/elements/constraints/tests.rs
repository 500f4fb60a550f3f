//! Tests: rows of products evaluated together, against the same rows one by one.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::rolling::Torus;
use super::*;
use crate::elements::joints;
use crate::elements::kinematics::{BodyKinematics, MarkerFrame};
use crate::ids::BodyId;
use crate::math::rotation::exp;
use crate::mechanism::JointKind;
use alloc::vec;

/// Two markers in general position.
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
        JointKind::PinSlot,
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

/// A marker in general motion.
fn moving(turn: Vec3, s: f64) -> MarkerKinematics {
    let v = |x: f64, y: f64, z: f64| Vec3::new(x, y, z) * s;
    MarkerKinematics {
        p: v(0.3, -0.5, 0.8),
        axes: exp(&turn),
        v: v(1.1, 0.4, -0.7),
        a: v(-2.0, 3.0, 1.5),
        omega: v(2.0, -1.3, 0.6),
        alpha: v(-4.0, 2.5, 5.0),
        ..MarkerKinematics::still(BodyId::GROUND)
    }
}

/// A marker a little further along one of its six quantities: p, v, a, turn, Ω, α.
fn shifted(marker: &MarkerKinematics, quantity: usize, by: Vec3) -> MarkerKinematics {
    let mut to = *marker;
    match quantity {
        0 => to.p += by,
        1 => to.v += by,
        2 => to.a += by,
        3 => to.axes = exp(&by) * to.axes,
        4 => to.omega += by,
        _ => to.alpha += by,
    }
    to
}

#[test]
fn rates_change_as_their_cotangents_say() {
    let markers = [
        moving(Vec3::new(0.4, -1.1, 0.7), 1.0),
        moving(Vec3::new(-0.8, 0.2, 1.6), -0.6),
    ];
    let about = AngleDefinition::Z;
    let mix = Mixed {
        angle: AngleDefinition::PINION,
        slide: 0.7,
        turn: -1.9,
        angular: false,
    };
    let (mut moved, h) = (0, 1e-4);
    for kind in [
        RowKind::Dot2(1),
        RowKind::Dot1(2, 0),
        RowKind::SineDot(0, 2),
        RowKind::EqualSpin,
        RowKind::Distance(1.7),
        RowKind::Angle(about),
        RowKind::Mixed(mix),
    ]
    .into_iter()
    .chain(rolling_rows().map(RowKind::Rolling))
    {
        for factors in [(1.0, 0.0), (0.0, 1.0)] {
            let sum = |[i, j]: &[MarkerKinematics; 2]| {
                let (first, second) = kind.rates(i, j, &Target::default());
                first * factors.0 + second * factors.1
            };
            let [i, j] = &markers;
            let cotangents = kind.rate_cotangents(i, j, factors);
            for (end, cotangent) in cotangents.iter().enumerate() {
                let c = cotangent;
                let by = [c.p, c.v, c.a, c.psi, c.omega, c.alpha];
                for (quantity, by) in by.iter().enumerate() {
                    for k in 0..3 {
                        let [ahead, behind] = [h, -h].map(|step| {
                            let mut by = Vec3::zeros();
                            by[k] = step;
                            let mut both = markers;
                            both[end] = shifted(&both[end], quantity, by);
                            sum(&both)
                        });
                        let wanted = (ahead - behind) / (2.0 * h);
                        let error = (by[k] - wanted).abs();
                        assert!(
                            error < 2e-5,
                            "{kind:?} {factors:?} {end} {quantity} {k}: {wanted} {}",
                            by[k]
                        );
                        moved += usize::from(wanted.abs() > 1e-3);
                    }
                }
            }
        }
    }
    assert!(moved > 200, "{moved}");
}

/// A marker later by `time`, its linear and angular acceleration constant in ground axes.
fn later(marker: &MarkerKinematics, time: f64) -> MarkerKinematics {
    let mut to = *marker;
    to.p += marker.v * time + marker.a * (0.5 * time * time);
    to.v += marker.a * time;
    // To second order in time.
    let half = marker.omega.cross(&marker.alpha) * (time * time * time / 12.0);
    let turn = marker.omega * time + marker.alpha * (0.5 * time * time) - half;
    to.axes = exp(&turn) * to.axes;
    to.omega += marker.alpha * time;
    to
}

/// Rows of rolling in general position, with a name each.
fn rolling_rows() -> [Rolling; 7] {
    let torus = Torus {
        rim: 1.1,
        crown: 0.4,
    };
    let ball = |axis| Rolling::Ball { radius: 0.8, axis };
    [
        Rolling::Touch(torus),
        Rolling::Rest(0.8),
        Rolling::Along(torus),
        Rolling::Across(torus),
        ball(0),
        ball(1),
        Rolling::Edge,
    ]
}

#[test]
fn rows_of_rolling_have_the_rates_of_their_values() {
    let markers = [
        moving(Vec3::new(0.4, -1.1, 0.7), 1.0),
        moving(Vec3::new(-0.8, 0.2, 1.6), -0.6),
    ];
    let [i, j] = &markers;
    let h = 1e-4;
    for row in rolling_rows() {
        let (first, second) = row.rates(i, j);
        let sides = [h, -h].map(|time| {
            let [i, j] = markers.map(|marker| later(&marker, time));
            let (value, _) = row.evaluate((&i, &j), &(i.p - j.p));
            (value, row.rates(&i, &j).0)
        });
        let by_time = (sides[0].1 - sides[1].1) / (2.0 * h);
        assert!(
            (second - by_time).abs() < 1e-6,
            "{row:?}: {second} {by_time}"
        );
        if !row.is_rate() {
            let by_time = (sides[0].0 - sides[1].0) / (2.0 * h);
            assert!((first - by_time).abs() < 1e-6, "{row:?}: {first} {by_time}");
        }
    }
}

#[test]
fn the_point_of_contact_is_the_lowest_of_the_torus() {
    let torus = Torus {
        rim: 1.1,
        crown: 0.4,
    };
    let mut j = MarkerKinematics::still(BodyId::GROUND);
    j.axes = exp(&Vec3::new(0.2, -0.3, 0.5));
    let n = j.axis(2);
    for turn in [Vec3::new(1.3, 0.2, 0.1), Vec3::new(-0.9, 0.4, 2.0)] {
        let mut i = moving(turn, 1.0);
        i.p = n * 3.0;
        // Points of the torus by two angles; a fine grid finds the lowest one to its square.
        let mut lowest = (f64::INFINITY, Vec3::zeros());
        let (x, y, z) = (i.axis(0), i.axis(1), i.axis(2));
        for (u, w) in (0..720).flat_map(|u| (0..720).map(move |w| (u, w))) {
            let [u, w] = [u, w].map(|k| f64::from(k) * core::f64::consts::TAU / 720.0);
            let out = x * cos(u) + y * sin(u);
            let point = i.p + out * (torus.rim + torus.crown * cos(w)) + z * (torus.crown * sin(w));
            let height = point.dot(&n);
            if height < lowest.0 {
                lowest = (height, point);
            }
        }
        let (height, unit) = Rolling::Touch(torus).evaluate((&i, &j), &i.p);
        assert!((height - lowest.0).abs() < 1e-4, "{height} {}", lowest.0);
        // The body's point there moves up as the row says, at any motion.
        let arm = lowest.1 - i.p;
        for row in [
            Rolling::Along(torus),
            Rolling::Across(torus),
            Rolling::Touch(torus),
        ] {
            let (_, unit) = row.evaluate((&i, &j), &i.p);
            let moment = arm.cross(&unit.force);
            assert!((unit.torque - moment).norm() < 2e-2, "{row:?} {moment}");
            assert!((unit.force.norm() - 1.0).abs() < 1e-12);
        }
        assert_eq!(unit.force, n);
    }
}

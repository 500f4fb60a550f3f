//! Tests: rows of curve joints against finite differences along a motion, and against circles.

use super::*;
use crate::elements::kinematics::{BodyKinematics, MarkerFrame};
use crate::ids::BodyId;
use crate::math::rotation::exp;
use crate::math::{cos, sin};

/// A wire in space.
fn wire() -> SpaceCurve {
    let at = |k: i32| {
        let s = 0.4 * f64::from(k);
        Vec3::new(1.3 * cos(s), sin(s), 0.3 * s + 0.1 * s * s)
    };
    let points: Vec<Vec3> = (-5..6).map(at).collect();
    SpaceCurve::through(&points, false)
}

/// An oval in the plane.
fn oval(a: f64, b: f64) -> SpaceCurve {
    let at = |k: i32| {
        let s = core::f64::consts::TAU * f64::from(k) / 16.0;
        Vec3::new(a * cos(s), b * sin(s), 0.0)
    };
    let points: Vec<Vec3> = (0..16).map(at).collect();
    SpaceCurve::through(&points, true)
}

/// A body in motion; the angular parts in body axes.
struct Motion {
    r: Vec3,
    turn: Vec3,
    v: Vec3,
    w: Vec3,
    a: Vec3,
    w_dot: Vec3,
}

impl Motion {
    /// A marker on the body after a time.
    fn at(&self, t: f64) -> MarkerKinematics {
        let axes = exp(&Vec3::new(0.2, -0.1, 0.3));
        let frame = MarkerFrame::new(BodyId::GROUND, Vec3::new(0.1, -0.2, 0.05), axes);
        let turned = self.w * t + self.w_dot * (0.5 * t * t);
        let body = BodyKinematics::new(
            (
                self.r + self.v * t + self.a * (0.5 * t * t),
                exp(&self.turn) * exp(&turned),
            ),
            (self.v + self.a * t, self.w),
            (self.a, self.w_dot),
        );
        MarkerKinematics::of(&frame, &body)
    }
}

fn motions() -> [Motion; 2] {
    let one = Motion {
        r: Vec3::new(1.4, 0.5, 0.2),
        turn: Vec3::new(0.3, 0.1, -0.2),
        v: Vec3::new(0.4, 0.7, -0.3),
        w: Vec3::new(0.5, -0.6, 0.8),
        a: Vec3::new(-0.2, 0.9, 0.4),
        w_dot: Vec3::new(0.3, 0.2, -0.7),
    };
    let other = Motion {
        r: Vec3::new(0.1, -0.1, 0.1),
        turn: Vec3::new(-0.1, 0.2, 0.15),
        v: Vec3::new(-0.1, 0.2, 0.5),
        w: Vec3::new(-0.3, 0.2, 0.9),
        a: Vec3::new(0.6, -0.4, 0.1),
        w_dot: Vec3::new(0.1, -0.5, 0.2),
    };
    [one, other]
}

/// Rates of a scalar against finite differences of its value.
fn check(name: &str, scalar: &dyn Fn(f64) -> PairScalar, second: bool) {
    let [i, j] = motions();
    let (first, acceleration) = scalar(0.0).rates(&i.at(0.0), &j.at(0.0));
    let h = 1e-3;
    let value = |t: f64| scalar(t).value;
    let slope = (8.0 * (value(h) - value(-h)) - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h);
    assert!(
        (slope - first).abs() < 1e-9,
        "{name}: {first} against {slope}"
    );
    let bend =
        (16.0 * (value(h) + value(-h)) - (value(2.0 * h) + value(-2.0 * h)) - 30.0 * value(0.0))
            / (12.0 * h * h);
    if second {
        let off = (bend - acceleration).abs();
        assert!(off < 1e-6, "{name}: {acceleration} against {bend}");
    }
}

#[test]
fn rates_of_a_point_on_a_curve_are_those_of_the_motion() {
    let curve = wire();
    let [i, j] = motions();
    let start = curve.nearest(&j.at(0.0).axes.tr_mul(&(i.at(0.0).p - j.at(0.0).p)));
    let at = |t: f64| {
        let mut values = CurveValues::zero();
        point_on_curve(&curve, &i.at(t), &j.at(t), start, &mut values);
        values
    };
    assert!(
        at(0.0).rows[0].value.abs() + at(0.0).rows[1].value.abs() > 0.05,
        "off the curve"
    );
    check("first row", &|t| at(t).rows[0], true);
    check("second row", &|t| at(t).rows[1], true);
    check("length", &|t| at(t).arcs[1], true);
}

#[test]
fn rates_of_two_curves_are_those_of_the_motion() {
    let (one, other) = (oval(0.4, 0.25), oval(0.9, 0.6));
    let [i, j] = motions();
    let start = first_feet([&one, &other], &i.at(0.0), &j.at(0.0));
    let at = |t: f64| {
        let mut values = CurveValues::zero();
        curve_on_curve([&one, &other], &i.at(t), &j.at(t), start, &mut values);
        values
    };
    assert!(at(0.0).rows[0].value.abs() > 0.05, "off the curve");
    check("gap", &|t| at(t).rows[0], true);
    check("length on I", &|t| at(t).arcs[0], false);
    check("length on J", &|t| at(t).arcs[1], false);
}

#[test]
fn circles_touch_where_their_centres_are_apart_by_the_radii() {
    let (one, other) = (oval(0.5, 0.5), oval(1.0, 1.0));
    let still = |x: f64, y: f64| {
        let body = BodyKinematics {
            r: Vec3::new(x, y, 0.0),
            ..BodyKinematics::default()
        };
        let frame = MarkerFrame::new(BodyId::GROUND, Vec3::zeros(), Mat3::identity());
        MarkerKinematics::of(&frame, &body)
    };
    let (i, j) = (still(1.2, 1.6), still(0.0, 0.0));
    let feet = first_feet([&one, &other], &i, &j);
    let mut found = CurveValues::zero();
    curve_on_curve([&one, &other], &i, &j, feet, &mut found);
    let gap = found.rows[0];
    // Sixteen points follow a circle to 6e-5 of its radius.
    assert!((gap.value.abs() - 0.5).abs() < 1e-4, "{}", gap.value);
    let along = gap.unit.force.dot(&Vec3::new(0.6, 0.8, 0.0)).abs();
    assert!((along - 1.0).abs() < 1e-3);
}

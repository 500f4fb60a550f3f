//! Tests of curves against circle, helix and straight line; derivatives against finite differences.

use super::*;
use crate::math::{Vec3, cos, sin};
use alloc::vec::Vec;
use core::f64::consts::TAU;

/// A helix of radius 2 and rise 0.5 per radian, exact in value and two derivatives at its knots.
fn helix(pieces: usize) -> SpaceCurve {
    let knots: Vec<f64> = (0..=pieces)
        .map(|k| TAU * k as f64 / pieces as f64)
        .collect();
    let place = |s: &f64| {
        [
            Vec3::new(2.0 * cos(*s), 2.0 * sin(*s), 0.5 * s),
            Vec3::new(-2.0 * sin(*s), 2.0 * cos(*s), 0.5),
            Vec3::new(-2.0 * cos(*s), -2.0 * sin(*s), 0.0),
        ]
    };
    let places: Vec<_> = knots.iter().map(place).collect();
    SpaceCurve::of_derivatives(knots, &places, false)
}

fn circle(points: usize) -> SpaceCurve {
    let at = |k: usize| {
        let angle = TAU * k as f64 / points as f64;
        Vec3::new(3.0 * cos(angle), 3.0 * sin(angle), 0.0)
    };
    let points: Vec<Vec3> = (0..points).map(at).collect();
    SpaceCurve::through(&points, true)
}

fn wild() -> SpaceCurve {
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.3, 0.2],
        [1.5, 1.4, 0.9],
        [0.4, 2.0, 1.0],
        [-0.7, 1.1, 0.1],
    ];
    SpaceCurve::through(&points.map(Vec3::from), true)
}

#[test]
fn quintics_follow_a_helix_to_the_sixth_order() {
    let off = |pieces: usize| {
        let curve = helix(pieces);
        let one = |s: f64| {
            let exact = Vec3::new(2.0 * cos(s), 2.0 * sin(s), 0.5 * s);
            (curve.at(s)[0] - exact).norm()
        };
        (0..=1000)
            .map(|k| one(TAU * f64::from(k) / 1000.0))
            .fold(0.0, f64::max)
    };
    let (coarse, fine) = (off(10), off(20));
    assert!(
        coarse < 1e-5 && (50.0..80.0).contains(&(coarse / fine)),
        "{coarse} {fine}"
    );
    assert!((helix(100).length() - TAU * 4.25_f64.sqrt()).abs() < 1e-11);
}

#[test]
fn cubics_follow_a_circle_to_the_fourth_order() {
    let off = |points: usize| {
        let curve = circle(points);
        let all = curve.samples().map(|s| (curve.at(s)[0].norm() - 3.0).abs());
        all.fold(0.0, f64::max)
    };
    let (coarse, fine) = (off(16), off(32));
    assert!((14.0..18.0).contains(&(coarse / fine)), "{coarse} {fine}");
    // Half-way between two of n points: 1 − cos(θ/2) − 3 sin θ sin(θ/2)/(4 (2 + cos θ)), θ = 2π/n.
    assert!((coarse / 3.0 - 6.434_937e-5).abs() < 1e-10, "{coarse}");
    assert!((circle(200).length() - 3.0 * TAU).abs() < 1e-6);
}

#[test]
fn derivatives_are_those_of_the_values() {
    let (h, tolerance) = (1e-5, 1e-8);
    for curve in [wild(), helix(7), circle(5)] {
        let (first, last) = curve.range();
        for k in 0..40 {
            // Between the knots, where the third derivative is continuous.
            let s = first - 0.3 + (last - first + 0.7) * (f64::from(k) + 0.37) / 40.0;
            let (low, high) = (curve.at(s - h), curve.at(s + h));
            let point = curve.at(s);
            for n in 0..3 {
                let slope = (high[n] - low[n]) / (2.0 * h);
                assert!((slope - point[n + 1]).norm() < tolerance * 100.0, "{s} {n}");
            }
            let (low, high) = (curve.normals(s - h), curve.normals(s + h));
            let normals = curve.normals(s);
            for (which, normal) in normals.iter().enumerate() {
                for n in 0..2 {
                    let slope = (high[which][n] - low[which][n]) / (2.0 * h);
                    let off = (slope - normal[n + 1]).norm();
                    assert!(off < tolerance * 1000.0, "{s} {which} {n}: {off}");
                }
            }
            let arc = (curve.arc(s + h) - curve.arc(s - h)) / (2.0 * h);
            assert!((arc - point[1].norm()).abs() < 1e-6, "{s} {arc}");
        }
    }
}

#[test]
fn normals_are_across_and_steady() {
    for curve in [wild(), helix(7), circle(5)] {
        for s in curve.samples() {
            let t = curve.at(s)[1].normalize();
            let [n1, n2] = curve.normals(s).map(|n| n[0]);
            for (a, b, dot) in [(n1, n1, 1.0), (n2, n2, 1.0), (n1, n2, 0.0), (n1, t, 0.0)] {
                assert!((a.dot(&b) - dot).abs() < 1e-12);
            }
        }
        if curve.is_closed() {
            let (first, last) = curve.range();
            let (a, b) = (curve.normals(first), curve.normals(last - 1e-9));
            assert!((a[0][0] - b[0][0]).norm() < 1e-7);
        }
    }
    assert!(circle(9).normals(1.0)[0][0].z.abs() > 1.0 - 1e-14);
}

#[test]
fn values_slopes_and_bends_are_continuous() {
    for curve in [wild(), helix(7)] {
        let inner = &curve.knots[1..curve.pieces.len()];
        for s in inner {
            let (low, high) = (curve.at(s - 1e-12), curve.at(*s));
            for n in 0..3 {
                assert!((low[n] - high[n]).norm() < 1e-8, "{s} {n}");
            }
        }
    }
    let curve = wild();
    let (first, last) = curve.range();
    for n in 0..3 {
        let (begin, end) = (curve.at(first)[n], curve.at(last - 1e-12)[n]);
        assert!((begin - end).norm() < 1e-8, "{n}");
    }
}

#[test]
fn the_foot_is_found_from_anywhere_near() {
    let curve = helix(12);
    let s = 2.1;
    let [n1, n2] = curve.normals(s).map(|n| n[0]);
    let x = curve.at(s)[0] + n1 * 0.2 - n2 * 0.4;
    assert!((curve.nearest(&x) - s).abs() < 1e-13);
    assert!((curve.foot(&x, s + 0.4) - s).abs() < 1e-13);
    // Inside the circle, not beyond any centre of curvature.
    let circle = circle(40);
    let x = Vec3::new(0.0, 1.0, 0.0);
    let angle = circle.at(circle.nearest(&x))[0];
    assert!(angle.x.abs() < 1e-6 && (angle.y - 3.0).abs() < 1e-6);
}

#[test]
fn ends_go_on_straight_and_rounds_are_counted() {
    let line = SpaceCurve::through(&[Vec3::zeros(), Vec3::new(0.0, 3.0, 4.0)], false);
    assert!((line.length() - 5.0).abs() < 1e-14);
    assert!((line.arc(7.0) - 7.0).abs() < 1e-13 && (line.arc(-2.0) + 2.0).abs() < 1e-13);
    assert!((line.at(-5.0)[0] - Vec3::new(0.0, -3.0, -4.0)).norm() < 1e-13);
    assert!((line.foot(&Vec3::new(9.0, 6.0, 8.0), 0.0) - 10.0).abs() < 1e-12);
    let circle = circle(12);
    let round = circle.range().1;
    assert!((circle.at(2.5 * round)[0] - circle.at(0.5 * round)[0]).norm() < 1e-12);
    assert!((circle.arc(2.5 * round) - 2.5 * circle.length()).abs() < 1e-11);
    assert!(circle.is_planar() && !wild().is_planar());
    assert!(circle.at(f64::NAN)[0].x.is_nan());
}

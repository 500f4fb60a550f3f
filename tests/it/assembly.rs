//! Tests of assembly from rough poses: the nearest place by weight, exact coordinates, and poses that cannot be assembled.

use crate::harness::{build, output, try_build};
use fixstep_kernel::math::{atan2, cos, sin};
use serde_json::{Value, json as object};

fn body(name: &str, position: [f64; 3], assembly: &Value) -> Value {
    object!({
        "name": name, "mass": 1, "position": position, "assembly": assembly,
        "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}
    })
}

/// Bodies with markers `a`, `b`, joined at their origins.
fn pair(kind: &str, first: &Value, second: &Value) -> Value {
    object!({
        "fixstep": 1, "name": "t",
        "parts": [body("one", [0.0, 0.0, 0.0], first), body("two", [1.0, 0.5, 0.0], second)],
        "markers": [{"name": "a", "part": "one"}, {"name": "b", "part": "two"}],
        "joints": [{"name": "J", "type": kind, "i": "a", "j": "b"}],
        "outputs": [
            {"name": "ax", "expression": "DX(a)"}, {"name": "ay", "expression": "DY(a)"},
            {"name": "bx", "expression": "DX(b)"}, {"name": "by", "expression": "DY(b)"}
        ]
    })
}

fn outputs<const N: usize>(model: &Value, names: [&str; N]) -> [f64; N] {
    let simulation = build(&model.to_string());
    names.map(|name| output(&simulation, name))
}

/// Two points at a distance d meet where w₁ x₁ = w₂ (d − x₁): the lighter one goes further.
#[test]
fn rough_poses_give_way_by_their_weight() {
    for (one, two) in [(1.0, 1.0), (1.0, 4.0), (1e-3, 1.0)] {
        let weight = |w: f64| object!({"weight": w});
        let m = pair("spherical", &weight(one), &weight(two));
        let [ax, ay, bx, by] = outputs(&m, ["ax", "ay", "bx", "by"]);
        let share = two / (one + two);
        assert!((ax - share).abs() < 1e-12 && (ay - 0.5 * share).abs() < 1e-12);
        assert!((ax - bx).abs() < 1e-14 && (ay - by).abs() < 1e-14);
    }
}

/// A point mass that must be at a distance 1 from the origin: the nearest place is on the ray through
/// its given place, however far away that is. A second constraint moves it along the circle to the nearest point.
#[test]
fn the_nearest_place_is_found() {
    let mut m = object!({
        "fixstep": 1, "name": "t",
        "point_masses": [{"name": "p", "mass": 1, "position": [3, 4, 0]}],
        "markers": [{"name": "a", "part": "p"}],
        "joints": [{"name": "D", "type": "distance", "i": "a", "j": "ground", "length": 1}],
        "outputs": [{"name": "x", "expression": "DX(a)"}, {"name": "y", "expression": "DY(a)"}]
    });
    let [x, y] = outputs(&m, ["x", "y"]);
    assert!(
        (x - 0.6).abs() < 1e-12 && (y - 0.8).abs() < 1e-12,
        "{x} {y}"
    );
    // On the ellipse-like curve of two weights: two masses on circles around the origin, joined by a
    // rod of length √2, keep a right angle; the second one weighs nothing, so the first stays on its ray.
    m["point_masses"] = object!([
        {"name": "p", "mass": 1, "position": [3, 4, 0], "assembly": {"weight": 1e6}},
        {"name": "q", "mass": 1, "position": [-1, 1, 0], "assembly": {"weight": 1e-6}}
    ]);
    m["markers"] = object!([{"name": "a", "part": "p"}, {"name": "b", "part": "q"}]);
    m["joints"] = object!([
        {"name": "D", "type": "distance", "i": "a", "j": "ground", "length": 1},
        {"name": "E", "type": "distance", "i": "b", "j": "ground", "length": 1},
        {"name": "F", "type": "distance", "i": "a", "j": "b", "length": std::f64::consts::SQRT_2}
    ]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(a)"}, {"name": "y", "expression": "DY(a)"},
        {"name": "u", "expression": "DX(b)"}, {"name": "v", "expression": "DY(b)"}
    ]);
    let [x, y, u, v] = outputs(&m, ["x", "y", "u", "v"]);
    assert!((x - 0.6).abs() < 1e-9 && (y - 0.8).abs() < 1e-9, "{x} {y}");
    assert!((u + 0.8).abs() < 1e-9 && (v - 0.6).abs() < 1e-9, "{u} {v}");
}

/// Exact coordinates are kept to the last bit but one, also of an origin that is off the centre of mass.
#[test]
fn exact_coordinates_stay() {
    let exact = object!({"exact": ["x", "y"]});
    let mut m = pair("revolute", &exact, &object!({}));
    m["parts"][0]["center_of_mass"] = object!([0.3, -0.2, 0.1]);
    m["parts"][0]["position"] = object!([0.1, 0.2, -0.3]);
    m["parts"][1]["orientation"] = object!({"euler": [0.3, 0.4, 0.2]});
    let [ax, ay] = outputs(&m, ["ax", "ay"]);
    assert!(
        (ax - 0.1).abs() < 1e-15 && (ay - 0.2).abs() < 1e-15,
        "{ax} {ay}"
    );
    // No rotation about x and y: only the other part can turn its axis.
    m["parts"][0]["assembly"] = object!({"exact": ["rx", "ry"]});
    m["outputs"] = object!([{"name": "tilt", "expression": "THETA(a)"}]);
    let [tilt] = outputs(&m, ["tilt"]);
    assert!(tilt.abs() < 1e-7, "arc cosine near 1: {tilt}");
    m["parts"][0]["assembly"] = object!({});
    let [tilt] = outputs(&m, ["tilt"]);
    assert!(tilt > 0.1, "free, it tilts: {tilt}");
}

/// An exact angle is a component of the rotation vector, however far the others turn: with its first component zero
/// there is one rotation near by that takes a given point onto a given ray, here that of (0, 0.8, 0.9).
#[test]
fn an_exact_angle_stays_through_large_rotations() {
    let ray = [
        0.544_540_566_561_401_7,
        0.793_299_851_388_413_5,
        -0.405_155_423_456_367_6,
    ];
    let m = object!({
        "fixstep": 1, "name": "t",
        "parts": [body("p", [0.0; 3], &object!({"exact": ["x", "y", "z", "rx"]}))],
        "markers": [
            {"name": "i", "part": "p", "position": [1, 0, 0.3]},
            {"name": "x", "part": "p", "position": [1, 0, 0]},
            {"name": "y", "part": "p", "position": [0, 1, 0]},
            {"name": "j", "part": "ground", "orientation": {"z_point": ray, "x_point": [0, 0, 1]}}
        ],
        "joints": [{"name": "line", "type": "in_line", "i": "i", "j": "j"}],
        "outputs": [
            {"name": "xx", "expression": "DX(x)"}, {"name": "xy", "expression": "DY(x)"},
            {"name": "xz", "expression": "DZ(x)"}, {"name": "yx", "expression": "DX(y)"},
            {"name": "yy", "expression": "DY(y)"}, {"name": "yz", "expression": "DZ(y)"}
        ]
    });
    let found = outputs(&m, ["xx", "xy", "xz", "yx", "yy", "yz"]);
    let x = [0.358_477_85, 0.697_735_17, -0.620_209_04];
    let y = [-0.697_735_17, 0.641_632_46, 0.318_548_93];
    for (found, wanted) in found.iter().zip(x.iter().chain(&y)) {
        assert!((found - wanted).abs() < 1e-8, "{found} {wanted}");
    }
}

/// A rod of length 1 on a pivot, put ten lengths away: it turns until (x − x₀)² + θ² is least, which is where
/// 10 sin(θ − 1.2) + θ = 0. A whole step of Gauss and Newton goes five times too far there.
#[test]
fn the_nearest_place_is_found_from_far_away() {
    let (far, angle) = (10.0, 1.2_f64);
    let at = [far * cos(angle), far * sin(angle), 0.0];
    let m = object!({
        "fixstep": 1, "name": "t",
        "parts": [body("p", at, &object!({}))],
        "markers": [{"name": "hub", "part": "p", "position": [-1, 0, 0]}, {"name": "c", "part": "p"}],
        "joints": [{"name": "J", "type": "revolute", "i": "hub", "j": "ground"}],
        "outputs": [{"name": "x", "expression": "DX(c)"}, {"name": "y", "expression": "DY(c)"}]
    });
    let [x, y] = outputs(&m, ["x", "y"]);
    let (mut low, mut high) = (0.0, angle);
    for _ in 0..60 {
        let middle: f64 = 0.5 * (low + high);
        let slope = far * sin(middle - angle) + middle;
        *(if slope < 0.0 { &mut low } else { &mut high }) = middle;
    }
    assert!((atan2(y, x) - low).abs() < 1e-6, "{} {low}", atan2(y, x));
}

/// If exact coordinates prevent assembly, the error names the joint and the parts.
#[test]
fn exact_coordinates_that_prevent_assembly_are_named() {
    let exact = object!({"exact": ["x"]});
    let problem = try_build(&pair("spherical", &exact, &exact).to_string()).unwrap_err();
    assert!(
        problem.contains("joint \"J\": translation along"),
        "{problem}"
    );
    assert!(problem.contains("the parts \"one\", \"two\""), "{problem}");
}

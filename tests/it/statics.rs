//! Static equilibrium before the run, against statics by hand.

use crate::harness::{build, output, try_build};
use serde_json::{Value, json as object};
use std::f64::consts::{FRAC_PI_2, PI};

const G: f64 = 9.81;

/// Base of an inline model in SI units and radians that starts in equilibrium.
fn model() -> Value {
    object!({
        "fixstep": 1, "name": "t", "gravity": [0, 0, -G], "start": {"equilibrium": {}},
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

fn body(name: &str, mass: f64) -> Value {
    object!({"name": name, "mass": mass, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}})
}

/// A rod of length 2 and mass 3 on a hinge about y, turned by an angle from hanging down.
fn pendulum(angle: f64) -> Value {
    let mut m = model();
    m["parts"] = object!([body("rod", 3.0)]);
    let (s, c) = (
        fixstep_kernel::math::sin(angle),
        fixstep_kernel::math::cos(angle),
    );
    m["parts"][0]["position"] = object!([-s, 0, -c]);
    let half = angle / 2.0;
    m["parts"][0]["orientation"] = object!({"quaternion": [fixstep_kernel::math::cos(half), 0, fixstep_kernel::math::sin(half), 0]});
    let about_y = object!({"quaternion": [1, -1, 0, 0]});
    m["markers"] = object!([
        {"name": "a", "part": "rod", "position": [0, 0, 1], "orientation": about_y},
        {"name": "g", "part": "ground", "orientation": about_y},
        {"name": "tip", "part": "rod", "position": [0, 0, -1]}
    ]);
    m["joints"] = object!([{"name": "hinge", "type": "revolute", "i": "a", "j": "g"}]);
    m["outputs"] = object!([
        {"name": "angle", "expression": "AZ(a, g)"}, {"name": "rate", "expression": "WZ(a, g, g)"},
        {"name": "x", "expression": "DX(tip)"}, {"name": "z", "expression": "DZ(tip)"},
        {"name": "up", "expression": "JOINT(hinge, 0, 4, ground)"}
    ]);
    m
}

/// A point mass of 2 kg at a height, over a stop at zero that pushes when it is reached.
fn above_a_stop(height: f64) -> Value {
    let mut m = model();
    m["point_masses"] = object!([{"name": "ball", "mass": 2, "position": [0.3, 0, height]}]);
    m["markers"] = object!([{"name": "b", "part": "ball"}]);
    m["forces"] = object!([{"name": "stop", "type": "action_only_force", "i": "b", "j": "ground",
        "expression": "MAX(0, -1e5*DZ(b))"}]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(b)"}, {"name": "z", "expression": "DZ(b)"},
        {"name": "v", "expression": "VZ(b)"}
    ]);
    m
}

fn close(found: f64, wanted: f64, tolerance: f64) {
    assert!(
        (found - wanted).abs() <= tolerance,
        "found {found:.17}, wanted {wanted:.17}, off by {:.1e}",
        found - wanted
    );
}

#[test]
fn a_pendulum_hangs_down_wherever_it_begins() {
    for angle in [0.0, 0.3, -1.2, FRAC_PI_2, 1.7, 3.0, -3.1] {
        let s = build(&pendulum(angle).to_string());
        eprintln!("{angle}: {}", output(&s, "angle"));
        close(output(&s, "x"), 0.0, 1e-12);
        close(output(&s, "z"), -2.0, 1e-12);
        assert_eq!(output(&s, "rate"), 0.0);
        close(output(&s, "up").abs(), 3.0 * G, 1e-12 * 3.0 * G);
    }
}

/// Loads in balance are not disturbed, be the position stable or not.
#[test]
fn an_inverted_pendulum_is_in_equilibrium_too() {
    for angle in [PI, -PI] {
        let s = build(&pendulum(angle).to_string());
        close(output(&s, "z"), 2.0, 1e-12);
    }
}

/// With a force F across, tan φ = F/W, φ below the force's point of attack at the tip: moments about
/// the hinge F·2·cos φ = W·1·sin φ.
#[test]
fn a_force_across_deflects_a_pendulum() {
    let mut m = pendulum(0.2);
    m["inputs"] = object!([{"name": "push", "start": 12.0}]);
    m["markers"].as_array_mut().unwrap().push(object!(
        {"name": "across", "part": "ground", "orientation": {"quaternion": [1, 0, 1, 0]}}));
    m["forces"] = object!([{"name": "wind", "type": "action_only_force", "i": "tip", "j": "across",
        "expression": "push"}]);
    let s = build(&m.to_string());
    let tangent = 2.0 * 12.0 / (3.0 * G);
    close(output(&s, "x") / -output(&s, "z"), tangent, 1e-12);
}

/// A torsion spring between the rod and a crank that a motion drives: k (θ_m − θ) = W sin θ at the
/// motion's value at the start; the crank keeps the motion's rate, and the rod begins at rest.
#[test]
fn motions_are_held_at_the_start() {
    let mut m = pendulum(0.0);
    let about_y = object!({"quaternion": [1, -1, 0, 0]});
    m["parts"].as_array_mut().unwrap().push(body("crank", 1.0));
    for marker in [
        object!({"name": "c", "part": "crank", "orientation": about_y}),
        object!({"name": "t", "part": "rod", "position": [0, 0, 1], "orientation": about_y}),
    ] {
        m["markers"].as_array_mut().unwrap().push(marker);
    }
    m["joints"]
        .as_array_mut()
        .unwrap()
        .push(object!({"name": "drive", "type": "revolute", "i": "c", "j": "g"}));
    m["motions"] = object!([{"name": "servo", "joint": "drive", "displacement": "0.7 + 0.5*TIME"}]);
    m["forces"] = object!([{"name": "spring", "type": "torsion_spring_damper", "i": "t", "j": "c",
        "stiffness": 50, "damping": 20}]);
    m["outputs"]
        .as_array_mut()
        .unwrap()
        .push(object!({"name": "crank", "expression": "AZ(c, g)"}));
    m["outputs"]
        .as_array_mut()
        .unwrap()
        .push(object!({"name": "speed", "expression": "WZ(c, g, g)"}));
    let s = build(&m.to_string());
    let angle = output(&s, "angle");
    close(output(&s, "crank"), 0.7, 1e-13);
    close(output(&s, "speed"), 0.5, 1e-13);
    assert!(angle > 0.2 && angle < 0.7, "{angle}");
    close(
        50.0 * (0.7 - angle),
        3.0 * G * fixstep_kernel::math::sin(angle),
        1e-11,
    );
    close(output(&s, "rate"), 0.0, 1e-13);
}

/// Nothing pushes before the stop is reached: only pseudo-dynamics gets there.
#[test]
fn a_mass_above_a_stop_comes_to_rest_on_it() {
    for height in [-1.0, -1e-6, 0.0, 1e-3, 0.5, 30.0] {
        let s = build(&above_a_stop(height).to_string());
        close(output(&s, "z"), -2.0 * G / 1e5, 1e-12);
        close(output(&s, "x"), 0.3, 1e-15);
        assert_eq!(output(&s, "v"), 0.0);
    }
}

/// Two springs in a row, each with a weight below it: x₁ = (m₁ + m₂) g/k₁, x₂ = x₁ + m₂ g/k₂; a
/// disc on a bearing has no preferred angle, and keeps the one it has.
#[test]
fn springs_in_a_row_stretch_and_a_free_disc_stays() {
    let mut m = model();
    m["parts"] = object!([body("one", 2.0), body("two", 5.0), body("disc", 1.0)]);
    for (k, z) in [-0.5, -1.0, -1.0].into_iter().enumerate() {
        m["parts"][k]["position"] = object!([0, 0, z]);
    }
    m["parts"][2]["orientation"] = object!({"euler": [0.4, 0, 0]});
    m["markers"] = object!([
        {"name": "a", "part": "one"}, {"name": "b", "part": "two"}, {"name": "d", "part": "disc"}
    ]);
    m["joints"] = object!([
        {"name": "first", "type": "translational", "i": "a", "j": "ground"},
        {"name": "second", "type": "translational", "i": "b", "j": "ground"},
        {"name": "bearing", "type": "revolute", "i": "d", "j": "b"}
    ]);
    let spring = |name: &str, i: &str, j: &str, stiffness: f64| {
        object!({"name": name, "type": "spring_damper", "i": i, "j": j, "stiffness": stiffness,
            "damping": 3, "length": 0.5})
    };
    m["forces"] = object!([
        spring("upper", "a", "ground", 900.0),
        spring("lower", "b", "a", 400.0)
    ]);
    m["outputs"] = object!([
        {"name": "one", "expression": "DZ(a)"}, {"name": "two", "expression": "DZ(b)"},
        {"name": "turn", "expression": "AZ(d, b)"}
    ]);
    let s = build(&m.to_string());
    let first = -0.5 - 8.0 * G / 900.0;
    close(output(&s, "one"), first, 1e-13);
    close(output(&s, "two"), first - 0.5 - 6.0 * G / 400.0, 1e-13);
    close(output(&s, "turn"), 0.4, 1e-14);
}

/// A filter's state comes to rest with the mechanism; held, it stays at its initial value.
#[test]
fn states_of_equations_come_to_rest_with_the_bodies() {
    for hold in [false, true] {
        let mut m = above_a_stop(0.2);
        m["start"]["equilibrium"]["hold_states"] = hold.into();
        m["forces"][0]["expression"] = "-1000*DZ(b) - 500*DIF(lag)".into();
        m["differential_equations"] = object!([{"name": "lag", "derivative": "(DZ(b) - DIF(lag))/0.05",
            "initial": 0.1}]);
        m["outputs"]
            .as_array_mut()
            .unwrap()
            .push(object!({"name": "lag", "expression": "DIF(lag)"}));
        let s = build(&m.to_string());
        let (z, lag) = if hold {
            (-(2.0 * G + 50.0) / 1000.0, 0.1)
        } else {
            (-2.0 * G / 1500.0, -2.0 * G / 1500.0)
        };
        close(output(&s, "z"), z, 1e-13);
        close(output(&s, "lag"), lag, 1e-13);
    }
}

#[test]
fn what_nothing_holds_is_named() {
    let mut m = above_a_stop(1.0);
    m["forces"] = object!([]);
    let problem = try_build(&m.to_string()).unwrap_err();
    assert!(
        problem.contains("no static equilibrium was found"),
        "{problem}"
    );
    assert!(problem.contains("part \"ball\" by 1.962e1 N"), "{problem}");
    // Two that go the same way are told as a whole, along an axis.
    let mut pair = m.clone();
    pair["units"] = object!({"length": "mm"});
    pair["gravity"] = object!([0, 0, -9810]);
    pair["point_masses"]
        .as_array_mut()
        .unwrap()
        .push(object!({"name": "twin", "mass": 7, "position": [500, 0, 1]}));
    let problem = try_build(&pair.to_string()).unwrap_err();
    assert!(
        problem.contains(
            "; the mechanism as a whole accelerates along z of ground by -9.810e3 mm/s²: nothing"
        ),
        "{problem}"
    );
    pair["gravity"] = object!([-9810, -9810, 0]);
    let problem = try_build(&pair.to_string()).unwrap_err();
    assert!(!problem.contains("as a whole"), "{problem}");
    let mut integrator = above_a_stop(0.0);
    integrator["differential_equations"] =
        object!([{"name": "clock", "derivative": "1", "initial": 0}]);
    let problem = try_build(&integrator.to_string()).unwrap_err();
    assert!(
        problem.contains("differential equation \"clock\""),
        "{problem}"
    );
    integrator["start"]["equilibrium"]["hold_states"] = true.into();
    build(&integrator.to_string());
}

/// Without loads, or with dampers alone, everything stays, and a velocity that the model gives is there
/// after it; nothing to move is no problem either.
#[test]
fn what_has_no_stiffness_stays_where_it_is() {
    let mut free = above_a_stop(1.0);
    free["gravity"] = object!([0, 0, 0]);
    free["point_masses"][0]["velocity"] = object!([1, 2, 3]);
    let mut damped = free.clone();
    damped["forces"] = object!([{"name": "damper", "type": "spring_damper", "i": "b", "j": "ground",
        "stiffness": 0, "damping": 10, "length": 0}]);
    for m in [free, damped] {
        let s = build(&m.to_string());
        assert_eq!([output(&s, "x"), output(&s, "z")], [0.3, 1.0]);
        close(output(&s, "v"), 3.0, 1e-14);
    }
    let mut held = pendulum(0.4);
    held["joints"][0]["type"] = "fixed".into();
    held["markers"][1]["orientation"] = object!({"euler": [0, 0, 0]});
    held["markers"][0]["orientation"] = object!({"euler": [0, 0, 0]});
    let s = build(&held.to_string());
    close(output(&s, "up").abs(), 3.0 * G, 1e-11);
}

/// An inverted pendulum of length 1 whose actuator is a lag of a proportional controller with gain 80
/// against W = 3·9.81: upright is where it rests, and that lasts. With gain 10 it does not hold.
/// The target 0.1 rad to one side: 80 (0.1 − θ) + W sin θ = 0, θ from upright.
#[test]
fn a_controller_with_states_can_hold_what_would_fall() {
    let mut m = pendulum(PI - 0.05);
    m["differential_equations"] = object!([
        {"name": "torque", "derivative": "(gain*(PI - 0.1 - AZ(a, g)) - DIF(torque))/0.01"}
    ]);
    m["parameters"] = object!([{"name": "gain", "start": 80.0}]);
    m["forces"] = object!([
        {"name": "motor", "type": "torque", "i": "a", "j": "g", "expression": "DIF(torque)"}
    ]);
    m["outputs"]
        .as_array_mut()
        .unwrap()
        .push(object!({"name": "torque", "expression": "DIF(torque)"}));
    let s = build(&m.to_string());
    assert!(
        !s.notes().iter().any(|n| n.contains("unstable")),
        "{:?}",
        s.notes()
    );
    let lean = PI - output(&s, "angle");
    close(
        80.0 * (lean - 0.1),
        3.0 * G * fixstep_kernel::math::sin(lean),
        1e-11,
    );
    close(output(&s, "torque"), 80.0 * (lean - 0.1), 1e-11);
    m["parameters"][0]["start"] = 10.0.into();
    let s = build(&m.to_string());
    assert!(
        fixstep_kernel::math::cos(output(&s, "angle")) > 0.0,
        "{}",
        output(&s, "angle")
    );
}

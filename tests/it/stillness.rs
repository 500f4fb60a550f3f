//! Tests that a mechanism that begins at rest in equilibrium stays there: no scheme causes a transient. The equilibria
//! are computed by hand and given as initial positions; no analysis searches for them.

use crate::harness::{build, output, start};
use serde_json::{Value, json as object};

const G: f64 = 9.81;

/// Every scheme, each as it is and with one solve per step.
fn schemes() -> Vec<Value> {
    let mut all = vec![
        object!({"integrator": "GSTIFF", "formulation": "I3"}),
        object!({"integrator": "GSTIFF", "formulation": "SI2"}),
        object!({"integrator": "HHT"}),
        object!({"integrator": "NEWMARK"}),
        object!({"integrator": "GENALPHA"}),
    ];
    for k in 0..all.len() {
        let mut linear = all[k].clone();
        linear["linearly_implicit"] = true.into();
        all.push(linear);
    }
    all
}

/// Ten thousand steps under every scheme, at two step sizes; each output stays within 1e-9 of the value
/// by hand.
fn stays(model: &Value, wanted: &[(&str, f64)]) {
    for scheme in schemes() {
        for h in [1e-3, 1e-2] {
            let mut m = model.clone();
            m["solver"] = scheme.clone();
            let mut simulation = build(&m.to_string());
            start(&mut simulation, h);
            for step in 0..=10_000 {
                for (name, value) in wanted {
                    let off = (output(&simulation, name) - value).abs();
                    assert!(off < 1e-9, "{scheme} h {h} {name} step {step}: {off:e}");
                }
                simulation.step().unwrap();
            }
        }
    }
}

fn model() -> Value {
    object!({
        "fixstep": 1, "name": "t", "gravity": [0, 0, -G],
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

fn body(name: &str, position: [f64; 3]) -> Value {
    object!({
        "name": name, "mass": 2, "position": position,
        "inertia": {"xx": 0.1, "yy": 0.2, "zz": 0.3}
    })
}

/// On a ball joint, with its axes turned, its centre of mass straight below.
#[test]
fn a_pendulum_on_a_ball_joint() {
    let mut m = model();
    m["parts"] = object!([body("bob", [0.4, -0.2, -1.0])]);
    m["parts"][0]["orientation"] = object!({"euler": [0.7, 0, 0]});
    m["markers"] = object!([
        {"name": "top", "part": "bob", "position": [0, 0, 1]},
        {"name": "centre", "part": "bob"},
        {"name": "hook", "part": "ground", "position": [0.4, -0.2, 0]}
    ]);
    m["joints"] = object!([{"name": "ball", "type": "spherical", "i": "top", "j": "hook"}]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(centre)"}, {"name": "y", "expression": "DY(centre)"},
        {"name": "z", "expression": "DZ(centre)"}, {"name": "turn", "expression": "AZ(centre)"}
    ]);
    stays(&m, &[("x", 0.4), ("y", -0.2), ("z", -1.0), ("turn", 0.7)]);
}

/// A mass half a metre from either of two springs that both pull: k₁ (0.5 − l₁) = k₂ (0.5 − l₂) + m g,
/// with 2000 N/m and l₁ = 0.2: l₂ = 0.5 − (600 − 2 g)/2000. Across, the pull alone is its stiffness.
#[test]
fn a_mass_between_preloaded_springs() {
    let mut m = model();
    m["point_masses"] = object!([{"name": "p", "mass": 2, "position": [0, 0, -0.5]}]);
    m["markers"] = object!([
        {"name": "m", "part": "p"}, {"name": "low", "part": "ground", "position": [0, 0, -1]}
    ]);
    let spring = |name: &str, j: &str, stiffness: f64, length: f64| {
        object!({"name": name, "type": "spring_damper", "i": "m", "j": j, "stiffness": stiffness,
            "length": length})
    };
    m["forces"] = object!([
        spring("upper", "ground", 2000.0, 0.2),
        spring("lower", "low", 2000.0, 0.5 - (600.0 - 2.0 * G) / 2000.0)
    ]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(m)"}, {"name": "z", "expression": "DZ(m)"}
    ]);
    stays(&m, &[("x", 0.0), ("z", -0.5)]);
}

/// Two cranks straight down and a bar: four revolutes in a plane, three of their rows redundant.
#[test]
fn a_four_bar_at_rest() {
    let mut m = model();
    m["parts"] = object!([
        body("left", [0.0, 0.0, -0.5]),
        body("bar", [1.0, 0.0, -1.0]),
        body("right", [2.0, 0.0, -0.5])
    ]);
    let end = |name: &str, part: &str, x: f64, z: f64| {
        object!({"name": name, "part": part, "position": [x, 0, z],
            "orientation": {"quaternion": [1, 1, 0, 0]}})
    };
    m["markers"] = object!([
        end("a", "left", 0.0, 0.5),
        end("b", "left", 0.0, -0.5),
        end("b2", "bar", -1.0, 0.0),
        end("c", "bar", 1.0, 0.0),
        end("c2", "right", 0.0, -0.5),
        end("d", "right", 0.0, 0.5),
        end("a2", "ground", 0.0, 0.0),
        end("d2", "ground", 2.0, 0.0)
    ]);
    let pin =
        |name: &str, i: &str, j: &str| object!({"name": name, "type": "revolute", "i": i, "j": j});
    m["joints"] = object!([
        pin("A", "a", "a2"),
        pin("B", "b", "b2"),
        pin("C", "c", "c2"),
        pin("D", "d", "d2")
    ]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(b)"}, {"name": "z", "expression": "DZ(c)"},
        {"name": "angle", "expression": "AZ(a, a2)"}
    ]);
    stays(&m, &[("x", 0.0), ("z", -1.0), ("angle", 0.0)]);
}

/// On a bushing without damping, sunk by m g/k.
#[test]
fn a_body_on_an_undamped_bushing() {
    let sag = 2.0 * G / 3e5;
    let mut m = model();
    m["parts"] = object!([body("block", [0.0, 0.0, -sag])]);
    m["markers"] = object!([{"name": "i", "part": "block"}]);
    m["forces"] = object!([{
        "name": "mount", "type": "bushing", "i": "i", "j": "ground",
        "stiffness": [2e5, 1e5, 3e5], "torsional_stiffness": [50, 60, 40]
    }]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(i)"}, {"name": "z", "expression": "DZ(i)"},
        {"name": "turn", "expression": "AZ(i)"}, {"name": "tilt", "expression": "AX(i)"}
    ]);
    stays(&m, &[("x", 0.0), ("z", -sag), ("turn", 0.0), ("tilt", 0.0)]);
}

/// A weight that a controller with integral and lag holds where it is wanted: its states carry the
/// weight, the integral W/k_i, the lag W.
#[test]
fn a_controlled_weight() {
    let weight = 2.0 * G;
    let mut m = model();
    m["point_masses"] = object!([{"name": "p", "mass": 2, "position": [0, 0, 0.25]}]);
    m["markers"] = object!([{"name": "m", "part": "p"}]);
    m["differential_equations"] = object!([
        {"name": "sum", "derivative": "0.25 - DZ(m)", "initial": weight / 300.0},
        {"name": "force", "initial": weight, "derivative":
            "(400*(0.25 - DZ(m)) - 60*VZ(m) + 300*DIF(sum) - DIF(force))/0.005"}
    ]);
    m["forces"] = object!([{
        "name": "motor", "type": "action_only_force", "i": "m", "j": "ground",
        "expression": "DIF(force)"
    }]);
    m["outputs"] = object!([
        {"name": "z", "expression": "DZ(m)"}, {"name": "sum", "expression": "DIF(sum)"}
    ]);
    stays(&m, &[("z", 0.25), ("sum", weight / 300.0)]);
}

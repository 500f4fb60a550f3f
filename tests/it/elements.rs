//! Elements against closed forms: bushing samples, products of inertia, and the joints that no
//! trajectory case covers.

use crate::harness::{advance, build, json, load, output, start};
use fixstep_kernel::math::{atan2, cos as libm_cos, sin as libm_sin};
use serde_json::{Value, json as object};

fn vector(value: &Value) -> [f64; 3] {
    std::array::from_fn(|k| value[k].as_f64().unwrap())
}

fn matrix(value: &Value) -> fixstep_kernel::math::Mat3 {
    fixstep_kernel::math::Mat3::from_fn(|r, c| value[r][c].as_f64().unwrap())
}

fn quaternion(value: &Value) -> Value {
    object!({"quaternion": fixstep_kernel::math::rotation::quaternion(&matrix(value))})
}

/// Base of an inline model in SI units and radians.
fn model() -> Value {
    object!({
        "fixstep": 1, "name": "t", "solver": {"fixit": 6},
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

fn outputs(list: &[(&str, &str)]) -> Value {
    list.iter()
        .map(|(n, e)| object!({"name": n, "expression": e}))
        .collect()
}

#[test]
fn bushing_samples() {
    let case = json("H05_bushing/reference.json");
    for sample in case["samples"].as_array().unwrap() {
        let Some(force) = sample.get("force_on_I_global") else {
            continue;
        };
        let axes = matrix(&case["A_J"]);
        let turn = |v: &Value| {
            let v = vector(v);
            (axes * fixstep_kernel::math::Vec3::new(v[0], v[1], v[2]))
                .as_slice()
                .to_vec()
        };
        let mut m = model();
        m["parts"] = object!([{
            "name": "body", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1},
            "position": sample["x_I"], "orientation": quaternion(&sample["A_I"]),
            "velocity": turn(&sample["v_J"]), "angular_velocity": turn(&sample["w_J"])
        }]);
        m["markers"] = object!([
            {"name": "i", "part": "body"},
            {"name": "j", "part": "ground", "position": case["x_J"],
             "orientation": quaternion(&case["A_J"])}
        ]);
        m["forces"] = object!([{
            "name": "bush", "type": "bushing", "i": "i", "j": "j",
            "stiffness": case["k"], "damping": case["c"], "preload": case["preload_f"],
            "torsional_stiffness": case["kt"], "torsional_damping": case["ct"],
            "torsional_preload": case["preload_t"]
        }]);
        let read = |j: i32, c: i32| format!("FORCE(bush, {j}, {c}, ground)");
        let names: Vec<(String, String)> = (0..2)
            .flat_map(|j| [2, 3, 4, 6, 7, 8].map(|c| (format!("o{j}{c}"), read(j, c))))
            .collect();
        let list: Vec<(&str, &str)> = names
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        m["outputs"] = outputs(&list);
        let mut simulation = build(&m.to_string());
        start(&mut simulation, 1e-3);
        let small = sample["name"].as_str().unwrap().contains("small");
        let expected = [
            force,
            &sample["torque_on_I_global"],
            &sample["force_on_J_global"],
            &sample["torque_on_J_global"],
        ];
        for (k, (name, _)) in names.iter().enumerate() {
            let wanted = expected[k / 3][k % 3].as_f64().unwrap();
            // The reference projects small angles; the rotation vector differs to second order.
            let tolerance = if small {
                0.05 * wanted.abs().max(1.0)
            } else {
                1e-9 * 500.0
            };
            let got = output(&simulation, name);
            assert!(
                (got - wanted).abs() < tolerance,
                "{} {name}: {got} {wanted}",
                sample["name"]
            );
        }
    }
}

#[test]
fn products_of_inertia_are_positive_integrals() {
    let case = json("D03_torque_free_dzhanibekov/reference.json");
    let wanted = vector(&case["variant_products_of_inertia"]["omega0_body"]);
    // The body described in turned axes moves as the same body: compare energies and momenta.
    let mut plain = load("D03_torque_free_dzhanibekov/model.json");
    let mut turned = load("D03_torque_free_dzhanibekov/model_rotated.json");
    let energy = |s: &fixstep_kernel::simulation::Simulation| {
        s.figure(fixstep_kernel::simulation::Figure::KineticEnergy)
    };
    assert!((energy(&plain) - energy(&turned)).abs() < 1e-12);
    for (k, name) in ["wx", "wy", "wz"].iter().enumerate() {
        assert!((output(&turned, name) - wanted[k]).abs() < 1e-13);
    }
    start(&mut plain, 1e-3);
    start(&mut turned, 1e-3);
    advance(&mut plain, 2.0);
    advance(&mut turned, 2.0);
    assert!(
        (energy(&plain) - energy(&turned)).abs() < 1e-10,
        "the two bodies move apart"
    );
    let speed = |s: &fixstep_kernel::simulation::Simulation| {
        ["wx", "wy", "wz"]
            .iter()
            .map(|n| output(s, n).powi(2))
            .sum::<f64>()
    };
    assert!((speed(&plain) - speed(&turned)).abs() < 1e-9);
}

/// A screw turned by a motion advances by its pitch; a rack follows its pinion.
#[test]
fn screw_and_rack_transmit() {
    let mut m = model();
    m["parts"] = object!([
        {"name": "nut", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
        {"name": "rack", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}
    ]);
    let z_to_x = object!({"z_point": [1, 0, 0], "x_point": [0, 1, 0]});
    m["markers"] = object!([
        {"name": "n", "part": "nut"},
        {"name": "r", "part": "rack", "orientation": z_to_x},
        {"name": "gr", "part": "ground", "orientation": z_to_x}
    ]);
    m["joints"] = object!([
        {"name": "screw", "type": "screw", "i": "n", "j": "ground", "pitch": 0.02},
        {"name": "slide", "type": "translational", "i": "r", "j": "gr"},
        {"name": "rp", "type": "rack_and_pinion", "i": "n", "j": "r", "diameter": 0.3}
    ]);
    m["motions"] = object!([
        {"name": "turn", "joint": "screw", "direction": "rotation", "displacement": "8*TIME"}
    ]);
    m["outputs"] = outputs(&[("advance", "DZ(n)"), ("angle", "AZ(n)"), ("rack", "DX(r)")]);
    let mut simulation = build(&m.to_string());
    start(&mut simulation, 1e-2);
    advance(&mut simulation, 2.0);
    let angle = 16.0;
    assert!(
        (output(&simulation, "angle") - angle).abs() < 1e-10,
        "turns are counted"
    );
    let advance = 0.02 * angle / std::f64::consts::TAU;
    assert!((output(&simulation, "advance") - advance).abs() < 1e-12);
    let rack = output(&simulation, "rack").abs();
    assert!((rack - 0.15 * angle).abs() < 1e-10, "{rack}");
}

/// Two shafts at 40 degrees: a constant-velocity joint transmits the angle exactly, a universal joint
/// as `tan β₂ = tan β₁ cos α` or its inverse.
#[test]
fn constant_velocity_and_universal_joints_transmit() {
    let bend = 40.0_f64.to_radians();
    for (kind, exact) in [("constant_velocity", true), ("universal", false)] {
        let mut m = model();
        let turned =
            object!({"quaternion": [libm_cos(0.5 * bend), 0.0, libm_sin(0.5 * bend), 0.0]});
        m["parts"] = object!([
            {"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "orientation": turned}
        ]);
        m["markers"] = object!([
            {"name": "a", "part": "a"}, {"name": "b", "part": "b"},
            {"name": "g", "part": "ground", "orientation": turned}
        ]);
        m["joints"] = object!([
            {"name": "in", "type": "revolute", "i": "a", "j": "ground"},
            {"name": "out", "type": "cylindrical", "i": "b", "j": "g"},
            {"name": "bend", "type": kind, "i": "a", "j": "b"}
        ]);
        m["motions"] = object!([{"name": "turn", "joint": "in", "displacement": "TIME"}]);
        m["outputs"] = outputs(&[("out", "AZ(b, g)"), ("in", "AZ(a)")]);
        let mut simulation = build(&m.to_string());
        start(&mut simulation, 1e-2);
        let mut largest = 0.0_f64;
        for k in 1..=30 {
            advance(&mut simulation, 0.1 * f64::from(k));
            let (angle, driven) = (0.1 * f64::from(k), output(&simulation, "out"));
            if exact {
                assert!(
                    (driven - angle).abs() < 1e-9,
                    "{kind}: {driven} for {angle}"
                );
            } else {
                let wanted = [
                    atan2(libm_sin(angle) * libm_cos(bend), libm_cos(angle)),
                    atan2(libm_sin(angle), libm_cos(angle) * libm_cos(bend)),
                ];
                let error = wanted.map(|w| (driven - w).abs());
                assert!(
                    error[0].min(error[1]) < 1e-9,
                    "{kind}: {driven}, wanted {wanted:?}"
                );
                largest = largest.max((driven - angle).abs());
            }
        }
        assert!(
            exact || largest > 0.05,
            "a universal joint does not transmit evenly"
        );
    }
}

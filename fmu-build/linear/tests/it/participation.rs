//! Tests of the participation of inputs and outputs in a mode, against residues in closed form.

use crate::modes::found;
use faer::c64;
use serde_json::{Value, json};

/// Mass, damping and stiffness.
const M: f64 = 2.0;
const C: f64 = 3.0;
const K: f64 = 80.0;

/// A mass on a spring and a damper, on a base that an input drives along x: its displacement, velocity or acceleration.
fn on_a_base(level: &str) -> Value {
    let along = json!({"z_point": [1, 0, 0], "x_point": [0, 1, 0]});
    let part =
        |name: &str| json!({"name": name, "mass": M, "inertia": {"xx": 1, "yy": 1, "zz": 1}});
    let marker = |name: &str, part: &str| json!({"name": name, "part": part, "orientation": along});
    let rail =
        |i: &str| json!({"name": format!("rail_{i}"), "type": "translational", "i": i, "j": "g"});
    json!({
        "fixstep": 1, "name": "on_a_base", "gravity": [0, 0, 0],
        "parts": [part("base"), part("mass")],
        "markers": [marker("g", "ground"), marker("b", "base"), marker("m", "mass")],
        "joints": [rail("b"), rail("m")],
        "motions": [{"name": "road", "joint": "rail_b", level: "w"}],
        "inputs": [{"name": "w"}],
        "forces": [{"name": "s", "type": "vector_force", "i": "m", "j": "b", "axes": "ground",
            "fx": format!("-{K}*DX(m, b) - {C}*VX(m, b)")}],
        "outputs": [{"name": "x", "expression": "DX(m)"}]
    })
}

/// The residue of (c s + k) / (m s² + c s + k) at a root, divided by s for each derivative that the input gives.
#[test]
fn a_driven_base_takes_part_by_its_derivatives() {
    for (order, level) in ["displacement", "velocity", "acceleration"]
        .iter()
        .enumerate()
    {
        let all = found(&on_a_base(level));
        let modes = all.modes.list.iter().filter(|mode| mode.root.is_pair());
        let mut seen = 0;
        for mode in modes {
            let s = mode.root.value;
            let wanted = (s * C + K) / (s * (2.0 * M) + C) / s.powi(order as i32);
            let residue = mode.outputs[0] * mode.inputs.as_ref().unwrap()[0];
            assert!(
                (residue - wanted).norm() < 1e-10 * wanted.norm(),
                "{level}: {residue} {wanted}"
            );
            seen += 1;
        }
        assert_eq!(seen, 1, "{level}");
    }
}

/// A critically damped mass has a double root without participation; close to critical damping there are two roots.
#[test]
fn a_double_root_has_no_shares() {
    for (factor, simple) in [(1.0, false), (1.0 + 1e-15, false), (1.1, true), (0.9, true)] {
        let c = 2.0 * f64::sqrt(K * M) * factor;
        let along = json!({"z_point": [1, 0, 0], "x_point": [0, 1, 0]});
        let model = json!({
            "fixstep": 1, "name": "critical", "gravity": [0, 0, 0],
            "parts": [{"name": "mass", "mass": M, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
            "markers": [
                {"name": "g", "part": "ground", "orientation": along},
                {"name": "m", "part": "mass", "orientation": along}
            ],
            "joints": [{"name": "rail", "type": "translational", "i": "m", "j": "g"}],
            "inputs": [{"name": "f", "unit": "N"}],
            "forces": [{"name": "s", "type": "vector_force", "i": "m", "j": "g", "axes": "ground",
                "fx": format!("f - {K}*DX(m) - {c:?}*VX(m)")}],
            "outputs": [{"name": "x", "expression": "DX(m)"}]
        });
        let all = found(&model);
        let shares = all.modes.list.iter().map(|mode| mode.inputs.is_some());
        assert_eq!(
            shares.collect::<Vec<_>>().contains(&true),
            simple,
            "{factor}"
        );
        let none = c64::new(0.0, 0.0);
        let told = { all.modes.list.iter() }.filter_map(|mode| mode.inputs.as_ref());
        assert!(told.flatten().all(|share| *share != none), "{factor}");
    }
}

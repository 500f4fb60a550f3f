//! Tests of start velocities of flexible bodies that rigid motion cannot give: shapes then get the rates with the least
//! kinetic energy.

use crate::flexible_start::{are_zero, cube, hinged, modal, push, square, tipped, with_rod};
use crate::harness::output;
use crate::soft::{self, Beam};
use fixstep_kernel::simulation::Simulation;
use serde_json::json;

/// A clamped beam whose tip a motion takes along, whatever its size: modal rates q̇ with Σ φ(L) q̇ = v and the least
/// Σ m q̇².
#[test]
fn rates_that_rigid_motion_cannot_give_have_the_least_kinetic_energy() {
    for length in [1.0, 1e-3] {
        let data = Beam::clamped(length, 2.0, 40.0 * length.powi(4), 3).data();
        let tip: Vec<f64> = data.nodes[2].translation.iter().map(|phi| phi.y).collect();
        let speed = 0.1 * length;
        let mut model = json!({
            "fixstep": 1, "name": "t", "gravity": [0, 0, 0],
            "flexible_bodies": [{"name": "b", "file": "body.flex"}],
            "markers": [
                {"name": "root", "part": "b", "node": "root"}, {"name": "tip", "part": "b", "node": "tip"},
                {"name": "rail", "part": "ground", "position": [length, 0, 0],
                 "orientation": {"z_point": [length, 1, 0], "x_point": [2, 0, 0]}},
                {"name": "eye", "part": "follower"}
            ],
            "parts": [cube("follower", [length, 0.0, 0.0])],
            "joints": [
                {"name": "clamp", "type": "fixed", "i": "root", "j": "ground"},
                {"name": "rail", "type": "translational", "i": "eye", "j": "rail"},
                {"name": "push", "type": "in_plane", "i": "tip", "j": "eye"}
            ],
            "motions": [{"name": "push", "joint": "rail", "displacement": format!("{speed}*TIME")}],
            "experiment": {"start": 0, "stop": 1, "step": 0.001}
        });
        let along = json!({"z_point": [length, 1, 0], "x_point": [2, 0, 0]});
        model["markers"][3]["orientation"] = along;
        let mut simulation = soft::build(&model, &data);
        let [q, rates] = modal(&mut simulation);
        assert!(are_zero(&q), "{q:?}");
        let sum: f64 = tip.iter().map(|phi| phi * phi).sum();
        for (found, phi) in rates.iter().zip(&tip) {
            let wanted = speed * phi / sum;
            assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
        }
    }
}

/// The message about given velocities that are not met.
fn missed(simulation: &Simulation) -> String {
    let findings = simulation.findings();
    let told = findings.iter().map(ToString::to_string);
    told.filter(|text| text.contains("[velocity-missed]"))
        .collect()
}

/// Velocities that are given to both ends are met where shapes allow it, and the shapes have rates then.
#[test]
fn given_velocities_are_exact_where_shapes_allow_it() {
    let mut simulation = with_rod(|m| {
        hinged(m, &json!({"angle": 0.5, "angular_velocity": 3}));
        tipped(m);
        m["parts"][0]["angular_velocity"] = json!([0, 0, 2.9]);
        push(
            m,
            "outputs",
            json!({"name": "root", "expression": "WZ(root)"}),
        );
    });
    for (name, wanted) in [("spin", 2.9), ("root", 3.0)] {
        let spin = output(&simulation, name);
        assert!((spin - wanted).abs() < 1e-12, "{name}: {spin}");
    }
    let [q, rates] = modal(&mut simulation);
    assert!(are_zero(&q) && !are_zero(&rates));
    assert_eq!(missed(&simulation), "");
}

/// Where neither rigid motion nor shapes can give what is wanted, it is reported, and no shape moves for it.
#[test]
fn velocities_that_no_shape_can_give_are_reported() {
    let mut simulation = with_rod(|m| {
        hinged(m, &json!({"angle": 0.5}));
        tipped(m);
        push(m, "parts", cube("stone", [0.5, 0.0, 0.0]));
        push(m, "markers", json!({"name": "stone", "part": "stone"}));
        push(
            m,
            "joints",
            json!({"name": "glue", "type": "fixed", "i": "stone", "j": "seat"}),
        );
        m["parts"][0]["angular_velocity"] = json!([0, 0, 3]);
        m["parts"][1]["angular_velocity"] = json!([0, 0, 4]);
    });
    let spin = output(&simulation, "spin");
    assert!((spin - 3.5).abs() < 1e-9, "{spin}");
    assert!(modal(&mut simulation).iter().all(|all| are_zero(all)));
    let told = missed(&simulation);
    let both = ["weight", "stone"].map(|name| told.contains(name));
    assert_eq!(both, [true; 2], "{told}");
}

/// A loop of rods that sag across its plane turns almost as it would without the sag: what that leaves to shapes is as
/// small as it is.
#[test]
fn a_sagging_loop_turns_with_the_rate_that_is_given() {
    let rate = 2.0;
    let mut simulation = with_rod(|m| {
        square(m, &json!({"angular_velocity": rate}));
        m["gravity"] = json!([0, 0, -9.81]);
        m["start"] = json!({"equilibrium": {}});
        push(
            m,
            "outputs",
            json!({"name": "crank", "expression": "WZ(a0)"}),
        );
    });
    let [q, rates] = modal(&mut simulation);
    let most = |all: &[f64]| all.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let (bent, fastest) = (most(&q), most(&rates));
    let found = ["crank", "rate"].map(|name| output(&simulation, name));
    eprintln!("sag {bent:e}, modal rates {fastest:e}, crank and rocker {found:?}");
    assert!(
        bent > 1e-6 && fastest < 10.0 * bent * rate,
        "{bent} {fastest}"
    );
    assert!((found[0] - rate).abs() < 1e-12, "{found:?}");
    assert!((found[1] - rate).abs() < 1e-3, "{found:?}");
}

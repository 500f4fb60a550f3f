//! Tests of LuGre friction in joints: holding, breaking away, stopping, several components in one bearing.

use crate::friction::{G, add, along_x, close, model};
use crate::harness::{advance, build, output, start};
use crate::states::{schemes, with_solver};
use serde_json::json;

/// Bristles hold the block of `what_is_held_on_a_slope_creeps` to rounding, bent by tan α/σ0, and let
/// it go again; sliding is Coulomb's.
#[test]
fn bristles_hold_on_a_slope() {
    let (slope, stiffness) = (0.3_f64, 1e4);
    let law = json!({"type": "lugre", "bristle_stiffness": stiffness, "bristle_damping": 30,
                     "stribeck_velocity": 0.01});
    let friction = json!({"mu_static": 0.4, "mu_dynamic": 0.25, "law": law});
    let mut model = model("translational", &along_x(), &friction);
    let normal = G / (1.0 + slope * slope).sqrt();
    model["inputs"] = json!([{"name": "push"}]);
    model["gravity"] = json!([slope * normal, 0, -normal]);
    add(
        &mut model,
        "outputs",
        json!({"name": "z", "expression": "DIF(rub)"}),
    );
    let pull =
        json!({"name": "pull", "type": "vector_force", "i": "i", "j": "ground", "fx": "push"});
    add(&mut model, "forces", pull);
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 1.0);
        close(output(&simulation, "v"), 0.0, 1e-9, name);
        let bent = slope / stiffness;
        close(output(&simulation, "z"), bent, 1e-3 * bent, name);
        let held = output(&simulation, "x");
        advance(&mut simulation, 3.0);
        close(output(&simulation, "x"), held, 1e-8, name);
        simulation.set_input(fixstep_kernel::ids::InputId::from(0), 4.0 * normal);
        advance(&mut simulation, 3.5);
        let moving = output(&simulation, "v");
        assert!(moving > 0.1, "{name}: {moving}");
        close(
            output(&simulation, "force"),
            -0.25 * 2.0 * normal,
            1e-6,
            name,
        );
    }
}

/// Sliding to a stop by bristles: the same distance and time as Coulomb's, and then rest.
#[test]
fn bristles_stop_a_block() {
    let (v0, mu) = (2.0, 0.3);
    let law = json!({"type": "lugre", "bristle_stiffness": 3e3, "bristle_damping": 20,
                     "stribeck_velocity": 0.01});
    let friction = json!({"mu_dynamic": mu, "law": law});
    let mut model = model("translational", &along_x(), &friction);
    model["parts"][0]["velocity"] = json!([v0, 0, 0]);
    let (distance, time) = (v0 * v0 / (2.0 * mu * G), v0 / (mu * G));
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.5);
        close(output(&simulation, "v"), v0 - mu * G * 0.5, 6e-3, name);
        advance(&mut simulation, time + 1.0);
        close(output(&simulation, "v"), 0.0, 1e-6, name);
        close(output(&simulation, "x"), distance, 5e-3 * distance, name);
    }
}

/// A ball and a pin by bristles slide as by Coulomb's law, components together.
#[test]
fn bristles_of_several_components_rub_together() {
    let law = json!({"type": "lugre", "bristle_stiffness": 2e3, "bristle_damping": 2,
                     "stribeck_velocity": 0.01});
    let friction = json!({"mu_static": 0.3, "mu_dynamic": 0.2, "ball_radius": 0.05, "law": law});
    let mut ball = model("spherical", &json!({"euler": [0.3, 0.4, 0.5]}), &friction);
    ball["parts"][0]["angular_velocity"] = json!([3, -4, 12]);
    add(
        &mut ball,
        "outputs",
        json!({"name": "spin", "expression": "WM(i, j)"}),
    );
    let mut simulation = build(&ball.to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 1.0);
    let rate = 0.2 * 0.05 * 2.0 * G / 0.05;
    close(output(&simulation, "spin"), 13.0 - rate, 0.02, "ball");
    let radius = 0.158_113_883_008_418_98;
    let friction = json!({"mu_dynamic": 0.2, "pin_radius": radius, "law": law});
    let mut pin = model("cylindrical", &along_x(), &friction);
    pin["parts"][0]["velocity"] = json!([0.9, 0, 0]);
    pin["parts"][0]["angular_velocity"] = json!([1.2 / radius, 0, 0]);
    add(
        &mut pin,
        "outputs",
        json!({"name": "z", "expression": "DIF(rub.1)"}),
    );
    let mut simulation = build(&pin.to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.5);
    let slip = 1.5 - 0.2 * G * 0.5;
    close(output(&simulation, "v"), 0.6 * slip, 3e-3, "slide");
    close(output(&simulation, "w") * radius, 0.8 * slip, 3e-3, "turn");
    close(
        output(&simulation, "z"),
        0.6 * 0.2 / 2e3,
        1e-6,
        "bent by its share",
    );
}

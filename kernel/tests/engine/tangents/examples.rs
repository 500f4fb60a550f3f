//! Columns of the examples, at their starts and on their way.

use super::*;
use fixstep_kernel::simulation::Entry;
use std::path::Path;

/// An example, with its files beside it.
fn example(name: &str) -> Simulation {
    changed(name, |_| {})
}

/// An example after a change.
fn changed(name: &str, change: impl Fn(&mut serde_json::Value)) -> Simulation {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../models")
        .join(name);
    let text = std::fs::read_to_string(folder.join("model.json")).unwrap();
    let mut model = serde_json::from_str(&text).unwrap();
    change(&mut model);
    simulation(&model.to_string(), &|path| {
        std::fs::read(folder.join(path)).map_err(|e| e.to_string())
    })
}

/// At the start, and after some steps with inputs that are not zero.
fn on_the_way(name: &str, steps: usize, inputs: &[f64]) {
    let mut run = example(name);
    check(&format!("{name} at the start"), &mut run);
    for (k, value) in inputs.iter().enumerate() {
        run.set_input(k.into(), *value);
    }
    for _ in 0..steps {
        run.step().unwrap();
    }
    check(&format!("{name} after {steps} steps"), &mut run);
}

#[test]
fn pendulum() {
    on_the_way("pendulum", 100, &[3.0]);
}

#[test]
fn four_bar() {
    on_the_way("four_bar", 100, &[]);
}

#[test]
fn car_on_a_tyre() {
    on_the_way("quarter_car", 50, &[]);
    on_the_way("wheel_over_kerb", 50, &[]);
}

#[test]
fn robot_arms() {
    on_the_way("robot_arm", 50, &[]);
    on_the_way("robot_arm_flexible_link", 50, &[]);
}

/// What flexible bodies weigh, where gravity is an input.
#[test]
fn gravity_of_flexible_bodies() {
    let mut run = changed("robot_arm_flexible_link", |model| {
        model["inputs"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": "more", "start": 0.5}));
        model["gravity"] = json!(["0.3*more", 0.1, "-9.81 - more**2"]);
    });
    for _ in 0..20 {
        run.step().unwrap();
    }
    let found = check("gravity", &mut run);
    let by_it = found
        .inputs
        .entries
        .iter()
        .filter(|e| e.column + 1 == found.inputs.columns);
    let modal = |e: &&Entry| matches!(found.places[e.row].coordinate, Coordinate::Modal { .. });
    assert!(by_it.filter(modal).count() > 0);
}

#[test]
fn slider_crank_with_a_flexible_rod() {
    on_the_way("flexible_slider_crank", 50, &[]);
}

#[test]
fn differential_equations() {
    on_the_way("controlled_pendulum", 100, &[]);
    on_the_way("press", 20, &[]);
}

#[test]
fn contacts_and_curves() {
    on_the_way("bouncer", 200, &[]);
    on_the_way("cam_follower", 100, &[]);
    on_the_way("washing_machine", 100, &[]);
}

#[test]
fn wheels_that_roll() {
    on_the_way("bicycle", 200, &[5.0, 0.5]);
}

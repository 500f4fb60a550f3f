//! The course of inputs between communication points: what a straight line gains over a held value.

use crate::harness::{build, output};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::math::sin;
use serde_json::json;

/// Communication step \[s\] and integration steps in it.
const STEP: f64 = 0.01;
const WITHIN: u32 = 10;

/// Largest distance of a driven oscillator from one whose force is known at every instant.
fn error(course: &str) -> f64 {
    let model = |force: &str| {
        json!({
            "fixstep": 1, "name": "driven", "gravity": [0, 0, 0],
            "point_masses": [{"name": "m", "mass": 1, "position": [0, 0, 0]}],
            "markers": [{"name": "mm", "part": "m"},
                        {"name": "far", "part": "ground", "position": [0, 0, -1]}],
            "inputs": [{"name": "u", "start": 0}],
            "forces": [{"name": "spring", "type": "spring_damper", "i": "mm", "j": "far",
                        "stiffness": 400, "damping": 4, "length": 1},
                       {"name": "drive", "type": "action_only_force", "i": "mm", "j": "ground",
                        "expression": force}],
            "outputs": [{"name": "z", "expression": "DZ(mm)"}],
            "solver": {"input_course": course, "hratio": WITHIN},
            "experiment": {"step": STEP}
        })
    };
    let mut driven = build(&model("u").to_string());
    let mut exact = build(&model("sin(12*time)").to_string());
    for simulation in [&mut driven, &mut exact] {
        simulation.set_step(STEP / f64::from(WITHIN));
        simulation.initialize(0.0).unwrap();
    }
    let mut worst = 0.0_f64;
    for _ in 0..200 {
        driven.set_input(InputId(0), sin(12.0 * driven.time()));
        for simulation in [&mut driven, &mut exact] {
            simulation.begin_communication(WITHIN);
            for _ in 0..WITHIN {
                simulation.step().unwrap();
            }
        }
        worst = worst.max((output(&driven, "z") - output(&exact, "z")).abs());
    }
    worst
}

#[test]
fn a_straight_line_follows_a_sampled_signal_better_than_a_held_value() {
    let (held, straight) = (error("hold"), error("linear"));
    eprintln!("held {held:e}, straight {straight:e}, {}", held / straight);
    assert!(straight < 0.2 * held, "{straight:e} {held:e}");
}

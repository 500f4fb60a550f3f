//! The double wishbone on bushings: what the wheel does under forces and a torque on the contact patch, against balances of
//! forces and moments by `tests/truth/double_wishbone/compliance.py`.

use super::{numbers, parameter, set};
use crate::harness::{json, output, simulation, truth};
use fixstep_kernel::ids::{InputId, OutputId};
use fixstep_kernel::mechanism::Mode;
use fixstep_kernel::simulation::{Known, Simulation, Unknown};
use fixstep_model::Model;
use serde_json::Value;

/// The outputs of the reference, and how far they may be off.
const OUTPUTS: [(&str, f64); 7] = [
    ("toe", 1e-12),
    ("camber", 1e-12),
    ("roll_centre", 1e-8),
    ("track_change", 1e-9),
    ("patch_x", 1e-9),
    ("patch_y", 1e-9),
    ("wheel_load", 1e-6),
];
/// How far compliances may be off, differences of starts, as a part of the largest of the output: without load, where the
/// size of a load is unknown and the difference is that of a tiny one, and under load.
const SLOPES: [f64; 2] = [0.1, 1e-6];
/// The loads, and by how much they are meant to be compared: 1 kN, 1 kN, 100 N m.
const LOADS: [(&str, f64); 3] = [
    ("longitudinal_force", 1e3),
    ("lateral_force", 1e3),
    ("aligning_torque", 1e5),
];

struct Case {
    changed: Vec<(String, f64)>,
    travel: f64,
    outputs: Vec<Vec<f64>>,
    /// By the loads, without load and under the last one.
    slopes: [Vec<Vec<f64>>; 2],
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn reference() -> (Vec<Vec<f64>>, Vec<Case>) {
    let data = json("double_wishbone/compliance.json");
    let order = data["outputs"].as_array().unwrap().iter();
    assert!(order.eq(OUTPUTS.iter().map(|(name, _)| name)));
    let case = |case: &Value| {
        let changed = case["parameters"].as_object().unwrap();
        let travel = changed.get("travel").map_or(0.0, |x| x.as_f64().unwrap());
        let changed = changed
            .iter()
            .map(|(name, x)| (name.clone(), x.as_f64().unwrap()));
        Case {
            changed: changed.collect(),
            travel,
            outputs: rows(&case["outputs"]),
            slopes: [rows(&case["slopes"]), rows(&case["loaded_slopes"])],
        }
    };
    let cases = data["cases"].as_array().unwrap().iter().map(case);
    (rows(&data["loads"]), cases.collect())
}

fn corner() -> Simulation {
    let path = truth("../../models/double_wishbone/compliance.json");
    let model = Model::from_file(&path).map_err(|e| e.to_string()).unwrap();
    simulation(&model).unwrap()
}

fn input(simulation: &Simulation, name: &str) -> InputId {
    let all = &simulation.mechanism().inputs;
    let at = all.iter().position(|input| input.quantity.name == name);
    InputId::from(at.unwrap_or_else(|| unreachable!("no input {name}")))
}

fn put(simulation: &mut Simulation, load: &[f64]) {
    for ((name, _), value) in LOADS.iter().zip(load) {
        let id = input(simulation, name);
        simulation.set_input(id, *value);
    }
}

fn quasi_static() -> Simulation {
    let mut simulation = corner();
    let mut settings = simulation.settings().clone();
    settings.mode = Mode::Static;
    simulation.set_settings(settings).unwrap();
    simulation
}

fn compare(simulation: &Simulation, expected: &[f64], what: &str) {
    for ((name, tolerance), expected) in OUTPUTS.iter().zip(expected) {
        let found = output(simulation, name);
        assert!(
            (found - expected).abs() < *tolerance,
            "{name}, {what}: {found}, expected {expected}, off by {:.1e}",
            found - expected
        );
    }
}

#[test]
fn starts_under_load_are_the_equilibria_of_the_balances() {
    let (loads, cases) = reference();
    let mut simulation = corner();
    for case in &cases {
        set(&mut simulation, &case.changed, case.travel);
        for (load, expected) in loads.iter().zip(&case.outputs) {
            put(&mut simulation, load);
            simulation.initialize(0.0).unwrap();
            let what = format!("{:?}, load {load:?}", case.changed);
            compare(&simulation, expected, &what);
        }
    }
}

#[test]
fn a_quasi_static_run_takes_the_loads_one_by_one() {
    let (loads, cases) = reference();
    let mut simulation = quasi_static();
    for case in [0, 3, 5] {
        let case = &cases[case];
        set(&mut simulation, &case.changed, case.travel);
        put(&mut simulation, &loads[0]);
        simulation.set_step(0.1);
        simulation.initialize(0.0).unwrap();
        for (load, expected) in loads.iter().zip(&case.outputs) {
            put(&mut simulation, load);
            simulation.step().unwrap();
            let what = format!("{:?}, load {load:?} in a run", case.changed);
            compare(&simulation, expected, &what);
        }
    }
}

#[test]
fn a_quasi_static_sweep_of_travel_meets_the_balances() {
    let (_, cases) = reference();
    let mut simulation = quasi_static();
    set(&mut simulation, &[], 0.0);
    let stroke = parameter(&simulation, "stroke");
    simulation.set_parameter(stroke, 80.0).unwrap();
    // −80 cos(π t/2): −40 mm at 2/3 s, 0 at 1 s, 40 mm at 4/3 s.
    simulation.set_step(1.0 / 3.0);
    simulation.initialize(0.0).unwrap();
    let mut compared = 0;
    for step in 0..=6 {
        let travel = output(&simulation, "wheel_travel");
        let only_travel = |case: &&Case| case.changed.iter().all(|(name, _)| name == "travel");
        let mut near = cases.iter().filter(only_travel);
        if let Some(case) = near.find(|case| (case.travel - travel).abs() < 1e-9) {
            compare(
                &simulation,
                &case.outputs[0],
                &format!("step {step} of the sweep"),
            );
            compared += 1;
        }
        if step < 6 {
            simulation.step().unwrap();
        }
    }
    assert_eq!(compared, 5);
}

/// The derivatives by the loads at the start are the compliances of the corner.
#[test]
fn compliances_are_the_derivatives_of_the_start_by_the_loads() {
    let (loads, cases) = reference();
    let mut simulation = corner();
    let outputs = &simulation.mechanism().outputs;
    let unknowns = OUTPUTS.map(|(name, _)| {
        let at = outputs.iter().position(|o| o.quantity.name == name);
        Unknown::Output(OutputId::from(at.unwrap()))
    });
    let mut worst = [[0.0_f64; 7]; 2];
    for case in &cases {
        set(&mut simulation, &case.changed, case.travel);
        for (at, slopes) in case.slopes.iter().enumerate() {
            put(&mut simulation, &loads[at * (loads.len() - 1)]);
            simulation.initialize(0.0).unwrap();
            for ((load, size), expected) in LOADS.iter().zip(slopes) {
                let known = Known::Input(input(&simulation, load));
                let direction = [(known, *size)];
                let found = simulation.start_derivative(&direction, &unknowns).unwrap();
                for (k, worst) in worst[at].iter_mut().enumerate() {
                    let all = slopes.iter().zip(&LOADS);
                    let all = all.map(|(row, (_, size))| (row[k] * size).abs());
                    let largest = all.fold(0.0, f64::max);
                    let off = (found[k] - expected[k] * size).abs() / largest;
                    *worst = worst.max(off);
                }
            }
        }
    }
    let told = worst.map(|all| all.map(|off| format!("{off:.1e}")));
    for (worst, tolerance) in worst.iter().zip(SLOPES) {
        assert!(worst.iter().all(|off| *off < tolerance), "{told:?}");
    }
}

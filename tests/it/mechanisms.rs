//! Tests of joints and forces between random bodies, in five systems of units, against an independent
//! multibody program.
//!
//! The references in `tests/mechanisms` come from a small program in Python that shares no formula
//! with the engine: constraint gradients by complex steps, their rates by sixth-order differences,
//! accelerations and reactions from the dense system `[M Gᵀ; G 0]`, trajectories by an explicit
//! Runge-Kutta method of order 8 at a relative tolerance of 1e-11. All numbers are random (fixed
//! seeds): positions, all three forms of orientation, centres of mass, full inertia tensors,
//! velocities that satisfy the constraint, gravity. Every value has its tolerance: 1e-9
//! of the largest of its kind at the start, where nothing is discretised, and 1e-5 at the end, for the
//! extrapolation of runs with h, h/2 and h/4.

use crate::harness::{advance, build, output, start};
use fixstep_kernel::simulation::Simulation;
use serde_json::Value;
use std::path::PathBuf;

fn case(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/mechanisms")
        .join(format!("{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// (name, value, tolerance) of a table.
fn table(values: &Value) -> Vec<(String, f64, f64)> {
    let number = |v: &Value| v.as_f64().unwrap();
    let entries = values.as_object().unwrap().iter();
    entries
        .map(|(name, v)| (name.clone(), number(&v[0]), number(&v[1])))
        .collect()
}

/// Polynomial extrapolation to h = 0 of values at h, h/2, h/4.
fn extrapolated([a, b, c]: [f64; 3]) -> f64 {
    let (first, second) = (2.0 * b - a, 2.0 * c - b);
    (4.0 * second - first) / 3.0
}

fn compare(simulation: &Simulation, name: &str, wanted: &[(String, f64, f64)]) {
    for (quantity, value, tolerance) in wanted {
        let got = output(simulation, quantity);
        assert!(
            (got - value).abs() <= *tolerance,
            "{name}, start, {quantity}: {got}, wanted {value} ± {tolerance}"
        );
    }
}

fn holds(name: &str) {
    let case = case(name);
    let mut simulation = build(&case["model"].to_string());
    compare(&simulation, name, &table(&case["start"]));
    let until = case["end"]["time"].as_f64().unwrap();
    let wanted = table(&case["end"]["values"]);
    let runs: Vec<Vec<f64>> = (0..3)
        .map(|k| {
            start(&mut simulation, case["end"]["levels"][k].as_f64().unwrap());
            advance(&mut simulation, until);
            let read = |(quantity, _, _): &(String, f64, f64)| output(&simulation, quantity);
            wanted.iter().map(read).collect()
        })
        .collect();
    for (k, (quantity, value, tolerance)) in wanted.iter().enumerate() {
        let got = extrapolated([runs[0][k], runs[1][k], runs[2][k]]);
        assert!(
            (got - value).abs() <= *tolerance,
            "{name}, end, {quantity}: {got}, wanted {value} ± {tolerance}"
        );
    }
}

#[test]
fn joints_of_points_and_axes_agree_with_an_independent_program() {
    holds("joint_fixed_mts");
    holds("joint_translational_mms");
    holds("joint_cylindrical_ips");
    holds("joint_planar_cgs");
}

#[test]
fn joints_of_shafts_agree_with_an_independent_program() {
    holds("joint_universal_ips");
    holds("joint_constant_velocity_mms");
    holds("joint_screw_mmks");
    holds("joint_screw_mts");
}

#[test]
fn joint_primitives_agree_with_an_independent_program() {
    holds("joint_in_line_mts");
    holds("joint_perpendicular_mmks");
    holds("joint_distance_si");
    holds("joint_orientation_ips");
}

#[test]
fn springs_and_bushings_agree_with_an_independent_program() {
    holds("force_torsion_spring_damper_ips");
    holds("force_bushing_mmks");
}

#[test]
fn forces_by_expression_on_moving_axes_agree_with_an_independent_program() {
    holds("force_action_only_torque_cgs");
    holds("force_line_of_sight_mms");
    holds("force_general_force_ips");
}

//! Formulation SI2: positions and velocities meet their constraints together.

use crate::harness::{advance, build, json, output, start, truth};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json as value};
use std::path::Path;

/// A model with its solver replaced by GSTIFF/SI2 with some iterations.
fn stabilised(path: &Path, fixit: u8) -> Simulation {
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    model["solver"] = value!({"integrator": "GSTIFF", "formulation": "SI2", "fixit": fixit});
    build(&model.to_string())
}

fn pendulum(fixit: u8) -> Simulation {
    let mut simulation = stabilised(&truth("G03_pendulum_index3_steps/model.json"), fixit);
    start(&mut simulation, 0.01);
    simulation
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn pendulum_follows_stabilised_index_2_backward_euler() {
    let case = json("G03_pendulum_index3_steps/reference.json");
    let mut simulation = pendulum(10);
    for row in case["sequences"]["BE_SI2"]
        .as_array()
        .unwrap()
        .iter()
        .skip(1)
    {
        advance(&mut simulation, number(&row[0]));
        for (k, name) in ["x", "y", "vx", "vy", "ax", "ay", "lam"].iter().enumerate() {
            let (got, wanted) = (output(&simulation, name), number(&row[k + 1]));
            let tolerance = match k {
                0..4 => 1e-12,
                _ => 1e-9 * (1.0 + wanted.abs()),
            };
            assert!(
                (got - wanted).abs() < tolerance,
                "{name} at {}: {got} {wanted}",
                row[0]
            );
        }
    }
}

/// Largest violations of positions and velocities over steps, and energies after each 100.
fn violations(simulation: &mut Simulation, steps: usize) -> (f64, f64, Vec<f64>) {
    let (mut position, mut velocity) = (0.0_f64, 0.0_f64);
    let mut energies = Vec::new();
    for step in 1..=steps {
        simulation.step().unwrap();
        position = position.max(simulation.figure(Figure::ConstraintViolation));
        velocity = velocity.max(simulation.figure(Figure::VelocityViolation));
        if step % 100 == 0 {
            let kinetic = simulation.figure(Figure::KineticEnergy);
            energies.push(kinetic + simulation.figure(Figure::PotentialEnergy));
        }
    }
    (position, velocity, energies)
}

/// Backward Euler on the pendulum with its velocity constraint alone, q·v = 0: the largest
/// violation of |q| = 1. Fixed-point iteration on the multiplier.
fn drift_of_index_2(h: f64, steps: usize) -> f64 {
    let (mut q, mut v) = ([-1.0, 0.0], [0.0, 0.0]);
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        let free = [v[0], v[1] - 9.81 * h];
        let (mut next, mut at) = (free, q);
        for _ in 0..60 {
            // Velocity: the free one less its part along the present direction.
            let along = (free[0] * at[0] + free[1] * at[1]) / (at[0] * at[0] + at[1] * at[1]);
            next = [free[0] - along * at[0], free[1] - along * at[1]];
            at = [q[0] + h * next[0], q[1] + h * next[1]];
        }
        (q, v) = (at, next);
        worst = worst.max((q[0].hypot(q[1]) - 1.0).abs());
    }
    worst
}

#[test]
fn velocity_constraints_alone_drift_and_stabilised_ones_do_not() {
    let case = json("G05_constraint_drift/reference.json");
    let wanted = number(&case["results"]["BE_index2_velocity_only"]["max_position_violation"]);
    let drift = drift_of_index_2(0.01, 300);
    assert!((drift / wanted - 1.0).abs() < 1e-6, "{drift} {wanted}");

    let (position, velocity, energies) = violations(&mut pendulum(10), 300);
    assert!(
        position < 1e-14 && velocity < 1e-14,
        "{position:e} {velocity:e}"
    );
    let wanted = case["results"]["BE_SI2"]["energy_at_1_2_3s"]
        .as_array()
        .unwrap();
    assert_eq!(energies.len(), wanted.len());
    for (got, wanted) in energies.iter().zip(wanted) {
        assert!((got / number(wanted) - 1.0).abs() < 1e-6, "{got} {wanted}");
    }
}

#[test]
fn closed_loops_meet_both_constraints_in_three_iterations() {
    // Size [m] and speed [m/s] that the violations are measured against.
    let cases = [
        ("four_bar", 1.0, 1.0),
        ("andrews_squeezer", 0.05, 1.0),
        ("spatial_slider_crank", 0.1, 1.0),
    ];
    for (name, size, speed) in cases {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        let mut simulation = stabilised(&root.join(name).join("model.json"), 3);
        let (position, velocity, _) = violations(&mut simulation, 1000);
        let correction = simulation.figure(Figure::DriftCorrection);
        let (position, velocity) = (position / size, velocity / speed);
        eprintln!("{name}: {position:e} {velocity:e}, last correction {correction:e}");
        assert!(position < 1e-10, "{name}: {position:e}");
        assert!(velocity < 1e-10, "{name}: {velocity:e}");
        assert!(correction > 0.0, "{name}: a loop in motion needs some");
    }
}

#[test]
fn the_correction_vanishes_with_the_square_of_the_step() {
    let largest = |h: f64| {
        let mut simulation = pendulum(5);
        start(&mut simulation, h);
        let mut largest = 0.0_f64;
        while simulation.time() < 0.5 {
            simulation.step().unwrap();
            largest = largest.max(simulation.figure(Figure::DriftCorrection));
        }
        largest
    };
    let order = (largest(0.01) / largest(0.005)).log2();
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

#[test]
fn the_first_reaction_after_a_start_in_motion_is_the_true_one() {
    // A bob of 1 kg at 1 m/s on a bar of 1 m without gravity pulls with 1 N.
    let text = std::fs::read_to_string(truth("G03_pendulum_index3_steps/model.json")).unwrap();
    let mut model: Value = serde_json::from_str(&text).unwrap();
    model["gravity"] = value!([0, 0, 0]);
    model["point_masses"][0]["velocity"] = value!([0, 1, 0]);
    model["solver"] = value!({"integrator": "GSTIFF", "formulation": "SI2", "fixit": 5});
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.001);
    simulation.step().unwrap();
    let pull = output(&simulation, "lam");
    assert!((pull - 1.0).abs() < 1e-5, "{pull}");
}

fn run(simulation: &mut Simulation, steps: usize) {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}

#[test]
fn a_restored_state_continues_with_the_same_bits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/andrews_squeezer/model.json");
    let (mut one, mut other) = (stabilised(&path, 3), stabilised(&path, 3));
    run(&mut one, 40);
    let mut saved = vec![0; one.state_size()];
    one.save(&mut saved);
    other.restore(&saved);
    let mut ends = [saved.clone(), saved.clone()];
    for (simulation, end) in [&mut one, &mut other].into_iter().zip(&mut ends) {
        run(simulation, 40);
        simulation.save(end);
    }
    assert!(ends[0] != saved && ends[0] == ends[1]);
}

#[test]
fn schemes_of_second_order_refuse_it_and_say_why() {
    for integrator in ["HHT", "NEWMARK", "GENALPHA"] {
        let text = std::fs::read_to_string(truth("G03_pendulum_index3_steps/model.json")).unwrap();
        let mut model: Value = serde_json::from_str(&text).unwrap();
        model["solver"] = value!({"integrator": integrator, "formulation": "SI2"});
        let problem = crate::harness::try_build(&model.to_string()).unwrap_err();
        assert!(
            problem.contains("solver, field formulation") && problem.contains("GSTIFF"),
            "{problem}"
        );
    }
}

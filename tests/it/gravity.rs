//! Gravity as a function of time and inputs: free fall, reactions, ramp, equilibrium, energy.

use crate::harness::{advance, build, output, start};
use crate::states::{keeps_order, schemes, with_solver};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::math::{atan2, cos, sin};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

/// A pendulum in millimetres and milliseconds that hangs from a universal joint, and a welded part.
fn model(gravity: &Value) -> Value {
    let inertia = json!({"xx": 100, "yy": 100, "zz": 100});
    json!({
        "fixstep": 1, "name": "t",
        "units": {"length": "mm", "time": "ms"},
        "gravity": gravity,
        "parameters": [{"name": "g", "start": 9.81e-3}],
        "inputs": [{"name": "gx", "start": 0}, {"name": "gz", "start": -9.81e-3}],
        "variables": [{"name": "tilted", "expression": "gx*1"}],
        "parts": [
            {"name": "bob", "mass": 2, "position": [0, 0, -500], "inertia": inertia},
            {"name": "block", "mass": 3, "position": [700, 0, 0], "inertia": inertia}
        ],
        "markers": [
            {"name": "eye", "part": "bob", "position": [0, 0, 500]},
            {"name": "centre", "part": "bob"},
            {"name": "foot", "part": "block"},
            {"name": "plate", "part": "ground", "position": [700, 0, 0]}
        ],
        "joints": [
            {"name": "hang", "type": "universal", "i": "eye", "j": "ground"},
            {"name": "weld", "type": "fixed", "i": "foot", "j": "plate"}
        ],
        "outputs": [
            {"name": "x", "expression": "DX(centre)"},
            {"name": "z", "expression": "DZ(centre)"},
            {"name": "fx", "expression": "JOINT(weld, 0, 2)"},
            {"name": "fz", "expression": "JOINT(weld, 0, 4)"}
        ],
        "experiment": {"start": 0, "stop": 1000, "step": 1}
    })
}

fn set(simulation: &mut Simulation, values: [f64; 2]) {
    for (k, value) in values.into_iter().enumerate() {
        simulation.set_input(InputId::from(k), value);
    }
}

fn close(got: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!(
        (got - wanted).abs() <= tolerance,
        "{what}: {got} against {wanted}"
    );
}

/// g = 3 cos 2t: v = 1.5 sin 2t, x = 1 + 0.75 (1 − cos 2t).
#[test]
fn free_fall_in_gravity_that_changes() {
    let model = json!({
        "fixstep": 1, "name": "t",
        "gravity": ["3*COS(2*TIME)", 0, 0],
        "point_masses": [{"name": "m", "mass": 5, "position": [1, 0, 0]}],
        "markers": [{"name": "m", "part": "m"}],
        "outputs": [
            {"name": "x", "expression": "DX(m)"}, {"name": "v", "expression": "VX(m)"}
        ]
    });
    keeps_order("gravity of time", &model, &|t| {
        vec![
            ("x", 1.0 + 0.75 * (1.0 - cos(2.0 * t))),
            ("v", 1.5 * sin(2.0 * t)),
        ]
    });
}

/// What a weld carries is the weight, in the step in which the input changes, under every scheme.
#[test]
fn the_weight_follows_inputs_within_the_step() {
    let model = model(&json!(["tilted", 0, "gz"]));
    for (name, solver, order) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 1e-3);
        close(output(&simulation, "fz"), 3.0 * 9.81, 1e-9, name);
        for (gx, gz) in [(0.0, -9.81e-3), (4e-3, -7e-3), (-2e-3, 5e-3)] {
            set(&mut simulation, [gx, gz]);
            // Schemes of order 2 take the mean of loads before and after.
            let steps = if order > 1.5 { 400 } else { 1 };
            for _ in 0..steps {
                simulation.step().unwrap();
            }
            let tolerance = if order > 1.5 { 1e-5 } else { 1e-8 };
            close(output(&simulation, "fx"), -3e3 * gx, tolerance, name);
            close(output(&simulation, "fz"), -3e3 * gz, tolerance, name);
        }
    }
}

/// ρ = ½ in the middle of the ramp; where inputs follow it too, the input is half way as well.
#[test]
fn the_ramp_takes_gravity_and_inputs() {
    for (inputs, wanted) in [(false, 0.5 * 6.0), (true, 0.5 * 0.5 * 6.0)] {
        let mut model = model(&json!(["gx", 0, 0]));
        model["solver"] = json!({"integrator": "GSTIFF"});
        model["start"] = json!({"ramp": {"duration": 100, "inputs": inputs}});
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-3);
        set(&mut simulation, [6e-3, 0.0]);
        close(output(&simulation, "fx"), 0.0, 1e-12, "start");
        advance(&mut simulation, 0.05);
        close(output(&simulation, "fx"), -3.0 * wanted, 1e-9, "half way");
        advance(&mut simulation, 0.1);
        close(output(&simulation, "fx"), -18.0, 1e-9, "end");
    }
}

/// A pendulum in equilibrium points along gravity as its inputs are when the start is made.
#[test]
fn the_pendulum_hangs_along_the_input() {
    let mut model = model(&json!(["gx", 0, "gz"]));
    model["start"] = json!({"equilibrium": {}});
    let mut simulation = build(&model.to_string());
    for (gx, gz) in [(0.0, -9.81e-3), (3e-3, -9e-3), (-7e-3, -1e-3)] {
        simulation.set_step(1e-3);
        set(&mut simulation, [gx, gz]);
        simulation.initialize(0.0).unwrap();
        let angle = atan2(gx, -gz);
        close(output(&simulation, "x"), 500.0 * sin(angle), 1e-6, "x");
        close(output(&simulation, "z"), -500.0 * cos(angle), 1e-6, "z");
        for _ in 0..100 {
            simulation.step().unwrap();
        }
        close(output(&simulation, "x"), 500.0 * sin(angle), 1e-6, "still");
    }
}

/// The same gravity as a number, of a parameter, of time and of an input: the same bits, energies
/// included, and V = −m g·r.
#[test]
fn numbers_parameters_and_functions_are_one_gravity() {
    let run = |gravity: Value| {
        let mut simulation = build(&model(&gravity).to_string());
        start(&mut simulation, 1e-3);
        let mut seen = Vec::new();
        for _ in 0..300 {
            simulation.step().unwrap();
            let potential = simulation.figure(Figure::PotentialEnergy);
            let kinetic = simulation.figure(Figure::KineticEnergy);
            let (x, z) = (output(&simulation, "x"), output(&simulation, "z"));
            let (gx, gz) = (2.0, -9.81);
            let wanted = -2e-3 * (gx * x + gz * z) - 3.0 * gx * 0.7;
            close(potential, wanted, 1e-9, "potential energy");
            seen.push([x, z, potential, kinetic].map(f64::to_bits));
        }
        let energy = |k: usize| f64::from_bits(seen[k][2]) + f64::from_bits(seen[k][3]);
        close(energy(299), energy(0), 1e-3, "conserved");
        seen
    };
    let first = run(json!([2e-3, 0, -9.81e-3]));
    assert_eq!(first, run(json!(["=2e-3", 0, "=-g"])), "parameter");
    assert_eq!(first, run(json!(["2e-3 + 0*TIME", 0, "-g"])), "time");
    assert_eq!(first, run(json!(["2e-3", 0, "gz"])), "input");
}

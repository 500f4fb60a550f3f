//! Derivatives of a single step that its end does not tell alone: accelerations of the instant, masses under a scheme that
//! carries inertial forces, inputs on a line.

use crate::harness::build;
use fixstep_kernel::ids::{InputId, OutputId, ParameterId};
use fixstep_kernel::simulation::{Known, Simulation, Unknown};
use serde_json::json;

/// A driven mass on a spring, in a double pendulum's company: forces turn with the bodies, so nothing is linear.
fn model(solver: &serde_json::Value) -> Simulation {
    let mut model = json!({
        "fixstep": 1, "name": "arm", "gravity": [0, 0, -9.81],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "inputs": [{"name": "push", "unit": "N"}],
        "parameters": [{"name": "m", "start": 2, "unit": "kg", "tunable": true}, {"name": "k", "start": 500, "unit": "N/m", "tunable": true}],
        "parts": [
            {"name": "one", "mass": "=m", "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "position": [0.5, 0, 0]},
            {"name": "two", "mass": 1, "inertia": {"xx": 0.05, "yy": 0.05, "zz": 0.05}, "position": [1.5, 0, 0]}
        ],
        "markers": [
            {"name": "g", "part": "ground", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}},
            {"name": "a", "part": "one", "position": [-0.5, 0, 0], "orientation": {"z_point": [-0.5, 1, 0], "x_point": [0.5, 0, 0]}},
            {"name": "b", "part": "one", "position": [0.5, 0, 0], "orientation": {"z_point": [0.5, 1, 0], "x_point": [1.5, 0, 0]}},
            {"name": "c", "part": "two", "position": [-0.5, 0, 0], "orientation": {"z_point": [-0.5, 1, 0], "x_point": [0.5, 0, 0]}},
            {"name": "tip", "part": "two", "position": [0.5, 0, 0]},
            {"name": "wall", "part": "ground", "position": [2, 0, 1]}
        ],
        "joints": [
            {"name": "hip", "type": "revolute", "i": "a", "j": "g"},
            {"name": "knee", "type": "revolute", "i": "c", "j": "b"}
        ],
        "forces": [
            {"name": "spring", "type": "spring_damper", "i": "tip", "j": "wall", "stiffness": "=k", "damping": 3, "length": 0.5},
            {"name": "pushed", "type": "action_only_force", "i": "tip", "j": "g", "expression": "push"}
        ],
        "outputs": [
            {"name": "z", "expression": "DZ(tip)"},
            {"name": "w", "expression": "WY(tip)"},
            {"name": "a", "expression": "ACCZ(tip)"}
        ],
        "experiment": {"step": 0.005, "stop": 1},
        "solver": {"fixit": 8}
    });
    for (name, value) in solver.as_object().into_iter().flatten() {
        model["solver"][name] = value.clone();
    }
    build(&model.to_string())
}

/// What is set before the step that is differentiated, moved by a distance.
fn set(simulation: &mut Simulation, known: Known, by: f64) {
    match known {
        Known::Input(input) => simulation.set_input(input, 0.3 + by),
        Known::Parameter(parameter) => {
            let value = simulation.parameter(parameter);
            simulation.set_parameter(parameter, value + by).unwrap();
            simulation.set_input(InputId::from(0), 0.3);
        }
        Known::State(_) => unreachable!("no states here"),
    }
}

fn communicate(simulation: &mut Simulation, steps: u32) -> Vec<f64> {
    simulation.begin_communication(steps);
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let all = 0..simulation.mechanism().outputs.len();
    all.map(|k| simulation.output(OutputId::from(k))).collect()
}

#[test]
fn derivatives_of_a_step_are_those_of_differences() {
    let knowns = [
        Known::Input(InputId::from(0)),
        Known::Parameter(ParameterId::from(0)),
        Known::Parameter(ParameterId::from(1)),
    ];
    for solver in [
        json!({"integrator": "HHT"}),
        json!({"integrator": "NEWMARK"}),
        json!({"integrator": "GENALPHA", "rho": 0.5}),
        json!({"integrator": "GENALPHA", "rho": 0.9}),
        json!({"integrator": "GSTIFF"}),
        json!({"integrator": "GSTIFF", "input_course": "linear"}),
        json!({"integrator": "HHT", "input_course": "linear"}),
    ] {
        for steps in [1, 3] {
            for known in knowns {
                let mut simulation = model(&solver);
                simulation.initialize(0.0).unwrap();
                for k in 0..20 {
                    simulation.set_input(InputId::from(0), 0.01 * f64::from(k));
                    communicate(&mut simulation, steps);
                }
                let mut bytes = vec![0; simulation.state_size()];
                simulation.save(&mut bytes);
                let [ahead, behind] = [1e-4, -1e-4].map(|by| {
                    simulation.restore(&bytes);
                    set(&mut simulation, known, by);
                    communicate(&mut simulation, steps)
                });
                simulation.restore(&bytes);
                set(&mut simulation, known, 0.0);
                communicate(&mut simulation, steps);
                let unknowns = (0..3).map(|k| Unknown::Output(OutputId::from(k)));
                let mut found = [f64::NAN; 3];
                let mut derivatives = simulation.derivatives().unwrap();
                let put = &mut |k: usize, x: f64| found[k] = x;
                derivatives.along([(known, 1.0)].into_iter(), unknowns.clone(), put);
                // The same transposed, one output at a time.
                for (k, unknown) in unknowns.enumerate() {
                    let mut sum = f64::NAN;
                    let one = [(unknown, 1.0)].into_iter();
                    derivatives.of_sum(&one, [known].into_iter(), &mut |_, x| sum = x);
                    let scale = found[k].abs();
                    assert!(
                        (sum - found[k]).abs() < 1e-5 * scale + 1e-10,
                        "{solver} {known:?} {k}: {sum} {}",
                        found[k]
                    );
                }
                for (k, found) in found.iter().enumerate() {
                    let expected = (ahead[k] - behind[k]) / 2e-4;
                    let rounding = 1e-13 * ahead[k].abs().max(1.0) / 1e-4;
                    let apart = (found - expected).abs();
                    assert!(
                        apart < 1e-4 * expected.abs() + 10.0 * rounding,
                        "{solver} {steps} {known:?} output {k}: {found} for {expected}"
                    );
                }
            }
        }
    }
}

//! Variable steps over turns, jumps of states, and sensors: what was wrong between the ends of steps or at starts.

use crate::harness::build;
use fixstep_kernel::integrator::alpha::Parameters;
use fixstep_kernel::math::{acos, cos, exp};
use fixstep_kernel::simulation::{Method, Simulation, Tolerance};
use serde_json::{Value, json};

/// Backward differentiation with variable and with constant coefficients, in both formulations, and HHT.
fn methods() -> [Method; 5] {
    let multistep = |constant, stabilised| Method::Multistep {
        constant,
        stabilised,
    };
    [
        Method::WSTIFF,
        multistep(false, true),
        multistep(true, false),
        multistep(true, true),
        Method::Alpha(Parameters::hht(-0.3)),
    ]
}

/// Shows a run at steps of h: time and the values of all outputs.
fn rows(mut simulation: Simulation, tolerance: Tolerance, (h, until): (f64, f64)) -> Vec<Vec<f64>> {
    simulation.set_step(h);
    simulation.initialize(0.0).unwrap();
    simulation.set_step(h);
    simulation.set_tolerance(tolerance);
    let outputs = simulation.mechanism().outputs.len();
    let row = |simulation: &Simulation| {
        let values = (0..outputs).map(|k| simulation.output(k.into()));
        std::iter::once(simulation.time()).chain(values).collect()
    };
    let mut rows = vec![row(&simulation)];
    while simulation.time() < until - 0.5 * h {
        simulation.step().unwrap();
        rows.push(row(&simulation));
        if simulation.stopped_by().is_some() {
            break;
        }
    }
    rows
}

fn rotor(more: &Value) -> Simulation {
    let mut model = json!({
        "fixstep": 1, "name": "rotor", "gravity": [0, 0, 0],
        "parts": [{"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1.5}}],
        "markers": [
            {"name": "m", "part": "b"}, {"name": "g", "part": "ground"},
            {"name": "rim", "part": "b", "position": [1, 0, 0]}
        ],
        "joints": [{"name": "hinge", "type": "revolute", "i": "m", "j": "g"}],
        "outputs": [
            {"name": "angle", "expression": "AZ(m, g)"}, {"name": "rate", "expression": "WZ(m, g)"},
            {"name": "x", "expression": "DX(rim, g)"}
        ],
        "experiment": {"stop": 6, "step": 0.02}
    });
    for (key, value) in more.as_object().unwrap() {
        model[key] = value.clone();
    }
    build(&model.to_string())
}

/// A flywheel at constant torque turns by t²/2: steps grow with it until a part turns by more than half a turn over the
/// poses that a step reads.
#[test]
fn a_flywheel_keeps_its_turns_within_steps() {
    let torque = json!({"forces": [{"name": "t", "type": "torque", "i": "m", "j": "g", "expression": "1.5"}]});
    for method in methods() {
        for error in [1e-4, 1e-7, 1e-10] {
            let tolerance = Tolerance {
                method,
                ..Tolerance::new(error, 10.0)
            };
            for row in rows(rotor(&torque), tolerance, (0.02, 6.0)) {
                let [t, angle, rate, x] = row[..] else {
                    unreachable!()
                };
                let missed = (angle - t * t / 2.0).abs() + (x - cos(t * t / 2.0)).abs();
                assert!(
                    missed < 20.0 * error,
                    "{method:?} {error} at {t} s: {missed}"
                );
                assert!(
                    (rate - t).abs() < 1e-9,
                    "{method:?} {error} at {t} s: {rate}"
                );
            }
        }
    }
}

/// A rotor at constant speed: equal rotations follow each other over many turns.
#[test]
fn a_rotor_at_constant_speed_turns_on() {
    for method in methods() {
        for error in [1e-3, 1e-8] {
            let tolerance = Tolerance {
                method,
                ..Tolerance::new(error, 10.0)
            };
            let spun = json!({"joints": [{"name": "hinge", "type": "revolute", "i": "m", "j": "g",
                "initial": {"angle": 0, "angular_velocity": 20}}]});
            let last = rows(rotor(&spun), tolerance, (0.02, 6.0)).pop().unwrap();
            assert!(
                (last[1] - 120.0).abs() < 20.0 * error,
                "{method:?} {error}: {last:?}"
            );
        }
    }
}

/// A mass at rest, and a state with this derivative.
fn state(derivative: &str) -> Simulation {
    build(
        &json!({
            "fixstep": 1, "name": "state", "gravity": [0, 0, 0],
            "point_masses": [{"name": "b", "mass": 1}],
            "differential_equations": [{"name": "y", "derivative": derivative}],
            "outputs": [{"name": "y", "expression": "DIF(y)"}],
            "experiment": {"stop": 5, "step": 0.05}
        })
        .to_string(),
    )
}

/// y' = u − y: behind a jump of u, and at a start far from rest, the first step counts the error of the state.
#[test]
fn a_state_has_its_error_behind_a_jump_and_at_the_start() {
    let from = |start: f64, rate: f64| {
        move |t: f64| {
            if t < start {
                0.0
            } else {
                1.0 - exp(-rate * (t - start))
            }
        }
    };
    let cases = [
        ("IF(TIME-1: 0, 0, 1) - DIF(y)", from(1.0, 1.0)),
        ("1 - DIF(y)", from(0.0, 1.0)),
        ("(1 - DIF(y))/0.01", from(0.0, 100.0)),
    ];
    for (derivative, exact) in cases {
        for method in methods() {
            for error in [1e-4, 1e-7] {
                let tolerance = Tolerance {
                    method,
                    ..Tolerance::new(error, 10.0)
                };
                for row in rows(state(derivative), tolerance, (0.05, 5.0)) {
                    let missed = (row[1] - exact(row[0])).abs();
                    assert!(
                        missed < 100.0 * error,
                        "{derivative}, {method:?} {error}: {missed} at {} s",
                        row[0]
                    );
                }
            }
        }
    }
}

/// x = cos 10 t: a sensor ends the run where x is −1/2, not at the communication point before or behind.
#[test]
fn a_sensor_ends_the_run_where_it_triggers() {
    let model = json!({
        "fixstep": 1, "name": "stop", "gravity": [0, 0, 0],
        "point_masses": [{"name": "b", "mass": 1, "position": [1, 0, 0]}],
        "markers": [{"name": "m", "part": "b"}],
        "forces": [{"name": "f", "type": "vector_force", "i": "m", "j": "ground", "fx": "-100*DX(m)"}],
        "sensors": [{"name": "low", "expression": "DX(m)", "comparison": "le", "value": -0.5, "stop": true}],
        "outputs": [{"name": "x", "expression": "DX(m)"}],
        "experiment": {"stop": 2, "step": 0.01}
    });
    let exact = acos(-0.5) / 10.0;
    for method in methods() {
        for error in [1e-4, 1e-8] {
            let tolerance = Tolerance {
                method,
                ..Tolerance::new(error, 10.0)
            };
            let last = rows(build(&model.to_string()), tolerance, (0.01, 2.0))
                .pop()
                .unwrap();
            assert!(
                (last[0] - exact).abs() < 100.0 * error,
                "{method:?} {error}: {last:?}"
            );
            assert!(
                (last[1] + 0.5).abs() < 0.1 * error + 1e-8,
                "{method:?} {error}: {last:?}"
            );
        }
    }
}

/// Where only motions move a mechanism nothing can vibrate, and the order is not limited.
#[test]
fn a_driven_mechanism_keeps_its_order() {
    let driven = json!({
        "joints": [{"name": "hinge", "type": "revolute", "i": "m", "j": "g"}],
        "motions": [{"name": "drive", "joint": "hinge", "displacement": "SIN(50*TIME)/5"}]
    });
    for method in methods() {
        let tolerance = Tolerance {
            method,
            ..Tolerance::new(1e-7, 10.0)
        };
        let mut simulation = rotor(&driven);
        simulation.set_step(0.02);
        simulation.initialize(0.0).unwrap();
        simulation.set_step(0.02);
        simulation.set_tolerance(tolerance);
        for _ in 0..100 {
            simulation.step().unwrap();
        }
        let notes = simulation.variable_notes().join("\n");
        assert!(!notes.contains("limited"), "{method:?}: {notes}");
    }
}

/// Where a cam turns far within a step, the foot of its contact is found anew, also between the ends of steps: the force
/// that is shown there is that which the acceleration balances.
#[test]
fn a_cam_finds_its_foot_wherever_it_has_turned() {
    let mut model: Value =
        serde_json::from_str(include_str!("../../models/cam_follower/model.json")).unwrap();
    model["outputs"] = json!([
        {"name": "push", "expression": "CONTACT(touch, 0, 4)"},
        {"name": "lift", "expression": "DZ(roller, guide)"},
        {"name": "lifted", "expression": "ACCZ(roller, guide)"},
        {"name": "torque", "expression": "TZ(shaft, bearing, bearing)"}
    ]);
    for method in methods() {
        let tolerance = Tolerance {
            method,
            ..Tolerance::new(1e-4, 10.0)
        };
        let rows = rows(build(&model.to_string()), tolerance, (0.001, 5.0));
        let apart = rows.iter().filter(|row| row[1] == 0.0).count();
        assert!(apart > 200, "{method:?}: {apart} rows apart");
        for row in rows {
            let [_, push, lift, lifted, torque] = row[..] else {
                unreachable!()
            };
            let spring = -60.0 - 2000.0 * (lift - 0.08);
            let left = 2.0 * (lifted + 9.81) - push - spring;
            assert!(
                left.abs() < 1e-6 * (1.0 + push.abs()),
                "{method:?}: {row:?}, {left}"
            );
            assert!(torque.abs() < 50.0 + 0.03 * push, "{method:?}: {row:?}");
        }
    }
}

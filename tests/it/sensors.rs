//! Tests of sensors: when they trigger, what they latch, and how they are armed again.

use crate::harness::{advance, build, output, start};
use crate::states::{schemes, with_solver};
use fixstep_kernel::ids::{InputId, SensorId};
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

/// A body that falls from 5 m with sensors, and outputs of their latches.
fn falling(sensors: &Value, force: &str) -> Value {
    let names: Vec<&str> = sensors
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    let mut outputs: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": format!("{name}_value"), "expression": format!("SENVAL({name})")}))
        .collect();
    outputs.push(json!({"name": "z", "expression": "DZ(m)"}));
    json!({
        "fixstep": 1, "name": "falling", "gravity": [0, 0, -10],
        "inputs": [{"name": "u"}],
        "point_masses": [{"name": "m", "mass": 1, "position": [0, 0, 5]}],
        "markers": [{"name": "m", "part": "m"}],
        "forces": [{"name": "f", "type": "vector_force", "i": "m", "j": "ground", "fz": force}],
        "sensors": sensors,
        "outputs": outputs
    })
}

fn triggered(simulation: &Simulation) -> Vec<SensorId> {
    simulation.triggered().collect()
}

#[test]
fn a_sensor_latches_at_the_first_step_past_its_instant() {
    // z = 5 - 5 t**2 passes 1.8 m at 0.8 s, exactly in a scheme of order two.
    let sensors = json!([
        {"name": "low", "expression": "DZ(m)", "comparison": "le", "value": 1.8, "tolerance": 1e-6,
         "evaluate": "TIME"},
        {"name": "speed", "expression": "-VZ(m)", "comparison": "ge", "value": 7.995, "evaluate": "-2*DZ(m)"},
        {"name": "passing", "expression": "DZ(m)", "comparison": "eq", "value": 3.19},
        {"name": "never", "expression": "DZ(m)", "comparison": "ge", "value": 5.1}
    ]);
    for (name, solver, order) in schemes() {
        let mut simulation = with_solver(&falling(&sensors, "0"), &solver);
        start(&mut simulation, 0.01);
        let mut instants = [f64::NAN; 4];
        while simulation.time() < 0.99 {
            simulation.step().unwrap();
            for sensor in triggered(&simulation) {
                assert!(
                    instants[sensor.index()].is_nan(),
                    "{name}: each triggers once"
                );
                instants[sensor.index()] = simulation.time();
            }
        }
        assert!(instants[3].is_nan(), "{name}");
        // 3.19 m lies between the steps at 0.60 s and 0.61 s.
        let wanted = [0.8, 0.8, 0.61];
        for (found, wanted) in instants.iter().zip(wanted) {
            let allowed = if order > 1.5 { 1e-9 } else { 0.0101 };
            assert!((found - wanted).abs() < allowed, "{name}: {instants:?}");
        }
        assert_eq!(output(&simulation, "low_value"), instants[0], "{name}");
        assert_eq!(output(&simulation, "passing_value"), 1.0, "{name}");
        assert_eq!(output(&simulation, "never_value"), 0.0, "{name}");
        if order > 1.5 {
            let drawn = output(&simulation, "speed_value");
            assert!((drawn + 3.6).abs() < 1e-9, "{name}: {drawn}");
        }
    }
}

#[test]
fn a_latch_switches_a_force_from_the_next_step_on() {
    // At 1.8 m a force of twice the weight catches the body at 8 m/s.
    let sensors = json!([{"name": "catch", "expression": "DZ(m)", "comparison": "le", "value": 1.8,
                          "tolerance": 1e-9, "evaluate": "20"}]);
    let model = falling(&sensors, "SENVAL(catch)");
    let quarter = json!({"integrator": "NEWMARK", "beta": 0.25, "gamma": 0.5});
    let mut simulation = with_solver(&model, &quarter);
    start(&mut simulation, 0.001);
    advance(&mut simulation, 1.1);
    // 0.3 s later: 1.8 - 8 t + 5 t**2; the force is half a step late in a scheme that weighs both ends.
    let wanted = 1.8 - 8.0 * 0.3 + 5.0 * 0.09;
    let found = output(&simulation, "z");
    assert!((found - wanted).abs() < 0.3 * 0.02, "{found} {wanted}");
}

#[test]
fn hysteresis_arms_a_sensor_again() {
    let thermostat = |reset: bool| {
        json!([{"name": "hot", "expression": "u", "comparison": "ge", "value": 20, "tolerance": 0.5,
                "evaluate": "u", "hysteresis": 2, "reset": reset}])
    };
    for reset in [false, true] {
        let mut simulation = build(&falling(&thermostat(reset), "0").to_string());
        start(&mut simulation, 0.01);
        // Back behind the threshold is below 17.5.
        let course = [
            (19.0, false, 0.0),
            (19.5, true, 19.5),
            (25.0, false, 19.5),
            (18.0, false, 19.5),
            (21.0, false, 19.5),
            (17.4, false, if reset { 0.0 } else { 19.5 }),
            (19.4, false, if reset { 0.0 } else { 19.5 }),
            (22.0, true, 22.0),
        ];
        for (u, triggers, value) in course {
            simulation.set_input(InputId(0), u);
            simulation.step().unwrap();
            assert_eq!(!triggered(&simulation).is_empty(), triggers, "{u}");
            assert_eq!(output(&simulation, "hot_value"), value, "{u}");
        }
    }
}

#[test]
fn a_sensor_that_stops_says_so_and_a_restored_state_looks_again() {
    let sensors = json!([
        {"name": "notice", "expression": "DZ(m)", "comparison": "le", "value": 3},
        {"name": "end", "expression": "DZ(m)", "comparison": "le", "value": 1, "stop": true}
    ]);
    let mut simulation = build(&falling(&sensors, "0").to_string());
    start(&mut simulation, 0.01);
    let mut saved = vec![0; simulation.state_size()];
    let run = |simulation: &mut Simulation| {
        while simulation.stopped_by().is_none() {
            assert!(simulation.time() < 2.0);
            simulation.step().unwrap();
        }
        (simulation.time(), simulation.stopped_by())
    };
    simulation.save(&mut saved);
    let first = run(&mut simulation);
    assert_eq!(first.1, Some(SensorId(1)));
    // 5 - 5 t**2 = 1 at 0.8944 s.
    assert!((first.0 - 0.9).abs() < 1e-9, "{first:?}");
    simulation.restore(&saved);
    assert_eq!(simulation.stopped_by(), None);
    assert_eq!(run(&mut simulation), first);
}

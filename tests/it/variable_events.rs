//! Events within a variable step: branches, contacts, sensors, samples, delays, motions of rates, chatter.

use crate::harness::{build, methods, output};
use fixstep_kernel::simulation::{Method, Simulation, Tolerance};
use serde_json::{Value, json};

/// A mass of 1 kg on a line, with the force, further entries and outputs z, v.
fn mass(force: &str, more: &Value) -> Value {
    let mut model = json!({
        "fixstep": 1, "name": "mass", "gravity": [0, 0, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [{"name": "m", "mass": 1}],
        "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
        "forces": [{"name": "push", "type": "action_only_force", "i": "a", "j": "b", "expression": force}],
        "outputs": [{"name": "z", "expression": "DZ(a, b)"}, {"name": "v", "expression": "VZ(a, b)"}],
        "experiment": {"step": 0.1, "stop": 1}
    });
    for (key, value) in more.as_object().unwrap() {
        match (model.get_mut(key), value) {
            (Some(Value::Array(all)), Value::Array(added)) => all.extend(added.iter().cloned()),
            _ => model[key] = value.clone(),
        }
    }
    model
}

/// Run to a time in one step that is shown.
fn run(model: &Value, tolerance: Tolerance, until: f64) -> Simulation {
    let mut simulation = build(&model.to_string());
    simulation.set_step(until);
    simulation.initialize(0.0).unwrap();
    simulation.set_step(until);
    simulation.set_tolerance(tolerance);
    simulation.step().unwrap();
    simulation
}

fn of(method: Method, error: f64) -> Tolerance {
    Tolerance {
        method,
        ..Tolerance::new(error, 1.0)
    }
}

/// A force that jumps at a time, and one that jumps at a place: closed forms, by every method.
#[test]
fn jumps_of_a_force_are_located() {
    for method in methods() {
        // Until 0.3 s nothing, then 2 N: z = (t - 0.3)^2.
        let timed = mass("IF(TIME - 0.3: 0, 0, 2)", &json!({}));
        let simulation = run(&timed, of(method, 1e-7), 1.0);
        let (z, v) = (output(&simulation, "z"), output(&simulation, "v"));
        assert!(
            (z - 0.49).abs() < 2e-5 && (v - 1.4).abs() < 2e-5,
            "{method:?}: {z} {v}"
        );
        // 2 N up to z = 0.25, at t = 0.5 with v = 1; then -2 N: back at rest at t = 1, z = 0.5.
        let placed = mass("IF(DZ(a, b) - 0.25: 2, 2, -2)", &json!({}));
        let simulation = run(&placed, of(method, 1e-7), 1.0);
        let (z, v) = (output(&simulation, "z"), output(&simulation, "v"));
        assert!(
            (z - 0.5).abs() < 5e-5 && v.abs() < 1e-4,
            "{method:?}: {z} {v}"
        );
        assert!(simulation.variable_report().unwrap().events >= 1);
    }
}

/// A step of a thousandth of the run is not stepped over, wherever it stands.
#[test]
fn a_short_pulse_in_time_is_not_missed() {
    let force = "STEP(TIME, 0.4, 0, 0.4005, 1000) - STEP(TIME, 0.4005, 0, 0.401, 1000)";
    // The pulse has 0.5 N s, at 0.4005 s on the average. An error of place within it is one of velocity over a step.
    for (error, most) in [(1e-6, 5e-2), (1e-8, 5e-3), (1e-10, 5e-4)] {
        for method in methods() {
            let simulation = run(&mass(force, &json!({})), of(method, error), 1.0);
            let (z, v) = (output(&simulation, "z"), output(&simulation, "v"));
            assert!(
                (v - 0.5).abs() < most && (z - 0.5 * 0.5995).abs() < most,
                "{method:?} {error}: {z} {v}"
            );
        }
    }
}

/// A ball without loss on a linear spring: a thousand bounces against the closed form of flight and half a vibration.
#[test]
fn a_thousand_bounces_keep_their_height_and_their_time() {
    let (k, g, height) = (1e4_f64, 9.81, 0.05);
    let model = json!({
        "fixstep": 1, "name": "ball", "gravity": [0, 0, -g],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [{"name": "m", "mass": 1, "position": [0, 0, height]}],
        "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
        "forces": [{"name": "floor", "type": "action_only_force", "i": "a", "j": "b",
            "expression": "IMPACT(DZ(a, b), VZ(a, b), 0, 1e4, 1, 0, 1e-3)"}],
        "outputs": [{"name": "z", "expression": "DZ(a, b)"}, {"name": "v", "expression": "VZ(a, b)"},
            {"name": "rises", "expression": "DZ(a, b) + VZ(a, b)**2/(2*9.81)"}],
        "experiment": {"step": 1, "stop": 300}
    });
    // Flight, and contact from -v to v around the static deflection m g/k.
    let v = f64::sqrt(2.0 * g * height);
    let omega = k.sqrt();
    let part = fixstep_kernel::math::atan2(v, g / omega);
    let contact = 2.0 / omega * (std::f64::consts::PI - part);
    let period = 2.0 * v / g + contact;
    let bounces = 1000.0;
    let simulation = run(&model, Tolerance::new(1e-12, 1.0), bounces * period);
    let (z, rises) = (output(&simulation, "z"), output(&simulation, "rises"));
    assert!((rises / height - 1.0).abs() < 2e-2, "{rises}");
    // Near the top of a flight of 0.2 s, after 200 s.
    assert!((z / height - 1.0).abs() < 0.12, "{z}");
}

/// A sensor stops the clock where the mass passes z = 0.25, and its value switches the force off.
#[test]
fn a_sensor_triggers_at_its_threshold() {
    let more = json!({
        "sensors": [{"name": "gate", "expression": "DZ(a, b)", "comparison": "ge", "value": 0.25, "evaluate": "TIME"}],
        "outputs": [{"name": "at", "expression": "SENVAL(gate)"}]
    });
    // z = t^2 with 2 N: at 0.5 s; then on with v = 1.
    let simulation = run(
        &mass("IF(SENVAL(gate) - 1e-3: 2, 2, 0)", &more),
        Tolerance::new(1e-9, 1.0),
        1.0,
    );
    let (at, z, v) = (
        output(&simulation, "at"),
        output(&simulation, "z"),
        output(&simulation, "v"),
    );
    assert!((at - 0.5).abs() < 1e-6, "{at}");
    assert!((v - 1.0).abs() < 1e-6 && (z - 0.75).abs() < 1e-6, "{z} {v}");
}

/// A sampled system takes its samples at its instants, none is passed over: a counter of samples pushes the mass.
#[test]
fn samples_are_taken_at_their_times() {
    let more = json!({
        "sampled_systems": [{"name": "clock", "sample_period": 0.25, "inputs": ["0"],
            "initial": [0], "next": ["SAMSTA(clock, 1) + 1"], "outputs": ["SAMSTA(clock, 1)"]}]
    });
    let model = mass("SAMVAL(clock, 1)", &more);
    // Accelerations 0, 1, 2, 3 in the quarters of a second: v = 0.25 (0 + 1 + 2 + 3).
    let simulation = run(&model, Tolerance::new(1e-8, 1.0), 1.0 - 1e-9);
    let v = output(&simulation, "v");
    assert!((v - 1.5).abs() < 1e-6, "{v}");
}

/// A delayed jump arrives after the delay, and a jump that is delayed twice after both: closed forms, by every method.
#[test]
fn a_delay_repeats_a_jump() {
    for (integrator, formulation) in [
        ("WSTIFF", "SI2"),
        ("WSTIFF", "I3"),
        ("GSTIFF", "I3"),
        ("HHT", "I3"),
    ] {
        let more = json!({
            "variables": [
                {"name": "u", "expression": "IF(TIME - 0.3: 0, 0, 2)"},
                {"name": "w", "expression": "DELAY(u, 0.1, 0)"}
            ],
            "solver": {"mode": "variable", "integrator": integrator, "formulation": formulation, "error": 1e-8}
        });
        let force = "DELAY(u, 0.4, 0) - DELAY(w, 0.45, 0)";
        let mut simulation = build(&mass(force, &more).to_string());
        simulation.initialize(0.0).unwrap();
        while simulation.time() < 0.95 {
            simulation.step().unwrap();
            // 2 N from 0.7 s to 0.85 s.
            let t = simulation.time();
            let push = |from: f64| 2.0 * (t - from).max(0.0);
            let v = output(&simulation, "v");
            let wanted = push(0.7) - push(0.85);
            assert!(
                (v - wanted).abs() < 1e-8,
                "{integrator} {formulation} at {t}: {v}, {wanted}"
            );
        }
    }
}

/// A controller that samples, behind a delay: errors follow the tolerance, against piecewise integration of the same
/// equations by SciPy (DOP853 at 1e-13).
#[test]
fn samples_behind_a_delay_arrive_at_their_times() {
    let text = include_str!("../../models/overhead_crane/model.json");
    let mut model: Value = serde_json::from_str(text).unwrap();
    for (error, within) in [(1e-6, 5e-4), (1e-9, 1e-6)] {
        model["solver"] = json!({"mode": "variable", "integrator": "WSTIFF", "formulation": "SI2", "error": error});
        model["experiment"] = json!({"start": 0, "stop": 5, "step": 0.01});
        let mut simulation = build(&model.to_string());
        simulation.initialize(0.0).unwrap();
        let mut reach = |until: f64| {
            while simulation.time() < until - 1e-9 {
                simulation.step().unwrap();
            }
            ["trolley_position", "trolley_speed", "sway"].map(|name| output(&simulation, name))
        };
        let early = [1.020_881_914_5, 0.731_566_254_753, -0.077_772_728_348_5];
        let late = [4.612_355_692_97, 1.513_578_988_17, 0.014_810_897_090_8];
        for (until, wanted) in [(2.03, early), (5.0, late)] {
            let found = reach(until);
            for (found, wanted) in found.iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() < within,
                    "{error} {until}: {found} {wanted}"
                );
            }
        }
    }
}

/// A motion that prescribes a velocity: its displacement is the integral, whatever the steps.
#[test]
fn a_motion_of_a_rate_is_integrated() {
    let more = json!({
        "joints": [{"name": "way", "type": "translational", "i": "s", "j": "b"}],
        "parts": [{"name": "slide", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [{"name": "s", "part": "slide"}],
        "motions": [{"name": "drive", "joint": "way", "velocity": "COS(3*TIME)"}],
        "outputs": [{"name": "s", "expression": "DZ(s, b)"}]
    });
    let simulation = run(&mass("0", &more), Tolerance::new(1e-7, 0.3), 2.0);
    let s = output(&simulation, "s");
    let exact = fixstep_kernel::math::sin(6.0) / 3.0;
    assert!((s - exact).abs() < 3e-8, "{s}");
}

/// Coulomb friction by a jump of sign chatters when the mass sticks: the run says so and goes on, and the mass stays.
#[test]
fn chatter_is_told_and_passed() {
    // Pushed by 1 N against friction of 2 N, from v = 1: it stops after 1 s at z = 0.5, and stays.
    let mut model = mass("1 - IF(VZ(a, b): -2, 0, 2)", &json!({}));
    model["point_masses"] = json!([{"name": "m", "mass": 1, "velocity": [0, 0, 1]}]);
    let simulation = run(&model, Tolerance::new(1e-5, 0.1), 2.0);
    let (z, v) = (output(&simulation, "z"), output(&simulation, "v"));
    assert!((z - 0.5).abs() < 2e-2 && v.abs() < 2e-2, "{z} {v}");
    let notes = simulation.variable_notes();
    assert!(notes.iter().any(|note| note.contains("push")), "{notes:?}");
}

/// A ball on IMPACT, whose power of the depth is no number above the floor: against a solution with split events.
#[test]
fn an_impact_is_integrated_on_both_sides_of_its_onset() {
    let model = std::fs::read_to_string(crate::harness::truth("H02_impact_bistop/model.json"));
    let mut simulation = build(&model.unwrap());
    simulation.set_step(1e-2);
    simulation.initialize(0.0).unwrap();
    simulation.set_step(1e-2);
    simulation.set_tolerance(of(methods()[1], 1e-10));
    let table = std::fs::read_to_string(crate::harness::truth("H02_impact_bistop/ball.csv"));
    let table = table.unwrap();
    let rows = table.lines().skip(1).map(|line| {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        (row[0], row[1])
    });
    let wanted: Vec<(f64, f64)> = rows.collect();
    let mut compared = 0;
    while simulation.time() < 0.995 {
        simulation.step().unwrap();
        let time = simulation.time();
        if let Some((_, z)) = wanted.iter().find(|(t, _)| (t - time).abs() < 1e-9) {
            let found = output(&simulation, "z");
            assert!((found - z).abs() < 1e-5, "{time}: {found} {z}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

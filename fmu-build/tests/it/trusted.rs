//! Tests of what `fixstep run` and `check` say about steps other than the model's, and about sensors that miss an event.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::setup::{ends_with, path, succeeds};

fn written(folder: &Path, model: &Value) -> String {
    let file = folder.join("model.json");
    fs::write(&file, model.to_string()).unwrap();
    path(&file).to_owned()
}

/// A mass on a spring, 1000 rad/s.
fn swing(step: f64) -> Value {
    json!({
        "fixstep": 1, "name": "swing", "gravity": [0, 0, 0],
        "parts": [{"name": "b", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}, "position": [0, 0, 1]}],
        "markers": [{"name": "m", "part": "b"}, {"name": "p", "part": "ground"}],
        "joints": [{"name": "t", "type": "translational", "i": "m", "j": "p"}],
        "forces": [{"name": "s", "type": "spring_damper", "i": "m", "j": "p", "stiffness": 1e6, "length": 1}],
        "outputs": [{"name": "z", "expression": "DZ(m)", "unit": "m"}], "experiment": {"stop": 0.01, "step": step}
    })
}

#[test]
fn a_run_is_warned_of_the_step_that_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let warned = |own: f64, given: &[&str]| {
        let file = written(folder.path(), &swing(own));
        let words = [&["run", &file, "--no-trial"], given].concat();
        ends_with(0, &words).matches("[coarse-vibration]").count()
    };
    assert_eq!(warned(1e-3, &[]), 1);
    assert_eq!(warned(1e-3, &["--step", "0.0001"]), 0);
    assert_eq!(warned(1e-4, &[]), 0);
    // Ten of the model's own steps.
    assert_eq!(warned(1e-4, &["--step", "0.001"]), 0);
    // With hratio the step is divided.
    assert_eq!(
        warned(1e-3, &["--step", "0.001", "--set", "solver.hratio=10"]),
        0
    );
}

#[test]
fn a_sensor_that_misses_what_it_watches_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = swing(1e-4);
    // A pulse that ends of steps of 0.1 ms do not see, and one that they do.
    let pulse = |center: f64| json!(format!("EXP(-((TIME - {center})/1e-5)**2)"));
    model["sensors"] = json!([
        {"name": "peak", "expression": pulse(0.00225 + 2.5e-5), "comparison": "ge", "value": 0.5},
        {"name": "seen", "expression": pulse(0.0031), "comparison": "ge", "value": 0.5}
    ]);
    let file = written(folder.path(), &model);
    let said = succeeds(&["check", &file, "--trial"]);
    let line = "warning: sensor \"peak\" triggers 0 times at steps of 0.1 ms and once at 0.025 ms";
    assert!(said.contains(line), "{said}");
    assert!(!said.contains("\"seen\" triggers"), "{said}");
}

/// A heavy double pendulum: its forces are millions, its accelerations some units.
fn heavy(labels: [&str; 2]) -> Value {
    let part = |name: &str, x: f64| {
        json!({"name": name, "mass": 2e5, "center_of_mass": [0.5, 0, 0], "position": [x, 0, 0],
            "inertia": {"xx": 2e4, "yy": 2e4, "zz": 2e4}})
    };
    json!({
        "fixstep": 1, "name": "heavy", "gravity": [0, -9.81, 0], "parts": [part("a", 0.0), part("b", 1.0)],
        "markers": [
            {"name": "g", "part": "ground"}, {"name": "ai", "part": "a"},
            {"name": "aj", "part": "a", "position": [1, 0, 0]}, {"name": "bi", "part": "b"}
        ],
        "joints": [
            {"name": "r1", "type": "revolute", "i": "ai", "j": "g"}, {"name": "r2", "type": "revolute", "i": "bi", "j": "aj"}
        ],
        "outputs": [
            {"name": "turning", "expression": "WDTZ(ai)", "unit": labels[0]},
            {"name": "force", "expression": "FY(ai, g)", "unit": labels[1]}
        ],
        "experiment": {"stop": 1, "step": 0.005}
    })
}

#[test]
fn outputs_without_a_unit_are_measured_by_their_own_kind() {
    let folder = tempfile::tempdir().unwrap();
    let lines = |labels: [&str; 2]| {
        let file = written(folder.path(), &heavy(labels));
        let said = succeeds(&["check", &file, "--trial"]);
        let rows = said.lines().filter(|line| line.contains("of range in"));
        rows.map(str::to_owned).collect::<Vec<_>>()
    };
    let named = lines(["rad/s2", "N"]);
    assert_eq!(named.len(), 1, "{named:?}");
    assert_eq!(lines(["", ""]), named);
}

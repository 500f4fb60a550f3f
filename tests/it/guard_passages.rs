//! Tests that the guard stops shapes that pass through one another, equations without a solution and tyres below the road,
//! and that it does not stop a force that begins with the run.

use crate::harness::build;
use fixstep_kernel::simulation::StepFailure;
use serde_json::{Value, json};

/// Runs a model for a time. Returns what stopped it, and when.
fn stopped(model: &Value, time: f64) -> Option<(f64, String)> {
    let mut simulation = build(&model.to_string());
    while simulation.time() < time {
        match simulation.step() {
            Ok(_) => {}
            Err(StepFailure::Guard(alarm)) => {
                let whom = simulation.culprit(alarm.reading.culprit);
                return Some((simulation.time(), alarm.words(&whom)));
            }
            Err(other) => return Some((simulation.time(), format!("{other:?}"))),
        }
    }
    None
}

fn inertia(j: f64) -> Value {
    json!({"xx": j, "yy": j, "zz": j})
}

/// A sphere of 1 cm that flies at a shape in steps of 1 ms.
fn bullet(velocity: f64, shape: &Value) -> Value {
    json!({
        "fixstep": 1, "name": "bullet", "gravity": [0, 0, 0],
        "parts": [{"name": "b", "mass": 0.01, "inertia": inertia(4e-7), "position": [-1.01, 0, 0], "velocity": [velocity, 0, 0]}],
        "markers": [{"name": "m", "part": "b"}, {"name": "p", "part": "ground"}],
        "forces": [{"name": "hit", "type": "contact", "i": "m", "j": "p",
                    "shapes": {"i": {"type": "sphere", "radius": 0.01}, "j": shape},
                    "normal": {"type": "hunt_crossley", "stiffness": 1e6, "damping": 0.1}}],
        "outputs": [{"name": "x", "expression": "DX(m)"}],
        "experiment": {"stop": 0.03, "step": 1e-3}
    })
}

#[test]
fn a_sphere_that_goes_through_a_shape_is_stopped() {
    let shapes = [
        json!({"type": "box", "size": [0.02, 1, 1]}),
        json!({"type": "sphere", "radius": 0.015}),
        json!({"type": "cylinder", "radius": 0.015}),
        json!({"type": "mesh", "vertices": [[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]], "triangles": [[0, 2, 1], [0, 3, 2]]}),
    ];
    // If an iteration meets the shape on its way, the step has no balance, and that is reported first.
    let mut told = Vec::new();
    for shape in shapes {
        let (time, words) = stopped(&bullet(80.0, &shape), 0.03).unwrap();
        assert!((0.0115..0.0135).contains(&time), "{shape}: {time} {words}");
        let passed = words.contains("shapes of force \"hit\" went through");
        assert!(
            passed || words.contains("forces on part \"b\" are out of balance"),
            "{words}"
        );
        told.push(passed);
    }
    assert!(
        told.iter().filter(|passed| **passed).count() > 1,
        "{told:?}"
    );
    // A sphere that flies past the box does not stop the run.
    let mut beside = bullet(80.0, &json!({"type": "box", "size": [0.02, 1, 1]}));
    beside["parts"][0]["position"] = json!([-1.01, 0.52, 0]);
    assert!(stopped(&beside, 0.03).is_none());
}

#[test]
fn an_implicit_variable_without_a_solution_is_stopped() {
    let model = json!({
        "fixstep": 1, "name": "noroot", "variables": [{"name": "y", "residual": "y**2+TIME-1", "initial": 1}],
        "outputs": [{"name": "out", "expression": "y"}], "experiment": {"stop": 2, "step": 1e-3}
    });
    let (time, words) = stopped(&model, 2.0).unwrap();
    assert!(
        words.contains("variable \"y\" does not solve its equation"),
        "{words}"
    );
    assert!((0.999..1.1).contains(&time), "{time}");
}

#[test]
fn a_state_that_becomes_infinite_is_stopped() {
    let model = json!({
        "fixstep": 1, "name": "pole", "differential_equations": [{"name": "x", "derivative": "DIF(x)**2", "initial": 1}],
        "outputs": [{"name": "out", "expression": "DIF(x)"}], "experiment": {"stop": 2, "step": 1e-3}
    });
    let (time, words) = stopped(&model, 2.0).unwrap();
    assert!(
        words.contains("grows faster than steps can follow"),
        "{words}"
    );
    assert!((0.99..1.02).contains(&time), "{time}");
}

#[test]
fn a_tyre_with_its_hub_below_the_road_is_stopped() {
    let model = json!({
        "fixstep": 1, "name": "sunken", "gravity": [0, 0, -9.81],
        "parts": [{"name": "w", "mass": 20, "inertia": inertia(1.0), "position": [0, 0, -0.1]}],
        "markers": [{"name": "m", "part": "w", "orientation": {"euler": [0, -std::f64::consts::FRAC_PI_2, 0]}}],
        "forces": [{"name": "t", "type": "tyre", "i": "m",
                    "law": {"type": "linear", "radius": 0.3, "vertical_stiffness": 2000, "vertical_damping": 50,
                            "slip_stiffness": 5e4, "cornering_stiffness": 5e4, "mu": 1}}],
        "outputs": [{"name": "z", "expression": "DZ(m)"}], "experiment": {"stop": 1, "step": 1e-3}
    });
    let (_, words) = stopped(&model, 1.0).unwrap();
    assert!(words.contains("its hub lies below the road"), "{words}");
}

#[test]
fn a_shaker_may_begin_at_any_phase() {
    for phase in [0.0, 0.948, 1.25, 1.38, 1.5, 1.555, 3.0, 4.5] {
        let model = json!({
            "fixstep": 1, "name": "shaker", "gravity": [0, 0, 0],
            "parts": [{"name": "a", "mass": 1, "inertia": inertia(1e-3), "position": [0.3, 0, 0]}],
            "markers": [{"name": "m", "part": "a"}, {"name": "g", "part": "ground"}],
            "forces": [{"name": "f", "type": "vector_force", "i": "m", "j": "g", "fx": format!("4000*COS(2*PI*10*TIME+{phase})")}],
            "outputs": [{"name": "x", "expression": "DX(m)"}], "experiment": {"stop": 1, "step": 0.005}
        });
        assert_eq!(stopped(&model, 0.3), None, "{phase}");
    }
}

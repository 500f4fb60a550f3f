//! What would go wrong unseen: angles of bushings past half a turn, deformation as a clamped end sees it, warnings of a step that is
//! going to be taken.

use crate::lint::{found, rules};
use fixstep_kernel::ids::OutputId;
use fixstep_kernel::simulation::{Simulation, StepFailure};
use fixstep_model::{Model, resources};
use serde_json::{Value, json};
use std::path::Path;

/// A hub that a motion turns by so many degrees in a second about an axis, on elements to ground.
fn hub(degrees: f64, axis: [f64; 3], force: &Value) -> Value {
    let side = if axis[0].abs() < 0.5 {
        [1, 0, 0]
    } else {
        [0, 1, 0]
    };
    let along = json!({"z_point": axis, "x_point": side});
    let mut force = force.clone();
    for (field, value) in [("name", "b"), ("i", "h"), ("j", "g")] {
        force[field] = json!(value);
    }
    json!({
        "fixstep": 1, "name": "hub", "gravity": [0, 0, 0],
        "parts": [{"name": "hub", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}],
        "markers": [
            {"name": "h", "part": "hub"}, {"name": "g", "part": "ground"},
            {"name": "ha", "part": "hub", "orientation": along}, {"name": "ga", "part": "ground", "orientation": along}
        ],
        "joints": [{"name": "r", "type": "revolute", "i": "ha", "j": "ga"}],
        "motions": [{"name": "m", "joint": "r", "displacement": format!("{degrees}D*TIME")}],
        "forces": [force],
        "outputs": [], "experiment": {"stop": 1, "step": 0.001}
    })
}

fn bushing(torsional: [f64; 3]) -> Value {
    json!({"type": "bushing", "stiffness": [1e5, 1e5, 1e5], "torsional_stiffness": torsional})
}

/// When a model is stopped, and what is said.
fn stopped(model: &Value) -> Option<(f64, String)> {
    let model = Model::from_json(&model.to_string()).unwrap();
    let mut simulation = Simulation::new(model.mechanism).unwrap();
    while simulation.time() < 0.9995 {
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

#[test]
fn an_angle_past_half_a_turn_stops_the_run() {
    let beam = json!({"type": "beam", "length": 0.1, "youngs_modulus": 2e9, "shear_modulus": 1e9, "area": 1e-4,
                      "ixx": 1e-8, "iyy": 1e-8, "izz": 1e-8});
    let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.6, 0.8]];
    for element in [bushing([100.0; 3]), beam] {
        for axis in axes {
            for degrees in [200.0, -200.0] {
                let (time, words) = stopped(&hub(degrees, axis, &element)).unwrap();
                // 180 of 200 degrees.
                assert!((0.898..=0.9001).contains(&time), "{time} {words}");
                assert!(
                    words.starts_with("force \"b\" is turned past half a turn"),
                    "{words}"
                );
            }
            assert_eq!(stopped(&hub(179.0, axis, &element)), None);
        }
    }
    // What has no stiffness about the axis turns on and on.
    assert_eq!(
        stopped(&hub(700.0, axes[0], &bushing([100.0, 100.0, 0.0]))),
        None
    );
    let damper =
        json!({"type": "bushing", "stiffness": [1e5, 1e5, 1e5], "torsional_damping": [1, 1, 1]});
    assert_eq!(stopped(&hub(200.0, axes[0], &damper)), None);
}

#[test]
fn a_marker_that_stands_the_wrong_way_round_is_told() {
    let model = |degrees: f64| {
        let mut model = hub(0.0, [0.0, 0.0, 1.0], &bushing([100.0; 3]));
        model["units"] = json!({"angle": "deg"});
        model["markers"][1]["orientation"] = json!({"euler": [degrees, 0, 0]});
        rules(&model)
    };
    assert!(
        model(180.0).contains(&"half-turn b".to_owned()),
        "{:?}",
        model(180.0)
    );
    assert!(model(-165.0).contains(&"half-turn b".to_owned()));
    assert!(!model(150.0).contains(&"half-turn b".to_owned()));
}

/// A clamped beam under a moment M at its end bends to a circle: the end moves by M L²/2EI.
#[test]
fn deformation_is_that_which_a_clamped_end_sees() {
    let moment = 100.0;
    let model = json!({
        "fixstep": 1, "name": "bent", "gravity": [0, 0, 0],
        "flexible_bodies": [{"name": "rod", "file": "rod.flex"}],
        "markers": [{"name": "root", "part": "rod", "node": "big_end"}, {"name": "tip", "part": "rod", "node": "small_end"}],
        "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}],
        "forces": [{"name": "m", "type": "vector_torque", "i": "tip", "j": "ground", "axes": "ground", "tz": moment.to_string()}],
        "start": {"equilibrium": {}},
        "outputs": [{"name": "d", "expression": "DEFORMATION(rod)"}], "experiment": {"stop": 1, "step": 0.001}
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/flexible_slider_crank");
    let read = Model::read(&model.to_string(), &resources::folder(&folder)).unwrap();
    let mut simulation = Simulation::new(read.mechanism).unwrap();
    simulation.initialize(0.0).unwrap();
    let moved = simulation.output(OutputId::from(0));
    let expected = moment * 0.5 * 0.5 / (2.0 * 2.1e11 * f64::powi(0.02, 4) / 12.0);
    assert!((moved / expected - 1.0).abs() < 0.01, "{moved} {expected}");
}

#[test]
fn warnings_are_those_of_the_step_that_comes() {
    let model = json!({
        "fixstep": 1, "name": "swing", "gravity": [0, 0, 0],
        "parts": [{"name": "b", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}, "position": [0, 0, 1]}],
        "markers": [{"name": "m", "part": "b"}, {"name": "p", "part": "ground"}],
        "joints": [{"name": "t", "type": "translational", "i": "m", "j": "p"}],
        "forces": [{"name": "s", "type": "spring_damper", "i": "m", "j": "p", "stiffness": 1e6, "length": 1}],
        "outputs": [], "experiment": {"stop": 1, "step": 0.001}
    });
    let coarse = |step: f64| {
        let model = Model::from_json(&model.to_string()).unwrap();
        let all = Simulation::new(model.mechanism).unwrap().findings_at(step);
        all.iter()
            .any(|finding| finding.rule.id() == "coarse-vibration")
    };
    // ω is 1000 rad/s.
    assert!(coarse(1e-3) && !coarse(1e-4));
    assert!(
        found(&model)
            .iter()
            .any(|finding| finding.rule.id() == "coarse-vibration")
    );
}

#[test]
fn lengths_in_millimetres_and_turns_in_degrees_are_told() {
    let spring = |length: f64| {
        rules(&json!({
            "fixstep": 1, "name": "hung", "gravity": [0, 0, 0],
            "parts": [{"name": "b", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}],
            "markers": [
                {"name": "m", "part": "b", "position": [0.1, 0, 0]}, {"name": "n", "part": "b", "position": [-0.1, 0, 0]},
                {"name": "p", "part": "ground", "position": [0.3, 0, 0]}, {"name": "q", "part": "ground", "position": [-0.3, 0, 0]}
            ],
            "forces": [
                {"name": "s", "type": "spring_damper", "i": "m", "j": "p", "stiffness": 10, "length": length},
                {"name": "t", "type": "spring_damper", "i": "n", "j": "q", "stiffness": 10, "length": length}
            ],
            "outputs": [], "experiment": {"stop": 1, "step": 0.001}
        }))
    };
    assert!(
        spring(200.0).contains(&"odd-length s".to_owned()),
        "{:?}",
        spring(200.0)
    );
    assert!(!spring(1.0).contains(&"odd-length s".to_owned()));
    let driven = |text: &str| {
        let mut model = hub(0.0, [0.0, 0.0, 1.0], &bushing([0.0; 3]));
        model["parameters"] = json!([{"name": "speed", "start": 0.1}]);
        model["motions"][0]["displacement"] = json!(text);
        rules(&model).contains(&"degrees-as-radians m".to_owned())
    };
    assert!(driven("360*speed*TIME"));
    assert!(!driven("2*PI*speed*TIME") && !driven("360D*speed*TIME"));
}

#[test]
fn tendons_are_judged_as_springs_are() {
    let tendon = |stiffness: f64, length: f64, slack: f64| {
        rules(&json!({
            "fixstep": 1, "name": "hung", "gravity": [0, 0, 0],
            "point_masses": [{"name": "a", "mass": 1, "position": [0, 0, slack - 1.0]}],
            "markers": [{"name": "m", "part": "a"}, {"name": "p", "part": "ground", "position": [1, 0, 0]},
                        {"name": "q", "part": "ground"}],
            "forces": [{"name": "t", "type": "tendon", "points": ["p", "q", "m"], "stiffness": stiffness, "length": length}],
            "outputs": [], "experiment": {"stop": 1, "step": 0.001}
        }))
    };
    let has = |found: &[String], rule: &str| found.iter().filter(|f| f.starts_with(rule)).count();
    // 1000 rad/s at a step of 1 ms, taut and slack.
    assert_eq!(has(&tendon(1e6, 2.0, -1e-3), "initial-transient t"), 1);
    assert_eq!(has(&tendon(1e6, 2.0, 0.2), "coarse-vibration t"), 1);
    assert_eq!(has(&tendon(1e4, 2.0, 0.2), "coarse-vibration t"), 0);
    assert_eq!(has(&tendon(1e8, 2.0, 0.2), "fast-vibration t"), 1);
    assert_eq!(has(&tendon(0.0, 2.0, 0.0), "idle-force t"), 1);
    assert_eq!(has(&tendon(10.0, 2000.0, 0.0), "odd-length t"), 1);
    assert_eq!(has(&tendon(10.0, 2.5, 0.0), "odd-length t"), 0);
}

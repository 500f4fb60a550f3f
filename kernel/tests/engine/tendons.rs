//! Warnings about tendons: a tendon is judged as a whole, by the masses that its tension moves.

use crate::lint::found;
use fixstep_kernel::mechanism::Finding;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use serde_json::{Value, json};
use std::f64::consts::PI;

/// A tendon over points `g`, `h` of ground and point masses `a`, `b` with these masses, 2 m and 1 m below.
fn model(masses: [f64; 2], points: &[&str], tendon: &Value) -> Value {
    let mut rope = tendon.clone();
    rope["name"] = json!("rope");
    rope["type"] = json!("tendon");
    rope["points"] = json!(points);
    json!({
        "fixstep": 1, "name": "hung", "gravity": [0, 0, 0],
        "point_masses": [{"name": "a", "mass": masses[0], "position": [0, 0, -2]},
                         {"name": "b", "mass": masses[1], "position": [1, 0, -1]}],
        "markers": [{"name": "ma", "part": "a"}, {"name": "mb", "part": "b"}, {"name": "g", "part": "ground"},
                    {"name": "h", "part": "ground", "position": [1, 0, 0]},
                    {"name": "below", "part": "ground", "position": [0, 0, -4]}],
        "forces": [rope], "outputs": [], "experiment": {"stop": 1, "step": 0.001}
    })
}

/// The vibrations that a trial knows \[Hz\].
fn vibrations(model: &Value) -> Vec<f64> {
    let model = Model::from_json(&model.to_string()).unwrap();
    let simulation = Simulation::new(model.mechanism).unwrap();
    let all = simulation.fastest().into_iter();
    all.map(|one| 1.0 / one.period).collect()
}

/// What is said about the rope under a rule.
fn told(model: &Value, rule: &str) -> Vec<Finding> {
    let all = found(model).into_iter();
    all.filter(|one| one.rule.id() == rule && one.name == "rope")
        .collect()
}

fn is_near(found: &[f64], hertz: f64) {
    assert!(
        found.len() == 1 && (found[0] / hertz - 1.0).abs() < 1e-3,
        "{found:?} {hertz}"
    );
}

#[test]
fn the_strands_of_a_tackle_are_stiff_together() {
    let points = ["g", "ma", "g", "ma", "g", "ma", "g"];
    let stiffness = 7000.0 * 7000.0 / 36.0 * 50.0;
    // ω = 7000 rad/s.
    let tackle = |length: f64| {
        let tendon = json!({"stiffness": stiffness, "length": length});
        model([50.0, 1.0], &points, &tendon)
    };
    is_near(&vibrations(&tackle(11.999)), 7000.0 / (2.0 * PI));
    for (length, says) in [
        (11.999, "vibrates at 1114 Hz"),
        (12.5, "where it is taut, its stiffness vibrates at 1114 Hz"),
    ] {
        let told = told(&tackle(length), "fast-vibration");
        assert!(told.len() == 1 && told[0].what.contains(says), "{told:?}");
    }
    assert!(vibrations(&tackle(12.5)).is_empty());
}

#[test]
fn two_masses_over_a_pulley_vibrate_against_each_other() {
    let tendon = json!({"stiffness": 1e5, "length": 3.999});
    let both = model([3.0, 2.0], &["ma", "g", "h", "mb"], &tendon);
    let omega = f64::sqrt(1e5 * (1.0 / 3.0 + 1.0 / 2.0));
    is_near(&vibrations(&both), omega / (2.0 * PI));
    let transient = told(&both, "initial-transient");
    assert!(
        transient.len() == 1 && transient[0].what.contains("45.9"),
        "{transient:?}"
    );
}

#[test]
fn a_bead_on_a_straight_cable_vibrates_across_it() {
    // Under 100 N, 2 m on either side: ω² = T (1/2 + 1/2)/m.
    let tendon = json!({"stiffness": 1e7, "length": 4.0 - 1e-5});
    let bead = model([1.0, 1.0], &["g", "ma", "below"], &tendon);
    is_near(&vibrations(&bead), 10.0 / (2.0 * PI));
    for rule in ["fast-vibration", "coarse-vibration", "initial-transient"] {
        assert_eq!(told(&bead, rule), [], "{rule}");
    }
}

#[test]
fn damping_of_the_whole_is_told_at_its_field() {
    let tendon = json!({"stiffness": 100, "damping": 1e5, "length": 5.0});
    let damped = model([1.0, 1.0], &["g", "ma", "g"], &tendon);
    for (rule, says) in [
        // 4 c/(2 √(4 k m)) = c/√(k m).
        ("contact-damping", "is 10000 times critical"),
        ("stiff-damping", "2.500e-6 s"),
    ] {
        let told = told(&damped, rule);
        assert!(
            told.len() == 1 && told[0].field == "damping" && told[0].what.contains(says),
            "{rule} {told:?}"
        );
    }
}

#[test]
fn lengths_of_another_unit_are_told() {
    let rule_and_field = |tendon: &Value| {
        let all = found(&model([1.0, 1.0], &["g", "ma"], tendon)).into_iter();
        let odd = all.filter(|one| ["odd-length", "idle-force"].contains(&one.rule.id()));
        odd.map(|one| format!("{} {}", one.rule.id(), one.field))
            .collect::<Vec<_>>()
    };
    let length = |length: f64| rule_and_field(&json!({"stiffness": 10, "length": length}));
    assert_eq!(length(0.002), ["odd-length length"]);
    assert_eq!(length(1.3), ["odd-length length"]);
    assert_eq!(length(1.5), [""; 0]);
    assert_eq!(length(2000.0), ["odd-length length"]);
    let fading = |damping: f64, stretch: f64| {
        rule_and_field(
            &json!({"stiffness": 10, "length": 2, "damping": damping, "damping_stretch": stretch}),
        )
    };
    assert_eq!(fading(0.0, 0.01), ["idle-force damping_stretch"]);
    assert_eq!(fading(1.0, 10.0), ["odd-length damping_stretch"]);
    assert_eq!(fading(1.0, 0.01), [""; 0]);
}

#[test]
fn a_number_that_overflows_is_named() {
    let tendon = json!({"stiffness": 1e300, "length": 1.0});
    let model = model([1.0, 1.0], &["g", "ma"], &tendon);
    let model = Model::from_json(&model.to_string()).unwrap();
    let said = Simulation::new(model.mechanism).err().unwrap().to_string();
    assert!(
        said.contains("force \"rope\", field stiffness: 1e300"),
        "{said}"
    );
}

//! Tests that impossible starts, and starts from which no motion is possible, name the joints and parts.

use crate::harness::try_build;
use crate::mechanisms_starts::parallelogram;
use serde_json::{Value, json as object};

fn model() -> Value {
    object!({
        "fixstep": 1, "name": "t", "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

fn refused(m: &Value) -> String {
    try_build(&m.to_string()).unwrap_err()
}

/// Drawn along its frame, a parallelogram finds equilibrium where all lies on one line, and branches.
#[test]
fn an_equilibrium_in_a_branching_position_names_the_joint() {
    let mut m = parallelogram(0.5);
    m["gravity"] = object!([9.81, 0, 0]);
    m["start"] = object!({"equilibrium": {}});
    let problem = refused(&m);
    assert!(
        problem.starts_with("in static equilibrium the mechanism starts in a singular position"),
        "{problem}"
    );
    assert!(
        problem.contains("joint \"D\", translation along x"),
        "{problem}"
    );
}

/// Two rods of length 1 cannot span 3; stretched to their whole length, each holds what the other holds.
#[test]
fn rods_too_short_and_rods_stretched_are_named() {
    let mut m = model();
    m["point_masses"] = object!([{"name": "p", "mass": 1, "position": [1, 0, 0]}]);
    m["markers"] = object!([
        {"name": "m", "part": "p"}, {"name": "far", "part": "ground", "position": [3, 0, 0]}
    ]);
    m["joints"] = object!([
        {"name": "one", "type": "distance", "i": "m", "j": "ground", "length": 1},
        {"name": "two", "type": "distance", "i": "m", "j": "far", "length": 1}
    ]);
    let problem = refused(&m);
    assert!(problem.contains("cannot be assembled"), "{problem}");
    assert!(
        problem.contains("joint \"one\": distance") && problem.contains("joint \"two\": distance"),
        "{problem}"
    );
    assert!(!problem.contains("the joints alone close"), "{problem}");
    m["joints"][1]["length"] = 2.0.into();
    let problem = refused(&m);
    assert!(problem.contains("singular position"), "{problem}");
    assert!(
        problem.contains("joint \"two\", distance (already held by joint \"one\")"),
        "{problem}"
    );
}

/// Both cranks of a parallelogram driven to different angles: either motion is one too many. Driven alike,
/// they leave no choice to an initial angle between crank and bar.
#[test]
fn motions_that_lock_a_mechanism_are_named() {
    let mut m = parallelogram(1.0);
    m["motions"] = object!([
        {"name": "one", "joint": "A", "displacement": "3*TIME"},
        {"name": "two", "joint": "D", "displacement": "1 + 3*TIME"}
    ]);
    let problem = refused(&m);
    assert!(
        problem.ends_with(
            "the joints alone close, and everything does without any one of these: \
             motion \"one\", motion \"two\""
        ),
        "{problem}"
    );
    m["motions"][1]["displacement"] = "3*TIME".into();
    m["joints"][1]["initial"] = object!({"angle": 0.5});
    let problem = refused(&m);
    assert!(
        problem.ends_with("everything does without the initial condition of joint \"B\""),
        "{problem}"
    );
}

//! Tests of starts that are hard or impossible: no acceleration, singular positions, redundant motions,
//! contradictory velocities, forces that are not finite.

use crate::harness::{advance, build, output, start, try_build};
use fixstep_kernel::math::{cos, sin};
use serde_json::{Value, json as object};

/// Base of an inline model in SI units and radians.
fn model() -> Value {
    object!({
        "fixstep": 1, "name": "t", "solver": {"fixit": 6},
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

fn body(name: &str) -> Value {
    object!({"name": name, "mass": 1, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}})
}

/// A parallelogram, cranks of length 1 at an angle from its frame of length 2.
pub(crate) fn parallelogram(angle: f64) -> Value {
    let tip = object!([cos(angle), sin(angle), 0]);
    let mut m = model();
    m["parts"] = object!([body("left"), body("bar"), body("right")]);
    m["parts"][1]["position"] = tip.clone();
    m["parts"][2]["position"] = object!([2, 0, 0]);
    m["markers"] = object!([
        {"name": "a", "part": "left"}, {"name": "b", "part": "left", "position": tip},
        {"name": "b2", "part": "bar"}, {"name": "c", "part": "bar", "position": [2, 0, 0]},
        {"name": "c2", "part": "right", "position": tip}, {"name": "d", "part": "right"},
        {"name": "d2", "part": "ground", "position": [2, 0, 0]}
    ]);
    m["joints"] = object!([
        {"name": "A", "type": "revolute", "i": "a", "j": "ground"},
        {"name": "B", "type": "revolute", "i": "b", "j": "b2"},
        {"name": "C", "type": "revolute", "i": "c", "j": "c2"},
        {"name": "D", "type": "revolute", "i": "d", "j": "d2"}
    ]);
    m["outputs"] = object!([
        {"name": "left", "expression": "AZ(a)"}, {"name": "right", "expression": "AZ(d)"},
        {"name": "rate", "expression": "WZ(a)"}, {"name": "other", "expression": "WZ(d)"}
    ]);
    m
}

/// Accelerations that are zero but for rounding must not count as an iteration that diverges: a
/// body that is held, whatever its axes, and one that is driven at constant speed.
#[test]
fn balanced_mechanisms_start() {
    for k in 0..40 {
        let (x, y) = (0.37 * f64::from(k), 0.71 * f64::from(k));
        let axes = object!({"quaternion": [1.0, sin(x), sin(y), cos(x + y)]});
        let mut m = model();
        m["gravity"] = object!([3.1, -2.2, 5.3]);
        m["parts"] = object!([body("held"), body("driven")]);
        m["parts"][0]["center_of_mass"] = object!([0.1, -0.03, 0.07]);
        m["markers"] = object!([
            {"name": "h", "part": "held", "position": [0.2, 0.1, -0.3], "orientation": axes},
            {"name": "g", "part": "ground", "position": [sin(x), 1, 2]},
            {"name": "d", "part": "driven", "orientation": axes},
            {"name": "e", "part": "ground", "orientation": axes}
        ]);
        m["parts"][0]["position"] = object!([sin(x), 1, 2]);
        m["joints"] = object!([
            {"name": "hold", "type": "fixed", "i": "g", "j": "h"},
            {"name": "turn", "type": "revolute", "i": "d", "j": "e"}
        ]);
        m["motions"] = object!([{"name": "run", "joint": "turn", "displacement": "10 + 50*TIME"}]);
        m["outputs"] = object!([{"name": "load", "expression": "JOINT(hold, 1, 1, 0)"}]);
        let simulation = build(&m.to_string());
        let weight = (3.1_f64 * 3.1 + 2.2 * 2.2 + 5.3 * 5.3).sqrt();
        assert!((output(&simulation, "load") - weight).abs() < 1e-12 * weight);
    }
}

/// A flat parallelogram may continue as one or as an antiparallelogram: there is no start, and the error names joint D,
/// which is redundant there. Beside that position it starts, and then passes through it.
#[test]
fn a_branching_start_is_refused_by_name() {
    let mut driven = parallelogram(0.0);
    driven["motions"] = object!([{"name": "run", "joint": "A", "displacement": "3*TIME"}]);
    for m in [parallelogram(0.0), driven] {
        let problem = try_build(&m.to_string()).unwrap_err();
        assert!(problem.contains("singular position"), "{problem}");
        assert!(
            problem.contains("joint \"D\", translation along x"),
            "{problem}"
        );
        assert!(!problem.contains("along z"), "always redundant: {problem}");
    }
    let mut free = parallelogram(1.0);
    free["joints"][0]["initial"] = object!({"angular_velocity": 3});
    let mut simulation = build(&free.to_string());
    assert_eq!(simulation.degrees_of_freedom(), 1);
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 4.0);
    let (left, right) = (output(&simulation, "left"), output(&simulation, "right"));
    assert!(left > 9.0 && (left - right).abs() < 1e-9, "{left} {right}");
}

/// A slider-crank stretched out: driven by its crank it starts, driven by its slider it cannot.
#[test]
fn dead_centres_are_told_apart() {
    let mut m = model();
    m["parts"] = object!([body("crank"), body("rod"), body("slider")]);
    m["parts"][1]["position"] = object!([1, 0, 0]);
    m["parts"][2]["position"] = object!([3, 0, 0]);
    let along = object!({"z_point": [5, 0, 0], "x_point": [3, 1, 0]});
    let on_slider = object!({"z_point": [1, 0, 0], "x_point": [0, 1, 0]});
    m["markers"] = object!([
        {"name": "a", "part": "crank"}, {"name": "b", "part": "crank", "position": [1, 0, 0]},
        {"name": "b2", "part": "rod"}, {"name": "c", "part": "rod", "position": [2, 0, 0]},
        {"name": "c2", "part": "slider"},
        {"name": "s", "part": "slider", "orientation": on_slider},
        {"name": "g", "part": "ground", "position": [3, 0, 0], "orientation": along}
    ]);
    m["joints"] = object!([
        {"name": "A", "type": "revolute", "i": "a", "j": "ground"},
        {"name": "B", "type": "revolute", "i": "b", "j": "b2"},
        {"name": "C", "type": "revolute", "i": "c", "j": "c2"},
        {"name": "S", "type": "translational", "i": "s", "j": "g"}
    ]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(c2)"}, {"name": "a", "expression": "ACCX(c2)"}
    ]);
    m["motions"] = object!([{"name": "turn", "joint": "A", "displacement": "5*TIME"}]);
    let mut simulation = build(&m.to_string());
    // x = cos φ + √(4 − sin² φ): ẍ = −ω² (1 + ½) at φ = 0
    assert!((output(&simulation, "a") + 37.5).abs() < 1e-11);
    start(&mut simulation, 1e-2);
    advance(&mut simulation, 3.0);
    let wanted = cos(15.0) + (4.0 - sin(15.0) * sin(15.0)).sqrt();
    assert!((output(&simulation, "x") - wanted).abs() < 1e-12);
    m["motions"] = object!([{"name": "push", "joint": "S", "displacement": "-TIME"}]);
    let problem = try_build(&m.to_string()).unwrap_err();
    assert!(problem.contains("motion \"push\""), "{problem}");
    m["motions"] = object!([{"name": "push", "joint": "S", "displacement": "-TIME**2"}]);
    let problem = try_build(&m.to_string()).unwrap_err();
    assert!(problem.contains("singular position"), "{problem}");
    assert!(problem.contains("motion \"push\""), "{problem}");
}

/// Two motions drive one degree of freedom: the second must not be dropped without a message.
#[test]
fn one_motion_too_many_is_refused() {
    for second in ["3*TIME", "3*TIME + TIME**2"] {
        let mut m = parallelogram(1.0);
        m["motions"] = object!([
            {"name": "one", "joint": "A", "displacement": "3*TIME"},
            {"name": "two", "joint": "D", "displacement": second}
        ]);
        let problem = try_build(&m.to_string()).unwrap_err();
        assert!(problem.contains("motion \"two\""), "{problem}");
        assert!(problem.contains("motion \"one\""), "{problem}");
    }
}

/// Given velocities that contradict joints or each other are not met, and a message says so.
#[test]
fn contradictory_given_velocities_are_reported() {
    let mut m = parallelogram(1.0);
    m["parts"][0]["angular_velocity"] = object!([0, 0, 1]);
    m["motions"] = object!([{"name": "run", "joint": "A", "displacement": "3*TIME"}]);
    let simulation = build(&m.to_string());
    assert!((output(&simulation, "rate") - 3.0).abs() < 1e-13);
    let says = |s: &fixstep_kernel::simulation::Simulation, name: &str| {
        let text = format!("part \"{name}\": the initial angular velocity");
        s.notes().iter().any(|note| note.starts_with(&text))
    };
    assert!(says(&simulation, "left") && !says(&simulation, "right"));

    let mut m = parallelogram(1.0);
    m["parts"][0]["angular_velocity"] = object!([0, 0, 1]);
    m["parts"][2]["angular_velocity"] = object!([0, 0, 2]);
    let simulation = build(&m.to_string());
    assert!(says(&simulation, "left") && says(&simulation, "right"));
    let rate = output(&simulation, "rate");
    assert!((rate - output(&simulation, "other")).abs() < 1e-12);
    assert!((rate - 1.5).abs() < 1e-9, "half way: {rate}");

    let mut m = parallelogram(1.0);
    m["parts"][0]["angular_velocity"] = object!([0, 0, 1]);
    let simulation = build(&m.to_string());
    assert!(!says(&simulation, "left"));
    assert!((output(&simulation, "other") - 1.0).abs() < 1e-13);
}

#[test]
fn a_force_that_is_not_finite_is_named() {
    let mut m = model();
    m["parts"] = object!([body("p")]);
    m["markers"] = object!([{"name": "m", "part": "p"}]);
    m["forces"] = object!([
        {"name": "good", "type": "vector_force", "i": "m", "j": "ground", "fx": "1"},
        {"name": "bad", "type": "vector_force", "i": "m", "j": "ground", "fx": "SQRT(TIME-0.5)"}
    ]);
    let problem = try_build(&m.to_string()).unwrap_err();
    assert!(problem.contains("force \"bad\""), "{problem}");
    assert!(!problem.contains("good"), "{problem}");
    assert!(problem.contains("not finite"), "{problem}");
}

/// 1e4 rad/s at 1 ms is 1.6 turns a step.
#[test]
fn turns_are_counted_when_a_step_exceeds_one() {
    let mut m = model();
    m["parts"] = object!([body("rotor")]);
    m["parts"][0]["angular_velocity"] = object!([0, 0, -1e4]);
    m["markers"] = object!([{"name": "m", "part": "rotor"}]);
    m["joints"] = object!([
        {"name": "A", "type": "screw", "i": "m", "j": "ground", "pitch": 0.01}
    ]);
    m["outputs"] = object!([
        {"name": "angle", "expression": "AZ(m)"}, {"name": "advance", "expression": "DZ(m)"}
    ]);
    for h in [1e-3, 5e-4, 1e-5] {
        let mut simulation = build(&m.to_string());
        start(&mut simulation, h);
        advance(&mut simulation, 0.01);
        let angle = output(&simulation, "angle");
        assert!((angle + 100.0).abs() < 1e-8, "{h}: {angle}");
        let advance = output(&simulation, "advance") + 0.01 * 100.0 / std::f64::consts::TAU;
        assert!(advance.abs() < 1e-10, "{h}: {advance}");
    }
}

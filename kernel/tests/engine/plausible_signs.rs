//! Signs that are turned, forces that move nothing: each with a model that has it, and near ones that are meant.

use crate::lint::rules;
use serde_json::{Value, json};
use std::f64::consts::FRAC_PI_2;

/// A mass on a rail along x, with a force along the rail, beside another on a rail of its own.
fn rail(expression: &str) -> Value {
    let along = json!({"euler": [FRAC_PI_2, FRAC_PI_2, 0]});
    json!({
        "fixstep": 1, "name": "rail", "gravity": [0, 0, 0],
        "parts": [
            {"name": "a", "mass": 2, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}, "position": [0.1, 0, 0]},
            {"name": "b", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}, "position": [0, 1, 0]}
        ],
        "markers": [
            {"name": "a", "part": "a", "orientation": along},
            {"name": "a0", "part": "ground", "orientation": along},
            {"name": "b", "part": "b", "orientation": along},
            {"name": "b0", "part": "ground", "position": [0, 1, 0], "orientation": along}
        ],
        "joints": [
            {"name": "rail_a", "type": "translational", "i": "a", "j": "a0"},
            {"name": "rail_b", "type": "translational", "i": "b", "j": "b0"}
        ],
        "forces": [{"name": "f", "type": "vector_force", "i": "a", "j": "a0", "axes": "ground", "fx": expression}],
        "outputs": [{"name": "x", "expression": "DX(a, a0)"}],
        "experiment": {"stop": 5, "step": 0.001}
    })
}

fn is_reversed(expression: &str) -> bool {
    rules(&rail(expression)).contains(&"reversed-force f".to_owned())
}

#[test]
fn springs_and_dampers_with_the_wrong_sign() {
    for wrong in [
        "40*DX(a, a0)",
        "-40*DX(a0, a)",
        "40*(DX(a, a0) - 0.3) + 2",
        "3*VX(a, a0)",
        "-40*DX(a, a0) + 3*VX(a, a0)",
        "TIME*2 + 3*VX(a, a0)",
    ] {
        assert!(is_reversed(wrong), "{wrong}");
    }
    for meant in [
        "-40*DX(a, a0)",
        "40*DX(a0, a)",
        "-3*VX(a, a0)",
        // Too weak to do anything within the experiment.
        "1e-3*VX(a, a0)",
        // An oscillator of van der Pol, a magnet, a buckled spring.
        "-40*DX(a, a0) + 3*(1 - DX(a, a0)**2)*VX(a, a0)",
        "-0.5/(0.5 + DX(a, a0))**2",
        "40*DX(a, a0) - 900*DX(a, a0)**3",
        // A control that reads another body, and what does not move the force's own.
        "40*DX(b, b0) + 3*VX(b, b0)",
        "40*DY(a, a0)",
        "12",
    ] {
        assert!(!is_reversed(meant), "{meant}: {:?}", rules(&rail(meant)));
    }
}

#[test]
fn what_another_force_holds_does_not_run_away() {
    let beside = |own: &str, other: &str| {
        let mut model = rail(own);
        let mut force = model["forces"][0].clone();
        force["name"] = json!("g");
        force["fx"] = json!(other);
        model["forces"].as_array_mut().unwrap().push(force);
        rules(&model).contains(&"reversed-force f".to_owned())
    };
    assert!(!beside("40*DX(a, a0)", "-680*DX(a, a0)"));
    assert!(!beside("3*VX(a, a0)", "-18*VX(a, a0)"));
    assert!(beside("40*DX(a, a0)", "-6*DX(a, a0)"));
    assert!(beside("40*DX(a, a0)", "-680*DX(b, b0)"));
}

#[test]
fn turns_about_axes_that_nothing_turns_about() {
    let hinge = |expression: &str, joint: &str| {
        let along = json!({"euler": [0, FRAC_PI_2, 0]});
        let mut model = rail("0");
        for marker in [0, 1] {
            model["markers"][marker]["orientation"] = along.clone();
        }
        model["parts"][0]["position"] = json!([0, 0, 0]);
        model["joints"][0]["type"] = json!(joint);
        model["forces"] =
            json!([{"name": "t", "type": "torque", "i": "a", "j": "a0", "expression": expression}]);
        rules(&model).contains(&"blind-measure t".to_owned())
    };
    assert!(hinge("-WZ(a, a0)", "revolute"));
    assert!(hinge("-WX(a, a0, a0)", "revolute"));
    assert!(!hinge("-WZ(a, a0, a0)", "revolute"));
    assert!(!hinge("-WY(a, a0)", "revolute"));
    assert!(!hinge("-WZ(a, a0)", "spherical"));
    // Where the part turns already, the axis may come to be one about which it turns.
    let mut turning = rail("0");
    turning["joints"][0]["type"] = json!("revolute");
    turning["parts"][0]["position"] = json!([0, 0, 0]);
    turning["parts"][0]["angular_velocity"] = json!([1, 0, 0]);
    turning["forces"] =
        json!([{"name": "t", "type": "torque", "i": "a", "j": "a0", "expression": "-WZ(a, a0)"}]);
    assert!(!rules(&turning).contains(&"blind-measure t".to_owned()));
}

#[test]
fn forces_within_what_is_one() {
    let welded = |kind: &str, from: &str| {
        let mut model = rail("0");
        model["joints"][1] = json!({"name": "weld", "type": kind, "i": "b", "j": "a_side"});
        let along = model["markers"][0]["orientation"].clone();
        model["markers"].as_array_mut().unwrap().extend([
            json!({"name": "a_side", "part": "a", "position": [-0.1, 1, 0], "orientation": along}),
            json!({"name": "b_end", "part": "b", "position": [0.5, 0, 0]}),
        ]);
        model["forces"] = json!([
            {"name": "s", "type": "spring_damper", "i": "b_end", "j": from, "stiffness": 10, "length": 1}
        ]);
        rules(&model).contains(&"idle-force s".to_owned())
    };
    assert!(welded("fixed", "a"));
    assert!(!welded("fixed", "a0"));
    assert!(!welded("revolute", "a"));
}

#[test]
fn delays_as_long_as_the_experiment() {
    let by = |delay: &str| {
        let found = rules(&rail(&format!("-DELAY(VX(a, a0), {delay}, 0, 9)")));
        found.iter().any(|rule| rule.starts_with("long-delay"))
    };
    assert!(by("5"));
    assert!(by("8 + DX(a, a0)"));
    assert!(!by("0.5"));
}

#[test]
fn springs_of_no_stiffness() {
    let idle = |spring: Value| {
        let mut model = rail("-DX(a, a0)");
        let mut force = json!({"name": "s", "i": "a", "j": "b0"});
        force
            .as_object_mut()
            .unwrap()
            .extend(spring.as_object().unwrap().clone());
        model["forces"].as_array_mut().unwrap().push(force);
        rules(&model).contains(&"idle-force s".to_owned())
    };
    let bushing = |stiffness: f64| json!({"type": "bushing", "stiffness": [0, 0, stiffness]});
    assert!(idle(bushing(0.0)));
    assert!(!idle(bushing(1.0)));
    let spring = |damping: f64| json!({"type": "spring_damper", "stiffness": 0, "damping": damping, "length": 1});
    assert!(idle(spring(0.0)));
    assert!(!idle(spring(2.0)));
}

#[test]
fn functions_that_begin_after_the_end() {
    let late = |expression: &str| {
        let found = rules(&rail(expression));
        found.iter().any(|rule| rule.starts_with("long-delay"))
    };
    // 500 ms, given as if in milliseconds; the experiment lasts 5 s.
    assert!(late("STEP(TIME, 500, 0, 1000, 3)"));
    assert!(late("IF(TIME - 80: 0, 0, 3)"));
    // A program longer than the run.
    assert!(!late("STEP(TIME, 20, 0, 21, 3)"));
    assert!(!late("STEP(TIME, 0.5, 0, 1, 3)"));
    assert!(!late("0*TIME"));
    assert!(!late("3 + 0*STEP(TIME, 500, 0, 1000, 3)"));
    assert!(!late("STEP(TIME, 500, 0, 1000, 3)*DX(a, b)*0"));
}

#[test]
fn loads_that_grow_beyond_the_end() {
    let ramp = |seconds: f64| {
        let mut model = rail("-DX(a, a0)");
        model["start"] = json!({"ramp": {"duration": seconds}});
        rules(&model)
            .iter()
            .any(|rule| rule.starts_with("long-delay"))
    };
    assert!(ramp(5.0));
    assert!(!ramp(0.5));
}

#[test]
fn equilibrium_far_from_the_drawing() {
    let hung = |stiffness: f64| {
        rules(&json!({
            "fixstep": 1, "name": "hung", "gravity": [0, 0, -9.81],
            "parts": [{"name": "b", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}],
            "markers": [{"name": "m", "part": "b", "position": [0, 0, 0.1]}, {"name": "p", "part": "ground", "position": [0, 0, 0.3]}],
            "forces": [{"name": "s", "type": "spring_damper", "i": "m", "j": "p", "stiffness": stiffness, "damping": 1, "length": 0.2}],
            "start": {"equilibrium": {}},
            "outputs": [], "experiment": {"stop": 1, "step": 0.001}
        }))
        .contains(&"far-equilibrium b".to_owned())
    };
    // The spring gives way by 9.81 m, by 0.1 m.
    assert!(hung(1.0));
    assert!(!hung(98.1));
}

#[test]
fn drives_and_steps_in_degrees() {
    let drive = |position: &str| {
        let mut model = rail("0");
        model["joints"][0]["type"] = json!("revolute");
        model["parts"][0]["position"] = json!([0, 0, 0]);
        model["forces"] = json!([{"name": "d", "type": "joint_drive", "joint": "rail_a", "position": position,
                                  "proportional": 10, "derivative": 1}]);
        rules(&model).contains(&"degrees-as-radians d".to_owned())
    };
    assert!(drive("30"));
    assert!(drive("STEP(TIME, 0, 0, 1, 30)"));
    assert!(!drive("0.5"));
    assert!(!drive("STEP(TIME, 0, 0, 1, 30D)"));
    assert!(!drive("STEP(TIME, 0, 0, 1, 2)"));
}

#[test]
fn centres_of_mass_and_rods_on_another_axis() {
    let part = |center: [f64; 3], moments: [f64; 3]| {
        let mut model = rail("0");
        let [xx, yy, zz] = moments;
        model["parts"][0]["center_of_mass"] = json!(center);
        model["parts"][0]["inertia"] = json!({"xx": xx, "yy": yy, "zz": zz});
        let far = json!({"name": "far", "part": "a", "position": [0, 0.6, 0]});
        model["markers"].as_array_mut().unwrap().push(far);
        let found = rules(&model);
        let has = |rule: &str| found.contains(&format!("{rule} a"));
        [has("odd-center"), has("odd-inertia")]
    };
    let rod = 2.0 * 0.36 / 12.0;
    let slender = [rod, 0.01 * rod, rod];
    assert_eq!(part([0.0, 0.3, 0.0], slender), [false, false]);
    assert_eq!(part([0.0, -0.3, 0.0], slender), [true, false]);
    // A counterweight; beyond both ends, whatever its sign; a little beyond one.
    assert_eq!(part([0.0, -0.12, 0.0], slender), [false, false]);
    assert_eq!(part([0.0, -0.9, 0.0], slender), [false, false]);
    assert_eq!(part([0.0, -0.02, 0.0], slender), [false, false]);
    assert_eq!(part([0.0, 0.3, 0.0], [0.01 * rod, rod, rod]), [false, true]);
    assert_eq!(part([0.0, 0.3, 0.0], [rod, rod, 0.01 * rod]), [false, true]);
    // A disc on a shaft, a block.
    assert_eq!(
        part([0.0, 0.3, 0.0], [0.5 * rod, rod, 0.5 * rod]),
        [false, false]
    );
    assert_eq!(part([0.0, 0.3, 0.0], [rod, rod, rod]), [false, false]);
}

#[test]
fn contact_functions_that_drive() {
    let odd = |arguments: &str| {
        let text = format!("IMPACT({arguments}, 0.05, 1000, 1.5, 10, 0.01)");
        rules(&rail(&text)).contains(&"odd-contact f".to_owned())
    };
    assert!(odd("DX(a, a0), -VX(a, a0)"));
    assert!(odd("DX(a, a0), VX(a0, a)"));
    assert!(odd("2 - DX(a0, a), -VX(a, a0)"));
    assert!(!odd("DX(a, a0), VX(a, a0)"));
    assert!(!odd("-DX(a0, a), VX(a, a0)"));
    assert!(!odd("DX(a, a0), VX(b, b0)"));
    let mut model = rail("2*blow");
    let text = "IMPACT(DX(a, a0), -VX(a, a0), 0.05, 1000, 1.5, 10, 0.01)";
    model["variables"] = json!([{"name": "blow", "expression": text}]);
    assert!(rules(&model).contains(&"odd-contact f".to_owned()));
}

#[test]
fn contacts_as_soft_as_air() {
    let model = |(stiffness, radius): (f64, f64), gravity: [f64; 3]| {
        rules(&json!({
            "fixstep": 1, "name": "ball", "gravity": gravity,
            "parts": [{"name": "ball", "mass": 1, "position": [0, 0, 1], "inertia": {"xx": 0.001, "yy": 0.001, "zz": 0.001}}],
            "markers": [{"name": "c", "part": "ball"}, {"name": "g", "part": "ground"}],
            "forces": [{"name": "floor", "type": "contact", "i": "c", "j": "g",
                        "shapes": {"i": {"type": "sphere", "radius": radius}, "j": {"type": "plane"}},
                        "normal": {"type": "impact", "stiffness": stiffness, "exponent": 1.5, "damping": 1, "depth": 0.01}}],
            "outputs": [], "experiment": {"stop": 1, "step": 0.001}
        }))
        .contains(&"odd-contact floor".to_owned())
    };
    let ball = |stiffness, gravity| model((stiffness, 0.05), gravity);
    let foot = |radius| model((2e4, radius), [0.0, 0.0, -9.81]);
    // 9.81 N press a ball of 0.05 m in by 0.98 m, by 0.021 m; and do not press it to a wall.
    assert!(ball(10.0, [0.0, 0.0, -9.81]));
    assert!(!ball(3200.0, [0.0, 0.0, -9.81]));
    assert!(!ball(10.0, [-9.81, 0.0, 0.0]));
    assert!(!ball(10.0, [0.0, 0.0, 0.0]));
    // The small foot of a large part.
    assert!(!foot(0.001));
}

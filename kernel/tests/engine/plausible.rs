//! Mistakes that angles, gravity, masses and inertias betray: each with a model that has it, in several units, and a near
//! one that does not.

use crate::lint::{and, found, push, rules, with};
use serde_json::{Value, json};

/// A pendulum of 2 kg that hangs 0.5 m below its hinge, in these units of length, mass, time and angle; the numbers are
/// turned into them.
pub(crate) fn pendulum(units: [&str; 4]) -> Value {
    let [length, mass, time, angle] = units;
    let (l, m, t) = scales(units);
    let inertia = 0.2 / (m * l * l);
    let g = 9.81 * t * t / l;
    json!({
        "fixstep": 1, "name": "pendulum",
        "units": {"length": length, "mass": mass, "force": "N", "time": time, "angle": angle},
        "gravity": [0, -g, 0],
        "experiment": {"stop": 1.0 / t, "step": 0.001 / t},
        "parts": [{"name": "rod", "mass": 2.0 / m,
                   "inertia": {"xx": inertia, "yy": inertia, "zz": inertia}}],
        "markers": [
            {"name": "pin", "part": "ground", "position": [0, 0.5 / l, 0]},
            {"name": "eye", "part": "rod", "position": [0, 0.5 / l, 0]},
            {"name": "tip", "part": "rod", "position": [0, -0.5 / l, 0]}
        ],
        "joints": [{"name": "hinge", "type": "revolute", "i": "eye", "j": "pin"}],
        "outputs": [{"name": "angle", "expression": "AZ(eye, pin)"}]
    })
}

/// Units of length, mass and time in SI.
pub(crate) fn scales([length, mass, time, _]: [&str; 4]) -> (f64, f64, f64) {
    let l = if length == "mm" { 1e-3 } else { 1.0 };
    let m = if mass == "t" { 1e3 } else { 1.0 };
    let t = if time == "ms" { 1e-3 } else { 1.0 };
    (l, m, t)
}

pub(crate) const ALL: [[&str; 4]; 4] = [
    ["m", "kg", "s", "rad"],
    ["mm", "kg", "s", "deg"],
    ["mm", "t", "s", "rad"],
    ["mm", "kg", "ms", "deg"],
];

#[test]
fn a_sound_model_is_silent_in_all_units() {
    for units in ALL {
        assert_eq!(rules(&pendulum(units)), [""; 0], "{units:?}");
    }
}

#[test]
fn angles_in_fields() {
    let radians = ["m", "kg", "s", "rad"];
    let turned = |unit: &str, angle: f64| {
        let mut model = pendulum(["m", "kg", "s", unit]);
        model["markers"][2]["orientation"] = json!({"euler": [0, angle, 0]});
        model
    };
    assert_eq!(rules(&turned("rad", 90.0)), ["degrees-as-radians tip"]);
    assert_eq!(rules(&turned("rad", 1.5)), [""; 0]);
    assert_eq!(rules(&turned("rad", 3.0 * std::f64::consts::PI)), [""; 0]);
    assert_eq!(rules(&turned("deg", 90.0)), [""; 0]);
    let text = found(&turned("rad", 90.0))[0].to_string();
    assert!(text.contains("90 is 14.3 turns"), "{text}");
    let begun = |unit: &str, angle: f64| {
        let mut model = pendulum(["m", "kg", "s", unit]);
        model["joints"][0]["initial"] = json!({"angle": angle});
        let names = rules(&model);
        names.contains(&"degrees-as-radians hinge".to_owned())
    };
    assert!(begun("rad", 30.0));
    assert!(!begun("rad", 0.5));
    assert!(!begun("deg", 30.0));
    let mut spring = pendulum(radians);
    spring["forces"] = json!([{"name": "f", "type": "torsion_spring_damper", "i": "eye", "j": "pin",
                               "stiffness": 1, "angle": 45}]);
    assert_eq!(rules(&spring), ["degrees-as-radians f"]);
    assert_eq!(rules(&with(spring, "/forces/0/angle", json!(0.8))), [""; 0]);
}

#[test]
fn angles_in_text() {
    let push = |text: &str| rules(&push(text));
    for mistaken in [
        "SIN(360*TIME)",
        "2*COS(-90*TIME)",
        "SIN(6.28*TIME + 30)",
        "COS(45)",
        "SIN(360*TIME/DM(hub))",
        "SHF(TIME, 0, 1, 720)",
        "SHF(TIME, 0, 1, 6.28, 90)",
        "FORCOS(TIME, 0, 180, 1, 1)",
    ] {
        assert_eq!(push(mistaken), ["degrees-as-radians f"], "{mistaken}");
    }
    for meant in [
        "SIN(360D*TIME)",
        "SIN(2*PI*50*TIME)",
        "SIN(100*TIME)",
        "SIN(360*TIME*DTOR)",
        "SIN(360*TIME/57.29578)",
        "SIN(90*TIME*PI/180)",
        "COS(45D)",
        "COS(5*TIME + 1.5)",
        "SIN(DX(hub)*10)",
        "SHF(TIME, 0, 90, 6.28, 0, 360)",
    ] {
        assert_eq!(push(meant), [""; 0], "{meant}");
    }
}

#[test]
fn angles_of_motions() {
    let driven = |text: &str| {
        let mut model = pendulum(["m", "kg", "s", "deg"]);
        // It begins where the motion does.
        model["motions"] = json!([{"name": "m", "joint": "hinge", "displacement": text}]);
        let names = rules(&model).into_iter();
        names.filter(|name| name == "degrees-as-radians m").count()
    };
    for mistaken in [
        "90",
        "STEP5(TIME, 0, 0, 1, 90)",
        "360*TIME",
        "1 + STEP(TIME, 0, 0, 1, -45)",
    ] {
        assert_eq!(driven(mistaken), 1, "{mistaken}");
    }
    for meant in [
        "90D",
        "STEP5(TIME, 0, 0, 1, 90D)",
        "STEP5(TIME, 0, 0, 1, 90)*DTOR",
        "100*TIME",
        "6",
    ] {
        assert_eq!(driven(meant), 0, "{meant}");
    }
    let mut slide = push("0");
    slide["motions"] =
        json!([{"name": "m", "joint": "rail", "displacement": "1 + STEP5(TIME, 0, 0, 1, 90)"}]);
    assert_eq!(rules(&slide), [""; 0]);
}

#[test]
fn gravity_that_nobody_mentions() {
    let without = |mut model: Value| {
        model.as_object_mut().unwrap().remove("gravity");
        model
    };
    for units in ALL {
        assert_eq!(
            rules(&without(pendulum(units))),
            ["no-gravity "],
            "{units:?}"
        );
        let answered = and(pendulum(units), "gravity", json!([0, 0, 0]));
        assert_eq!(rules(&answered), [""; 0], "{units:?}");
    }
    // Where a motion decides, nothing falls, nor does what hangs in its centre of mass.
    let mut driven = without(pendulum(["m", "kg", "s", "rad"]));
    driven["motions"] = json!([{"name": "m", "joint": "hinge", "displacement": "TIME"}]);
    assert_eq!(rules(&driven), [""; 0]);
    let mut balanced = without(pendulum(["m", "kg", "s", "rad"]));
    balanced["markers"][0]["position"] = json!([0, 0, 0]);
    balanced["markers"][1]["position"] = json!([0, 0, 0]);
    assert_eq!(rules(&balanced), [""; 0]);
}

#[test]
fn gravity_of_no_planet() {
    for units in ALL {
        let (l, _, t) = scales(units);
        let of = |g: f64| {
            rules(&and(
                pendulum(units),
                "gravity",
                json!([0, -g * t * t / l, 0]),
            ))
        };
        for (g, odd) in [
            (9.81e-3, true),
            (9806.65, true),
            (1.62, false),
            (24.8, false),
        ] {
            let expected: &[&str] = if odd { &["odd-gravity "] } else { &[] };
            assert_eq!(of(g), expected, "{g} in {units:?}");
        }
    }
    let text = found(&and(
        pendulum(["mm", "kg", "s", "deg"]),
        "gravity",
        json!([0, -9.81, 0]),
    ));
    let text = text[0].to_string();
    assert!(
        text.contains("9.81 mm/s^2 are 0.00981 m/s^2") && text.contains("9807 mm/s^2"),
        "{text}"
    );
}

#[test]
fn inertia_of_other_units() {
    for units in ALL {
        let with_inertia = |factor: f64| {
            let mut model = pendulum(units);
            for axis in ["xx", "yy", "zz"] {
                let given = model["parts"][0]["inertia"][axis].as_f64().unwrap();
                model["parts"][0]["inertia"][axis] = json!(given * factor);
            }
            rules(&model)
        };
        // The radius of gyration is 0.32 m, and markers reach 0.5 m.
        assert_eq!(with_inertia(1e-6), ["odd-inertia rod"], "{units:?}");
        assert_eq!(with_inertia(1e6), ["odd-inertia rod"], "{units:?}");
        assert_eq!(with_inertia(1e-2), [""; 0], "{units:?}");
        assert_eq!(with_inertia(1e2), [""; 0], "{units:?}");
    }
    // One marker close to the centre of mass does not tell how large a rotor is.
    let mut rotor = pendulum(["m", "kg", "s", "rad"]);
    rotor["markers"].as_array_mut().unwrap().pop();
    rotor["markers"][1]["position"] = json!([0, 0.002, 0]);
    rotor["markers"][0]["position"] = json!([0, 0.002, 0]);
    assert_eq!(rules(&rotor), [""; 0]);
}

/// Three carts of these masses [kg] on rails side by side, in these units.
pub(crate) fn carts(units: [&str; 4], masses: [f64; 3]) -> Value {
    let (l, m, _) = scales(units);
    let mut model = pendulum(units);
    let along = json!({"z_point": [1, 0, 0], "x_point": [0, 0, 1]});
    model["parts"] = json!([]);
    model["markers"] = json!([{"name": "base", "part": "ground", "orientation": along}]);
    model["joints"] = json!([]);
    model["outputs"] = json!([]);
    for (k, mass) in masses.iter().enumerate() {
        let inertia = mass * 0.01 / (m * l * l);
        let (cart, hub, end) = (format!("c{k}"), format!("h{k}"), format!("e{k}"));
        let own = json!({"z_point": [1, 0, 0], "x_point": [0, 0, 1]});
        let list = |model: &mut Value, key: &str, entry: Value| {
            model[key].as_array_mut().unwrap().push(entry);
        };
        list(
            &mut model,
            "parts",
            json!({"name": cart, "mass": mass / m,
            "inertia": {"xx": inertia, "yy": inertia, "zz": inertia}}),
        );
        list(
            &mut model,
            "markers",
            json!({"name": hub, "part": cart, "orientation": own}),
        );
        list(
            &mut model,
            "markers",
            json!({"name": end, "part": cart, "position": [0.1 / l, 0, 0]}),
        );
        list(
            &mut model,
            "joints",
            json!({"name": cart, "type": "translational", "i": hub, "j": "base"}),
        );
    }
    model
}

#[test]
fn masses_of_other_units() {
    for units in ALL {
        assert_eq!(rules(&carts(units, [1.0, 3.0, 5.0])), [""; 0], "{units:?}");
        assert_eq!(rules(&carts(units, [1.0, 90.0, 5.0])), [""; 0], "{units:?}");
        assert_eq!(
            rules(&carts(units, [1.0, 3000.0, 5.0])),
            ["odd-mass c1"],
            "{units:?}"
        );
        assert_eq!(
            rules(&carts(units, [1.0, 3.0, 0.001])),
            ["odd-mass c2"],
            "{units:?}"
        );
        // 300 t and wheels of 15 and 20 kg: no dummies.
        assert_eq!(
            rules(&carts(units, [15.0, 300e3, 20.0])),
            ["odd-mass c1"],
            "{units:?}"
        );
        // Hardly any mass is none.
        assert_eq!(rules(&carts(units, [1.0, 3.0, 1e-6])), [""; 0], "{units:?}");
        // 20 t within 10 cm.
        let dense = rules(&carts(units, [20e3, 20e3, 20e3]));
        assert_eq!(dense, ["odd-mass c0"], "{units:?}");
    }
}

#[test]
fn parts_that_nothing_acts_on() {
    let lost = json!({"name": "lost", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}});
    let mut model = push("0");
    model["parts"].as_array_mut().unwrap().push(lost);
    assert_eq!(rules(&model), ["loose-part lost"]);
    let mut thrown = model.clone();
    thrown["parts"][1]["velocity"] = json!([1, 0, 0]);
    assert_eq!(rules(&thrown), [""; 0]);
    model["markers"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "eye", "part": "lost"}));
    model["forces"].as_array_mut().unwrap().push(
        json!({"name": "wind", "type": "action_only_force", "i": "eye", "j": "base", "expression": "1"}),
    );
    assert_eq!(rules(&model), [""; 0]);
}

//! Mistakes that show in where a mechanism starts and in functions of time, and what is said where a run ends locked: each
//! with a model that has it and a near one that does not.

use crate::lint::{found, push, rules, with};
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::Finding;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::{Model, resources};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models")
}

/// A model with the files of an example.
fn simulation(model: &Value, example: &str) -> Simulation {
    let read = Model::read(
        &model.to_string(),
        &resources::folder(&models().join(example)),
    );
    Simulation::new(read.unwrap().mechanism).unwrap()
}

/// A ball of 2 kg above the end of a connecting rod that is clamped at the other: a plane across the rod or along it.
fn diving(stiffness: f64, step: f64) -> Vec<String> {
    let across = json!({"z_point": [0, 1, 0], "x_point": [1, 0, 0]});
    let model = json!({
        "fixstep": 1, "name": "diving", "gravity": [0, 0, -9.81],
        "parts": [{"name": "ball", "mass": 2, "position": [0, 1, 0],
                   "inertia": {"xx": 0.002, "yy": 0.002, "zz": 0.002}}],
        "flexible_bodies": [{"name": "rod", "file": "rod.flex"}],
        "markers": [
            {"name": "root", "part": "rod", "node": "big_end"},
            {"name": "tip", "part": "rod", "node": "small_end", "orientation": across},
            {"name": "middle", "part": "ball", "position": [0, 0, 0]}
        ],
        "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}],
        "forces": [{"name": "hit", "type": "contact", "i": "middle", "j": "tip",
            "shapes": {"i": {"type": "sphere", "radius": 0}, "j": {"type": "plane"}},
            "normal": {"type": "hunt_crossley", "stiffness": stiffness, "exponent": 1, "damping": 0}}],
        "outputs": [], "experiment": {"stop": 1, "step": step}
    });
    let all = simulation(&model, "flexible_slider_crank").findings();
    all.iter()
        .filter(|f| f.name == "hit")
        .map(|f| f.rule.id().to_owned())
        .collect()
}

#[test]
fn contacts_on_flexible_bodies_meet_the_mass_of_the_node() {
    // On ground the ball alone would take 89 steps for a period.
    assert_eq!(diving(1e8, 1e-5), ["fast-vibration"]);
    assert_eq!(diving(1e6, 1e-5), ["coarse-vibration"]);
    assert_eq!(diving(1e4, 1e-5), [""; 0]);
    assert_eq!(diving(100.0, 1e-4), [""; 0]);
    // Modes that follow at once are a spring in series with the contact, however stiff that is.
    assert_eq!(diving(1e10, 1e-3), ["coarse-vibration"]);
}

#[test]
fn friction_that_never_sticks() {
    let slide = |velocity: f64, law: &str| {
        let mut model = push("0");
        model["gravity"] = json!([0, 0, -9.81]);
        model["experiment"] = json!({"stop": 1, "step": 0.001});
        model["parts"][0]["velocity"] = json!([2, 0, 0]);
        let friction = match law {
            "coulomb" => json!({"type": "coulomb", "stiction_velocity": velocity}),
            _ => json!({"type": "lugre", "bristle_stiffness": 1e3, "stribeck_velocity": velocity}),
        };
        model["forces"] = json!([{"name": "f", "type": "joint_friction", "joint": "rail",
                                  "mu_dynamic": 0.3, "mu_static": 0.5, "law": friction}]);
        rules(&model)
    };
    // 2 h μ g = 5.9e-3 m/s.
    assert_eq!(slide(1e-5, "coulomb"), ["narrow-stiction f"]);
    assert_eq!(slide(5.8e-3, "coulomb"), ["narrow-stiction f"]);
    assert_eq!(slide(5.9e-3, "coulomb"), [""; 0]);
    assert_eq!(slide(1e-5, "lugre"), [""; 0]);
}

/// The cart under a function of time at steps of 1 ms.
fn course(text: &str, stop: f64) -> Vec<String> {
    let mut model = push(text);
    model["experiment"] = json!({"stop": stop, "step": 0.001});
    rules(&model)
}

#[test]
fn what_happens_between_steps() {
    for lost in [
        "1E4*(STEP(TIME,1.0002,0,1.0004,1)-STEP(TIME,1.0006,0,1.0008,1))",
        "1000*COS(2*PI*1000*TIME)-100*DX(hub)",
        "SIN(2*PI*400*TIME)",
    ] {
        assert_eq!(course(lost, 2.0), ["between-steps f"], "{lost}");
    }
    for seen in [
        "SIN(2*PI*50*TIME)",
        "SIN(2*PI*200*TIME)",
        "STEP(TIME,1.0002,0,1.0004,1)",
        "1E4*(STEP(TIME,1,0,1.002,1)-STEP(TIME,1.003,0,1.005,1))",
        "-EXP(-TIME)*DX(hub)",
        "1 + 1E-12*SIN(2*PI*400*TIME)",
    ] {
        assert_eq!(course(seen, 2.0), [""; 0], "{seen}");
    }
    // However long it is, the same number of values is looked at.
    let begun = std::time::Instant::now();
    assert_eq!(course("SIN(2*PI*400*TIME)", 1e6), ["between-steps f"]);
    assert!(begun.elapsed().as_secs() < 20);
    let text = found(&with(
        push("0"),
        "/forces/0/fx",
        json!("SIN(2*PI*400*TIME)"),
    ))
    .iter()
    .map(ToString::to_string)
    .collect::<String>();
    assert!(text.is_empty() || text.contains("between-steps"), "{text}");
    // Motions, through a variable.
    let mut driven = push("0");
    driven["experiment"] = json!({"stop": 0.2, "step": 0.001});
    driven["variables"] = json!([{"name": "s", "expression": "0.001*SIN(2*PI*1000*TIME)"}]);
    driven["motions"] = json!([{"name": "q", "joint": "rail", "displacement": "1 + s"}]);
    assert!(rules(&driven).contains(&"between-steps q".to_owned()));
}

/// A wheel at a height, with a mass and a stiffness.
fn wheel(height: f64, mass: f64, stiffness: f64) -> Vec<String> {
    let model = json!({
        "fixstep": 1, "name": "wheel", "gravity": [0, 0, -9.81],
        "parts": [{"name": "w", "mass": mass, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, height]}],
        "markers": [{"name": "m", "part": "w", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}}],
        "forces": [{"name": "t", "type": "tyre", "i": "m",
            "law": {"type": "linear", "radius": 0.3, "vertical_stiffness": stiffness, "vertical_damping": 50,
                    "slip_stiffness": 50e3, "cornering_stiffness": 50e3, "mu": 1}}],
        "outputs": [], "experiment": {"stop": 1, "step": 0.001}
    });
    rules(&model)
}

#[test]
fn wheels_on_their_side_and_coefficients_of_no_tyre() {
    let tir = include_str!("../../../tests/tyres/touring.tir");
    let tyre = |axis: &str, from: &str, to: &str| {
        assert!(tir.contains(from), "{from}");
        let text = tir.replacen(from, to, 1);
        let files = |name: &str| match name {
            "t.tir" => Ok(text.clone().into_bytes()),
            other => fixstep_model::resources::none(other),
        };
        let model = json!({
            "fixstep": 1, "name": "wheel", "gravity": [0, 0, -9.81],
            "parts": [{"name": "w", "mass": 20, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, 0.32]}],
            "markers": [{"name": "m", "part": "w"}],
            "forces": [{"name": "t", "type": "tyre", "i": "m", "axis": axis, "law": {"type": "pac2002", "file": "t.tir"}}],
            "outputs": [], "experiment": {"stop": 1, "step": 0.001}
        });
        let model = Model::read(&model.to_string(), &files).unwrap();
        let found = Simulation::new(model.mechanism).unwrap().findings();
        let name = |finding: &Finding| finding.rule.id();
        found.iter().map(name).collect::<Vec<_>>()
    };
    let upright = "y";
    assert_eq!(tyre(upright, "", ""), [""; 0]);
    assert_eq!(tyre("z", "", ""), ["flat-tyre"]);
    assert_eq!(tyre(upright, "PKY1 = -18.0", "PKY1 = 18.0"), ["odd-tyre"]);
    assert_eq!(tyre(upright, "FNOMIN = 4000", "FNOMIN = 4"), ["odd-tyre"]);
    let soft = tyre(
        upright,
        "VERTICAL_STIFFNESS = 2.1e5",
        "VERTICAL_STIFFNESS = 210",
    );
    assert!(soft.contains(&"odd-tyre"), "{soft:?}");
    let small = tyre(
        upright,
        "UNLOADED_RADIUS = 0.31",
        "UNLOADED_RADIUS = 0.00031",
    );
    assert!(small.contains(&"odd-tyre"), "{small:?}");
}

#[test]
fn tyres_below_the_road_or_under_too_much() {
    assert_eq!(wheel(-0.1, 20.0, 2000.0), ["sunken-tyre t"]);
    assert_eq!(wheel(0.1, 20.0, 2000.0), ["sunken-tyre t"]);
    assert_eq!(wheel(0.3, 200.0, 7000.0), ["overloaded-tyre t"]);
    assert_eq!(wheel(0.3, 20.0, 7000.0), [""; 0]);
    assert_eq!(wheel(0.29, 20.0, 20000.0), [""; 0]);
}

/// A ball of 1 kg and 5 cm over a plane.
fn ball(height: f64) -> Value {
    json!({
        "fixstep": 1, "name": "ball", "gravity": [0, 0, -9.81],
        "parts": [{"name": "a", "mass": 1, "inertia": {"xx": 0.001, "yy": 0.001, "zz": 0.001},
                   "position": [0, 0, height]}],
        "markers": [{"name": "m", "part": "a"}, {"name": "g", "part": "ground"}],
        "forces": [{"name": "hit", "type": "contact", "i": "m", "j": "g",
            "shapes": {"i": {"type": "sphere", "radius": 0.05}, "j": {"type": "plane"}},
            "normal": {"type": "hunt_crossley", "stiffness": 1e5, "damping": 0.05}}],
        "outputs": [], "experiment": {"stop": 1, "step": 0.001}
    })
}

#[test]
fn contacts_that_start_inside() {
    let text = found(&ball(-0.2))[0].to_string();
    for part in [
        "force \"hit\": it starts 0.25 m deep below the plane of marker \"g\", wholly on its inner side",
        "12500 N",
        "turn marker \"g\" round [starts-inside]",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(rules(&ball(0.03)), ["starts-inside hit"]);
    // Twice as deep as at rest.
    assert_eq!(rules(&ball(0.05 - 0.0043)), [""; 0]);
    assert_eq!(rules(&ball(0.06)), [""; 0]);
    // Pressed by another force as it presses back.
    let mut held = ball(0.03);
    held["forces"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "p", "type": "vector_force", "i": "m",
        "j": "g", "axes": "ground", "fz": "-273"}));
    assert_eq!(rules(&held), [""; 0]);
}

/// Three driven angles about a ball joint.
fn sequence(second: &str) -> Value {
    let motion = |name: &str, direction: &str, text: &str| json!({"name": name, "i": "m", "j": "g", "direction": direction, "displacement": text});
    json!({
        "fixstep": 1, "name": "sequence", "gravity": [0, 0, 0],
        "parts": [{"name": "a", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}],
        "markers": [{"name": "m", "part": "a"}, {"name": "g", "part": "ground"}, {"name": "far", "part": "a", "position": [0.3, 0, 0]}],
        "joints": [{"name": "ball", "type": "spherical", "i": "m", "j": "g"}],
        "motions": [motion("q1", "b1", "0.3*SIN(TIME)"), motion("q2", "b2", second), motion("q3", "b3", "0.3*TIME")],
        "outputs": [], "experiment": {"stop": 3, "step": 0.001}
    })
}

#[test]
fn angles_of_which_two_coincide() {
    assert_eq!(rules(&sequence("TIME")), ["coincident-axes q2"]);
    assert_eq!(rules(&sequence("1.5*SIN(TIME)")), [""; 0]);
    let text = found(&sequence("TIME"))[0].to_string();
    assert!(text.contains("motion \"q1\", \"q3\""), "{text}");
}

/// What is said where a run ends.
fn locked(model: &Value) -> String {
    let mut simulation =
        Simulation::new(Model::from_json(&model.to_string()).unwrap().mechanism).unwrap();
    let steps = (0..4000).find(|_| simulation.step().is_err());
    assert!(steps.is_some(), "it goes on");
    simulation.lock().unwrap_or_default()
}

#[test]
fn a_run_that_ends_locked_says_where() {
    let text = locked(&sequence("TIME"));
    assert!(
        text.contains("Motion \"q1\" drives an angle of the sequence b1, b2, b3, and b2 is 90"),
        "{text}"
    );
    // A crank that the coupler of a four-bar linkage does not let turn over.
    let bar = |name: &str, place: [f64; 2], angle: f64, length: f64| {
        json!({"name": name, "mass": 0.5, "position": [place[0], place[1], 0], "orientation": {"euler": [angle, 0, 0]},
               "center_of_mass": [0.5 * length, 0, 0], "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}})
    };
    let end =
        |name: &str, part: &str, x: f64| json!({"name": name, "part": part, "position": [x, 0, 0]});
    let hinge =
        |name: &str, i: &str, j: &str| json!({"name": name, "type": "revolute", "i": i, "j": j});
    let model = json!({
        "fixstep": 1, "name": "linkage", "gravity": [0, -9.81, 0],
        "parts": [
            bar("crank", [0.0, 0.0], 1.0, 0.5),
            bar("coupler", [0.270_151_152_934_069_9, 0.420_735_492_403_948_25], 0.189_326_963_112_134_07, 0.4),
            bar("rocker", [0.6, 0.0], 1.444_453_265_094_299, 0.5)
        ],
        "markers": [
            end("c0", "crank", 0.0), end("c1", "crank", 0.5), end("k0", "coupler", 0.0), end("k1", "coupler", 0.4),
            end("r0", "rocker", 0.0), end("r1", "rocker", 0.5), end("g0", "ground", 0.0), end("g1", "ground", 0.6)
        ],
        "joints": [
            hinge("j0", "c0", "g0"), hinge("j1", "k0", "c1"), hinge("j2", "r1", "k1"), hinge("j3", "r0", "g1")
        ],
        "motions": [{"name": "push", "joint": "j0", "displacement": "1+0.5*TIME"}],
        "outputs": [], "experiment": {"stop": 6, "step": 0.001}
    });
    let text = locked(&model);
    assert!(text.contains("dead point of motion \"push\""), "{text}");
}

#[test]
fn static_equilibrium_does_not_depend_on_the_step() {
    let text =
        std::fs::read_to_string(models().join("robot_arm_flexible_link/model.json")).unwrap();
    let arm: Value = serde_json::from_str(&text).unwrap();
    let targets = [0.0, -1.6, -1.9, -0.279_686, 0.640_186, -6.2, -1.0];
    let found = [0.001, 0.0002].map(|step| {
        let mut model = arm.clone();
        model["experiment"]["step"] = json!(step);
        for (input, target) in model["inputs"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .zip(targets)
        {
            input["start"] = json!(target);
        }
        let simulation = simulation(&model, "robot_arm_flexible_link");
        let bodies = 0..simulation.mechanism().bodies.len();
        bodies
            .map(|b| simulation.body_pose(BodyId::from(b)).0)
            .collect::<Vec<_>>()
    });
    for (a, b) in found[0].iter().zip(&found[1]) {
        assert!((a - b).norm() < 1e-8, "{a} {b}");
    }
}

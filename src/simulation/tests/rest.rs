//! What stays at rest is left out of what a step solves for, and nothing comes out differently.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::super::Simulation;
use crate::ids::{InputId, OutputId};
use crate::linalg::Factors;
use crate::model::{Formulation, IntegratorKind, Model, resources};
use crate::variables::Figure;
use serde_json::{Value, json as object};

/// Takes what was found back: everything is solved for.
fn solve_for_all(simulation: &mut Simulation) {
    let stepper = simulation.stepper.as_mut().unwrap();
    stepper.factor = Factors::new(stepper.factor.whole().clone());
}

fn read(model: &Value) -> Model {
    Model::from_json(&model.to_string())
        .map_err(|e| e.to_string())
        .unwrap()
}

fn simulation(model: &Value) -> Simulation {
    Simulation::new(read(model)).unwrap()
}

/// As it is, and with all solved for.
fn pair(model: &Model) -> [Simulation; 2] {
    let mut pair = [0, 1].map(|_| Simulation::new(model.clone()).unwrap());
    solve_for_all(&mut pair[1]);
    pair
}

/// How far two states are apart, as a part of the largest pose or velocity.
fn apart(one: &Simulation, other: &Simulation) -> f64 {
    let (mut apart, mut size) = (0.0_f64, 1e-3_f64);
    let layout = &one.run.system.layout;
    for span in [layout.pose, layout.velocity] {
        let pairs = one.run.state.span(span).iter();
        for (a, b) in pairs.zip(other.run.state.span(span)) {
            apart = apart.max((a - b).abs());
            size = size.max(a.abs());
        }
    }
    apart / size
}

/// Two pendulums, one on the other, that swing in the plane of x and y.
fn pendulums() -> Value {
    let part = |name: &str, x: f64| {
        object!({
            "name": name, "mass": 2, "position": [x, 0, 0],
            "inertia": {"xx": 0.1, "yy": 0.2, "zz": 0.3}
        })
    };
    object!({
        "fixstep": 1, "name": "t", "gravity": [0, -9.81, 0],
        "experiment": {"start": 0, "stop": 0.1, "step": 0.001},
        "parts": [part("upper", 0.5), part("lower", 1.5)],
        "markers": [
            {"name": "base", "part": "ground"},
            {"name": "top", "part": "upper", "position": [-0.5, 0, 0]},
            {"name": "knee", "part": "upper", "position": [0.5, 0, 0]},
            {"name": "shin", "part": "lower", "position": [-0.5, 0, 0]},
            {"name": "foot", "part": "lower", "position": [0.5, 0, 0]}
        ],
        "joints": [
            {"name": "hip", "type": "revolute", "i": "top", "j": "base"},
            {"name": "joint", "type": "revolute", "i": "shin", "j": "knee"}
        ]
    })
}

/// The pendulums with a force on the foot.
fn pushed(force: &Value) -> Value {
    let mut model = pendulums();
    let mut element = object!({"name": "push", "type": "vector_force", "i": "foot", "j": "base"});
    for (key, value) in force.as_object().unwrap() {
        element[key] = value.clone();
    }
    model["forces"] = object!([element]);
    model
}

#[test]
fn examples_run_as_they_do_when_all_is_solved_for() {
    let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(models).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join("model.json")) else {
            continue;
        };
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let model = Model::read(&text, &resources::folder(&folder));
        let [mut part, mut whole] = pair(&model.map_err(|e| e.to_string()).unwrap());
        if part.left_out() == 0 {
            continue;
        }
        found.push((name.clone(), part.left_out()));
        for step in 0..500 {
            part.step().unwrap();
            whole.step().unwrap();
            let apart = apart(&part, &whole);
            assert!(apart < 1e-9, "{name} step {step}: {apart:e}");
        }
        assert_eq!(part.figure(Figure::LeftRest), 0.0, "{name}");
    }
    found.sort();
    let expected = [
        ("andrews_squeezer", 42),
        ("bouncer", 6),
        ("controlled_pendulum", 12),
        ("four_bar", 18),
        ("pendulum", 6),
        ("quarter_car", 20),
        ("servo_axis", 20),
    ];
    assert_eq!(
        found,
        expected.map(|(name, count)| (name.to_owned(), count))
    );
}

#[test]
fn a_plane_mechanism_is_solved_for_in_its_plane_under_every_scheme() {
    let model = pushed(&object!({"fx": "3 * SIN(20 * TIME)", "fy": "1"}));
    for (integrator, formulation) in [
        (IntegratorKind::Gstiff, Formulation::I3),
        (IntegratorKind::Gstiff, Formulation::Si2),
        (IntegratorKind::Hht, Formulation::I3),
        (IntegratorKind::Newmark, Formulation::I3),
        (IntegratorKind::GeneralizedAlpha, Formulation::I3),
    ] {
        let mut model = read(&model);
        model.solver.integrator = integrator;
        model.solver.formulation = formulation;
        let [mut part, mut whole] = pair(&model);
        // Of each part three unknowns and of each joint three multipliers.
        assert_eq!(part.left_out(), 12, "{integrator:?}");
        for _ in 0..1000 {
            part.step().unwrap();
            whole.step().unwrap();
        }
        let apart = apart(&part, &whole);
        assert!(apart < 1e-9, "{integrator:?} {formulation:?}: {apart:e}");
        assert_eq!(part.figure(Figure::LeftRest), 0.0);
    }
}

#[test]
fn what_may_push_out_of_the_plane_lets_nothing_rest() {
    let mut by_input = pushed(&object!({"fz": "push"}));
    by_input["inputs"] = object!([{"name": "push", "start": 0, "unit": "N"}]);
    let mut by_parameter = pushed(&object!({"fz": "push"}));
    by_parameter["parameters"] = object!([{"name": "push", "start": 0, "unit": "N"}]);
    let later = pushed(&object!({"fz": "STEP(TIME, 0.05, 0, 0.06, 1)"}));
    let by_motion = pushed(&object!({"fz": "IF(WZ(foot) - 5: 0, 0, WZ(foot))", "fy": "WZ(foot)"}));
    let mut touching = pendulums();
    touching["forces"] = object!([{
        "name": "touch", "type": "contact", "i": "foot", "j": "base",
        "shapes": {"i": {"type": "sphere", "radius": 0.1}, "j": {"type": "plane"}},
        "normal": {"type": "hunt_crossley", "stiffness": 1e5, "damping": 0.1}
    }]);
    let mut turned = pendulums();
    turned["parts"][1]["orientation"] = object!({"euler": [0, 1e-9, 0]});
    for (name, model) in [
        ("input", by_input),
        ("parameter", by_parameter),
        ("time", later),
        ("spin", by_motion),
        ("contact", touching),
        ("axes", turned),
    ] {
        assert_eq!(simulation(&model).left_out(), 0, "{name}");
    }
}

#[test]
fn who_leaves_the_plane_is_followed() {
    let mut model = pushed(&object!({"fz": "STEP(TIME, 0.2, 0, 0.25, 1)"}));
    model["outputs"] = object!([{"name": "z", "expression": "DZ(foot)"}]);
    let [mut part, mut whole] = pair(&read(&model));
    // The experiment ends before the force begins.
    assert_eq!(part.left_out(), 12);
    let mut saved = vec![0; part.state_size()];
    for step in 0..400 {
        if step == 150 {
            part.save(&mut saved);
        }
        part.step().unwrap();
        whole.step().unwrap();
    }
    assert!(apart(&part, &whole) < 1e-9);
    let left = part.figure(Figure::LeftRest);
    assert!((198.0..=201.0).contains(&left), "{left}");
    let mut end = vec![0; part.state_size()];
    part.save(&mut end);
    part.restore(&saved);
    for _ in 150..400 {
        part.step().unwrap();
    }
    let mut again = vec![0; part.state_size()];
    part.save(&mut again);
    assert_eq!(again, end);
}

#[test]
fn who_leaves_the_plane_by_the_last_correction_of_a_step_is_counted() {
    // After the experiment a blow turns the lower pendulum round, and what turns so is pushed aside.
    let mut model = pushed(&object!({
        "fy": "IF(TIME - 0.2: 0, 0, -1e4)",
        "fz": "IF(TIME - 0.2: 0, 0, IF(WZ(foot): 1, 0, 0))"
    }));
    model["solver"] = object!({"linearly_implicit": true, "maxerr": 1e3});
    model["outputs"] = object!([{"name": "turning", "expression": "WZ(foot)"}]);
    let mut part = simulation(&model);
    assert_eq!(part.left_out(), 12);
    while part.time() < 0.2 || part.output(OutputId(0)) >= 0.0 {
        assert_eq!(part.figure(Figure::LeftRest), 0.0);
        part.step().unwrap();
        assert!(part.time() < 0.25);
    }
    assert_eq!(part.figure(Figure::LeftRest), 1.0);
}

#[test]
fn an_input_within_the_plane_is_followed_within_it() {
    let mut model = pushed(&object!({"fy": "push"}));
    model["inputs"] = object!([{"name": "push", "start": 0, "unit": "N"}]);
    let [mut part, mut whole] = pair(&read(&model));
    assert_eq!(part.left_out(), 12);
    for step in 0..500 {
        for simulation in [&mut part, &mut whole] {
            simulation.set_input(InputId(0), f64::from(step % 50));
            simulation.step().unwrap();
        }
    }
    assert!(apart(&part, &whole) < 1e-9);
    assert_eq!(part.figure(Figure::LeftRest), 0.0);
}

//! What kinematic runs refuse by name, and how they follow inputs and saved states.

use crate::harness::{build, json, load, output, start, try_build};
use crate::kinematic::{SHOWN, dynamics, four_bar, link};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

#[test]
fn freedom_that_is_left_is_counted_and_named() {
    let mut model = four_bar([0.1, 0.3, 0.25, 0.28], 0.4, &json!({"displacement": "0.4"}));
    model["motions"] = json!([]);
    model["outputs"] = json!([]);
    let said = try_build(&model.to_string()).err().unwrap();
    for word in [
        "1 degree of freedom",
        "parts \"crank\", \"coupler\", \"rocker\", in joints",
        "\"A\" (turns), \"B\" (turns), \"C\" (turns), \"D\" (turns)",
        "give each freedom a motion",
    ] {
        assert!(said.contains(word), "{said}");
    }
    // Only what moves is named: a second pendulum beside the driven mechanism.
    let mut model = four_bar([0.1, 0.3, 0.25, 0.28], 0.4, &json!({"displacement": "0.4"}));
    let push =
        |model: &mut Value, list: &str, item: Value| model[list].as_array_mut().unwrap().push(item);
    push(
        &mut model,
        "parts",
        link("bob", [1.0, 0.0], [1.5, 0.0], 1.0),
    );
    push(&mut model, "markers", json!({"name": "P", "part": "bob"}));
    push(
        &mut model,
        "markers",
        json!({"name": "P0", "part": "ground", "position": [1, 0, 0]}),
    );
    push(
        &mut model,
        "joints",
        json!({"name": "ball", "type": "spherical", "i": "P", "j": "P0"}),
    );
    let said = try_build(&model.to_string()).err().unwrap();
    assert!(
        said.contains(
            "3 degrees of freedom: what can move: part \"bob\", in joint \"ball\" (turns)"
        ),
        "{said}"
    );
}

#[test]
fn what_must_be_integrated_is_refused_by_name() {
    let base = || {
        four_bar(
            [0.1, 0.3, 0.25, 0.28],
            0.4,
            &json!({"displacement": "0.4+TIME"}),
        )
    };
    for (list, item, words) in [
        (
            "differential_equations",
            json!([{"name": "lag", "derivative": "AZ(B2)-DIF(lag)", "initial": 0}]),
            "differential equation \"lag\" must be integrated over time",
        ),
        (
            "sampled_systems",
            json!([{"name": "controller", "sample_period": 0.01, "inputs": ["AZ(B2)"], "d": [[1]]}]),
            "sampled system \"controller\" changes at its own times",
        ),
    ] {
        let mut model = base();
        model[list] = item;
        let said = try_build(&model.to_string()).err().unwrap();
        assert!(
            said.contains(words) && said.contains("set solver.mode to fixed or variable"),
            "{said}"
        );
    }
    let mut model = base();
    model["outputs"] = json!([{"name": "late", "expression": "DELAY(AZ(B2), 0.1, 0)"}]);
    let said = try_build(&model.to_string()).err().unwrap();
    assert!(said.contains("reads DELAY"), "{said}");
    // Sensors look at output times.
    let mut model = base();
    model["sensors"] = json!([{"name": "far", "expression": "AZ(A1)", "value": 0.95, "comparison": "ge", "stop": true}]);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.1);
    while simulation.stopped_by().is_none() {
        simulation.step().unwrap();
    }
    assert!(
        (simulation.time() - 0.6).abs() < 1e-12,
        "{}",
        simulation.time()
    );
}

/// The overview tells that a kinematic run is possible: with redundant constraints too, but not with freedom.
#[test]
fn a_mechanism_without_freedom_is_recognised() {
    let driven = |path: &str| load(path).can_be_kinematic();
    assert!(driven("D11_driven_slider_crank/model.json"));
    assert!(!driven("D08_fourbar_redundant/model.json"));
    let mut model = json("D08_fourbar_redundant/model.json");
    let joint = model["joints"][0]["name"].clone();
    model["motions"] = json!([{"name": "drive", "joint": joint, "velocity": "1"}]);
    model["solver"] = json!({"mode": "kinematic"});
    let mut simulation = build(&model.to_string());
    assert!(simulation.can_be_kinematic());
    turns_at_rate_one(&mut simulation);
}

fn turns_at_rate_one(simulation: &mut Simulation) {
    start(simulation, 0.05);
    for _ in 0..10 {
        simulation.step().unwrap();
    }
}

/// A motion that reads an input is moved along the branch to each value that is set, however far that is.
#[test]
fn inputs_move_a_mechanism_along_its_branch() {
    let lengths = [0.1, 0.3, 0.25, 0.28];
    let mut model = four_bar(lengths, 0.4, &json!({"displacement": "turn"}));
    model["inputs"] = json!([{"name": "turn", "start": 0.4}]);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.1);
    for angle in [0.5, 1.9, 4.0, 1.0, 1.0, -3.0, 9.0] {
        simulation.set_input(InputId::from(0_usize), angle);
        simulation.step().unwrap();
        let wanted = dynamics(lengths, [angle, 0.0, 0.0]);
        for (k, name) in SHOWN.iter().enumerate().skip(1) {
            let found = output(&simulation, name);
            assert!(
                (found - wanted[k]).abs() < 1e-9 * (1.0 + wanted[k].abs()),
                "{angle} {name}: {found} {}",
                wanted[k]
            );
        }
    }
}

#[test]
fn a_restored_run_goes_on_with_the_same_bits() {
    for mode in ["kinematic", "static"] {
        let mut model = four_bar(
            [0.1, 0.3, 0.25, 0.28],
            0.4,
            &json!({"displacement": "0.4+7*TIME+turn"}),
        );
        model["inputs"] = json!([{"name": "turn", "start": 0}]);
        model["solver"]["mode"] = mode.into();
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 0.05);
        let go = |simulation: &mut Simulation, steps: usize| {
            for n in 0..steps {
                simulation.set_input(InputId::from(0_usize), 0.01 * n as f64);
                simulation.step().unwrap();
            }
            SHOWN.map(|name| output(simulation, name).to_bits())
        };
        go(&mut simulation, 5);
        let mut bytes = vec![0; simulation.state_size()];
        simulation.save(&mut bytes);
        let first = go(&mut simulation, 7);
        simulation.restore(&bytes);
        assert_eq!(go(&mut simulation, 7), first, "{mode}");
        let mut other = build(&model.to_string());
        start(&mut other, 0.05);
        other.restore(&bytes);
        assert_eq!(go(&mut other, 7), first, "{mode}");
    }
}

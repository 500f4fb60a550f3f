//! Control elements at the start, in the FMU, saved and restored, and what is refused.

use crate::controls::controlled;
use crate::harness::{advance, build, output, start, try_build};
use crate::states::{schemes, with_solver};
use fixstep_model::table;
use serde_json::{Value, json};

/// A hanging mass whose weight a controller and a lagging actuator carry.
fn held_weight(lists: &Value) -> Value {
    let mut model = controlled(
        &json!({
            "gravity": [-9.81, 0, 0],
            "transfer_functions": [
                {"name": "actuator", "input": "pid", "numerator": [1], "denominator": [1, 0.1, 0.001]}
            ],
            "pid_controllers": [{"name": "pid", "setpoint": "1.5", "measured": "DX(m)", "kp": 40,
                "ki": 30, "kd": 20, "derivative_filter": 0.01, "minimum": -50, "maximum": 50}]
        }),
        "actuator",
        &[
            ("a", "actuator"),
            ("i", "DIF(pid, 1)"),
            ("s", "DIF(actuator, 1)"),
        ],
    );
    for (list, items) in lists.as_object().unwrap() {
        model[list] = items.clone();
    }
    model
}

#[test]
fn equilibrium_brings_controllers_and_filters_to_rest() {
    let model = held_weight(&json!({"start": {"equilibrium": {}}}));
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.001);
        for (output_name, wanted) in [("x", 1.5), ("a", 9.81), ("i", 9.81)] {
            let off = (output(&simulation, output_name) - wanted).abs();
            assert!(off < 1e-9, "{name}, {output_name}: {off:e}");
        }
        advance(&mut simulation, 1.0);
        let off = (output(&simulation, "x") - 1.5).abs();
        assert!(off < 1e-8, "{name}: {off:e}");
    }
}

#[test]
fn elements_hold_their_states_one_by_one() {
    let mut model = held_weight(&json!({"start": {"equilibrium": {}}}));
    model["pid_controllers"][0]["hold_states"] = json!(true);
    model["pid_controllers"][0]["initial"] = json!(5.81);
    model["linear_state_equations"] = json!([
        {"name": "held", "a": [[-1]], "initial": [7], "hold_states": true}
    ]);
    model["outputs"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "h", "expression": "ARYVAL(held, 1)"}));
    let simulation = build(&model.to_string());
    // 40 (1.5 − x) + 5.81 = 9.81
    assert!((output(&simulation, "x") - 1.4).abs() < 1e-9);
    assert_eq!(output(&simulation, "i"), 5.81);
    assert_eq!(output(&simulation, "h"), 7.0);
}

#[test]
fn a_steady_filter_begins_at_its_input() {
    let filter = |steady: bool| {
        json!({"transfer_functions": [{"name": "f", "input": "3*DX(m)", "steady": steady,
            "numerator": [2, 0.1], "denominator": [1, 0.3, 0.05, 0.002]}]})
    };
    for (steady, wanted) in [(true, 6.0), (false, 0.0)] {
        let model = controlled(&filter(steady), "0", &[("y", "f")]);
        let simulation = build(&model.to_string());
        let off = (output(&simulation, "y") - wanted).abs();
        assert!(off < 1e-13, "{steady}: {off:e}");
    }
}

#[test]
fn the_fmu_shows_all_states() {
    let mut model = held_weight(&json!({}));
    model["linear_state_equations"] = json!([{"name": "my filter", "a": [[-1, 0], [0, -2]]}]);
    let simulation = build(&model.to_string());
    let table = table::of(simulation.mechanism());
    let shown: Vec<&str> = table
        .iter()
        .map(|(_, v)| v.name.as_str())
        .filter(|name| name.starts_with("equations."))
        .collect();
    assert_eq!(
        shown,
        [
            "equations.'my filter'.state[1]",
            "equations.'my filter'.state[2]",
            "equations.actuator.state[1]",
            "equations.actuator.state[2]",
            "equations.pid.integral",
            "equations.pid.filter",
        ]
    );
}

#[test]
fn a_restored_state_continues_with_the_same_bits() {
    let model = held_weight(&json!({}));
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.002);
        advance(&mut simulation, 0.2);
        let mut saved = vec![0; simulation.state_size()];
        simulation.save(&mut saved);
        let run = |simulation: &mut fixstep_kernel::simulation::Simulation| {
            advance(simulation, 0.4);
            ["x", "v", "a", "i", "s"].map(|n| output(simulation, n).to_bits())
        };
        let first = run(&mut simulation);
        let mut other = with_solver(&model, &solver);
        other.restore(&saved);
        assert_eq!(run(&mut other), first, "{name}");
    }
}

#[test]
fn outputs_that_feed_themselves_directly_are_refused_by_name() {
    let elements = json!({"linear_state_equations": [
        {"name": "loop", "inputs": ["1 + ARYVAL(loop, 1)"], "a": [[-1]], "d": [[0.5]]}
    ]});
    let built = try_build(&controlled(&elements, "0", &[]).to_string());
    let message = built.err().unwrap_or_default();
    assert!(
        message.contains("cyclic definition: \"loop.u[1]\" -> \"loop.y[1]\" -> \"loop.u[1]\""),
        "{message}"
    );
}

#[test]
fn parameters_that_change_are_checked() {
    let mut model = held_weight(&json!({
        "parameters": [{"name": "filter", "start": 0.01, "tunable": true},
                       {"name": "least", "start": -50, "tunable": true}]
    }));
    model["pid_controllers"][0]["derivative_filter"] = json!("=filter");
    model["pid_controllers"][0]["minimum"] = json!("=least");
    let mut simulation = build(&model.to_string());
    let id = fixstep_kernel::ids::ParameterId::from;
    let problem = simulation.set_parameter(id(0), 0.0).unwrap_err();
    let wanted = "field derivative_filter";
    assert!(
        problem.message.contains("derivative_filter") && problem.message.contains("more than zero"),
        "{wanted}: {problem}"
    );
    let problem = simulation.set_parameter(id(1), 60.0).unwrap_err();
    assert!(
        problem.message.contains("less than the maximum"),
        "{problem}"
    );
    assert!(simulation.set_parameter(id(0), 0.02).is_ok());
}

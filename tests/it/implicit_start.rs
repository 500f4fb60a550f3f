//! Implicit variables at the start: roots that are far away, what has no root, static equilibrium.

use crate::harness::{build, output, start, try_build};
use crate::states::mass;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

/// A mass with implicit variables, each an output `o_NAME`.
fn with_variables(variables: &Value, force: &str) -> Value {
    let mut model = mass(&json!([]), force);
    let names = variables.as_array().unwrap().iter();
    let outputs = names.map(|v| {
        let name = v["name"].as_str().unwrap();
        json!({"name": format!("o_{name}"), "expression": name})
    });
    model["outputs"].as_array_mut().unwrap().extend(outputs);
    model["variables"] = variables.clone();
    model
}

fn refusal(model: &Value) -> String {
    try_build(&model.to_string())
        .err()
        .unwrap_or_else(|| unreachable!("it starts"))
}

#[test]
fn roots_are_found_from_afar() {
    // Newton's method alone runs away from these: it needs shorter steps.
    for (residual, initial, root) in [
        ("ATAN(y)", 20.0, 0.0),
        ("y/SQRT(1 + y**2) - 0.6", 5.0, 0.75),
        ("LOG(y) - 2", 50.0, 7.389_056_098_930_65),
        ("SQRT(y) - 2", 0.01, 4.0),
        ("y**3 - 8", -3.0, 2.0),
        ("EXP(y) - 1e-4", 0.0, -9.210_340_371_976_182),
    ] {
        let variables = json!([{"name": "y", "residual": residual, "initial": initial}]);
        let built = try_build(&with_variables(&variables, "0").to_string());
        let simulation = built.unwrap_or_else(|e| unreachable!("{residual}: {e}"));
        let off = (output(&simulation, "o_y") - root).abs();
        assert!(off < 1e-11 * root.abs().max(1.0), "{residual}: {off:e}");
    }
}

#[test]
fn what_has_no_solution_is_refused_by_name() {
    let one = |residual: &str| json!([{"name": "y", "residual": residual}]);
    let message = refusal(&with_variables(&one("EXP(y) + y**2/10 + 1"), "0"));
    assert!(
        message.contains("the search for implicit variable \"y\" does not converge"),
        "{message}"
    );
    let message = refusal(&with_variables(&one("y**2 - 4"), "0"));
    assert!(
        message.contains("the equation of implicit variable \"y\" does not change with it"),
        "{message}"
    );
    let message = refusal(&with_variables(&one("TIME - 4"), "0"));
    assert!(message.contains("implicit variable \"y\""), "{message}");
    let message = refusal(&with_variables(&one("y - SQRT(y - 1)"), "0"));
    assert!(message.contains("implicit variable \"y\""), "{message}");
    assert!(message.contains("not finite"), "{message}");
    let two = json!([
        {"name": "a", "residual": "a + b - 1"},
        {"name": "b", "residual": "2*a + 2*b - 2"}
    ]);
    let message = refusal(&with_variables(&two, "0"));
    for part in [
        "singular",
        "follow",
        "implicit variable \"a\", implicit variable \"b\"",
    ] {
        let message = message.replace("does not follow", "singular, does not follow");
        assert!(message.contains(part), "{part}: {message}");
    }
    // A rate that does not stand in its equation.
    let message = refusal(&mass(
        &json!([{"name": "z", "residual": "DIF(z) - TIME"}]),
        "0",
    ));
    assert!(
        message.contains("the rate of differential equation \"z\""),
        "{message}"
    );
}

#[test]
fn equilibrium_solves_implicit_variables_too() {
    // f + f³/100 = −50 (x − 1) holds a weight of 9.81 N: 50 (x − 1) = −(9.81 + 9.81³/100).
    let variables = json!([{"name": "f", "residual": "f + f**3/100 + 50*(DX(m) - 1)"}]);
    let mut model = with_variables(&variables, "f - VX(m)");
    model["gravity"] = json!([-9.81, 0, 0]);
    model["start"] = json!({"equilibrium": {}});
    model["differential_equations"] = json!([
        {"name": "a", "residual": "0.5*DIF1(a) + DIF(a) - 2*f"},
        {"name": "b", "residual": "0.5*DIF1(b) + DIF(b) - 2*f", "initial": 7, "hold_states": true}
    ]);
    let outputs = model["outputs"].as_array_mut().unwrap();
    outputs.extend(["a", "b"].map(|n| json!({"name": n, "expression": format!("DIF({n})")})));
    outputs.push(json!({"name": "rate", "expression": "DIF1(b)"}));
    let simulation = build(&model.to_string());
    let wanted = 1.0 - (9.81 + 9.81 * 9.81 * 9.81 / 100.0) / 50.0;
    for (name, wanted) in [
        ("x", wanted),
        ("o_f", 9.81),
        ("a", 19.62),
        ("b", 7.0),
        ("rate", 25.24),
    ] {
        let off = (output(&simulation, name) - wanted).abs();
        assert!(off < 1e-9, "{name}: {off:e}");
    }
    // All states held: the variable is solved for all the same.
    model["start"] = json!({"equilibrium": {"hold_states": true}});
    let simulation = build(&model.to_string());
    assert!((output(&simulation, "o_f") - 9.81).abs() < 1e-9);
    assert_eq!(output(&simulation, "a"), 0.0);
}

/// How far the outputs are from where they were after a second.
fn drift(simulation: &mut Simulation, names: &[&str]) -> f64 {
    let before: Vec<f64> = names.iter().map(|n| output(simulation, n)).collect();
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    let moved = |(name, before): (&&str, f64)| (output(simulation, name) - before).abs();
    names.iter().zip(before).map(moved).fold(0.0, f64::max)
}

#[test]
fn steady_states_begin_where_their_rates_are_zero() {
    // A lag of the position, and one that stands in a circle with a variable.
    let mut model = mass(
        &json!([
            {"name": "lag", "derivative": "(3*DX(m) - DIF(lag))/0.1", "steady": true},
            {"name": "bent", "derivative": "w - DIF(bent)**3", "initial": 1, "steady": true},
            {"name": "not", "derivative": "(3*DX(m) - DIF(not))/0.1"}
        ]),
        "0",
    );
    model["variables"] = json!([{"name": "w", "residual": "w - 4 - DIF(bent)*2"}]);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.01);
    assert_eq!(output(&simulation, "lag"), 3.0);
    assert_eq!(output(&simulation, "not"), 0.0);
    // b³ = 4 + 2 b has the root 2.
    assert!((output(&simulation, "bent") - 2.0).abs() < 1e-14);
    assert!(drift(&mut simulation, &["lag", "bent"]) < 1e-13);
    let message = refusal(&mass(
        &json!([{"name": "sum", "derivative": "DX(m)", "steady": true}]),
        "0",
    ));
    assert!(
        message.contains("differential equation \"sum\" does not change with it"),
        "{message}"
    );
}

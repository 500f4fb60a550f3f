//! Macros, arrays and groups of signals in expressions, and the units of what they yield.

use crate::harness::{build, output, start, try_build};
use fixstep_kernel::ids::{InputId, ParameterId};
use serde_json::{Value, json};

fn model(outputs: &[(&str, &str)], more: &Value) -> Value {
    let outputs: Vec<Value> = outputs
        .iter()
        .map(|(name, expression)| json!({"name": name, "expression": expression}))
        .collect();
    let mut model = json!({
        "fixstep": 1, "name": "language",
        "point_masses": [{"name": "m", "mass": 1, "position": [3, 4, 0]}],
        "markers": [{"name": "a", "part": "m"}, {"name": "o", "part": "ground"}],
        "inputs": [{"name": "u", "start": 2.5}],
        "parameters": [{"name": "x", "start": 10}],
        "outputs": outputs
    });
    for (key, value) in more.as_object().unwrap() {
        model[key] = value.clone();
    }
    model
}

fn values(model: &Value, names: &[&str]) -> Vec<f64> {
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.01);
    names.iter().map(|name| output(&simulation, name)).collect()
}

fn refusal(model: &Value) -> String {
    try_build(&model.to_string()).unwrap_err()
}

#[test]
fn macros_stand_for_their_text() {
    let macros = json!({"macros": [
        {"name": "twice", "arguments": ["a"], "expression": "a + a"},
        {"name": "SPRING", "arguments": ["i", "j", "k"], "expression": "-k*DM(i, j)"},
        {"name": "outer", "arguments": ["x"], "expression": "inner(2)*x"},
        {"name": "inner", "arguments": ["a"], "expression": "a + x"},
        {"name": "weight", "arguments": [], "expression": "9.81"}
    ]});
    let model = model(
        &[
            ("precedence", "3*twice(1 + 1)"),
            ("markers", "spring(a, 'o', twice(x) - 10)"),
            ("free_names_are_global", "outer(3)"),
            ("nested", "twice(twice(twice(u)))"),
            ("without", "2*weight()"),
        ],
        &macros,
    );
    let names = [
        "precedence",
        "markers",
        "free_names_are_global",
        "nested",
        "without",
    ];
    assert_eq!(values(&model, &names), [12.0, -50.0, 36.0, 20.0, 19.62]);
}

#[test]
fn faults_of_macros_show_their_text_and_where_they_are_used() {
    let with = |name: &str, arguments: &Value, text: &str| json!({"macros": [{"name": name, "arguments": arguments, "expression": text}]});
    let one = [("o", "1 + m(a)")];
    for (macros, words) in [
        (
            with("m", &json!(["i"]), "DX(i, b)"),
            "column 5 of \"1 + m(a)\": marker \"b\" does not exist (in the macro m(i): \"DX(i, b)\")",
        ),
        (
            with("m", &json!(["i"]), "DX(i"),
            "macros[0] \"m\", field expression: column 3 of \"DX(i\": this \"(\" is never closed",
        ),
        (
            with("m", &json!(["i", "j"]), "DX(i, j)"),
            "the macro m takes 2 arguments, not 1: m(i, j)",
        ),
        (
            with("m", &json!(["i"]), "1"),
            "the argument \"i\" is not used",
        ),
        (
            with("m", &json!(["i"]), "1 + m(i)"),
            "macros must not call themselves: m -> m",
        ),
        (
            with("DX", &json!(["i"]), "i"),
            "\"DX\" cannot name a macro or an argument",
        ),
        (
            with("m", &json!(["i", "i"]), "i"),
            "macros[0] \"m\", field arguments[1]: two arguments are called \"i\"",
        ),
        (
            with("m", &json!(["time"]), "time"),
            "\"time\" cannot name a macro or an argument",
        ),
        (
            with("m", &json!(["i"]), "sine(i)"),
            "there is no function \"sine\"",
        ),
    ] {
        let found = refusal(&model(&one, &macros));
        assert!(found.contains(words), "{macros}: {found}");
    }
    let circle = json!({"macros": [
        {"name": "p", "arguments": ["a"], "expression": "q(a)"},
        {"name": "q", "arguments": ["a"], "expression": "1 + p(a)"}
    ]});
    let found = refusal(&model(&[("o", "1")], &circle));
    assert!(
        found.contains("p -> q -> p") && found.contains("q -> p -> q"),
        "{found}"
    );
    // Text that doubles at every level ends with a message, soon.
    let doubling: Vec<Value> = (0..40)
        .map(|k| {
            let text = if k == 0 {
                "a + a".to_owned()
            } else {
                format!("d{}(d{}(a))", k - 1, k - 1)
            };
            json!({"name": format!("d{k}"), "arguments": ["a"], "expression": text})
        })
        .collect();
    let found = refusal(&model(&[("o", "d39(u)")], &json!({"macros": doubling})));
    assert!(
        found.contains("macros make more than 200000 words"),
        "{found}"
    );
}

#[test]
fn arrays_are_read_by_numbers_that_may_vary() {
    let arrays = json!({"arrays": [
        {"name": "gains", "start": [1.5, -2, 7], "tunable": true}, {"name": "one", "start": [4]}
    ]});
    let model = model(
        &[
            ("constant", "ARYVAL(gains, 2)"),
            ("varying", "ARYVAL(gains, u)"),
            ("single", "ARYVAL(one, u)"),
        ],
        &arrays,
    );
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.01);
    assert_eq!(output(&simulation, "constant"), -2.0);
    assert_eq!(output(&simulation, "single"), 4.0);
    for (index, wanted) in [
        (-3.0, 1.5),
        (1.0, 1.5),
        (1.4, 1.5),
        (2.0, -2.0),
        (2.6, 7.0),
        (3.0, 7.0),
        (99.0, 7.0),
    ] {
        simulation.set_input(InputId(0), index);
        simulation.step().unwrap();
        assert_eq!(output(&simulation, "varying"), wanted, "{index}");
    }
    // The elements come after the parameter x.
    simulation.set_parameter(ParameterId(3), 8.0).unwrap();
    simulation.step().unwrap();
    assert_eq!(output(&simulation, "varying"), 8.0);
    let table = fixstep_model::table::of(simulation.mechanism());
    assert!(table.by_name("gains[3]").is_some() && table.by_name("one[1]").is_some());
}

#[test]
fn control_elements_are_arrays_too() {
    let elements = json!({
        "arrays": [{"name": "masses", "start": [2, 3]}],
        "point_masses": [{"name": "m", "mass": "=ARYVAL(masses, 1 + 1)", "position": [3, 4, 0]}],
        "linear_state_equations": [{
            "name": "mix", "inputs": ["u", "x"], "a": [], "b": [], "c": [[], []],
            "d": [[1, 0], [1, 1]]
        }],
        "forces": [{"name": "pull", "type": "vector_force", "i": "m_mark", "j": "o", "fx": "3"}],
        "markers": [{"name": "m_mark", "part": "m"}, {"name": "o", "part": "ground"}]
    });
    let model = model(
        &[
            ("fixed", "ARYVAL(mix, 2)"),
            ("varying", "ARYVAL(mix, 1 + MIN(1, 5*TIME))"),
            ("input", "ARYVAL(mix.u, u)"),
            ("acceleration", "ACCX(m_mark)"),
        ],
        &elements,
    );
    let names = ["fixed", "varying", "input", "acceleration"];
    assert_eq!(values(&model, &names), [12.5, 2.5, 10.0, 1.0]);
    for (expression, words) in [
        ("ARYVAL(mix, 3)", "\"mix\" has 2 outputs, counted from 1"),
        ("ARYVAL(mix.x, u)", "\"mix.x\" has 0 states"),
        (
            "ARYVAL(masses, 0)",
            "\"masses\" has 2 elements, counted from 1",
        ),
        (
            "ARYVAL(mases, 1)",
            "controller \"mases\"; did you mean \"masses\"?",
        ),
    ] {
        let mut wrong = model.clone();
        wrong["outputs"][0]["expression"] = json!(expression);
        let found = refusal(&wrong);
        assert!(found.contains(words), "{expression}: {found}");
    }
    let mut wrong = model.clone();
    wrong["point_masses"][0]["mass"] = json!("=ARYVAL(mix, 1)");
    let found = refusal(&wrong);
    assert!(
        found.contains("ARYVAL of \"mix\" is not allowed here"),
        "{found}"
    );
    let mut wrong = model;
    wrong["arrays"][0]["name"] = json!("mix");
    let found = refusal(&wrong);
    assert!(
        found.contains("the name \"mix\" is taken by a linear state equation"),
        "{found}"
    );
}

#[test]
fn groups_of_signals_are_read_by_number() {
    let groups = json!({
        "variables": [{"name": "v", "expression": "2*u"}],
        "plant_inputs": [{"name": "drive", "signals": ["u", "x"]}],
        "plant_outputs": [{"name": "seen", "signals": ["v", "u"]}]
    });
    let both = [("o", "PINVAL(drive, 2)"), ("p", "POUVAL(seen, 1)")];
    assert_eq!(values(&model(&both, &groups), &["o", "p"]), [10.0, 5.0]);
    for (expression, words) in [
        (
            "PINVAL(drive, 3)",
            "\"drive\" has 2 signals, counted from 1",
        ),
        ("PINVAL(seen, 1)", "plant input \"seen\" does not exist"),
        (
            "POUVAL(seen)",
            "POUVAL takes the name of a group and a number from 1",
        ),
        (
            "ARYVAL(x, 1)",
            "there is no array, state equation, transfer function or controller \"x\"",
        ),
        (
            "ARYVAL(1, 1)",
            "the name of an array or control element belongs here",
        ),
    ] {
        let found = refusal(&model(&[("o", expression)], &groups));
        assert!(found.contains(words), "{expression}: {found}");
    }
    let unknown = json!({"plant_inputs": [{"name": "drive", "signals": ["u", "w"]}]});
    let found = refusal(&model(&[("o", "1")], &unknown));
    assert!(
        found.contains("field signals[1]: there is no input, parameter or variable \"w\""),
        "{found}"
    );
}

/// What units are found wrong.
fn unit_findings(fields: &Value) -> Vec<String> {
    let mut model = model(&[], &json!({"units": {"length": "mm"}}));
    for (key, value) in fields.as_object().unwrap() {
        model[key] = value.clone();
    }
    let simulation = build(&model.to_string());
    let found = simulation.findings().into_iter();
    found
        .filter(|f| f.rule == fixstep_kernel::mechanism::LintRule::UnitMismatch)
        .map(|f| f.to_string())
        .collect()
}

#[test]
fn units_that_differ_are_named_on_both_sides() {
    let parameters = json!([
        {"name": "k", "start": 2, "unit": "N/mm"}, {"name": "f", "start": 1, "unit": "N"},
        {"name": "gap", "start": 1, "unit": "m"}, {"name": "tilt", "start": 1, "unit": "deg"}
    ]);
    let outputs = |expression: &str, unit: &str| json!({"parameters": parameters, "outputs": [{"name": "o", "expression": expression, "unit": unit}]});
    for (expression, unit, words) in [
        (
            "DX(a) + f",
            "",
            [
                "a measure between the markers \"a\" and \"ground\" [0.001 m]",
                "\"f\" [kg m s-2] are added or compared",
            ],
        ),
        ("DX(a) - gap", "", ["[0.001 m]", "\"gap\" [m] are added"]),
        (
            "AX(a, o) - tilt",
            "rad",
            ["and \"o\" [1]", "\"tilt\" [0.01745"],
        ),
        (
            "DX(a)",
            "m",
            ["the expression yields", "[0.001 m], but its unit is m (m)"],
        ),
        (
            "k*DX(a)",
            "J",
            [
                "output \"o\", field expression",
                "but its unit is J (kg m2 s-2)",
            ],
        ),
        (
            "SQRT(DX(a)**2 + DY(a)**2)",
            "N",
            ["[0.001 m], but its unit is N", "yields"],
        ),
        ("MAX(VX(a), DX(a))", "", ["[0.001 m s-1]", "[0.001 m]"]),
    ] {
        let found = unit_findings(&outputs(expression, unit));
        assert_eq!(found.len(), 1, "{expression}: {found:?}");
        assert!(
            words.iter().all(|word| found[0].contains(word)),
            "{expression}: {found:?}"
        );
    }
    // Sound, or nothing that can be told: a number may stand for anything.
    for (expression, unit) in [
        ("k*DX(a) + f", "N"),
        ("k*DX(a)", "N"),
        ("1000*DX(a)", "N"),
        ("DX(a) + 3", "mm"),
        ("STEP(TIME, 0, 0, 1, 1)*f", "N"),
        ("ATAN2(DX(a), DY(a))", "rad"),
        ("VX(a)**2/(2*DX(a))", "m"),
        ("DX(a)/TIME + VX(a)", "mm/s"),
        ("IF(DX(a): f, 0, 2*f)", "N"),
    ] {
        assert_eq!(
            unit_findings(&outputs(expression, unit)),
            [""; 0],
            "{expression}"
        );
    }
}

#[test]
fn forces_derivatives_and_labels_are_checked() {
    let force = |expression: &str| json!({"forces": [{"name": "pull", "type": "vector_force", "i": "a", "j": "o", "fx": expression}]});
    let found = unit_findings(&force("DX(a)"));
    assert!(
        found[0].contains("force \"pull\", field fx") && found[0].contains("a force in the units"),
        "{found:?}"
    );
    // A course of numbers and time may be a force; what measures the mechanism is none.
    for course in [
        "-3*DX(a)",
        "SIN(TIME)",
        "1 + SIN(TIME)",
        "EXP(-TIME)*COS(TIME)**2",
        "STEP(TIME, 0, 0, 1, 1)",
    ] {
        assert_eq!(unit_findings(&force(course)), [""; 0], "{course}");
    }
    for measure in ["AZ(a, o)", "SIN(AZ(a, o))", "TIME"] {
        assert_eq!(unit_findings(&force(measure)).len(), 1, "{measure}");
    }
    let equation = |derivative: &str| json!({"differential_equations": [{"name": "z", "derivative": derivative, "unit": "mm"}]});
    let found = unit_findings(&equation("DX(a)"));
    assert!(
        found[0].contains("field derivative") && found[0].contains("its rate per time unit"),
        "{found:?}"
    );
    assert_eq!(unit_findings(&equation("VX(a)")), [""; 0]);
    let label = json!({"parameters": [{"name": "p", "start": 1, "unit": "furlong"}]});
    let found = unit_findings(&label);
    assert!(
        found[0].contains("parameter \"p\": unit \"furlong\""),
        "{found:?}"
    );
}

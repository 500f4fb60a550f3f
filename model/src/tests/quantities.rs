//! Tests of what `${…}` computes: quantities keep their units, and nothing grows without bound.

use super::path;
use crate::{expanded, resources};
use serde_json::{Value, json};

fn flat(model: &Value) -> Result<Value, String> {
    let text = expanded("model.json", &model.to_string(), &resources::none);
    text.map(|text| serde_json::from_str(&text).unwrap())
        .map_err(|errors| errors.to_string())
}

/// A model with a template that has one parameter, and one instance of it.
fn model(units: &Value, parameter: &Value, given: &Value) -> Value {
    let mut parameters = json!({});
    if !given.is_null() {
        parameters["p"] = given.clone();
    }
    json!({
        "fixstep": 1, "name": "a", "units": units,
        "constants": {"half": "${L/2}", "L": "200 mm", "k": "20 N/mm", "ratio": 0.5, "len2": "10 cm", "mass": "2 kg", "g": "9.81 m/s2"},
        "parts": [{"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [{"name": "m", "part": "b"}],
        "templates": [
            {"name": "inner", "parameters": {"q": parameter}, "ports": {"m": "marker"},
             "splines": [], "forces": [
                {"name": "length", "type": "spring_damper", "i": "m", "j": "ground", "stiffness": 1, "length": "${q}"},
                {"name": "stiffness", "type": "spring_damper", "i": "m", "j": "ground", "stiffness": "${q}", "length": 1},
                {"name": "force", "type": "spring_damper", "i": "m", "j": "ground", "stiffness": 1, "length": 1, "preload": "${q}"}
             ]},
            {"name": "outer", "parameters": {"p": parameter}, "ports": {"m": "marker"},
             "instances": [{"name": "in", "template": "inner", "parameters": {"q": "${2*p/2}"}, "ports": {"m": "m"}}]}
        ],
        "instances": [
            {"name": "direct", "template": "inner", "parameters": {"q": given}, "ports": {"m": "m"}},
            {"name": "nested", "template": "outer", "parameters": parameters, "ports": {"m": "m"}}
        ]
    })
}

#[test]
fn computed_quantities_keep_their_units() {
    let text = std::fs::read_to_string(path("tests/templates/quantities.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    for case in &cases {
        let whole = model(&case["units"], &case["parameter"], &case["given"]);
        let field = case["field"].as_str().unwrap();
        let mut whole = whole;
        // Only the force whose field it is, and positions for lists.
        let forces = whole["templates"][0]["forces"].as_array().cloned().unwrap();
        let kept: Vec<Value> = forces.into_iter().filter(|f| f["name"] == field).collect();
        whole["templates"][0]["forces"] = kept.into();
        if case["given"].is_null() {
            whole["instances"][0]["parameters"] = json!({});
        }
        if field == "list" {
            whole["templates"][0]["markers"] =
                json!([{"name": "n", "part": "ground", "position": "${q}"}]);
            whole["instances"].as_array_mut().unwrap().truncate(1);
        }
        let flat = flat(&whole).unwrap_or_else(|told| unreachable!("{}: {told}", case["what"]));
        let found: Vec<&Value> = match field {
            "list" => vec![&flat["markers"][1]["position"]],
            "length" => flat["forces"]
                .as_array()
                .unwrap()
                .iter()
                .map(|f| &f["length"])
                .collect(),
            "force" => flat["forces"]
                .as_array()
                .unwrap()
                .iter()
                .map(|f| &f["preload"])
                .collect(),
            _ => flat["forces"]
                .as_array()
                .unwrap()
                .iter()
                .map(|f| &f["stiffness"])
                .collect(),
        };
        assert!(!found.is_empty());
        for value in found {
            let same = match (value.as_f64(), case["expected"].as_f64()) {
                (Some(a), Some(b)) => a == b,
                _ => *value == case["expected"],
            };
            assert!(same, "{}: {value}", case["what"]);
        }
    }
    assert!(cases.len() >= 10);
}

#[test]
fn a_weight_is_a_force_whatever_the_units_of_the_file() {
    for (units, expected) in [
        (json!({}), 19.62),
        (json!({"length": "mm"}), 19.62),
        (json!({"length": "mm", "force": "kN"}), 0.01962),
    ] {
        let mut whole = model(&units, &json!({"unit": "N"}), &json!("${mass*g}"));
        let forces = whole["templates"][0]["forces"].as_array().cloned().unwrap();
        whole["templates"][0]["forces"] = forces[2..].to_vec().into();
        let flat = flat(&whole).unwrap();
        for force in flat["forces"].as_array().unwrap() {
            assert_eq!(force["preload"].as_f64(), Some(expected), "{units}");
        }
    }
}

/// A model with some constants and nothing else of interest.
#[expect(clippy::needless_pass_by_value, reason = "calls are shorter")]
fn with(constants: Value) -> Value {
    json!({"fixstep": 1, "name": "a", "constants": constants})
}

#[test]
fn nothing_grows_without_bound() {
    let mut texts = json!({"a0": "x".repeat(1000)});
    let mut lists = json!({"a0": [1, 2, 3, 4]});
    for k in 1..40 {
        texts[format!("a{k}")] = format!("${{a{0}}}${{a{0}}}", k - 1).into();
        lists[format!("a{k}")] = json!([format!("${{a{}}}", k - 1), format!("${{a{}}}", k - 1)]);
    }
    let told = flat(&with(texts)).unwrap_err();
    assert!(told.contains("make more than 64 MiB of text"), "{told}");
    let told = flat(&with(lists)).unwrap_err();
    assert!(told.contains("make more than 4000000 values"), "{told}");
    let mut templates: Vec<Value> = (0..12)
        .map(|k| json!({"name": format!("t{k}"), "instances": [{"name": "x", "template": format!("t{}", k + 1), "count": 100}]}))
        .collect();
    templates.push(json!({"name": "t12"}));
    let mut model = with(json!({}));
    model["templates"] = templates.into();
    model["instances"] = json!([{"name": "i", "template": "t0"}]);
    let told = flat(&model).unwrap_err();
    assert!(told.contains("make more than 200000 entities"), "{told}");
}

#[test]
fn a_template_has_macros_signals_and_texts_as_operands() {
    let model = json!({
        "fixstep": 1, "name": "a", "constants": {"when_odd": "${odd}", "odd": "1+1"},
        "parts": [{"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "templates": [{
            "name": "t", "parameters": {"f": "1+1", "n": -5, "own": 3}, "ports": {"load": "signal"},
            "macros": [{"name": "sq", "arguments": ["x"], "expression": "x*x*load"}],
            "pid_controllers": [{"name": "pid", "input": "load", "derivative": "0", "kp": 1, "ki": 1, "kd": 0}],
            "outputs": [{"name": "o", "expression": "sq(2)*${f} + ARYVAL(pid.u, 1)"}],
            "markers": [{"name": "m", "part": "ground", "position": ["${n} mm", 0, 0]}]
        }],
        "instances": [
            {"name": "i", "template": "t", "ports": {"load": "TIME"}, "overrides": {"m": {"position": ["${own*side}", 0, 0]}}},
            {"name": "c", "template": "t", "count": 3, "ports": {"load": "2*PI"}, "elements": {"2": {"when": false}}}
        ]
    });
    let flat = flat(&model).unwrap();
    assert_eq!(
        flat["outputs"][0]["expression"],
        "i.sq(2)*(1+1) + ARYVAL(i.pid.u, 1)"
    );
    assert_eq!(flat["macros"][0]["expression"], "x*x*TIME");
    assert_eq!(flat["markers"][0]["position"], json!([3, 0, 0]));
    assert_eq!(flat["markers"][1]["position"], json!([-0.005, 0, 0]));
    let names: Vec<&Value> = flat["outputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| &o["name"])
        .collect();
    assert_eq!(names, ["i.o", "c[1].o", "c[3].o"]);
}

#[test]
fn what_is_left_out_is_named() {
    let mut model = with(json!({}));
    model["parts"] = json!([{"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}]);
    model["templates"] = json!([{"name": "t", "markers": [{"name": "m", "part": "ground"}]}]);
    model["instances"] = json!([
        {"name": "c", "template": "t", "count": 3, "elements": {"2": {"when": false}}},
        {"name": "i", "template": "t", "when": false}
    ]);
    model["outputs"] =
        json!([{"name": "o", "expression": "DX(c[2].m)"}, {"name": "p", "expression": "DX(i.m)"}]);
    let told = crate::Model::from_json(&model.to_string())
        .unwrap_err()
        .to_string();
    assert!(
        told.contains("c[2] is not there: its \"when\" is false"),
        "{told}"
    );
    assert!(
        told.contains("i is not there: its \"when\" is false"),
        "{told}"
    );
}

#[test]
fn a_parameter_can_have_the_constant_of_its_name_as_its_default() {
    let mut model = with(json!({"L": "200 mm", "later": 1}));
    model["parts"] = json!([{"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}]);
    model["templates"] = json!([{
        "name": "t",
        "parameters": {"L": "${L}", "first": "${later + second}", "later": 5, "second": "${2*L/L}"},
        "markers": [{"name": "m", "part": "ground", "position": ["${L}", "${first}", 0]}]
    }]);
    model["instances"] = json!([{"name": "i", "template": "t"}]);
    let flat = flat(&model).unwrap();
    assert_eq!(flat["markers"][0]["position"], json!([0.2, 3, 0]));
}

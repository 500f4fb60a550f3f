//! Tests of fields that entities have by default.

use super::instances::{flat, named, told};
use serde_json::{Value, json};

/// A model with defaults in its file and in a template.
fn defaulted() -> Value {
    let bushing = |name: &str| json!({"name": name, "type": "bushing", "i": "m", "j": "ground"});
    let mut soft = bushing("soft");
    soft["class"] = json!("soft");
    let mut own = bushing("own");
    own["stiffness"] = json!([9, 9, 9]);
    own["damping"] = json!(null);
    json!({
        "fixstep": 1, "name": "a", "constants": {"k": "7 N/m"},
        "defaults": {
            "parts": {"inertia": {"xx": 1, "yy": 1, "zz": 1}, "velocity": [1, 2, 3]},
            "forces/bushing": {"stiffness": ["${k}", 7, 7], "damping": [1, 1, 1]},
            "forces/bushing:soft": {"stiffness": [2, 2, 2]}
        },
        "parts": [{"name": "p", "mass": 1}],
        "markers": [{"name": "m", "part": "p"}],
        "forces": [bushing("b"), soft, own, {"name": "s", "type": "torque", "i": "m", "j": "ground", "expression": "1"}],
        "templates": [{
            "name": "t", "defaults": {"forces": {"damping": [3, 3, 3]}, "forces/bushing:hard": {"stiffness": [50, 50, 50]}},
            "parts": [{"name": "p", "mass": 1, "velocity": [0, 0, 0]}], "markers": [{"name": "m", "part": "p"}],
            "forces": [bushing("b"), {"name": "h", "type": "bushing", "class": "hard", "i": "m", "j": "ground"}]
        }],
        "instances": [
            {"name": "x", "template": "t"},
            {"name": "y", "template": "t", "overrides": {"b": {"damping": [4, 4, 4]}, "p": {"velocity": null}}}
        ]
    })
}

#[test]
fn entities_have_the_defaults_of_their_kind() {
    let model = defaulted();
    let flat = flat(&model).unwrap();
    assert!(flat.get("defaults").is_none());
    let force = |name: &str, field: &str| named(&flat, "forces", name)[field].clone();
    assert_eq!(force("b", "stiffness"), json!([7, 7, 7]));
    assert_eq!(force("b", "damping"), json!([1, 1, 1]));
    assert_eq!(force("soft", "stiffness"), json!([2, 2, 2]));
    assert_eq!(force("soft", "class"), json!(null));
    assert_eq!(force("own", "stiffness"), json!([9, 9, 9]));
    assert_eq!(force("own", "damping"), json!(null));
    assert_eq!(force("s", "damping"), json!(null));
    // Those of a template count before those of the file, and an override before both.
    assert_eq!(force("x.b", "damping"), json!([3, 3, 3]));
    assert_eq!(force("x.b", "stiffness"), json!([7, 7, 7]));
    assert_eq!(force("x.h", "stiffness"), json!([50, 50, 50]));
    assert_eq!(force("y.b", "damping"), json!([4, 4, 4]));
    let part = |name: &str| named(&flat, "parts", name)["velocity"].clone();
    assert_eq!(
        [part("p"), part("x.p")],
        [json!([1, 2, 3]), json!([0, 0, 0])]
    );
    assert_eq!(part("y.p"), json!(null));
    assert_eq!(told(&model), "");
}

#[test]
fn defaults_that_cannot_be() {
    for (key, fields, said) in [
        (
            "bushings",
            json!({}),
            "defaults, field bushings: \"bushings\" is no list of entities",
        ),
        (
            "forces/bushin",
            json!({}),
            "\"bushin\" is no type of forces; did you mean \"bushing\"?",
        ),
        (
            "parts/rigid",
            json!({}),
            "parts have no types; write \"parts\"",
        ),
        (
            "forces/bushing",
            json!({"stifness": 1}),
            "unknown field \"stifness\"; did you mean \"stiffness\"?",
        ),
        (
            "parts",
            json!({"name": "a"}),
            "\"name\" has no default: every entity gives it",
        ),
        ("parts", json!(5), "expected an object of fields, found 5"),
        (
            "parts",
            json!({"mass": "3 mm"}),
            "the unit \"mm\" does not fit",
        ),
    ] {
        let mut model = defaulted();
        model["defaults"][key] = fields;
        model["parts"] = json!([{"name": "p", "inertia": {"xx": 1, "yy": 1, "zz": 1}}]);
        let told = told(&model);
        assert!(
            told.contains(said) && told.contains("car.json:1:"),
            "{told}"
        );
    }
    let mut model = defaulted();
    model["forces"][1]["class"] = json!("sofft");
    let said = told(&model);
    assert!(
        said.contains("forces \"soft\", field class: no defaults have the class \"sofft\"; did you mean \"soft\"?; valid: \"soft\""),
        "{said}"
    );
}

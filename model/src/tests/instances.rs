//! Tests of where instances are and of what a template can have: poses at markers, pairs, places in lists, roads, files.

use crate::{Model, expanded, resources::none};
use serde_json::{Value, json};

/// The flat model, or what is wrong.
pub(super) fn flat(model: &Value) -> Result<Value, String> {
    let text = model.to_string();
    let flat = expanded("car.json", &text, &none).map_err(|errors| errors.to_string())?;
    Ok(serde_json::from_str(&flat).unwrap())
}

/// What is wrong with a model; empty: nothing.
pub(super) fn told(model: &Value) -> String {
    let read = Model::read_named("car.json", &model.to_string(), &none, &[]);
    read.map_or_else(|errors| errors.to_string(), |_| String::new())
}

/// The entity of a list with a name.
pub(super) fn named<'a>(model: &'a Value, list: &str, name: &str) -> &'a Value {
    let items = model[list].as_array().unwrap();
    items.iter().find(|item| item["name"] == name).unwrap()
}

fn names(model: &Value, list: &str) -> Vec<String> {
    let items = model[list].as_array().unwrap().iter();
    items
        .map(|item| item["name"].as_str().unwrap().to_owned())
        .collect()
}

#[expect(clippy::needless_pass_by_value, reason = "calls are shorter")]
fn part(name: &str, position: Value) -> Value {
    json!({"name": name, "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": position})
}

/// A rod of length 1 along x, with markers at its ends, and instances of it.
#[expect(clippy::needless_pass_by_value, reason = "calls are shorter")]
fn rods(instances: Value) -> Value {
    json!({
        "fixstep": 1, "name": "rods", "units": {"angle": "deg"},
        "templates": [{
            "name": "rod", "parts": [part("body", json!([0.5, 0, 0]))],
            "markers": [
                {"name": "begin", "part": "body", "position": [-0.5, 0, 0]},
                {"name": "end", "part": "body", "position": [0.5, 0, 0], "orientation": {"euler": [90, 0, 0]}},
                {"name": "base", "part": "ground", "position": [0, 0, 2]}
            ]
        }],
        "parts": [part("table", json!([1, 2, 3])), {
            "name": "turned", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, 1],
            "orientation": {"euler": [90, 0, 0]}
        }],
        "markers": [
            {"name": "corner", "part": "table", "position": [0.1, 0.2, 0.3]},
            {"name": "tip", "part": "turned", "position": [1, 0, 0], "orientation": {"euler": [90, 0, 0]}}
        ],
        "instances": instances
    })
}

#[test]
fn an_instance_is_where_its_marker_is() {
    let model = rods(json!([
        {"name": "third", "template": "rod", "at": "second.end"},
        {"name": "second", "template": "rod", "at": "first.end", "position": [0, 0, 0.5]},
        {"name": "first", "template": "rod", "at": "corner"},
        {"name": "other", "template": "rod", "at": "tip"},
        {"name": "world", "template": "rod", "at": "ground", "position": ["10 mm", 0, 0]},
        {"name": "above", "template": "rod", "at": "first.base"}
    ]));
    let flat = flat(&model).unwrap();
    // The order is that of the entries.
    let order = ["table", "turned", "third.body", "second.body", "first.body"];
    assert_eq!(names(&flat, "parts")[..5], order);
    let place = |name: &str| named(&flat, "parts", name)["position"].clone();
    assert_eq!(place("first.body"), json!([1.6, 2.2, 3.3]));
    // At the end of the first, half a metre up, turned by a quarter: along y.
    assert_eq!(place("second.body"), json!([2.1, 2.7, 3.8]));
    // A further quarter: against x.
    assert_eq!(place("third.body"), json!([1.6, 3.2, 3.8]));
    // x of the tip is against x of ground, its origin at (0, 1, 1).
    assert_eq!(place("other.body"), json!([-0.5, 1, 1]));
    assert_eq!(place("world.body"), json!([0.51, 0, 0]));
    assert_eq!(place("above.body"), json!([1.6, 2.2, 5.3]));
    assert_eq!(told(&model), "");
}

#[test]
fn an_array_can_be_a_chain() {
    for (count, last) in [(1, 0.5), (10, 9.5), (101, 100.5)] {
        let model = rods(json!([{
            "name": "link", "template": "rod", "count": count, "at": "link[${index - 1}].far",
            "elements": {"1": {"at": "ground"}}
        }]));
        let mut model = model;
        model["templates"][0]["markers"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": "far", "part": "body", "position": [0.5, 0, 0]}));
        let flat = flat(&model).unwrap();
        let name = format!("link[{count}].body");
        assert_eq!(
            named(&flat, "parts", &name)["position"],
            json!([last, 0, 0])
        );
    }
}

#[test]
fn places_at_markers_that_cannot_be() {
    let one = |at: Value| {
        let mut model = rods(json!([{"name": "a", "template": "rod", "at": at}]));
        model["flexible_bodies"] = json!([{"name": "soft", "file": "soft.flex"}]);
        model["markers"].as_array_mut().unwrap().extend([
            json!({"name": "node", "part": "soft", "node": "n"}),
            json!({"name": "odd", "part": "table", "position": ["=p", 0, 0]}),
            json!({"name": "lost", "part": "tabel"}),
        ]);
        flat(&model).unwrap_err()
    };
    let said = one(json!("cornr"));
    assert!(
        said.contains(
            "instances \"a\", field at: marker \"cornr\" does not exist; did you mean \"corner\"?"
        ),
        "{said}"
    );
    assert!(one(json!("a.end")).contains("follows from itself: a is at a"));
    assert!(one(json!("node")).contains("on a node of a flexible body"));
    assert!(one(json!("odd")).contains("the position of \"odd\" must be numbers"));
    assert!(one(json!("lost")).contains("is on \"tabel\", which does not exist"));
    assert!(one(json!(5)).contains("expected the name of a marker, found 5"));
    let circle = rods(json!([
        {"name": "a", "template": "rod", "at": "b.end"}, {"name": "b", "template": "rod", "at": "c.end"},
        {"name": "c", "template": "rod", "at": "b.begin"}
    ]));
    let said = flat(&circle).unwrap_err();
    assert!(
        said.contains("the place of an instance follows from itself: b is at c is at b"),
        "{said}"
    );
    let mut port = rods(json!([{"name": "a", "template": "outer", "ports": {"m": "corner"}}]));
    port["templates"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "outer", "ports": {"m": "marker"},
        "instances": [{"name": "rod", "template": "rod", "at": "m"}]}));
    let said = flat(&port).unwrap_err();
    assert!(
        said.contains("\"m\" is a port of the kind marker: where it is"),
        "{said}"
    );
    // A wrong pose is that of the instance.
    let wrong = rods(json!([{"name": "a", "template": "rod", "position": [0, "3 kg", 0]}]));
    let said = flat(&wrong).unwrap_err();
    assert!(
        said.contains("instances \"a\", field position[1]: the unit \"kg\" does not fit")
            && !said.contains("parts["),
        "{said}"
    );
}

#[test]
fn a_pair_is_a_thing_and_its_mirror_image() {
    let pose = json!({"euler": [20, 30, 40]});
    let mut model = rods(json!([
        {"pair": ["left", "right"], "template": "rod", "position": [1, 0.3, 0.1], "orientation": pose},
        {"pair": ["a", "b"], "template": "rod", "count": 2, "position": ["${index}", "0.5 m", 0],
            "elements": {"b": {"position": ["${10*index}", 0.5, 0]}, "a[2]": {"position": ["${7*side}", 0, 0]}}}
    ]));
    model["templates"][0]["variables"] = json!([{"name": "s", "expression": "${side}"}]);
    let flat = flat(&model).unwrap();
    let expected = [
        "table",
        "turned",
        "left.body",
        "right.body",
        "a[1].body",
        "a[2].body",
        "b[1].body",
        "b[2].body",
    ];
    assert_eq!(names(&flat, "parts"), expected);
    let place = |name: &str| named(&flat, "parts", name)["position"].clone();
    assert_eq!(place("a[1].body"), json!([1.5, 0.5, 0]));
    assert_eq!(place("a[2].body"), json!([7.5, 0, 0]));
    assert_eq!(place("b[1].body"), json!([10.5, -0.5, 0]));
    assert_eq!(place("b[2].body"), json!([20.5, -0.5, 0]));
    for (name, side) in [("left.s", 1), ("right.s", -1), ("b[2].s", -1)] {
        assert_eq!(named(&flat, "variables", name)["expression"], side);
    }
    let (left, right) = (place("left.body"), place("right.body"));
    for (k, sign) in [(0, 1.0), (1, -1.0), (2, 1.0)] {
        let [l, r] = [&left, &right].map(|place| place[k].as_f64().unwrap());
        assert!((l - sign * r).abs() < 1e-15, "{left} {right}");
    }
    // The same as two entries, the second mirrored, its pose too.
    model["instances"] = json!([
        {"name": "left", "template": "rod", "position": [1, 0.3, 0.1], "orientation": pose},
        {"name": "right", "template": "rod", "position": [1, -0.3, 0.1], "orientation": {"euler": [-20, -30, -40]}, "mirrored": true}
    ]);
    let two = super::instances::flat(&model).unwrap();
    assert_eq!(
        named(&two, "parts", "right.body"),
        named(&flat, "parts", "right.body")
    );
    for (entry, said) in [
        (
            json!({"pair": ["left"], "template": "rod"}),
            "expected the two names of a pair",
        ),
        (
            json!({"pair": ["a", "a"], "template": "rod"}),
            "another instance is called \"a\" too",
        ),
        (
            json!({"pair": ["a", "b"], "name": "c", "template": "rod"}),
            "either \"name\" or \"pair\"",
        ),
        (
            json!({"pair": ["left", "right"], "template": "rod", "elements": {"lft": {}}}),
            "there is no element \"lft\"; did you mean \"left\"?; valid: \"left\", \"right\"",
        ),
        (
            json!({"name": "a", "template": "rod", "elements": {"1": {}}}),
            "only an array or a pair has elements",
        ),
    ] {
        model["instances"] = json!([entry]);
        let told = super::instances::flat(&model).unwrap_err();
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn a_name_in_a_list_is_the_place_of_an_instance() {
    let mut model = rods(json!([
        {"name": "a", "template": "rod"}, {"name": "b", "template": "rod", "count": 3}, {"name": "c", "template": "rod"},
        {"name": "d", "template": "rod", "when": false}
    ]));
    model["parts"] = json!([
        "b[2]",
        part("p", json!([0, 0, 0])),
        "instances",
        part("q", json!([0, 0, 0])),
        "b",
        "d",
        "a"
    ]);
    model["markers"] = json!(["c"]);
    let flat = flat(&model).unwrap();
    let expected = [
        "b[2].body",
        "p",
        "c.body",
        "q",
        "b[1].body",
        "b[3].body",
        "a.body",
    ];
    assert_eq!(names(&flat, "parts"), expected);
    assert_eq!(names(&flat, "markers")[..3], ["c.begin", "c.end", "c.base"]);
    model["parts"] = json!(["instances", "e", "a", "a"]);
    let said = super::instances::flat(&model).unwrap_err();
    assert!(
        said.contains("parts: \"e\" is no entity and no instance"),
        "{said}"
    );
    assert!(
        said.contains("\"a\" has its place in parts already; keep one"),
        "{said}"
    );
}

#[test]
fn a_template_has_roads_splines_and_parameters_of_the_fmu() {
    let mut model = json!({
        "fixstep": 1, "name": "a", "gravity": [0, 0, -9.81],
        "templates": [{
            "name": "t", "parameters": {"x": {"default": 2}},
            "fmu_parameters": [{"name": "k", "start": "${x}", "unit": "N/m", "tunable": true}],
            "inputs": [{"name": "u", "unit": "N"}],
            "parts": [{"name": "p", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, 0.3]}],
            "markers": [{"name": "m", "part": "p", "orientation": {"z_point": [0, 1, 0]}}, {"name": "g", "part": "ground"}],
            "splines": [{"name": "s", "x": [0, 1, 2, 3], "y": [0, 1, 2, 3]}],
            "curves": [{"name": "c", "closed": true, "points": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]}],
            "roads": [{"name": "r", "shape": {"type": "slope", "bank": 0.1}, "yaw": 0.2, "position": [0, 1, 0], "friction": "=k"}],
            "forces": [
                {"name": "f", "type": "torque", "i": "m", "j": "ground", "expression": "AKISPL(k + u, 0, s)"},
                {"name": "y", "type": "tyre", "i": "m", "j": "g", "road": "r", "law": {"type": "linear", "radius": 0.3,
                    "vertical_stiffness": "=k", "slip_stiffness": 8e4, "cornering_stiffness": 6e4, "mu": 1}}
            ],
            "outputs": [{"name": "o", "expression": "k*DX(m)"}],
            "requests": [{"name": "q", "type": "displacement", "i": "m"}]
        }],
        "instances": [
            {"name": "one", "template": "t", "overrides": {"fmu_parameters/k": {"start": 5}, "s": {"y": [0, 2, 4, 6]}}},
            {"name": "two", "template": "t", "mirrored": true, "parameters": {"x": 3}}
        ]
    });
    assert_eq!(told(&model), "");
    let flat = flat(&model).unwrap();
    assert_eq!(names(&flat, "parameters"), ["one.k", "two.k"]);
    assert_eq!(named(&flat, "parameters", "one.k")["start"], 5);
    assert_eq!(named(&flat, "parameters", "two.k")["start"], 3);
    assert_eq!(named(&flat, "splines", "one.s")["y"], json!([0, 2, 4, 6]));
    assert_eq!(named(&flat, "forces", "two.y")["road"], "two.r");
    assert_eq!(
        named(&flat, "forces", "two.f")["expression"],
        "AKISPL(two.k + two.u, 0, two.s)"
    );
    let road = named(&flat, "roads", "two.r");
    assert_eq!(road["shape"]["bank"], -0.1);
    assert_eq!(
        [&road["yaw"], &road["position"]],
        [&json!(-0.2), &json!([0, -1, 0])]
    );
    assert_eq!(road["friction"], "=two.k");
    let read = Model::from_json(&model.to_string()).unwrap();
    let table = crate::table::of(&read.mechanism);
    for name in ["one.k", "two.k", "one.u", "two.o"] {
        assert!(table.variables.iter().any(|v| v.name == name), "{name}");
    }
    model["instances"][0]["overrides"] = json!({"k": 5});
    let said = told(&model);
    assert!(
        said.contains("expected an object of the fields of \"k\" that are different: {\"spring\": {\"stiffness\": 5}}; found 5"),
        "{said}"
    );
}

#[test]
fn a_parameter_that_is_a_file_counts_from_where_it_is_given() {
    let road = r#"{"templates": [{"name": "r", "parameters": {"heights": {"default": "flat.csv", "file": true}},
        "roads": [{"name": "road", "shape": {"type": "profile", "file": "${heights}"}}]}, {"name": "outer", "parameters":
        {"h": {"file": true}}, "instances": [{"name": "in", "template": "r", "parameters": {"heights": "${h}"}}]}]}"#;
    let text = r#"{"fixstep": 1, "name": "a", "include": "roads/r.json", "instances": [{"name": "a", "template": "r"},
        {"name": "b", "template": "r", "parameters": {"heights": "own.csv"}},
        {"name": "c", "template": "outer", "parameters": {"h": "deep.csv"}}]}"#;
    let files = |name: &str| match name {
        "roads/r.json" => Ok(road.as_bytes().to_vec()),
        other => Err(format!("no {other}")),
    };
    let flat: Value = serde_json::from_str(&expanded("", text, &files).unwrap()).unwrap();
    let file = |name: &str| named(&flat, "roads", name)["shape"]["file"].clone();
    assert_eq!(file("a.road"), "roads/flat.csv");
    assert_eq!(file("b.road"), "own.csv");
    assert_eq!(file("c.in.road"), "deep.csv");
}

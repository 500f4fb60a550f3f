//! Tests of the replacement of parts in texts: what changes, what stays, what is refused.

#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_kernel::flex::{Invariants, Mode, Node};
use serde_json::Value;

use super::*;

fn node(id: u64, name: Option<&str>, position: [f64; 3]) -> Node {
    Node {
        id,
        name: name.map(str::to_owned),
        position: position.into(),
        freedom: [true; 6],
        translation: vec![Vec3::x()],
        rotation: vec![Vec3::y()],
    }
}

/// A body of 5 kg with a mode and some nodes.
fn body(nodes: Vec<Node>) -> FlexData {
    let mut invariants = Invariants::zero(1);
    invariants.mass = 5.0;
    invariants.first = Vec3::new(1.0, 0.0, 0.0);
    invariants.i6[0] = 1.0;
    invariants.i7 = Mat3::identity();
    FlexData {
        description: "arm".to_owned(),
        sources: Vec::new(),
        modes: vec![Mode {
            frequency: 10.0,
            label: "orthonormal 1".to_owned(),
        }],
        invariants,
        stiffness: vec![4000.0],
        nodes,
        lines: Vec::new(),
        faces: Vec::new(),
        preload: None,
        loads: Vec::new(),
        stiffening: None,
        stresses: Vec::new(),
        strains: Vec::new(),
    }
}

const MODEL: &str = r#"{
  "fixstep": 1, "name": "two",
  "units": {"length": "mm"},
  "parts": [
    {"name": "base", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
    {
      "name": "arm",
      "velocity": [0, 0, 0],
      "mass": 4.0,
      "center_of_mass": [250, 0, 0],
      "inertia": {"xx": 1e5, "yy": 2e6, "zz": 2e6},
      "position": [100, 0, 0]
    }
  ],
  "markers": [
    {"name": "a", "part": "arm"},
    {"name": "b", "part": "arm", "position": [500, 0, 2.5], "orientation": {"z_point": [500, 0, 10]}},
    {"name": "c", "position": [500.0, 0, 0], "part": "arm"},
    {"name": "d", "part": "base", "position": [100, 0, 0]}
  ],
  "joints": [{"name": "pin", "type": "revolute", "i": "a", "j": "d"}]
}
"#;

fn read(text: &str) -> Model {
    Model::read(text, &|name| Err(format!("no {name}"))).unwrap_or_else(|e| unreachable!("{e}"))
}

fn arm(file: &str) -> Swap {
    Swap {
        part: "arm".to_owned(),
        file: file.to_owned(),
        ..Swap::default()
    }
}

fn ends() -> FlexData {
    body(vec![
        node(1, Some("root"), [0.0; 3]),
        node(2, None, [0.498, 0.0, 0.0]),
        node(9, Some("tip"), [0.5, 0.0, 0.0]),
    ])
}

#[test]
fn a_part_becomes_a_body_and_all_else_stays_as_it_is_written() {
    let swapped = swap(MODEL, &read(MODEL), &ends(), &arm("arm.flex")).unwrap();
    let wanted = r#"{
  "fixstep": 1, "name": "two",
  "units": {"length": "mm"},
  "parts": [
    {"name": "base", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}
  ],
  "flexible_bodies": [
    {
      "name": "arm",
      "file": "arm.flex",
      "velocity": [0, 0, 0],
      "position": [100, 0, 0]
    }
  ],
  "markers": [
    {"name": "a", "part": "arm", "node": "root"},
    {"name": "b", "part": "arm", "node": "tip", "position": [0.0, 0.0, 2.5], "orientation": {"z_point": [0.0, 0.0, 10.0]}},
    {"name": "c", "part": "arm", "node": "tip"},
    {"name": "d", "part": "base", "position": [100, 0, 0]}
  ],
  "joints": [{"name": "pin", "type": "revolute", "i": "a", "j": "d"}]
}
"#;
    assert_eq!(swapped.text, wanted);
    let differences = swapped.difference.to_string();
    assert!(!differences.contains("-0.000000"), "{differences}");
    let texts = [(-1e-9, "0.000000"), (-1e-6, "-0.000001"), (0.0, "0.000000")];
    for (number, text) in texts {
        assert_eq!(fixed(number, 6).1, text);
    }
    assert!(
        differences.contains("mass [kg]               4.000000      5.000000     25.00 %"),
        "{differences}"
    );
}

#[test]
fn markers_far_from_nodes_are_named_unless_they_are_told_where_to_go() {
    let short = body(vec![
        node(1, Some("root"), [0.0; 3]),
        node(2, Some("tip"), [0.4, 0.0, 0.0]),
    ]);
    let error = swap(MODEL, &read(MODEL), &short, &arm("arm.flex")).unwrap_err();
    assert_eq!(error.0.len(), 2, "{error}");
    let wanted = "marker \"c\": the nearest node \"tip\" is 0.100000 m away, the tolerance is 0.004000 m; \
                  valid: a greater tolerance, or a node for this marker (--attach 'c=tip')";
    assert_eq!(error.0[1], wanted);
    let mut ask = arm("arm.flex");
    ask.attach = vec![
        ("b".to_owned(), "tip".to_owned()),
        ("c".to_owned(), "2".to_owned()),
    ];
    let swapped = swap(MODEL, &read(MODEL), &short, &ask).unwrap();
    assert!((swapped.markers[2].offset - Vec3::new(0.1, 0.0, 0.0)).norm() < 1e-15);
    assert!(
        swapped
            .text
            .contains("\"c\", \"position\": [99.99999999999"),
        "{}",
        swapped.text
    );
    let mut wide = arm("arm.flex");
    wide.tolerance = Some(0.11);
    assert!(swap(MODEL, &read(MODEL), &short, &wide).is_ok());
}

#[test]
fn what_is_not_there_is_named() {
    let model = read(MODEL);
    let message = |ask: &Swap| swap(MODEL, &model, &ends(), ask).unwrap_err().to_string();
    let mut ask = arm("arm.flex");
    ask.part = "leg".to_owned();
    assert_eq!(message(&ask), "there is no part \"leg\"; valid: base, arm");
    assert!(message(&arm("../arm.flex")).contains("the path has a part . or .."));
    let mut ask = arm("arm.flex");
    ask.attach = vec![
        ("d".to_owned(), "tip".to_owned()),
        ("a".to_owned(), "rot".to_owned()),
    ];
    let wanted = "the part \"arm\" has no marker \"d\"\n\
                  marker \"a\": the body has no node \"rot\"; valid: root, tip, or a number";
    assert_eq!(message(&ask), wanted);
}

/// The rest of a model without one part, the positions of its markers, and the flexible bodies.
fn rest(text: &str, part: &str) -> Value {
    let mut value: Value = serde_json::from_str(text).unwrap();
    let object = value.as_object_mut().unwrap();
    object.remove("flexible_bodies");
    let parts = object["parts"].as_array_mut().unwrap();
    parts.retain(|p| p["name"] != part);
    for marker in object["markers"].as_array_mut().unwrap() {
        if marker["part"] == part {
            let marker = marker.as_object_mut().unwrap();
            marker.remove("node");
            marker.remove("position");
            // points are given from the node
            marker.remove("orientation");
        }
    }
    value
}

#[test]
fn an_example_keeps_everything_but_the_part() {
    let root = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../models/robot_arm/model.json"
    );
    let text = std::fs::read_to_string(root).unwrap();
    let model = read(&text);
    let at = model
        .mechanism
        .bodies
        .iter()
        .position(|b| b.name == "forearm")
        .unwrap();
    let mut places: Vec<Vec3> = Vec::new();
    for marker in model
        .mechanism
        .markers
        .iter()
        .filter(|m| m.body.index() == at)
    {
        if !places.contains(&marker.position) {
            places.push(marker.position);
        }
    }
    let nodes = places
        .iter()
        .enumerate()
        .map(|(k, p)| node(k as u64 + 1, None, (*p).into()));
    let mut ask = arm("forearm.flex");
    ask.part = "forearm".to_owned();
    let swapped = swap(&text, &model, &body(nodes.collect()), &ask).unwrap();
    assert!(rest(&swapped.text, "forearm") == rest(&text, "forearm"));
    let value: Value = serde_json::from_str(&swapped.text).unwrap();
    assert_eq!(value["flexible_bodies"][0]["file"], "forearm.flex");
    let on_nodes = value["markers"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|m| m["node"].is_u64())
        .count();
    assert_eq!(on_nodes, swapped.markers.len());
    assert!(on_nodes >= 2);
    // the text before the part and after the markers is unchanged
    let before = text
        .find("\"name\": \"forearm\"")
        .and_then(|at| text[..at].rfind('{'))
        .unwrap();
    assert!(swapped.text.starts_with(&text[..before]));
    let behind = text.find("\"joints\": [").unwrap();
    assert!(swapped.text.ends_with(&text[behind..]));
}

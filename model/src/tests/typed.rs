//! Tests of what people type: the answer, and its place.

use crate::{Model, resources::none};

/// What is replaced, by what, where the message points, and what it says.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "\"u\"}]\n}",
        "\"POW(u, 2)\"}]\n}",
        "7:85",
        "the power is written x**y",
    ),
    (
        "\"u\"}]\n}",
        "\"u^2\"}]\n}",
        "7:85",
        "a power is written \"**\"",
    ),
    (
        "\"u\"}]\n}",
        "\"sin(30 deg)\"}]\n}",
        "7:85",
        "degrees are written 30D",
    ),
    (
        "\"u\"}]\n}",
        "\"3 kN + u\"}]\n}",
        "7:85",
        "numbers in expressions have no units",
    ),
    (
        "\"type\"",
        "\"typ\"",
        "7:14",
        "unknown field \"typ\"; did you mean \"type\"?",
    ),
    (
        "0.5]",
        "\"3 kg\"]",
        "5:97",
        "the unit \"kg\" does not fit: the field is of length",
    ),
    (
        "0.5]",
        "true]",
        "5:97",
        "expected a finite number or a string \"=expression of parameters\", found true",
    ),
    (
        "\"mass\": 1",
        "\"mass\": \"1,5 kg\"",
        "5:35",
        "decimals follow a point: \"1.5 kg\"",
    ),
    (
        "\"mass\": 1",
        "\"mass\": 1,5",
        "5:37",
        "is the comma before it a decimal comma?",
    ),
    (
        "\"part\": \"a\"",
        "\"part\": 'a'",
        "6:37",
        "JSON strings must be in double quotes",
    ),
    (
        "\"fixstep\": 1,",
        "\"fixstep\": 1",
        "3:3",
        "a comma is missing before it",
    ),
    (
        "[0, 0, 0.5]",
        "[0 0, 0.5]",
        "5:93",
        "a comma is missing before it",
    ),
    (
        "[0, 0, 0.5]",
        "[0, -1 -2, 0.5]",
        "5:97",
        "a comma is missing before it",
    ),
    (
        "[0, 0, 0.5]",
        "[0, 0, 12 mm]",
        "5:100",
        "write a number with its unit",
    ),
];

/// What people type, and a part of what they are told; the place is that of the mistake.
#[test]
fn what_people_type_is_answered_at_its_place() {
    let model = r#"{
  "fixstep": 1,
  "name": "w",
  "inputs": [{"name": "u", "unit": "N.m"}],
  "parts": [{"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, 0.5]}],
  "markers": [{"name": "m", "part": "a"}],
  "forces": [{"name": "t", "type": "torque", "i": "m", "j": "ground", "expression": "u"}]
}"#;
    let forms: [fn(&str) -> String; 4] = [
        str::to_owned,
        |text| text.replace('\n', "\r\n"),
        |text| format!("\u{feff}{text}"),
        |text| text.replace("\n  ", "\n\t\t"),
    ];
    for &(from, to, place, said) in CASES {
        assert!(model.contains(from), "{from}");
        for form in forms {
            let text = form(&model.replacen(from, to, 1));
            let told = Model::read_named("w.json", &text, &none, &[])
                .unwrap_err()
                .to_string();
            let start = format!("error: w.json:{place}: ");
            assert!(
                told.starts_with(&start) && told.contains(said),
                "{to}: {told}"
            );
        }
    }
    for text in ["\"30deg\"", "\"12mm\""] {
        let key = if text.contains("deg") {
            "\"orientation\": {\"euler\": [0, 0, 0.5]}"
        } else {
            "\"position\": [0, 0, 0.5]"
        };
        let model = model.replace("\"position\": [0, 0, 0.5]", &key.replace("0.5", text));
        assert!(Model::from_json(&model).is_ok(), "{model}");
    }
}

//! Tests of broken models: each gives its documented messages, none panics.

use super::{path, problems, text};
use crate::{Model, resources};
use serde_json::Value;
use std::collections::BTreeSet;

#[path = "../../../tests/patched.rs"]
mod patched;

#[test]
fn every_broken_model_gives_its_messages() {
    let folder = path("tests/bad_models");
    let problems = |text: &str| {
        let read = Model::read(text, &resources::folder(&folder));
        read.map_or_else(|e| e.to_string(), |_| String::new())
    };
    for (name, text) in patched::bases(&folder) {
        assert_eq!(problems(&text), "", "{name}");
    }
    let cases = patched::cases(&folder);
    let mistakes: BTreeSet<&str> = cases
        .iter()
        .map(|(case, _)| case["mistake"].as_str().unwrap())
        .collect();
    assert!(mistakes.len() == cases.len() && cases.len() >= 338);
    let wrong = cases.iter().filter_map(|(case, text)| {
        let found = problems(text);
        // One message for each that the case lists, no more: no problem causes another.
        let right = patched::says(case, &found.lines().collect::<Vec<_>>());
        let (mistake, says) = (&case["mistake"], &case["says"]);
        (!right).then(|| format!("{mistake}: expected {says}\n{found}\n"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn truncated_models_are_refused() {
    let whole = text("models/quarter_car/model.json");
    for end in (0..whole.trim_end().len()).step_by(37) {
        if let Some(part) = whole.get(..end) {
            let said = problems(part);
            assert!(said.starts_with("error: "), "{end}: {said}");
        }
    }
}

#[test]
fn damaged_models_never_panic() {
    // xorshift64 (Marsaglia 2003): the same damage in every run.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for name in ["quarter_car", "spatial_slider_crank"] {
        let whole = text(&format!("models/{name}/model.json")).into_bytes();
        for _ in 0..400 {
            let mut bytes = whole.clone();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                bytes[at] = match random(3) {
                    0 => random(128) as u8,
                    1 => b"{}[]\",:0-.e=()*"[random(15)],
                    _ => bytes[random(whole.len())],
                };
            }
            if let Ok(text) = String::from_utf8(bytes) {
                let _ = problems(&text);
            }
        }
    }
}

#[test]
fn exchanged_values_never_panic() {
    let whole: Value = serde_json::from_str(&text("models/quarter_car/model.json")).unwrap();
    let odd = [
        Value::Null,
        Value::Bool(true),
        Value::from(-1.0e308),
        Value::from(1e-308),
        Value::from(u64::MAX),
        Value::from(""),
        Value::from("="),
        Value::from("ground"),
        Value::from("DX(DX(DX(1)))"),
        Value::Array(vec![Value::Null; 3]),
        Value::Object(serde_json::Map::new()),
    ];
    let mut places = Vec::new();
    pointers(&whole, String::new(), &mut places);
    for place in &places {
        for value in &odd {
            let mut changed = whole.clone();
            *changed.pointer_mut(place).unwrap() = value.clone();
            let _ = problems(&changed.to_string());
        }
    }
    assert!(places.len() > 150);
}

/// JSON pointers to everything in a value.
pub(super) fn pointers(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                pointers(value, format!("{place}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (k, value) in items.iter().enumerate() {
                pointers(value, format!("{place}/{k}"), found);
            }
        }
        _ => {}
    }
    found.push(place);
}

#[test]
fn problems_of_a_file_name_it() {
    let missing = Model::from_file(&path("models/none.json"));
    assert!(missing.is_err_and(|e| e.to_string().contains("models/none.json: ")));
}

#[test]
fn a_file_full_of_problems_is_answered_soon() {
    // Every name is unknown among many: each suggestion is a search.
    let many = 30_000;
    let parts = |k: usize| format!(r#"{{"name": "p{k:05}"}}"#);
    let markers = |k: usize| format!(r#"{{"name": "m{k:05}", "part": "q{k:05}"}}"#);
    let outputs = |k: usize| format!(r#"{{"name": "o{k:05}", "expression": "DX(n{k:05})"}}"#);
    let list = |entry: &dyn Fn(usize) -> String| -> String {
        (0..many).map(entry).collect::<Vec<_>>().join(",")
    };
    let text = format!(
        r#"{{"fixstep": 1, "name": "a", "markers": [{}], "outputs": [{}], "inputs": [{}]}}"#,
        list(&markers),
        list(&outputs),
        list(&parts),
    );
    let found = problems(&text);
    assert_eq!(found.lines().count(), 201);
    assert!(found.ends_with("only the first 200 problems are listed"));
}

#[test]
fn deep_and_wide_texts_are_answered_soon() {
    let key = "k".repeat(900);
    let open = format!("{{\"{key}\":").repeat(100);
    let list = vec!["0"; 200_000].join(",");
    let text = format!("{open}[{list}]{}", "}".repeat(100));
    assert!(problems(&text).contains("unknown field"));
}

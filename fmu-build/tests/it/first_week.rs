//! The mistakes of a first week: each gives one message that says where it is, what is wrong and what to write instead.
//!
//! `tests/first_week/base.json` is a sound model. Each entry of `cases.json` spoils it: `patch` sets values by their JSON
//! pointers (`null` takes a field away), `replace` changes its text, `text` is another text. `files` stand beside it. What is
//! run is `fixstep check`, or the `command`. `says` has an entry for each error and warning, with what it must hold: where,
//! what, and how to mend it. There are no other errors and warnings: one mistake is one message.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::setup::{fixstep, path};

fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/first_week");
    fs::read_to_string(folder.join(name)).unwrap()
}

/// Sets a value by its pointer, adds it to a list, or takes it away.
fn patch(model: &mut Value, pointer: &str, value: &Value) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match model.pointer_mut(parent).unwrap() {
        Value::Object(map) if value.is_null() => {
            map.remove(key).unwrap();
        }
        Value::Object(map) => {
            map.insert(key.to_owned(), value.clone());
        }
        Value::Array(list) => match key.parse::<usize>().unwrap() {
            end if end == list.len() => list.push(value.clone()),
            at => list[at] = value.clone(),
        },
        other => unreachable!("{pointer} is in {other}"),
    }
}

/// The spoilt model.
fn spoilt(base: &str, case: &Value) -> String {
    if let Some(text) = case["text"].as_str() {
        return text.to_owned();
    }
    if let Some(pair) = case["replace"].as_array() {
        let (from, to) = (pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
        assert!(base.contains(from), "{case}");
        return base.replacen(from, to, 1);
    }
    let mut model: Value = serde_json::from_str(base).unwrap();
    for (pointer, value) in case["patch"].as_object().unwrap() {
        patch(&mut model, pointer, value);
    }
    model.to_string()
}

/// What is wrong with what the program says of a case; nothing, if it is all right.
fn fault(base: &str, case: &Value, folder: &Path) -> Option<String> {
    let model = folder.join("model.json");
    fs::write(&model, spoilt(base, case)).unwrap();
    for (name, text) in case["files"].as_object().into_iter().flatten() {
        fs::write(folder.join(name), text.as_str().unwrap()).unwrap();
    }
    let words: Vec<String> = match case["command"].as_array() {
        None => vec!["check".to_owned(), path(&model).to_owned()],
        Some(words) => words
            .iter()
            .map(|word| {
                let word = word.as_str().unwrap().replace("MODEL", path(&model));
                word.replace("FOLDER", path(folder))
            })
            .collect(),
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = fixstep(&words);
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let said = String::from_utf8(said).unwrap();
    let is_message = |line: &&str| line.starts_with("error: ") || line.starts_with("warning: ");
    let found: Vec<&str> = said.lines().filter(is_message).collect();
    let expected = case["says"].as_array().unwrap();
    let fails = found.iter().any(|line| line.starts_with("error: "));
    let holds = |line: &str, parts: &Value| {
        let mut parts = parts.as_array().unwrap().iter();
        parts.all(|part| line.contains(part.as_str().unwrap()))
    };
    let sound = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(line, parts)| holds(line, parts))
        && output.status.code() == Some(i32::from(fails));
    (!sound).then(|| format!("{}: expected {}\n{said}", case["mistake"], case["says"]))
}

#[test]
fn every_mistake_gives_one_message_that_says_where_what_and_how_to_mend() {
    let base = data("base.json");
    let cases: Vec<Value> = serde_json::from_str(&data("cases.json")).unwrap();
    assert!(cases.len() > 100, "{}", cases.len());
    let folder = tempfile::tempdir().unwrap();
    // The model itself has nothing wrong.
    let sound = serde_json::json!({"mistake": "none", "patch": {}, "says": []});
    assert_eq!(fault(&base, &sound, folder.path()), None);
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let folder = tempfile::tempdir().unwrap();
            fault(&base, case, folder.path())
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

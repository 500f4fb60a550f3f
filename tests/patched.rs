//! Models with mistakes, each made of a sound one.
//!
//! A folder has sound models in `bases`, and lists of cases beside it. Each case spoils the model that its `base` names (of
//! one alone no name is needed): `patch` sets values by their JSON pointers, where `null` takes a value away, and `-` or the
//! place after the last appends to a list; `replace` changes the model's text; `text` is another text. `says` has an entry for each message, with what it
//! must hold: a text, or a list of texts.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The files of JSON in a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    paths
}

/// The texts of the sound models of a folder, by their names.
pub(crate) fn bases(folder: &Path) -> BTreeMap<String, String> {
    let named = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    files(&folder.join("bases"))
        .into_iter()
        .map(named)
        .collect()
}

/// The cases of a folder, each with the text of its spoilt model.
pub(crate) fn cases(folder: &Path) -> Vec<(Value, String)> {
    let bases = bases(folder);
    let lists = files(folder).into_iter().flat_map(|path| {
        let list: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        list
    });
    lists
        .map(|case| {
            let text = spoilt(&bases, &case);
            (case, text)
        })
        .collect()
}

/// The spoilt model of a case.
fn spoilt(bases: &BTreeMap<String, String>, case: &Value) -> String {
    if let Some(text) = case["text"].as_str() {
        return text.to_owned();
    }
    let base = match case["base"].as_str() {
        Some(name) => &bases[name],
        None if bases.len() == 1 => bases.values().next().unwrap(),
        None => unreachable!("no base: {case}"),
    };
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
        Value::Array(list) if key == "-" => list.push(value.clone()),
        Value::Array(list) => match key.parse::<usize>().unwrap() {
            end if end == list.len() => list.push(value.clone()),
            at if value.is_null() => {
                list.remove(at);
            }
            at => list[at] = value.clone(),
        },
        other => unreachable!("{pointer} is in {other}"),
    }
}

/// A message without its place in the text: `error: 12:5: …` as `error: …`.
fn placeless(message: &str) -> Option<String> {
    let (place, rest) = message.strip_prefix("error: ")?.split_once(": ")?;
    let numbers = place
        .rsplit(':')
        .take(2)
        .all(|word| word.parse::<usize>().is_ok());
    numbers.then(|| format!("error: {rest}"))
}

/// Whether these messages are those of a case: as many, in order, and each holds what it must, with its place or without.
pub(crate) fn says(case: &Value, messages: &[&str]) -> bool {
    let holds = |message: &str, parts: &Value| {
        let plain = placeless(message).unwrap_or_default();
        let has = |part: &Value| {
            let part = part.as_str().unwrap();
            message.contains(part) || plain.contains(part)
        };
        parts
            .as_array()
            .map_or_else(|| has(parts), |parts| parts.iter().all(has))
    };
    let expected = case["says"].as_array().unwrap();
    messages.len() == expected.len() && messages.iter().zip(expected).all(|(m, e)| holds(m, e))
}

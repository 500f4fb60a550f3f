//! Control plane: places in a flat model by their paths, and outputs that are added to it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::suggest::unknown;

/// The letters of coordinates, for lists of three numbers.
const AXES: [&str; 3] = ["x", "y", "z"];

/// The place that a path leads to: fields by their names, elements of lists by the names of entities, by their places from 0
/// or, of three numbers, by `x`, `y`, `z`.
pub(super) fn place<'v>(model: &'v mut Value, path: &str) -> Result<&'v mut Value, String> {
    let mut here = model;
    let mut done = String::new();
    for step in path.split('/') {
        let at = if done.is_empty() {
            "the model".to_owned()
        } else {
            format!("\"{done}\"")
        };
        here = match here {
            Value::Object(map) => {
                if !map.contains_key(step) {
                    let names = map.keys().map(String::as_str);
                    return Err(format!(
                        "{at} has no such field: {}",
                        unknown("field", step, names)
                    ));
                }
                map.get_mut(step).ok_or_else(String::new)?
            }
            Value::Array(items) => {
                let Some(k) = element(items, step) else {
                    let names = items.iter().filter_map(name);
                    let all = items.len();
                    return Err(format!(
                        "{at} has no element \"{step}\": {}; or a place from 0 to {}",
                        unknown("name", step, names),
                        all.saturating_sub(1)
                    ));
                };
                &mut items[k]
            }
            _ => return Err(format!("{at} is a value, and nothing is below it")),
        };
        if !done.is_empty() {
            done.push('/');
        }
        done.push_str(step);
    }
    Ok(here)
}

fn name(item: &Value) -> Option<&str> {
    item.get("name")?.as_str()
}

/// The place of an element in its list.
fn element(items: &[Value], step: &str) -> Option<usize> {
    let by_name = items.iter().position(|item| name(item) == Some(step));
    let by_place = || step.parse().ok().filter(|k: &usize| *k < items.len());
    let by_axis = || {
        let three = items.len() == 3 && items.iter().all(|item| !item.is_object());
        AXES.iter().position(|axis| three && *axis == step)
    };
    by_name.or_else(by_place).or_else(by_axis)
}

/// What is below a value, for messages.
pub(super) fn below(value: &Value) -> String {
    let names: Vec<String> = match value {
        Value::Object(map) => map.keys().cloned().collect(),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            let named =
                items.map(|(k, item)| name(item).map_or_else(|| k.to_string(), str::to_owned));
            named.take(12).collect()
        }
        _ => Vec::new(),
    };
    names.join(", ")
}

/// The outputs of a model: names and expressions.
pub(super) fn outputs(model: &Value) -> Vec<(String, String)> {
    let outputs = model.get("outputs").and_then(Value::as_array);
    let of = |output: &Value| {
        let expression = match output.get("expression")? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Some((name(output)?.to_owned(), expression))
    };
    outputs.into_iter().flatten().filter_map(of).collect()
}

/// An expression with the expressions of outputs in the place of their names: the expressions of a model read inputs,
/// parameters and variables alone.
pub(super) fn without_outputs(expression: &str, outputs: &[(String, String)]) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut out = String::new();
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(length);
        match outputs.iter().find(|(name, _)| name == word) {
            Some((_, expression)) => {
                let _ = write!(out, "({expression})");
            }
            None => out.push_str(word),
        }
        rest = after;
    }
    out
}

/// Adds an output to a model.
pub(super) fn add_output(model: &mut Value, output: Value) {
    if let Value::Object(map) = model {
        let outputs = map
            .entry("outputs")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(outputs) = outputs {
            outputs.push(output);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn model() -> Value {
        serde_json::json!({
            "parts": [{"name": "arm", "mass": 2, "position": [1, 2, 3]}],
            "outputs": [{"name": "x", "expression": "DX(a)"}, {"name": "x.2", "expression": 3}]
        })
    }

    #[test]
    fn paths_lead_by_names_places_and_axes() {
        let at = |path: &str| place(&mut model(), path).map(|it| it.clone());
        assert_eq!(at("parts/arm/mass").unwrap(), 2);
        assert_eq!(at("parts/0/position/2").unwrap(), 3);
        assert_eq!(at("parts/arm/position/y").unwrap(), 2);
        let said = |path: &str| at(path).unwrap_err();
        assert!(
            said("part/arm").contains("did you mean \"parts\""),
            "{}",
            said("part/arm")
        );
        assert!(said("parts/ram/mass").contains("\"parts\" has no element \"ram\""));
        assert!(said("parts/arm/position/3").contains("place from 0 to 2"));
        assert!(said("parts/arm/mass/x").contains("nothing is below it"));
    }

    #[test]
    fn expressions_may_name_outputs() {
        let outputs = outputs(&model());
        assert_eq!(
            without_outputs("x - 2*x.2 + xx", &outputs),
            "(DX(a)) - 2*(3) + xx"
        );
        let mut model = model();
        add_output(&mut model, serde_json::json!({"name": "new"}));
        assert_eq!(model["outputs"].as_array().unwrap().len(), 3);
    }
}

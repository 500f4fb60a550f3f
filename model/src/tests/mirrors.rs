//! Every number of every entity, and what becomes of it in a mirror: a field that is new must be decided on.

use super::path;
use crate::{expanded, resources, schema};
use serde_json::{Value, json};

/// A number, or nested lists of numbers, as a schema asks for.
fn sample(schema: &Value, defs: &Value) -> Option<Value> {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        return sample(&defs[name], defs);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().find_map(|choice| sample(choice, defs));
    }
    let is = |kind: &str| match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(|k| k == kind),
        one => one == kind,
    };
    if is("number") {
        return Some(json!(0.25));
    }
    if is("array") {
        let item = sample(&schema["items"], defs)?;
        let count = schema["minItems"].as_u64().unwrap_or(2);
        return Some(Value::Array(vec![item; count as usize]));
    }
    None
}

/// The numbers below a schema of an object: the way to each, an object that has only it, and the tags on the way.
fn numbers(schema: &Value, defs: &Value, way: &str, depth: usize) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    if depth > 12 {
        return found;
    }
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        return numbers(&defs[name], defs, way, depth + 1);
    }
    for choice in ["oneOf", "anyOf"] {
        for variant in schema[choice].as_array().into_iter().flatten() {
            found.extend(numbers(variant, defs, way, depth + 1));
        }
    }
    let tag = schema["properties"]["type"]["const"].as_str();
    let way = tag.map_or_else(|| way.to_owned(), |tag| format!("{way}/{tag}"));
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let own = format!("{way}/{key}");
        let mut below = Vec::new();
        if let Some(value) = sample(property, defs) {
            below.push((own, value));
        } else {
            below = numbers(property, defs, &own, depth + 1);
        }
        for (way, value) in below {
            let mut object = json!({key.as_str(): value});
            if let Some(tag) = tag {
                object["type"] = json!(tag);
            }
            found.push((way, object));
        }
    }
    found
}

/// The flat entity of a template's instance.
fn flat(list: &str, entity: &Value, mirrored: bool) -> Value {
    let mut entity = entity.clone();
    entity["name"] = json!("e");
    let mut template = json!({"name": "t"});
    template[list] = json!([entity]);
    if list != "joints" {
        // What drives, couples and stops turns about an axis.
        template["joints"] = json!([{"name": "turns", "type": "revolute"}, {"name": "slides", "type": "translational"}]);
    }
    let model = json!({"fixstep": 1, "name": "m", "templates": [template],
        "instances": [{"name": "a", "template": "t", "mirrored": mirrored}]});
    let flat = expanded("", &model.to_string(), &resources::none);
    let flat: Value = serde_json::from_str(&flat.unwrap_or_else(|e| unreachable!("{e}"))).unwrap();
    flat[list][0].clone()
}

#[test]
fn every_number_is_decided_on() {
    let schema = schema::flat_schema();
    let defs = &schema["$defs"];
    let mut text = String::new();
    for list in crate::shape::lists()
        .filter(|list| !schema::OF_THE_MODEL.contains(list) && *list != "parameters")
    {
        let items = &schema["properties"][list]["items"];
        for (way, mut entity) in numbers(items, defs, list, 0) {
            let word = entity["type"].as_str().unwrap_or_default().to_owned();
            match (list, word.as_str()) {
                ("motions", _) | (_, "joint_drive") => entity["joint"] = json!("turns"),
                ("couplers", _) => entity["joints"] = json!(["turns", "slides"]),
                _ => {}
            }
            if way.ends_with("/lower") || way.ends_with("/upper") {
                // The ends are exchanged with each other.
                entity["stops"]["lower"] = json!(0.125);
                entity["stops"]["upper"] = json!(0.5);
            }
            if word == "tyre" {
                entity["side"] = json!("left");
            }
            let [mut plain, mut image] =
                [false, true].map(|mirrored| flat(list, &entity, mirrored));
            for flag in ["mirrored", "side", "axis"] {
                for entity in [&mut plain, &mut image] {
                    entity.as_object_mut().unwrap().remove(flag);
                }
            }
            let word = if plain == image { "stays" } else { "changes" };
            text += &[&way, " ", word, "\n"].concat();
        }
    }
    let file = path("tests/templates/mirror.txt");
    if std::env::var_os("FIXSTEP_RECORD_MIRROR").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let recorded = std::fs::read_to_string(file).unwrap();
    for (now, then) in text.lines().zip(recorded.lines()) {
        assert_eq!(
            now, then,
            "decide what a mirror does to it, in expand/mirror.rs, and record it"
        );
    }
    assert_eq!(text.lines().count(), recorded.lines().count());
}

/// The keys of plain texts below a schema.
fn texts(schema: &Value, defs: &Value, key: &str, depth: usize, found: &mut Vec<String>) {
    if depth > 12 {
        return;
    }
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        if !["Expression", "Number"].contains(&name) {
            texts(&defs[name], defs, key, depth + 1, found);
        }
        return;
    }
    for choice in ["oneOf", "anyOf"] {
        for variant in schema[choice].as_array().into_iter().flatten() {
            texts(variant, defs, key, depth + 1, found);
        }
    }
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        texts(property, defs, key, depth + 1, found);
    }
    if !schema["items"].is_null() {
        texts(&schema["items"], defs, key, depth + 1, found);
    }
    let is_text = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "string"),
        one => one == "string",
    };
    if is_text && schema["enum"].is_null() && schema["const"].is_null() {
        found.push(key.to_owned());
    }
}

#[test]
fn every_text_names_something_or_nothing() {
    use crate::expand::{REFERENCES, TEXTS, WORDS};
    let schema = schema::flat_schema();
    for list in crate::shape::lists() {
        let mut found = Vec::new();
        texts(
            &schema["properties"][list]["items"],
            &schema["$defs"],
            list,
            0,
            &mut found,
        );
        for key in found {
            let key = key.as_str();
            let known = REFERENCES.contains(&key) || TEXTS.contains(&key) || WORDS.contains(&key);
            let own = ["start", "expression", "sample"].contains(&key)
                && ["strings", "macros"].contains(&list);
            assert!(
                known || own,
                "{list}: does {key} name an entity? expand/fields.rs has to know"
            );
        }
    }
}

#[test]
fn the_published_schema_has_no_empty_places() {
    let mut open = vec![crate::json_schema()];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(map) => {
                let empty = map.iter().find(|(_, value)| value.is_null());
                assert!(empty.is_none(), "{empty:?}");
                open.extend(map.into_values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

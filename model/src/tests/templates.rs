//! Tests of templates and includes: what they make, and what is told of their mistakes.

use super::path;
use crate::{Model, expanded, formatted};
use serde_json::Value;
use std::collections::BTreeMap;

/// The files of a model in memory.
fn files(folder: &str) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(path(folder)).unwrap();
    let named = entries.map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    });
    named.collect()
}

/// What is told of the model among some files.
fn told(files: &BTreeMap<String, String>) -> String {
    let beside = |name: &str| {
        if name.starts_with("../") {
            return Err(format!("{name} is outside of the model's folder"));
        }
        let text = files
            .get(name)
            .ok_or_else(|| format!("there is no file {name}"))?;
        Ok(text.clone().into_bytes())
    };
    match Model::read_named("model.json", &files["model.json"], &beside, &[]) {
        Ok(_) => String::new(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn every_broken_use_gives_its_message_at_the_template_and_the_instance() {
    let sound = files("tests/templates");
    assert_eq!(told(&sound), "");
    let cases: Vec<Value> = serde_json::from_str(&sound["cases.json"]).unwrap();
    assert!(cases.len() >= 45);
    let mut wrong = Vec::new();
    for case in &cases {
        let mut files = sound.clone();
        let file = files.get_mut(case["file"].as_str().unwrap()).unwrap();
        let pair = [0, 1].map(|k| case["replace"][k].as_str().unwrap());
        assert!(file.contains(pair[0]), "{case}");
        *file = file.replacen(pair[0], pair[1], 1);
        let said = told(&files);
        for part in case["says"].as_array().unwrap() {
            if !said.contains(part.as_str().unwrap()) {
                wrong.push(format!("{}: expected {part}\n{said}\n", case["mistake"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The flat model of some text without files.
fn flat(text: &str) -> Value {
    let flat = expanded("model.json", text, &crate::resources::none);
    serde_json::from_str(&flat.unwrap_or_else(|errors| unreachable!("{errors}"))).unwrap()
}

#[test]
fn the_flat_model_is_its_own_flat_model() {
    let all = files("tests/templates");
    let beside = |name: &str| Ok(all[name].clone().into_bytes());
    let once = expanded("", &all["model.json"], &beside).unwrap();
    assert_eq!(expanded("", &once, &crate::resources::none).unwrap(), once);
    assert_eq!(formatted("", &once).unwrap(), once);
    let value: Value = serde_json::from_str(&once).unwrap();
    let names = |list: &str| -> Vec<String> {
        let items = value[list].as_array().unwrap();
        items
            .iter()
            .map(|item| item["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        names("parts"),
        [
            "trunk",
            "left.thigh",
            "left.foot.sole",
            "right.thigh",
            "right.foot.sole",
            "tail[1].body",
            "tail[2].body"
        ]
    );
    // A marker on a part outside is given in the axes of the template.
    let hip = &value["markers"][1];
    assert_eq!(
        *hip,
        serde_json::json!({"name": "left.hip", "part": "trunk", "position": [0, 0.2, 0],
        "orientation": {"z_point": [0, 1.2, 0]}})
    );
    let hip = value["markers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|m| m["name"] == "right.hip")
        .unwrap();
    assert_eq!(hip["position"], serde_json::json!([0, -0.2, 0]));
    assert_eq!(
        hip["orientation"]["z_point"],
        serde_json::json!([0, 0.8, 0])
    );
    assert_eq!(value["forces"][2]["damping"], 2);
    assert_eq!(value["joints"][5]["j"], "tail[1].rear");
}

#[test]
fn arrays_of_every_size_have_names_of_their_own() {
    for count in [0, 1, 9, 10, 11, 100, 101] {
        let text = format!(
            r#"{{"fixstep": 1, "name": "a", "templates": [{{"name": "t", "parts": [{{"name": "p", "mass": 1,
            "inertia": {{"xx": 1, "yy": 1, "zz": 1}}}}]}}],
            "instances": [{{"name": "n", "template": "t", "count": {count}, "position": ["${{index*0.1}}", 0, 0]}}]}}"#
        );
        let flat = flat(&text);
        let parts = flat["parts"].as_array().cloned().unwrap_or_default();
        assert_eq!(parts.len(), count);
        for (k, part) in parts.iter().enumerate() {
            assert_eq!(part["name"], format!("n[{}].p", k + 1));
            let expected: f64 = format!("{}e-1", k + 1).parse().unwrap();
            assert_eq!(part["position"][0].as_f64(), Some(expected));
        }
    }
}

/// A model as the template of an instance in an instance, each mirrored or not.
fn nested(model: &Value, mirrored: bool) -> Option<String> {
    let mut whole = serde_json::Map::new();
    let mut template = serde_json::Map::new();
    for (key, value) in model.as_object()? {
        let at_top = [
            "fixstep",
            "name",
            "description",
            "units",
            "gravity",
            "solver",
            "experiment",
            "$schema",
        ];
        match value {
            _ if at_top.contains(&key.as_str()) => {
                whole.insert(key.clone(), value.clone());
            }
            Value::Array(_)
                if !["plant_inputs", "plant_outputs", "parameters"].contains(&key.as_str()) =>
            {
                template.insert(key.clone(), value.clone());
            }
            Value::Array(_) if key == "parameters" => {
                template.insert("fmu_parameters".to_owned(), value.clone());
            }
            Value::Array(_) => return None,
            _ => {}
        }
    }
    template.insert("name".to_owned(), "model".into());
    let instance = |name: &str, template: &str| serde_json::json!({"name": name, "template": template, "mirrored": mirrored});
    let outer = serde_json::json!({"name": "outer", "instances": [instance("b", "model")]});
    whole.insert("templates".to_owned(), serde_json::json!([template, outer]));
    whole.insert(
        "instances".to_owned(),
        serde_json::json!([instance("a", "outer")]),
    );
    Some(Value::Object(whole).to_string())
}

#[test]
fn the_mirror_of_a_mirror_is_the_original() {
    let mut seen = 0;
    for folder in ["models", "tests/bad_models/bases", "tests/templates"] {
        let entries = std::fs::read_dir(path(folder)).unwrap();
        for entry in entries {
            let entry = entry.unwrap().path();
            let file = if entry.is_dir() {
                entry.join("model.json")
            } else {
                entry
            };
            let Ok(text) = std::fs::read_to_string(&file) else {
                continue;
            };
            let Ok(model) = serde_json::from_str::<Value>(&text) else {
                continue;
            };
            let below = file.parent().unwrap();
            let beside = crate::resources::folder(below);
            let read = |text: &str| expanded("", text, &beside).map_err(|e| e.to_string());
            let is_own = ["instances", "templates", "include"]
                .iter()
                .any(|own| model.get(own).is_some());
            if is_own || !model.is_object() {
                continue;
            }
            let Some(plain) = nested(&model, false) else {
                continue;
            };
            let (plain, twice) = (read(&plain), read(&nested(&model, true).unwrap()));
            let flat = |text: Result<String, String>| -> Value {
                match text {
                    Ok(text) => serde_json::from_str(&text).unwrap(),
                    Err(errors) => Value::from(errors),
                }
            };
            assert_eq!(flat(plain), flat(twice), "{}", file.display());
            seen += 1;
        }
    }
    assert!(seen > 25, "{seen}");
}

/// xorshift64 (Marsaglia 2003): the same damage in every run.
pub(super) struct Damage(u64);

impl Damage {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    /// Some bytes other than they were, or parts of the text elsewhere.
    fn to(&mut self, text: &str) -> Option<String> {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes[at] = self.below(128) as u8,
                1 => bytes[at] = b"{}[]\",:0-.e=()*$/ \n"[self.below(19)],
                2 => {
                    let end = (at + self.below(40)).min(bytes.len());
                    bytes.drain(at..end);
                }
                _ => {
                    let end = (at + self.below(60)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, part);
                }
            }
            if bytes.is_empty() {
                return None;
            }
        }
        String::from_utf8(bytes).ok()
    }
}

#[test]
fn damaged_templates_never_panic() {
    let sound = files("tests/templates");
    let mut damage = Damage::new(0x9E37_79B9_7F4A_7C15);
    let mut read = 0;
    for k in 0..600 {
        let mut files = sound.clone();
        let name = if k % 2 == 0 { "model.json" } else { "leg.json" };
        let Some(text) = damage.to(&sound[name]) else {
            continue;
        };
        // What can be formatted has one form.
        if let Ok(once) = formatted("", &text) {
            assert_eq!(formatted("", &once).unwrap(), once, "{text}");
        }
        files.insert(name.to_owned(), text);
        read += usize::from(told(&files).is_empty());
    }
    assert!(read > 5, "{read}");
}

#[test]
fn exchanged_values_of_templates_never_panic() {
    let sound = files("tests/templates");
    let odd = [
        serde_json::json!(null),
        serde_json::json!(true),
        serde_json::json!(-1e308),
        serde_json::json!(""),
        serde_json::json!("${"),
        serde_json::json!("${1/0}"),
        serde_json::json!("3 mm"),
        serde_json::json!("instances"),
        serde_json::json!([[], 1]),
        serde_json::json!({"a": {}}),
    ];
    let text = sound["leg.json"].clone();
    let whole: Value = serde_json::from_str(&text).unwrap();
    let mut places = Vec::new();
    super::bad::pointers(&whole, String::new(), &mut places);
    for place in &places {
        for value in &odd {
            let mut changed = whole.clone();
            *changed.pointer_mut(place).unwrap() = value.clone();
            let mut files = sound.clone();
            files.insert("leg.json".to_owned(), changed.to_string());
            let _ = told(&files);
        }
    }
    assert!(places.len() > 120, "{}", places.len());
}

#[test]
fn a_page_has_what_a_model_takes_and_gives() {
    let all = files("tests/templates");
    let beside = |name: &str| Ok(all[name].clone().into_bytes());
    let page = crate::documentation("", &all["model.json"], &beside).unwrap();
    for line in [
        "# walker",
        "| payload | 0 | kg | until the start |",
        "| push | 0 | N.m |",
        "| height | m |",
        "| hip | 200 mm |",
        "## Template leg",
        "| length | 400 mm | m |  | From hip to foot |",
        "| shoe | hard |  | hard, soft |  |",
        "| effort | signal | Torque of the hip |",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    let templates = crate::documentation("", &all["leg.json"], &beside).unwrap();
    assert!(templates.starts_with("# Templates\n"), "{templates}");
}

#[test]
fn the_cars_and_the_chain_have_the_variables_that_they_had_without_templates() {
    let text = std::fs::read_to_string(path("tests/templates/variables.txt")).unwrap();
    for name in ["vehicle", "passive_vehicle", "chain"] {
        let model = Model::from_file(&path(&format!("models/{name}/model.json"))).unwrap();
        let table = crate::table::of(&model.mechanism);
        let lines = table.variables.iter().enumerate().map(|(k, variable)| {
            let words = format!("{:?} {:?}", variable.causality, variable.variability);
            format!("{name} {} {k} {}", variable.name, words.to_lowercase())
        });
        let lines: Vec<String> = lines.collect();
        let expected: Vec<&str> = text
            .lines()
            .filter(|line| line.split(' ').next() == Some(name))
            .collect();
        assert_eq!(lines, expected, "{name}");
    }
}

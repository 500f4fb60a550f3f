//! Alters models, files and bytes at random.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::chance::Chance;
use super::corpus::Corpus;
use super::flexible;

/// Numbers that break things.
const NUMBERS: [f64; 22] = [
    0.0,
    -0.0,
    -1.0,
    0.5,
    2.0,
    3.0,
    1e-3,
    1e-9,
    1e-15,
    1e-30,
    1e-300,
    5e-324,
    100.0,
    1e4,
    1e6,
    1e9,
    1e15,
    1e30,
    1e300,
    f64::MAX,
    f64::MIN,
    65_536.0,
];

/// Texts that break things.
const TEXTS: [&str; 20] = [
    "",
    " ",
    "=",
    "=x",
    "NaN",
    "inf",
    "-1e999",
    "1e308*1e308",
    "0/0",
    "ground",
    "none",
    "TIME",
    "%s%n",
    "../x",
    "'",
    "\"",
    "\u{0}",
    "ü\u{202e}",
    "DELAY(TIME, 0.01, 0)",
    "SQRT(-TIME)",
];

/// Alters something somewhere.
pub(super) fn tree(tree: &mut Value, corpus: &Corpus, chance: &mut Chance) {
    let mut places = Vec::new();
    pointers(tree, String::new(), &mut places);
    let place = &places[chance.below(places.len())];
    match chance.below(10) {
        0 => remove(tree, place),
        1 => double(tree, place, corpus, chance),
        2 => exchange(tree, place, &places[chance.below(places.len())]),
        3 => repeat(tree, place, chance),
        4 => {
            let other = json!([null, true, 1, "x", [], {}, [1, 2, 3], {"name": "x"}]);
            let other = other[chance.below(8)].clone();
            set(tree, place, other);
        }
        _ => {
            // Numbers and texts are most of what a model says.
            let leaves: Vec<&String> = places
                .iter()
                .filter(|p| matches!(tree.pointer(p), Some(Value::Number(_) | Value::String(_))))
                .filter(|p| !p.ends_with("/description"))
                .collect();
            if leaves.is_empty() {
                return;
            }
            let place = leaves[chance.below(leaves.len())].clone();
            let new = match tree.pointer(&place) {
                Some(Value::Number(old)) => number(old.as_f64().unwrap_or(0.0), corpus, chance),
                Some(Value::String(old)) => text(old, corpus, chance),
                _ => return,
            };
            set(tree, &place, new);
        }
    }
}

/// JSON pointers to everything in a value.
fn pointers(value: &Value, place: String, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
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

fn set(tree: &mut Value, place: &str, new: Value) {
    if let Some(old) = tree.pointer_mut(place) {
        *old = new;
    }
}

/// What holds a place, and by which word.
fn above<'a>(tree: &'a mut Value, place: &str) -> Option<(&'a mut Value, String)> {
    let (up, last) = place.rsplit_once('/')?;
    let last = last.replace("~1", "/").replace("~0", "~");
    Some((tree.pointer_mut(up)?, last))
}

fn remove(tree: &mut Value, place: &str) {
    match above(tree, place) {
        Some((Value::Object(map), key)) => {
            map.remove(&key);
        }
        Some((Value::Array(items), index)) => {
            items.remove(index.parse().unwrap());
        }
        _ => {}
    }
}

/// Puts something in a second time: beside itself, or under another key.
fn double(tree: &mut Value, place: &str, corpus: &Corpus, chance: &mut Chance) {
    match above(tree, place) {
        Some((Value::Object(map), key)) => {
            let copy = map[&key].clone();
            map.insert(corpus.keys[chance.below(corpus.keys.len())].clone(), copy);
        }
        Some((Value::Array(items), index)) => {
            let copy = items[index.parse::<usize>().unwrap()].clone();
            items.insert(chance.below(items.len() + 1), copy);
        }
        _ => {}
    }
}

fn exchange(tree: &mut Value, a: &str, b: &str) {
    let (Some(x), Some(y)) = (tree.pointer(a), tree.pointer(b)) else {
        return;
    };
    let (x, y) = (x.clone(), y.clone());
    set(tree, a, y);
    set(tree, b, x);
}

/// A list that is longer, shorter, or the other way round.
fn repeat(tree: &mut Value, place: &str, chance: &mut Chance) {
    let Some(Value::Array(items)) = tree.pointer_mut(place) else {
        return;
    };
    match chance.below(4) {
        0 => items.clear(),
        1 => items.truncate(chance.below(items.len().max(1))),
        2 => items.reverse(),
        _ => {
            let count = chance.pick(&[2, 3, 17, 300]);
            *items = items
                .iter()
                .cycle()
                .take(count * items.len().min(20))
                .cloned()
                .collect();
        }
    }
}

fn number(old: f64, corpus: &Corpus, chance: &mut Chance) -> Value {
    match chance.below(8) {
        0 | 1 => json!(chance.pick(&NUMBERS)),
        2 => json!(-old),
        3 => json!(old * chance.pick(&[1e-6, 1e-3, 0.5, 2.0, 1e3, 1e6])),
        4 => json!(chance.pick(&[i64::MIN, i64::MAX, -1, 0, 1, 2, 3, 10, 1000])),
        5 => json!(u64::MAX),
        6 => text("x", corpus, chance),
        _ => json!(old + chance.pick(&[-1.0, 1.0, 1e-9])),
    }
}

fn text(old: &str, corpus: &Corpus, chance: &mut Chance) -> Value {
    let other = &corpus.texts[chance.below(corpus.texts.len())];
    json!(match chance.below(12) {
        0 => chance.pick(&TEXTS).to_owned(),
        1 => format!("SQRT({old})"),
        2 => format!("1/({old})"),
        3 => format!("({old})/0"),
        4 => format!("LOG({old})"),
        5 => format!("DELAY({old}, {other}, 0)"),
        6 => format!("IF({old}: {other}, 1, -1)"),
        7 => format!("({old})*1E{}", chance.pick(&[9, 30, 300, -300])),
        8 => format!("={old}"),
        9 => String::from_utf8_lossy(&bytes(old.as_bytes().to_vec(), chance)).into_owned(),
        _ => other.clone(),
    })
}

/// Alters bytes.
pub(super) fn bytes(mut bytes: Vec<u8>, chance: &mut Chance) -> Vec<u8> {
    for _ in 0..=chance.below(4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = chance.below(bytes.len());
        let length = chance.below(9).min(bytes.len() - at);
        match chance.below(7) {
            0 => bytes[at] ^= 1 << chance.below(8),
            1 => bytes[at] = chance.next() as u8,
            2 => bytes[at] = chance.pick(b"{}[]\",:0-.e=()*\n #$"),
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let copy = bytes[at..at + length].to_vec();
                let to = chance.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            5 => {
                let word = chance.pick(&["1e999", "-", "nan", "99999999999", "0", "\r\n"]);
                bytes.splice(at..at + length, word.bytes());
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}

/// Alters one of the files beside a model.
pub(super) fn file(files: &mut BTreeMap<String, Vec<u8>>, chance: &mut Chance) {
    let which = chance.below(files.len());
    let Some((_, content)) = files.iter_mut().nth(which) else {
        return;
    };
    let old = std::mem::take(content);
    *content = match flexible::alter(&old, chance) {
        Some(new) => new,
        None => bytes(old, chance),
    };
}

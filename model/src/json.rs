//! Control plane: parses JSON text into a tree of values. It reports line and column of a syntax error, and refuses
//! duplicate keys and excessive sizes (a plain parser would silently keep the last key).

mod syntax;

use super::errors::{At, Report, quote};
use crate::limits::{MODEL_BYTES, MODEL_VALUES, NAME_BYTES};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// The message for a text above the limit.
pub(super) fn too_long(size: u64) -> String {
    format!(
        "the text has {size} bytes; a model may have at most {} MiB",
        MODEL_BYTES >> 20
    )
}

/// Parses the text, or reports why not.
pub(super) fn parse(text: &str, report: &mut Report) -> Option<Value> {
    if text.len() as u64 > MODEL_BYTES {
        report.add(&At::default(), too_long(text.len() as u64));
        return None;
    }
    // Editors on Windows start UTF-8 files with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut count = 0;
    let mut reader = serde_json::Deserializer::from_str(text);
    let seed = Tree {
        place: Place {
            up: None,
            step: Step::Top,
        },
        report: &mut *report,
        count: &mut count,
    };
    let parsed = seed
        .deserialize(&mut reader)
        .and_then(|tree| reader.end().map(|()| tree));
    parsed
        .map_err(|e| report.add(&At::default(), syntax::message(text, &e)))
        .ok()
}

/// The place of a value. It becomes text only when a message needs it, since a deeply nested path would otherwise be
/// copied for every value below it.
struct Place<'a> {
    up: Option<&'a Place<'a>>,
    step: Step<'a>,
}

/// The last step to a place.
enum Step<'a> {
    Top,
    Key(&'a str),
    Index(usize),
}

impl Place<'_> {
    fn at(&self) -> At {
        let up = self.up.map_or_else(At::default, Self::at);
        match self.step {
            Step::Top => up,
            Step::Key(key) => up.field(key),
            Step::Index(k) => up.index(k),
        }
    }
}

/// Reads one value at a place.
struct Tree<'a> {
    place: Place<'a>,
    report: &'a mut Report,
    count: &'a mut usize,
}

impl Tree<'_> {
    fn scalar<E: serde::de::Error>(self, value: Value) -> Result<Value, E> {
        *self.count += 1;
        if *self.count > MODEL_VALUES {
            return Err(E::custom(format!(
                "more than {MODEL_VALUES} values in one model"
            )));
        }
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: serde::de::Error>(self, v: bool) -> Result<Value, E> {
        self.scalar(Value::Bool(v))
    }

    fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<Value, E> {
        self.scalar(Value::Number(v.into()))
    }

    fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Value, E> {
        self.scalar(Value::Number(v.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Value, E> {
        let number = Number::from_f64(v).ok_or_else(|| E::custom("number is not finite"))?;
        self.scalar(Value::Number(number))
    }

    fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Value, E> {
        self.scalar(Value::String(v.to_owned()))
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
        self.scalar(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Tree {
            place: Place {
                up: Some(&self.place),
                step: Step::Index(items.len()),
            },
            report: &mut *self.report,
            count: &mut *self.count,
        })? {
            items.push(item);
        }
        self.scalar(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if key.len() > NAME_BYTES {
                return Err(A::Error::custom(format!(
                    "a key has {} bytes; valid: at most {NAME_BYTES}",
                    key.len()
                )));
            }
            let value = access.next_value_seed(Tree {
                place: Place {
                    up: Some(&self.place),
                    step: Step::Key(&key),
                },
                report: &mut *self.report,
                count: &mut *self.count,
            })?;
            let at = (map.contains_key(&key) && !self.report.is_full())
                .then(|| self.place.at().field(&key));
            if let Some(at) = at {
                let message = format!("the key {} appears twice; keep one", quote(&key));
                self.report.add(&at, message);
            }
            map.insert(key, value);
        }
        self.scalar(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> String {
        let mut report = Report::default();
        parse(text, &mut report);
        report.finish().map_or(String::new(), |e| e.to_string())
    }

    #[test]
    fn syntax_errors_carry_line_and_column() {
        assert!(problems("{\n \"a\": ,\n}").contains("line 2, column 7: expected value"));
        assert!(problems("{\"a\": NaN}").contains("must be finite"));
        assert!(problems("{\"a\": 1e999}").contains("number out of range; numbers must be finite"));
        assert!(problems("").contains("the text is empty"));
        assert!(problems("{} x").contains("trailing characters"));
        assert!(problems(&"[".repeat(100_000)).contains("nested too deeply"));
    }

    #[test]
    fn duplicate_keys_are_named_with_their_place() {
        let text = r#"{"a": [{"b": 1, "c": 2, "b": 3}]}"#;
        assert_eq!(
            problems(text),
            "error: a[0], field b: the key \"b\" appears twice; keep one"
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(problems("\u{feff}{\"a\": 1}"), "");
    }
}

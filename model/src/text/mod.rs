//! Control plane: parses the text of a model into a tree of values that know their place.
//!
//! The text is JSON, with comments, commas behind the last entry and keys without quotes. The tree keeps the place of
//! every value and key, refuses excessive sizes, and reports a key that occurs twice (a plain parser would silently keep
//! the last one).

mod convert;
pub(crate) mod format;

mod sources;
mod syntax;

pub(super) use self::sources::{Link, Mark, NO_CHAIN, Sources};

use super::errors::{At, Report};
use crate::limits::MODEL_BYTES;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Number, Value};

/// The message for a text above the limit.
pub(super) fn too_long(size: u64) -> String {
    format!(
        "the text has {size} bytes; a model may have at most {} MiB",
        MODEL_BYTES >> 20
    )
}

/// What the text may have beyond JSON.
pub const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: true,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A value, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) value: Kind,
    pub(super) mark: Mark,
    /// What a number measures that was computed of quantities with units. It counts in the units of the file.
    pub(super) of: Option<Powers>,
}

/// Exponents of what a number measures: mass, length, time, angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Powers {
    pub(super) exponents: [i8; 4],
    /// Did all that it was computed of have its unit?
    pub(super) sure: bool,
    /// Is it a number in radians, as expressions count angles, and not in the file's unit of angle?
    pub(super) radians: bool,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Field>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) key: String,
    pub(super) mark: Mark,
    pub(super) node: Node,
}

impl Node {
    pub(super) fn new(value: Kind, mark: Mark) -> Self {
        Self {
            value,
            mark,
            of: None,
        }
    }

    pub(super) fn text(text: impl Into<String>, mark: Mark) -> Self {
        Self::new(Kind::Text(text.into()), mark)
    }

    /// A number, whole if it is: `2` and not `2.0`. What is not finite has no text, which the caller must prevent.
    pub(super) fn number(value: f64, mark: Mark) -> Self {
        Self::new(Kind::Number(plain(value)), mark)
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_f64(&self) -> Option<f64> {
        match &self.value {
            Kind::Number(number) => number.as_f64().filter(|x| x.is_finite()),
            _ => None,
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Self]> {
        match &self.value {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn as_object(&self) -> Option<&[Field]> {
        match &self.value {
            Kind::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let mut fields = self.as_object()?.iter();
        fields.find(|field| field.key == key).map(|f| &f.node)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Kind::Object(fields) = &mut self.value else {
            return None;
        };
        let found = fields.iter_mut().find(|field| field.key == key);
        found.map(|field| &mut field.node)
    }

    /// Sets the value of a key, at the end if it is new.
    pub(super) fn set(&mut self, key: &str, node: Self) {
        if let Some(there) = self.get_mut(key) {
            *there = node;
        } else if let Kind::Object(fields) = &mut self.value {
            let (key, mark) = (key.to_owned(), node.mark);
            fields.push(Field { key, mark, node });
        }
    }

    /// Takes a key away.
    pub(super) fn take(&mut self, key: &str) -> Option<Self> {
        let Kind::Object(fields) = &mut self.value else {
            return None;
        };
        let at = fields.iter().position(|field| field.key == key)?;
        Some(fields.remove(at).node)
    }

    /// The value as `serde_json` has it, without places.
    pub(super) fn to_value(&self) -> Value {
        match &self.value {
            Kind::Null => Value::Null,
            Kind::Bool(flag) => Value::Bool(*flag),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone()),
            Kind::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Kind::Object(fields) => {
                let pairs = fields.iter();
                let pairs = pairs.map(|field| (field.key.clone(), field.node.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// The place of what a message's path names, or of the innermost value around it that there is.
    pub(super) fn find(&self, path: &str) -> Mark {
        let mut here = self;
        let mut key_mark = self.mark;
        for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
            let step = step.trim_end_matches(']');
            match &here.value {
                Kind::Object(fields) => {
                    let Some(field) = fields.iter().find(|field| field.key == step) else {
                        break;
                    };
                    here = &field.node;
                    key_mark = here.mark;
                }
                Kind::List(items) => {
                    let item = step.parse().ok().and_then(|k: usize| items.get(k));
                    let Some(item) = item else { break };
                    here = item;
                    key_mark = here.mark;
                }
                _ => break,
            }
        }
        key_mark
    }

    /// Calls a function for this value and all below it, which stay.
    pub(super) fn each_of(&self, call: &mut dyn FnMut(&Self)) {
        call(self);
        match &self.value {
            Kind::List(items) => items.iter().for_each(|item| item.each_of(call)),
            Kind::Object(fields) => fields.iter().for_each(|f| f.node.each_of(call)),
            _ => {}
        }
    }

    /// Calls a function for this value and all below it.
    pub(super) fn each(&mut self, change: &mut dyn FnMut(&mut Self)) {
        change(self);
        match &mut self.value {
            Kind::List(items) => items.iter_mut().for_each(|item| item.each(change)),
            Kind::Object(fields) => fields.iter_mut().for_each(|f| f.node.each(change)),
            _ => {}
        }
    }
}

/// The number as people write it.
fn plain(value: f64) -> Number {
    if value == value.trunc() && value.abs() < 1e15 && !(value == 0.0 && value.is_sign_negative()) {
        return Number::from(value as i64);
    }
    Number::from_f64(value).unwrap_or_else(|| Number::from(0))
}

/// Parses one of the sources, or reports why not.
pub(super) fn parse(sources: &Sources, file: usize, report: &mut Report) -> Option<Node> {
    let text = sources.text(file);
    let whole = |offset: usize| Mark::new(file, offset);
    if text.len() as u64 > MODEL_BYTES {
        report.add(&At::default().marked(whole(0)), too_long(text.len() as u64));
        return None;
    }
    if let Some(fault) = syntax::broken_text(text) {
        report.add(&At::default().marked(whole(fault.offset)), fault.message);
        return None;
    }
    match parse_to_ast(text, &CollectOptions::default(), &DIALECT) {
        Ok(parsed) => {
            if let Some(value) = parsed.value {
                return convert::tree(&value, (sources, file), report);
            }
            report.add(
                &At::default().marked(whole(0)),
                "the text is empty; a model begins with \"{\"",
            );
            None
        }
        Err(error) => {
            let fault = syntax::fault(text, &error);
            report.add(&At::default().marked(whole(fault.offset)), fault.message);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> String {
        let mut report = Report::default();
        let sources = Sources::new("", text);
        parse(&sources, 0, &mut report);
        report
            .finish()
            .map(|e| e.located(&sources, None).to_string())
            .unwrap_or_default()
    }

    #[test]
    fn syntax_errors_carry_line_and_column() {
        assert!(problems("{\n \"a\": ,\n}").starts_with("error: 2:7: expected value"));
        assert!(problems("{\"a\": NaN}").contains("must be finite"));
        assert!(problems("{\"a\": 1e999}").contains("number out of range; numbers must be finite"));
        assert!(problems("").contains("the text is empty"));
        assert!(problems("// only a comment").contains("the text is empty"));
        assert!(problems("{} x").contains("trailing characters"));
        assert!(problems(&"[".repeat(100_000)).contains("nested too deeply"));
        assert!(
            problems(&format!("{}{}", "[".repeat(200), "]".repeat(200)))
                .contains("nested too deeply")
        );
    }

    #[test]
    fn duplicate_keys_are_named_with_their_place() {
        let text = r#"{"a": [{"b": 1, "c": 2, "b": 3}]}"#;
        assert_eq!(
            problems(text),
            "error: 1:25: a[0], field b: the key \"b\" occurs twice; keep one"
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(problems("\u{feff}{\"a\": 1}"), "");
        assert!(problems("\u{feff}{\"a\": }").starts_with("error: 1:7: "));
    }

    #[test]
    fn plain_json_is_read_as_it_always_was() {
        for name in [
            "pendulum",
            "robot_arm",
            "press",
            "quarter_car",
            "rocker",
            "andrews_squeezer",
        ] {
            let text = crate::tests::text(&format!("models/{name}/model.json"));
            let tree = parse(&Sources::new("", &text), 0, &mut Report::default());
            let own = tree.as_ref().map(Node::to_value);
            assert_eq!(own, serde_json::from_str(&text).ok(), "{name}");
        }
        let text = r#"{"a": [1, -2, 1.5e-7, 1E3, 123456789012345678, 0.1, -0.0, "\u00e9\n\\ \ud83d\ude00"], "b": null}"#;
        let tree = parse(&Sources::new("", text), 0, &mut Report::default());
        let own = tree.as_ref().map(Node::to_value);
        assert_eq!(own, serde_json::from_str(text).ok());
    }

    #[test]
    fn comments_commas_at_the_end_and_bare_keys_are_understood() {
        let text = "// head\n{a: [1, 2,], /* b */ \"b\": {c: -0.5e3,},}\n// end";
        let sources = Sources::new("", text);
        let tree = parse(&sources, 0, &mut Report::default());
        let value = tree.as_ref().map(Node::to_value);
        assert_eq!(
            value,
            Some(serde_json::json!({"a": [1, 2], "b": {"c": -500.0}}))
        );
        let at = tree.map(|tree| tree.find("b.c"));
        assert_eq!(at.map(|at| sources.place(at)), Some((String::new(), 2, 31)));
    }
}

//! Control plane: reads the fields of an object in the description of a study, and collects what is wrong with them.

use std::cell::RefCell;

use fixstep_model::Plain;
use serde_json::{Map, Value};

use crate::suggest::unknown;

/// What is wrong with a description, each with its place.
#[derive(Debug)]
pub(super) struct Told<'a> {
    plain: &'a Plain,
    problems: RefCell<Vec<String>>,
}

impl<'a> Told<'a> {
    pub(super) fn of(plain: &'a Plain) -> Self {
        Self {
            plain,
            problems: RefCell::default(),
        }
    }

    /// Adds a problem of a place: `vary[2].from`, or `results[0]` with the name of what is there.
    pub(super) fn add(&self, path: &str, name: &str, message: &str) {
        let (head, field) = match path.split_once('.') {
            Some((head, field)) => (head, format!(", field {field}")),
            None => (path, String::new()),
        };
        let name = match name {
            "" => String::new(),
            name => format!(" \"{name}\""),
        };
        let colon = if head.is_empty() { "" } else { ": " };
        self.problems.borrow_mut().push(format!(
            "error: {}: {head}{name}{field}{colon}{message}",
            self.plain.place(path)
        ));
    }

    /// All of them, a line each; `None`: there are none.
    pub(super) fn all(&self) -> Option<String> {
        let problems = self.problems.borrow();
        (!problems.is_empty()).then(|| problems.join("\n"))
    }
}

/// The fields of an object.
pub(super) struct Fields<'a> {
    told: &'a Told<'a>,
    map: &'a Map<String, Value>,
    path: String,
    /// The name of what they describe, for messages.
    name: RefCell<String>,
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    /// Those of a value, which must be an object.
    pub(super) fn of(value: &'a Value, path: &str, told: &'a Told<'a>) -> Option<Self> {
        let Value::Object(map) = value else {
            let found = kind(value);
            told.add(
                path,
                "",
                &format!("{found} is no object; valid: {{\"field\": value, …}}"),
            );
            return None;
        };
        Some(Self {
            told,
            map,
            path: path.to_owned(),
            name: RefCell::default(),
            known: RefCell::default(),
        })
    }

    /// What messages call the object from now on.
    pub(super) fn called(&self, name: &str) {
        name.clone_into(&mut self.name.borrow_mut());
    }

    /// The path of a field.
    pub(super) fn at(&self, field: &str) -> String {
        let dot = if self.path.is_empty() || field.is_empty() {
            ""
        } else {
            "."
        };
        format!("{}{dot}{field}", self.path)
    }

    /// Adds a problem of a field; empty: of the object.
    pub(super) fn fault(&self, field: &str, message: &str) {
        self.told.add(&self.at(field), &self.name.borrow(), message);
    }

    /// The value of a field, whatever it is.
    pub(super) fn any(&self, field: &'static str) -> Option<&'a Value> {
        self.known.borrow_mut().push(field);
        self.map.get(field)
    }

    fn wrong<T>(&self, field: &str, value: &Value, valid: &str) -> Option<T> {
        let message = format!("{} is not valid; valid: {valid}", kind(value));
        self.fault(field, &message);
        None
    }

    /// A text that is not empty.
    pub(super) fn text(&self, field: &'static str) -> Option<String> {
        match self.any(field)? {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            other => self.wrong(field, other, "a text in double quotes that is not empty"),
        }
    }

    /// A finite number.
    pub(super) fn number(&self, field: &'static str) -> Option<f64> {
        let value = self.any(field)?;
        match value.as_f64().filter(|number| number.is_finite()) {
            Some(number) => Some(number),
            None => self.wrong(field, value, "a number"),
        }
    }

    /// A number above 0.
    pub(super) fn positive(&self, field: &'static str) -> Option<f64> {
        let number = self.number(field)?;
        if number > 0.0 {
            return Some(number);
        }
        self.fault(field, &format!("{number} is not above 0"));
        None
    }

    /// A whole number within bounds.
    pub(super) fn whole(&self, field: &'static str, (least, most): (u64, u64)) -> Option<u64> {
        let value = self.any(field)?;
        match value.as_u64().filter(|n| (least..=most).contains(n)) {
            Some(number) => Some(number),
            None => self.wrong(
                field,
                value,
                &format!("a whole number from {least} to {most}"),
            ),
        }
    }

    /// The elements of a list that is not empty.
    pub(super) fn list(&self, field: &'static str) -> Option<&'a Vec<Value>> {
        match self.any(field)? {
            Value::Array(items) if !items.is_empty() => Some(items),
            other => self.wrong(field, other, "a list that is not empty"),
        }
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(&self, field: &'static str, words: &[(&str, T)]) -> Option<T> {
        let value = self.any(field)?;
        let text = value.as_str();
        let found = words.iter().find(|(word, _)| Some(*word) == text);
        if found.is_none() {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            return self.wrong(field, value, &format!("one of {}", all.join(", ")));
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// Reports that a field is missing.
    pub(super) fn missing(&self, field: &str, valid: &str) {
        let message = format!("the field \"{field}\" is missing; valid: {valid}");
        self.fault("", &message);
    }

    /// Is the field there?
    pub(super) fn has(&self, field: &str) -> bool {
        self.map.contains_key(field)
    }

    /// Reports fields that nobody has asked for.
    pub(super) fn end(self) {
        let known = self.known.borrow();
        for field in self.map.keys() {
            if !known.contains(&field.as_str()) && field != "$schema" {
                let mut names: Vec<&str> = known.clone();
                names.sort_unstable();
                names.dedup();
                self.fault(field, &unknown("field", field, names.into_iter()));
            }
        }
    }
}

/// What a value is, for messages.
pub(super) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    }
}

//! Control plane: the fields of an object: those present, those missing, and those misspelt.

use super::foreign::saying;
use super::{FromJson, describe, expected};
use crate::errors::{At, Report, quote, quote_all};
use crate::expr::suggest::{hint, nearest, synonym};
use serde_json::{Map, Value};

/// The fields of an object whose valid names are known.
pub(in super::super) struct Fields<'a> {
    object: &'a Map<String, Value>,
    at: &'a At,
    /// Fields that are missing because they are misspelt, which has been reported.
    excused: Vec<String>,
}

impl<'a> Fields<'a> {
    /// Opens an object and reports unknown fields. The list of known fields says which are required.
    pub(in super::super) fn open(
        value: &'a Value,
        at: &'a At,
        known: &[(&'a str, bool)],
        report: &mut Report,
    ) -> Option<Self> {
        let names = || known.iter().map(|(name, _)| *name);
        let Some(object) = value.as_object() else {
            if at.is_top() {
                let message = format!(
                    "a model is one object with the fields \"fixstep\", \"name\", \"parts\", …; found {}",
                    describe(value)
                );
                report.add(at, message);
                return None;
            }
            let names: Vec<&str> = names().collect();
            let what = format!("an object with the fields {}", names.join(", "));
            return expected(&what, value, at, report);
        };
        let mut fields = Self {
            object,
            at,
            excused: Vec::new(),
        };
        let is_known = |key: &&str| names().any(|name| name == *key);
        let unknown: Vec<&str> = object
            .keys()
            .map(String::as_str)
            .filter(|key| !is_known(key))
            .collect();
        if !unknown.is_empty() {
            fields.tell_unknown(&unknown, known, report);
        }
        Some(fields)
    }

    /// Reports unknown fields, each with the field that was probably meant.
    fn tell_unknown(&mut self, unknown: &[&str], known: &[(&'a str, bool)], report: &mut Report) {
        let absent = |(name, _): &&(&'a str, bool)| !self.object.contains_key(*name);
        let free: Vec<&(&str, bool)> = known.iter().filter(absent).collect();
        let missing: Vec<&str> = free
            .iter()
            .filter(|(_, required)| *required)
            .map(|(name, _)| *name)
            .collect();
        let all: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        for key in unknown {
            if report.is_full() {
                break;
            }
            if *key == "joint" && missing.contains(&"i") && missing.contains(&"j") {
                self.excused.extend(["i".to_owned(), "j".to_owned()]);
                let message = "unknown field \"joint\"; this type connects two markers: give \"i\" and \"j\", \
                               such as those of the joint";
                report.add(self.at, message);
                continue;
            }
            let hint =
                if let Some((text, fields)) = self.at.list().and_then(|list| saying(list, key)) {
                    self.excused.extend(fields.iter().map(|f| (*f).to_owned()));
                    format!("; {text}")
                } else {
                    // A field with a value of another type is not taken for the missing one.
                    let is_only = unknown.len() == 1 && missing.len() == 1 && key.len() > 2;
                    let only = is_only.then(|| missing[0]);
                    self.guess(key, only, known)
                };
            let message = format!(
                "unknown field {}{hint}; valid here: {}",
                quote(key),
                all.join(", ")
            );
            report.add(self.at, message);
            if self.at.is_top() {
                // The list that it was meant for is missing.
                for (name, _) in &free {
                    report.lose(&singular(name));
                }
            }
        }
    }

    /// `; did you mean "…"?` for an unknown field: first field names of other programs, then similar names, then the
    /// only missing field.
    fn guess(&mut self, key: &str, only: Option<&'a str>, known: &[(&'a str, bool)]) -> String {
        let all = || known.iter().map(|(name, _)| *name);
        let is_free = |name: &&str| {
            !self.object.contains_key(*name) && !self.excused.iter().any(|other| other == name)
        };
        let free = || all().filter(is_free);
        let missing = || {
            let required = known.iter().filter(|(_, required)| *required);
            required.map(|(name, _)| *name).filter(is_free)
        };
        let found = synonym(key, free())
            .or_else(|| synonym(key, all()))
            .or_else(|| nearest(key, missing()))
            .or_else(|| nearest(key, free()))
            .or(only);
        let Some(found) = found else {
            return hint(key, all());
        };
        self.excused.push(found.to_owned());
        format!("; did you mean \"{found}\"?")
    }

    /// Reads a field.
    pub(in super::super) fn get<T: FromJson>(&self, name: &str, report: &mut Report) -> Option<T> {
        match self.find(name) {
            Some((value, at)) => T::from_json(value, &at, report).or_else(T::broken),
            None => T::absent().or_else(|| {
                self.report_missing(name, &T::takes(), report);
                T::broken()
            }),
        }
    }

    fn find(&self, name: &str) -> Option<(&'a Value, At)> {
        let value = self.object.get(name)?;
        Some((value, self.at.field(name)))
    }

    fn report_missing(&self, name: &str, takes: &str, report: &mut Report) {
        if !self.excused.iter().any(|excused| excused == name) {
            let hint = match (self.at.is_top(), name, takes) {
                (true, "fixstep", _) => {
                    "; it is the version of the format: \"fixstep\": 1".to_owned()
                }
                (_, _, "") => String::new(),
                (_, _, takes) => format!("; it takes {takes}"),
            };
            let message = format!("the field {} is missing{hint}", quote(name));
            report.add(self.at, message);
        }
    }
}

/// The name of one element of a list: `flexible_bodies` holds flexible bodies.
fn singular(list: &str) -> String {
    let words = list.replace('_', " ");
    match words.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => words.strip_suffix('s').unwrap_or(&words).to_owned(),
    }
}

/// Splits the tag off a tagged object; reports its absence.
pub(in super::super) fn split_tag(
    value: &Value,
    at: &At,
    valid: &[&str],
    report: &mut Report,
) -> Option<(String, Value)> {
    let Some(object) = value.as_object() else {
        return expected("an object with a \"type\"", value, at, report);
    };
    let Some(tag) = object.get("type") else {
        let valid = quote_all(valid.iter().copied());
        let meant = |key: &&String| nearest(key, ["type"]).is_some() || *key == "kind";
        let message = match object.keys().find(meant) {
            Some(key) => format!(
                "unknown field {}; did you mean \"type\"? Valid for it: {valid}",
                quote(key)
            ),
            None => format!("the field \"type\" is missing; valid: {valid}"),
        };
        report.add(at, message);
        return None;
    };
    let tag = String::from_json(tag, &at.field("type"), report)?;
    let mut rest = object.clone();
    rest.remove("type");
    Some((tag, Value::Object(rest)))
}

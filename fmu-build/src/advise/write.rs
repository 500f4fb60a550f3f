//! Control plane: writes settings into the text of a model, which otherwise stays as it is.

use std::ops::Range;

use flexible_bodies::swap::json::{Edits, Member, Spanned, blanks};

use super::choice::Choice;
use crate::slave::Failure;

/// A model with the chosen settings, at this communication step (s) if it is not the file's own.
pub fn into_model(text: &str, choice: &Choice, step: Option<f64>) -> Result<String, Failure> {
    // Editors on Windows start UTF-8 files with a byte order mark.
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let root =
        Spanned::of(text).ok_or_else(|| Failure("the model is not valid JSON".to_owned()))?;
    let mut edits = Edits::default();
    let solver: Vec<(&str, String)> = { choice.settings.iter() }
        .map(|(name, value)| (name.as_str(), as_json(name, value)))
        .collect();
    set(&mut edits, text, &root, ("solver", &solver));
    if let Some(step) = step {
        let number = serde_json::Number::from_f64(step);
        let number = number.map_or_else(|| step.to_string(), |number| number.to_string());
        set(&mut edits, text, &root, ("experiment", &[("step", number)]));
    }
    Ok(mark.to_owned() + &edits.apply(text, 0..text.len()))
}

/// A value as JSON: numbers and flags bare, words in quotes.
fn as_json(name: &str, value: &str) -> String {
    let words = ["mode", "integrator", "formulation", "pattern"];
    if words.contains(&name) {
        format!("\"{value}\"")
    } else {
        value.to_owned()
    }
}

/// Sets members of an object of the root; what is missing is added in the style of what is there.
fn set(edits: &mut Edits, text: &str, root: &Spanned, (key, members): (&str, &[(&str, String)])) {
    let pairs = |members: &[&(&str, String)]| -> Vec<String> {
        let pair = |(name, value): &&(&str, String)| format!("\"{name}\": {value}");
        members.iter().map(pair).collect()
    };
    let Some(object) = root.member(key) else {
        let all: Vec<&(&str, String)> = members.iter().collect();
        let object = format!("\"{key}\": {{ {} }}", pairs(&all).join(", "));
        add(edits, text, root, &[object]);
        return;
    };
    let mut missing = Vec::new();
    for member in members {
        match object.value.member(member.0) {
            Some(known) => {
                let same = text[known.value.span.clone()] == member.1;
                if !same {
                    edits.replace(known.value.span.clone(), member.1.clone());
                }
            }
            None => missing.push(member),
        }
    }
    add(edits, text, &object.value, &pairs(&missing));
}

/// Adds members at the end of an object.
fn add(edits: &mut Edits, text: &str, object: &Spanned, pairs: &[String]) {
    if pairs.is_empty() {
        return;
    }
    let members: Vec<Range<usize>> = { object.members().iter() }
        .map(|member: &Member| member.span.clone())
        .collect();
    let Some((first, last)) = members.first().zip(members.last()) else {
        let inner = object.span.start + 1..object.span.end - 1;
        edits.replace(inner, format!(" {} ", pairs.join(", ")));
        return;
    };
    // What stands before the first member stands before each new one.
    let before = blanks(&text[object.span.start + 1..first.start]);
    let before = if before.contains('\n') { before } else { " " };
    let added: Vec<String> = pairs
        .iter()
        .map(|pair| format!(",{before}{pair}"))
        .collect();
    edits.replace(last.end..last.end, added.concat());
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn choice() -> Choice {
        let settings = [
            ("integrator", "GENALPHA"),
            ("fixit", "2"),
            ("pattern", "T:F"),
            ("rho", "0.8"),
        ];
        Choice {
            family: String::new(),
            hratio: 2,
            step: 5e-4,
            settings: settings.map(|(a, b)| (a.to_owned(), b.to_owned())).to_vec(),
            predicted: 0.0,
            measured: 0.0,
            worst: String::new(),
            interpolated: false,
            rti: 0.0,
            rti_99: 0.0,
            met: true,
            own: None,
            contraction: None,
            errors: Vec::new(),
        }
    }

    #[test]
    fn only_the_settings_change() {
        let written = |text: &str, step| into_model(text, &choice(), step).unwrap();
        assert_eq!(
            written(
                "{\n  \"name\": \"a\",\n  \"solver\": {\n    \"fixit\":   3,\n    \"alpha\": -0.3\n  },\n  \"experiment\": {\"step\": 0.001}\n}\n",
                None
            ),
            "{\n  \"name\": \"a\",\n  \"solver\": {\n    \"fixit\":   2,\n    \"alpha\": -0.3,\n    \"integrator\": \"GENALPHA\",\n    \"pattern\": \"T:F\",\n    \"rho\": 0.8\n  },\n  \"experiment\": {\"step\": 0.001}\n}\n"
        );
        assert_eq!(
            written(
                "\u{feff}{\"solver\": {}, \"experiment\": {\"stop\": 2}}",
                Some(0.002)
            ),
            "\u{feff}{\"solver\": { \"integrator\": \"GENALPHA\", \"fixit\": 2, \"pattern\": \"T:F\", \"rho\": 0.8 }, \"experiment\": {\"stop\": 2, \"step\": 0.002}}"
        );
        assert_eq!(
            written("{ \"name\": \"a\" }", None),
            "{ \"name\": \"a\", \"solver\": { \"integrator\": \"GENALPHA\", \"fixit\": 2, \"pattern\": \"T:F\", \"rho\": 0.8 } }"
        );
        assert!(into_model("{", &choice(), None).is_err());
    }
}

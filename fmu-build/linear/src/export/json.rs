//! Writes everything about a linear form as JSON.

use super::Export;
use faer::Mat;
use serde_json::{Value, json};

impl Export<'_> {
    /// Names, units, matrices by rows, the operating point.
    pub fn json(&self) -> String {
        let form = self.form;
        let mut all = json!({
            "name": self.name,
            "point": self.point,
            "states": form.states,
            "inputs": form.inputs,
            "outputs": form.outputs,
            "positions": form.positions,
            "equations": form.equations,
        });
        let mut second = serde_json::Map::new();
        for (name, of) in self.matrices() {
            if name.len() == 1 {
                all[name] = rows(&of);
            } else {
                second.insert(name.to_owned(), rows(&of));
            }
        }
        all["second_order"] = Value::Object(second);
        all["notes"] = json!(form.notes);
        let mut text = pretty(&all, 0);
        text.push('\n');
        text
    }
}

/// JSON with indents, but lists of numbers on one line.
pub(super) fn pretty(value: &Value, depth: usize) -> String {
    let within = |open: char, parts: Vec<String>, close: char| {
        let (indent, last) = ("  ".repeat(depth + 1), "  ".repeat(depth));
        let lines = parts.join(&format!(",\n{indent}"));
        format!("{open}\n{indent}{lines}\n{last}{close}")
    };
    match value {
        Value::Array(list) if !list.is_empty() && !list.iter().all(Value::is_number) => {
            let parts = list.iter().map(|each| pretty(each, depth + 1));
            within('[', parts.collect(), ']')
        }
        Value::Object(fields) if !fields.is_empty() => {
            let part = |(name, each): (&String, &Value)| {
                format!(
                    "{}: {}",
                    Value::from(name.as_str()),
                    pretty(each, depth + 1)
                )
            };
            within('{', fields.iter().map(part).collect(), '}')
        }
        Value::Array(list) => {
            let parts: Vec<String> = list.iter().map(ToString::to_string).collect();
            format!("[{}]", parts.join(", "))
        }
        other => other.to_string(),
    }
}

/// A matrix by rows.
pub(super) fn rows(of: &Mat<f64>) -> Value {
    let row = |r| {
        (0..of.ncols())
            .map(|c| of[(r, c)] + 0.0)
            .collect::<Vec<f64>>()
    };
    json!((0..of.nrows()).map(row).collect::<Vec<_>>())
}

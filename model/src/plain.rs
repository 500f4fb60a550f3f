//! Control plane: a text in the language of models that is no model, such as the description of a study: its values, and
//! where they stand.

use crate::ModelErrors;
use crate::errors::Report;
use crate::text::{self, Node, Sources};

/// Such a text, parsed.
#[derive(Clone, Debug)]
pub struct Plain {
    tree: Node,
    sources: Sources,
}

impl Plain {
    /// Parses a text; messages call it `name`.
    pub fn read(name: &str, text: &str) -> Result<Self, ModelErrors> {
        let sources = Sources::new(name, text);
        let mut report = Report::default();
        let tree = text::parse(&sources, 0, &mut report);
        match (tree, report.finish()) {
            (Some(tree), None) => Ok(Self { tree, sources }),
            (tree, errors) => {
                let errors =
                    errors.unwrap_or_else(|| ModelErrors::single("the text could not be read"));
                Err(errors.located(&sources, tree.as_ref()))
            }
        }
    }

    /// Its values.
    pub fn value(&self) -> serde_json::Value {
        self.tree.to_value()
    }

    /// The place of what a path such as `vary[2].from` names, or of the innermost value around it that there is:
    /// `study.json:12:5`.
    pub fn place(&self, path: &str) -> String {
        self.sources.say(self.tree.find(path))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::Plain;

    #[test]
    fn values_have_places_and_comments_do_not_count() {
        let text = "{\n  // Runs.\n  runs: 20,\n  vary: [\n    {\"from\": 1},\n  ],\n}";
        let plain = Plain::read("study.json", text).unwrap();
        let value = serde_json::json!({"runs": 20, "vary": [{"from": 1}]});
        assert_eq!(plain.value(), value);
        assert_eq!(plain.place("vary[0].from"), "study.json:5:14");
        assert_eq!(plain.place("vary[0].to"), "study.json:5:5");
        assert_eq!(plain.place(""), "study.json:1:1");
    }

    #[test]
    fn a_broken_text_is_told_with_its_place() {
        let said = Plain::read("study.json", "{\n \"a\": ,\n}").unwrap_err();
        assert!(said.to_string().starts_with("error: study.json:2:7:"));
    }
}

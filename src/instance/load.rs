//! Control plane: from the FMU's resources to a model, its variable table and its token.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fixstep_kernel::mechanism::Mechanism;
use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::{Model, resources, table};
use fixstep_variables::{VariableTable, instantiation_token};

/// Name of the model's file in the resources.
pub const MODEL_FILE: &str = "model.json";

/// What all instances of an FMU have in common.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Its variables.
    pub table: VariableTable,
    /// Token that the model description must carry.
    pub token: String,
}

impl Blueprint {
    /// Derives table and token from a model and its text.
    pub fn new(model: Model, text: &str) -> Self {
        let table = table::of(&model.mechanism);
        let token = instantiation_token(text, &model.files, &table);
        Self {
            mechanism: model.mechanism,
            table,
            token,
        }
    }

    /// Loads the first of the folders that holds a model. The refusal names every problem.
    pub fn load(folders: &[PathBuf]) -> Result<Self, String> {
        let mut missing = String::new();
        for folder in folders {
            let path = folder.join(MODEL_FILE);
            match text(&path) {
                Ok(text) => return Self::parse(&text, folder),
                Err(reason) => {
                    let _ = write!(missing, "\n  {}: {reason}", path.display());
                }
            }
        }
        Err(match folders {
            [] => format!(
                "no {MODEL_FILE}: the importer gave no resource location, and the library's own \
                 location is unknown"
            ),
            _ => format!("no {MODEL_FILE} in the FMU's resources; looked for{missing}"),
        })
    }

    fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        match Model::read(text, &resources::folder(folder)) {
            Ok(model) => Ok(Self::new(model, text)),
            Err(errors) => Err(format!(
                "{} is not a valid model:\n{errors}",
                folder.join(MODEL_FILE).display()
            )),
        }
    }

    /// Compares the importer's token; the refusal shows both.
    pub fn check_token(&self, token: &str) -> Result<(), String> {
        if token == self.token {
            return Ok(());
        }
        Err(format!(
            "the model description carries the token \"{token}\", but the model in the resources \
             has \"{}\": modelDescription.xml, the files in resources and the shared library do not \
             belong together; build the FMU again",
            self.token
        ))
    }
}

/// The text of a model's file, or why there is none.
fn text(path: &Path) -> Result<String, String> {
    let bytes = resources::read_file(path, MODEL_BYTES).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| format!("is not UTF-8: {}", error.utf8_error()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::instance::testing;

    #[test]
    fn every_folder_that_was_tried_is_named() {
        let message = Blueprint::load(&["/nowhere/a".into(), "/nowhere/b".into()]).unwrap_err();
        assert!(message.contains("/nowhere/a/model.json"), "{message}");
        assert!(message.contains("/nowhere/b/model.json"), "{message}");
        assert!(
            Blueprint::load(&[])
                .unwrap_err()
                .contains("no resource location")
        );
    }

    #[test]
    fn a_foreign_token_is_shown_with_the_own_one() {
        let blueprint = testing::blueprint();
        let own = blueprint.token.clone();
        assert_eq!(blueprint.check_token(&own), Ok(()));
        let message = blueprint.check_token("{foreign}").unwrap_err();
        assert!(message.contains("\"{foreign}\"") && message.contains(&own));
    }
}

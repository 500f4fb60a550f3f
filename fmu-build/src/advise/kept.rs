//! Control plane: results so far, in a file that a later call continues.

use serde::{Deserialize, Serialize};

use super::reference::Reference;
use super::search::Row;
use crate::slave::Failure;

/// The version of the file.
const FORMAT: u32 = 1;

/// Results so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The version of the file.
    fixstep_advise: u32,
    /// The run that the results are of.
    run: String,
    /// The reference.
    pub(super) reference: Option<Reference>,
    /// Settings that were tried.
    pub(super) rows: Vec<Row>,
}

impl Kept {
    /// Reads a file.
    pub fn read(text: &str) -> Result<Self, Failure> {
        let kept: Self = serde_json::from_str(text).map_err(|error| {
            Failure(format!(
                "holds no results of fixstep advise ({error}); valid: a file that --resume has written, or one that does \
                 not exist yet"
            ))
        })?;
        if kept.fixstep_advise == FORMAT {
            return Ok(kept);
        }
        Err(Failure(format!(
            "has version {}; valid: {FORMAT}, as this program writes; delete it to begin anew",
            kept.fixstep_advise
        )))
    }

    /// The file.
    pub fn to_text(&self) -> Result<String, Failure> {
        serde_json::to_string(self).map_err(|error| Failure(format!("JSON: {error}")))
    }

    /// Number of settings with a result.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is there no result?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Takes a run for its own, if it has none yet.
    pub(super) fn check(&mut self, run: &str) -> Result<(), Failure> {
        if self.run.is_empty() {
            (self.fixstep_advise, self.run) = (FORMAT, run.to_owned());
            return Ok(());
        }
        if self.run == run {
            return Ok(());
        }
        Err(Failure(
            "--resume: the results are of another run: the model, its files, times, inputs or settings have changed, or \
             the program has; delete the file to begin anew, or name another one"
                .to_owned(),
        ))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn results_are_those_of_one_run() {
        let mut kept = Kept::default();
        kept.check("a").unwrap();
        let mut again = Kept::read(&kept.to_text().unwrap()).unwrap();
        assert_eq!(again, kept);
        again.check("a").unwrap();
        assert!(again.check("b").unwrap_err().0.contains("of another run"));
        let said = |text: &str| Kept::read(text).unwrap_err().0;
        assert!(said("{}").contains("holds no results"));
        let other = r#"{"fixstep_advise":7,"run":"a","reference":null,"rows":[]}"#;
        assert!(said(other).starts_with("has version 7; valid: 1"));
    }
}

//! Control plane: records texts, and bytes as hexadecimal digits, in a run.

use model_description::parse::{Causality, Description, Type};

use crate::csv::TextColumn;
use crate::slave::{Failure, Slave, find, of_causality, size};

/// Variables whose values are no numbers.
pub(super) struct Texts {
    variables: Vec<usize>,
}

impl Texts {
    /// Outputs that are texts. Bytes may be many: they are written on request alone.
    pub(super) fn of_outputs(description: &Description) -> Self {
        let kind = |at: &usize| description.variables[*at].kind;
        let outputs = of_causality(description, Causality::Output);
        Self {
            variables: outputs.filter(|at| kind(at) == Type::String).collect(),
        }
    }

    /// Takes a variable that is requested by its name, if it is a text or bytes.
    pub(super) fn take(&mut self, description: &Description, name: &str) -> bool {
        let Ok(at) = find(description, name) else {
            return false;
        };
        let kind = description.variables[at].kind;
        let here = matches!(kind, Type::String | Type::Binary);
        if here && !self.variables.contains(&at) {
            self.variables.push(at);
        }
        here
    }

    /// Outputs that the table does without: name and type.
    pub(super) fn left_out(&self, description: &Description) -> Vec<(String, Type)> {
        let outputs = of_causality(description, Causality::Output);
        outputs
            .filter(|at| !self.variables.contains(at))
            .map(|at| &description.variables[at])
            .filter(|variable| matches!(variable.kind, Type::Binary | Type::Clock))
            .map(|variable| (variable.name.clone(), variable.kind))
            .collect()
    }

    /// Empty columns, one for each element.
    pub(super) fn columns(&self, description: &Description) -> Vec<TextColumn> {
        let variables = self.variables.iter().map(|at| &description.variables[*at]);
        let names = variables.flat_map(|variable| match variable.dimensions[..] {
            [] => vec![variable.name.clone()],
            _ => (1..=size(description, variable))
                .map(|at| format!("{}[{at}]", variable.name))
                .collect(),
        });
        names
            .map(|name| TextColumn {
                name,
                rows: Vec::new(),
            })
            .collect()
    }

    /// Reads the values of now into the columns.
    pub(super) fn read(
        &self,
        slave: &mut dyn Slave,
        columns: &mut [TextColumn],
    ) -> Result<(), Failure> {
        let mut row = Vec::new();
        for variable in &self.variables {
            slave.read_text(*variable, &mut row)?;
        }
        for (column, text) in columns.iter_mut().zip(row) {
            column.rows.push(text);
        }
        Ok(())
    }
}

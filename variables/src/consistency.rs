//! Control plane: checks that an importer can convert the units of a table.

use super::units::{compatible, parse_unit};
use super::{Causality, Variable, VariableTable};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl VariableTable {
    /// Checks units and display units: one message per faulty variable; if there is none, all can be converted.
    pub fn unit_problems(&self) -> Vec<String> {
        self.variables.iter().filter_map(problem).collect()
    }
}

fn problem(variable: &Variable) -> Option<String> {
    let (unit, display) = (variable.unit(), variable.display_unit());
    if unit.is_empty() && display.is_empty() {
        return None;
    }
    let kind = match variable.causality {
        Causality::Independent => "time",
        Causality::Parameter => "parameter",
        Causality::Input => "input",
        Causality::Output => "output",
        Causality::Local => "local variable",
    };
    let label = format!("{kind} \"{}\"", variable.name);
    let definition = match parse_unit(unit) {
        Ok(definition) => definition,
        Err(_) if unit.is_empty() => {
            return Some(format!(
                "{label}: display_unit \"{display}\" needs a unit that it displays"
            ));
        }
        Err(error) => return Some(format!("{label}: {error}")),
    };
    if display.is_empty() {
        return None;
    }
    match parse_unit(display) {
        Err(error) => Some(format!("{label}: display_unit: {error}")),
        Ok(shown) if !compatible(&definition, &shown) => Some(format!(
            "{label}: display_unit \"{display}\" measures something else than unit \"{unit}\""
        )),
        Ok(_) => None,
    }
}

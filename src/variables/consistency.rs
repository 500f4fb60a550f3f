//! Control plane: are the units of a table such that an importer can convert them?

use super::units::{compatible, parse_unit};
use super::{Causality, Variable, VariableTable};

impl VariableTable {
    /// What is wrong with units and display units, one message per variable; none: all can be
    /// converted.
    pub fn unit_problems(&self) -> Vec<String> {
        self.variables.iter().filter_map(problem).collect()
    }
}

fn problem(variable: &Variable) -> Option<String> {
    let (unit, display) = (variable.unit(), variable.display_unit());
    if unit.is_empty() && display.is_empty() {
        return None;
    }
    let who = match variable.causality {
        Causality::Independent => "time",
        Causality::Parameter => "parameter",
        Causality::Input => "input",
        Causality::Output => "output",
        Causality::Local => "local variable",
    };
    let who = format!("{who} \"{}\"", variable.name);
    let definition = match parse_unit(unit) {
        Ok(definition) => definition,
        Err(_) if unit.is_empty() => {
            return Some(format!(
                "{who}: display_unit \"{display}\" needs a unit that it displays"
            ));
        }
        Err(error) => return Some(format!("{who}: {error}")),
    };
    if display.is_empty() {
        return None;
    }
    match parse_unit(display) {
        Err(error) => Some(format!("{who}: display_unit: {error}")),
        Ok(shown) if !compatible(&definition, &shown) => Some(format!(
            "{who}: display_unit \"{display}\" measures something else than unit \"{unit}\""
        )),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Input;
    use crate::variables::test_model::{empty_model, quantity};

    #[test]
    fn units_that_cannot_be_converted_are_named() {
        let mut model = empty_model();
        for (name, unit, display) in [
            ("good", "rad", "deg"),
            ("plain", "N.m", ""),
            ("unknown", "furlong", ""),
            ("shown", "mm", "furlong"),
            ("other", "N", "N.m"),
            ("bare", "", "deg"),
        ] {
            let mut quantity = quantity(name, unit, 0.0);
            display.clone_into(&mut quantity.display_unit);
            model.inputs.push(Input { quantity });
        }
        let problems = VariableTable::of(&model).unit_problems();
        let expected = [
            "input \"unknown\": unit \"furlong\"",
            "input \"shown\": display_unit: unit \"furlong\"",
            "input \"other\": display_unit \"N.m\" measures something else than unit \"N\"",
            "input \"bare\": display_unit \"deg\" needs a unit",
        ];
        assert_eq!(problems.len(), expected.len(), "{problems:#?}");
        for (problem, expected) in problems.iter().zip(expected) {
            assert!(problem.starts_with(expected), "{problem}");
        }
    }
}

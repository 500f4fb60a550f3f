//! Control plane: parses values that users give, and describes their faults in the users' terms.

use model_description::parse::Variable;

use crate::csv::number;
use crate::slave::{Failure, Value};

/// The bounds of a variable from its description.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    least: Option<f64>,
    most: Option<f64>,
    unit: String,
}

impl Bounds {
    /// The bounds of a variable.
    pub(crate) fn of(variable: &Variable) -> Self {
        let read = |bound: &Option<String>| bound.as_ref()?.trim().parse().ok();
        Self {
            least: read(&variable.min),
            most: read(&variable.max),
            unit: variable.unit.clone(),
        }
    }

    /// How far a number may be beyond a bound by rounding and still count as the bound.
    fn slack(&self) -> f64 {
        let size = match (self.least, self.most) {
            (Some(least), Some(most)) => most - least,
            (Some(bound), None) | (None, Some(bound)) => bound.abs().max(1.0),
            (None, None) => 0.0,
        };
        1e-12 * size
    }

    /// Refuses numbers beyond them.
    pub(crate) fn check(&self, name: &str, values: &[Value]) -> Result<(), Failure> {
        for value in values {
            let value = match value {
                Value::Real(value) => *value,
                Value::Integer(value) => *value as f64,
                Value::Boolean(_) | Value::Text(_) => continue,
            };
            let slack = self.slack();
            let wrong = if self.least.is_some_and(|least| value < least - slack) {
                "less"
            } else if self.most.is_some_and(|most| value > most + slack) {
                "more"
            } else {
                continue;
            };
            return Err(Failure(format!(
                "{} is {wrong} than \"{name}\" takes; valid: {}",
                number(value),
                self.words()
            )));
        }
        Ok(())
    }

    /// `0 to 5000 N/m`.
    fn words(&self) -> String {
        let range = match (self.least.map(number), self.most.map(number)) {
            (Some(least), Some(most)) => format!("{least} to {most}"),
            (Some(least), None) => format!("{least} or more"),
            (None, Some(most)) => format!("{most} or less"),
            (None, None) => "any number".to_owned(),
        };
        if self.unit.is_empty() {
            range
        } else {
            format!("{range} [{}]", self.unit)
        }
    }
}

/// A slave's message about a variable, without the functions of the interface and the references that users do not
/// see.
pub(crate) fn in_words<'a>(reason: &'a str, name: &str) -> &'a str {
    let after = |mark: String| Some(&reason[reason.rfind(&mark)? + mark.len()..]);
    after(format!("\"{name}\": "))
        .or_else(|| after(format!(" {name}: ")))
        .unwrap_or(reason)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use model_description::parse::description;

    #[test]
    fn bounds_are_told_with_name_and_unit() {
        let xml = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
<ModelVariables>
<Float64 name="k" valueReference="1" unit="N/m" min="0" max="5000"/>
<Int32 name="n" valueReference="2" min="1"/>
<Float64 name="x" valueReference="3"/>
</ModelVariables><ModelStructure/></fmiModelDescription>"#;
        let description = description(xml).unwrap();
        let check = |at: usize, value| {
            let variable = &description.variables[at];
            let done = Bounds::of(variable).check(&variable.name, &[value]);
            done.map_err(|Failure(text)| text)
        };
        assert_eq!(
            check(0, Value::Real(9000.0)),
            Err("9000 is more than \"k\" takes; valid: 0 to 5000 [N/m]".to_owned())
        );
        assert_eq!(
            check(0, Value::Real(-0.5)),
            Err("-0.5 is less than \"k\" takes; valid: 0 to 5000 [N/m]".to_owned())
        );
        assert_eq!(check(0, Value::Real(5000.0)), Ok(()));
        assert_eq!(
            check(1, Value::Integer(0)),
            Err("0 is less than \"n\" takes; valid: 1 or more".to_owned())
        );
        assert_eq!(check(2, Value::Real(-1e9)), Ok(()));
    }

    #[test]
    fn references_and_functions_stay_within() {
        for (reason, expected) in [
            (
                "fmi2SetInteger: variable 7 \"n\": must be from 1 to 10; found 44",
                "must be from 1 to 10; found 44",
            ),
            (
                "variable \"n\": fmi3SetInt32 returned Error: fmi3SetInt32: variable 7 \"n\": must be less",
                "must be less",
            ),
            ("fmi2SetString: n: \"Q\" is no entry", "\"Q\" is no entry"),
            ("unknown variable \"n\"", "unknown variable \"n\""),
        ] {
            assert_eq!(in_words(reason, "n"), expected);
        }
    }
}

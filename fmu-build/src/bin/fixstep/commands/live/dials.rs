//! Control plane: what the user of a paced run may change while it goes: tunable parameters and inputs.

use std::str::FromStr as _;

use fmu_build::run::{is_tunable, set};
use fmu_build::slave::{Failure, Slave, is_numeric};
use model_description::parse::{Causality, Type};

/// Share of its value by which a key changes a number.
const NUDGE: f64 = 0.05;

/// A variable that may be changed.
pub(super) struct Dial {
    at: usize,
    pub(super) name: String,
    pub(super) unit: String,
    kind: Type,
    /// Value of now.
    pub(super) value: f64,
}

/// All of them; one is selected.
#[derive(Default)]
pub(super) struct Dials {
    pub(super) all: Vec<Dial>,
    pub(super) selected: usize,
    /// What is being typed, if something is.
    pub(super) entry: Option<String>,
}

impl Dials {
    /// Those of a slave, without the inputs that a table gives. The model's own come before settings of the solver.
    pub(super) fn of(slave: &dyn Slave, given: &[String]) -> Self {
        let description = slave.description();
        let free = |at: &usize| {
            let variable = &description.variables[*at];
            is_tunable(description, *at)
                && is_numeric(variable)
                && variable.dimensions.is_empty()
                && !given.contains(&variable.name)
        };
        let variables = (0..description.variables.len()).filter(free);
        let mut all: Vec<Dial> = variables
            .map(|at| {
                let variable = &description.variables[at];
                Dial {
                    at,
                    name: variable.name.clone(),
                    unit: variable.unit.clone(),
                    kind: variable.kind,
                    value: f64::NAN,
                }
            })
            .collect();
        all.sort_by_key(|dial| {
            let input = description.variables[dial.at].causality == Causality::Input;
            (dial.name.starts_with("solver."), input)
        });
        Self {
            all,
            ..Self::default()
        }
    }

    /// Reads the values of now.
    pub(super) fn read(&mut self, slave: &mut dyn Slave) -> Result<(), Failure> {
        let mut value = Vec::new();
        for dial in &mut self.all {
            value.clear();
            slave.read(dial.at, &mut value)?;
            dial.value = value.first().copied().unwrap_or(f64::NAN);
        }
        Ok(())
    }

    /// Selects the next one, or the one before.
    pub(super) fn go(&mut self, down: bool) {
        let last = self.all.len().saturating_sub(1);
        self.selected = if down {
            (self.selected + 1).min(last)
        } else {
            self.selected.saturating_sub(1)
        };
    }

    /// The value that a key makes of the selected one, as a user would write it.
    pub(super) fn nudged(&self, up: bool) -> Option<String> {
        let dial = self.all.get(self.selected)?;
        let sign = if up { 1.0 } else { -1.0 };
        Some(match dial.kind {
            Type::Boolean => up.to_string(),
            Type::Float32 | Type::Float64 if dial.value == 0.0 => (sign * NUDGE).to_string(),
            Type::Float32 | Type::Float64 => {
                let value = dial.value + sign * NUDGE * dial.value.abs();
                // Digits that the eye follows.
                f64::from_str(&format!("{value:.3e}")).ok()?.to_string()
            }
            _ => (dial.value + sign).to_string(),
        })
    }

    /// Gives the selected one a value; returns what was done, as a user writes it.
    pub(super) fn give(
        &mut self,
        slave: &mut dyn Slave,
        text: &str,
    ) -> Result<Option<String>, Failure> {
        let Some(dial) = self.all.get(self.selected) else {
            return Ok(None);
        };
        set(slave, &dial.name, text)?;
        let done = format!("{}={text}", dial.name);
        self.read(slave)?;
        Ok(Some(done))
    }
}

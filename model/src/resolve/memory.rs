//! Control plane: the functions that read elements with a memory.

use super::{Leaf, ModelResolver};
use crate::expr::{Argument, ResolveError};
use fixstep_kernel::mechanism::Held;

/// Functions that read values held between steps.
pub(super) const NAMES: &[&str] = &["SAMVAL", "SAMSTA", "SAMINP", "SENVAL"];

impl ModelResolver<'_> {
    /// SENVAL(name), SAMVAL(name, i), SAMSTA(name, i), SAMINP(name, i).
    pub(super) fn held(
        &self,
        function: &str,
        arguments: &[Argument],
    ) -> Result<Leaf, ResolveError> {
        if function == "SENVAL" {
            let [Argument::Name(name)] = arguments else {
                return Err(ResolveError::new(
                    "SENVAL takes the name of one sensor: SENVAL(name)",
                ));
            };
            let sensor = self.names.sensors.find(name);
            let sensor = sensor.map_err(|message| ResolveError::at(0, message))?;
            return Ok(Leaf::Held(Held::Sensor(sensor)));
        }
        let [Argument::Name(name), Argument::Number(number)] = arguments else {
            return Err(ResolveError::new(format!(
                "{function} takes the name of a sampled system and a number from 1: \
                 {function}(name, i)"
            )));
        };
        let system = self.names.sampled.find(name);
        let system = system.map_err(|message| ResolveError::at(0, message))?;
        let sizes = self.sampled.get(system.index()).copied().flatten();
        let sizes = sizes.unwrap_or_default();
        let (count, what) = match function {
            "SAMSTA" => (sizes.states, "states"),
            "SAMINP" => (sizes.inputs, "inputs"),
            _ => (sizes.outputs, "outputs"),
        };
        if number.fract() != 0.0 || *number < 1.0 || *number > count as f64 {
            let message = format!("{name:?} has {count} {what}, counted from 1");
            return Err(ResolveError::at(1, message));
        }
        let place = *number as u32 - 1;
        Ok(Leaf::Held(match function {
            "SAMSTA" => Held::State(system, place),
            "SAMINP" => Held::Input(system, place),
            _ => Held::Output(system, place),
        }))
    }
}

//! Control plane: what goes along with a run, and the start from a saved state.

use std::time::Duration;

use model_description::parse::{Causality, Description, Variability};

use super::{Outcome, Plan, set};
use crate::slave::{Failure, Slave, find_element, of_causality};
use crate::values::in_words;

/// Goes along with a run: looks on, may hold it up, change values between steps, or end it.
pub trait Companion {
    /// Before the step from communication point `n`; `false` ends the run there.
    fn before(&mut self, slave: &mut dyn Slave, n: u64, so_far: &Outcome) -> Result<bool, Failure> {
        let _ = (slave, n, so_far);
        Ok(true)
    }
    /// At the start, and after each communication step, which took this wall time; `share` is what is done of the run, from
    /// 0 to 1.
    fn after(&mut self, slave: &dyn Slave, share: f64, took: Duration);
}

/// Only looks on.
pub(super) struct Onlooker<'a>(pub(super) &'a mut dyn FnMut(&dyn Slave, f64));

impl Companion for Onlooker<'_> {
    fn after(&mut self, slave: &dyn Slave, share: f64, _: Duration) {
        (self.0)(slave, share);
    }
}

impl Plan {
    /// Begins at a saved state: the start time is that of the state. The slave has the state afterwards.
    pub fn go_on(&mut self, slave: &mut dyn Slave, state: Vec<u8>) -> Result<(), Failure> {
        slave.restore(&state)?;
        let time = of_causality(slave.description(), Causality::Independent).next();
        let time = time.ok_or_else(|| {
            Failure(String::from(
                "the FMU has no variable for the time, so that the time of the state is not known",
            ))
        })?;
        let mut value = Vec::new();
        slave.read(time, &mut value)?;
        self.start = value.first().copied();
        self.state = Some(state);
        Ok(())
    }
}

/// May the variable change between steps?
pub fn is_tunable(description: &Description, variable: usize) -> bool {
    let variable = &description.variables[variable];
    match variable.causality {
        Causality::Input => true,
        Causality::Parameter => variable.variability == Variability::Tunable,
        _ => false,
    }
}

/// From instantiated to step mode at a saved state. It brings the values of parameters along; settings are those of now.
pub(super) fn resume(
    slave: &mut dyn Slave,
    state: &[u8],
    settings: &[(String, String)],
) -> Result<(), Failure> {
    slave.restore(state)?;
    for (name, text) in settings {
        let at = find_element(slave.description(), name)?;
        if !is_tunable(slave.description(), at.0) {
            return Err(Failure(format!(
                "--set {name}={text}: the run goes on from a state, which holds this value; valid: inputs and tunable \
                 parameters"
            )));
        }
        set(slave, name, text).map_err(|Failure(reason)| {
            let reason = in_words(&reason, name);
            Failure(format!("--set {name}={text}: {reason}"))
        })?;
    }
    Ok(())
}

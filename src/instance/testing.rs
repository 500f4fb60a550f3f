//! Helpers for the tests of this folder: a small model, a log sink that records messages.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Instance;
use super::log::{Log, LogSink};
use super::status::Status;
use fixstep_model::Model;
use fixstep_variables::file::Blueprint;

/// A pendulum with an input, a fixed and a tunable parameter, two outputs and a
/// differential equation.
pub(crate) const PENDULUM: &str = r#"{
  "fixstep": 1,
  "name": "pendulum",
  "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
  "gravity": [0, -9.81, 0],
  "inputs": [{"name": "torque", "start": 0, "unit": "N.m", "min": -100, "max": 100}],
  "parameters": [
    {"name": "mass", "start": 2.0, "unit": "kg", "min": 0.1},
    {"name": "friction", "start": 0.0, "unit": "N.m.s/rad", "min": 0, "max": 10, "tunable": true}
  ],
  "parts": [{"name": "rod", "mass": "=mass", "center_of_mass": [0.5, 0, 0],
             "inertia": {"xx": 0.01, "yy": 0.2, "zz": 0.2}}],
  "markers": [{"name": "pin", "part": "rod", "position": [0, 0, 0]},
              {"name": "base", "part": "ground", "position": [0, 0, 0]}],
  "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "base"}],
  "forces": [{"name": "drive", "type": "torque", "i": "pin", "j": "base",
              "expression": "torque - friction*WZ(pin, base)"}],
  "differential_equations": [{"name": "lag", "derivative": "(WZ(pin, base) - DIF(lag))/0.1",
                              "initial": "=mass/4", "unit": "rad/s"}],
  "outputs": [{"name": "angle", "expression": "AZ(pin, base)", "unit": "rad"},
              {"name": "speed", "expression": "WZ(pin, base)", "unit": "rad/s"}],
  "solver": {"integrator": "GSTIFF", "formulation": "I3", "fixit": 3},
  "experiment": {"start": 0, "stop": 10, "step": 0.01}
}"#;

/// Messages as `Status category text`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<String>>>);

impl Lines {
    /// The lines so far.
    pub(crate) fn borrow(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Memory(Lines);

impl LogSink for Memory {
    fn write(&self, status: Status, category: &str, text: &str) {
        let line = format!("{status:?} {category} {text}");
        self.0.borrow().push(line);
    }
}

/// A sink and what it remembers.
pub(crate) fn memory() -> (Box<dyn LogSink>, Lines) {
    let lines = Lines::default();
    (Box::new(Memory(lines.clone())), lines)
}

/// The pendulum's blueprint.
pub(crate) fn blueprint() -> Blueprint {
    match Model::from_json(PENDULUM) {
        Ok(model) => match model
            .packed()
            .and_then(|packed| Blueprint::read(&packed.bytes))
        {
            Ok(blueprint) => blueprint,
            Err(fault) => unreachable!("{fault}"),
        },
        Err(errors) => unreachable!("{errors}"),
    }
}

/// An instance of the pendulum, logging everything.
pub(crate) fn instance() -> (Box<Instance>, Lines) {
    let (sink, lines) = memory();
    let blueprint = blueprint();
    let token = blueprint.token.clone();
    match Instance::of(blueprint, "test", &token, Log::new(sink, true)) {
        Some(instance) => (instance, lines),
        None => unreachable!("{:?}", lines.borrow()),
    }
}

/// Value reference of a variable.
pub(crate) fn reference(instance: &Instance, name: &str) -> u32 {
    let variables = &instance.accesses.table().variables;
    match variables.iter().position(|variable| variable.name == name) {
        Some(at) => at as u32,
        None => unreachable!("no variable {name}"),
    }
}

//! Runs models and reads reference tables.

use fixstep_kernel::ids::OutputId;
use fixstep_kernel::integrator::alpha::Parameters;
use fixstep_kernel::simulation::{Method, Simulation};
use fixstep_model::Model;
use fixstep_variables::file::Blueprint;
use std::path::PathBuf;

/// A file below `tests/truth`.
pub(crate) fn truth(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/truth")
        .join(path)
}

/// A JSON file below `tests/truth`.
pub(crate) fn json(path: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(truth(path)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Builds a model of `tests/truth`.
pub(crate) fn load(path: &str) -> Simulation {
    build(&std::fs::read_to_string(truth(path)).unwrap())
}

/// Builds an example of `models`.
pub(crate) fn example(name: &str) -> Simulation {
    let path = truth("../../models").join(name).join("model.json");
    let model = Model::from_file(&path).map_err(|e| e.to_string()).unwrap();
    simulation(&model).unwrap()
}

/// Builds a model from text; a model with problems fails the test with all of them.
pub(crate) fn build(text: &str) -> Simulation {
    match try_build(text) {
        Ok(simulation) => simulation,
        Err(problem) => unreachable!("{problem}"),
    }
}

/// Builds a model from text, or says why not.
pub(crate) fn try_build(text: &str) -> Result<Simulation, String> {
    let model = Model::from_json(text).map_err(|e| e.to_string())?;
    simulation(&model)
}

/// What an FMU of a model simulates: the mechanism as its file gives it back.
pub(crate) fn simulation(model: &Model) -> Result<Simulation, String> {
    let packed = model.packed().map_err(|fault| fault.to_string())?;
    let blueprint = Blueprint::read(&packed.bytes).map_err(|fault| fault.to_string())?;
    Simulation::new(blueprint.mechanism).map_err(|e| e.to_string())
}

/// The output of a name.
pub(crate) fn output(simulation: &Simulation, name: &str) -> f64 {
    let outputs = &simulation.mechanism().outputs;
    let k = outputs.iter().position(|o| o.quantity.name == name);
    simulation.output(OutputId::from(
        k.unwrap_or_else(|| unreachable!("no output {name}")),
    ))
}

/// Restarts at time 0 with a step.
pub(crate) fn start(simulation: &mut Simulation, h: f64) {
    simulation.set_step(h);
    simulation.initialize(0.0).unwrap();
    simulation.set_step(h);
}

/// Steps until a time.
pub(crate) fn advance(simulation: &mut Simulation, until: f64) {
    while simulation.time() < until - 1e-9 {
        simulation.step().unwrap();
    }
}

/// A step of the first size; of the second where the output `z` is above a height, in free flight, in which nothing
/// happens that takes short steps.
pub(crate) fn step_or_fly(simulation: &mut Simulation, above: f64, [h, flying]: [f64; 2]) {
    let flies = output(simulation, "z") > above;
    simulation.set_step(if flies { flying } else { h });
    simulation.step().unwrap();
}

/// A table of numbers with named columns.
pub(crate) struct Table {
    /// Names.
    pub(crate) names: Vec<String>,
    /// Rows.
    pub(crate) rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads a CSV file below `tests/truth`.
    pub(crate) fn read(path: &str) -> Self {
        let text = std::fs::read_to_string(truth(path)).unwrap();
        let mut lines = text.lines();
        let names = lines
            .next()
            .unwrap()
            .split(',')
            .map(str::to_owned)
            .collect();
        let row = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect();
        Self {
            names,
            rows: lines.map(row).collect(),
        }
    }

    /// Position of a column.
    pub(crate) fn column(&self, name: &str) -> usize {
        let k = self.names.iter().position(|n| n == name);
        k.unwrap_or_else(|| unreachable!("no column {name}"))
    }
}

/// Methods with a variable step: backward differentiation with the coefficients of the real steps, in both formulations,
/// with those of a constant step, and HHT.
pub(crate) fn methods() -> [Method; 4] {
    let multistep = |constant, stabilised| Method::Multistep {
        constant,
        stabilised,
    };
    [
        Method::WSTIFF,
        multistep(false, true),
        multistep(true, false),
        Method::Alpha(Parameters::hht(-0.3)),
    ]
}

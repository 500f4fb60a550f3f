//! Compares linear forms with published and analytic ones.

#![expect(clippy::unwrap_used, reason = "tests")]

mod delays;
mod densities;
mod eigen;
mod export;
mod follow;
mod forms;
mod known;
mod large;
mod modes;
mod participation;
mod proofs;
mod responses;
mod rolling;
mod row;
mod runs;
mod states;
mod steady;
mod steps;
mod still;

use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use linear_analysis::{LinearForm, Options, form};
use serde_json::Value;

/// A started model.
fn simulation(model: &Value) -> Simulation {
    let text = model.to_string();
    let read = Model::read(&text, &fixstep_model::resources::none);
    let model = read.map_err(|e| e.to_string()).unwrap();
    Simulation::new(model.mechanism).unwrap()
}

/// The linear form at the start.
fn started(model: &Value, options: &Options) -> LinearForm {
    let simulation = simulation(model);
    let linearization = simulation.linearization().unwrap();
    form::linear_form(simulation.mechanism(), &linearization, options).unwrap()
}

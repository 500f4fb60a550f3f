//! Runs an FMU of FMI 2.0 through the crate fmi-rs.

use std::path::Path;
use std::sync::Arc;

use fmi_rs::model_description::fmi2::{Causality, ModelDescription, VariableType};
use fmi_rs::sim::fmi2::recorder::Recorder;
use fmi_rs::sim::fmi2::{SimulationSettings, Trajectories, VariableValue, cs};

use crate::{Failure, Trajectory, experiment, with_log};

/// Reads and validates the description, then runs the default experiment.
#[expect(
    clippy::arc_with_non_send_sync,
    reason = "the interface of fmi-rs asks for it"
)]
pub fn simulate(folder: &Path) -> Result<Trajectory, Failure> {
    let description = ModelDescription::from_path(&folder.join("modelDescription.xml"))?;
    let problems = description.validate();
    if let Some(first) = problems.first() {
        return Err(format!("{} problems, first: {}", problems.len(), first.message).into());
    }
    let description = Arc::new(description);
    let times = experiment(description.defaultExperiment.as_ref())?;
    let (indices, names): (Vec<usize>, Vec<String>) = description
        .modelVariables
        .iter()
        .enumerate()
        .filter(|(_, variable)| {
            matches!(variable.causality, Causality::Output)
                && matches!(variable.variableType, VariableType::Real { .. })
        })
        .map(|(index, variable)| (index, variable.name.clone()))
        .unzip();
    let settings = SimulationSettings {
        unzipdir: folder.to_path_buf(),
        model_description: description.clone(),
        start_time: times.start,
        stop_time: times.stop,
        logging_on: true,
        set_stop_time: true,
        output_interval: times.step,
        log_time_scale: false,
        tolerance: 1e-9,
        set_tolerance: false,
        start_values: Vec::new(),
        log_fmi_calls: false,
        input_file: None,
        early_return_allowed: false,
        event_mode_used: false,
        log_file: Some(folder.join("log.txt")),
        initial_fmu_state_file: None,
        final_fmu_state_file: Some(folder.join("state.bin")),
    };
    let recorder = Arc::new(Recorder::new(Trajectories::new(description, indices)));
    let outcome = cs::simulate(&settings, None, recorder.clone());
    outcome.map_err(|error| with_log(&error, folder))?;
    let record = recorder.trajectories.borrow();
    let rows = record
        .rows
        .iter()
        .map(|row| row.iter().map(real).collect())
        .collect();
    Ok(Trajectory {
        times: record.time.clone(),
        names,
        rows,
    })
}

/// The number of a recorded value.
fn real(value: &VariableValue) -> f64 {
    value.to_f64().unwrap_or(f64::NAN)
}

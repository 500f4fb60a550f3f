//! The contents of a description besides its variables.

use fixstep_kernel::mechanism::{Mechanism, Mode};
use fixstep_variables::model_identifier;

/// Name of the exporter with its version.
pub const TOOL: &str = concat!("Fixstep ", env!("CARGO_PKG_VERSION"));

/// The contents of a description besides its variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Name of the model.
    pub name: String,
    /// C identifier of the model; the binary's file name without extension.
    pub model_identifier: String,
    /// Instantiation token (FMI 2: guid).
    pub token: String,
    /// The description, as free text; empty: none.
    pub description: String,
    /// Name of the exporter with its version.
    pub tool: String,
    /// Version of the model; empty: none.
    pub version: String,
    /// Author of the model; empty: none.
    pub author: String,
    /// Copyright of the model; empty: none.
    pub copyright: String,
    /// Licence of the model; empty: none.
    pub license: String,
    /// Date and time of the export such as `2026-01-31T12:00:00Z`; with `None`, the same model always gives the same
    /// text.
    pub generation_date: Option<String>,
    /// Default experiment.
    pub experiment: DefaultExperiment,
    /// The capabilities of the FMU.
    pub capabilities: Capabilities,
}

/// Default experiment \[s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DefaultExperiment {
    /// Start time \[s\].
    pub start: f64,
    /// Stop time \[s\].
    pub stop: f64,
    /// Preferred communication step \[s\].
    pub step: f64,
    /// Integration step \[s\]: DTOUT/HRATIO; none if it is variable.
    pub internal_step: Option<f64>,
}

/// The capabilities of the FMU. The default is those of this version.
///
/// `mightReturnEarlyFromDoStep` is not included: it announces that a step may end early without a request of the
/// importer, which no step does. A run that MAXERR stops ends instead (`terminateSimulation = true`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Communication steps may differ in size.
    pub variable_step: bool,
    /// States can be saved and restored.
    pub state: bool,
    /// Saved states can be turned into bytes and back.
    pub serialize: bool,
    /// Directional derivatives are there.
    pub directional_derivatives: bool,
    /// At most one instance per process.
    pub only_once_per_process: bool,
    /// Highest order of output derivatives.
    pub output_derivative_order: u32,
    /// FMI 2: inputs may be given with derivatives.
    pub interpolate_inputs: bool,
    /// FMI 3: the importer's callback is called between integration steps, reads outputs, sets inputs and
    /// may ask for an early return.
    pub intermediate_update: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            variable_step: true,
            state: true,
            serialize: true,
            directional_derivatives: true,
            only_once_per_process: false,
            output_derivative_order: 1,
            interpolate_inputs: true,
            intermediate_update: true,
        }
    }
}

/// A description that says for what a mode other than a fixed step is not.
fn with_mode(description: &str, mode: &str) -> String {
    let note = &format!("{mode} (solver.mode): for a desk, not for real time.");
    match description.trim_end() {
        "" => note.clone(),
        text if text.ends_with(['.', '!', '?']) => format!("{text} {note}"),
        text => format!("{text}. {note}"),
    }
}

impl Header {
    /// The header of a model under its instantiation token.
    pub fn of(mechanism: &Mechanism, token: &str) -> Self {
        Self {
            name: mechanism.name.clone(),
            model_identifier: model_identifier(&mechanism.name),
            token: token.to_owned(),
            description: match mechanism.solver.mode {
                Mode::Fixed => mechanism.description.clone(),
                Mode::Variable => with_mode(&mechanism.description, "Variable step"),
                Mode::Kinematic => with_mode(&mechanism.description, "Kinematic run"),
                Mode::Static => with_mode(&mechanism.description, "Quasi-static run"),
            },
            tool: TOOL.to_owned(),
            version: String::new(),
            author: String::new(),
            copyright: String::new(),
            license: String::new(),
            generation_date: None,
            experiment: DefaultExperiment {
                start: mechanism.experiment.start,
                stop: mechanism.experiment.stop,
                step: mechanism.experiment.step,
                internal_step: (mechanism.solver.mode == Mode::Fixed).then(|| mechanism.own_step()),
            },
            capabilities: Capabilities {
                directional_derivatives: mechanism.solver.mode == Mode::Fixed,
                ..Capabilities::default()
            },
        }
    }
}

//! Control plane: the options of an operating point.

use std::path::PathBuf;

use clap::Args;

use super::{StartValues, finite, positive};

/// The state at which a mechanism is linearised.
#[derive(Debug, Args)]
pub(crate) struct Point {
    /// A model (.json), or an FMU made by Fixstep (.fmu)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// First run up to this time [s; default: use the start]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) at: Option<f64>,
    /// Begin in static equilibrium, even if the model does not ask for it
    #[arg(long = "static")]
    pub(crate) balanced: bool,
    /// Use this saved state, from `fixstep run --save-state` or fmi3SerializeFMUState
    #[arg(long, value_name = "STATE", conflicts_with_all = ["at", "balanced", "start_time", "step", "set", "input"])]
    pub(crate) state: Option<PathBuf>,
    /// Start time [s; default: the file's]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) start_time: Option<f64>,
    /// Communication step of the run to --at [s; default: the file's]
    #[arg(long, value_name = "H", requires = "at", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) step: Option<f64>,
    #[command(flatten)]
    pub(crate) start: StartValues,
}

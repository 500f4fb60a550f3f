//! Control plane: the options of a trial.

use std::path::PathBuf;

use clap::Args;

use super::{assignment, positive};

/// Options of a trial of the step.
#[derive(Debug, Args)]
pub(crate) struct TrialOptions {
    /// Also run the model at its step, at half and at a quarter of it, and report how accurate the step is; over this many
    /// simulated seconds [default: all of the experiment, or as many twentieths as about 2 s of work allow]
    #[expect(clippy::option_option, reason = "an option that may have a value")]
    #[arg(long, value_name = "T", num_args = 0..=1, require_equals = true, value_parser = positive)]
    pub(crate) trial: Option<Option<f64>>,
    /// Set a parameter or input before the trial
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment, requires = "trial")]
    pub(crate) set: Vec<(String, String)>,
    /// Table of inputs over time, for the trial
    #[arg(long, value_name = "IN.csv", requires = "trial")]
    pub(crate) input: Option<PathBuf>,
}

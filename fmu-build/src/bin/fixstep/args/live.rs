//! Control plane: the options of a run that is watched while it goes.

use clap::Args;

use super::positive;

/// A paced run in the terminal.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Live")]
pub(crate) struct LiveOptions {
    /// Run at the speed of the clock, and show the run in the terminal: Real Time Index, outputs, parameters to change
    #[arg(long, conflicts_with_all = ["json", "compare"])]
    pub(crate) live: bool,
    /// How many simulated seconds a second of the clock has
    #[arg(
        long,
        value_name = "X",
        default_value = "1",
        requires = "live",
        allow_negative_numbers = true,
        value_parser = positive
    )]
    pub(crate) speed: f64,
    /// Show these columns of the table, in this order [default: the first ones]
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        requires = "live"
    )]
    pub(crate) watch: Vec<String>,
}

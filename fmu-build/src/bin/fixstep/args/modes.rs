//! Control plane: the options of `fixstep modes`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linear_analysis::eigen::Balancing;

use super::{Kept, Point};

/// Find frequencies, damping, shapes and energies of the modes of a mechanism at one of its states
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep modes model.json
  fixstep modes model.json --report modes.html
  fixstep modes model.json --static --energy 1:3 --shapes 1:3
  fixstep modes model.fmu --at 2.5 --set speed=30 --participation ALL --json

LIST names modes by their numbers: 1, 2, 3:5, ALL, NONE, -4 (without mode 4); what comes later wins.
docs/linear-modes.md says what is computed and how to read it.")]
pub(crate) struct Modes {
    #[command(flatten)]
    pub(crate) point: Point,
    #[command(flatten)]
    pub(crate) kept: Kept,
    /// Balance the matrix before its roots are found
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) balancing: BalancingOf,
    /// Show how parts move in these modes
    #[arg(
        long,
        value_name = "LIST",
        default_value = "NONE",
        allow_hyphen_values = true
    )]
    pub(crate) shapes: String,
    /// Show shares of kinetic energy, strain energy and dissipation in these modes
    #[arg(
        long,
        value_name = "LIST",
        default_value = "NONE",
        allow_hyphen_values = true
    )]
    pub(crate) energy: String,
    /// Show how much inputs stir these modes, and outputs show of them
    #[arg(
        long,
        value_name = "LIST",
        default_value = "NONE",
        allow_hyphen_values = true
    )]
    pub(crate) participation: String,
    /// Write a page with moving shapes, roots, energies and participation; - is standard output
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,
    /// Print the modes as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// When a matrix is balanced.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BalancingOf {
    Auto,
    On,
    Off,
}

impl BalancingOf {
    /// As the analysis has it.
    pub(crate) fn balancing(self) -> Balancing {
        match self {
            Self::Auto => Balancing::Auto,
            Self::On => Balancing::On,
            Self::Off => Balancing::Off,
        }
    }
}

//! Control plane: the options of `fixstep linearize`.

use clap::Args;

use super::Point;

/// Linearise a mechanism at one of its states: A, B, C, D
#[derive(Debug, Args)]
pub(crate) struct Linearize {
    #[command(flatten)]
    pub(crate) point: Point,
    /// Print the linear form as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

//! Control plane: the options of `fixstep view`.

use std::path::PathBuf;

use clap::Args;

use super::endings;

/// Show a model while it is written: assembled, with what can move, its markers and what the check finds
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep view models/bicycle/model.json
  fixstep view model.json --once -o view.html

Serves a page to the browser of this computer, at an address on 127.0.0.1 that it prints, and renews it
whenever the model or a file that it reads is saved; Ctrl+C ends it. The page shows the assembled start,
each freedom as a motion that keeps all constraints, axes of markers, and the findings of the check with
what they are about. A text in error shows its errors and the last picture without.
With --once it writes the page and ends: one file, which needs no server.")]
pub(crate) struct View {
    /// The model
    #[arg(value_name = "MODEL.json")]
    pub(crate) model: PathBuf,
    /// Write the page once and end; fails if the model has errors
    #[arg(long, requires = "output")]
    pub(crate) once: bool,
    /// The page to write with --once; - is standard output
    #[arg(short, long, value_name = "OUT.html", requires = "once", value_parser = endings::html)]
    pub(crate) output: Option<PathBuf>,
    /// Port of the address [default: any that is free]
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        hide_default_value = true,
        conflicts_with = "once"
    )]
    pub(crate) port: u16,
    /// Do not open a browser
    #[arg(long, conflicts_with = "once")]
    pub(crate) no_browser: bool,
}

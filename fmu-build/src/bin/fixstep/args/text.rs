//! Control plane: the commands that work on the text of models: expand, fmt, doc.

use std::path::PathBuf;

use clap::Args;

/// Print the flat model: includes read, templates expanded, numbers with units resolved
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep expand models/vehicle/model.json
  fixstep expand model.json -o flat.json

The flat model means the same as the one that was read. Programs that know nothing of templates
read it, and an FMU carries it.")]
pub(crate) struct Expand {
    /// The model
    #[arg(value_name = "MODEL.json")]
    pub(crate) model: PathBuf,
    /// Write to this file instead of standard output
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    pub(crate) output: PathBuf,
}

/// Write models in one form: indentation, quotes and commas; comments stay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep fmt model.json
  fixstep fmt models/vehicle/model.json models/vehicle/suspension.json
  fixstep fmt model.json --check

What fits on a line is on one line; other lists and objects have a line for each entry. A file
that has the form already is not written.")]
pub(crate) struct Fmt {
    /// The files
    #[arg(value_name = "FILE.json", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; fail if a file has another form
    #[arg(long)]
    pub(crate) check: bool,
}

/// Print the parameters, inputs, outputs and templates of a model as tables in Markdown
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep doc models/vehicle/model.json
  fixstep doc models/vehicle/suspension.json -o suspension.md")]
pub(crate) struct Doc {
    /// The model, or a file of templates
    #[arg(value_name = "MODEL.json")]
    pub(crate) model: PathBuf,
    /// Write to this file instead of standard output
    #[arg(
        short,
        long,
        value_name = "FILE.md",
        default_value = "-",
        hide_default_value = true
    )]
    pub(crate) output: PathBuf,
}
